import type { ApiError, ApiErrorKind } from '../api/errors.ts';
import type { ManagementApi } from '../api/management-api.ts';
import type { ByNode, ClusterFigures } from '../domain/cluster.ts';
import type { Listener } from '../domain/listener.ts';
import type { Metrics } from '../domain/metric.ts';
import type { NodeInfo, NodeName, NodeStats } from '../domain/node.ts';
import type { Stats } from '../domain/stat.ts';
import { toApiError } from './backoff.ts';
import type { Clock } from './clock.ts';
import { systemClock } from './clock.ts';

/** Something that each node has one of; a plain object without a prototype, so that any name can be a key. */
export type RecordByNode<T> = Readonly<Record<NodeName, T>>;

/** Parts of a snapshot that are read on their own. */
export type SnapshotPart = 'nodes' | 'nodeStats' | 'listeners' | 'metrics' | 'stats';

/** One node as both lists know it; either half is `undefined` when its list failed or lacks the node. */
export interface SnapshotNode {
  readonly name: NodeName;
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats | undefined;
}

/** The cluster at one moment, in plain JSON-able values. A part that failed is `undefined`, and named in `errors`. */
export interface Snapshot {
  /** ISO 8601, UTC, this machine's clock. */
  readonly takenAt: string;
  readonly variant: string | undefined;
  /** By name; `undefined` only when both lists of nodes failed. */
  readonly nodes: readonly SnapshotNode[] | undefined;
  readonly listeners: RecordByNode<readonly Listener[]> | undefined;
  readonly metrics: { readonly kind: 'by-node'; readonly nodes: RecordByNode<Metrics> } | { readonly kind: 'total'; readonly total: Metrics } | undefined;
  readonly stats: RecordByNode<Stats> | undefined;
  /** Connected clients. `total` is `undefined` when a running node's number is missing. */
  readonly clients: { readonly total: number | undefined; readonly byNode: RecordByNode<number> };
  readonly errors: readonly { readonly part: SnapshotPart; readonly kind: ApiErrorKind; readonly message: string }[];
}

export interface SnapshotOptions {
  readonly signal?: AbortSignal | undefined;
  readonly clock?: Clock | undefined;
  /** Asked when all answers are in: the variant, if it is known by then. */
  readonly variant?: (() => string | undefined) | undefined;
}

/** Reads everything once, each part failing alone; never rejects. Five requests. */
export async function takeSnapshot(api: ManagementApi, options: SnapshotOptions = {}): Promise<Snapshot> {
  const { signal, clock = systemClock } = options;
  const errors: { part: SnapshotPart; kind: ApiErrorKind; message: string }[] = [];

  async function part<T>(name: SnapshotPart, request: () => Promise<T>): Promise<T | undefined> {
    try {
      return await request();
    } catch (thrown) {
      const error: ApiError = toApiError(thrown);
      errors.push({ part: name, kind: error.kind, message: error.message });
      return undefined;
    }
  }

  const [nodes, nodeStats, listeners, metrics, stats] = await Promise.all([
    part('nodes', () => api.listNodes({ signal })),
    part('nodeStats', () => api.listNodeStats({ signal })),
    part('listeners', () => api.listListeners({ signal })),
    part('metrics', () => api.listMetrics({ signal })),
    part('stats', () => api.listStats({ signal })),
  ]);
  return {
    takenAt: new Date(clock.nowMs()).toISOString(),
    variant: options.variant?.(),
    nodes: mergeNodes(nodes, nodeStats),
    listeners: toRecord(listeners),
    metrics: encodeFigures(metrics),
    stats: toRecord(stats),
    clients: countClients(nodes, nodeStats, stats),
    errors,
  };
}

function mergeNodes(nodes: readonly NodeInfo[] | undefined, nodeStats: readonly NodeStats[] | undefined): readonly SnapshotNode[] | undefined {
  if (nodes === undefined && nodeStats === undefined) return undefined;
  const infos = new Map(nodes?.map((info) => [info.name, info]));
  const stats = new Map(nodeStats?.map((node) => [node.name, node]));
  const names = [...new Set([...stats.keys(), ...infos.keys()])].toSorted();
  return names.map((name) => ({ name, info: infos.get(name), stats: stats.get(name) }));
}

function toRecord<T>(byNode: ByNode<T> | undefined): RecordByNode<T> | undefined {
  if (byNode === undefined) return undefined;
  const record: Record<NodeName, T> = Object.create(null);
  for (const [node, value] of byNode) record[node] = value;
  return record;
}

function encodeFigures(figures: ClusterFigures<Metrics> | undefined): Snapshot['metrics'] {
  if (figures?.kind !== 'by-node') return figures;
  return { kind: 'by-node', nodes: toRecord(figures.nodes) ?? Object.create(null) };
}

function countClients(
  nodes: readonly NodeInfo[] | undefined, nodeStats: readonly NodeStats[] | undefined, stats: ByNode<Stats> | undefined,
): Snapshot['clients'] {
  const byNode: Record<NodeName, number> = Object.create(null);
  const running = new Set<NodeName>(stats?.keys());
  for (const info of nodes ?? []) running.add(info.name);
  const loads = new Map(nodeStats?.map((node) => [node.name, node]));
  for (const node of loads.values()) {
    if (node.status === 'stopped') running.delete(node.name);
    else running.add(node.name);
  }
  let total: number | undefined = running.size > 0 ? 0 : undefined;
  for (const node of [...running].toSorted()) {
    const count = stats?.get(node)?.clients.count ?? loads.get(node)?.clients;
    if (count !== undefined) byNode[node] = count;
    total = total === undefined || count === undefined ? undefined : total + count;
  }
  return { total, byNode };
}
