import * as apiErrors from '../api/errors.ts';
import type { SlicedTask } from '../domain/sliced-task.ts';
import { definedPart, type Part } from '../monitor/query/part.ts';
import { BrokenBytesError, ByteReader, ByteWriter, isLatin1 } from './bytes.ts';

/** Begins each value. The numbers are part of the format: add some, never change one. */
export const tags = {
  undefined: 0,
  null: 1,
  false: 2,
  true: 3,
  integer: 4,
  double: 5,
  text: 6,
  array: 7,
  object: 8,
  map: 9,
  set: 10,
  error: 11,
  part: 12,
  symbol: 13,
  bigint: 14,
  longArray: 15,
  longMap: 16,
  longSet: 17,
  decimal: 18,
  // What follows are differences.
  same: 32,
  step: 33,
  patch: 34,
  reshape: 35,
  sequence: 36,
  setSequence: 37,
  mapPatch: 38,
  mapReshape: 39,
  again: 40,
} as const;

/** Begins each column: the values of one property in many rows. */
const columns = {
  mixed: 0,
  constant: 1,
  integers: 2,
  doubles: 3,
  texts: 4,
  fewTexts: 5,
  objects: 6,
  withGaps: 7,
} as const;

export type Properties = Readonly<Record<string, unknown>>;

/** The names of an object's properties, in order. */
export interface Shape {
  readonly keys: readonly string[];
  readonly hasPrototype: boolean;
}

/** The difference of two is exact, and its double as well. */
const maxInteger = 2 ** 51;

export const isInteger = (value: unknown): value is number =>
  Number.isInteger(value) && Math.abs(value as number) <= maxInteger && !Object.is(value, -0);

/** Loads, shares and rates have few decimals: those are shorter than a double. */
const maxPlaces = 3;

const scaled = (value: number, places: number): number => Math.round(value * 10 ** places);

/** Returns the number of decimals that a value has exactly; `undefined` if there are more. */
function placesOf(value: number): number | undefined {
  for (let places = 1; places <= maxPlaces; places += 1) {
    const whole = scaled(value, places);
    if (isInteger(whole) && whole / 10 ** places === value) return places;
  }
  return undefined;
}

/** Whether a value is recorded by its properties. An instance of a class is, without its class. */
export const isPlain = (value: unknown): value is Properties =>
  typeof value === 'object' &&
  value !== null &&
  !Array.isArray(value) &&
  !(value instanceof Map) &&
  !(value instanceof Set) &&
  !(value instanceof Error) &&
  !ArrayBuffer.isView(value);

export function haveSameKeys(a: readonly string[], b: readonly string[]): boolean {
  if (a.length !== b.length) return false;
  for (let index = 0; index < a.length; index += 1) if (a[index] !== b[index]) return false;
  return true;
}

export const shapeOf = (value: Properties): Shape => ({
  keys: Object.keys(value),
  hasPrototype: Object.getPrototypeOf(value) !== null,
});

export const isSameShape = (a: Shape, b: Shape): boolean =>
  a.hasPrototype === b.hasPrototype && haveSameKeys(a.keys, b.keys);

/** Returns the definition that a value is, which is recorded by its name. */
const partOf = (value: Properties): Part<unknown, never> | undefined => {
  const { name, textOf } = value;
  return typeof textOf === 'function' && typeof name === 'string' ? definedPart(name) : undefined;
};

/** No value of the monitor is nested as deeply: it is a cycle. */
const maxDepth = 200;

/** Longer lists are written in blocks of so many elements. */
const blockLength = 4_096;

/** A column with as many different texts has each of them once. */
const maxFewTexts = 64;

/**
 * Writes values of the monitor's state as bytes. Functions and binary data are left out: payloads of messages are
 * binary. Each shape of objects is written once, so everything that one writer wrote is read by one reader, in order.
 */
export class ValueWriter extends ByteWriter {
  readonly #ids = new Map<string, number>();
  #lastShape: (Shape & { readonly id: number }) | undefined;
  #depth = 0;
  #isWhole = false;
  readonly #long: (readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>)[] = [];

  /** Objects that this difference has written, which may be in several places. `undefined` outside of one. */
  #written: Map<object, number> | undefined;

  /** Begins a difference: an object that is in several places is written once. */
  beginDifference(): void {
    this.#written = new Map();
  }

