import { type MetricName, metricNames, type Metrics } from '../../domain/metrics.ts';
import type { ClusterFigures, NodeName } from '../../domain/node.ts';
import type { Clock } from '../../monitor/clock.ts';
import { clusterTotal, type MetricHistory, type MetricSample } from './resource.ts';

const maxAgeMs = 10 * 60_000;
const maxSamples = 600;

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

/** How far apart older samples are kept, by age. Each step is a whole multiple of the one before. */
export const thinningTiers = [
  { maxAgeMs: 15 * minuteMs, stepMs: 10_000 },
  { maxAgeMs: hourMs, stepMs: 30_000 },
  { maxAgeMs: 24 * hourMs, stepMs: 5 * minuteMs },
] as const;

/** Sources that are no longer reported and whose older samples are kept. */
const maxGoneSources = 32;

type Source = NodeName | typeof clusterTotal;

/**
 * Stores the samples of the last ten minutes, at most 600 per source, and thinned ones of 24 hours, about 400.
 * A sample of all metrics takes 0.4 KB, 1 KB if all counters exceed 2^31: with 16 nodes and one a second at most 17 MB.
 */
export interface HistoryRecorder {
  /** Records the metrics of all nodes. The counters of a missing node count as reset when it returns. */
  recordCluster(figures: ClusterFigures<Metrics>, atMs: number): MetricHistory;
  recordNode(node: NodeName, metrics: Metrics, atMs: number): MetricHistory;
  /** Allows no rate across this moment: the nodes behind the total changed. */
  breakTotal(): MetricHistory;
  breakAll(): void;
  /** Returns the samples that left the history, thinned. */
  past(): MetricHistory;
}

export const isGauge = (name: keyof Metrics): boolean => name === 'messages.retained';

export function isRestart(previous: Metrics, next: Metrics): boolean {
  return metricNames.some((name) => {
    const before = previous[name];
    const after = next[name];
    return before !== undefined && after !== undefined && after < before && !isGauge(name);
  });
}

/** Returns how far apart samples of this age are kept; `undefined` for those that are too old. */
const stepForAge = (ageMs: number): number | undefined => thinningTiers.find((tier) => ageMs < tier.maxAgeMs)?.stepMs;

const withReset = (sample: MetricSample, isAfterReset: boolean): MetricSample =>
  isAfterReset && sample.isAfterReset !== true ? { ...sample, isAfterReset } : sample;

/**
 * Keeps the first sample of each time step, and the last of all. Counters stay as they were read, so a rate between two
 * kept samples is the exact average. A restart in between is marked on the next kept sample.
 */
export function thinSamples(samples: readonly MetricSample[], nowMs: number): readonly MetricSample[] {
  const kept: MetricSample[] = [];
  let [lastStepMs, lastStep, isResetPending] = [0, 0, false];
  for (const [index, sample] of samples.entries()) {
    const stepMs = stepForAge(nowMs - sample.atMs);
    if (stepMs === undefined) continue;
    const step = Math.floor(sample.atMs / stepMs);
    const last = kept.at(-1);
    const isReset = isResetPending || sample.isAfterReset === true;
    if (step !== lastStep || stepMs !== lastStepMs || index === samples.length - 1) {
      kept.push(withReset(sample, isReset));
      isResetPending = false;
    } else if (last?.from === 'node' && sample.from === 'cluster') {
      // Only samples of one answer about all nodes can be summed.
      kept[kept.length - 1] = withReset(sample, isReset || last.isAfterReset === true);
      isResetPending = false;
    } else isResetPending = isReset;
    [lastStepMs, lastStep] = [stepMs, step];
  }
  return kept;
}

