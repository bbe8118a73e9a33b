import type { MetricName } from '../domain/metric.ts';
import type { NodeName } from '../domain/node.ts';
import { clusterSteps, rateOver, sourceSteps } from './rates.ts';
import type { RatePoint, RateStep } from './rates.ts';
import type { MetricHistory, MonitorState } from './state.ts';

/** The steps of one history; gone with it. */
const stepsOfHistory = new WeakMap<MetricHistory, Map<NodeName | undefined, readonly RateStep[]>>();

interface Series {
  readonly steps: readonly RateStep[];
  /** One for each step. */
  readonly points: readonly RatePoint[];
}

/** Series by the last step of their history. With the next step they are taken on, and added to. */
const seriesUntil = new WeakMap<RateStep, Map<MetricName, Series>>();

const noPoints: readonly RatePoint[] = [];

/**
 * Rate of a counter over all steps that are remembered, oldest first: of one node, or of the cluster when
 * `node` is `undefined`. A step that does not tell has `perSecond` undefined. The same array while the
 * history is the same.
 */
export function selectRateSeries({ metricHistory }: Pick<MonitorState, 'metricHistory'>, name: MetricName, node?: NodeName | undefined): readonly RatePoint[] {
  const steps = selectSteps(metricHistory, node);
  const [before, last] = [steps.at(-2), steps.at(-1)];
  if (last === undefined) return noPoints;
  let known = seriesUntil.get(last);
  if (known === undefined) {
    known = (before === undefined ? undefined : seriesUntil.get(before)) ?? new Map();
    if (before !== undefined) seriesUntil.delete(before);
    seriesUntil.set(last, known);
  }
  const series = follow(known.get(name), steps, name);
  known.set(name, series);
  return series.points;
}

function selectSteps(history: MetricHistory, node: NodeName | undefined): readonly RateStep[] {
  let known = stepsOfHistory.get(history);
  if (known === undefined) {
    known = new Map();
    stepsOfHistory.set(history, known);
  }
  let steps = known.get(node);
  if (steps === undefined) {
    steps = node === undefined ? clusterSteps(history) : sourceSteps(history.get(node) ?? []);
    known.set(node, steps);
  }
  return steps;
}

/** The series of these steps; of steps that it had before only their points are taken. */
function follow(before: Series | undefined, steps: readonly RateStep[], name: MetricName): Series {
  if (before?.steps === steps) return before;
  const [first] = steps;
  const from = before === undefined || first === undefined ? -1 : before.steps.indexOf(first);
  if (before === undefined || from === -1) return { steps, points: steps.map((step) => rateOver(step, name)) };
  const { steps: stepsBefore, points: pointsBefore } = before;
  const points = pointsBefore.slice(from, from + steps.length);
  // What changed is nearly always the end alone.
  for (let at = 0; at < steps.length; at += 1) {
    const step = steps[at];
    if (step !== undefined && step !== stepsBefore[from + at]) points[at] = rateOver(step, name);
  }
  return { steps, points };
}

/** Rate of the last step per second; `undefined` when it is not known. */
export function selectRate(state: MonitorState, name: MetricName, node?: NodeName | undefined): number | undefined {
  return selectRateSeries(state, name, node).at(-1)?.perSecond;
}
