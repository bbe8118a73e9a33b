import type { NodeName } from '../../domain/node.ts';
import { freshForSeconds, isOlderThanExpected, slowIntervalSeconds, slowResources } from '../polling/intervals.ts';
import { scanNames } from '../scan/scans.ts';
import type { MonitorState, ResourceName } from '../state.ts';
import { selectListeners, selectNodes } from './nodes.ts';

/** How old the data on the screen is. */
export interface Freshness {
  /** Age of the oldest watched data that is read at every tick (of the slower ones when there is nothing else); `undefined` when there is none. */
  readonly ageSeconds: number | undefined;
  /** Watched resources whose data is older than it should be, or was never read although it was tried. */
  readonly stale: readonly ResourceName[];
}

/** Freshness of the watched resources at `nowMs` (wall clock). A new object each time: for a clock's tick, not for a store hook. */
export function selectFreshness(state: MonitorState, nowMs: number): Freshness {
  const names = (state.watched ?? []).flatMap((watched) => (watched.kind === 'resource' ? [watched.name] : []));
  const fast = names.filter((name) => !slowResources.has(name));
  const ages = (fast.length > 0 ? fast : names).map((name) => ageSeconds(state, name, nowMs)).filter((age) => age !== undefined);
  return {
    ageSeconds: ages.length > 0 ? Math.max(...ages) : undefined,
    stale: names.filter((name) => isStale(state, name, nowMs)),
  };
}

/** Seconds since a resource's data came, by the wall clock; `undefined` when none has. */
export function ageSeconds(state: MonitorState, name: ResourceName, nowMs: number): number | undefined {
  const { updatedAtMs } = state.resources[name];
  // A clock that was set back must not make data younger than new.
  return updatedAtMs === undefined ? undefined : Math.max(0, nowMs - updatedAtMs) / 1_000;
}

/**
 * Whole seconds since a resource was read, for a clock or an uptime that goes on by itself. It stands
 * still once readings fail or are late, since nobody knows then whether it still goes on.
 */
export function selectSecondsSinceRead(state: MonitorState, name: ResourceName, nowMs: number): number {
  const { failingSinceMs } = state.resources[name];
  const age = ageSeconds(state, name, Math.min(nowMs, failingSinceMs ?? nowMs)) ?? 0;
  return Math.floor(Math.min(age, freshForSeconds(everySeconds(state, name))));
}

/** Nothing at all is read: the screen is frozen, or the broker wants another password. */
export const isAtRest = ({ isFrozen, isUnauthorized }: Pick<MonitorState, 'isFrozen' | 'isUnauthorized'>): boolean => isFrozen || isUnauthorized;

/**
 * When a resource was last read, wall clock, where that is past: it failed since then, is late, or nothing is read at all.
 * `undefined` while it tells of now, and before the first answer.
 */
export function selectLastReadMs(state: MonitorState, name: ResourceName, nowMs: number): number | undefined {
  const { updatedAtMs, error } = state.resources[name];
  return isAtRest(state) || error !== undefined || isStale(state, name, nowMs) ? updatedAtMs : undefined;
}

/** Whether an answer may still come: nothing failed, and nothing keeps the program from asking. */
export function isAsked(state: MonitorState, name: ResourceName): boolean {
  return state.resources[name].error === undefined && !state.isUnauthorized;
}

/** Nothing has come yet and something may: `loading`, where otherwise it is `not known`. */
export function isWaitingFor(state: MonitorState, name: ResourceName): boolean {
  return state.resources[name].data === undefined && isAsked(state, name);
}

function isStale(state: MonitorState, name: ResourceName, nowMs: number): boolean {
  const resource = state.resources[name];
  if (resource.updatedAtMs === undefined) return resource.error !== undefined;
  return isOlderThanExpected(resource, everySeconds(state, name), nowMs);
}

function everySeconds({ intervalSeconds }: MonitorState, name: ResourceName): number {
  return slowResources.has(name) ? slowIntervalSeconds(intervalSeconds) : intervalSeconds;
}

/** From here on somebody waits for a list, and may want to stop its being read. */
const longMs = 1_000;

/** Whether a list has been read for so long that one may want to stop it. `nowMs`: wall clock. */
export const selectHasLongScan = (state: MonitorState, nowMs: number): boolean =>
  scanNames.some((name) => {
    const { phase, startedAtMs } = state[name];
    return phase === 'running' && startedAtMs !== undefined && nowMs - startedAtMs >= longMs;
  });

/** Something about which "nothing is wrong" cannot be said. */
export type Unjudged =
  /** Nothing has been read yet, or it is too old (`ageSeconds`). */
  | { readonly kind: 'resource'; readonly resource: ResourceName; readonly ageSeconds: number | undefined }
  /** A figure with a limit of which one or the other is not known. */
  | { readonly kind: 'limit'; readonly figure: 'memory' | 'processes' | 'descriptors' | 'connections'; readonly node: NodeName };

/** What the problems are looked for in. */
const judged: readonly ResourceName[] = ['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'];

/** What could not be judged at `nowMs` (wall clock): only when this is empty does an absence of problems mean anything. */
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
