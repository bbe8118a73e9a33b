/** What a cell is sorted by. `undefined` is unknown, and sorts last in both directions. */
export type CellValue = string | number | boolean | undefined;

/** What the numbers of a column measure, and so which units a filter can compare them in. */
export type FigureUnit = 'count' | 'perSecond' | 'bytes' | 'seconds';

/** A column of a table as sorting and filtering know it. The UI adds how it is drawn. `Data` is what cells depend on besides their row, such as a clock. */
export interface Column<Row, Data = undefined> {
  readonly id: string;
  /** The words of the header; a filter knows the column by them too. */
  readonly name?: string | undefined;
  /** Depends on the row alone, so that an order can be kept while rows are the same. */
  readonly value: (row: Row) => CellValue;
  /**
   * The text that a plain filter searches in place of the value. Without it only columns of strings are searched;
   * numbers are found by `column:text`.
   */
  readonly text?: ((row: Row) => string | undefined) | undefined;
  /** Set when the column holds numbers: a filter compares with the value, or with `age`. */
  readonly unit?: FigureUnit | undefined;
  /** Seconds since the moment that is the value, for cells that show an age; `undefined` when unknown. */
  readonly age?: ((row: Row, data: Data) => number | undefined) | undefined;
}

/** A column that a table view can search. */
export interface SearchColumn<Row> extends Column<Row> {
  readonly age?: ((row: Row) => number | undefined) | undefined;
  /** The cell as it is printed. Calls `onDataRead` when that depends on more than the row. */
  readonly print?: ((row: Row, onDataRead: () => void) => string) | undefined;
}
