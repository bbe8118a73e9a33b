import { warmUpSeconds } from '../../monitor/polling/intervals.ts';
import { reading } from '../../monitor/query/part.ts';
import { followResource } from '../../monitor/query/query.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { nodes } from '../nodes/resource.ts';
import { selectLowestUptime } from '../nodes/select.ts';
import { appendTotals, knownTotals } from './history.ts';
import { stats, totalsHistory } from './resource.ts';
import { selectTotals } from './select.ts';

/** Whether the broker has just started. Unknown uptimes may be known soon, unless the nodes cannot be read. */
const isWarmingUp = (state: MonitorState, nowMs: number): boolean => {
  const { data, error } = reading(state, nodes);
  const uptime = selectLowestUptime(state, nowMs);
  return uptime === undefined ? data === undefined && error === undefined : uptime < warmUpSeconds;
};

/** Keeps the totals of the last five minutes. */
export const totalsFollower = followResource(stats, ({ clock, state, write }) => ({
  onAnswer() {
    const samples = reading(state(), totalsHistory);
    const isFirst = samples.every((sample) => sample.isWarmingUp === true);
    write(
      totalsHistory,
      appendTotals(samples, {
        atMs: clock.monotonicMs(),
        values: knownTotals(selectTotals(state())),
        ...(isFirst && isWarmingUp(state(), clock.nowMs()) && { isWarmingUp: true }),
      }),
    );
  },
}));
