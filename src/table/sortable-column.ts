import type { FigureUnit } from './filter-figure.ts';

/** A figure of a row as it is sorted and searched. */
export type CellValue = string | number | boolean | undefined;

/** What sorting and filtering need of a table's column. */
export interface SortableColumn<Row> {
  readonly id: string;
  /** What the header says, in words: the filter knows the column by it too. */
  readonly name?: string | undefined;
  /** It holds figures of this unit, and a filter compares with them, or with `age`. */
  readonly unit?: FigureUnit | undefined;
  /** Seconds since the moment that is the value, where the cell says that; `undefined` when not known. Depends on a clock. */
  readonly age?: ((row: Row) => number | undefined) | undefined;
  /** Raw figure to sort on; `undefined` when unknown, which comes last in both directions. */
  value(row: Row): CellValue;
  /**
   * More words that the filter finds the row by. With them a plain filter searches these and not the value;
   * without them it looks only into columns of strings, and numbers are found by `column:text` alone.
   */
  readonly text?: ((row: Row) => string | undefined) | undefined;
  /** The cell as it is printed. Calls `readsOther` when that depends on more than the row, such as a clock. */
  readonly shown?: ((row: Row, readsOther: () => void) => string) | undefined;
}

/** A text of the broker as the table prints it; the same text where nothing has to be escaped. */
export type Printed = (raw: string) => string;

/** Stands between the texts of a row; no filter can contain it, so that no match spans two of them. */
export const separator = '\n';

/** What a plain filter searches in a column; `undefined` when it does not look there. */
export function plainText<Row>(column: SortableColumn<Row>, row: Row, printed: Printed): string | undefined {
  const text = column.text === undefined ? column.value(row) : column.text(row);
  return typeof text === 'string' ? withPrinted(text, printed) : undefined;
}

/** What `column:text` searches: the cell as it is printed, and what stands behind it where one would type that. */
export function columnText<Row>(column: SortableColumn<Row>, row: Row, printed: Printed, readsOther: () => void): string {
  const value = column.value(row);
  const text = column.text?.(row);
  if (typeof value === 'string' && text === undefined) return withPrinted(value, printed);
  const shown = column.shown?.(row, readsOther) ?? (typeof value === 'number' || typeof value === 'string' ? String(value) : '');
  const plain = typeof value === 'number' ? shown.replaceAll(thousands, '') : shown;
  const word = typeof value === 'boolean' && text === undefined ? (value ? 'yes true' : 'no false') : undefined;
  return [...new Set([shown, plain, text, word])].filter((each) => each !== undefined).join(separator);
}

const thousands = /(?<=\d),(?=\d{3})/g;

const withPrinted = (raw: string, printed: Printed): string => {
  const text = printed(raw);
  return text === raw ? raw : raw + separator + text;
};
