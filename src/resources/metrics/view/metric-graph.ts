import { clockMark, endMark, timeMark } from '../../../tui/components/time-mark.ts';
import { areaGraph, niceMax, valuesPerCell } from '../../../terminal/area-graph.ts';
import {
  formatCount,
  formatCountIn,
  formatDuration,
  formatRoundDuration,
  formatSeconds,
  loadingText,
} from '../../../terminal/format.ts';
import { glyphs, rule } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { fit, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { asStale, blankRow, fillRows, fitSpans, sideBySide, type SpanRow } from '../../../tui/components/blocks.ts';
import { hueAt, hues } from '../../../tui/components/hues.ts';
import { openPanelRows, panelFrame, panelRows } from '../../../tui/components/panel.ts';
import { highestBetween, type RateWindow } from '../rate-window.ts';
import { reportedUntil } from '../rates.ts';
import { metricsTexts } from '../texts.ts';
import {
  type CounterName,
  type CounterSeries,
  type GraphWindow,
  isGaugeCounter,
  counterWindow,
  longestStepMs,
} from './counter-series.ts';
import { cellAt, cellTime, type GraphCell, graphRow, type GraphTimes } from './graph-cursor.ts';
import { isLossCounter, isOutgoing, rateText } from './rate-rows.ts';

export interface GraphSource extends CounterSeries {
  readonly label: SafeText;
}

export interface GraphView {
  readonly name: CounterName;
  readonly window: GraphWindow;
  readonly main: GraphSource;
  /** The nodes that the cluster consists of. */
  readonly nodes: readonly GraphSource[];
  readonly isLoading: boolean;
  /** Shown while there is no rate. */
  readonly message: SafeText;
  /** The place of the cursor within the window; monotonic. */
  readonly cursorMs?: number | undefined;
}

/** The times of a graph in its panel. */
export interface PanelGraphTimes extends GraphTimes {
  /** Columns of the panel before the first cell. */
  readonly left: number;
}

const minSidesWidth = 50;
const minSidesHeight = 12;

interface Inner {
  readonly hasSides: boolean;
  readonly width: number;
  readonly height: number;
}

const innerOf = (width: number, height: number): Inner =>
  width >= minSidesWidth && height >= minSidesHeight
    ? { hasSides: true, width: width - panelFrame.columns, height: height - panelFrame.lines }
    : { hasSides: false, width: width - 1, height: height - 1 };

/** Returns the times of the graph that `metricGraph` draws; `undefined` where it draws none. */
export const graphTimes = (
  theme: Theme,
  width: number,
  height: number,
  view: GraphView,
): PanelGraphTimes | undefined => {
  const inner = innerOf(width, height);
  const { cells, window } = graphOf(theme, inner.width, view, view.main);
  if (view.main.points.length === 0 || cells < minGraphWidth || inner.height < 3) return undefined;
  const { beginMs, cellMs } = window;
  return { beginMs, cellMs, cells, left: axisWidth + (inner.hasSides ? panelFrame.columns / 2 : 1) };
};

/** Draws the graph of a counter in a panel of exactly `height` rows. */
export const metricGraph = (theme: Theme, width: number, height: number, view: GraphView): readonly SpanRow[] => {
  const inner = innerOf(width, height);
  const { hasSides } = inner;
  const { cells, window } = graphOf(theme, inner.width, view, view.main);
  const panel = { title: trusted(view.name), note: noteOf(view, window, window.seconds / Math.max(1, cells)) };
  const rows = asStale(contentRows(theme, inner.width, inner.height, view), view.main.silentSeconds > 0);
  return hasSides
    ? panelRows(width, height, panel, rows)
    : openPanelRows(
        width,
        height,
        panel,
        rows.map((row) => [{ text: safe` ` }, ...row]),
      );
};

/** Writes `15 min window ({ })`; with gaps, or before it is full, `15 min window ({ }), 4 min recorded`. */
const noteOf = (view: GraphView, shown: RateWindow, cellSeconds: number): SafeText => {
  const { main } = view;
  const nowMs = (main.points.at(-1)?.atMs ?? 0) + main.silentSeconds * 1_000;
  const secondsAgo = reportedUntil(main.points, shown.seconds, nowMs);
  const span = spanOf(view, shown, cellSeconds);
  return secondsAgo === undefined ? span : safe`${span}, ${metricsTexts.reportedBefore(clockMark(secondsAgo))}`;
};

const spanOf = (
  { main, window: { name: windowName, seconds, stepMs } }: GraphView,
  { knownSeconds, seconds: shownSeconds }: RateWindow,
  cellSeconds: number,
): SafeText => {
  if (shownSeconds < seconds)
    return metricsTexts.partOfWindow(windowName, formatRoundDuration(Math.round(shownSeconds)));
  const roundTo = Math.max(10, stepMs / 1_000, main.intervalSeconds);
  const isWhole = seconds - knownSeconds <= Math.max(2 * roundTo, 2 * cellSeconds);
  return isWhole
    ? metricsTexts.window(windowName)
    : metricsTexts.partOfWindow(windowName, formatDuration(Math.floor(knownSeconds / roundTo) * roundTo));
};

const axisWidth = 11;
const minGraphWidth = 16;
/** The middle of the scale has no label with fewer rows. */
const minMiddleRows = 8;

/** Draws a source's values, one for each column right of the axis. */
const graphOf = (
  theme: Theme,
  width: number,
  { name, window, main }: GraphView,
  source: GraphSource,
): { readonly cells: number; readonly window: RateWindow } => {
  const perCell = valuesPerCell(theme.charset);
  const cells = Math.max(1, width - axisWidth);
  return {
    cells,
    window: counterWindow(
      name,
      window,
      { ...source, silentSeconds: silenceOf(source, main) },
      { count: cells * perCell, perCell, sinceMs: main.points[0]?.atMs },
    ),
  };
};

const lastMs = ({ points }: GraphSource): number => points.at(-1)?.atMs ?? 0;

/**
 * Returns for how long a node is silent. One that is read as often as the cluster ends where that ends; one that is
 * read less often, with its last reading.
 */
const silenceOf = (source: GraphSource, main: GraphSource): number => {
  const behindSeconds = Math.max(0, lastMs(main) - lastMs(source)) / 1_000;
  const isDue = source.intervalSeconds > main.intervalSeconds && behindSeconds <= 1.5 * source.intervalSeconds;
  return main.silentSeconds + (isDue ? 0 : behindSeconds);
};

const contentRows = (theme: Theme, width: number, height: number, view: GraphView): readonly SpanRow[] => {
  const { main, nodes } = view;
  if (main.points.length === 0) return [[{ text: view.message, role: 'dim' }]];
  const blocks = nodes.length < 2 ? undefined : layOutNodes(width, height, nodes.length);
  const mainHeight = height - (blocks === undefined ? 0 : blocks.height);
  const rows = fillRows(mainRows(theme, width, mainHeight, view), mainHeight);
  if (blocks === undefined) return rows;
  const shown = nodes.slice(0, blocks.count);
  const columnWidth = Math.floor((width - (blocks.columns - 1) * blockGap) / blocks.columns);
  // Nodes share a scale.
  const max = scaleOf(
    view.name,
    Math.max(0, ...nodes.map((node) => graphOf(theme, columnWidth, view, node).window.peak ?? 0)),
  );
  const drawn = shown.map((node) => sourceRows(theme, columnWidth, blocks.rows, view, node, max));
  const lines: SpanRow[] = [];
  for (let index = 0; index < drawn.length; index += blocks.columns) {
    lines.push(
      ...drawn
        .slice(index, index + blocks.columns)
        .reduce(
          (left, right, at) =>
            at === 0 ? right : sideBySide(left, at * columnWidth + (at - 1) * blockGap, blockGap, right),
          [] as readonly SpanRow[],
        ),
    );
  }
  const left = nodes.length - shown.length;
  return [
    ...rows,
    ...lines,
    ...(left === 0 ? [] : [[{ text: metricsTexts.moreNodes(formatCount(left)), role: 'dim' } as const]]),
  ];
};

const blockGap = 2;
const minBlockWidth = 34;
const maxBlockRows = 5;
const minMainHeight = 8;

interface NodeBlocks {
  readonly columns: number;
  /** The rows of each block, with its name. */
  readonly rows: number;
  readonly count: number;
  readonly height: number;
}

/** Returns how many nodes are drawn below the cluster, and how high; `undefined` where there is no room. */
const layOutNodes = (width: number, height: number, count: number): NodeBlocks | undefined => {
  const room = Math.min(height - minMainHeight, Math.floor(height * 0.6));
  const maxColumns = Math.max(1, Math.floor((width + blockGap) / (minBlockWidth + blockGap)));
  for (let columns = 1; columns <= maxColumns; columns += 1) {
    const lines = Math.ceil(count / columns);
    const rows = Math.min(maxBlockRows, Math.floor(room / lines));
    if (rows >= 3) return { columns, rows, count, height: lines * rows };
  }
  const lines = Math.floor((room - 1) / 3);
  return lines < 1 ? undefined : { columns: maxColumns, rows: 3, count: lines * maxColumns, height: lines * 3 + 1 };
};

/** Returns the roles of a graph's rows, from the axis to the top. */
const rolesOf = (name: CounterName): readonly Role[] => {
  if (isLossCounter(name)) return hues.warning;
  return isOutgoing(name) ? hues.out : hues.in;
};

/** The place of the cursor, and what was measured there. */
interface Cursor extends GraphCell {
  readonly value: number | undefined;
}

const cursorOf = (
  { name, window: { stepMs }, cursorMs }: GraphView,
  { points, intervalSeconds }: GraphSource,
  { beginMs, cellMs }: RateWindow,
  cells: number,
): Cursor | undefined => {
  const at = cellAt({ beginMs, cellMs, cells }, cursorMs);
  return (
    at && {
      ...at,
      value: highestBetween(points, at.fromMs, at.toMs, {
        maxStepMs: longestStepMs(intervalSeconds, stepMs),
        isGauge: isGaugeCounter(name),
      }),
    }
  );
};

/** Writes name, rate and peak of a source; with a cursor the rate there. */
const legend = (
  width: number,
  { name, isLoading, window, cursorMs, main }: GraphView,
  source: GraphSource,
  peak: number | undefined,
  cursor: Cursor | undefined,
): SpanRow => {
  const { points, intervalSeconds } = source;
  const hasCursor = cursorMs !== undefined;
  const now = hasCursor ? cursor?.value : source.now;
  const isMin = hasCursor ? undefined : source.isMin;
  const label =
    cursor !== undefined && source === main ? metricsTexts.atTime(source.label, cellTime(cursor)) : source.label;
  const isLosing = isLossCounter(name) && now !== undefined && now > 0;
  const figure = (value: number | undefined, sign = safe``): SafeText =>
    fit(points.length === 0 && isLoading ? loadingText : safe`${sign}${figureText(name, value)}`, figureWidth, 'right');
  const peakLabel = peakLabelOf(name, window, intervalSeconds);
  const peakWidth = figureWidth + widthOf(peakLabel) + 3;
  const hasPeak = width >= figureWidth + peakWidth + Math.max(12, hasCursor ? widthOf(label) + 2 : 0);
  const isAveraged =
    !hasCursor &&
    !isGaugeCounter(name) &&
    width >= figureWidth + peakWidth + widthOf(metricsTexts.rateOf) + minNamedWidth;
  const averaged = isAveraged ? safe` ${metricsTexts.rateOf}` : safe``;
  const labelWidth = Math.max(1, width - figureWidth - (hasPeak ? peakWidth : 0) - widthOf(averaged) - 1);
  return fitSpans(
    [
      { text: fit(label, Math.min(labelWidth, maxLabelWidth)), role: 'accent' },
      {
        text: safe` ${figure(now, safe`${isLosing ? safe`! ` : safe``}${isMin === true ? safe`≥` : safe``}`)}`,
        role: isLosing ? 'warning' : 'title',
      },
      ...(hasPeak ? [{ text: safe`${averaged}   ${peakLabel}${figure(peak)}`, role: 'dim' } as const] : []),
    ],
    width,
  );
};

/** Says what the peak of a rate is that of: averages over the steps of the window, or between two readings. */
export const peakLabelOf = (
  name: CounterName,
  { stepMs, stepName }: GraphWindow,
  intervalSeconds: number,
): SafeText => {
  if (isGaugeCounter(name)) return metricsTexts.peak;
  return metricsTexts.peakOf(
    stepMs > intervalSeconds * 1_000
      ? stepName
      : intervalSeconds < 1
        ? formatSeconds(intervalSeconds)
        : formatDuration(Math.round(intervalSeconds)),
  );
};

const figureText = (name: CounterName, value: number | undefined): SafeText =>
  isGaugeCounter(name) ? formatCountIn(value, axisWidth - 2) : rateText(name, value);

const figureWidth = 11;
const maxLabelWidth = 40;
/** The width of a name from which on it is said how the rate is averaged. */
const minNamedWidth = 24;

const axis = (text: SafeText, sign: SafeText): Span => ({
  text: fit(safe`${text} ${sign}`, axisWidth, 'right'),
  role: 'dim',
});

/** Returns a round number in the unit that it is shown in. */
const scaleOf = (name: CounterName, peak: number): number => {
  const unit = name.startsWith('bytes.') && peak > 0 ? 1_024 ** Math.floor(Math.log(peak) / Math.log(1_024)) : 1;
  return niceMax(peak / unit) * unit;
};

/** Draws a source's name, figures and area. */
const sourceRows = (
  theme: Theme,
  width: number,
  height: number,
  view: GraphView,
  source: GraphSource,
  sharedMax?: number,
): readonly SpanRow[] => {
  const { cells, window } = graphOf(theme, width, view, source);
  const { values, peak } = window;
  const cursor = cursorOf(view, source, window, cells);
  // An even number has a middle.
  const isSpaced = height > minMiddleRows && height % 2 === 0;
  const rows = height - (isSpaced ? 2 : 1);
  if (rows < 1 || cells < minGraphWidth) return [legend(width, view, source, peak, cursor)];
  const max = sharedMax ?? scaleOf(view.name, peak ?? 0);
  const roles = rolesOf(view.name);
  const lines = areaGraph({
    values,
    max,
    width: cells,
    rows,
    direction: 'up',
    charset: theme.charset,
    unknown: glyphs.dot,
    hasBaseline: sharedMax !== undefined,
  });
  return [
    legend(width, view, source, peak, cursor),
    ...(isSpaced ? [blankRow] : []),
    ...lines.map((text, row): SpanRow => {
      const distance = rows - 1 - row;
      const label =
        row === 0
          ? figureText(view.name, max)
          : rows >= minMiddleRows && row === rows / 2
            ? figureText(view.name, max / 2)
            : undefined;
      return [
        axis(label ?? safe``, label === undefined ? safe`│` : safe`┤`),
        ...graphRow(text, sharedMax === undefined || (peak ?? 0) > 0 ? hueAt(roles, distance, rows) : 'dim', cursor),
      ];
    }),
  ];
};

const mainRows = (theme: Theme, width: number, height: number, view: GraphView): readonly SpanRow[] => {
  const {
    cells,
    window: { seconds },
  } = graphOf(theme, width, view, view.main);
  const rows = sourceRows(theme, width, height - 1, view, view.main);
  return rows.length < 2 ? rows : [...rows, timeAxis(cells, seconds)];
};

/** Writes times below the graph: `3 min ─── 2 min ─── 1 min ─── now`, from 15 minutes on clock times. */
const timeAxis = (width: number, seconds: number): SpanRow => {
  const count = width < 45 ? 2 : 3;
  const marks = Array.from({ length: count }, (_, index) => timeMark((seconds * (count - index)) / count, seconds));
  const part = Math.floor(width / count);
  const end = endMark();
  const line = marks.map((mark, index) => {
    const room = index === count - 1 ? width - (count - 1) * part - 1 - widthOf(end) : part;
    // Without a blank, the axis would look like a minus sign.
    const lead = index === 0 ? safe` ` : safe``;
    return safe`${lead}${mark} ${rule(room - widthOf(lead) - widthOf(mark) - 2)}${index === count - 1 ? rule(1) : safe` `}`;
  });
  return [
    axis(safe`0`, safe`┼`),
    ...line.map((text) => ({ text, role: 'dim' }) as const),
    { text: safe` ${end}`, role: 'dim' },
  ];
};