export function createHistory(): HistoryRecorder {
  let history: MetricHistory = new Map();
  let past: MetricHistory = new Map();
  const broken = new Set<Source>();
  let clusterNodes: readonly NodeName[] = [];

  function append(into: Map<Source, readonly MetricSample[]>, source: Source, sample: MetricSample): void {
    const samples = into.get(source) ?? [];
    const last = samples.at(-1);
    // A source that was silent for so long may have restarted.
    const before = last ?? past.get(source)?.at(-1);
    const isAfterRestart = before !== undefined && isRestart(before.metrics, sample.metrics);
    const isAfterReset = broken.delete(source) || isAfterRestart || (last === undefined && before !== undefined);
    // A copy takes a quarter of the memory: V8 stores the counters without a hash table.
    into.set(source, [
      ...samples,
      withReset({ ...sample, metrics: { ...sample.metrics }, ...(isAfterRestart && { isAfterRestart }) }, isAfterReset),
    ]);
  }

  function addToPast(
    removed: ReadonlyMap<Source, readonly MetricSample[]>,
    remaining: MetricHistory,
    nowMs: number,
  ): void {
    const next = new Map(past);
    for (const [source, samples] of removed)
      next.set(source, thinSamples([...(next.get(source) ?? []), ...samples], nowMs));
    const gone = [...next]
      .filter(([source]) => !remaining.has(source))
      .toSorted(([, a], [, b]) => (b.at(-1)?.atMs ?? 0) - (a.at(-1)?.atMs ?? 0));
    for (const [index, [source, samples]] of gone.entries()) {
      const last = samples.at(-1);
      if (index >= maxGoneSources || last === undefined || stepForAge(nowMs - last.atMs) === undefined)
        next.delete(source);
    }
    past = next;
  }

  function commit(next: Map<Source, readonly MetricSample[]>, nowMs: number): MetricHistory {
    const removed = new Map<Source, readonly MetricSample[]>();
    for (const [source, samples] of next) {
      const recent = samples.findIndex((sample) => sample.atMs > nowMs - maxAgeMs);
      const from = Math.max(recent === -1 ? samples.length : recent, samples.length - maxSamples);
      if (from > 0) removed.set(source, samples.slice(0, from));
      if (from >= samples.length) {
        next.delete(source);
        broken.delete(source);
      } else if (from > 0) next.set(source, samples.slice(from));
    }
    if (removed.size > 0) addToPast(removed, next, nowMs);
    history = next;
    return history;
  }

  return {
    recordCluster(figures, atMs) {
      const next = new Map(history);
      if (figures.kind === 'total') {
        append(next, clusterTotal, { atMs, metrics: figures.total, from: 'cluster' });
        return commit(next, atMs);
      }
      for (const node of clusterNodes) if (!figures.nodes.has(node)) broken.add(node);
      clusterNodes = [...figures.nodes.keys()];
      for (const [node, metrics] of figures.nodes) append(next, node, { atMs, metrics, from: 'cluster' });
      return commit(next, atMs);
    },
    recordNode(node, metrics, atMs) {
      const next = new Map(history);
      append(next, node, { atMs, metrics, from: 'node' });
      return commit(next, atMs);
    },
    breakTotal() {
      const samples = history.get(clusterTotal);
      const last = samples?.at(-1);
      if (samples === undefined || last === undefined) return history;
      broken.add(clusterTotal);
      history = new Map(history).set(clusterTotal, [...samples.slice(0, -1), { ...last, isAfterReset: true }]);
      return history;
    },
    breakAll() {
      for (const source of history.keys()) broken.add(source);
    },
    past: () => past,
  };
}

/** An answer that took longer was delayed on this machine: the time of its counters is unknown. */
const maxReadingMs = 10_000;

/** A smaller difference between the clocks is drift. */
const jumpToleranceMs = 5_000;

/** Returns a function that measures jumps in milliseconds; 0 within the tolerance. */
function createJumpDetector(clock: Clock): () => number {
  let offsetMs = clock.nowMs() - clock.monotonicMs();
  return () => {
    const nextMs = clock.nowMs() - clock.monotonicMs();
    const jumpMs = nextMs - offsetMs;
    offsetMs = nextMs;
    return Math.abs(jumpMs) > jumpToleranceMs ? jumpMs : 0;
  };
}

export interface SampleTimesOptions {
  readonly clock: Clock;
  readonly breakRates: () => void;
  readonly onJump: (jumpMs: number) => void;
}

export interface SampleTimes {
  /** Must be called before a request; the returned function records its answer with a monotonic time. */
  begin(): (record: (atMs: number) => void) => void;
}

export function createSampleTimes({ clock, breakRates, onJump }: SampleTimesOptions): SampleTimes {
  const clockJumpMs = createJumpDetector(clock);
  let jumps = 0;

  function lookForJump(): void {
    const jumpMs = clockJumpMs();
    if (jumpMs === 0) return;
    jumps += 1;
    breakRates();
    onJump(jumpMs);
  }

  return {
    begin() {
      lookForJump();
      const jumpsBefore = jumps;
      const beganMs = clock.monotonicMs();
      return (record) => {
        lookForJump();
        const atMs = clock.monotonicMs();
        record(atMs);
        // The counters may be from before the jump.
        if (jumps !== jumpsBefore || atMs - beganMs > maxReadingMs) breakRates();
      };
    },
  };
}

export interface RatePoint {
  readonly atMs: number;
  /** The rate, never negative; `undefined` for a missing counter, a restart or a gap. */
  readonly perSecond: number | undefined;
  /** The broker reported the rate; it was not measured here. */
  readonly isReported?: true | undefined;
  /** Something else was measured before: drawn as a gap, however short it is. */
  readonly isGap?: boolean | undefined;
}

export function rateBetween(previous: MetricSample, next: MetricSample, name: MetricName): number | undefined {
  const before = previous.metrics[name];
  const after = next.metrics[name];
  const elapsedMs = next.atMs - previous.atMs;
  if (before === undefined || after === undefined || elapsedMs <= 0) return undefined;
  if (next.isAfterReset === true || after < before || isGauge(name)) return undefined;
  return ((after - before) * 1_000) / elapsedMs;
}

