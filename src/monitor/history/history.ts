import { metricNames, type Metrics } from '../../domain/metrics.ts';
import type { ClusterFigures, NodeName } from '../../domain/node.ts';
import { type Clock, createJumpDetector } from '../clock.ts';
import { clusterTotal, type MetricHistory, type MetricSample } from '../state.ts';

const maxAgeMs = 10 * 60_000;
const maxSamples = 600;

type Source = NodeName | typeof clusterTotal;

/** Keeps the samples of the last ten minutes, at most 600 per source. */
export interface HistoryRecorder {
  /** Records an answer about all nodes. A node that is missing has a reset when it comes back. */
  recordCluster(figures: ClusterFigures<Metrics>, atMs: number): MetricHistory;
  /** An answer about one node. */
  recordNode(node: NodeName, metrics: Metrics, atMs: number): MetricHistory;
  /** The set of nodes behind the cluster total changed: no rate over the steps on both sides. */
  breakTotal(): MetricHistory;
  /** No rate across this moment. */
  breakAll(): void;
}

/** Whether a metric may fall without a restart. */
export const isGauge = (name: keyof Metrics): boolean => name === 'messages.retained';

/** Whether a counter went backwards, so that the node restarted between the two. */
export function isRestart(previous: Metrics, next: Metrics): boolean {
  return metricNames.some((name) => {
    const before = previous[name];
    const after = next[name];
    return before !== undefined && after !== undefined && after < before && !isGauge(name);
  });
}

export function createHistory(): HistoryRecorder {
  let history: MetricHistory = new Map();
  const broken = new Set<Source>();
  let clusterNodes: readonly NodeName[] = [];

  function append(into: Map<Source, readonly MetricSample[]>, source: Source, sample: MetricSample): void {
    const samples = into.get(source) ?? [];
    const last = samples.at(-1);
    const isAfterReset = broken.delete(source) || (last !== undefined && isRestart(last.metrics, sample.metrics));
    into.set(source, [...samples, isAfterReset ? { ...sample, isAfterReset } : sample]);
  }

  function commit(next: Map<Source, readonly MetricSample[]>, nowMs: number): MetricHistory {
    for (const [source, samples] of next) {
      const recent = samples.findIndex((sample) => sample.atMs > nowMs - maxAgeMs);
      const from = Math.max(recent === -1 ? samples.length : recent, samples.length - maxSamples);
      if (from >= samples.length) {
        next.delete(source);
        broken.delete(source);
      } else if (from > 0) next.set(source, samples.slice(from));
    }
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
  };
}

/** A longer reading was delayed on this machine: the time of its figures is unknown. */
const maxReadingMs = 10_000;

export interface SampleTimesOptions {
  readonly clock: Clock;
  /** Called when no rate across this moment is valid. */
  readonly breakRates: () => void;
  /** The wall clock jumped against the monotonic one. */
  readonly onJump: (jumpMs: number) => void;
}

export interface SampleTimes {
  /** Called as a reading begins; the returned function records its figures with a time on the monotonic clock. */
  begin(): (record: (atMs: number) => void) => void;
}

/** Times samples, and breaks rates across a suspended machine or a stopped process. */
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
        // The figures may be from before the jump: the length of the next step is unknown.
        if (jumps !== jumpsBefore || atMs - beganMs > maxReadingMs) breakRates();
      };
    },
  };
}
