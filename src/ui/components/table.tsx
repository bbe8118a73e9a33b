import { useImperativeHandle, useMemo, useRef, useState, type ReactNode, type Ref } from 'react';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, composeLine } from '../../terminal/line.ts';
import { Rows, type RowsHandle } from './rows.tsx';
import { createRowDrawer } from './row-drawer.ts';
import { type TableModel, footerLine, headerLine } from './table-lines.ts';
import { wrapWords } from '../../terminal/wrap-words.ts';

/** Lines of a table that are not rows: header and footer. */
const frameHeight = 2;

/** Rows that fit into a table of this height. */
export const visibleRowCount = (height: number): number => Math.max(0, height - frameHeight);

/** A table as exactly `height` finished lines of exactly `width` columns. */
type DrawTable<Row, Data> = (theme: Theme, width: number, height: number, model: TableModel<Row, Data>) => readonly Line[];

/** Draws one table again and again: rows of which nothing changed are not made anew. */
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

/** Shows another place of the same table without a rendering; `false` where that cannot be. */
export interface TableHandle<Row, Data> {
  readonly show: (model: TableModel<Row, Data>) => boolean;
}

export interface TableProps<Row, Data> {
  readonly ref?: Ref<TableHandle<Row, Data>> | undefined;
  readonly model: TableModel<Row, Data>;
  readonly width: number;
  /** Lines with header and footer. */
  readonly height: number;
}

/** A list with a header, a cursor on an identity and a footer; draws the visible window and nothing else. */
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
