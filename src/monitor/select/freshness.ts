import type { NodeName } from '../../domain/node.ts';
import { freshForSeconds, isOlderThanExpected, slowIntervalSeconds, slowResources } from '../polling/intervals.ts';
import { scanNames } from '../scan/scans.ts';
import type { MonitorState, ResourceName } from '../state.ts';
import { selectListeners, selectNodes } from './nodes.ts';

/** How old the data on the screen is. */
export interface Freshness {
  /** Age of the oldest watched data that is read at every tick, or of the slow resources if nothing else is watched. */
  readonly ageSeconds: number | undefined;
  /** Watched resources whose data is overdue, or which have only failed. */
  readonly stale: readonly ResourceName[];
}

/** Freshness of the watched resources at `nowMs` (wall clock). Not memoised. */
export function selectFreshness(state: MonitorState, nowMs: number): Freshness {
  const names = (state.watched ?? []).flatMap((watched) => (watched.kind === 'resource' ? [watched.name] : []));
  const fast = names.filter((name) => !slowResources.has(name));
  const ages = (fast.length > 0 ? fast : names).map((name) => ageSeconds(state, name, nowMs)).filter((age) => age !== undefined);
  return {
    ageSeconds: ages.length > 0 ? Math.max(...ages) : undefined,
    stale: names.filter((name) => isStale(state, name, nowMs)),
  };
}

/** Seconds since a resource's data arrived; `undefined` if none has. */
export function ageSeconds(state: MonitorState, name: ResourceName, nowMs: number): number | undefined {
  const { updatedAtMs } = state.resources[name];
  // The wall clock may be set back.
  return updatedAtMs === undefined ? undefined : Math.max(0, nowMs - updatedAtMs) / 1_000;
}

/** Whole seconds since a resource was read, for extrapolating clocks and uptimes. Stops growing once readings fail or are late. */
export function selectSecondsSinceRead(state: MonitorState, name: ResourceName, nowMs: number): number {
  const { failingSinceMs } = state.resources[name];
  const age = ageSeconds(state, name, Math.min(nowMs, failingSinceMs ?? nowMs)) ?? 0;
  return Math.floor(Math.min(age, freshForSeconds(everySeconds(state, name))));
}

/** Nothing is fetched: frozen, or the login was rejected. */
export const isPollingPaused = ({ isFrozen, isUnauthorized }: Pick<MonitorState, 'isFrozen' | 'isUnauthorized'>): boolean => isFrozen || isUnauthorized;

/** When a resource was last read, wall clock, if it failed since, is late or paused; `undefined` while it is current and before the first answer. */
export function selectLastReadMs(state: MonitorState, name: ResourceName, nowMs: number): number | undefined {
  const { updatedAtMs, error } = state.resources[name];
  return isPollingPaused(state) || error !== undefined || isStale(state, name, nowMs) ? updatedAtMs : undefined;
}

/** Whether an answer may still come. */
export function mayBeAnswered(state: MonitorState, name: ResourceName): boolean {
  return state.resources[name].error === undefined && !state.isUnauthorized;
}

/** Whether the resource is loading, as opposed to not known. */
export function isWaitingFor(state: MonitorState, name: ResourceName): boolean {
  return state.resources[name].data === undefined && mayBeAnswered(state, name);
}

function isStale(state: MonitorState, name: ResourceName, nowMs: number): boolean {
  const resource = state.resources[name];
  if (resource.updatedAtMs === undefined) return resource.error !== undefined;
  return isOlderThanExpected(resource, everySeconds(state, name), nowMs);
}

function everySeconds({ intervalSeconds }: MonitorState, name: ResourceName): number {
  return slowResources.has(name) ? slowIntervalSeconds(intervalSeconds) : intervalSeconds;
}

const longMs = 1_000;

/** Whether a scan runs for so long that the operator may want to stop it. `nowMs`: wall clock. */
export const selectHasLongScan = (state: MonitorState, nowMs: number): boolean =>
  scanNames.some((name) => {
    const { phase, startedAtMs } = state[name];
    return phase === 'running' && startedAtMs !== undefined && nowMs - startedAtMs >= longMs;
  });

/** Something that could not be checked. */
export type Unjudged =
  /** Not read yet, or too old (`ageSeconds`). */
  | { readonly kind: 'resource'; readonly resource: ResourceName; readonly ageSeconds: number | undefined }
  /** A figure or its limit is not known. */
  | { readonly kind: 'limit'; readonly figure: 'memory' | 'processes' | 'descriptors' | 'connections'; readonly node: NodeName };

const judged: readonly ResourceName[] = ['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'];

/** What could not be judged at `nowMs` (wall clock). Only if this is empty, no problems means that all is well. */
export function selectUnjudged(state: MonitorState, nowMs: number): readonly Unjudged[] {
  const { stale } = selectFreshness(state, nowMs);
  const unjudged: Unjudged[] = [];
  for (const resource of judged) {
    const { data, error } = state.resources[resource];
    if (data === undefined || stale.includes(resource) || error !== undefined) {
      unjudged.push({ kind: 'resource', resource, ageSeconds: ageSeconds(state, resource, nowMs) });
    }
  }
  const nodes = selectNodes(state);
  if (state.resources.nodeStats.data !== undefined) {
    for (const { name, status, memory, processes, fileDescriptors } of nodes) {
      if (status === 'stopped' || status === 'unknown') continue;
      if (memory.share === undefined) unjudged.push({ kind: 'limit', figure: 'memory', node: name });
      if (processes.share === undefined) unjudged.push({ kind: 'limit', figure: 'processes', node: name });
      if (fileDescriptors.share === undefined) unjudged.push({ kind: 'limit', figure: 'descriptors', node: name });
    }
  }
  const listeners = selectListeners(state);
  const silent = new Set<NodeName>();
  for (const { node, clients } of listeners ?? []) if (clients.share === undefined) silent.add(node);
  if (listeners !== undefined) {
    const named = new Set(listeners.map(({ node }) => node));
    for (const { name, status } of nodes) if (status === 'running' && !named.has(name)) silent.add(name);
  }
  for (const node of silent) unjudged.push({ kind: 'limit', figure: 'connections', node });
  return unjudged;
}
