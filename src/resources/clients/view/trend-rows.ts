import { areaGraph, minFilledRows, niceMax, valuesPerCell } from '../../../terminal/area-graph.ts';
import { formatCount, formatCountIn, formatRate, loadingText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { fillRows, fitSpans, type SpanRow } from '../../../tui/components/blocks.ts';
import { hueAt, hues, queueHue } from '../../../tui/components/hues.ts';
import { axis, axisWidth, timeAxis } from '../../metrics/view/traffic.ts';
import type { RatePoint } from '../../metrics/history.ts';
import { selectRateWindow } from '../../metrics/rate-window.ts';
import { maxStepMs } from '../../metrics/rates.ts';
import { ratesTexts } from '../../metrics/texts.ts';
import type { TrendPoint } from '../client-detail.ts';
import { clientTexts } from '../texts.ts';
import { maxTrendStepMs } from '../trend.ts';

export interface TrendsView {
  /** Values; `undefined` if none were read yet. */
  readonly points: readonly TrendPoint[] | undefined;
  /** More points are on their way. */
  readonly isLoading: boolean;
  readonly intervalSeconds: number;
  /** Seconds since the newest values, once they are stale. */
  readonly silentSeconds: number;
  /** Maximum queue length, if known. */
  readonly queueLimit: number | undefined;
}

type TrendField = Exclude<keyof TrendPoint, 'atMs' | 'isGap'>;

interface Trend {
  readonly field: TrendField;
  readonly label: SafeText;
  readonly format: (value: number | undefined) => SafeText;
  readonly roles: readonly Role[];
}

const figureWidth = 7;
const labelWidth = 10;

const formatQueue = (value: number | undefined): SafeText => formatCountIn(value, figureWidth);

const trends: readonly Trend[] = [
  { field: 'queueLength', label: clientTexts.queue, format: formatQueue, roles: hues.in },
  { field: 'deliveredPerSecond', label: clientTexts.delivered, format: formatRate, roles: hues.out },
  { field: 'droppedPerSecond', label: clientTexts.dropped, format: formatRate, roles: hues.warning },
];

/** The share of the limit from which on the full height of a queue's graph is the limit. */
const minLimitShare = 0.25;

/** Rates with the same unit, so that they share a scale. */
const rateFields: readonly TrendField[] = ['deliveredPerSecond', 'droppedPerSecond'];

const windowSeconds = 180;

const windowOf = (
  theme: Theme,
  width: number,
  { points = [], intervalSeconds, silentSeconds }: TrendsView,
  field: TrendField,
) => {
  const perCell = valuesPerCell(theme.charset);
  return selectRateWindow(seriesOf(points, field), {
    count: width * perCell,
    perCell,
    maxSeconds: windowSeconds,
    nowMs: (points.at(-1)?.atMs ?? 0) + silentSeconds * 1_000,
    maxStepMs: stepMs(intervalSeconds),
    isGauge: isGauge(field),
  });
};

/** Returns the longest step. A longer one was not observed. */
const stepMs = (intervalSeconds: number): number => Math.max(maxStepMs(intervalSeconds), maxTrendStepMs);

const isGauge = (field: TrendField): boolean => !rateFields.includes(field);

const seriesOf = (points: readonly TrendPoint[], field: TrendField): readonly RatePoint[] =>
  points.map((point) => ({ atMs: point.atMs, perSecond: point[field], isGap: point.isGap }));

/** Returns the current value; a stale one is not current. */
const currentOf = (
  { points = [], intervalSeconds, silentSeconds }: TrendsView,
  field: TrendField,
): number | undefined => {
  if (silentSeconds > 0) return undefined;
  const [before, last] = points.slice(-2);
  const isLong =
    !isGauge(field) && before !== undefined && last !== undefined && last.atMs - before.atMs > stepMs(intervalSeconds);
  return isLong ? undefined : points.at(-1)?.[field];
};

const isYoung = ({ points = [] }: TrendsView): boolean => points.length < 2;

/** Names the time that the graphs show; `undefined` before there is any. */
export const trendNote = (theme: Theme, view: TrendsView): SafeText | undefined =>
  isYoung(view)
    ? undefined
    : ratesTexts.title({
        ageSeconds: view.silentSeconds,
        seconds: windowOf(theme, 1, view, 'queueLength').seconds,
        hasPeak: false,
      });

const figureOf = (view: TrendsView, { field, format }: Trend): SafeText => {
  const last = currentOf(view, field);
  return last === undefined && view.isLoading && isYoung(view) ? loadingText : format(last);
};

const rolesOf = (view: TrendsView, { field, roles }: Trend): readonly Role[] =>
  field === 'queueLength' ? hues[queueHue(currentOf(view, field), view.queueLimit)] : roles;

const headRow = (width: number, view: TrendsView, trend: Trend, peak: number | undefined): SpanRow => {
  const roles = rolesOf(view, trend);
  const isLosing = trend.field === 'droppedPerSecond' && (currentOf(view, trend.field) ?? 0) > 0;
  const limit: Span = {
    text:
      trend.field === 'queueLength' && view.queueLimit !== undefined
        ? safe` ${clientTexts.ofMax(formatCount(view.queueLimit))}`
        : safe``,
    role: 'dim',
  };
  const figure: SpanRow = [
    { text: fit(trend.label, labelWidth), role: roles[2] ?? roles[0] },
    { text: fit(figureOf(view, trend), figureWidth, 'right'), role: isLosing ? 'warning' : 'title' },
    ...(isLosing ? [{ text: safe` !`, role: 'warning' } as const] : []),
    ...(labelWidth + figureWidth + widthOf(limit.text) <= width ? [limit] : []),
  ];
  const right = safe`${clientTexts.peak} ${fit(peak === undefined ? unknownText : trend.format(peak), figureWidth, 'right')}`;
  const hasPeak = width >= labelWidth + figureWidth + 2 + figureWidth + right.length;
  return hasPeak ? [...fitSpans(figure, width - right.length), { text: right, role: 'dim' }] : fitSpans(figure, width);
};

/** Draws a trend in `graphRows + 1` rows of exactly `width` columns. */
const trendRows = (
  theme: Theme,
  width: number,
  graphRows: number,
  view: TrendsView,
  trend: Trend,
): readonly SpanRow[] => {
  const graphWidth = Math.max(1, width - axisWidth);
  const { values, peak } = windowOf(theme, graphWidth, view, trend.field);
  const peaks = (rateFields.includes(trend.field) ? rateFields : [trend.field])
    .map((field) => windowOf(theme, graphWidth, view, field).peak)
    .filter((each) => each !== undefined);
  const highest = Math.max(...peaks);
  const limit = trend.field === 'queueLength' ? (view.queueLimit ?? 0) : 0;
  const max =
    peaks.length === 0 || peak === undefined
      ? undefined
      : highest <= limit && highest >= limit * minLimitShare
        ? limit
        : Math.max(1, niceMax(highest));
  const lines = areaGraph({
    values,
    max: max ?? 1,
    width: graphWidth,
    rows: graphRows,
    direction: 'up',
    charset: theme.charset,
    unknown: isYoung(view) ? undefined : glyphs.dot,
    hasBaseline: true,
    isLine: graphRows < minFilledRows,
  });
  return [
    headRow(width, view, trend, peak),
    ...lines.map((text, row): SpanRow => {
      const role = (peak ?? 0) > 0 ? hueAt(rolesOf(view, trend), graphRows - 1 - row, graphRows) : 'dim';
      return [axis(row === 0 ? max : undefined, row === 0 ? safe`┤` : safe`│`), { text, role }];
    }),
  ];
};

const timesRow = (theme: Theme, width: number, view: TrendsView): SpanRow =>
  timeAxis(
    Math.max(1, width - axisWidth),
    isYoung(view) ? undefined : windowOf(theme, width, view, 'queueLength').seconds,
  );

/** Rows that stacked trends take besides their graphs: a head each, and the time axis. */
const stackedHeads = trends.length + 1;

/** Rows that a trend needs that is zero all the time. */
const flatRows = 2;

/** Higher graphs show no more. */
const maxGraphRows = 10;

/** Returns the rows of each graph: those that show something share what flat ones leave. */
const sharedRows = (theme: Theme, width: number, rows: number, view: TrendsView): readonly number[] => {
  const equal = trends.map((_, index) =>
    Math.min(maxGraphRows, Math.floor((rows + trends.length - 1 - index) / trends.length)),
  );
  if (isYoung(view)) return equal;
  const isFlat = trends.map(
    ({ field }) => (windowOf(theme, Math.max(1, width - axisWidth), view, field).peak ?? 0) === 0,
  );
  const low = equal.map((each, index) => (isFlat[index] === true ? Math.min(flatRows, each) : 0));
  const tall = isFlat.filter((each) => !each).length;
  const left = rows - low.reduce((sum, each) => sum + each, 0);
  let seen = 0;
  return low.map((each, index) => {
    if (isFlat[index] === true) return each;
    seen += 1;
    return Math.min(maxGraphRows, Math.floor((left + tall - seen) / tall));
  });
};

/** Queue, deliveries and drops one above the other over one time axis, in at most `rows` rows; each graph has at least one. Where some are flat, or there is room for more than `maxGraphRows` each, they need fewer. */
export const stackedTrends = (theme: Theme, width: number, rows: number, view: TrendsView): readonly SpanRow[] => {
  const spare = Math.max(trends.length, rows - stackedHeads);
  const heights = sharedRows(theme, width, spare, view);
  return [
    ...trends.flatMap((trend, index) => trendRows(theme, width, heights[index] ?? 1, view, trend)),
    timesRow(theme, width, view),
  ];
};

/** Returns how many rows stacked trends take with graphs of `graphRows` rows. */
export const stackedRows = (graphRows: number): number => stackedHeads + trends.length * graphRows;

const minStackedRows = 3;

/** The trends in at most `rows` rows: stacked, or side by side where graphs would be lower than `minStackedRows`. */
export const trendsIn = (theme: Theme, width: number, rows: number, view: TrendsView): readonly SpanRow[] =>
  rows < stackedRows(minStackedRows)
    ? fillRows(trendsInColumns(theme, width, Math.max(1, rows - (rows > 3 ? 2 : 1)), rows > 3, view), rows)
    : stackedTrends(theme, width, rows, view);

const gap = 2;

/** Draws trends side by side, in `graphRows + 1` rows, or one more with times. */
const trendsInColumns = (
  theme: Theme,
  width: number,
  graphRows: number,
  hasTimes: boolean,
  view: TrendsView,
): readonly SpanRow[] => {
  const columnWidth = Math.floor((width - gap * (trends.length - 1)) / trends.length);
  const columns = trends.map((trend) => [
    ...trendRows(theme, columnWidth, graphRows, view, trend),
    ...(hasTimes ? [timesRow(theme, columnWidth, view)] : []),
  ]);
  return Array.from({ length: graphRows + (hasTimes ? 2 : 1) }, (_, row) =>
    columns.flatMap((rows, column): SpanRow => [
      ...(column === 0 ? [] : [{ text: safe`  ` }]),
      ...fitSpans(rows[row] ?? [], columnWidth),
    ]),
  );
};