export interface RateStep {
  /** The end of the step (monotonic). */
  readonly atMs: number;
  readonly parts: readonly RatePart[];
}

interface RatePart {
  readonly previous: MetricSample | undefined;
  readonly next: MetricSample;
}

export const isSameStep = (a: RateStep, b: RateStep): boolean =>
  a.parts.length === b.parts.length &&
  a.parts.every(({ previous, next }, at) => next === b.parts[at]?.next && previous === b.parts[at]?.previous);

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
 * Returns the steps of the broker's total, or else of each node, oldest first. The sum itself has no steps: it jumps
 * when a node comes or goes.
 */
export const clusterSteps = (history: MetricHistory): readonly RateStep[] => sumSteps(clusterSources(history));

/** Returns the samples that make up the cluster's: the broker's total, or those of each node. */
function clusterSources(history: MetricHistory): readonly (readonly MetricSample[])[] {
  const total = history.get(clusterTotal);
  if (total !== undefined) return [total];
  return [...history.values()]
    .map((samples) => samples.filter((sample) => sample.from !== 'node'))
    .filter((samples) => samples.length > 0);
}

function sumSteps(sources: readonly (readonly MetricSample[])[]): readonly RateStep[] {
  const [only] = sources;
  if (only !== undefined && sources.length === 1) return sourceSteps(only);
  const beginMs = Math.min(...sources.map((samples) => samples[0]?.atMs ?? Infinity));
  const byTime = new Map<number, RatePart[]>();
  for (const samples of sources) {
    for (const [index, next] of samples.entries()) {
      // The first sample ends no step; the first one of a later node ends a step of unknown rate.
      if (next.atMs === beginMs) continue;
      const part = { previous: samples[index - 1], next };
      const parts = byTime.get(next.atMs);
      if (parts === undefined) byTime.set(next.atMs, [part]);
      else parts.push(part);
    }
  }
  return [...byTime].map(([atMs, parts]) => ({ atMs, parts })).toSorted((a, b) => a.atMs - b.atMs);
}

export interface AverageStepsOptions {
  /** A node; `undefined` for the cluster. */
  readonly node?: NodeName | undefined;
  readonly stepMs: number;
  readonly windowMs: number;
}

/**
 * Returns steps of `stepMs` over the past and the last ten minutes, oldest first; the last step ends with the newest
 * sample.
 */
export function averageSteps(
  past: MetricHistory,
  recent: MetricHistory,
  { node, stepMs, windowMs }: AverageStepsOptions,
): readonly RateStep[] {
  const joined = new Map(past);
  for (const [source, samples] of recent) joined.set(source, [...(joined.get(source) ?? []), ...samples]);
  // A total from before the broker answered by node.
  if (recent.size > 0 && !recent.has(clusterTotal)) joined.delete(clusterTotal);
  const sources = node === undefined ? clusterSources(joined) : [joined.get(node) ?? []];
  const lastMs = Math.max(...sources.map((samples) => samples.at(-1)?.atMs ?? -Infinity));
  // One step more: the window begins within it.
  const shown = sources.map((samples) =>
    samples.slice(
      Math.max(
        0,
        samples.findIndex(({ atMs }) => atMs >= lastMs - windowMs - stepMs),
      ),
    ),
  );
  return sumSteps(sampleTogether(shown, stepMs).filter((samples) => samples.length > 0));
}

/**
 * Keeps samples of the same times from all sources, the first of each step and the last, so that they can be summed.
 */
function sampleTogether(
  sources: readonly (readonly MetricSample[])[],
  stepMs: number,
): readonly (readonly MetricSample[])[] {
  const times = [...new Set(sources.flatMap((samples) => samples.map(({ atMs }) => atMs)))].toSorted((a, b) => a - b);
  const stepOf = (atMs: number | undefined): number | undefined =>
    atMs === undefined ? undefined : Math.floor(atMs / stepMs);
  const kept = new Set(
    times.filter((atMs, index) => index === times.length - 1 || stepOf(atMs) !== stepOf(times[index - 1])),
  );
  return sources.map((samples) => {
    let isResetPending = false;
    return samples.flatMap((sample): readonly MetricSample[] => {
      const isReset = isResetPending || sample.isAfterReset === true;
      isResetPending = isReset && !kept.has(sample.atMs);
      return kept.has(sample.atMs) ? [withReset(sample, isReset)] : [];
    });
  });
}

/** Returns the rate over a step; `undefined` if any source has none. */
export function rateOver({ atMs, parts }: RateStep, name: MetricName): RatePoint {
  let sum: number | undefined = 0;
  for (const { previous, next } of parts) {
    const rate = previous === undefined ? undefined : rateBetween(previous, next, name);
    sum = sum === undefined || rate === undefined ? undefined : sum + rate;
  }
  return { atMs, perSecond: sum };
}
