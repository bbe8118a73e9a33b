import { clockMark, endMark, timeMark } from '../../../tui/components/time-mark.ts';
import type { MetricName } from '../../../domain/metrics.ts';
import { averageRate } from '../../../domain/rates.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { ageSeconds, mayBeAnswered, selectFreshness } from '../../freshness.ts';
import type { RatePoint } from '../history.ts';
import { highestBetween, type RateWindow, selectRateWindow } from '../rate-window.ts';
import { maxStepMs, reportedUntil, selectCurrentRate, selectRateSeries, withReported } from '../rates.ts';
import { ratesTexts, trafficTexts } from '../texts.ts';
import { cellAt, cellTime, type GraphCell, graphRow, type GraphTimes } from './graph-cursor.ts';
import { queueDropsNow } from './counter-series.ts';
import type { Drops } from '../../sessions/queue-drops.ts';
import { areaGraph, niceMax, valuesPerCell } from '../../../terminal/area-graph.ts';
import { formatCountIn, formatRate, formatShort, loadingText, unknownText } from '../../../terminal/format.ts';
import { rule } from '../../../terminal/glyphs.ts';
import { type Span, spansWidth } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, padText, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { QueueDropsView } from '../../../triage/view.ts';
import { asStale, fitSpans, type SpanRow } from '../../../tui/components/blocks.ts';
import { hueAt, hues } from '../../../tui/components/hues.ts';
import { panelFrame, panelRows } from '../../../tui/components/panel.ts';

export interface TrafficSeries {
  readonly series: (name: MetricName) => readonly RatePoint[];
  /** Returns the points of the graph, which may begin before the series. */
  readonly graph?: ((name: MetricName) => readonly RatePoint[]) | undefined;
  readonly intervalSeconds: number;
  /** Seconds since the newest values, once they are stale. */
  readonly silentSeconds: number;
  readonly isLoading: boolean;
  /** Returns rates averaged as in the problems about them; current ones by default. */
  readonly averages?: ((name: MetricName) => number | undefined) | undefined;
  /** The rate at which full queues lose messages; `undefined` where it is not shown. */
  readonly queueDrops?:
    | {
        readonly now: Pick<Drops, 'perSecond' | 'isMin'> | undefined;
        readonly isLoading: boolean;
        /** There were some before. */ readonly isOld: boolean;
      }
    | undefined;
  /** The place of the cursor; monotonic. */
  readonly cursorMs?: number | undefined;
}

const windowSeconds = 180;

/** Returns the messages of the cluster. @param drops what queues lose, where that is shown */
export const trafficView = (
  state: MonitorState,
  drops: QueueDropsView | undefined,
  isStale: boolean,
  nowMs: number,
): TrafficSeries => ({
  series: (name) => selectRateSeries(state, name),
  graph: (name) => withReported(state, name, selectRateSeries(state, name)),
  intervalSeconds: state.intervalSeconds,
  silentSeconds: isStale ? (ageSeconds(state, 'metrics', nowMs) ?? 0) : 0,
  isLoading: mayBeAnswered(state, 'metrics'),
  averages: (name) => averageRate(selectRateSeries(state, name))?.perSecond,
  queueDrops: drops && {
    now: queueDropsNow(state, drops, isStale),
    isLoading: drops.isLoading,
    isOld: drops.readings.length > 0,
  },
});

/** The width of `1,200 ┤`. */
export const axisWidth = 7;

const windowOf = (
  theme: Theme,
  width: number,
  view: TrafficSeries,
  name: MetricName,
): RateWindow & { readonly nowMs: number } => {
  const points = (view.graph ?? view.series)(name);
  const perCell = valuesPerCell(theme.charset);
  const nowMs = (points.at(-1)?.atMs ?? 0) + view.silentSeconds * 1_000;
  const window = selectRateWindow(points, {
    count: width * perCell,
    perCell,
    maxSeconds: windowSeconds,
    nowMs,
    maxStepMs: maxStepMs(view.intervalSeconds),
  });
  return { ...window, nowMs };
};

/** Writes the time that the graph shows, and the age of its values once they are stale. */
export const trafficNote = (theme: Theme, view: TrafficSeries): SafeText | undefined =>
  view.series('messages.received').length === 0
    ? undefined
    : ratesTexts.title({
        ageSeconds: view.silentSeconds,
        ...shownSpan(theme, view),
        hasPeak: false,
        isAveraged: view.averages !== undefined && view.cursorMs === undefined,
      });

