import { isNotOffered } from '../../api/errors.ts';
import type { Alarm } from '../../domain/administration.ts';
import { reading, type Watchable } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { selectBrokerClock, selectNodes } from '../nodes/select.ts';
import { alarms } from './resource.ts';

/** Whether the API has no alarms. */
export function hasNoAlarms(state: Pick<MonitorState, 'readings'>): boolean {
  const { error } = reading(state, alarms);
  return error !== undefined && isNotOffered(error);
}

const toWatch: readonly Watchable[] = [alarms];
const nothing: readonly Watchable[] = [];

/** The alarms, where there are any and a node can be asked. */
export const alarmWatches = (state: MonitorState): readonly Watchable[] =>
  !hasNoAlarms(state) && selectNodes(state).some(({ status }) => status === 'running') ? toWatch : nothing;

/** Returns when an alarm was set, as a steady time. The broker gives its own local time. */
export function alarmSinceMs(
  { occurredAt }: Pick<Alarm, 'occurredAt'>,
  state: MonitorState,
  nowMs: number,
): number | undefined {
  const clock = selectBrokerClock(state, undefined, nowMs);
  return occurredAt === undefined || clock === undefined || clock < occurredAt
    ? undefined
    : nowMs - (clock - occurredAt) * 1_000;
}
