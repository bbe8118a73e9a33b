import type { ByNode } from '../../domain/cluster.ts';
import type { Listener } from '../../domain/listener.ts';
import type { NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import type { Stats } from '../../domain/stat.ts';
import type { LastKnown } from '../state.ts';

/** Keeps what each node said last, so that it can be told once the node does not run any more. */
export interface LastKnownRecorder {
  noteNodes(nodes: readonly NodeInfo[]): void;
  noteNodeStats(nodes: readonly NodeStats[], atMs: number): void;
  noteStats(stats: ByNode<Stats>): void;
  noteListeners(listeners: ByNode<readonly Listener[]>): void;
  /** Of these nodes, as far as they were ever seen to run. */
  of(nodes: Iterable<NodeName>): ReadonlyMap<NodeName, LastKnown>;
}

export function createLastKnown(): LastKnownRecorder {
  const known = new Map<NodeName, LastKnown>();

  // A node is known from its figures on; the rest only adds to them.
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
        known.set(stats.name, { info: undefined, counts: undefined, listeners: undefined, ...known.get(stats.name), stats, atMs });
      }
    },
    noteStats(stats) {
      for (const [node, counts] of stats) patch(node, { counts });
    },
    noteListeners(listeners) {
      for (const [node, own] of listeners) patch(node, { listeners: own });
    },
    of(nodes) {
      const kept = new Map<NodeName, LastKnown>();
      for (const node of nodes) {
        const last = known.get(node);
        if (last !== undefined) kept.set(node, last);
      }
      return kept;
    },
  };
}