  /** Notes that an object is written. Both sides count them, so they must note the same ones in the same order. */
  note(value: object): void {
    if (this.#written?.has(value) === false) this.#written.set(value, this.#written.size);
  }

  /** Refers to an object that this difference has written. Returns `false` if it has not. */
  again(value: object): boolean {
    const index = this.#written?.get(value);
    if (this.#written === undefined || index === undefined) return false;
    this.byte(tags.again);
    this.count(this.#written.size - index);
    return true;
  }

  /** Writes a value whose long lists come last, in blocks: writing them all at once would delay keys. */
  *whole(value: unknown): SlicedTask<void> {
    this.#isWhole = true;
    this.#written = undefined;
    this.value(value);
    this.#isWhole = false;
    yield;
    for (const long of this.#long) {
      const [keys, values] =
        long instanceof Map ? [[...long.keys()], [...long.values()]] : [[...long.values()], undefined];
      for (let from = 0; from < keys.length; from += blockLength) {
        this.column(keys.slice(from, from + blockLength));
        if (values !== undefined) this.column(values.slice(from, from + blockLength));
        yield;
      }
    }
    this.#long.length = 0;
  }

  shape(shape: Shape): void {
    const last = this.#lastShape;
    if (last !== undefined && isSameShape(last, shape)) {
      this.count(last.id);
      return;
    }
    const text = JSON.stringify([shape.hasPrototype, ...shape.keys]);
    const known = this.#ids.get(text);
    const id = known ?? this.#ids.size;
    this.count(id);
    this.#lastShape = { ...shape, id };
    if (known !== undefined) return;
    this.#ids.set(text, id);
    this.byte(shape.hasPrototype ? 1 : 0);
    this.count(shape.keys.length);
    for (const key of shape.keys) this.text(key);
  }

  value(value: unknown): void {
    switch (typeof value) {
      case 'string':
        this.byte(tags.text);
        this.text(value);
        return;
      case 'number':
        this.#number(value);
        return;
      case 'boolean':
        this.byte(value ? tags.true : tags.false);
        return;
      case 'bigint':
        this.byte(tags.bigint);
        this.text(String(value));
        return;
      case 'symbol':
        this.#symbol(value);
        return;
      case 'object':
        if (value === null) this.byte(tags.null);
        else this.#object(value);
        return;
      default:
        this.byte(tags.undefined);
    }
  }

  #number(value: number): void {
    if (isInteger(value)) {
      this.byte(tags.integer);
      this.integer(value);
      return;
    }
    const places = placesOf(value);
    if (places === undefined) {
      this.byte(tags.double);
      this.double(value);
      return;
    }
    this.byte(tags.decimal);
    this.byte(places);
    this.integer(scaled(value, places));
  }

  #symbol(value: symbol): void {
    const key = Symbol.keyFor(value);
    if (key === undefined) {
      this.byte(tags.undefined);
      return;
    }
    this.byte(tags.symbol);
    this.text(key);
  }

  #object(value: object): void {
    if (this.#depth > maxDepth) throw new RangeError('the state is nested too deeply to be recorded');
    this.#depth += 1;
    if (this.#isWhole && lengthOf(value) > blockLength) this.#deferred(value as readonly unknown[]);
    else if (Array.isArray(value)) {
      this.byte(tags.array);
      this.count(value.length);
      this.column(value);
    } else if (value instanceof Map) {
      this.byte(tags.map);
      this.count(value.size);
      this.column([...value.keys()]);
      this.column([...value.values()]);
    } else if (value instanceof Set) {
      this.byte(tags.set);
      this.count(value.size);
      this.column([...value]);
    } else if (value instanceof Error) {
      this.byte(tags.error);
      this.text(errorClassOf(value));
      this.value(errorProperties(value));
    } else if (ArrayBuffer.isView(value)) this.byte(tags.undefined);
    else this.#plain(value as Properties);
    this.#depth -= 1;
  }

  #deferred(value: readonly unknown[] | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown>): void {
    this.byte(value instanceof Map ? tags.longMap : value instanceof Set ? tags.longSet : tags.longArray);
    this.count(lengthOf(value));
    this.#long.push(value);
  }

  #plain(value: Properties): void {
    const part = partOf(value);
    if (part !== undefined) {
      this.byte(tags.part);
      this.text(part.name);
      return;
    }
    if (this.again(value)) return;
    this.byte(tags.object);
    const shape = shapeOf(value);
    this.shape(shape);
    for (const key of shape.keys) this.value(value[key]);
    this.note(value);
  }

