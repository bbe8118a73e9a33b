/** A figure of a row as it is sorted and searched. */
export type CellValue = string | number | boolean | undefined;

/** What sorting and filtering need of a table's column. */
export interface SortableColumn<Row> {
  readonly id: string;
  /** Raw figure to sort on; `undefined` when unknown, which comes last in both directions. */
  value(row: Row): CellValue;
  /**
   * What the filter searches, when that is not the value: the text as it is shown. Without it a plain
   * filter looks only into columns of strings, and numbers are found by `column:text` alone.
   */
  readonly text?: ((row: Row) => string | undefined) | undefined;
}

/** What a plain filter searches in a column; `undefined` when it does not look there. */
export function plainText<Row>(column: SortableColumn<Row>, row: Row): string | undefined {
  if (column.text !== undefined) return column.text(row);
  const value = column.value(row);
  return typeof value === 'string' ? value : undefined;
}

/** What `column:text` searches. */
export function columnText<Row>(column: SortableColumn<Row>, row: Row): string {
  if (column.text !== undefined) return column.text(row) ?? '';
  const value = column.value(row);
  if (typeof value === 'boolean') return value ? 'yes true' : 'no false';
  return value === undefined ? '' : String(value);
}
