import type { LoadSample, MetricName, Metrics } from '../../domain/metrics.ts';
import type { ClusterFigures, NodeName } from '../../domain/node.ts';
import { definePart } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { offered } from '../offered.ts';

/** Counters of the broker since its start, by node or as one total. */
export const metrics = defineResource<ClusterFigures<Metrics>>({
  name: 'metrics',
  source: 'metrics',
  every: 'tick',
  isVital: true,
  read: (api, { signal }) => api.listMetrics({ signal }),
});

/** Counters of one node, for brokers that report only a total. */
export const nodeMetrics = defineResource<Metrics, [node: NodeName]>({
  name: 'nodeMetrics',
  source: (node) => `metrics of ${node}`,
  every: 'tick',
  nodeOf: (node) => node,
  maxUnwatched: 64,
  read: (api, { signal }, node) => api.getMetrics(node, { signal }),
});

export interface MetricSample {
  /** The arrival of the answer, monotonic. */
  readonly atMs: number;
  readonly metrics: Metrics;
  /** `cluster`: part of an answer about all nodes, can be summed. `node`: requested for one node. */
  readonly from?: 'cluster' | 'node' | undefined;
  /** The counters may have restarted since the previous sample: no rate between the two. */
  readonly isAfterReset?: boolean | undefined;
  /** The counters fell, so they have restarted. */
  readonly isAfterRestart?: boolean | undefined;
}

/** A key that is not a possible node name. */
export const clusterTotal: unique symbol = Symbol.for('cluster total');

/** Samples by node or `clusterTotal`, oldest first. */
export type MetricHistory = ReadonlyMap<NodeName | typeof clusterTotal, readonly MetricSample[]>;

/** Samples of the last ten minutes. */
export const metricHistory = definePart<MetricHistory>('metricHistory', new Map());

/** Samples before that, thinned. */
export const metricPast = definePart<MetricHistory>('metricPast', new Map());

const loadHistorySeconds = 3_600;

/** The traffic of the last hour as the broker has kept it, which is read once. */
export const loadHistory = defineResource<readonly LoadSample[]>({
  name: 'loadHistory',
  source: 'history of the broker',
  every: 'fifthTick',
  recorded: 'no',
  open({ api }) {
    let known: readonly LoadSample[] | undefined;
    return async (call) =>
      (known ??= await offered(api, 'listLoadHistory', 'history of the broker')(loadHistorySeconds, call));
  },
});

/** A sample that the broker has kept. */
export interface ReportedSample {
  /** The end of the sampled interval, monotonic. */
  readonly atMs: number;
  readonly rates: Readonly<Partial<Record<MetricName, number>>>;
}

/** Samples of the broker from before the monitor's own, oldest first. */
export const reportedLoad = definePart<readonly ReportedSample[]>('reportedLoad', []);