/** Returns how long the graph is, and until when it shows what the broker had recorded. */
const shownSpan = (
  theme: Theme,
  view: TrafficSeries,
): { readonly seconds: number; readonly reportedBefore: SafeText | undefined } => {
  const { seconds, nowMs } = windowOf(theme, 1, view, 'messages.received');
  const secondsAgo = reportedUntil((view.graph ?? view.series)('messages.received'), seconds, nowMs);
  return { seconds, reportedBefore: secondsAgo === undefined ? undefined : clockMark(secondsAgo) };
};

/** Writes losses of queues. A rate needs two readings of a session; one that was known before is not measured now. */
const dropsText = ({ now, isLoading, isOld }: NonNullable<TrafficSeries['queueDrops']>): SafeText => {
  if (now === undefined) return isLoading ? loadingText : isOld ? unknownText : trafficTexts.dropsUnmeasured;
  if (!now.isMin) return formatRate(now.perSecond);
  return safe`≥${formatRate(now.perSecond)}`;
};

/** Writes the time under the cursor, and what was measured then. */
const legendAt = (view: TrafficSeries, cursor: GraphCell): SpanRow => {
  const rate = (name: MetricName): number | undefined =>
    highestBetween((view.graph ?? view.series)(name), cursor.fromMs, cursor.toMs, {
      maxStepMs: maxStepMs(view.intervalSeconds),
    });
  const unrouted = rate('messages.dropped') ?? 0;
  return [
    { text: safe`${cellTime(cursor)}  `, role: 'accent' },
    ...figure(safe`in`, 'in', formatRate(rate('messages.received'))),
    ...figure(safe`out`, 'out', formatRate(rate('messages.sent'))),
    ...(unrouted <= 0
      ? []
      : [{ text: safe`${trafficTexts.unrouted} ${fit(formatRate(unrouted), 8)}`, role: 'warning' } as const]),
  ];
};

const figure = (label: SafeText, role: Role, value: SafeText): SpanRow => [
  { text: label, role },
  { text: safe` ${fit(value, 8)}`, role: 'title' },
];

/** Writes what is most important first; what does not fit is left out. */
const legend = (width: number, view: TrafficSeries): SpanRow => {
  const rate = (name: MetricName): number | undefined =>
    view.silentSeconds > 0 ? undefined : selectCurrentRate(view.series(name), view.intervalSeconds);
  const average = (name: MetricName): number | undefined =>
    view.silentSeconds > 0 ? undefined : (view.averages?.(name) ?? rate(name));
  const text = (name: MetricName): SafeText =>
    view.series(name).length === 0 && view.isLoading ? loadingText : formatRate(average(name));
  const [averageIn, averageOut, unrouted] = [
    average('messages.received'),
    average('messages.sent'),
    average('messages.dropped'),
  ];
  const fanOut =
    averageIn === undefined || averageOut === undefined || averageIn <= 0 ? undefined : averageOut / averageIn;
  const { queueDrops } = view;
  const isLosing = (queueDrops?.now?.perSecond ?? 0) > 0;
  const parts: readonly SpanRow[] = [
    figure(safe`in`, 'in', text('messages.received')),
    figure(safe`out`, 'out', text('messages.sent')),
    ...(queueDrops === undefined
      ? []
      : [
          [
            { text: safe`${trafficTexts.queueDrops} `, role: isLosing ? 'warning' : 'dim' },
            { text: safe`${padText(safe`${dropsText(queueDrops)} `, 9)} `, role: isLosing ? 'warning' : 'normal' },
          ] as const,
        ]),
    ...(unrouted === undefined || unrouted <= 0
      ? []
      : [[{ text: safe`${trafficTexts.unrouted} ${fit(formatRate(unrouted), 8)}`, role: 'warning' }] as const]),
    ...(fanOut === undefined
      ? []
      : [[{ text: safe`${trafficTexts.fanOut} ${formatShort(fanOut)}`, role: 'dim' }] as const]),
  ];
  let used = 0;
  return parts
    .filter((part, index) => {
      const isShown = index < 2 || used + spansWidth(part) <= width;
      if (isShown) used += spansWidth(part);
      return isShown;
    })
    .flat();
};

/** Draws the scale at the left of a graph. */
export const axis = (max: number | undefined, sign: SafeText): Span => ({
  text: fit(
    max === undefined
      ? safe`${sign}`
      : safe`${Number.isInteger(max) ? formatCountIn(max, axisWidth - 2) : formatShort(max)} ${sign}`,
    axisWidth,
    'right',
  ),
  role: 'dim',
});

/** Below this width only the first time fits. */
const minMarksWidth = 30;

/**
 * Writes times at thirds of the graph's width: `3 min ─── 2 min ─── 1 min ─── now`, from 15 minutes on clock times; none
 * without a graph.
 */
