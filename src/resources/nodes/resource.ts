import type { Listener } from '../../domain/administration.ts';
import type { Stats } from '../../domain/metrics.ts';
import type { NodeInfo, NodeName, NodeStats, NodeStatus } from '../../domain/node.ts';
import { definePart } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';

/** Running nodes, with their versions and uptimes. */
export const nodes = defineResource<readonly NodeInfo[]>({
  name: 'nodes',
  source: 'node list',
  every: 'fifthTick',
  isVital: true,
  read: (api, call) => api.listNodes(call),
});

/** The load of all nodes, stopped ones among them. */
export const nodeStats = defineResource<readonly NodeStats[]>({
  name: 'nodeStats',
  source: 'node statistics',
  every: 'tick',
  isVital: true,
  read: (api, call) => api.listNodeStats(call),
});

export interface SeenNode {
  /** `unknown` when the broker no longer lists the node. */
  readonly status: NodeStatus | 'unknown';
  /** When the status last changed; `undefined` if it never did. */
  readonly sinceMs: number | undefined;
}

/** Every node of this run, with its status. */
export const seenNodes = definePart<ReadonlyMap<NodeName, SeenNode>>('seenNodes', new Map());

export interface LastKnown {
  readonly atMs: number;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
  readonly counts: Stats | undefined;
  readonly listeners: readonly Listener[] | undefined;
}

/** The last knowledge of nodes that do not run or do not answer. */
export const lastKnownNodes = definePart<ReadonlyMap<NodeName, LastKnown>>('lastKnownNodes', new Map());
