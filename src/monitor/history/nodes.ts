import type { Listener } from '../../domain/administration.ts';
import type { Stats } from '../../domain/metrics.ts';
import type { ByNode, NodeInfo, NodeName, NodeStats } from '../../domain/node.ts';
import type { LastKnown, SeenNode } from '../state.ts';

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

/** A node whose status became another one. */
export interface NodeChange {
  readonly node: NodeName;
  /** `undefined` for a node that was not known before. */
  readonly from: SeenNode['status'] | undefined;
  readonly to: SeenNode['status'];
}

export interface SeenUpdate {
  readonly seen: ReadonlyMap<NodeName, SeenNode>;
  readonly changes: readonly NodeChange[];
}

/** Nodes remembered that the cluster knows no more: where a node is named after its address, each start makes a new one. */
const maxUnknown = 32;

/**
 * Adds what an answer says about the nodes. An answer that lists all nodes (`isWhole`: the statistics
 * of §2.3) makes a known node that it leaves out `unknown`; the list of running nodes only adds. Of unknown ones the
 * latest are kept.
 */
export function updateSeenNodes(
  seen: ReadonlyMap<NodeName, SeenNode>, answer: readonly (NodeInfo | NodeStats)[], isWhole: boolean, nowMs: number,
): SeenUpdate {
  const next = new Map(seen);
  const changes: NodeChange[] = [];
  const isFirstAnswer = seen.size === 0;

  function note(node: NodeName, to: SeenNode['status']): void {
    const from = seen.get(node)?.status;
    if (from === to) return;
    next.set(node, { status: to, sinceMs: isFirstAnswer ? undefined : nowMs });
    changes.push({ node, from, to });
  }

  for (const { name, status } of answer) if (isWhole || !seen.has(name)) note(name, status);
  if (isWhole) {
    const named = new Set(answer.map((node) => node.name));
    for (const name of seen.keys()) if (!named.has(name)) note(name, 'unknown');
    const unknown = [...next].filter(([, { status }]) => status === 'unknown').toSorted(([, a], [, b]) => (b.sinceMs ?? 0) - (a.sinceMs ?? 0));
    for (const [name] of unknown.slice(maxUnknown)) next.delete(name);
  }
  return changes.length === 0 ? { seen, changes } : { seen: next, changes };
}
