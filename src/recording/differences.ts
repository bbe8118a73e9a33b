import { BrokenBytesError } from './bytes.ts';
import {
  emptyOf,
  haveSameKeys,
  isInteger,
  isPlain,
  isSameShape,
  type Properties,
  set,
  shapeOf,
  tags,
  type ValueReader,
  type ValueWriter,
} from './values.ts';

/** What a sequence is made of: parts of the one before, changed elements, and new ones. */
const runs = { copy: 0, patch: 1, fresh: 2, chain: 3 } as const;

/** Rows are looked for so far away where a few came or went. */
const lookAhead = 8;

/** More new elements are written as columns; a few are like the one before, as in a history. */
const maxChained = 4;

/** Writes what changed from one state to the next, by identity first: the same object costs nothing. */
export function writeDifference(writer: ValueWriter, before: unknown, after: unknown): void {
  writer.beginDifference();
  writeChange(writer, before, after);
}

/** Returns `false` if nothing changed. */
function writeChange(writer: ValueWriter, before: unknown, after: unknown): boolean {
  if (Object.is(before, after)) {
    writer.byte(tags.same);
    return false;
  }
  if (isInteger(before) && isInteger(after) && isInteger(after - before)) {
    writer.byte(tags.step);
    writer.integer(after - before);
    return true;
  }
  if (typeof before === 'object' && typeof after === 'object' && before !== null && after !== null) {
    if (writer.again(after)) return true;
    const start = writer.length;
    const isChanged = writeObject(writer, before, after);
    if (isChanged === false) {
      writer.rewind(start);
      writer.byte(tags.same);
    }
    if (isChanged !== undefined) return isChanged;
  }
  writer.value(after);
  return true;
}

/** Returns `undefined`, and writes nothing, if the two have nothing in common. */
function writeObject(writer: ValueWriter, before: object, after: object): boolean | undefined {
  if (Array.isArray(before))
    return Array.isArray(after) ? writeSequence(writer, tags.sequence, before, after) : undefined;
  if (before instanceof Set)
    return after instanceof Set ? writeSequence(writer, tags.setSequence, [...before], [...after]) : undefined;
  if (before instanceof Map) return after instanceof Map ? writeMap(writer, before, after) : undefined;
  if (!isPlain(before) || !isPlain(after) || 'textOf' in after) return undefined;
  return writeProperties(writer, before, after);
}

function writeProperties(writer: ValueWriter, before: Properties, after: Properties): boolean {
  const shape = shapeOf(after);
  const { keys } = shape;
  if (!isSameShape(shapeOf(before), shape)) {
    writer.byte(tags.reshape);
    writer.shape(shape);
    for (const key of keys) writeChange(writer, Object.hasOwn(before, key) ? before[key] : undefined, after[key]);
    writer.note(after);
    return true;
  }
  writer.byte(tags.patch);
  // Bits first, so that the many properties that stay cost one each.
  let isChanged = false;
  for (let from = 0; from < keys.length; from += 7) {
    let bits = 0;
    for (let bit = 0; bit < 7 && from + bit < keys.length; bit += 1) {
      const key = keys[from + bit] ?? '';
      if (!Object.is(before[key], after[key])) bits |= 1 << bit;
    }
    writer.byte(bits);
    for (let bit = 0; bit < 7; bit += 1) {
      const key = keys[from + bit];
      if ((bits & (1 << bit)) !== 0 && key !== undefined && writeChange(writer, before[key], after[key]))
        isChanged = true;
    }
  }
  if (isChanged) writer.note(after);
  return isChanged;
}

function writeMap(
  writer: ValueWriter,
  before: ReadonlyMap<unknown, unknown>,
  after: ReadonlyMap<unknown, unknown>,
): boolean {
  const keys = [...before.keys()];
  const nextKeys = [...after.keys()];
  if (keys.length <= nextKeys.length && keys.every((key, index) => Object.is(key, nextKeys[index]))) {
    writer.byte(tags.mapPatch);
    let isChanged = keys.length < nextKeys.length;
    let last = -1;
    for (const [index, key] of keys.entries()) {
      const [from, to] = [before.get(key), after.get(key)];
      if (Object.is(from, to)) continue;
      const start = writer.length;
      writer.count(index - last);
      if (!writeChange(writer, from, to)) {
        writer.rewind(start);
        continue;
      }
      last = index;
      isChanged = true;
    }
    writer.count(0);
    const added = nextKeys.slice(keys.length);
    writer.count(added.length);
    writer.column(added);
    writer.column(added.map((key) => after.get(key)));
    return isChanged;
  }
  writer.byte(tags.mapReshape);
  const indexOf = new Map(keys.map((key, index) => [key, index]));
  writer.count(nextKeys.length);
  let expected = 0;
  for (const key of nextKeys) {
    const index = indexOf.get(key);
    if (index === undefined) {
      writer.byte(0);
      writer.value(key);
      writer.value(after.get(key));
      continue;
    }
    writer.byte(1);
    writer.integer(index - expected);
    expected = index + 1;
    writeChange(writer, before.get(key), after.get(key));
  }
  return true;
}

