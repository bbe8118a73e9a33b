import { type ReactNode, type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { formatCount, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, composeLine, type Line, type Span, wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, spaces, trusted } from '../../terminal/safe-text.ts';
import { cutText, fit, padText, widestFitting, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { fitSpans, rowCursor } from './blocks.ts';
import { type ColumnLayout, type ColumnView, layoutColumns, type PlacedColumn } from './column-layout.ts';
import { cellContext, type Column, isByTrouble, nameOf, type Sort } from './column.ts';
import { Rows, type RowsHandle, useTheme } from './drawing.tsx';
import { boxLines, footFrame } from './panel.ts';
import { tableTexts } from './texts.ts';

/** How a row changed since the last refresh; `old`: it could not be read again. */
export type RowChange = 'new' | 'gone' | 'old';

export interface EmptyMessage extends Span {
  /** The list has not been read, so its length is unknown. */
  readonly isUnread?: true | undefined;
}

export interface TableModel<Row, Data> {
  /** Rows, filtered and sorted; only the visible ones are read. */
  readonly rows: readonly Row[];
  readonly columns: readonly Column<Row, Data>[];
  readonly data: Data;
  readonly getId: (row: Row) => string;
  readonly cursorId?: string | undefined;
  readonly cursorIndex?: number | undefined;
  readonly top: number;
  readonly sort?: Sort | undefined;
  readonly columnView?: ColumnView | undefined;
  readonly getChange?: ((row: Row) => RowChange | undefined) | undefined;
  readonly isMarked?: ((row: Row) => boolean) | undefined;
  /** Returns the row at the last refresh; cells whose value differs are bold. */
  readonly getPrevious?: ((id: string) => Row | undefined) | undefined;
  readonly isStale?: boolean | undefined;
  /** The number of rows that are shown, where it differs from the length. */
  readonly shownCount?: number | undefined;
  /** The number of rows before filtering: `showing 3 of 1,204`. */
  readonly totalCount?: number | undefined;
  readonly message?: EmptyMessage | undefined;
  readonly footerNote?: SafeText | undefined;
  readonly footerRight?: SafeText | undefined;
  /** Draws a panel around the table, with the footer in its border. */
  readonly panelTitle?: SafeText | undefined;
}

const gutterOf = (isMarkable: boolean): number => (isMarkable ? 2 : 1);
/** The width of NEW, GONE or OLD with a space; the header of that column shows how many columns follow. */
export const markWidth = 5;
/** Columns left free at the end of rows without a mark. */
const marginWidth = 1;

/** Lays out a table. The column for changes is kept free only where there is more to scroll to. */
export const tableLayout = <Row, Data>(
  {
    columns,
    columnView,
    hasChanges,
    isMarkable,
  }: Pick<TableModel<Row, Data>, 'columns' | 'columnView'> & {
    readonly hasChanges: boolean;
    readonly isMarkable: boolean;
  },
  width: number,
): ColumnLayout<Row, Data> => {
  const layout = layoutColumns(columns, cellsWidth(width, hasChanges, isMarkable), columnView);
  return layout.rightCount > 0 && !hasChanges
    ? layoutColumns(columns, cellsWidth(width, true, isMarkable), columnView)
    : layout;
};

export const cellsWidth = (width: number, hasChanges: boolean, isMarkable: boolean): number =>
  width - gutterOf(isMarkable) - (hasChanges ? markWidth : marginWidth);

export const sortSign = ({ isReversed }: Sort): SafeText => (isReversed ? glyphs.down : glyphs.up);

const headerCell = <Row, Data>({ column, width }: PlacedColumn<Row, Data>, sort: Sort | undefined): SafeText => {
  if (sort?.columnId !== column.id) {
    return fit(column.header, width, column.align);
  }
  return padText(safe`${cutText(column.header, width - 2)} ${sortSign(sort)}`, width, column.align);
};

/** Draws a cell with its gap, in brackets: one in the gap, the other behind the text, which leaves room for it. */
const inBrackets = (gap: SafeText, cell: SafeText, width: number): SafeText =>
  safe`${trusted(gap.slice(0, -1))}[${padText(safe`${trusted(cell.trimEnd())}]`, width)}`;

/**
 * Says in the first header that the rows are sorted by trouble, where there is room beside its name or the last word of
 * that.
 */
const troubleHeader = <Row, Data>(
  { column: { header, align }, width }: PlacedColumn<Row, Data>,
  sort: Sort,
): SafeText => {
  const order = tableTexts.byTrouble(sort.isReversed);
  const forms = [header, trusted(header.split(' ').at(-1) ?? '')].map((name) => safe`${name}, ${order}`);
  return fit(widestFitting(forms, width) ?? header, width, align);
};

/** Writes the name of a column within a sentence, without capitals. */
const inSentence = <Row, Data>(column: Column<Row, Data>): SafeText =>
  trusted(
    nameOf(column)
      .toLowerCase()
      .replaceAll(/\bid\b/gu, 'ID'),
  );

export const headerLine = <Row, Data>(
  theme: Theme,
  width: number,
  layout: ColumnLayout<Row, Data>,
  sort: Sort | undefined,
  isMarkable: boolean,
): Line => {
  const gap = spaces(layout.gap);
  const firstMoving = layout.leftCount === 0 ? -1 : layout.placed.findIndex(({ column }) => column.isSticky !== true);
  const spans = layout.placed.map((placed, index): Span => {
    const isTarget = placed.column.id === layout.targetId;
    const before = index === firstMoving ? padText(glyphs.left, layout.gap) : gap;
    if (isTarget && index > 0)
      return {
        text: inBrackets(before, headerCell({ ...placed, width: placed.width - 1 }, sort), placed.width),
        role: 'accent',
      };
    const cell = index === 0 && isByTrouble(sort) ? troubleHeader(placed, sort) : headerCell(placed, sort);
    return { text: index === 0 ? cell : safe`${before}${cell}`, role: 'header' };
  });
  const left: readonly Span[] = [{ text: spaces(gutterOf(isMarkable)) }, ...spans];
  return layout.rightCount === 0
    ? composeLine(theme, width, left, 'header')
    : composeEnds(theme, width, left, [{ text: safe`+${layout.rightCount}${glyphs.right}`, role: 'header' }], 'header');
};

/** Whether the values of a row are not those of now. */
const isOld = ({ isStale, mark }: RowFlags): boolean => isStale || mark === 'gone' || mark === 'old';

const gutter = (theme: Theme, { isCursor, isMarked, isMarkable }: RowFlags): readonly Span[] => [
  isCursor ? rowCursor(theme) : { text: safe` ` },
  ...(isMarkable ? [isMarked ? ({ text: glyphs.marked, role: 'marked' } as const) : { text: safe` ` }] : []),
];

const markSpans: Readonly<Record<RowChange, Span>> = {
  new: { text: padText(tableTexts.new, markWidth - 1), role: 'added' },
  gone: { text: padText(tableTexts.gone, markWidth - 1), role: 'gone' },
  old: { text: padText(tableTexts.old, markWidth - 1), role: 'stale' },
};

export interface RowFlags {
  readonly isCursor: boolean;
  readonly isMarked: boolean;
  readonly isMarkable: boolean;
  readonly isStale: boolean;
  readonly mark: RowChange | undefined;
  readonly hasChanges: boolean;
}

/** Texts for nothing, and for what is not known. */
const quietTexts: ReadonlySet<SafeText> = new Set([unknownText, safe`0`, safe`0/s`]);

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
  const usual: Role = isOld(flags) ? 'stale' : 'normal';
  const isPartlyOld = flags.mark === 'old' && !flags.isStale;
  const spans: Span[] = [...gutter(theme, flags)];
  let used = gutterOf(flags.isMarkable);
  for (const [index, { column, width: cellWidth }] of layout.placed.entries()) {
    const isTarget = flags.isCursor && index > 0 && column.id === layout.targetId;
    const textWidth = isTarget ? cellWidth - 1 : cellWidth;
    const context = cellContext(theme, textWidth, data);
    const hasRoles = !isOld(flags) || (isPartlyOld && column.isCurrentInOldRows === true);
    const parts = isTarget || !hasRoles ? undefined : column.spans?.(row, context);
    if (parts !== undefined) {
      spans.push({ text: index === 0 ? safe`` : gap }, ...fitSpans(parts, cellWidth));
      used += cellWidth + (index === 0 ? 0 : layout.gap);
      continue;
    }
    const formatted = column.format(row, context);
    const cell = fit(formatted, textWidth, column.align);
    const own = flags.isCursor ? 'normal' : quietTexts.has(formatted) ? 'dim' : (column.role ?? 'normal');
    const plain = usual !== 'normal' ? usual : ((index === 0 ? column.nameRole?.(row) : undefined) ?? own);
    const isChanged =
      previous !== undefined &&
      column.highlightsChanges !== false &&
      !Object.is(column.value(previous), column.value(row));
    const text = isTarget ? inBrackets(gap, cell, cellWidth) : safe`${gap}${cell}`;
    spans.push({ text: index === 0 ? cell : text, role: isTarget ? 'accent' : isChanged ? 'changed' : plain });
    used += cellWidth + (index === 0 ? 0 : layout.gap);
  }
  if (flags.hasChanges && flags.mark !== undefined) {
    spans.push({ text: spaces(width - used - markWidth + 1) });
    spans.push(markSpans[flags.mark]);
  }
  return composeLine(theme, width, spans, flags.isCursor ? 'cursor' : isPartlyOld ? 'normal' : usual);
};

