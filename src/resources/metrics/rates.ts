import type { ApiError } from '../../api/errors.ts';
import type { MetricName } from '../../domain/metrics.ts';
import type { NodeName } from '../../domain/node.ts';
import {
  averageSteps,
  type AverageStepsOptions,
  clusterSteps,
  isSameStep,
  rateOver,
  type RatePoint,
  type RateStep,
  sourceSteps,
} from './history.ts';
import {
  isOlderThanExpected,
  maxBackgroundNodes,
  nodeMetricsSeconds,
  staleGraceSeconds,
  staleIntervals,
} from '../../monitor/polling/intervals.ts';
import { reading, readings } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import {
  clusterTotal,
  metricHistory,
  type MetricHistory,
  metricPast,
  metrics,
  nodeMetrics,
  reportedLoad,
} from './resource.ts';
import { selectFreshness } from '../freshness.ts';
import { selectNodes } from '../nodes/select.ts';

interface Rates {
  readonly steps: readonly RateStep[];
  readonly series: Map<MetricName, readonly RatePoint[]>;
  /** Points that still apply: steps from `from` on are the first `reused` ones of these. */
  readonly before: Pick<Rates, 'series'> & { readonly from: number; readonly reused: number };
}

interface KnownHistory {
  readonly history: MetricHistory | undefined;
  readonly rates: Map<NodeName | undefined, Rates>;
}

/** Limited to two histories: more would keep all samples in memory. */
let latest: KnownHistory = { history: undefined, rates: new Map() };
let previous = latest;

/** Returns rates of one node or of the cluster, oldest first. The same array for the same history. */
export function selectRateSeries(
  state: Pick<MonitorState, 'readings'>,
  name: MetricName,
  node?: NodeName | undefined,
): readonly RatePoint[] {
  const history = reading(state, metricHistory);
  if (latest.history !== history) {
    previous = latest;
    latest = { history, rates: new Map() };
  }
  let rates = latest.rates.get(node);
  if (rates === undefined) {
    rates = continueFrom(
      previous.rates.get(node),
      node === undefined ? clusterSteps(history) : sourceSteps(history.get(node) ?? []),
    );
    latest.rates.set(node, rates);
  }
  const {
    steps,
    series,
    before: { series: seriesBefore, from, reused },
  } = rates;
  let points = series.get(name);
  if (points === undefined) {
    const known = seriesBefore.get(name)?.slice(from, from + reused) ?? [];
    points = [...known, ...steps.slice(known.length).map((step) => rateOver(step, name))];
    series.set(name, points);
  }
  return points;
}

/** Steps of the latest history, by what was asked of it. */
let averages:
  | { readonly history: MetricHistory; readonly past: MetricHistory; readonly steps: Map<string, readonly RateStep[]> }
  | undefined;

/** Returns average rates of a counter over steps of `stepMs`, oldest first, as far back as `windowMs`. */
export function selectAverageSeries(
  state: Pick<MonitorState, 'readings'>,
  name: MetricName,
  options: AverageStepsOptions,
): readonly RatePoint[] {
  const [history, past] = [reading(state, metricHistory), reading(state, metricPast)];
  if (averages?.history !== history || averages.past !== past) averages = { history, past, steps: new Map() };
  const key = `${options.stepMs} ${options.windowMs} ${options.node ?? ''}`;
  const steps = averages.steps.get(key) ?? averageSteps(past, history, options);
  averages.steps.set(key, steps);
  const beginMs = steps[0]?.parts[0]?.previous?.atMs;
  // Tells how long the first step is.
  const begin = beginMs === undefined ? [] : [{ atMs: beginMs, perSecond: undefined }];
  return [...begin, ...steps.map((step) => rateOver(step, name))];
}

/** Returns the time of the first sample of any node, `Infinity` before it. */
const firstSampleMs = (state: Pick<MonitorState, 'readings'>): number =>
  Math.min(
    ...[metricPast, metricHistory].flatMap((part) =>
      [...reading(state, part).values()].map((samples) => samples[0]?.atMs ?? Number.POSITIVE_INFINITY),
    ),
  );

/**
 * Puts what the broker reported of a counter of the cluster before the measured points, for graphs only: checks judge
 * what was measured.
 */