  /** Writes values whose number the reader knows. */
  column(values: readonly unknown[]): void {
    const kind = kindOfColumn(values);
    switch (kind) {
      case 'constant':
        this.byte(columns.constant);
        this.value(values[0]);
        return;
      case 'integers': {
        this.byte(columns.integers);
        let last = 0;
        for (const value of values as readonly number[]) {
          this.integer(value - last);
          last = value;
        }
        return;
      }
      case 'doubles':
        this.byte(columns.doubles);
        for (const value of values as readonly number[]) this.double(value);
        return;
      case 'texts':
        this.#texts(values as readonly string[]);
        return;
      case 'objects':
        this.#objects(values as readonly Properties[]);
        return;
      case 'withGaps':
        this.byte(columns.withGaps);
        this.#gaps(values);
        this.column(values.filter((value) => value !== undefined));
        return;
      case 'mixed':
        this.byte(columns.mixed);
        for (const value of values) this.value(value);
    }
  }

  /** Writes how many values there are, are not, are, and so on. */
  #gaps(values: readonly unknown[]): void {
    let [isGap, from] = [false, 0];
    for (let index = 0; index <= values.length; index += 1) {
      if (index < values.length && (values[index] === undefined) === isGap) continue;
      this.count(index - from);
      [isGap, from] = [!isGap, index];
    }
  }

  #texts(values: readonly string[]): void {
    const few = new Map<string, number>();
    for (const value of values) {
      if (!few.has(value)) few.set(value, few.size);
      if (few.size > maxFewTexts || 2 * few.size > values.length) break;
    }
    if (few.size <= maxFewTexts && 2 * few.size <= values.length) {
      this.byte(columns.fewTexts);
      this.count(few.size);
      for (const value of few.keys()) this.text(value);
      for (const value of values) this.count(few.get(value) ?? 0);
      return;
    }
    this.byte(columns.texts);
    const all = values.join('');
    const isNarrow = isLatin1(all);
    this.byte(isNarrow ? 0 : 1);
    for (const { length } of values) this.count(length);
    this.characters(all, isNarrow);
  }

  #objects(values: readonly Properties[]): void {
    this.#depth += 1;
    if (this.#depth > maxDepth) throw new RangeError('the state is nested too deeply to be recorded');
    this.byte(columns.objects);
    const groups: { readonly shape: Shape; readonly rows: Properties[] }[] = [];
    const groupOfRow: number[] = [];
    let index = 0;
    for (const row of values) {
      const shape = shapeOf(row);
      const group = groups[index];
      if (group === undefined || !isSameShape(group.shape, shape)) {
        index = groups.findIndex((other) => isSameShape(other.shape, shape));
        if (index === -1) index = groups.push({ shape, rows: [] }) - 1;
      }
      groups[index]?.rows.push(row);
      groupOfRow.push(index);
    }
    this.count(groups.length);
    if (groups.length > 1) this.column(groupOfRow);
    for (const { shape, rows } of groups) {
      this.shape(shape);
      this.count(rows.length);
      for (const key of shape.keys) this.column(rows.map((row) => row[key]));
    }
    this.#depth -= 1;
  }
}

const lengthOf = (value: object): number =>
  Array.isArray(value) ? value.length : value instanceof Map || value instanceof Set ? value.size : 0;

/** Rows of so many shapes are written one by one. */
const maxShapes = 64;

function kindOfColumn(values: readonly unknown[]): keyof typeof columns {
  if (values.length < 2) return 'mixed';
  let [integers, doubles, texts, objects, gaps] = [0, 0, 0, 0, 0];
  let isConstant = true;
  const [first] = values;
  for (const value of values) {
    if (isConstant && !Object.is(value, first)) isConstant = false;
    if (value === undefined) gaps += 1;
    else if (typeof value === 'string') texts += 1;
    else if (typeof value === 'number') {
      if (isInteger(value)) integers += 1;
      else doubles += 1;
    } else if (isPlain(value)) objects += 1;
    else if (!isConstant) return 'mixed';
  }
  const { length } = values;
  if (isConstant) return 'constant';
  if (integers === length) return 'integers';
  if (integers + doubles === length) return 'doubles';
  if (texts === length) return 'texts';
  if (objects === length) return haveFewShapes(values as readonly Properties[]) ? 'objects' : 'mixed';
  return gaps > 0 && (integers + doubles === length - gaps || texts === length - gaps || objects === length - gaps)
    ? 'withGaps'
    : 'mixed';
}

function haveFewShapes(rows: readonly Properties[]): boolean {
  const seen: string[][] = [];
  let last: readonly string[] = [];
  for (const row of rows) {
    const keys = Object.keys(row);
    if (last.length > 0 && haveSameKeys(last, keys)) continue;
    last = keys;
    if ('textOf' in row) return false;
    if (seen.some((other) => haveSameKeys(other, keys))) continue;
    seen.push(keys);
    if (seen.length > maxShapes) return false;
  }
  return true;
}

