import { formatCount, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line, type Span } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { cutText, fit, padText, widestFitting, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { type ColumnLayout, type ColumnView, layoutColumns, type PlacedColumn } from './column-layout.ts';
import { cellContext, type Column, nameOf, type Sort } from './column.ts';

/** How a row changed since the last refresh; `old`: it could not be read again. */
export type RowChange = 'new' | 'gone' | 'old';

/** Shown instead of rows. */
export interface EmptyMessage extends Span {
  /** The list has not been read, so its length is unknown. */
  readonly isUnread?: true | undefined;
}

/** A table without its size. */
export interface TableModel<Row, Data> {
  /** Filtered and sorted; only the visible rows are read. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row, Data>[];
  readonly data: Data;
  readonly getId: (row: Row) => string;
  readonly cursorId?: string | undefined;
  /** Index of the cursor, shown in the footer of a long list. */
  readonly cursorIndex?: number | undefined;
  /** Index of the first visible row. */
  readonly top: number;
  readonly sort?: Sort | undefined;
  readonly columnView?: ColumnView | undefined;
  /** NEW, GONE or OLD, in a column at the right end. */
  readonly getChange?: ((row: Row) => RowChange | undefined) | undefined;
  /** Set while rows are marked; marks have a column beside the cursor's. */
  readonly isMarked?: ((row: Row) => boolean) | undefined;
  /** The row at the last refresh; cells whose value differs are bold. */
  readonly getPrevious?: ((id: string) => Row | undefined) | undefined;
  readonly isStale?: boolean | undefined;
  /** The number of rows shown, where it differs from the length. */
  readonly shownCount?: number | undefined;
  /** Rows before filtering: `showing 3 of 1,204`. */
  readonly totalCount?: number | undefined;
  /** Shown instead of rows: loading, empty, failed, nothing matches. */
  readonly message?: EmptyMessage | undefined;
  /** More for the footer: after the counts and at its right end. */
  readonly footerNote?: SafeText | undefined;
  readonly footerRight?: SafeText | undefined;
}

/** Columns before the first cell: cursor and mark. */
const gutterOf = (isMarkable: boolean): number => (isMarkable ? 2 : 1);
/** Width of NEW, GONE or OLD with a space; its header shows how many columns follow. */
export const markWidth = 5;

/** The layout of a table of this width. The column for changes is kept free only where there is more to scroll to. */
export const tableLayout = <Row, Data>(
  { columns, columnView, hasChanges, isMarkable }: Pick<TableModel<Row, Data>, 'columns' | 'columnView'> & { readonly hasChanges: boolean; readonly isMarkable: boolean },
  width: number,
): ColumnLayout<Row, Data> => {
  const layout = layoutColumns(columns, cellsWidth(width, hasChanges, isMarkable), columnView);
  return layout.rightCount > 0 && !hasChanges ? layoutColumns(columns, cellsWidth(width, true, isMarkable), columnView) : layout;
};

/** The width left for cells; `hasChanges`: with the column at the right end. */
export const cellsWidth = (width: number, hasChanges: boolean, isMarkable: boolean): number => width - gutterOf(isMarkable) - (hasChanges ? markWidth : 0);

/** The sign of the sort column. */
export const sortSign = ({ isReversed }: Sort): SafeText => (isReversed ? glyphs.down : glyphs.up);

const headerCell = <Row, Data>({ column, width }: PlacedColumn<Row, Data>, sort: Sort | undefined): SafeText => {
  if (sort?.columnId !== column.id) {
    return fit(column.header, width, column.align);
  }
  return padText(safe`${cutText(column.header, width - 2)} ${sortSign(sort)}`, width, column.align);
};

export const headerLine = <Row, Data>(theme: Theme, width: number, layout: ColumnLayout<Row, Data>, sort: Sort | undefined, isMarkable: boolean): Line => {
  const gap = spaces(layout.gap);
  // A sign where columns were scrolled out, and the number of columns that follow.
  const firstMoving = layout.leftCount === 0 ? -1 : layout.placed.findIndex(({ column }) => column.isSticky !== true);
  const spans = layout.placed.map((placed, index): Span => {
    const cell = headerCell(placed, sort);
    const before = index === firstMoving ? padText(glyphs.left, layout.gap) : gap;
    return { text: index === 0 ? cell : safe`${before}${cell}`, role: 'header' };
  });
  const left: readonly Span[] = [{ text: spaces(gutterOf(isMarkable)) }, ...spans];
  return layout.rightCount === 0
    ? composeLine(theme, width, left, 'header')
    : composeEnds(theme, width, left, [{ text: safe`+${layout.rightCount}${glyphs.right}`, role: 'header' }], 'header');
};

const rowBase = (isCursor: boolean, mark: RowChange | undefined, isStale: boolean): Role => {
  if (isCursor) {
    return 'cursor';
  }
  return isStale || mark === 'gone' || mark === 'old' ? 'stale' : 'normal';
};

const gutter = ({ isCursor, isMarked, isMarkable }: RowFlags): SafeText =>
  safe`${isCursor ? glyphs.cursor : safe` `}${isMarkable ? (isMarked ? glyphs.marked : safe` `) : safe``}`;

const markSpans: Readonly<Record<RowChange, Span>> = {
  new: { text: safe`NEW `, role: 'added' },
  gone: { text: safe`GONE`, role: 'gone' },
  old: { text: safe`OLD `, role: 'stale' },
};

export interface RowFlags {
  readonly isCursor: boolean;
  readonly isMarked: boolean;
  /** Some row is marked. */
  readonly isMarkable: boolean;
  readonly isStale: boolean;
  readonly mark: RowChange | undefined;
  readonly hasChanges: boolean;
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
  const gap = spaces(layout.gap);
  const spans: Span[] = [{ text: gutter(flags), role: flags.isMarked ? 'marked' : 'normal' }];
  let used = gutterOf(flags.isMarkable);
  for (const [index, { column, width: cellWidth }] of layout.placed.entries()) {
    const cell = fit(column.format(row, cellContext(theme, cellWidth, data)), cellWidth, column.align);
    const isChanged = previous !== undefined && column.highlightsChanges !== false && !Object.is(column.value(previous), column.value(row));
    spans.push({ text: index === 0 ? cell : safe`${gap}${cell}`, role: isChanged ? 'changed' : 'normal' });
    used += cellWidth + (index === 0 ? 0 : layout.gap);
  }
  if (flags.hasChanges && flags.mark !== undefined) {
    spans.push({ text: spaces(width - used - markWidth + 1) });
    spans.push(markSpans[flags.mark]);
  }
  return composeLine(theme, width, spans, rowBase(flags.isCursor, flags.mark, flags.isStale));
};

/** The footer: what is shown and the cursor's position, in the longest wording that fits. */
export const footerLine = <Row, Data>(
  theme: Theme,
  width: number,
  layout: ColumnLayout<Row, Data>,
  model: TableModel<Row, Data>,
  rowCount: number,
): Line => {
  const right: Span = { text: model.footerRight ?? safe``, role: 'dim' };
  const room = width - widthOf(right.text) - 1;
  const forms = footerForms(layout, model, rowCount).map((parts) => safe` ${joinSafe(parts, safe` · `)}`);
  const text = widestFitting(forms, room) ?? forms.at(-1) ?? safe``;
  return composeEnds(theme, width, [{ text, role: 'dim' }], [right]);
};

/** The wordings of the footer, longest first. What the header also says is dropped first; counts and notes never. */
const footerForms = <Row, Data>(layout: ColumnLayout<Row, Data>, model: TableModel<Row, Data>, rowCount: number): readonly (readonly SafeText[])[] => {
  const { rows, columns, sort, cursorIndex, footerNote, message } = model;
  const shown = model.shownCount ?? rows.length;
  // A tree has other rows than the ones counted.
  const of = rows.length === shown ? safe`` : safe` of ${formatCount(rows.length)}`;
  const moreCount = layout.leftCount + layout.rightCount;
  const sorted = columns.find((column) => column.id === sort?.columnId);
  const total = model.totalCount ?? rows.length;
  const count = total === 0 && message?.isUnread === true ? unknownText : safe`${formatCount(shown)} of ${formatCount(total)}`;
  const wide = model.columnView?.isWide === true ? [safe`WIDE`] : [];
  const row = cursorIndex === undefined || rows.length <= rowCount ? [] : [safe`row ${formatCount(cursorIndex + 1)}${of}`];
  const note = footerNote === undefined ? [] : [footerNote];
  const hidden = layout.hiddenCount > 0 ? [safe`${layout.hiddenCount} ${layout.hiddenCount === 1 ? safe`column` : safe`columns`} hidden`] : [];
  const by = sorted === undefined ? [] : [safe`by ${trusted(nameOf(sorted).toLowerCase())}`];
  const order = sorted === undefined || sort === undefined ? [] : [safe`sorted ${joinSafe(by)}${orderNote(sorted, sort)}`];
  const more = moreCount > 0 ? [safe`${moreCount} more ${moreCount === 1 ? safe`column` : safe`columns`} ${glyphs.left} ${glyphs.right}`] : [];
  const showing = safe`showing ${count}`;
  return [
    [...wide, showing, ...row, ...note, ...hidden, ...order, ...more],
    [...wide, showing, ...row, ...note, ...hidden, ...order],
    [...wide, showing, ...row, ...note, ...hidden, ...by],
    [...wide, count, ...row, ...note, ...hidden, ...by],
    [...wide, count, ...row, ...note, ...by],
    [...wide, count, ...row, ...note],
    [...wide, count, ...note],
  ];
};

const orderNote = <Row, Data>({ align, largest }: Column<Row, Data>, { isReversed }: Sort): SafeText => {
  if (!isReversed) {
    return safe``;
  }
  return largest === undefined && align !== 'right' ? safe`, from the end` : safe`, ${largest ?? safe`largest`} first`;
};
