import { isNotOffered } from '../../api/errors.ts';
import type { Alarm } from '../../domain/administration.ts';
import { wallMs } from '../../monitor/clock.ts';
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

/** Time zones differ by multiples of a quarter of an hour. */
const zoneStepSeconds = 900;
/** The broker gives the time of its clock in whole seconds. */
const sameClockSeconds = 2;

/** Returns when an alarm was set, as a steady time. The broker gives its own local time. */
export function alarmSinceMs(
  { occurredAt }: Pick<Alarm, 'occurredAt'>,
  state: MonitorState,
  nowMs: number,
): number | undefined {
  const clock = selectBrokerClock(state, undefined, nowMs);
  if (occurredAt === undefined || clock === undefined) return undefined;
  const ahead = clock - wallMs(nowMs) / 1_000;
  const zone = Math.round(ahead / zoneStepSeconds) * zoneStepSeconds;
  // Where its clock is that of this machine, its time is exact.
  if (Math.abs(ahead - zone) <= sameClockSeconds && occurredAt - clock <= sameClockSeconds)
    return Math.min(nowMs, (occurredAt - zone) * 1_000 - wallMs(0));
  return clock < occurredAt ? undefined : nowMs - (clock - occurredAt) * 1_000;
}
