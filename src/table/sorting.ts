import { compareNatural, measureTexts, packNatural, type Texts } from '../domain/natural-order.ts';
import { inPortions, type Steps } from '../domain/steps.ts';
import type { FigureUnit } from './filter.ts';

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

/** Bytes of a text that are sorted by counting; the rest decides only between texts that agree in these. */
const mostPackedBytes = 32;
const digits = 65_536;
/** Up to this many different texts are ranked first. */
const fewTexts = 1_000;

/**
 * The order of the values: indexes, ascending (or descending), stable, `undefined` and NaN last either
 * way. Numbers and booleans by size; when there is any text, everything as text in natural order.
 * Works by counting, in time proportional to the number of values: 100,000 take some 10 to 60 ms.
 */
export function* sortOrder(values: readonly CellValue[], isDescending: boolean): Steps<Uint32Array> {
  const order = new Uint32Array(values.length);
  let knownCount = 0;
  let hasText = false;
  for (let index = 0; index < values.length; index += 1) {
    const value = values[index];
    if (isUnknown(value)) continue;
    order[knownCount++] = index;
    if (typeof value === 'string') hasText = true;
  }
  let end = knownCount;
  for (let index = 0; end < values.length; index += 1) if (isUnknown(values[index])) order[end++] = index;
  const known = order.subarray(0, knownCount);
  // Reversed before and after, equal values keep their order in a descending sort.
  if (isDescending) known.reverse();
  yield;
  known.set(yield* (hasText ? sortTexts(values, known) : sortNumbers(values, known)));
  if (isDescending) known.reverse();
  return order;
}

const isUnknown = (value: CellValue): boolean => value === undefined || Number.isNaN(value);

function* sortNumbers(values: readonly CellValue[], known: Uint32Array): Steps<Uint32Array> {
  const numbers = new Float64Array(known.length);
  for (let at = 0; at < known.length; at += 1) numbers[at] = Number(values[known[at] ?? 0]);
  const words = new Uint16Array(numbers.buffer);
  for (let at = 0; at < known.length; at += 1) {
    const top = at * 4 + 3;
    // Bits of a double order like an integer once negative ones are inverted and the sign is turned; -0 is 0.
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

function* sortTexts(values: readonly CellValue[], known: Uint32Array): Steps<Uint32Array> {
  const texts: Texts = { length: known.length, at: (place) => String(values[known[place] ?? 0]) };
  const ranks = rankFewTexts(texts);
  const passes = createPasses(known.length);
  if (ranks !== undefined) {
    passes.sortBy(ranks, 1, 0);
    return pick(known, passes.order());
  }
  const { shared: skip, longest } = yield* measureTexts(texts);
  // A number takes one byte more than its digits.
  const width = Math.min(mostPackedBytes, 2 * Math.ceil(((longest - skip) * 1.5 + 1) / 2));
  const bytes = takeRoom(known.length * width);
  yield* inPortions(texts.length, (start, end) => {
    for (let at = start; at < end; at += 1) packNatural(texts.at(at), skip, bytes, at * width, width);
  });
  const words = toWords(bytes);
  for (let word = width / 2 - 1; word >= 0; word -= 1) {
    yield;
    passes.sortBy(words, width / 2, word);
  }
  yield;
  const order = passes.order();
  yield* settleTies(order, texts, words, width / 2);
  giveRoomBack(bytes);
  return pick(known, order);
}

/** Columns such as the node or the user name hold few texts: those alone have to be sorted. `undefined` when there are many. */
function rankFewTexts(texts: Texts): Uint16Array | undefined {
  const places = new Map<string, number>();
  const placeOf = new Uint16Array(texts.length);
  for (let at = 0; at < texts.length; at += 1) {
    const text = texts.at(at);
    let place = places.get(text);
    if (place === undefined) {
      if (places.size === fewTexts) return undefined;
      place = places.size;
      places.set(text, place);
    }
    placeOf[at] = place;
  }
  const distinct = [...places.keys()];
  const rankOf = new Uint16Array(distinct.length);
  distinct.toSorted(compareNatural).forEach((text, rank) => { rankOf[places.get(text) ?? 0] = rank; });
  for (let at = 0; at < texts.length; at += 1) placeOf[at] = rankOf[placeOf[at] ?? 0] ?? 0;
  return placeOf;
}

/** 100,000 texts take 3 MB: taken anew for every sort, it is given back late. More than this is not kept. */
const mostRoomBytes = 4 * 2 ** 20;
const noRoom = new Uint8Array(0);
let room = noRoom;

/** Zeroes, for one sort: another may begin before it ends. */
function takeRoom(length: number): Uint8Array<ArrayBuffer> {
  const taken = room;
  room = noRoom;
  if (taken.length < length) return new Uint8Array(length);
  return taken.subarray(0, length).fill(0);
}

function giveRoomBack({ buffer }: Uint8Array<ArrayBuffer>): void {
  if (buffer.byteLength <= mostRoomBytes) room = new Uint8Array(buffer);
}

/** Pairs of bytes as numbers, the first byte the greater; in place of the bytes. */
function toWords(bytes: Uint8Array<ArrayBuffer>): Uint16Array {
  const words = new Uint16Array(bytes.buffer, bytes.byteOffset, bytes.length / 2);
  for (let at = 0; at < words.length; at += 1) words[at] = ((bytes[2 * at] ?? 0) << 8) | (bytes[2 * at + 1] ?? 0);
  return words;
}

const counts = new Uint32Array(digits);

/** Records sorted by one word of theirs after the other, the least important first. Two arrays serve all passes. */
interface Passes {
  /** Sorts stably by one word of each record. */
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

/** Writes the records to `sorted` in their new order; `false` when all have the same word and nothing was written. */
function countingPass(order: Uint32Array, sorted: Uint32Array, words: Uint16Array, width: number, word: number): boolean {
  counts.fill(0);
  for (let at = word; at < words.length; at += width) counts[words[at] ?? 0] = (counts[words[at] ?? 0] ?? 0) + 1;
  if (counts[words[word] ?? 0] === order.length) return false;
  let sum = 0;
  for (let digit = 0; digit < digits; digit += 1) {
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

/** Orders the runs of records whose packed bytes agree by the whole text. */
function* settleTies(order: Uint32Array, texts: Texts, words: Uint16Array, width: number): Steps<void> {
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
  yield* inPortions(order.length, (from, to) => {
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
