import type { Theme } from '../../terminal/theme.ts';
import { cellContext, type Column, nameOf } from '../components/column.ts';
import { spokenLine } from '../speech/speaker.ts';
import { speechTexts } from '../speech/texts.ts';

/** Limits a cell that its column does not. */
const widestCell = 200;

/** Limits the cells of a row; the column chooser brings others to the front. */
const maxCells = 10;

export interface SpokenRow<Row, Data> {
  readonly columns: readonly Column<Row, Data>[];
  readonly row: Row;
  readonly data: Data;
  /** The column that actions apply to. */
  readonly targetId?: string | undefined;
  readonly isMarked?: boolean | undefined;
}

/** Says a row as a sentence: its name, then its first cells with their headers; what is empty is left out. */
export function rowSpeech<Row, Data>(
  theme: Theme,
  { columns, row, data, targetId, isMarked = false }: SpokenRow<Row, Data>,
): string {
  const [first, ...others] = columns;
  const target = others.find(({ id }) => id === targetId);
  const cellOf = (column: Column<Row, Data>): string =>
    spokenLine(
      column.format(
        row,
        cellContext(theme, typeof column.width === 'number' ? column.width : (column.width.max ?? widestCell), data),
      ),
    );
  const cells = [...(target === undefined ? [] : [target]), ...others.filter((column) => column !== target)].flatMap(
    (column) => {
      const cell = cellOf(column);
      return cell === '' ? [] : [`${nameOf(column).toLowerCase()} ${cell}`];
    },
  );
  const name = first === undefined ? '' : cellOf(first);
  return [...(name === '' ? [] : [name]), ...(isMarked ? [speechTexts.marked] : []), ...cells.slice(0, maxCells)].join(
    ', ',
  );
}
