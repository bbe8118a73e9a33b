import { formatCount } from '../format.ts';
import { glyphs } from '../glyphs.ts';
import { type SafeText, safe, trusted } from '../safe-text.ts';
import type { Sort } from '../sort-order.ts';
import { cutText, fit, padText } from '../text-width.ts';
import type { Role, Theme } from '../theme.ts';
import type { CellContext, Column, ColumnLayout, PlacedColumn } from './column.ts';
import { type Line, type Span, composeEnds, composeLine } from './line.ts';

/** Where a row stands since the last refresh; `old`: it could not be read again. */
export type RowMark = 'new' | 'gone' | 'old';

/** Everything about a table but its place on the screen. */
export interface TableModel<Row, Data> {
  /** Filtered and sorted; only the window is read. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row, Data>[];
  readonly data: Data;
  readonly getId: (row: Row) => string;
  readonly cursorId?: string | undefined;
  /** Index of the first visible row. */
  readonly top: number;
  readonly sort?: Sort | undefined;
  readonly columnOffset?: number | undefined;
  /** NEW, GONE and OLD, in a place of their own at the right end. */
  readonly getMark?: ((row: Row) => RowMark | undefined) | undefined;
  readonly isMarked?: ((row: Row) => boolean) | undefined;
  /** The row of this identity at the last refresh; cells whose value differs are bold. */
  readonly getPrevious?: ((id: string) => Row | undefined) | undefined;
  readonly isStale?: boolean | undefined;
  /** How many rows the footer says are shown, where that is not their number. */
  readonly shownCount?: number | undefined;
  /** Rows before the filter; the footer says `showing 3 of 1,204`. */
  readonly totalCount?: number | undefined;
  /** Stands in place of the rows when there are none: loading, empty, failed, nothing matches. */
  readonly message?: Span | undefined;
  /** More for the footer: after the counts, and at its right end. */
  readonly footerNote?: SafeText | undefined;
  readonly footerRight?: SafeText | undefined;
}

/** Columns before the first cell: cursor and mark. */
export const gutterWidth = 1;
/** Columns for NEW, GONE or OLD, with the space before it. */
export const markWidth = 5;

/** What `layoutColumns` may use of a table's width. */
export const cellsWidth = (width: number, hasMarks: boolean): number => width - gutterWidth - (hasMarks ? markWidth : 0);

const headerCell = <Row, Data>({ column, width }: PlacedColumn<Row, Data>, sort: Sort | undefined): SafeText => {
  if (sort?.columnId !== column.id) {
    return fit(column.header, width, column.align);
  }
  const sign = sort.isReversed ? glyphs.down : glyphs.up;
  return padText(safe`${cutText(column.header, width - 2)} ${sign}`, width, column.align);
};

const gapText = (gap: number): SafeText => trusted(' '.repeat(gap));

export const headerLine = <Row, Data>(theme: Theme, width: number, layout: ColumnLayout<Row, Data>, sort: Sort | undefined): Line => {
  const gap = gapText(layout.gap);
  const spans = layout.placed.map((placed, index): Span => {
    const cell = headerCell(placed, sort);
    return { text: index === 0 ? cell : safe`${gap}${cell}`, role: 'header' };
  });
  return composeLine(theme, width, [{ text: gapText(gutterWidth) }, ...spans], 'header');
};

const rowBase = (isCursor: boolean, mark: RowMark | undefined, isStale: boolean): Role => {
  if (isCursor) {
    return 'cursor';
  }
  return isStale || mark === 'gone' || mark === 'old' ? 'stale' : 'normal';
};

const gutter = (isCursor: boolean, isMarked: boolean): SafeText => {
  if (isCursor) {
    return glyphs.cursor;
  }
  return isMarked ? glyphs.marked : safe` `;
};

const markSpans: Readonly<Record<RowMark, Span>> = {
  new: { text: safe`NEW `, role: 'added' },
  gone: { text: safe`GONE`, role: 'gone' },
  old: { text: safe`OLD `, role: 'stale' },
};

export interface RowFlags {
  readonly isCursor: boolean;
  readonly isMarked: boolean;
  readonly isStale: boolean;
  readonly mark: RowMark | undefined;
  readonly hasMarks: boolean;
}

export const rowLine = <Row, Data>(
  theme: Theme,
  width: number,
  layout: ColumnLayout<Row, Data>,
  data: Data,
  row: Row,
  previous: Row | undefined,
  flags: RowFlags,
): Line => {
  const gap = gapText(layout.gap);
  const spans: Span[] = [{ text: gutter(flags.isCursor, flags.isMarked), role: flags.isMarked ? 'marked' : 'normal' }];
  let used = gutterWidth;
  for (const [index, { column, width: cellWidth }] of layout.placed.entries()) {
    const context: CellContext<Data> = { theme, width: cellWidth, data, text: (raw) => theme.escape(raw, cellWidth) };
    const cell = fit(column.format(row, context), cellWidth, column.align);
    const isChanged = previous !== undefined && column.marksChanges !== false && !Object.is(column.value(previous, data), column.value(row, data));
    spans.push({ text: index === 0 ? cell : safe`${gap}${cell}`, role: isChanged ? 'changed' : 'normal' });
    used += cellWidth + (index === 0 ? 0 : layout.gap);
  }
  if (flags.hasMarks && flags.mark !== undefined) {
    spans.push({ text: gapText(width - used - markWidth + 1) });
    spans.push(markSpans[flags.mark]);
  }
  return composeLine(theme, width, spans, rowBase(flags.isCursor, flags.mark, flags.isStale));
};

export const footerLine = <Row, Data>(
  theme: Theme,
  width: number,
  layout: ColumnLayout<Row, Data>,
  model: TableModel<Row, Data>,
): Line => {
  const sorted = model.columns.find((column) => column.id === model.sort?.columnId);
  const parts: SafeText[] = [
    safe`showing ${formatCount(model.shownCount ?? model.rows.length)} of ${formatCount(model.totalCount ?? model.rows.length)}`,
    ...(sorted === undefined
      ? []
      : [safe`sorted by ${trusted(sorted.header.toLowerCase())}${model.sort?.isReversed === true ? safe`, largest first` : safe``}`]),
    ...(model.footerNote === undefined ? [] : [model.footerNote]),
    ...(layout.hiddenCount > 0 ? [safe`${layout.hiddenCount} more columns ← →`] : []),
  ];
  const left: Span = { text: safe` ${trusted(parts.join(' · '))}`, role: 'dim' };
  return composeEnds(theme, width, [left], [{ text: model.footerRight ?? safe``, role: 'dim' }]);
};
