import type { MonitorState, ResourceState } from './state.ts';
import { staleGraceSeconds, staleIntervals } from './thresholds.ts';

const slowFactor = 5;
const slowestSeconds = 60;

/** `true` when data that is read at every fifth tick, such as plugins, settings and users, is older than it should be. */
export function isSlowDataStale(resource: Pick<ResourceState<unknown>, 'updatedAtMs'>, { intervalSeconds }: Pick<MonitorState, 'intervalSeconds'>, nowMs: number): boolean {
  if (resource.updatedAtMs === undefined) return false;
  const everySeconds = Math.max(intervalSeconds, Math.min(slowFactor * intervalSeconds, slowestSeconds));
  return (nowMs - resource.updatedAtMs) / 1_000 > staleIntervals * everySeconds + staleGraceSeconds;
}