export function withReported(
  state: Pick<MonitorState, 'readings'>,
  name: MetricName,
  points: readonly RatePoint[],
): readonly RatePoint[] {
  const reported = reading(state, reportedLoad);
  if (reported.length === 0) return points;
  const firstMs = firstSampleMs(state);
  const before = reported.flatMap(({ atMs, rates }): readonly RatePoint[] =>
    atMs < firstMs && (rates[name] !== undefined || Object.keys(rates).length === 0)
      ? [{ atMs, perSecond: rates[name], isReported: true }]
      : [],
  );
  if (before.every(({ perSecond }) => perSecond === undefined)) return points;
  // What came between the last reported and the first measured sample is not known.
  const begin =
    !Number.isFinite(firstMs) || points[0]?.atMs === firstMs ? [] : [{ atMs: firstMs, perSecond: undefined }];
  return [...before, ...begin, ...points];
}

/** Returns how many seconds ago the reported points end, if a graph of so many seconds shows some of them. */
export function reportedUntil(points: readonly RatePoint[], seconds: number, nowMs: number): number | undefined {
  const last = points.findLast(({ isReported, perSecond }) => isReported === true && perSecond !== undefined);
  return last === undefined || last.atMs <= nowMs - seconds * 1_000 ? undefined : (nowMs - last.atMs) / 1_000;
}

/**
 * Returns values of a gauge, oldest first, as points of a graph; of the cluster the highest of all nodes at each time,
 * as each counts the whole cluster.
 */
export function selectGaugeSeries(
  state: Pick<MonitorState, 'readings'>,
  name: MetricName,
  { node, windowMs }: Pick<AverageStepsOptions, 'node' | 'windowMs'>,
): readonly RatePoint[] {
  const [recent, past] = [reading(state, metricHistory), reading(state, metricPast)];
  const isWanted = (source: NodeName | typeof clusterTotal): boolean =>
    node !== undefined ? source === node : recent.has(clusterTotal) ? source === clusterTotal : source !== clusterTotal;
  const values = new Map<number, number>();
  for (const history of [past, recent]) {
    for (const [source, samples] of history) {
      if (isWanted(source))
        for (const { atMs, metrics } of samples)
          if (metrics[name] !== undefined) values.set(atMs, Math.max(values.get(atMs) ?? 0, metrics[name]));
    }
  }
  const lastMs = Math.max(...values.keys());
  return [...values]
    .filter(([atMs]) => atMs >= lastMs - windowMs)
    .toSorted(([a], [b]) => a - b)
    .map(([atMs, perSecond]) => ({ atMs, perSecond }));
}

function continueFrom(before: Rates | undefined, steps: readonly RateStep[]): Rates {
  const [first] = steps;
  const from =
    before === undefined || first === undefined ? -1 : before.steps.findIndex((step) => isSameStep(step, first));
  const reused = before === undefined || from === -1 ? 0 : countSame(steps, before.steps.slice(from));
  return { steps, series: new Map(), before: { series: before?.series ?? new Map(), from, reused } };
}

function countSame(steps: readonly RateStep[], others: readonly RateStep[]): number {
  let count = 0;
  for (const step of steps) {
    const other = others[count];
    if (other === undefined || !isSameStep(step, other)) break;
    count += 1;
  }
  return count;
}

export function selectRate(state: MonitorState, name: MetricName, node?: NodeName | undefined): number | undefined {
  return selectRateSeries(state, name, node).at(-1)?.perSecond;
}

/** Returns the longest step of a graph: a longer one has an average that hides what happened. */
export const maxStepMs = (intervalSeconds: number): number =>
  Math.max(staleIntervals * intervalSeconds, staleGraceSeconds) * 1_000;

export function selectCurrentRate(points: readonly RatePoint[], intervalSeconds: number): number | undefined {
  const last = points.at(-1);
  const before = points.at(-2);
  const isLong = last !== undefined && before !== undefined && last.atMs - before.atMs > maxStepMs(intervalSeconds);
  return isLong ? undefined : last?.perSecond;
}