export const timeAxis = (width: number, seconds: number | undefined): SpanRow => {
  if (seconds === undefined) return [axis(undefined, safe`┼`), { text: rule(width), role: 'dim' }];
  const shares = width < minMarksWidth ? [1] : [1, 2 / 3, 1 / 3];
  const marks = shares.map((share) => timeMark(seconds * share, seconds));
  const part = Math.floor(width / marks.length);
  const end = endMark();
  const parts = marks.map((mark, index) => {
    const room = index === marks.length - 1 ? width - (marks.length - 1) * part - 1 - widthOf(end) : part;
    // Without a blank, the axis would look like a minus sign.
    const lead = index === 0 ? safe` ` : safe``;
    return safe`${lead}${mark} ${rule(room - widthOf(mark) - 1 - widthOf(lead))}`;
  });
  return [
    axis(undefined, safe`┼`),
    ...parts.map((text) => ({ text, role: 'dim' }) as const),
    { text: safe` ${end}`, role: 'dim' },
  ];
};

/** Draws half of the graph: messages in upwards, or messages out downwards. `seconds`: the time that it shows. */
const halfRows = (
  theme: Theme,
  width: number,
  height: number,
  hue: 'in' | 'out',
  view: TrafficSeries,
  cursor: GraphCell | undefined,
): { readonly rows: readonly SpanRow[]; readonly seconds: number } => {
  const { values, peak, seconds } = windowOf(theme, width, view, hue === 'in' ? 'messages.received' : 'messages.sent');
  const direction = hue === 'in' ? 'up' : 'down';
  const max = peak === undefined ? undefined : niceMax(peak);
  const rows: SpanRow[] = [];
  for (const [row, text] of areaGraph({
    values,
    max: max ?? 1,
    width,
    rows: height,
    direction,
    charset: theme.charset,
  }).entries()) {
    const distance = direction === 'up' ? height - 1 - row : row;
    const scale: Span = distance === height - 1 ? { ...axis(max, safe`┤`), role: hue } : axis(undefined, safe`│`);
    rows.push([scale, ...graphRow(text, hueAt(hues[hue], distance, height), cursor)]);
  }
  return { rows, seconds };
};

/** Returns the times of the graph that `trafficRows` draws; `undefined` where it draws none. */
export const trafficTimes = (
  theme: Theme,
  width: number,
  height: number,
  view: TrafficSeries,
): GraphTimes | undefined => {
  if (!hasGraph(width, height) || view.series('messages.received').length === 0) return undefined;
  const cells = width - axisWidth;
  const { beginMs, cellMs } = windowOf(theme, cells, view, 'messages.received');
  return { beginMs, cellMs, cells };
};

// The time axis goes first where lines are few.
const hasTimeAxis = (height: number): boolean => height > 3;

const graphRowsIn = (height: number): number => height - (hasTimeAxis(height) ? 2 : 1);

const hasGraph = (width: number, height: number): boolean => graphRowsIn(height) >= 2 && width >= axisWidth + 24;

/** Draws messages in above one time axis and messages out below it, on one scale each, in exactly `height` rows. */
export const trafficRows = (theme: Theme, width: number, height: number, view: TrafficSeries): readonly SpanRow[] => {
  const shown = trafficTimes(theme, width, height, view);
  const cursor = shown && cellAt(shown, view.cursorMs);
  const first: SpanRow = [
    { text: safe` ` },
    ...fitSpans(cursor === undefined ? legend(width - 1, view) : legendAt(view, cursor), width - 1),
  ];
  const hasTimes = hasTimeAxis(height);
  const graphRows = graphRowsIn(height);
  if (!hasGraph(width, height)) return [first].slice(0, height);
  const graphWidth = width - axisWidth;
  const up = Math.ceil(graphRows / 2);
  const received = halfRows(theme, graphWidth, up, 'in', view, cursor);
  const sent = halfRows(theme, graphWidth, graphRows - up, 'out', view, cursor);
  const times = timeAxis(graphWidth, view.series('messages.received').length === 0 ? undefined : received.seconds);
  return [first, ...received.rows, ...(hasTimes ? [times] : []), ...sent.rows];
};

export const hasMessageRates = (state: MonitorState): boolean =>
  selectRateSeries(state, 'messages.received').length > 0;

/** Draws messages of the cluster per second, in `height` rows. */
export const messagesPanel = (
  theme: Theme,
  width: number,
  height: number,
  state: MonitorState,
  nowMs: number,
  title = trafficTexts.messages,
): readonly SpanRow[] => {
  const isStale = selectFreshness(state, nowMs).stale.includes('metrics');
  const view = trafficView(state, undefined, isStale, nowMs);
  const content = asStale(
    trafficRows(theme, width - panelFrame.columns, Math.max(0, height - panelFrame.lines), view),
    isStale,
  );
  return panelRows(width, height, { title, note: trafficNote(theme, view) }, content);
};
