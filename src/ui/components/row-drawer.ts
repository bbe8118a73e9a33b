import type { Theme } from '../../terminal/theme.ts';
import type { ColumnLayout } from './column-layout.ts';
import type { Line } from '../../terminal/line.ts';
import { type RowFlags, type TableModel, rowLine, tableLayout } from './table-lines.ts';

/** What all rows are drawn with. */
interface Ground<Row, Data> extends Pick<TableModel<Row, Data>, 'columns' | 'columnView' | 'data'> {
  readonly theme: Theme;
  readonly width: number;
  readonly hasMarks: boolean;
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

const isSameGround = <Row, Data>(a: Ground<Row, Data>, b: Ground<Row, Data>): boolean =>
  a.theme === b.theme && a.width === b.width && a.columns === b.columns && a.columnView === b.columnView && Object.is(a.data, b.data) && a.hasMarks === b.hasMarks && a.isMarkable === b.isMarkable;

/** Of rows on the same ground. */
const isSameFlags = (a: RowFlags, b: RowFlags): boolean =>
  a.isCursor === b.isCursor && a.isMarked === b.isMarked && a.isStale === b.isStale && a.mark === b.mark;

/**
 * Draws the window of one table, `count` rows at most. A row that stood in it the time before, and is drawn with the
 * same, keeps its line: so a key costs as much as what it changes. Rows are told by object, and never changed in place.
 */
export const createRowDrawer = <Row, Data>(): ((theme: Theme, width: number, count: number, model: TableModel<Row, Data>) => DrawnRows<Row, Data>) => {
  let last: { readonly ground: Ground<Row, Data>; readonly layout: ColumnLayout<Row, Data>; readonly rows: ReadonlyMap<Row, DrawnRow<Row>> } | undefined;
  return (theme, width, count, model) => {
    const { columns, columnView, data } = model;
    const hasMarks = model.getMark !== undefined;
    const isMarkable = model.isMarked !== undefined;
    const ground: Ground<Row, Data> = { theme, width, columns, columnView, data, hasMarks, isMarkable };
    const known = last !== undefined && isSameGround(last.ground, ground) ? last : undefined;
    const layout = known?.layout ?? tableLayout({ columns, columnView, hasMarks, isMarkable }, width);
    const rows = new Map<Row, DrawnRow<Row>>();
    const lines = model.rows.slice(model.top, model.top + count).map((row): Line => {
      const id = model.getId(row);
      const previous = model.getPrevious?.(id);
      const flags: RowFlags = {
        isCursor: id === model.cursorId,
        isMarked: model.isMarked?.(row) ?? false,
        isMarkable,
        isStale: model.isStale ?? false,
        mark: model.getMark?.(row),
        hasMarks,
      };
      const before = known?.rows.get(row);
      const drawn = before !== undefined && before.previous === previous && isSameFlags(before.flags, flags)
        ? before
        : { previous, flags, line: rowLine(theme, width, layout, data, row, previous, flags) };
      rows.set(row, drawn);
      return drawn.line;
    });
    last = { ground, layout, rows };
    return { layout, lines };
  };
};
