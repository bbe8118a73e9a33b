import type { NodeName } from '../../domain/node.ts';
import type { MonitorState, ResourceName } from '../state.ts';
import { ageSeconds, selectFreshness } from './freshness.ts';
import { selectListeners, selectNodes } from './nodes.ts';

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
