import type { MetricName, Metrics } from '../../../../domain/metrics.ts';
import type { WireRecord } from './answer.ts';

const sampleMs = 10_000;

const named: Readonly<Record<string, MetricName>> = {
  received_msg_rate: 'messages.received',
  sent_msg_rate: 'messages.sent',
  dropped_msg_rate: 'messages.dropped',
};

type ByNode = ReadonlyMap<string, Metrics>;

interface Sample {
  readonly nodes: ByNode;
  readonly atMs: number;
}

export interface Rates {
  /** Returns whole messages per second in the last sample, of one node or of all. */
  read(node: string | undefined): WireRecord;
  close(): void;
}

/** Samples the counters every ten seconds, as real brokers do; rates are 0 until there are two samples. */
export function createRates(readMetrics: () => Promise<ByNode>): Rates {
  let [before, last]: readonly (Sample | undefined)[] = [];
  const sample = async (): Promise<void> => {
    try {
      const nodes = await readMetrics();
      [before, last] = [last, { nodes, atMs: performance.now() }];
    } catch {
      // The next sample may succeed.
    }
  };
  void sample();
  const timer = setInterval(() => void sample(), sampleMs).unref();
  const rateOf = (metric: MetricName, node: string | undefined): number => {
    if (before === undefined || last === undefined) return 0;
    const { nodes: earlier, atMs } = before;
    const seconds = (last.atMs - atMs) / 1000;
    const names = node === undefined ? [...last.nodes.keys()] : [node];
    const sum = names.reduce(
      (total, name) => total + Math.max(0, (last?.nodes.get(name)?.[metric] ?? 0) - (earlier.get(name)?.[metric] ?? 0)),
      0,
    );
    return Math.round(sum / seconds);
  };
  return {
    read: (node) => Object.fromEntries(Object.entries(named).map(([rate, metric]) => [rate, rateOf(metric, node)])),
    close: () => clearInterval(timer),
  };
}
