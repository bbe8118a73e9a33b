import { createRowFinder } from '../domain/row-finder.ts';
import { mapInBatches, type SlicedTask } from '../domain/sliced-task.ts';
import type { CellValue, Column } from './column.ts';
import { sortOrder } from './sort-order.ts';

const holdMs = 5_000;

export interface HeldOrderOptions<Row> {
  readonly getId: (row: Row) => string;
  readonly nowMs?: (() => number) | undefined;
}

/** Sorts rows by a column. Returns indexes as `sortOrder` does, the same object while nothing changed. */
export type OrderRows<Row> = (rows: readonly Row[], column: Column<Row>, isDescending: boolean) => SlicedTask<Uint32Array>;

interface Held<Row> {
  readonly column: Column<Row>;
  readonly isDescending: boolean;
  readonly sinceMs: number;
  readonly isNumeric: boolean;
  readonly rows: readonly Row[];
  readonly values: readonly CellValue[];
  readonly order: Uint32Array;
  /** The values are those of the rows now. */
  readonly isCurrent: boolean;
}

/**
 * Sorts by numbers less often than they change, so that rows do not jump: for five seconds a row keeps the place of its
 * earlier value. New rows are placed by theirs, and another column or direction sorts at once.
 * Has to be called now and then while nothing changes, too, for the order to catch up.
 */
export function createHeldOrder<Row>({ getId, nowMs = () => performance.now() }: HeldOrderOptions<Row>): OrderRows<Row> {
  let held: Held<Row> | undefined;

  function* sortNow(rows: readonly Row[], column: Column<Row>, isDescending: boolean): SlicedTask<Held<Row>> {
    const before = held?.column === column ? held : undefined;
    const known = before?.isCurrent === true ? before : undefined;
    const values = yield* mapInBatches(rows, (row, index): CellValue => (
      known !== undefined && index < known.rows.length && known.rows[index] === row ? known.values[index] : column.value(row)
    ));
    const isNumeric = typeof values.find((value) => value !== undefined) === 'number';
    const order = yield* orderOf(values, before?.isDescending === isDescending ? before : undefined, isDescending);
    return { column, isDescending, sinceMs: nowMs(), isNumeric, rows, values, order, isCurrent: true };
  }

  function* keepPlaces(rows: readonly Row[], before: Held<Row>): SlicedTask<Held<Row>> {
    const { column } = before;
    const find = createRowFinder(before.rows, getId);
    let isCurrent = true;
    const values = yield* mapInBatches(rows, (row): CellValue => {
      const index = find(row);
      const known = index === undefined ? undefined : before.values[index];
      const value = column.value(row);
      if (known !== undefined && known !== value) isCurrent = false;
      return known ?? value;
    });
    const order = yield* orderOf(values, before, before.isDescending);
    return { ...before, rows, values, order, isCurrent };
  }

  return function* orderRows(rows, column, isDescending) {
    const isSame = held?.column === column && held.isDescending === isDescending;
    const isHolding = isSame && held !== undefined && nowMs() - held.sinceMs < holdMs;
    if (held !== undefined && isSame && held.rows === rows && (held.isCurrent || isHolding)) return held.order;
    // `held` is replaced at the end only: other queries may run in between.
    const next = yield* (held !== undefined && isHolding && held.isNumeric ? keepPlaces(rows, held) : sortNow(rows, column, isDescending));
    held = next;
    return next.order;
  };
}

/** Reuses the order before when the values are the same, as names nearly always are. */
function* orderOf<Row>(values: readonly CellValue[], before: Held<Row> | undefined, isDescending: boolean): SlicedTask<Uint32Array> {
  return before !== undefined && areSame(values, before.values) ? before.order : yield* sortOrder(values, isDescending);
}

/** A loop: for 100,000 values `every` takes several times as long. */
function areSame(a: readonly CellValue[], b: readonly CellValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index] && !Object.is(a[index], b[index])) return false;
  return true;
}
