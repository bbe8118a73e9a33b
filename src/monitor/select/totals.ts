import { memoise } from '../../domain/memoise.ts';
import { clusterWideStats, type MetricName, type Metrics, type StatName, type Stats } from '../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeName, NodeStats } from '../../domain/node.ts';
import type { MonitorState, ResourceState } from '../state.ts';
import { type NodeRow, selectNodes } from './nodes.ts';

export interface Total {
  /** Over the nodes whose figure is known; `undefined` if there is none. */
  readonly value: number | undefined;
  /** Expected nodes without a figure; if there are any, `value` is a lower bound. */
  readonly missingNodes: readonly NodeName[];
}

export type Totals = Readonly<Record<StatName, Total>>;

/** All nodes but the stopped ones. */
function expectedNodes(rows: readonly NodeRow[], figures: Iterable<NodeName>): readonly NodeName[] {
  const stopped = new Set(rows.filter((row) => row.status === 'stopped').map((row) => row.name));
  const names = new Set([...rows.map((row) => row.name), ...figures]);
  return [...names].filter((name) => !stopped.has(name)).toSorted();
}

function sum(nodes: readonly NodeName[], figure: (node: NodeName) => number | undefined): Total {
  let value: number | undefined;
  const missingNodes: NodeName[] = [];
  for (const node of nodes) {
    const part = figure(node);
    if (part === undefined) missingNodes.push(node);
    else value = (value ?? 0) + part;
  }
  return { value, missingNodes };
}

/** For figures that every node reports for the whole cluster: the highest. One node suffices. */
function highest(nodes: readonly NodeName[], figure: (node: NodeName) => number | undefined): Total {
  const known = nodes.map(figure).filter((part) => part !== undefined);
  return known.length > 0 ? { value: Math.max(...known), missingNodes: [] } : { value: undefined, missingNodes: nodes };
}

/** A node's count; clients fall back to the node statistics. */
const countsOf = (stats: ByNode<Stats> | undefined, nodeStats: readonly NodeStats[] | undefined): (node: NodeName, name: StatName) => number | undefined => {
  const loads = new Map(nodeStats?.map((node) => [node.name, node]));
  return (node, name) => stats?.get(node)?.[name].count ?? (name === 'clients' ? loads.get(node)?.clients : undefined);
};

const addUp = memoise((rows: readonly NodeRow[], stats: ByNode<Stats> | undefined, nodeStats: readonly NodeStats[] | undefined): Totals => {
  const nodes = expectedNodes(rows, stats?.keys() ?? []);
  const countOf = countsOf(stats, nodeStats);
  const totalOf = (name: StatName): Total => {
    const figure = (node: NodeName): number | undefined => countOf(node, name);
    return clusterWideStats.has(name) ? highest(nodes, figure) : sum(nodes, figure);
  };
  return {
    clients: totalOf('clients'),
    sessions: totalOf('sessions'),
    subscribers: totalOf('subscribers'),
    subscriptions: totalOf('subscriptions'),
    topics: totalOf('topics'),
    routes: totalOf('routes'),
    retained: totalOf('retained'),
  };
});

/** Present counts of the cluster. Clients, sessions, subscribers and subscriptions are added up; routes, topics and retained are not. */
export function selectTotals(state: MonitorState): Totals {
  return addUp(selectNodes(state), state.resources.stats.data, state.resources.nodeStats.data);
}

/** Connected clients by node. Not memoised. */
export function selectClientsByNode(state: MonitorState): ByNode<number> {
  const { stats, nodeStats } = state.resources;
  const countOf = countsOf(stats.data, nodeStats.data);
  return new Map(expectedNodes(selectNodes(state), stats.data?.keys() ?? []).flatMap((node) => {
    const count = countOf(node, 'clients');
    return count === undefined ? [] : [[node, count] as const];
  }));
}

/** Change of a count with the last answer; `undefined` unless both answers have it for the same nodes. */
export function selectTotalChange(state: MonitorState, name: StatName): number | undefined {
  const { previousStats } = state;
  const stats = state.resources.stats.data;
  if (previousStats === undefined || stats === undefined || stats.size !== previousStats.size) return undefined;
  const now: number[] = [];
  const before: number[] = [];
  for (const [node, present] of stats) {
    const count = present[name].count;
    const previous = previousStats.get(node)?.[name].count;
    if (count === undefined || previous === undefined) return undefined;
    now.push(count);
    before.push(previous);
  }
  if (now.length === 0) return undefined;
  if (clusterWideStats.has(name)) return Math.max(...now) - Math.max(...before);
  return now.reduce((a, b) => a + b, 0) - before.reduce((a, b) => a + b, 0);
}

const totalMetric = (
  rows: readonly NodeRow[], figures: ClusterFigures<Metrics> | undefined,
  nodeMetrics: ReadonlyMap<NodeName, ResourceState<Metrics>>, name: MetricName,
): Total => {
  if (figures?.kind === 'total') return { value: figures.total[name], missingNodes: [] };
  const nodes = expectedNodes(rows, figures?.nodes.keys() ?? []);
  const figure = (node: NodeName): number | undefined => (figures?.nodes.get(node) ?? nodeMetrics.get(node)?.data)?.[name];
  // Retained messages are cluster-wide like the statistic of that name.
  return name === 'messages.retained' ? highest(nodes, figure) : sum(nodes, figure);
};

/** A counter of one node, or of the cluster if `node` is `undefined`. Not memoised. */
export function selectMetric(state: MonitorState, name: MetricName, node: NodeName | undefined): Total {
  const figures = state.resources.metrics.data;
  if (node === undefined) return totalMetric(selectNodes(state), figures, state.nodeMetrics, name);
  const metrics = selectNodeMetrics(state, node);
  const value = metrics?.[name];
  return { value, missingNodes: value === undefined ? [node] : [] };
}

/** Counters of one node, from the most recent answer that has them. */
export function selectNodeMetrics(state: MonitorState, node: NodeName): Metrics | undefined {
  const { data, updatedAtMs } = state.resources.metrics;
  const single = state.nodeMetrics.get(node);
  const shared = data?.kind === 'by-node' ? data.nodes.get(node) : undefined;
  if (shared === undefined) return single?.data;
  const isNewer = single?.data !== undefined && (single.updatedAtMs ?? 0) > (updatedAtMs ?? 0);
  return isNewer ? single.data : shared;
}

/** The highest count since the nodes started. */
export interface Maximum {
  /** `undefined` if an answering node lacks it. */
  readonly value: number | undefined;
  /** The sum of maxima that the nodes need not have reached at the same moment. */
  readonly isUpperBound: boolean;
}

const collect = memoise((stats: ByNode<Stats> | undefined): ((name: StatName) => Maximum) => {
  const nodes = [...(stats?.values() ?? [])];
  return (name) => {
    const maxima = nodes.map((node) => node[name].max).filter((max) => max !== undefined);
    if (maxima.length === 0 || maxima.length < nodes.length) return { value: undefined, isUpperBound: false };
    if (clusterWideStats.has(name)) return { value: Math.max(...maxima), isUpperBound: false };
    return { value: maxima.reduce((sum, max) => sum + max, 0), isUpperBound: maxima.length > 1 };
  };
});

/** The cluster's highest count since the nodes started (§2.11): the sum over nodes, except for cluster-wide statistics. */
export function selectMaximum(state: MonitorState, name: StatName): Maximum {
  return collect(state.resources.stats.data)(name);
}
