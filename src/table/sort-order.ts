import { createRowFinder } from '../domain/memoise.ts';
import { compareNatural, measureTexts, packNatural, type Texts } from '../domain/natural-order.ts';
import { inBatches, mapInBatches, type SlicedTask } from '../domain/sliced-task.ts';
import type { CellValue, TableColumn } from './column.ts';

/** Texts that are equal in these bytes are compared in full. */
const maxPackedBytes = 32;
const radix = 65_536;
const maxRankedTexts = 1_000;

/**
 * Sorts values and returns their indexes: stable, with `undefined` and NaN last in both directions. Numbers and
 * booleans sort by size; if there is any text, everything sorts as text in natural order. A radix sort: 100,000 values
 * take 10 to 60 ms. @param ties the order of equal and of unknown values; by default that of `values`
 */
export function* sortOrder(
  values: readonly CellValue[],
  isDescending: boolean,
  ties?: Uint32Array,
): SlicedTask<Uint32Array> {
  const order = new Uint32Array(values.length);
  let knownCount = 0;
  let hasText = false;
  for (let place = 0; place < values.length; place += 1) {
    const index = ties?.[place] ?? place;
    const value = values[index];
    if (isUnknown(value)) continue;
    order[knownCount++] = index;
    if (typeof value === 'string') hasText = true;
  }
  let end = knownCount;
  for (let place = 0; end < values.length; place += 1) {
    const index = ties?.[place] ?? place;
    if (isUnknown(values[index])) order[end++] = index;
  }
  const known = order.subarray(0, knownCount);
  // Reversed before and after, equal values keep their order.
  if (isDescending) known.reverse();
  yield;
  known.set(yield* hasText ? sortTexts(values, known) : sortNumbers(values, known));
  if (isDescending) known.reverse();
  return order;
}

const isUnknown = (value: CellValue): boolean => value === undefined || Number.isNaN(value);

function* sortNumbers(values: readonly CellValue[], known: Uint32Array): SlicedTask<Uint32Array> {
  const numbers = new Float64Array(known.length);
  for (let at = 0; at < known.length; at += 1) numbers[at] = Number(values[known[at] ?? 0]);
  const words = new Uint16Array(numbers.buffer);
  for (let at = 0; at < known.length; at += 1) {
    const top = at * 4 + 3;
    // The bits of a double sort like an integer if negative ones are inverted and the sign of others is flipped; -0 is 0.
    if (numbers[at] === 0) words[top] = 0;
    const isNegative = ((words[top] ?? 0) & 0x8000) !== 0;
    for (let word = 0; word < 4; word += 1) {
      const bits = words[at * 4 + word] ?? 0;
      words[at * 4 + word] = isNegative ? ~bits : word === 3 ? bits | 0x8000 : bits;
    }
  }
  const passes = createPasses(known.length);
  for (let word = 0; word < 4; word += 1) {
    yield;
    passes.sortBy(words, 4, word);
  }
  return pick(known, passes.order());
}

function* sortTexts(values: readonly CellValue[], known: Uint32Array): SlicedTask<Uint32Array> {
  const texts: Texts = { length: known.length, at: (place) => String(values[known[place] ?? 0]) };
  const ranks = rankTexts(texts);
  const passes = createPasses(known.length);
  if (ranks !== undefined) {
    passes.sortBy(ranks, 1, 0);
    return pick(known, passes.order());
  }
  const { shared: skip, longest } = yield* measureTexts(texts);
  // A number takes one byte more than its digits.
  const width = Math.min(maxPackedBytes, 2 * Math.ceil(((longest - skip) * 1.5 + 1) / 2));
  const bytes = takeBuffer(known.length * width);
  yield* inBatches(texts.length, (start, end) => {
    for (let at = start; at < end; at += 1) packNatural(texts.at(at), skip, bytes, at * width, width);
  });
  const words = toWords(bytes);
  for (let word = width / 2 - 1; word >= 0; word -= 1) {
    yield;
    passes.sortBy(words, width / 2, word);
  }
  yield;
  const order = passes.order();
  yield* sortTies(order, texts, words, width / 2);
  releaseBuffer(bytes);
  return pick(known, order);
}

