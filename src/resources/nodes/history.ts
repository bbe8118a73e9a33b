import type { Listener } from '../../domain/administration.ts';
import type { Stats } from '../../domain/metrics.ts';
import type { ByNode, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import type { LastKnown, SeenNode } from './resource.ts';

export interface LastKnownRecorder {
  noteNodes(nodes: readonly NodeInfo[]): void;
  noteNodeStats(nodes: readonly NodeStats[], atMs: number): void;
  noteStats(stats: ByNode<Stats>): void;
  noteListeners(listeners: ByNode<readonly Listener[]>): void;
  of(nodes: Iterable<NodeName>): ReadonlyMap<NodeName, LastKnown>;
}

export function createLastKnown(): LastKnownRecorder {
  const known = new Map<NodeName, LastKnown>();

  function patch(node: NodeName, more: Partial<LastKnown>): void {
    const before = known.get(node);
    if (before !== undefined) known.set(node, { ...before, ...more });
  }

  return {
    noteNodes(nodes) {
      for (const info of nodes) if (info.status === 'running') patch(info.name, { info });
    },
    noteNodeStats(nodes, atMs) {
      for (const stats of nodes) {
        if (stats.status !== 'running') continue;
        known.set(stats.name, {
          info: undefined,
          counts: undefined,
          listeners: undefined,
          ...known.get(stats.name),
          stats,
          atMs,
        });
      }
    },
    noteStats(stats) {
      for (const [node, counts] of stats) patch(node, { counts });
    },
    noteListeners(listeners) {
      for (const [node, own] of listeners) patch(node, { listeners: own });
    },
    of(nodes) {
      const found = new Map<NodeName, LastKnown>();
      for (const node of nodes) {
        const last = known.get(node);
        if (last !== undefined) found.set(node, last);
      }
      return found;
    },
  };
}

export interface StatusChange {
  readonly node: NodeName;
  readonly from: SeenNode['status'] | undefined;
  readonly to: SeenNode['status'];
}

export interface SeenUpdate {
  readonly seen: ReadonlyMap<NodeName, SeenNode>;
  readonly changes: readonly StatusChange[];
}

/** Limits unknown nodes: one that is named after its address gets a new name at each start. */
const maxUnknown = 32;

/**
 * Updates the nodes that were seen. If the answer lists all nodes (`isWhole`), a missing one becomes `unknown`.
 * @param isFirst nothing that is new in the answer is news: since when is not known
 */
export function updateSeenNodes(
  seen: ReadonlyMap<NodeName, SeenNode>,
  answer: readonly (NodeInfo | NodeStats)[],
  isWhole: boolean,
  nowMs: number,
  isFirst = seen.size === 0,
): SeenUpdate {
  const next = new Map(seen);
  const changes: StatusChange[] = [];
  let hasChanged = false;

  function note(node: NodeName, to: SeenNode['status']): void {
    const from = seen.get(node)?.status;
    if (from === to) return;
    const isNews = from !== undefined || !isFirst;
    next.set(node, { status: to, sinceMs: isNews ? nowMs : undefined });
    hasChanged = true;
    if (isNews) changes.push({ node, from, to });
  }

  for (const { name, status } of answer) if (isWhole || !seen.has(name)) note(name, status);
  if (isWhole) {
    const named = new Set(answer.map((node) => node.name));
    for (const name of seen.keys()) if (!named.has(name)) note(name, 'unknown');
    const unknown = [...next]
      .filter(([, { status }]) => status === 'unknown')
      .toSorted(([, a], [, b]) => (b.sinceMs ?? 0) - (a.sinceMs ?? 0));
    for (const [name] of unknown.slice(maxUnknown)) next.delete(name);
  }
  return { seen: hasChanged ? next : seen, changes };
}
