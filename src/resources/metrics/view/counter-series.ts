import type { MetricName } from '../../../domain/metrics.ts';
import type { NodeName } from '../../../domain/node.ts';
import { averageRate } from '../../../domain/rates.ts';
import { reading } from '../../../monitor/query/part.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { queueDropSeconds, type QueueDropsView } from '../../../triage/view.ts';
import type { NamedCommand } from '../../../tui/keys/key-stack.ts';
import { type Drops, dropsIn, queueDropSeries } from '../../sessions/queue-drops.ts';
import { selectMetric, type Total } from '../../statistics/select.ts';
import { isGauge, type RatePoint, thinningTiers } from '../history.ts';
import { type RateWindow, selectRateWindow } from '../rate-window.ts';
import {
  maxStepMs,
  selectAverageSeries,
  selectCurrentRate,
  selectGaugeSeries,
  selectMetricInterval,
  selectMetricSource,
  selectRateSeries,
  withReported,
} from '../rates.ts';
import { metricHistory, metricPast } from '../resource.ts';
import { metricsTexts } from '../texts.ts';

/** Names what the sessions' queues lost: no counter of the broker, but the sum of what its sessions report. */
export const queueDropsName = 'queue drops';

export type CounterName = MetricName | typeof queueDropsName;

const queueDropsCounter = 'delivery.dropped.queue_full' satisfies MetricName;

/** Whether the broker counts what its queues lose, which is cheaper than reading all sessions. */
export const countsQueueDrops = (state: MonitorState, node: NodeName | undefined): boolean =>
  selectMetric(state, queueDropsCounter, node).value !== undefined;

/** Returns what queues lose now: as the broker counts it, or else as its sessions do. */
export const queueDropsNow = (
  state: MonitorState,
  drops: QueueDropsView | undefined,
  isStale: boolean,
): Pick<Drops, 'perSecond' | 'isMin'> | undefined => {
  if (!countsQueueDrops(state, undefined)) return drops?.current?.cluster;
  const perSecond = isStale
    ? undefined
    : selectCurrentRate(selectRateSeries(state, queueDropsCounter), state.intervalSeconds);
  return perSecond === undefined ? undefined : { perSecond, isMin: false };
};

/** Whether a value rises and falls, instead of counting events. */
export const isGaugeCounter = (name: CounterName): boolean => name !== queueDropsName && isGauge(name);

export interface GraphWindow {
  readonly name: SafeText;
  readonly seconds: number;
  /** The time between the samples of the window; 0 for all of them. */
  readonly stepMs: number;
  readonly stepName: SafeText;
}

const [tenSeconds, halfMinute, fiveMinutes] = thinningTiers;

/** Windows of graphs. Each shows steps of one length, so that its older part looks like its newer one. */
export const graphWindows: readonly [GraphWindow, ...GraphWindow[]] = [
  { name: safe`3 min`, seconds: 180, stepMs: 0, stepName: safe`` },
  { name: safe`15 min`, seconds: tenSeconds.maxAgeMs / 1_000, stepMs: tenSeconds.stepMs, stepName: safe`10 s` },
  { name: safe`1 h`, seconds: halfMinute.maxAgeMs / 1_000, stepMs: halfMinute.stepMs, stepName: safe`30 s` },
  { name: safe`24 h`, seconds: fiveMinutes.maxAgeMs / 1_000, stepMs: fiveMinutes.stepMs, stepName: safe`5 min` },
];

export const windowKey = 'metrics';

/** Returns the commands of the palette, on Metrics and elsewhere. */
export const windowCommands = (choose: (index: number) => void): readonly NamedCommand[] =>
  graphWindows.map(({ name }, index) => ({
    name: metricsTexts.windowCommand(name),
    group: 'Screens',
    aliases: ['window', 'time window', name.replace(' ', '')],
    run: () => {
      choose(index);
    },
  }));

/** Returns seconds since the first sample of any node. */
export function historySeconds(state: MonitorState): number {
  const history = reading(state, metricHistory);
  const firsts = [...reading(state, metricPast).values(), ...history.values()].map(
    (samples) => samples[0]?.atMs ?? Number.POSITIVE_INFINITY,
  );
  const lasts = [...history.values()].map((samples) => samples.at(-1)?.atMs ?? 0);
  return Math.max(0, Math.max(0, ...lasts) - Math.min(Number.POSITIVE_INFINITY, ...firsts)) / 1_000;
}