function rankTexts(texts: Texts): Uint16Array | undefined {
  const places = new Map<string, number>();
  const placeOf = new Uint16Array(texts.length);
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts.at(at);
    let place = places.get(text);
    if (place === undefined) {
      if (places.size === maxRankedTexts) return undefined;
      place = places.size;
      places.set(text, place);
    }
    placeOf[at] = place;
  }
  const distinct = [...places.keys()];
  const rankOf = new Uint16Array(distinct.length);
  distinct.toSorted(compareNatural).forEach((text, rank) => {
    rankOf[places.get(text) ?? 0] = rank;
  });
  for (let at = 0; at < texts.length; at += 1) placeOf[at] = rankOf[placeOf[at] ?? 0] ?? 0;
  return placeOf;
}

/** Reused, because 3 MB for 100,000 texts would be freed late. Larger buffers are not kept. */
const maxKeptBytes = 4 * 2 ** 20;
const noBuffer = new Uint8Array(0);
let buffer = noBuffer;

function takeBuffer(length: number): Uint8Array<ArrayBuffer> {
  const taken = buffer;
  buffer = noBuffer;
  if (taken.length < length) return new Uint8Array(length);
  return taken.subarray(0, length).fill(0);
}

function releaseBuffer(taken: Uint8Array<ArrayBuffer>): void {
  if (taken.buffer.byteLength <= maxKeptBytes) buffer = new Uint8Array(taken.buffer);
}

function toWords(bytes: Uint8Array<ArrayBuffer>): Uint16Array {
  const words = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  for (let at = 0; at < words.length; at += 1) words[at] = ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0);
  return words;
}

const counts = new Uint32Array(radix);

interface Passes {
  sortBy(words: Uint16Array, width: number, word: number): void;
  order(): Uint32Array;
}

function createPasses(length: number): Passes {
  let order = identityOrder(length);
  let spare = new Uint32Array(length);
  return {
    order: () => order,
    sortBy(words, width, word) {
      if (countingPass(order, spare, words, width, word)) [order, spare] = [spare, order];
    },
  };
}

/** Returns `false`, with nothing written, when all records have the same word. */
function countingPass(
  order: Uint32Array,
  sorted: Uint32Array,
  words: Uint16Array,
  width: number,
  word: number,
): boolean {
  counts.fill(0);
  for (let at = word; at < words.length; at += width) counts[words[at] ?? 0] = (counts[words[at] ?? 0] ?? 0) + 1;
  if (counts[words[word] ?? 0] === order.length) return false;
  let sum = 0;
  for (let digit = 0; digit < radix; digit += 1) {
    const count = counts[digit] ?? 0;
    counts[digit] = sum;
    sum += count;
  }
  for (let at = 0; at < order.length; at += 1) {
    const record = order[at] ?? 0;
    const digit = words[record * width + word] ?? 0;
    const place = counts[digit] ?? 0;
    sorted[place] = record;
    counts[digit] = place + 1;
  }
  return true;
}

function* sortTies(order: Uint32Array, texts: Texts, words: Uint16Array, width: number): SlicedTask<void> {
  let start = 0;
  let isMixed = false;
  function endRun(end: number): void {
    if (isMixed) {
      const run = [...order.subarray(start, end)].toSorted((a, b) => compareNatural(texts.at(a), texts.at(b)));
      order.set(run, start);
    }
    start = end;
    isMixed = false;
  }
  yield* inBatches(order.length, (from, to) => {
    for (let at = from; at < to; at += 1) {
      if (!samePacked(order[start] ?? 0, order[at] ?? 0, words, width)) endRun(at);
      else if (texts.at(order[at] ?? 0) !== texts.at(order[start] ?? 0)) isMixed = true;
    }
  });
  endRun(order.length);
}

function samePacked(a: number, b: number, words: Uint16Array, width: number): boolean {
  for (let word = 0; word < width; word += 1) if (words[a * width + word] !== words[b * width + word]) return false;
  return true;
}

function identityOrder(length: number): Uint32Array<ArrayBuffer> {
  const order = new Uint32Array(length);
  for (let at = 0; at < length; at += 1) order[at] = at;
  return order;
}

function pick(known: Uint32Array, order: Uint32Array): Uint32Array {
  for (let at = 0; at < order.length; at += 1) order[at] = known[order[at] ?? 0] ?? 0;
  return order;
}