/** Columns between the left and the right end of a footer. */
const footerGap = 3;

export const footerLine = <Row, Data>(
  theme: Theme,
  width: number,
  layout: ColumnLayout<Row, Data>,
  model: TableModel<Row, Data>,
  rowCount: number,
): Line => {
  const [left, right] = footerTexts(width - 2, layout, model, rowCount);
  return composeEnds(
    theme,
    width,
    [{ text: safe` ${left}`, role: 'dim' }],
    [{ text: right === '' ? right : safe`${right} `, role: 'dim' }],
  );
};

const footerTexts = <Row, Data>(
  width: number,
  layout: ColumnLayout<Row, Data>,
  model: TableModel<Row, Data>,
  rowCount: number,
): readonly [left: SafeText, right: SafeText] => {
  const right = model.footerRight ?? safe``;
  const room = width - widthOf(right) - (right === '' ? 0 : footerGap - 1);
  const forms = footerForms(layout, model, rowCount).map((parts) => joinSafe(parts, safe` · `));
  return [widestFitting(forms, room) ?? forms.at(-1) ?? safe``, trusted(right.trimEnd())];
};

/**
 * Returns names of columns that are hidden: where arrows choose a node, `+2→` in the header does not say that other
 * columns follow.
 */
const hiddenNames = <Row, Data>(
  { placed, targetId, leftCount, rightCount }: ColumnLayout<Row, Data>,
  { columns, columnView }: TableModel<Row, Data>,
): readonly SafeText[] => {
  if (targetId === undefined || leftCount > 0 || rightCount === 0) return [];
  const hidden = columns.filter(
    (column) =>
      !placed.some((each) => each.column.id === column.id) && columnView?.choice?.hidden.has(column.id) !== true,
  );
  return [
    safe`${glyphs.right} ${joinSafe(
      hidden.map((column) => inSentence(column)),
      safe`, `,
    )}`,
  ];
};

