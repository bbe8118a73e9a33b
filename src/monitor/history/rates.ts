import type { MetricName } from '../../domain/metrics.ts';
import { clusterTotal, type MetricHistory, type MetricSample } from '../state.ts';
import { isGauge } from './history.ts';

/** A rate over the step that ended at `atMs` (monotonic). */
export interface RatePoint {
  readonly atMs: number;
  /** `undefined` for a missing figure, a restart or a gap. Never negative. */
  readonly perSecond: number | undefined;
}

/** Growth of a counter per second between two samples. */
export function rateBetween(previous: MetricSample, next: MetricSample, name: MetricName): number | undefined {
  const before = previous.metrics[name];
  const after = next.metrics[name];
  const elapsedMs = next.atMs - previous.atMs;
  if (before === undefined || after === undefined || elapsedMs <= 0) return undefined;
  if (next.isAfterReset === true || after < before || isGauge(name)) return undefined;
  return ((after - before) * 1_000) / elapsedMs;
}

/** From one reading to the next, of one source or of several that are summed. */
export interface RateStep {
  /** When it ended (monotonic). */
  readonly atMs: number;
  readonly parts: readonly RatePart[];
}

interface RatePart {
  /** `undefined` if there is no sample before. */
  readonly previous: MetricSample | undefined;
  readonly next: MetricSample;
}

/** Between the same samples. */
export const isSameStep = (a: RateStep, b: RateStep): boolean =>
  a.parts.length === b.parts.length && a.parts.every(({ previous, next }, at) => next === b.parts[at]?.next && previous === b.parts[at]?.previous);

/** The steps of one source, oldest first. */
export function sourceSteps(samples: readonly MetricSample[]): readonly RateStep[] {
  const steps: RateStep[] = [];
  for (let index = 1; index < samples.length; index += 1) {
    const next = samples[index];
    if (next === undefined) continue;
    steps.push({ atMs: next.atMs, parts: [{ previous: samples[index - 1], next }] });
  }
  return steps;
}

/**
 * The steps of the cluster, oldest first: of the broker's total, or else of each node, to be summed (the steps of a sum
 * would jump when a node comes or goes).
 */
export function clusterSteps(history: MetricHistory): readonly RateStep[] {
  const total = history.get(clusterTotal);
  if (total !== undefined) return sourceSteps(total);

  const nodes = [...history.values()].map((samples) => samples.filter((sample) => sample.from !== 'node')).filter((samples) => samples.length > 0);
  const beginMs = Math.min(...nodes.map((samples) => samples[0]?.atMs ?? Infinity));
  const byTime = new Map<number, RatePart[]>();
  for (const samples of nodes) {
    for (const [index, next] of samples.entries()) {
      // The very first sample ends no step; the first one of a later node ends a step of unknown rate.
      if (next.atMs === beginMs) continue;
      const part = { previous: samples[index - 1], next };
      const parts = byTime.get(next.atMs);
      if (parts === undefined) byTime.set(next.atMs, [part]);
      else parts.push(part);
    }
  }
  return [...byTime].map(([atMs, parts]) => ({ atMs, parts })).toSorted((a, b) => a.atMs - b.atMs);
}

/** The rate over a step; `undefined` if any source has none. */
export function rateOver({ atMs, parts }: RateStep, name: MetricName): RatePoint {
  let sum: number | undefined = 0;
  for (const { previous, next } of parts) {
    const rate = previous === undefined ? undefined : rateBetween(previous, next, name);
    sum = sum === undefined || rate === undefined ? undefined : sum + rate;
  }
  return { atMs, perSecond: sum };
}