/** Whether it is worth writing `after` as a change of `before`. */
function isAlike(before: unknown, after: unknown): boolean {
  if (typeof before !== 'object' || typeof after !== 'object' || before === null || after === null) return false;
  if (Array.isArray(before)) return Array.isArray(after);
  if (!isPlain(before)) return before.constructor === after.constructor;
  return isPlain(after) && haveSameKeys(Object.keys(before), Object.keys(after));
}

type Run = readonly [kind: keyof typeof runs, start: number, length: number];

function writeSequence(
  writer: ValueWriter,
  tag: number,
  before: readonly unknown[],
  after: readonly unknown[],
): boolean {
  const shorter = Math.min(before.length, after.length);
  let first = 0;
  while (first < shorter && Object.is(before[first], after[first])) first += 1;
  let last = 0;
  while (last < shorter - first && Object.is(before[before.length - 1 - last], after[after.length - 1 - last]))
    last += 1;
  writer.byte(tag);
  writer.count(first);
  writer.count(last);
  const end = after.length - last;
  let isChanged = before.length !== after.length;
  let at = first;
  let expected = first;
  for (const [kind, start, length] of runsOf(before, after, first, end, before.length - last)) {
    writer.count(4 * length + runs[kind]);
    if (kind === 'copy' || kind === 'patch') {
      writer.integer(start - expected);
      expected = start + length;
      if (start !== at) isChanged = true;
    } else isChanged = true;
    if (kind === 'patch') {
      for (let index = 0; index < length; index += 1)
        if (writeChange(writer, before[start + index], after[at + index])) isChanged = true;
    } else if (kind === 'chain')
      for (let index = 0; index < length; index += 1)
        writeChange(writer, at + index === 0 ? undefined : after[at + index - 1], after[at + index]);
    else if (kind === 'fresh') writer.column(after.slice(at, at + length));
    at += length;
  }
  writer.count(0);
  return isChanged;
}

/** Divides `after` from `first` to `end` into runs. A row that changed is found by its place. */
function* runsOf(
  before: readonly unknown[],
  after: readonly unknown[],
  first: number,
  end: number,
  endBefore: number,
): Generator<Run> {
  let next = first;
  let at = first;
  let places: Map<unknown, number> | undefined;

  function placeOf(value: unknown): number | undefined {
    if (places === undefined) {
      places = new Map();
      for (let index = first; index < endBefore; index += 1) places.set(before[index], index);
    }
    return places.get(value);
  }

  /** Returns how many elements to change one by one until both are the same again; 0 if that is not soon. */
  function distance(): number {
    for (let count = 1; count <= lookAhead; count += 1) {
      if (next + count >= endBefore || at + count >= end)
        return at + count === end && next + count === endBefore ? count : 0;
      if (Object.is(before[next + count], after[at + count])) return count;
    }
    return 0;
  }

  const areAlike = (length: number): boolean => {
    for (let index = 0; index < length; index += 1) if (!isAlike(before[next + index], after[at + index])) return false;
    return true;
  };

  while (at < end) {
    if (next < endBefore && Object.is(before[next], after[at])) {
      let length = 1;
      while (next + length < endBefore && at + length < end && Object.is(before[next + length], after[at + length]))
        length += 1;
      yield ['copy', next, length];
      next += length;
      at += length;
      continue;
    }
    const changed = next < endBefore ? distance() : 0;
    if (changed > 0 && areAlike(changed)) {
      yield ['patch', next, changed];
      next += changed;
      at += changed;
      continue;
    }
    if (next < endBefore) {
      const place = placeOf(after[at]);
      if (place !== undefined && Object.is(before[place], after[at])) {
        next = place;
        continue;
      }
      if (isAlike(before[next], after[at])) {
        yield ['patch', next, 1];
        next += 1;
        at += 1;
        continue;
      }
      yield ['fresh', 0, 1];
      at += 1;
      continue;
    }
    const length = freshLength();
    if (length <= maxChained && isAlike(after[at - 1], after[at])) yield ['chain', 0, length];
    else yield ['fresh', 0, length];
    at += length;
  }

  /** Returns how many elements in a row are not among those before. */
  function freshLength(): number {
    if (first === endBefore) return end - at;
    let length = 1;
    while (at + length < end && placeOf(after[at + length]) === undefined) length += 1;
    return length;
  }
}