/** Returns forms of the footer, longest first. Counts and notes are never dropped. */
const footerForms = <Row, Data>(
  layout: ColumnLayout<Row, Data>,
  model: TableModel<Row, Data>,
  rowCount: number,
): readonly (readonly SafeText[])[] => {
  const { rows, columns, sort, cursorIndex, footerNote, message } = model;
  const shown = model.shownCount ?? rows.length;
  const moreCount = layout.leftCount + layout.rightCount;
  const sorted = columns.find((column) => column.id === sort?.columnId);
  const total = model.totalCount ?? rows.length;
  const count =
    total === 0 && message?.isUnread === true ? unknownText : tableTexts.count(formatCount(shown), formatCount(total));
  const wide = model.columnView?.isWide === true ? [tableTexts.wide] : [];
  const position = formatCount((cursorIndex ?? 0) + 1);
  // A tree has other rows than the ones counted.
  const row =
    cursorIndex === undefined || rows.length <= rowCount
      ? []
      : [rows.length === shown ? tableTexts.row(position) : tableTexts.rowOf(position, formatCount(rows.length))];
  const note = footerNote === undefined ? [] : [footerNote];
  const hidden = layout.hiddenCount > 0 ? [tableTexts.hidden(layout.hiddenCount)] : [];
  const trouble = isByTrouble(sort) ? [tableTexts.byTrouble(sort.isReversed)] : [];
  const by = sorted === undefined ? trouble : [tableTexts.by(inSentence(sorted))];
  const order =
    sorted === undefined || sort === undefined
      ? trouble.map((text) => tableTexts.sorted(text))
      : [tableTexts.sorted(orderText(joinSafe(by), sorted, sort))];
  const more = moreCount > 0 ? [tableTexts.more(moreCount, safe`${glyphs.left} ${glyphs.right}`)] : [];
  const showing = tableTexts.showing(count);
  const names = hiddenNames(layout, model);
  const named = [
    [...wide, showing, ...row, ...note, ...hidden, ...order, ...names],
    [...wide, count, ...row, ...note, ...hidden, ...by, ...names],
  ];
  return [
    ...(names.length === 0 ? [] : named),
    [...wide, showing, ...row, ...note, ...hidden, ...order, ...more],
    [...wide, showing, ...row, ...note, ...hidden, ...order],
    [...wide, showing, ...row, ...note, ...hidden, ...by],
    [...wide, count, ...row, ...note, ...hidden, ...by],
    [...wide, count, ...row, ...note, ...by],
    [...wide, count, ...row, ...note],
    [...wide, count, ...note],
  ];
};

