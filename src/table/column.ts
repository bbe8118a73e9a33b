/** A value; `undefined` is unknown, and sorts last in both directions. */
export type CellValue = string | number | boolean | undefined;

/** A `time` is in seconds on the broker's clock, a `moment` in milliseconds since 1970. */
export type ValueType = 'text' | 'number' | 'boolean' | 'time' | 'moment';

export type FigureUnit = 'count' | 'perSecond' | 'bytes' | 'seconds';

/** A column of rows. Cells also depend on `Data`, such as a clock. */
export interface TableColumn<Row, Data = undefined> {
  readonly id: string;
  readonly name?: string | undefined;
  /** Further names in a filter, in lower case. */
  readonly aliases?: readonly string[] | undefined;
  /** Must depend on the row alone, so that an order can be kept while rows are the same. */
  readonly value: (row: Row) => CellValue;
  /**
   * Orders rows whose values are equal or unknown, smallest first in both directions; by default they keep their order.
   */
  readonly tieBreak?: ((row: Row) => CellValue) | undefined;
  /**
   * The text that a plain filter searches in place of the value. Without it only columns of strings are searched;
   * numbers are found by `column:text`.
   */
  readonly text?: ((row: Row) => string | undefined) | undefined;
  readonly unit?: FigureUnit | undefined;
  /** The type in an export; by default `text`. */
  readonly type?: ValueType | undefined;
  /** The value in an export, where `value` is only for sorting. */
  readonly raw?: ((row: Row) => CellValue) | undefined;
  /** Seconds since the time in the value, for cells that show an age; `undefined` if unknown. */
  readonly age?: ((row: Row, data: Data) => number | undefined) | undefined;
}

export interface SearchColumn<Row> extends TableColumn<Row> {
  readonly age?: ((row: Row) => number | undefined) | undefined;
  /** Prints the cell. Calls `onDataRead` when the text depends on more than the row. */
  readonly print?: ((row: Row, onDataRead: () => void) => string) | undefined;
}