/** Reads what `writeDifference` wrote. Returns `before` itself where nothing changed. @throws BrokenBytesError */
export function readDifference(reader: ValueReader, before: unknown): unknown {
  reader.beginDifference();
  return readChange(reader, before);
}

function readChange(reader: ValueReader, before: unknown): unknown {
  const { bytes } = reader;
  const tag = bytes.byte();
  switch (tag) {
    case tags.same:
      return before;
    case tags.step:
      return (before as number) + bytes.integer();
    case tags.patch:
      return readProperties(reader, before);
    case tags.reshape: {
      const shape = reader.shape();
      const value = emptyOf(shape);
      if (!isPlain(before)) throw new BrokenBytesError();
      for (const key of shape.keys)
        set(value, key, readChange(reader, Object.hasOwn(before, key) ? before[key] : undefined));
      return reader.note(value);
    }
    case tags.sequence:
      if (!Array.isArray(before)) throw new BrokenBytesError();
      return readSequence(reader, before);
    case tags.setSequence:
      if (!(before instanceof Set)) throw new BrokenBytesError();
      return new Set(readSequence(reader, [...before]));
    case tags.mapPatch:
    case tags.mapReshape:
      if (!(before instanceof Map)) throw new BrokenBytesError();
      return tag === tags.mapPatch ? readMapPatch(reader, before) : readMapReshape(reader, before);
    default:
      return reader.valueOf(tag);
  }
}

function readProperties(reader: ValueReader, before: unknown): unknown {
  if (!isPlain(before)) throw new BrokenBytesError();
  const shape = shapeOf(before);
  const value = emptyOf(shape);
  let bits = 0;
  for (const [index, key] of shape.keys.entries()) {
    const bit = index % 7;
    if (bit === 0) bits = reader.bytes.byte();
    set(value, key, (bits & (1 << bit)) === 0 ? before[key] : readChange(reader, before[key]));
  }
  return reader.note(value);
}

function readSequence(reader: ValueReader, before: readonly unknown[]): unknown[] {
  const { bytes } = reader;
  const first = bytes.length(true);
  const last = bytes.length(true);
  if (first + last > before.length) throw new BrokenBytesError();
  const values = before.slice(0, first);
  let expected = first;
  for (;;) {
    const header = bytes.count();
    if (header === 0) break;
    const length = Math.floor(header / 4);
    const kind = header % 4;
    if (kind === runs.fresh) {
      for (const value of reader.column(length)) values.push(value);
      continue;
    }
    if (kind === runs.chain) {
      for (let index = 0; index < length; index += 1) values.push(readChange(reader, values.at(-1)));
      continue;
    }
    const start = expected + bytes.integer();
    expected = start + length;
    if (start < 0 || expected > before.length) throw new BrokenBytesError();
    for (let index = start; index < expected; index += 1)
      values.push(kind === runs.copy ? before[index] : readChange(reader, before[index]));
  }
  for (let index = before.length - last; index < before.length; index += 1) values.push(before[index]);
  return values;
}

function readMapPatch(reader: ValueReader, before: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  const { bytes } = reader;
  const value = new Map(before);
  const keys = [...before.keys()];
  for (let index = -1; ;) {
    const step = bytes.count();
    if (step === 0) break;
    index += step;
    if (index >= keys.length) throw new BrokenBytesError();
    value.set(keys[index], readChange(reader, before.get(keys[index])));
  }
  const length = bytes.length(true);
  const addedKeys = reader.column(length);
  const added = reader.column(length);
  for (const [index, key] of addedKeys.entries()) value.set(key, added[index]);
  return value;
}

function readMapReshape(reader: ValueReader, before: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  const { bytes } = reader;
  const entries = [...before];
  const value = new Map<unknown, unknown>();
  let expected = 0;
  const length = bytes.length();
  for (let count = 0; count < length; count += 1) {
    if (bytes.byte() === 0) {
      const key = reader.value();
      value.set(key, reader.value());
      continue;
    }
    const index = expected + bytes.integer();
    const entry = entries[index];
    if (entry === undefined) throw new BrokenBytesError();
    expected = index + 1;
    value.set(entry[0], readChange(reader, entry[1]));
  }
  return value;
}
