import type { MetricName } from '../../domain/metric.ts';
import type { NodeName } from '../../domain/node.ts';
import { clusterSteps, isSameStep, rateOver, sourceSteps } from '../history/rates.ts';
import type { RatePoint, RateStep } from '../history/rates.ts';
import type { MetricHistory, MonitorState } from '../state.ts';

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
    rates = takeOn(previous.rates.get(node), node === undefined ? clusterSteps(metricHistory) : sourceSteps(metricHistory.get(node) ?? []));
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

function takeOn(before: Rates | undefined, steps: readonly RateStep[]): Rates {
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
