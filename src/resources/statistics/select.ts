import { memoise } from '../../domain/memoise.ts';
import { clusterWideStats, type MetricName, type Metrics, type StatName, type Stats } from '../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeName, NodeStats } from '../../domain/node.ts';
import { reading, readings } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../../monitor/state.ts';
import { metrics, nodeMetrics } from '../metrics/resource.ts';
import { nodeStats } from '../nodes/resource.ts';
import { type NodeRow, selectNodes } from '../nodes/select.ts';
import { stats } from './resource.ts';

export interface Total {
  readonly value: number | undefined;
  /** Nodes that are missing. If there are any, `value` is a lower bound. */
  readonly missingNodes: readonly NodeName[];
  /** The value is a lower bound for another reason. */
  readonly isMin?: boolean | undefined;
}

export type Totals = Readonly<Record<StatName, Total>>;

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

/** Returns the highest value, for values that every node reports for the whole cluster. */
function highest(nodes: readonly NodeName[], figure: (node: NodeName) => number | undefined): Total {
  const known = nodes.map(figure).filter((part) => part !== undefined);
  return known.length > 0 ? { value: Math.max(...known), missingNodes: [] } : { value: undefined, missingNodes: nodes };
}

/** Returns the counts of a node. Its clients fall back to the node statistics. */
const countsOf = (
  counted: ByNode<Stats> | undefined,
  measured: readonly NodeStats[] | undefined,
): ((node: NodeName, name: StatName) => number | undefined) => {
  const loads = new Map(measured?.map((node) => [node.name, node]));
  return (node, name) =>
    counted?.get(node)?.[name].count ?? (name === 'clients' ? loads.get(node)?.clients : undefined);
};

const addUp = memoise(
  (
    rows: readonly NodeRow[],
    counted: ByNode<Stats> | undefined,
    measured: readonly NodeStats[] | undefined,
  ): Totals => {
    const nodes = expectedNodes(rows, counted?.keys() ?? []);
    const countOf = countsOf(counted, measured);
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
  },
);

export function selectTotals(state: MonitorState): Totals {
  return addUp(selectNodes(state), reading(state, stats).data, reading(state, nodeStats).data);
}

export function selectClientsByNode(state: MonitorState): ByNode<number> {
  const counted = reading(state, stats).data;
  const countOf = countsOf(counted, reading(state, nodeStats).data);
  return new Map(
    expectedNodes(selectNodes(state), counted?.keys() ?? []).flatMap((node) => {
      const count = countOf(node, 'clients');
      return count === undefined ? [] : [[node, count] as const];
    }),
  );
}

const totalMetric = (
  rows: readonly NodeRow[],
  figures: ClusterFigures<Metrics> | undefined,
  single: ReadonlyMap<NodeName, ResourceState<Metrics>>,
  name: MetricName,
): Total => {
  if (figures?.kind === 'total') return { value: figures.total[name], missingNodes: [] };
  const nodes = expectedNodes(rows, figures?.nodes.keys() ?? []);
  const figure = (node: NodeName): number | undefined => (figures?.nodes.get(node) ?? single.get(node)?.data)?.[name];
  return name === 'messages.retained' ? highest(nodes, figure) : sum(nodes, figure);
};

export function selectMetric(state: MonitorState, name: MetricName, node: NodeName | undefined): Total {
  const figures = reading(state, metrics).data;
  if (node === undefined) return totalMetric(selectNodes(state), figures, readings(state, nodeMetrics), name);
  const value = selectNodeMetrics(state, node)?.[name];
  return { value, missingNodes: value === undefined ? [node] : [] };
}

export function selectNodeMetrics(state: MonitorState, node: NodeName): Metrics | undefined {
  const { data, updatedAtMs } = reading(state, metrics);
  const single = readings(state, nodeMetrics).get(node);
  const shared = data?.kind === 'by-node' ? data.nodes.get(node) : undefined;
  if (shared === undefined) return single?.data;
  const isNewer = single?.data !== undefined && (single.updatedAtMs ?? 0) > (updatedAtMs ?? 0);
  return isNewer ? single.data : shared;
}

export interface Maximum {
  readonly value: number | undefined;
  /** The sum may be too high: nodes need not have reached their maxima at the same time. */
  readonly isUpperBound: boolean;
}

const collect = memoise((counted: ByNode<Stats> | undefined): ((name: StatName) => Maximum) => {
  const nodes = [...(counted?.values() ?? [])];
  return (name) => {
    const maxima = nodes.map((node) => node[name].max).filter((max) => max !== undefined);
    if (maxima.length === 0 || maxima.length < nodes.length) return { value: undefined, isUpperBound: false };
    if (clusterWideStats.has(name)) return { value: Math.max(...maxima), isUpperBound: false };
    return { value: maxima.reduce((sum, max) => sum + max, 0), isUpperBound: maxima.length > 1 };
  };
});

/** Returns the sum over nodes, except for cluster-wide statistics. */
export function selectMaximum(state: MonitorState, name: StatName): Maximum {
  return collect(reading(state, stats).data)(name);
}
