import { createRowFinder } from '../domain/row-finder.ts';
import { mapInPortions, type Steps } from '../domain/steps.ts';
import { type CellValue, type SortableColumn, sortOrder } from './sorting.ts';

/** How long figures may differ from those that the rows were put in order by. */
const holdMs = 5_000;

export interface HeldOrderOptions<Row> {
  /** By which a row is the same as in the rows before. */
  readonly getId: (row: Row) => string;
  /** A clock that only moves forward; `performance.now()` unless given. */
  readonly nowMs?: (() => number) | undefined;
}

/** Puts rows in order by a column; an order as `sortOrder` makes it, the same object while nothing changed. */
export type OrderRows<Row> = (rows: readonly Row[], column: SortableColumn<Row>, isDescending: boolean) => Steps<Uint32Array>;

interface Held<Row> {
  readonly column: SortableColumn<Row>;
  readonly isDescending: boolean;
  readonly sinceMs: number;
  /** Figures: the rows keep the places that they have by these. */
  readonly isFigure: boolean;
  readonly rows: readonly Row[];
  /** What the rows were put in order by, one for each. */
  readonly sorted: readonly CellValue[];
  readonly order: Uint32Array;
  /** They are what the rows say now. */
  readonly isPresent: boolean;
}

/**
 * Sorts by figures more seldom than they change, so that rows do not dance: for some seconds a row keeps the
 * place that it has by the figure it had. New rows come in by theirs, and another column or direction sorts at once.
 * To be asked now and then while nothing changes, too: the order of the last figures is due by then.
 */
export function createHeldOrder<Row>({ getId, nowMs = () => performance.now() }: HeldOrderOptions<Row>): OrderRows<Row> {
  let held: Held<Row> | undefined;

  function* present(rows: readonly Row[], column: SortableColumn<Row>, isDescending: boolean): Steps<Held<Row>> {
    const same = held?.column === column ? held : undefined;
    const known = same?.isPresent === true ? same : undefined;
    const values = yield* mapInPortions(rows, (row, place): CellValue => (
      known !== undefined && place < known.rows.length && known.rows[place] === row ? known.sorted[place] : column.value(row)
    ));
    const isFigure = typeof values.find((value) => value !== undefined) === 'number';
    const order = yield* orderOf(values, same?.isDescending === isDescending ? same : undefined, isDescending);
    return { column, isDescending, sinceMs: nowMs(), isFigure, rows, sorted: values, order, isPresent: true };
  }

  function* keepPlaces(rows: readonly Row[], before: Held<Row>): Steps<Held<Row>> {
    const { column } = before;
    const find = createRowFinder(before.rows, getId);
    let isPresent = true;
    const sorted = yield* mapInPortions(rows, (row): CellValue => {
      const place = find(row);
      const known = place === undefined ? undefined : before.sorted[place];
      const value = column.value(row);
      if (known !== undefined && known !== value) isPresent = false;
      return known ?? value;
    });
    const order = yield* orderOf(sorted, before, before.isDescending);
    return { ...before, rows, sorted, order, isPresent };
  }

  return function* order(rows, column, isDescending) {
    const isSame = held?.column === column && held.isDescending === isDescending;
    const isLasting = isSame && held !== undefined && nowMs() - held.sinceMs < holdMs;
    if (held !== undefined && isSame && held.rows === rows && (held.isPresent || isLasting)) return held.order;
    // Names do not change from one reading to the next. Until it is done, what is held stays: others may ask meanwhile.
    const next = yield* (held !== undefined && isLasting && held.isFigure ? keepPlaces(rows, held) : present(rows, column, isDescending));
    held = next;
    return next.order;
  };
}

/** The order of the values; the one before where they are the same, as names are at nearly every refresh. */
function* orderOf<Row>(values: readonly CellValue[], before: Held<Row> | undefined, isDescending: boolean): Steps<Uint32Array> {
  return before !== undefined && isSameList(values, before.sorted) ? before.order : yield* sortOrder(values, isDescending);
}

/** A loop: for 100,000 values `every` takes several times as long. */
function isSameList(a: readonly CellValue[], b: readonly CellValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index] && !Object.is(a[index], b[index])) return false;
  return true;
}
