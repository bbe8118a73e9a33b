import type { MetricName } from '../../../domain/metrics.ts';
import type { RatePoint } from '../../../monitor/history/rates.ts';
import { selectCurrentRate, selectSpark } from '../../../monitor/select/rates.ts';
import { formatBytesRate, formatDuration, formatRate, loadingText, unknownText } from '../../../terminal/format.ts';
import { graph } from '../../../terminal/graphs.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import { inColumns, type SpanRow, titleRow } from '../../components/blocks.ts';

/** A counter shown as a rate. */
export interface RateItem {
  readonly name: MetricName;
  readonly label: SafeText;
}

/** The most important rates. */
export const mainRates: readonly RateItem[] = [
  { name: 'messages.received', label: safe`messages in` },
  { name: 'messages.sent', label: safe`messages out` },
  // Counts messages without subscribers; messages lost in full queues are not in it.
  { name: 'messages.dropped', label: safe`no subscr.` },
  { name: 'bytes.received', label: safe`bytes in` },
  { name: 'bytes.sent', label: safe`bytes out` },
  { name: 'packets.received', label: safe`packets in` },
  { name: 'packets.sent', label: safe`packets out` },
  { name: 'packets.connect', label: safe`connects` },
  { name: 'packets.disconnect', label: safe`DISCONNECTs` },
];

/** Further rates where there is room. */
export const qosRates: readonly RateItem[] = [
  { name: 'messages.qos0.received', label: safe`QoS 0 in` },
  { name: 'messages.qos0.sent', label: safe`QoS 0 out` },
  { name: 'messages.qos1.received', label: safe`QoS 1 in` },
  { name: 'messages.qos1.sent', label: safe`QoS 1 out` },
  { name: 'messages.qos2.received', label: safe`QoS 2 in` },
  { name: 'messages.qos2.sent', label: safe`QoS 2 out` },
  { name: 'messages.qos2.dropped', label: safe`QoS 2 lost` },
];

export interface RatesView {
  readonly series: (name: MetricName) => readonly RatePoint[];
  readonly intervalSeconds: number;
  /** Time since the newest values, once they are stale. */
  readonly silentSeconds: number;
  /** Fewer than two samples, and no error. */
  readonly isLoading: boolean;
}

/** A rate in the unit of its counter. */
export const rateText = (name: MetricName, perSecond: number | undefined): SafeText =>
  name.startsWith('bytes.') ? formatBytesRate(perSecond) : formatRate(perSecond);

/** Counters that should not grow: unrouted messages, unexpected packets. */
export const isLossCounter = (name: MetricName): boolean => name.endsWith('.dropped') || name.endsWith('.missed');

const labelWidth = 12;
const figureWidth = 9;
const longestSpark = 300;
const tallest = 4;

/** Width of the sparkline in a row of `width`, and whether the peak is shown. */
const planRow = (width: number): { readonly spark: number; readonly hasPeak: boolean } => {
  const left = width - labelWidth - figureWidth - 2;
  const hasPeak = left - figureWidth - 1 >= 5;
  return { spark: Math.max(0, Math.min(longestSpark, hasPeak ? left - figureWidth - 1 : left)), hasPeak };
};

/** Groups of rates that get graphs of equal height, most important first. */
const heightGroups: readonly (readonly [number, number])[] = [[0, 2], [3, 5], [5, 7], [2, 3]];

/** Heights of the graphs where there is spare height: messages first, then bytes and packets. */
export const graphHeights = (count: number, height: number): readonly number[] => {
  const heights = Array.from({ length: count }, () => 1);
  let spare = height - count;
  for (const [from, to] of heightGroups) {
    for (let maxHeight = 2; maxHeight <= tallest && to <= count && spare >= to - from; maxHeight += 1) {
      heights.fill(maxHeight, from, to);
      spare -= to - from;
    }
  }
  return heights;
};

const rateLines = (width: number, height: number, item: RateItem, view: RatesView): readonly SpanRow[] => {
  const { spark, hasPeak } = planRow(width);
  const points = view.series(item.name);
  const { values, peak } = selectSpark(points, { width: spark, intervalSeconds: view.intervalSeconds, silentSeconds: view.silentSeconds });
  const now = selectCurrentRate(points, view.intervalSeconds);
  const isLosing = isLossCounter(item.name) && now !== undefined && now > 0;
  const role = isLosing ? 'warning' : 'normal';
  const isWaiting = points.length === 0 && view.isLoading;
  const figures: SpanRow = [
    { text: fit(safe`${isLosing ? safe`!` : safe` `}${item.label}`, labelWidth + 1), role },
    { text: fit(isWaiting ? loadingText : rateText(item.name, now), figureWidth, 'right'), role: isLosing ? 'warning' : 'title' },
  ];
  return graph(values, spark, height, { max: peak ?? 0 }).map((line, index): SpanRow => [
    ...(index === 0 ? figures : [{ text: fit(safe``, labelWidth + 1 + figureWidth) }]),
    { text: safe` ${line}`, role: 'accent' },
    ...(hasPeak && index === 0 ? [{ text: safe` ${fit(peak === undefined ? unknownText : rateText(item.name, peak), figureWidth, 'right')}`, role: 'dim' } as const] : []),
  ]);
};

const gap = 2;
const narrowestPair = 58;

/**
 * Rates with sparklines in at most `height` rows, most important first: one or two a row, and higher graphs where there is
 * room.
 */
export const rateRows = (width: number, height: number, items: readonly RateItem[], view: RatesView): readonly SpanRow[] => {
  const columns = items.length > height && width >= narrowestPair ? 2 : 1;
  const columnWidth = Math.floor((width - (columns - 1) * gap) / columns);
  const shown = items.slice(0, Math.max(0, height) * columns);
  const heights = graphHeights(shown.length, columns === 1 ? height : shown.length);
  return inColumns(shown.flatMap((item, index) => rateLines(columnWidth, heights[index] ?? 1, item, view)), columns, columnWidth, gap);
};

/** The time span of the graphs: `last 1m 02s of 2m 54s`. */
const spanText = (width: number, view: RatesView): SafeText => {
  const { values, spanSeconds } = selectSpark(view.series('messages.received'), { width, intervalSeconds: view.intervalSeconds, silentSeconds: view.silentSeconds });
  const whole = formatDuration(spanSeconds);
  return values.length === 0 || values.length >= width ? safe`last ${whole}` : safe`last ${formatDuration((values.length / width) * spanSeconds)} of ${whole}`;
};

/** The title above the rates: time span, and age when stale. */
export const rateTitle = (width: number, isPaired: boolean, title: SafeText, view: RatesView): SpanRow => {
  const columnWidth = isPaired ? Math.floor((width - gap) / 2) : width;
  const { spark, hasPeak } = planRow(columnWidth);
  const age = view.silentSeconds > 0 ? safe`${formatDuration(view.silentSeconds)} old: ` : safe``;
  return titleRow(width, title, safe`${age}now, ${spanText(spark, view)}${hasPeak ? safe`, peak${columnWidth < 60 && !isPaired ? safe`` : safe` (the full bar)`}` : safe``}`);
};

/** Whether two rates share a row. */
export const arePaired = (width: number, height: number, count: number): boolean => count > height && width >= narrowestPair;