/** Returns when a counter last grew at this rate at least, as a steady time; `undefined` if that is not known. */
export function selectLastGrowthMs(state: MonitorState, name: MetricName, perSecond: number): number | undefined {
  const series = selectRateSeries(state, name);
  const last = series.at(-1);
  const point = series.findLast((each) => each.perSecond !== undefined && each.perSecond >= perSecond);
  const { updatedAtMs } = reading(state, metrics);
  return last === undefined || point === undefined || updatedAtMs === undefined
    ? undefined
    : updatedAtMs - (last.atMs - point.atMs);
}

export type MetricOrigin =
  | 'total'
  | 'sum'
  /** The counters are part of the answer about all nodes. */
  | 'part'
  | 'alone'
  | 'unknown';

export interface MetricSource {
  readonly origin: MetricOrigin;
  readonly hasData: boolean;
  readonly error: ApiError | undefined;
  readonly ageSeconds: number | undefined;
  readonly isStale: boolean;
  readonly included: readonly NodeName[];
  readonly leftOut: readonly NodeName[];
}

/** Whether the cluster's counters come as one total only. */
export function needsNodeMetrics(state: MonitorState, node: NodeName): boolean {
  const { data } = reading(state, metrics);
  const comesByNode = data === undefined ? state.capabilities?.metricsByNode !== false : data.kind === 'by-node';
  const status = selectNodes(state).find((row) => row.name === node)?.status;
  return !comesByNode && status !== 'stopped' && status !== 'unknown';
}

/** Whether a node's counters are read with a request of their own. */
const isReadAlone = (state: MonitorState, node: NodeName | undefined): node is NodeName => {
  const { data } = reading(state, metrics);
  return (
    node !== undefined &&
    (needsNodeMetrics(state, node) || readings(state, nodeMetrics).has(node)) &&
    !(data?.kind === 'by-node' && data.nodes.has(node))
  );
};

/** Returns the longest time between two readings of the counters, in seconds. */
export const selectMetricInterval = (state: MonitorState, node: NodeName | undefined): number =>
  isReadAlone(state, node) ? Math.max(nodeMetricsSeconds, state.intervalSeconds) : state.intervalSeconds;

/** Returns running nodes whose counters are not part of the answer about the cluster; at most 16. */
export const selectBackgroundNodes = (state: MonitorState): readonly NodeName[] =>
  selectNodes(state)
    .filter(({ name, status }) => status === 'running' && needsNodeMetrics(state, name))
    .slice(0, maxBackgroundNodes)
    .map(({ name }) => name);

/** Returns where counters come from, of the cluster if `node` is undefined. Not memoised. */
export function selectMetricSource(state: MonitorState, node: NodeName | undefined, nowMs: number): MetricSource {
  const { data, error, updatedAtMs } = reading(state, metrics);
  const shared = {
    error,
    ...ageOf(updatedAtMs, nowMs),
    isStale: selectFreshness(state, nowMs).stale.includes('metrics'),
  };
  if (isReadAlone(state, node)) {
    const single = readings(state, nodeMetrics).get(node);
    const age = ageOf(single?.updatedAtMs, nowMs);
    const isStale =
      single?.updatedAtMs === undefined
        ? single?.error !== undefined
        : isOlderThanExpected(single, selectMetricInterval(state, node), nowMs);
    return {
      origin: 'alone',
      hasData: single?.data !== undefined,
      error: single?.error,
      ...age,
      isStale,
      included: [node],
      leftOut: [],
    };
  }
  if (data === undefined) return { origin: 'unknown', hasData: false, ...shared, included: [], leftOut: [] };
  if (node !== undefined) {
    const hasData = data.kind === 'by-node' && data.nodes.has(node);
    return { origin: 'part', hasData, ...shared, included: hasData ? [node] : [], leftOut: hasData ? [] : [node] };
  }
  if (data.kind === 'total') return { origin: 'total', hasData: true, ...shared, included: [], leftOut: [] };
  const names = selectNodes(state).map(({ name }) => name);
  return {
    origin: 'sum',
    hasData: true,
    ...shared,
    included: [...data.nodes.keys()],
    leftOut: names.filter((name) => !data.nodes.has(name)),
  };
}

function ageOf(updatedAtMs: number | undefined, nowMs: number): { readonly ageSeconds: number | undefined } {
  return { ageSeconds: updatedAtMs === undefined ? undefined : Math.max(0, nowMs - updatedAtMs) / 1_000 };
}
