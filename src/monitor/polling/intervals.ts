import type { MonitorState, ResourceName, ResourceState } from '../state.ts';

/** Data is stale when it is older than this many of its own intervals, plus the grace. */
export const staleIntervals = 3;
export const staleGraceSeconds = 5;

/** What changes rarely, as plugins, settings and users do, which are read as rarely. */
export const slowResources: ReadonlySet<ResourceName> = new Set(['nodes', 'listeners']);

const slowFactor = 5;
const maxSlowSeconds = 60;

/** What changes rarely is read at every fifth tick, but at least once a minute or at the interval. */
export function slowIntervalSeconds(intervalSeconds: number): number {
  return Math.max(intervalSeconds, Math.min(slowFactor * intervalSeconds, maxSlowSeconds));
}

/** How old, in seconds, data may be that is read every `everySeconds`. */
export function freshForSeconds(everySeconds: number): number {
  return staleIntervals * everySeconds + staleGraceSeconds;
}

/** `true` when data that is read every `everySeconds` came longer ago than it should have; `false` when none has come. */
export function isOlderThanExpected({ updatedAtMs }: Pick<ResourceState<unknown>, 'updatedAtMs'>, everySeconds: number, nowMs: number): boolean {
  return updatedAtMs !== undefined && (nowMs - updatedAtMs) / 1_000 > freshForSeconds(everySeconds);
}

/** The same for what changes rarely, such as plugins, settings and users. */
export function isSlowDataStale(resource: Pick<ResourceState<unknown>, 'updatedAtMs'>, { intervalSeconds }: Pick<MonitorState, 'intervalSeconds'>, nowMs: number): boolean {
  return isOlderThanExpected(resource, slowIntervalSeconds(intervalSeconds), nowMs);
}
