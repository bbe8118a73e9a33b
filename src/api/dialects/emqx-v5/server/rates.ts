import type { MetricName, Metrics } from '../../../../domain/metrics.ts';
import type { WireRecord } from './answer.ts';

const sampleMs = 10_000;
const keptMs = 3_600_000;

const named: Readonly<Record<string, MetricName>> = {
  received: 'messages.received',
  sent: 'messages.sent',
  dropped: 'messages.dropped',
};

type ByNode<Value> = ReadonlyMap<string, Value>;

interface Sample {
  readonly counters: ByNode<Metrics>;
  readonly gauges: ByNode<WireRecord>;
  readonly atMs: number;
}

export interface RatesOptions {
  readonly readMetrics: () => Promise<ByNode<Metrics>>;
  readonly readGauges: () => Promise<ByNode<WireRecord>>;
  /** Adds up the gauges of nodes. */
  readonly sum: (gauges: readonly WireRecord[]) => WireRecord;
}

export interface Rates {
  /** Returns whole messages per second in the last sample, of one node or of all. */
  read(node: string | undefined): WireRecord;
  /** Returns the messages and gauges of each sample of the last seconds, oldest first. */
  history(node: string | undefined, seconds: number): readonly WireRecord[];
  close(): void;
}

/** Samples the counters every ten seconds, as real brokers do; rates are 0 until there are two samples. */
export function createRates({ readMetrics, readGauges, sum }: RatesOptions): Rates {
  let samples: readonly Sample[] = [];
  const sample = async (): Promise<void> => {
    try {
      const [counters, gauges] = await Promise.all([readMetrics(), readGauges()]);
      const atMs = Date.now();
      samples = [...samples.filter((each) => each.atMs > atMs - keptMs), { counters, gauges, atMs }];
    } catch {
      // The next sample may succeed.
    }
  };
  void sample();
  const timer = setInterval(() => void sample(), sampleMs).unref();
  const countOf = (before: Sample, last: Sample, metric: MetricName, node: string | undefined): number =>
    (node === undefined ? [...last.counters.keys()] : [node]).reduce(
      (total, name) =>
        total + Math.max(0, (last.counters.get(name)?.[metric] ?? 0) - (before.counters.get(name)?.[metric] ?? 0)),
      0,
    );
  return {
    read(node) {
      const [before, last] = [samples.at(-2), samples.at(-1)];
      const rateOf = (metric: MetricName): number =>
        before === undefined || last === undefined
          ? 0
          : Math.round(countOf(before, last, metric, node) / ((last.atMs - before.atMs) / 1000));
      return Object.fromEntries(Object.entries(named).map(([name, metric]) => [`${name}_msg_rate`, rateOf(metric)]));
    },
    history: (node, seconds) =>
      samples.flatMap((last, index) => {
        const before = samples[index - 1];
        if (before === undefined || last.atMs < Date.now() - seconds * 1000) return [];
        const gauges = node === undefined ? [...last.gauges.values()] : [last.gauges.get(node) ?? {}];
        const counts = Object.entries(named).map(([name, metric]) => [name, countOf(before, last, metric, node)]);
        return [{ ...sum(gauges), ...Object.fromEntries(counts), time_stamp: last.atMs }];
      }),
    close: () => clearInterval(timer),
  };
}
