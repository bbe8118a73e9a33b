import type { MetricName } from '../domain/metric.ts';
import type { NodeName } from '../domain/node.ts';
import { clusterRateSeries, rateSeries } from './rates.ts';
import type { RatePoint } from './rates.ts';
import type { MetricHistory, MonitorState } from './state.ts';

/** Series worked out for one history; gone with it. */
const known = new WeakMap<MetricHistory, Map<string, readonly RatePoint[]>>();

/**
 * Rate of a counter over the last `points` steps, oldest first: of one node, or of the cluster when
 * `node` is `undefined`. A step that does not tell has `perSecond` undefined. The same array while the
 * history is the same.
 */
export function selectRateSeries(
  state: MonitorState, name: MetricName, node?: NodeName | undefined, points = 600,
): readonly RatePoint[] {
  const { metricHistory } = state;
  let series = known.get(metricHistory);
  if (series === undefined) {
    series = new Map();
    known.set(metricHistory, series);
  }
  const key = JSON.stringify([name, node, points]);
  let result = series.get(key);
  if (result === undefined) {
    result = node === undefined
      ? clusterRateSeries(metricHistory, name, points)
      : rateSeries(metricHistory.get(node) ?? [], name, points);
    series.set(key, result);
  }
  return result;
}

/** Rate of the last step per second; `undefined` when it is not known. */
export function selectRate(state: MonitorState, name: MetricName, node?: NodeName | undefined): number | undefined {
  return selectRateSeries(state, name, node, 1).at(-1)?.perSecond;
}
