import type { MetricName } from '../../../domain/metrics.ts';
import { areaGraph, minFilledRows, niceMax, valuesPerCell } from '../../../terminal/area-graph.ts';
import { formatBytesRate, formatRate, loadingText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { inColumns, type SpanRow, titleRow } from '../../../tui/components/blocks.ts';
import { hueAt, hues } from '../../../tui/components/hues.ts';
import type { RatePoint } from '../history.ts';
import { type RateWindow, selectRateWindow } from '../rate-window.ts';
import { maxStepMs, selectCurrentRate } from '../rates.ts';
import { ratesTexts } from '../texts.ts';
import { queueDropsName } from './counter-series.ts';

interface RateItem {
  readonly name: MetricName;
  readonly label: SafeText;
}

export const mainRates: readonly RateItem[] = [
  { name: 'messages.received', label: safe`messages in` },
  { name: 'messages.sent', label: safe`messages out` },
  // Messages without subscribers; not those dropped from full queues.
  { name: 'messages.dropped', label: safe`unrouted` },
  { name: 'bytes.received', label: safe`bytes in` },
  { name: 'bytes.sent', label: safe`bytes out` },
  { name: 'packets.received', label: safe`packets in` },
  { name: 'packets.sent', label: safe`packets out` },
  { name: 'packets.connect', label: safe`CONNECTs` },
  { name: 'packets.disconnect', label: safe`DISCONNECTs` },
];

export const qosRates: readonly RateItem[] = [
  { name: 'messages.qos0.received', label: safe`QoS 0 in` },
  { name: 'messages.qos0.sent', label: safe`QoS 0 out` },
  { name: 'messages.qos1.received', label: safe`QoS 1 in` },
  { name: 'messages.qos1.sent', label: safe`QoS 1 out` },
  { name: 'messages.qos2.received', label: safe`QoS 2 in` },
  { name: 'messages.qos2.sent', label: safe`QoS 2 out` },
  { name: 'messages.qos2.dropped', label: safe`QoS 2 drops` },
];

/** Returns how a rate is labelled on screen. */
export const rateLabel = (name: MetricName): SafeText =>
  [...mainRates, ...qosRates].find((item) => item.name === name)?.label ?? trusted(name);

/** Rates that the graph of messages leaves out. */
export const otherRates: readonly RateItem[] = [...mainRates, ...qosRates].filter(
  ({ name }) => !['messages.received', 'messages.sent', 'messages.dropped'].includes(name),
);

export interface RatesView {
  readonly series: (name: MetricName) => readonly RatePoint[];
  readonly intervalSeconds: number;
  /** Seconds since the newest values; 0 unless they are stale. */
  readonly silentSeconds: number;
  /** There are fewer than two samples, and no error. */
  readonly isLoading: boolean;
  /** Returns rates averaged as in the problems about them; current ones by default. */
  readonly averages?: ((name: MetricName) => number | undefined) | undefined;
}

export const rateText = (name: string, perSecond: number | undefined): SafeText =>
  name.startsWith('bytes.') ? formatBytesRate(perSecond) : formatRate(perSecond);

/** Whether a counter should not grow: lost and unrouted messages, unexpected packets. */
export const isLossCounter = (name: string): boolean =>
  name === queueDropsName || /\.(?:dropped|missed)$|^delivery\.dropped/u.test(name);

/** Whether a counter is of what the broker sends, or of what answers it. */
export const isOutgoing = (name: string): boolean => /\.sent$|ack$|pingresp$/u.test(name);

const labelWidth = 12;
const figureWidth = 9;
const windowSeconds = 180;
const maxGraphHeight = 4;
/** The narrowest graph beside a peak. */
const minGraphWidth = 12;

const planRow = (width: number): { readonly spark: number; readonly hasPeak: boolean } => {
  const left = width - labelWidth - figureWidth - 3;
  const hasPeak = left - figureWidth - 1 >= minGraphWidth;
  return { spark: Math.max(0, hasPeak ? left - figureWidth - 1 : left), hasPeak };
};

/** Returns the rows of each graph, the same for all. */
const graphHeight = (count: number, height: number): number =>
  Math.max(1, Math.min(maxGraphHeight, Math.floor(height / Math.max(1, count))));

const windowOf = (theme: Theme, cells: number, view: RatesView, name: MetricName): RateWindow => {
  const points = view.series(name);
  const perCell = valuesPerCell(theme.charset);
  const nowMs = (points.at(-1)?.atMs ?? 0) + view.silentSeconds * 1_000;
  return selectRateWindow(points, {
    count: Math.max(1, cells) * perCell,
    perCell,
    maxSeconds: windowSeconds,
    nowMs,
    maxStepMs: maxStepMs(view.intervalSeconds),
  });
};

const rateLines = (
  theme: Theme,
  width: number,
  height: number,
  isLine: boolean,
  item: RateItem,
  view: RatesView,
): readonly SpanRow[] => {
  const { spark, hasPeak } = planRow(width);
  const points = view.series(item.name);
  const { values, peak } = windowOf(theme, spark, view, item.name);
  const now = view.averages?.(item.name) ?? selectCurrentRate(points, view.intervalSeconds);
  const isLosing = isLossCounter(item.name) && now !== undefined && now > 0;
  const role = isLosing ? 'warning' : 'normal';
  const isWaiting = points.length === 0 && view.isLoading;
  const figures: SpanRow = [
    { text: fit(safe`${isLosing ? safe`! ` : safe`  `}${item.label}`, labelWidth + 2), role },
    {
      text: fit(isWaiting ? loadingText : rateText(item.name, now), figureWidth, 'right'),
      role: isLosing ? 'warning' : 'title',
    },
  ];
  const roles = isLossCounter(item.name) ? hues.warning : isOutgoing(item.name) ? hues.out : hues.in;
  // A line that is zero all the time stands beside its label.
  const graphRows = isLine && (peak ?? 0) === 0 ? 1 : height;
  const blank = Array.from({ length: height - graphRows }, () => safe``);
  return [
    ...areaGraph({
      values: points.length === 0 ? [] : values,
      max: niceMax(peak ?? 0),
      width: spark,
      rows: graphRows,
      direction: 'up',
      charset: theme.charset,
      unknown: isLine && height > 1 ? undefined : glyphs.dot,
      hasBaseline: true,
      isLine,
    }),
    ...blank,
  ].map((line, index): SpanRow => [
    ...(index === 0 ? figures : [{ text: fit(safe``, labelWidth + 2 + figureWidth) }]),
    { text: safe` ${line}`, role: (peak ?? 0) > 0 ? hueAt(roles, height - 1 - index, height) : 'dim' },
    ...(hasPeak && index === 0
      ? [
          {
            text: safe` ${fit(peak === undefined ? unknownText : rateText(item.name, peak), figureWidth, 'right')}`,
            role: 'dim',
          } as const,
        ]
      : []),
  ]);
};

/** Whether the broker has a counter: not every broker has each. */
const isCounted = ({ series }: RatesView, name: MetricName): boolean =>
  series(name).length < 2 || series(name).some(({ perSecond }) => perSecond !== undefined);

const gap = 2;
const minPairWidth = 58;

/** Draws rates with graphs in at most `height` rows, most important first; one or two a row. */
export const rateRows = (
  theme: Theme,
  width: number,
  height: number,
  all: readonly RateItem[],
  view: RatesView,
): readonly SpanRow[] => {
  const items = all.filter(({ name }) => isCounted(view, name));
  const columns = items.length > height && width >= minPairWidth ? 2 : 1;
  const columnWidth = Math.floor((width - (columns - 1) * gap) / columns);
  const shown = items.slice(0, Math.max(0, height) * columns);
  const rows = columns === 1 ? graphHeight(shown.length, height) : 1;
  return inColumns(
    shown.flatMap((item) => rateLines(theme, columnWidth, rows, rows < minFilledRows, item, view)),
    columns,
    columnWidth,
    gap,
  );
};

/** Writes the age and the time of the graphs, and what stands right of them. */
export const rateNote = (theme: Theme, width: number, view: RatesView): SafeText => {
  const { spark, hasPeak } = planRow(width);
  return ratesTexts.title({
    ageSeconds: view.silentSeconds,
    seconds: windowOf(theme, spark, view, 'messages.received').seconds,
    hasPeak,
    isAveraged: view.averages !== undefined,
  });
};

export const rateTitle = (theme: Theme, width: number, title: SafeText, view: RatesView): SpanRow =>
  titleRow(width, title, rateNote(theme, width, view));
