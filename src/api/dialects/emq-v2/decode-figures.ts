import { type MetricName, metricNames, type Metrics, type Stat, type StatName, statNames, type Stats } from '../../../domain/metrics.ts';
import type { ByNode, ClusterFigures } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import { ShapeError } from './records.ts';

/** What counts something is neither negative nor beyond the 64 bits that brokers count with: anything else is not known. */
function figure(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 2 ** 64 ? value : undefined;
}

/** What the wire calls a counter (§2.10): `messages/dropped` for `messages.dropped`. */
export const wireMetric = (name: MetricName): string => name.replaceAll('.', '/');

/** Counters of one node, or of the cluster (§2.10). @throws ShapeError */
export function decodeMetrics(result: unknown): Metrics {
  if (!isObject(result)) throw new ShapeError('metrics: not an object');
  const metrics: Partial<Record<MetricName, number>> = {};
  for (const name of metricNames) {
    const value = figure(result[wireMetric(name)]);
    if (value !== undefined) metrics[name] = value;
  }
  if (Object.keys(metrics).length === 0) throw new ShapeError('metrics: none of the known counters');
  return metrics;
}

function isStatName(name: string): name is StatName {
  return statNames.some((known) => known === name);
}

/** Counts of one node (§2.11). @throws ShapeError */
export function decodeStats(result: unknown): Stats {
  if (!isObject(result)) throw new ShapeError('statistics: not an object');
  if (!Object.keys(result).some((key) => isStatName(key.split('/')[0] ?? ''))) {
    throw new ShapeError('statistics: none of the known counts');
  }
  const read = (name: StatName): Stat => ({ count: figure(result[`${name}/count`]), max: figure(result[`${name}/max`]) });
  return {
    clients: read('clients'),
    sessions: read('sessions'),
    subscribers: read('subscribers'),
    subscriptions: read('subscriptions'),
    topics: read('topics'),
    routes: read('routes'),
    retained: read('retained'),
  };
}

/**
 * What a cluster-wide answer holds by key, whatever its shape: an object by node, an array of
 * single-key objects, an array of one many-key object (field notes, "Values").
 * @throws ShapeError
 */
export function entriesOf(result: unknown, what: string): readonly (readonly [string, unknown])[] {
  const objects: readonly unknown[] = Array.isArray(result) ? result : [result];
  return objects.flatMap((part) => {
    if (!isObject(part)) throw new ShapeError(`${what}: neither an object by node nor a list of them`);
    return Object.entries(part);
  });
}

/**
 * Reads a cluster-wide answer node by node. A node whose part cannot be read is left out, so that
 * one broken node does not hide the others; when none can be read the shape is wrong.
 * @throws ShapeError
 */
export function decodeByNode<T>(result: unknown, what: string, decode: (part: unknown) => T): ByNode<T> {
  const entries = entriesOf(result, what);
  const nodes = new Map<string, T>();
  let failure: ShapeError | undefined;
  for (const [node, part] of entries) {
    try {
      nodes.set(node, decode(part));
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      failure = error;
    }
  }
  if (nodes.size === 0 && failure) throw failure;
  return nodes;
}

/** Whether a cluster-wide metrics answer is one flat object of counters (Variant B, §4.1). */
export function isFlatMetrics(result: unknown): boolean {
  const names: ReadonlySet<string> = new Set(metricNames.map(wireMetric));
  return entriesOf(result, 'metrics').some(([key, value]) => names.has(key) && !isObject(value));
}

/** `monitoring/metrics` in every shape (§4.1). @throws ShapeError */
export function decodeClusterMetrics(result: unknown): ClusterFigures<Metrics> {
  if (isFlatMetrics(result)) {
    return { kind: 'total', total: decodeMetrics(Object.fromEntries(entriesOf(result, 'metrics'))) };
  }
  return { kind: 'by-node', nodes: decodeByNode(result, 'metrics', decodeMetrics) };
}