/** The names by which errors are recorded. */
const errorClasses = new Map<string, object>(
  Object.entries(apiErrors)
    .filter(([, each]) => typeof each === 'function' && each.prototype instanceof Error)
    .map(([name, each]) => [name, (each as { readonly prototype: object }).prototype]),
);
const errorNames = new Map([...errorClasses].map(([name, prototype]) => [prototype, name]));

/** Returns the name of the closest class that every program knows. */
function errorClassOf(error: Error): string {
  for (let prototype: object | null = error; prototype !== null; prototype = Object.getPrototypeOf(prototype)) {
    const name = errorNames.get(prototype);
    if (name !== undefined) return name;
  }
  return 'Error';
}

/** Leaves out stack and cause, which are of the process that recorded. */
const errorProperties = (error: Error): Properties => ({
  ...error,
  message: error.message,
  ...('brief' in error && { brief: error.brief }),
});

function asError(name: string, properties: unknown): unknown {
  if (!isPlain(properties)) throw new BrokenBytesError();
  const prototype = errorClasses.get(name) ?? Error.prototype;
  const error: unknown = Object.setPrototypeOf(new Error(), prototype);
  for (const [key, value] of Object.entries(properties)) {
    const enumerable = key !== 'message' && !(key === 'brief' && key in prototype);
    Object.defineProperty(error, key, { value, enumerable, writable: true, configurable: true });
  }
  // It would be that of this reader.
  Reflect.deleteProperty(error as object, 'stack');
  return error;
}

/** Reads what a `ValueWriter` wrote, from the beginning. @throws BrokenBytesError */
export class ValueReader {
  readonly #shapes: Shape[] = [];
  readonly #long: { readonly into: unknown[] | Map<unknown, unknown> | Set<unknown>; readonly length: number }[] = [];
  bytes = new ByteReader(Buffer.alloc(0));

  readonly #noted: unknown[] = [];

  beginDifference(): void {
    this.#noted.length = 0;
  }

  /** Keeps an object that may be referred to later in this difference. */
  note<Value>(value: Value): Value {
    this.#noted.push(value);
    return value;
  }

  /** Goes on with bytes that begin with those before. */
  continueWith(bytes: Buffer): void {
    this.bytes = new ByteReader(bytes, this.bytes.at);
  }

  /** Marks a place to return to. */
  mark(): { readonly at: number; readonly shapes: number } {
    return { at: this.bytes.at, shapes: this.#shapes.length };
  }

  reset({ at, shapes }: ReturnType<ValueReader['mark']>): void {
    this.bytes.at = at;
    this.#shapes.length = shapes;
  }

  /** Reads what `ValueWriter.whole` wrote. */
  whole(): unknown {
    const value = this.value();
    this.#noted.length = 0;
    for (const { into, length } of this.#long) {
      for (let from = 0; from < length; from += blockLength) {
        const count = Math.min(blockLength, length - from);
        const keys = this.column(count);
        if (into instanceof Map) {
          const values = this.column(count);
          for (const [index, key] of keys.entries()) into.set(key, values[index]);
        } else if (into instanceof Set) for (const key of keys) into.add(key);
        else for (const key of keys) into.push(key);
      }
    }
    this.#long.length = 0;
    return value;
  }

  #later<Long extends unknown[] | Map<unknown, unknown> | Set<unknown>>(into: Long): Long {
    this.#long.push({ into, length: this.bytes.length(true) });
    return into;
  }

