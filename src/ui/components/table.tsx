import { type ReactNode, type Ref, useImperativeHandle, useMemo, useRef, useState } from 'react';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { ColumnLayout } from './column-layout.ts';
import { Rows, type RowsHandle } from './painted.tsx';
import { footerLine, headerLine, type RowFlags, rowLine, tableLayout, type TableModel } from './table-lines.ts';
import { useTheme } from './theme-context.ts';

/** Lines of a table that are not rows: header and footer. */
const frameHeight = 2;

/** Rows that fit into this height. */
export const visibleRowCount = (height: number): number => Math.max(0, height - frameHeight);

/** A table as exactly `height` lines of `width` columns. */
type DrawTable<Row, Data> = (theme: Theme, width: number, height: number, model: TableModel<Row, Data>) => readonly Line[];

/** Draws a table repeatedly; unchanged rows keep their lines. */
export const createTableDrawer = <Row, Data>(): DrawTable<Row, Data> => {
  const drawRows = createRowDrawer<Row, Data>();
  return (theme, width, height, model) => {
    const count = visibleRowCount(height);
    const { layout, lines: rowLines } = drawRows(theme, width, count, model);
    const lines: Line[] = [headerLine(theme, width, layout, model.sort, model.isMarked !== undefined), ...rowLines];
    if (model.rows.length === 0 && model.message !== undefined) {
      const { text, role } = model.message;
      lines.push(...wrapWords(text, width - 2).slice(0, count).map((part) => composeLine(theme, width, [{ text: safe` ${part}`, role }])));
    }
    while (lines.length <= count) {
      lines.push(composeLine(theme, width, []));
    }
    lines.push(footerLine(theme, width, layout, model, count));
    return lines.slice(0, height);
  };
};

/** The lines of a table that is drawn once. */
export const tableLines = <Row, Data>(...[theme, width, height, model]: Parameters<DrawTable<Row, Data>>): readonly Line[] =>
  createTableDrawer<Row, Data>()(theme, width, height, model);

/** Draws another position without a rendering; `false` where it cannot. */
export interface TableHandle<Row, Data> {
  readonly show: (model: TableModel<Row, Data>) => boolean;
}

export interface TableProps<Row, Data> {
  readonly ref?: Ref<TableHandle<Row, Data>> | undefined;
  readonly model: TableModel<Row, Data>;
  readonly width: number;
  /** Including header and footer. */
  readonly height: number;
}

/** A table with header, cursor and footer; only visible rows are drawn. */
export const Table = <Row, Data>({ model, width, height, ref }: TableProps<Row, Data>): ReactNode => {
  const theme = useTheme();
  const [draw] = useState(() => createTableDrawer<Row, Data>());
  const lines = useMemo(() => draw(theme, width, height, model), [draw, theme, width, height, model]);
  const rows = useRef<RowsHandle>(null);
  useImperativeHandle(ref, () => ({
    show: (moved) => {
      rows.current?.show(draw(theme, width, height, moved));
      return rows.current !== null;
    },
  }), [draw, theme, width, height]);
  return <Rows ref={rows} lines={lines} />;
};

/** Inputs shared by all rows. */
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
  a.theme === b.theme && a.width === b.width && a.columns === b.columns && a.columnView === b.columnView && Object.is(a.data, b.data) && a.hasChanges === b.hasChanges && a.isMarkable === b.isMarkable;

/** For rows with the same inputs. */
const isSameFlags = (a: RowFlags, b: RowFlags): boolean =>
  a.isCursor === b.isCursor && a.isMarked === b.isMarked && a.isStale === b.isStale && a.mark === b.mark;

/**
 * Draws the visible rows of one table. A row with the same inputs as before keeps its line, so a key costs only what it
 * changes. Rows are compared by object and must not be changed in place.
 */
export const createRowDrawer = <Row, Data>(): ((theme: Theme, width: number, count: number, model: TableModel<Row, Data>) => DrawnRows<Row, Data>) => {
  let last: { readonly inputs: DrawInputs<Row, Data>; readonly layout: ColumnLayout<Row, Data>; readonly rows: ReadonlyMap<Row, DrawnRow<Row>> } | undefined;
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
      const drawn = before !== undefined && before.previous === previous && isSameFlags(before.flags, flags)
        ? before
        : { previous, flags, line: rowLine(theme, width, layout, data, row, previous, flags) };
      rows.set(row, drawn);
      return drawn.line;
    });
    last = { inputs, layout, rows };
    return { layout, lines };
  };
};
