import { isAbsent } from '../api/errors.ts';
import type { NodeName } from '../domain/node.ts';
import { freshForSeconds, isOlderThanExpected, fifthTickSeconds } from '../monitor/polling/intervals.ts';
import { isWatched, reading } from '../monitor/query/part.ts';
import type { MonitorState, ResourceState, ScanState } from '../monitor/state.ts';
import { selectListeners } from './listeners/select.ts';
import { selectNodes } from './nodes/select.ts';
import { type ScanName, scanNames, scans } from './scans.ts';
import { type VitalName, vitalNames, vitalResources } from './vital.ts';

export interface Freshness {
  /** The age of the oldest watched fast resource, or of the slow ones if no fast one is watched. */
  readonly ageSeconds: number | undefined;
  /** Resources that are overdue, or only failed so far. */
  readonly stale: readonly VitalName[];
}

/** Returns how current the watched resources are. Not memoised. @param nowMs steady time */
export function selectFreshness(state: MonitorState, nowMs: number): Freshness {
  const names = vitalNames.filter((name) => isWatched(state, vitalResources[name]));
  const fast = names.filter((name) => vitalResources[name].every === 'tick');
  const ages = (fast.length > 0 ? fast : names)
    .map((name) => ageSeconds(state, name, nowMs))
    .filter((age) => age !== undefined);
  return {
    ageSeconds: ages.length > 0 ? Math.max(...ages) : undefined,
    stale: names.filter((name) => isStale(state, name, nowMs)),
  };
}

const readingOf = (state: Pick<MonitorState, 'readings'>, name: VitalName): ResourceState<unknown> =>
  reading<ResourceState<unknown>, []>(state, vitalResources[name]);

export function ageSeconds(state: MonitorState, name: VitalName, nowMs: number): number | undefined {
  const { updatedAtMs } = readingOf(state, name);
  return updatedAtMs === undefined ? undefined : Math.max(0, nowMs - updatedAtMs) / 1_000;
}

/** Returns seconds for extrapolating clocks and uptimes. They stop growing when answers fail or are late. */
export function selectSecondsSinceRead(state: MonitorState, name: VitalName, nowMs: number): number {
  const { failingSinceMs } = readingOf(state, name);
  const age = ageSeconds(state, name, Math.min(nowMs, failingSinceMs ?? nowMs)) ?? 0;
  return Math.floor(Math.min(age, freshForSeconds(everySeconds(state, name))));
}

export const isPollingPaused = ({
  isFrozen,
  isUnauthorized,
}: Pick<MonitorState, 'isFrozen' | 'isUnauthorized'>): boolean => isFrozen || isUnauthorized;

/** Returns when the resource was last read, if it failed since, is late or paused; otherwise `undefined`. */
export function selectLastReadMs(state: MonitorState, name: VitalName, nowMs: number): number | undefined {
  const { updatedAtMs, error } = readingOf(state, name);
  return isPollingPaused(state) || error !== undefined || isStale(state, name, nowMs) ? updatedAtMs : undefined;
}

export function mayBeAnswered(state: MonitorState, name: VitalName): boolean {
  return readingOf(state, name).error === undefined && !state.isUnauthorized && state.past === undefined;
}

/** Whether a resource is loading, as opposed to unknown. */
export function isWaitingFor(state: MonitorState, name: VitalName): boolean {
  return readingOf(state, name).data === undefined && mayBeAnswered(state, name);
}

function isStale(state: MonitorState, name: VitalName, nowMs: number): boolean {
  const resource = readingOf(state, name);
  const { error } = resource;
  if (error !== undefined && name !== 'nodeStats' && isAbsent(error)) return false;
  if (resource.updatedAtMs === undefined) return error !== undefined;
  return isOlderThanExpected(resource, everySeconds(state, name), nowMs);
}

function everySeconds({ intervalSeconds }: MonitorState, name: VitalName): number {
  return vitalResources[name].every === 'fifthTick' ? fifthTickSeconds(intervalSeconds) : intervalSeconds;
}

const longMs = 1_000;

export const selectHasLongScan = (
  state: MonitorState,
  nowMs: number,
  names: readonly ScanName[] = scanNames,
): boolean =>
  names.some((name) => {
    const { phase, startedAtMs } = reading<ScanState<unknown>, []>(state, scans[name]);
    return phase === 'running' && startedAtMs !== undefined && nowMs - startedAtMs >= longMs;
  });

export type NotChecked =
  /** The resource was not read yet, or is stale. */
  | { readonly kind: 'resource'; readonly resource: VitalName; readonly ageSeconds: number | undefined }
  | {
      readonly kind: 'limit';
      readonly figure: 'memory' | 'processes' | 'descriptors' | 'connections';
      readonly node: NodeName;
    };

/** Returns what was not checked. "No problems" is true only if this is empty. */
export function selectNotChecked(state: MonitorState, nowMs: number): readonly NotChecked[] {
  const { stale } = selectFreshness(state, nowMs);
  const notChecked: NotChecked[] = [];
  for (const resource of vitalNames) {
    const { data, error } = readingOf(state, resource);
    if (data === undefined || stale.includes(resource) || error !== undefined) {
      notChecked.push({ kind: 'resource', resource, ageSeconds: ageSeconds(state, resource, nowMs) });
    }
  }
  const nodes = selectNodes(state);
  if (readingOf(state, 'nodeStats').data !== undefined) {
    for (const { name, status, memory, processes, fileDescriptors } of nodes) {
      if (status === 'stopped' || status === 'unknown') continue;
      if (memory.share === undefined) notChecked.push({ kind: 'limit', figure: 'memory', node: name });
      if (processes.share === undefined) notChecked.push({ kind: 'limit', figure: 'processes', node: name });
      if (fileDescriptors.share === undefined) notChecked.push({ kind: 'limit', figure: 'descriptors', node: name });
    }
  }
  const listeners = selectListeners(state);
  const silent = new Set<NodeName>();
  for (const { node, listener, clients } of listeners ?? [])
    if (clients.share === undefined && listener.isUnlimited !== true) silent.add(node);
  if (listeners !== undefined) {
    const named = new Set(listeners.map(({ node }) => node));
    for (const { name, status } of nodes) if (status === 'running' && !named.has(name)) silent.add(name);
  }
  for (const node of silent) notChecked.push({ kind: 'limit', figure: 'connections', node });
  return notChecked;
}