export interface HeldOrderOptions<Row> {
  readonly getId: (row: Row) => string;
  /** Whether rows must keep their places now; by default never. */
  readonly isHeld?: (() => boolean) | undefined;
}

export type OrderRows<Row> = (
  rows: readonly Row[],
  column: TableColumn<Row>,
  isDescending: boolean,
) => SlicedTask<Uint32Array>;

interface Ties {
  readonly tieBreak: (row: never) => CellValue;
  readonly values: readonly CellValue[];
  readonly order: Uint32Array;
}

interface Held<Row> {
  readonly column: TableColumn<Row>;
  readonly isDescending: boolean;
  readonly isNumeric: boolean;
  readonly rows: readonly Row[];
  readonly values: readonly CellValue[];
  readonly ties: Ties | undefined;
  readonly order: Uint32Array;
  readonly isCurrent: boolean;
}

/**
 * Sorts with every refresh. While held, a row keeps its place; must also be called without changes, so that the order
 * then catches up.
 */
export function createHeldOrder<Row>({ getId, isHeld = () => false }: HeldOrderOptions<Row>): OrderRows<Row> {
  let held: Held<Row> | undefined;
  /**
   * The order of equal values: usually all rows by name. That takes longer than sorting by most columns, so all share
   * it, the column of the names included.
   */
  let lastTies: Ties | undefined;

  function* sortNow(rows: readonly Row[], column: TableColumn<Row>, isDescending: boolean): SlicedTask<Held<Row>> {
    const before = held?.column === column ? held : undefined;
    const known = before?.isCurrent === true ? before : undefined;
    const values = yield* mapInBatches(rows, (row, index): CellValue =>
      known !== undefined && index < known.rows.length && known.rows[index] === row
        ? known.values[index]
        : column.value(row),
    );
    const isNumeric = typeof values.find((value) => value !== undefined) === 'number';
    const ties = yield* tiesOf(rows, column, lastTies);
    const byTies =
      ties === undefined && !isDescending && lastTies?.tieBreak === column.value && areSame(values, lastTies.values)
        ? lastTies
        : undefined;
    const order =
      byTies?.order ??
      (yield* orderOf(values, ties, before?.isDescending === isDescending ? before : undefined, isDescending));
    return { column, isDescending, isNumeric, rows, values, ties, order, isCurrent: true };
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
    const ties = yield* tiesOf(rows, column, lastTies);
    const order = yield* orderOf(values, ties, before, before.isDescending);
    return { ...before, rows, values, ties, order, isCurrent };
  }

  return function* orderRows(rows, column, isDescending) {
    const isSame = held?.column === column && held.isDescending === isDescending;
    const isHolding = isSame && isHeld();
    if (held !== undefined && isSame && held.rows === rows && (held.isCurrent || isHolding)) return held.order;
    // `held` is replaced at the end only: other queries may run in between.
    const next = yield* held !== undefined && isHolding && held.isNumeric
      ? keepPlaces(rows, held)
      : sortNow(rows, column, isDescending);
    held = next;
    lastTies =
      next.ties ??
      (isDescending || !next.isCurrent ? lastTies : { tieBreak: column.value, values: next.values, order: next.order });
    return next.order;
  };
}

/** Reuses the previous order if the values are the same, as names nearly always are. */
function* orderOf<Row>(
  values: readonly CellValue[],
  ties: Ties | undefined,
  before: Held<Row> | undefined,
  isDescending: boolean,
): SlicedTask<Uint32Array> {
  return before !== undefined && ties === before.ties && areSame(values, before.values)
    ? before.order
    : yield* sortOrder(values, isDescending, ties?.order);
}

/** Returns the same object as before while the values are the same. */
function* tiesOf<Row>(
  rows: readonly Row[],
  { tieBreak }: TableColumn<Row>,
  before: Ties | undefined,
): SlicedTask<Ties | undefined> {
  if (tieBreak === undefined) return undefined;
  const values = yield* mapInBatches(rows, tieBreak);
  return before?.tieBreak === tieBreak && areSame(values, before.values)
    ? before
    : { tieBreak, values, order: yield* sortOrder(values, false) };
}

/** Loops itself: for 100,000 values `every` takes several times as long. */
function areSame(a: readonly CellValue[], b: readonly CellValue[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1)
    if (a[index] !== b[index] && !Object.is(a[index], b[index])) return false;
  return true;
}
