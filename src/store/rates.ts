import type { MetricName } from '../domain/metric.ts';
import { isGauge } from './history.ts';
import { clusterTotal } from './state.ts';
import type { MetricHistory, MetricSample } from './state.ts';

/** A rate over the step that ended at `atMs` (monotonic). */
export interface RatePoint {
  readonly atMs: number;
  /** `undefined` when the step does not tell: a missing figure, a restart, a gap. Never negative. */
  readonly perSecond: number | undefined;
}

/** Growth of a counter per second between two samples, over the time that really passed. */
export function rateBetween(previous: MetricSample, next: MetricSample, name: MetricName): number | undefined {
  const before = previous.metrics[name];
  const after = next.metrics[name];
  const elapsedMs = next.atMs - previous.atMs;
  if (before === undefined || after === undefined || elapsedMs <= 0) return undefined;
  if (next.startsAnew === true || after < before || isGauge(name)) return undefined;
  return ((after - before) * 1_000) / elapsedMs;
}

/** A point for each step, oldest first, at most the last `points` of them. */
export function rateSeries(samples: readonly MetricSample[], name: MetricName, points = Infinity): readonly RatePoint[] {
  const series: RatePoint[] = [];
  const first = Math.max(1, samples.length - points);
  for (let index = first; index < samples.length; index += 1) {
    const previous = samples[index - 1];
    const next = samples[index];
    if (previous !== undefined && next !== undefined) series.push({ atMs: next.atMs, perSecond: rateBetween(previous, next, name) });
  }
  return series;
}

/**
 * The cluster's rate: its own total where the broker gives one, else the sum of the nodes' rates (not
 * the rate of the sum, which would jump when a node comes or goes). A step in which one of the nodes
 * has no rate has none either.
 */
export function clusterRateSeries(history: MetricHistory, name: MetricName, points = Infinity): readonly RatePoint[] {
  const total = history.get(clusterTotal);
  if (total !== undefined) return rateSeries(total, name, points);

  const nodes: (readonly MetricSample[])[] = [];
  for (const samples of history.values()) {
    const whole = samples.filter((sample) => sample.from !== 'node');
    if (whole.length > 0) nodes.push(whole);
  }
  const beginMs = Math.min(...nodes.map((samples) => samples[0]?.atMs ?? Infinity));
  const fromMs = Math.min(...nodes.map((samples) => samples[Math.max(0, samples.length - points)]?.atMs ?? Infinity));
  const sums = new Map<number, number | undefined>();
  for (const samples of nodes) addRates(sums, samples, name, beginMs, fromMs);
  const series = [...sums].map(([atMs, perSecond]) => ({ atMs, perSecond })).toSorted((a, b) => a.atMs - b.atMs);
  return series.length > points ? series.slice(-points) : series;
}

function addRates(
  sums: Map<number, number | undefined>, samples: readonly MetricSample[], name: MetricName, beginMs: number, fromMs: number,
): void {
  for (let index = 0; index < samples.length; index += 1) {
    const sample = samples[index];
    // The first sample of all ends no step; the first of a node that came later ends one that cannot be told.
    if (sample === undefined || sample.atMs === beginMs || sample.atMs < fromMs) continue;
    const previous = samples[index - 1];
    const rate = previous === undefined ? undefined : rateBetween(previous, sample, name);
    const sum = sums.has(sample.atMs) ? sums.get(sample.atMs) : 0;
    sums.set(sample.atMs, sum === undefined || rate === undefined ? undefined : sum + rate);
  }
}
