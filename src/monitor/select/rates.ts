import type { ApiError } from '../../api/errors.ts';
import type { MetricName } from '../../domain/metrics.ts';
import type { NodeName } from '../../domain/node.ts';
import { clusterSteps, isSameStep, rateOver, type RatePoint, type RateStep, sourceSteps } from '../history/rates.ts';
import { isOlderThanExpected, staleGraceSeconds, staleIntervals } from '../polling/intervals.ts';
import type { MetricHistory, MonitorState } from '../state.ts';
import { selectFreshness } from './freshness.ts';
import { selectNodes } from './nodes.ts';

/** The series of one node or of the cluster, in one history. */
interface Rates {
  readonly steps: readonly RateStep[];
  readonly series: Map<MetricName, readonly RatePoint[]>;
  /** Those of the history before, which are taken on: their steps from `from` on are the first `kept` ones of these. */
  readonly before: Pick<Rates, 'series'> & { readonly from: number; readonly kept: number };
}

interface KnownHistory {
  readonly history: MetricHistory | undefined;
  readonly rates: Map<NodeName | undefined, Rates>;
}

/** The last history that was asked about, and the one before. No others: they would hold all that ever was. */
let latest: KnownHistory = { history: undefined, rates: new Map() };
let previous = latest;

/**
 * Rate of a counter over all steps that are remembered, oldest first: of one node, or of the cluster when
 * `node` is `undefined`. A step that does not tell has `perSecond` undefined. The same array while the
 * history is the same.
 */
export function selectRateSeries({ metricHistory }: Pick<MonitorState, 'metricHistory'>, name: MetricName, node?: NodeName | undefined): readonly RatePoint[] {
  if (latest.history !== metricHistory) {
    previous = latest;
    latest = { history: metricHistory, rates: new Map() };
  }
  let rates = latest.rates.get(node);
  if (rates === undefined) {
    rates = continueFrom(previous.rates.get(node), node === undefined ? clusterSteps(metricHistory) : sourceSteps(metricHistory.get(node) ?? []));
    latest.rates.set(node, rates);
  }
  const { steps, series, before: { series: seriesBefore, from, kept } } = rates;
  let points = series.get(name);
  if (points === undefined) {
    const known = seriesBefore.get(name)?.slice(from, from + kept) ?? [];
    points = [...known, ...steps.slice(known.length).map((step) => rateOver(step, name))];
    series.set(name, points);
  }
  return points;
}

function continueFrom(before: Rates | undefined, steps: readonly RateStep[]): Rates {
  const [first] = steps;
  const from = before === undefined || first === undefined ? -1 : before.steps.findIndex((step) => isSameStep(step, first));
  const kept = before === undefined || from === -1 ? 0 : countSame(steps, before.steps.slice(from));
  return { steps, series: new Map(), before: { series: before?.series ?? new Map(), from, kept } };
}

/** How many steps both begin with. */
function countSame(steps: readonly RateStep[], others: readonly RateStep[]): number {
  const end = steps.findIndex((step, at) => {
    const other = others[at];
    return other === undefined || !isSameStep(step, other);
  });
  return end === -1 ? steps.length : end;
}

/** Rate of the last step per second; `undefined` when it is not known. */
export function selectRate(state: MonitorState, name: MetricName, node?: NodeName | undefined): number | undefined {
  return selectRateSeries(state, name, node).at(-1)?.perSecond;
}

export interface SparkOptions {
  /** Columns of the sparkline. */
  readonly width: number;
  readonly intervalSeconds: number;
  /** The least time that the columns together stand for; more columns show more time, never less. */
  readonly spanSeconds?: number | undefined;
  /** Time since the newest point about which nothing is known, because the data is stale. */
  readonly silentSeconds?: number | undefined;
}

/** A series made ready for a sparkline: one value a column, oldest first. */
export interface Spark {
  /** The highest rate known within each column's time; `undefined` where none is. At most `width` of them. */
  readonly values: readonly (number | undefined)[];
  /** The highest rate shown; `undefined` when none is known. The full bar. */
  readonly peak: number | undefined;
  /** Time that all columns together stand for, filled or not. */
  readonly spanSeconds: number;
}

