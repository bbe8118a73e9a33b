import { useMemo, type ReactNode } from 'react';
import { safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { Theme } from '../theme.ts';
import { type Line, composeLine } from './line.ts';
import { Rows } from './rows.tsx';
import { type TableModel, footerLine, headerLine, rowLine, tableLayout } from './table-lines.ts';
import { wrapWords } from '../wrap-words.ts';

/** Lines of a table that are not rows: header and footer. */
const frameHeight = 2;

/** Rows that fit into a table of this height. */
export const visibleRowCount = (height: number): number => Math.max(0, height - frameHeight);

/** A table as exactly `height` finished lines of exactly `width` columns. */
export const tableLines = <Row, Data>(theme: Theme, width: number, height: number, model: TableModel<Row, Data>): readonly Line[] => {
  const hasMarks = model.getMark !== undefined;
  const isMarkable = model.isMarked !== undefined;
  const layout = tableLayout({ ...model, hasMarks, isMarkable }, width);
  const count = visibleRowCount(height);
  const lines: Line[] = [headerLine(theme, width, layout, model.sort, isMarkable)];
  for (const row of model.rows.slice(model.top, model.top + count)) {
    const id = model.getId(row);
    lines.push(
      rowLine(theme, width, layout, model.data, row, model.getPrevious?.(id), {
        isCursor: id === model.cursorId,
        isMarked: model.isMarked?.(row) ?? false,
        isMarkable,
        isStale: model.isStale ?? false,
        mark: model.getMark?.(row),
        hasMarks,
      }),
    );
  }
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

export interface TableProps<Row, Data> {
  readonly model: TableModel<Row, Data>;
  readonly width: number;
  /** Lines with header and footer. */
  readonly height: number;
}

/** A list with a header, a cursor on an identity and a footer; draws the visible window and nothing else. */
export const Table = <Row, Data>({ model, width, height }: TableProps<Row, Data>): ReactNode => {
  const theme = useTheme();
  const lines = useMemo(() => tableLines(theme, width, height, model), [theme, width, height, model]);
  return <Rows lines={lines} />;
};