  shape(): Shape {
    const id = this.bytes.count();
    const known = this.#shapes[id];
    if (known !== undefined) return known;
    if (id !== this.#shapes.length) throw new BrokenBytesError();
    const hasPrototype = this.bytes.byte() === 1;
    const keys = Array.from({ length: this.bytes.length() }, () => this.bytes.text());
    const shape = { keys, hasPrototype };
    this.#shapes.push(shape);
    return shape;
  }

  value(): unknown {
    return this.valueOf(this.bytes.byte());
  }

  valueOf(tag: number): unknown {
    switch (tag) {
      case tags.undefined:
        return undefined;
      case tags.null:
        return null;
      case tags.false:
        return false;
      case tags.true:
        return true;
      case tags.integer:
        return this.bytes.integer();
      case tags.double:
        return this.bytes.double();
      case tags.decimal: {
        const places = this.bytes.byte();
        return this.bytes.integer() / 10 ** places;
      }
      case tags.text:
        return this.bytes.text();
      case tags.bigint:
        return BigInt(this.bytes.text());
      case tags.symbol:
        return Symbol.for(this.bytes.text());
      case tags.array:
        return this.column(this.bytes.length(true));
      case tags.map: {
        const length = this.bytes.length(true);
        const keys = this.column(length);
        const values = this.column(length);
        return new Map(keys.map((key, index) => [key, values[index]]));
      }
      case tags.set:
        return new Set(this.column(this.bytes.length(true)));
      case tags.longArray:
        return this.#later([]);
      case tags.longMap:
        return this.#later(new Map<unknown, unknown>());
      case tags.longSet:
        return this.#later(new Set<unknown>());
      case tags.error: {
        const name = this.bytes.text();
        return asError(name, this.value());
      }
      case tags.part:
        return definedPart(this.bytes.text());
      case tags.object: {
        const shape = this.shape();
        const value = emptyOf(shape);
        for (const key of shape.keys) set(value, key, this.value());
        return this.note(value);
      }
      case tags.again: {
        const index = this.#noted.length - this.bytes.count();
        if (!(index in this.#noted)) throw new BrokenBytesError();
        return this.#noted[index];
      }
      default:
        throw new BrokenBytesError();
    }
  }

  column(length: number): unknown[] {
    const values: unknown[] = [];
    const { bytes } = this;
    switch (bytes.byte()) {
      case columns.mixed:
        for (let index = 0; index < length; index += 1) values.push(this.value());
        return values;
      case columns.constant: {
        const value = this.value();
        for (let index = 0; index < length; index += 1) values.push(value);
        return values;
      }
      case columns.integers: {
        let last = 0;
        for (let index = 0; index < length; index += 1) {
          last += bytes.integer();
          values.push(last);
        }
        return values;
      }
      case columns.doubles:
        for (let index = 0; index < length; index += 1) values.push(bytes.double());
        return values;
      case columns.fewTexts: {
        const few = Array.from({ length: bytes.length() }, () => bytes.text());
        for (let index = 0; index < length; index += 1) values.push(few[bytes.count()]);
        return values;
      }
      case columns.texts:
        return this.#texts(length);
      case columns.withGaps:
        return this.#withGaps(length);
      case columns.objects:
        return this.#objects(length);
      default:
        throw new BrokenBytesError();
    }
  }

  #texts(length: number): unknown[] {
    const { bytes } = this;
    const isNarrow = bytes.byte() === 0;
    const lengths: number[] = [];
    let total = 0;
    for (let index = 0; index < length; index += 1) {
      const each = bytes.count();
      lengths.push(each);
      total += each;
    }
    const all = bytes.characters(total, isNarrow);
    let from = 0;
    return lengths.map((each) => {
      from += each;
      return all.slice(from - each, from);
    });
  }

  #withGaps(length: number): unknown[] {
    const runs: number[] = [];
    let [sum, present] = [0, 0];
    while (sum < length) {
      const run = this.bytes.count();
      if (run === 0 && runs.length > 0) throw new BrokenBytesError();
      if (runs.length % 2 === 0) present += run;
      runs.push(run);
      sum += run;
    }
    const known = this.column(present);
    const values: unknown[] = [];
    let next = 0;
    for (const [index, run] of runs.entries())
      for (let count = 0; count < run; count += 1) values.push(index % 2 === 0 ? known[next++] : undefined);
    return values;
  }

  #objects(length: number): unknown[] {
    const count = this.bytes.length();
    const groupOfRow = count > 1 ? (this.column(length) as number[]) : undefined;
    const groups = Array.from({ length: count }, () => {
      const shape = this.shape();
      const rows = Array.from({ length: this.bytes.length(true) }, () => emptyOf(shape));
      for (const key of shape.keys) {
        const values = this.column(rows.length);
        for (let index = 0; index < rows.length; index += 1) set(rows[index] ?? {}, key, values[index]);
      }
      return { rows, next: 0 };
    });
    if (groupOfRow === undefined) return groups[0]?.rows ?? [];
    return groupOfRow.map((index) => {
      const group = groups[index];
      if (group === undefined) throw new BrokenBytesError();
      return group.rows[group.next++];
    });
  }
}

export const emptyOf = ({ hasPrototype }: Shape): Record<string, unknown> => (hasPrototype ? {} : Object.create(null));

/** Sets a property, also one that is called `__proto__`. */
export function set(value: Record<string, unknown>, key: string, to: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(value, key, { value: to, enumerable: true, writable: true, configurable: true });
  else value[key] = to;
}
