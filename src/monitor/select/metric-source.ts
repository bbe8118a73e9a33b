import type { NodeName } from '../../domain/node.ts';
import type { ApiError } from '../../api/errors.ts';
import { isOlderThanExpected } from '../polling/intervals.ts';
import { selectFreshness } from './freshness.ts';
import { selectNodes } from './nodes.ts';
import type { MonitorState } from '../state.ts';

/** Where the counters come from. */
export type MetricOrigin =
  /** One total for the cluster, made by the broker. */
  | 'total'
  /** Every node's counters, added up here. */
  | 'sum'
  /** The node's part of the answer about all nodes. */
  | 'part'
  /** Asked of that node alone. */
  | 'alone'
  /** Nothing has come yet that tells. */
  | 'unknown';

export interface MetricSource {
  readonly origin: MetricOrigin;
  readonly hasData: boolean;
  readonly error: ApiError | undefined;
  readonly ageSeconds: number | undefined;
  readonly isStale: boolean;
  /** Nodes whose counters are in the sum. */
  readonly included: readonly NodeName[];
  /** Nodes that the sum leaves out: stopped, gone, or silent. */
  readonly leftOut: readonly NodeName[];
}

/**
 * Whether a node's counters have to be asked for one by one: the cluster's come as one total. Never of
 * a node that does not run: it would only not answer.
 */
export function mustAskNode(state: MonitorState, node: NodeName): boolean {
  const { data } = state.resources.metrics;
  const comesByNode = data === undefined ? state.capabilities?.metricsByNode !== false : data.kind === 'by-node';
  const status = selectNodes(state).find((row) => row.name === node)?.status;
  return !comesByNode && status !== 'stopped' && status !== 'unknown';
}

/** Where the counters of the cluster (`node` undefined) or of one node come from, and how old they are. A new object each time. */
export function selectMetricSource(state: MonitorState, node: NodeName | undefined, nowMs: number): MetricSource {
  const { data, error, updatedAtMs } = state.resources.metrics;
  const shared = { error, ...ageOf(updatedAtMs, nowMs), isStale: selectFreshness(state, nowMs).stale.includes('metrics') };
  if (node !== undefined && (mustAskNode(state, node) || state.nodeMetrics.has(node)) && !(data?.kind === 'by-node' && data.nodes.has(node))) {
    const single = state.nodeMetrics.get(node);
    const age = ageOf(single?.updatedAtMs, nowMs);
    const isStale = single?.updatedAtMs === undefined ? single?.error !== undefined : isOlderThanExpected(single, state.intervalSeconds, nowMs);
    return { origin: 'alone', hasData: single?.data !== undefined, error: single?.error, ...age, isStale, included: [node], leftOut: [] };
  }
  if (data === undefined) return { origin: 'unknown', hasData: false, ...shared, included: [], leftOut: [] };
  if (node !== undefined) {
    const hasData = data.kind === 'by-node' && data.nodes.has(node);
    return { origin: 'part', hasData, ...shared, included: hasData ? [node] : [], leftOut: hasData ? [] : [node] };
  }
  if (data.kind === 'total') return { origin: 'total', hasData: true, ...shared, included: [], leftOut: [] };
  const names = selectNodes(state).map(({ name }) => name);
  return {
    origin: 'sum', hasData: true, ...shared,
    included: [...data.nodes.keys()],
    leftOut: names.filter((name) => !data.nodes.has(name)),
  };
}

function ageOf(updatedAtMs: number | undefined, nowMs: number): { readonly ageSeconds: number | undefined } {
  return { ageSeconds: updatedAtMs === undefined ? undefined : Math.max(0, nowMs - updatedAtMs) / 1_000 };
}