/** What a sparkline shows at least, unless told otherwise. */
export const defaultSpanSeconds = 120;

/** A step longer than this was not watched: its average hides what happened. */
const maxStepMs = (intervalSeconds: number): number => Math.max(staleIntervals * intervalSeconds, staleGraceSeconds) * 1_000;

/** The rate of the last step; `undefined` when it is not known, or when the step is so long that it says nothing about now. */
export function selectCurrentRate(points: readonly RatePoint[], intervalSeconds: number): number | undefined {
  const last = points.at(-1);
  const before = points.at(-2);
  const isLong = last !== undefined && before !== undefined && last.atMs - before.atMs > maxStepMs(intervalSeconds);
  return isLong ? undefined : last?.perSecond;
}

/**
 * Puts rates on columns of equal time. A column shows its highest rate, so no burst is averaged away,
 * and nothing when none of its time is known: a restart, a pause, a failed reading.
 */
export function selectSpark(points: readonly RatePoint[], options: SparkOptions): Spark {
  const { width, intervalSeconds, spanSeconds = defaultSpanSeconds, silentSeconds = 0 } = options;
  const intervalMs = intervalSeconds * 1_000;
  // Whole intervals, so that every column holds the same number of points.
  const columnMs = Math.max(1, Math.ceil((spanSeconds * 1_000) / Math.max(1, width) / intervalMs - 1e-9)) * intervalMs;
  const last = points.at(-1);
  const span = (columnMs * Math.max(0, width)) / 1_000;
  if (last === undefined || width <= 0) return { values: [], peak: undefined, spanSeconds: span };

  // Points lie in the middle of the grid's cells: a little jitter moves none of them to the next column.
  const phaseMs = (last.atMs % intervalMs) - intervalMs / 2;
  const columnOf = (atMs: number): number => Math.floor((atMs - phaseMs) / columnMs);
  const end = columnOf(last.atMs + silentSeconds * 1_000);
  const begin = end - width + 1;
  const longestMs = maxStepMs(intervalSeconds);
  const columns = new Map<number, number | undefined>();
  let peak: number | undefined;

  function put(column: number, value: number | undefined): void {
    const before = columns.get(column);
    columns.set(column, value === undefined ? before : Math.max(before ?? 0, value));
  }

  for (let index = points.length - 1; index >= 0; index -= 1) {
    const point = points[index];
    if (point === undefined || columnOf(point.atMs) < begin) break;
    const fromMs = points[index - 1]?.atMs ?? point.atMs - intervalMs;
    const value = point.atMs - fromMs > longestMs ? undefined : point.perSecond;
    const to = columnOf(point.atMs);
    for (let column = Math.max(begin, Math.min(to, columnOf(fromMs) + 1)); column <= to; column += 1) put(column, value);
    if (value !== undefined) peak = Math.max(peak ?? 0, value);
  }
  const first = Math.max(begin, Math.min(...columns.keys()));
  const values = Array.from({ length: end - first + 1 }, (_, index) => columns.get(first + index));
  return { values, peak, spanSeconds: span };
}

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
export function needsNodeMetrics(state: MonitorState, node: NodeName): boolean {
  const { data } = state.resources.metrics;
  const comesByNode = data === undefined ? state.capabilities?.metricsByNode !== false : data.kind === 'by-node';
  const status = selectNodes(state).find((row) => row.name === node)?.status;
  return !comesByNode && status !== 'stopped' && status !== 'unknown';
}

/** Where the counters of the cluster (`node` undefined) or of one node come from, and how old they are. A new object each time. */
export function selectMetricSource(state: MonitorState, node: NodeName | undefined, nowMs: number): MetricSource {
  const { data, error, updatedAtMs } = state.resources.metrics;
  const shared = { error, ...ageOf(updatedAtMs, nowMs), isStale: selectFreshness(state, nowMs).stale.includes('metrics') };
  if (node !== undefined && (needsNodeMetrics(state, node) || state.nodeMetrics.has(node)) && !(data?.kind === 'by-node' && data.nodes.has(node))) {
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
