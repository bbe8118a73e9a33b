import { sortOrder } from './sort-order.ts';
import type { CellValue, SortableColumn } from './sortable-column.ts';

/** How long figures may differ from those that the rows were put in order by. */
const holdMs = 5_000;

export interface HeldOrderOptions<Row> {
  /** By which a row is the same as in the rows before. */
  readonly getId: (row: Row) => string;
  /** A clock that only moves forward; `performance.now()` unless given. */
  readonly nowMs?: (() => number) | undefined;
}

/** Puts rows in order by a column; an order as `sortOrder` makes it. */
export type OrderRows<Row> = (rows: readonly Row[], column: SortableColumn<Row>, isDescending: boolean) => Uint32Array;

const isSameList = (a: readonly CellValue[], b: readonly CellValue[]): boolean => a.length === b.length && a.every((value, index) => Object.is(value, b[index]));

/** The order as the values are now. */
export const presentOrder = <Row>(rows: readonly Row[], column: SortableColumn<Row>, isDescending: boolean): Uint32Array =>
  sortOrder(rows.map((row) => column.value(row)), isDescending);

interface Held<Row> {
  readonly column: SortableColumn<Row>;
  readonly isDescending: boolean;
  readonly sinceMs: number;
  /** By which the rows are held, by id; `undefined` where they are not. */
  readonly values: Map<string, CellValue> | undefined;
  rows: readonly Row[];
  /** What the rows were put in order by. */
  sorted: readonly CellValue[];
  order: Uint32Array;
  isPresent: boolean;
}

/**
 * Sorts by figures more seldom than they change, so that rows do not dance: for some seconds a row keeps the
 * place that it has by the figure it had. New rows come in by theirs, and another column or direction sorts at once.
 * To be asked now and then while nothing changes, too: the order of the last figures is due by then.
 */
export function createHeldOrder<Row>({ getId, nowMs = () => performance.now() }: HeldOrderOptions<Row>): OrderRows<Row> {
  let held: Held<Row> | undefined;

  const isLasting = (column: SortableColumn<Row>, isDescending: boolean): boolean =>
    held !== undefined && held.column === column && held.isDescending === isDescending && nowMs() - held.sinceMs < holdMs;

  /** The order of the values; the one before where they are the same, as names are at nearly every refresh. */
  const orderOf = (values: readonly CellValue[], column: SortableColumn<Row>, isDescending: boolean): Uint32Array =>
    held !== undefined && held.column === column && held.isDescending === isDescending && isSameList(values, held.sorted)
      ? held.order
      : sortOrder(values, isDescending);

  function present(rows: readonly Row[], column: SortableColumn<Row>, isDescending: boolean): Uint32Array {
    const values = rows.map((row) => column.value(row));
    const order = orderOf(values, column, isDescending);
    // Names do not change from one reading to the next.
    const isFigure = typeof values.find((value) => value !== undefined) === 'number';
    held = { column, isDescending, sinceMs: nowMs(), values: isFigure ? new Map(rows.map((row, index) => [getId(row), values[index]])) : undefined, rows, sorted: values, order, isPresent: true };
    return order;
  }

  return (rows, column, isDescending) => {
    if (held !== undefined && held.rows === rows && held.column === column && held.isDescending === isDescending && (held.isPresent || isLasting(column, isDescending))) {
      return held.order;
    }
    const values = isLasting(column, isDescending) ? held?.values : undefined;
    if (held === undefined || values === undefined) return present(rows, column, isDescending);
    let isPresent = true;
    const sorted = rows.map((row) => {
      const [id, value] = [getId(row), column.value(row)];
      const known = values.get(id);
      if (known === undefined) values.set(id, value);
      else if (known !== value) isPresent = false;
      return known ?? value;
    });
    Object.assign(held, { rows, sorted, order: orderOf(sorted, column, isDescending), isPresent });
    return held.order;
  };
}