/** Says how many rows there are, and their order. */
export const tableSummary = <Row, Data>({
  columns,
  rows,
  sort,
  totalCount = rows.length,
  shownCount = rows.length,
}: TableModel<Row, Data>): SafeText => {
  const sorted = columns.find((column) => column.id === sort?.columnId);
  const order =
    sort === undefined
      ? []
      : isByTrouble(sort)
        ? [tableTexts.byTrouble(sort.isReversed)]
        : sorted === undefined
          ? []
          : [orderText(tableTexts.by(inSentence(sorted)), sorted, sort)];
  return joinSafe(
    [
      tableTexts.showing(tableTexts.count(formatCount(shownCount), formatCount(totalCount))),
      ...order.map(tableTexts.sorted),
    ],
    safe`, `,
  );
};

const orderText = <Row, Data>(by: SafeText, { align, largest }: Column<Row, Data>, { isReversed }: Sort): SafeText => {
  if (!isReversed) {
    return by;
  }
  return largest === undefined && align !== 'right' ? tableTexts.fromEnd(by) : tableTexts.largestFirst(by, largest);
};

/** Lines of a table that are not rows: header and footer. */
export const frameHeight = 2;

export const visibleRowCount = (height: number, isPanel = false): number =>
  Math.max(0, height - frameHeight - (isPanel ? panelHeight : 0));

/** Lines that a panel adds to that: its footer is in the border. */
export const panelHeight = 1;

type DrawTable<Row, Data> = (
  theme: Theme,
  width: number,
  height: number,
  model: TableModel<Row, Data>,
) => readonly Line[];

export const createTableDrawer = <Row, Data>(): DrawTable<Row, Data> => {
  const drawRows = createRowDrawer<Row, Data>();
  return (theme, outerWidth, height, model) => {
    const { panelTitle } = model;
    const isPanel = panelTitle !== undefined;
    const width = isPanel ? outerWidth - 2 : outerWidth;
    const count = visibleRowCount(height, isPanel);
    const { layout, lines: rowLines } = drawRows(theme, width, count, model);
    const lines: Line[] = [headerLine(theme, width, layout, model.sort, model.isMarked !== undefined), ...rowLines];
    if (model.rows.length === 0 && model.message !== undefined) {
      const { text, role } = model.message;
      lines.push(
        ...wrapWords(text, width - 2)
          .slice(0, count)
          .map((part) => composeLine(theme, width, [{ text: safe` ${trusted(part.trimStart())}`, role }])),
      );
    }
    while (lines.length <= count) {
      lines.push(composeLine(theme, width, []));
    }
    if (!isPanel) return [...lines, footerLine(theme, width, layout, model, count)].slice(0, height);
    const foot = footerTexts(outerWidth - footFrame, layout, model, count);
    return boxLines(theme, outerWidth, { title: panelTitle, border: 'accent', foot }, lines).slice(0, height);
  };
};

export const tableLines = <Row, Data>(
  ...[theme, width, height, model]: Parameters<DrawTable<Row, Data>>
): readonly Line[] => createTableDrawer<Row, Data>()(theme, width, height, model);

/**
 * Returns the id of the column at a place in the header or a row, with the gap before it; `undefined` where there is
 * none.
 */
export const columnAt = <Row, Data>(
  { columns, columnView, getChange, isMarked }: TableModel<Row, Data>,
  width: number,
  x: number,
): string | undefined => {
  const isMarkable = isMarked !== undefined;
  const { placed, gap } = tableLayout({ columns, columnView, hasChanges: getChange !== undefined, isMarkable }, width);
  let end = gutterOf(isMarkable) - gap;
  return placed.find((each) => {
    end += gap + each.width;
    return x < end;
  })?.column.id;
};

/** Draws another position without rendering; `false` where it cannot. */
export interface TableHandle<Row, Data> {
  readonly show: (model: TableModel<Row, Data>) => boolean;
}

export interface TableProps<Row, Data> {
  readonly ref?: Ref<TableHandle<Row, Data>> | undefined;
  readonly model: TableModel<Row, Data>;
  readonly width: number;
  /** The height with header and footer. */
  readonly height: number;
  /** Called with the row that was clicked, counted from the first visible one, and the column. */
  readonly onClickRow?: ((visibleIndex: number, columnId: string | undefined) => void) | undefined;
  /** Called with the column whose header was clicked. */
  readonly onClickHeader?: ((columnId: string) => void) | undefined;
}