/** Returns a window with the steps that suit the history: a young one shows as much detail as in a shorter window. */
export function windowFor(chosen: GraphWindow, state: MonitorState): GraphWindow {
  const shown = Math.min(chosen.seconds, historySeconds(state));
  const { stepMs, stepName } = graphWindows.find(({ seconds }) => seconds >= shown) ?? chosen;
  return { ...chosen, stepMs, stepName };
}

/** Rates of the cluster or of one node in a window, or the values of a gauge. */
export interface CounterSeries {
  readonly points: readonly RatePoint[];
  /**
   * The present value. A rate is averaged as those of problems are, so that nodes that are read at other times add up
   * to the cluster; `undefined` if unknown.
   */
  readonly now: number | undefined;
  /** `now` is a lower bound. */
  readonly isMin?: boolean | undefined;
  /** Seconds between two readings. */
  readonly intervalSeconds: number;
  /** Seconds since the newest values, once they are stale. */
  readonly silentSeconds: number;
}

export interface CounterSource {
  readonly state: MonitorState;
  readonly drops: QueueDropsView;
  readonly window: GraphWindow;
  readonly nowMs: number;
}

/** Returns the points of a counter, which are the same in the graph and in the list. */
export const counterSeries = (
  { state, drops, window: { seconds, stepMs }, nowMs }: CounterSource,
  name: CounterName,
  node: NodeName | undefined,
): CounterSeries => {
  if (name === queueDropsName) {
    const now = drops.current && dropsIn(drops.current, node);
    return {
      points: queueDropSeries(drops.readings, node),
      now: now?.perSecond,
      isMin: now?.isMin,
      intervalSeconds: queueDropSeconds(state),
      silentSeconds: drops.silentSeconds,
    };
  }
  const { hasData, isStale, ageSeconds } = selectMetricSource(state, node, nowMs);
  const intervalSeconds = selectMetricInterval(state, node);
  const shared = { intervalSeconds, silentSeconds: isStale ? (ageSeconds ?? 0) : 0 };
  const isKnown = hasData && !isStale;
  if (isGauge(name)) {
    const points = selectGaugeSeries(state, name, { node, windowMs: seconds * 1_000 });
    return { ...shared, points, now: isKnown ? points.at(-1)?.perSecond : undefined };
  }
  const recent = selectRateSeries(state, name, node);
  const measured =
    stepMs === 0 ? recent : selectAverageSeries(state, name, { node, stepMs, windowMs: seconds * 1_000 });
  return {
    ...shared,
    points: node === undefined ? withReported(state, name, measured) : measured,
    now: isKnown ? (averageRate(recent)?.perSecond ?? selectCurrentRate(recent, intervalSeconds)) : undefined,
  };
};

/** Returns the value of a counter; of queue drops what the present sessions lost. */
export const counterTotal = (
  state: MonitorState,
  drops: QueueDropsView,
  name: CounterName,
  node: NodeName | undefined,
): Total => {
  if (name !== queueDropsName) return selectMetric(state, name, node);
  const known = drops.current && dropsIn(drops.current, node);
  return { value: known?.total, missingNodes: [], isMin: known?.isMin };
};

export interface WindowSize {
  /** The number of values to show, and of those in one cell. */
  readonly count: number;
  readonly perCell: number;
  /** The start of the history that several series share. */
  readonly sinceMs?: number | undefined;
}

/** The longest time between two readings of which an average is known. */
export const longestStepMs = (intervalSeconds: number, stepMs: number): number =>
  Math.max(maxStepMs(intervalSeconds), 2 * stepMs);

/** Returns a counter's values in a window, and their peak: the same for the list and for the graph. */
export const counterWindow = (
  name: CounterName,
  { seconds, stepMs }: GraphWindow,
  { points, intervalSeconds, silentSeconds }: Omit<CounterSeries, 'now'>,
  size: WindowSize,
): RateWindow =>
  selectRateWindow(points, {
    ...size,
    maxSeconds: seconds,
    nowMs: (points.at(-1)?.atMs ?? 0) + silentSeconds * 1_000,
    maxStepMs: longestStepMs(intervalSeconds, stepMs),
    isGauge: isGaugeCounter(name),
  });