/** Draws a table with header, cursor and footer; only visible rows are drawn. */
export const Table = <Row, Data>({
  model,
  width,
  height,
  ref,
  onClickRow,
  onClickHeader,
}: TableProps<Row, Data>): ReactNode => {
  const theme = useTheme();
  const [draw] = useState(() => createTableDrawer<Row, Data>());
  const lines = useMemo(() => draw(theme, width, height, model), [draw, theme, width, height, model]);
  const rows = useRef<RowsHandle>(null);
  useImperativeHandle(
    ref,
    () => ({
      show: (moved) => {
        rows.current?.show(draw(theme, width, height, moved));
        return rows.current !== null;
      },
    }),
    [draw, theme, width, height],
  );
  const onClick = (line: number, x: number): void => {
    const isPanel = model.panelTitle !== undefined;
    const headerAt = isPanel ? 1 : 0;
    const columnId = isPanel ? columnAt(model, width - 2, x - 1) : columnAt(model, width, x);
    if (line === headerAt && columnId !== undefined) onClickHeader?.(columnId);
    if (line > headerAt && line <= headerAt + visibleRowCount(height, isPanel))
      onClickRow?.(line - headerAt - 1, columnId);
  };
  return <Rows ref={rows} lines={lines} onClick={onClick} />;
};

interface DrawInputs<Row, Data> extends Pick<TableModel<Row, Data>, 'columns' | 'columnView' | 'data'> {
  readonly theme: Theme;
  readonly width: number;
  readonly hasChanges: boolean;
  readonly isMarkable: boolean;
}

interface DrawnRow<Row> {
  readonly previous: Row | undefined;
  readonly flags: RowFlags;
  readonly line: Line;
}

interface DrawnRows<Row, Data> {
  readonly layout: ColumnLayout<Row, Data>;
  readonly lines: readonly Line[];
}

const haveSameInputs = <Row, Data>(a: DrawInputs<Row, Data>, b: DrawInputs<Row, Data>): boolean =>
  a.theme === b.theme &&
  a.width === b.width &&
  a.columns === b.columns &&
  a.columnView === b.columnView &&
  Object.is(a.data, b.data) &&
  a.hasChanges === b.hasChanges &&
  a.isMarkable === b.isMarkable;

const isSameFlags = (a: RowFlags, b: RowFlags): boolean =>
  a.isCursor === b.isCursor && a.isMarked === b.isMarked && a.isStale === b.isStale && a.mark === b.mark;

/** Creates a drawer that keeps the line of a row with the same inputs, so rows must not be changed in place. */
export const createRowDrawer = <Row, Data>(): ((
  theme: Theme,
  width: number,
  count: number,
  model: TableModel<Row, Data>,
) => DrawnRows<Row, Data>) => {
  let last:
    | {
        readonly inputs: DrawInputs<Row, Data>;
        readonly layout: ColumnLayout<Row, Data>;
        readonly rows: ReadonlyMap<Row, DrawnRow<Row>>;
      }
    | undefined;
  return (theme, width, count, model) => {
    const { columns, columnView, data } = model;
    const hasChanges = model.getChange !== undefined;
    const isMarkable = model.isMarked !== undefined;
    const inputs: DrawInputs<Row, Data> = { theme, width, columns, columnView, data, hasChanges, isMarkable };
    const known = last !== undefined && haveSameInputs(last.inputs, inputs) ? last : undefined;
    const layout = known?.layout ?? tableLayout({ columns, columnView, hasChanges, isMarkable }, width);
    const rows = new Map<Row, DrawnRow<Row>>();
    const lines = model.rows.slice(model.top, model.top + count).map((row): Line => {
      const id = model.getId(row);
      const previous = model.getPrevious?.(id);
      const flags: RowFlags = {
        isCursor: id === model.cursorId,
        isMarked: model.isMarked?.(row) ?? false,
        isMarkable,
        isStale: model.isStale ?? false,
        mark: model.getChange?.(row),
        hasChanges,
      };
      const before = known?.rows.get(row);
      const drawn =
        before !== undefined && before.previous === previous && isSameFlags(before.flags, flags)
          ? before
          : { previous, flags, line: rowLine(theme, width, layout, data, row, previous, flags) };
      rows.set(row, drawn);
      return drawn.line;
    });
    last = { inputs, layout, rows };
    return { layout, lines };
  };
};
