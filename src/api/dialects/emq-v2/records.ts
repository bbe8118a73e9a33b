import type { Unparsed } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import type { UnusableRows } from '../../management-api.ts';

/** An answer of the wrong shape. `message` says what is wrong. */
export class ShapeError extends Error {}

/** Stands for a value that the broker does not know or that is absent (§2.4, §2.5). */
export const unknownText = 'undefined';

/** The part of a zod schema that is used here. */
export interface Schema<T> {
  safeParse(raw: unknown):
    | { readonly success: true; readonly data: T }
    | { readonly success: false; readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] } };
}

/** A fast check that a record matches a schema as a whole. Unknown fields stay in the record. */
export type Accepts<T> = (raw: Readonly<Record<string, unknown>>) => raw is Readonly<Record<string, unknown>> & T;

/** A record as far as it could be decoded. */
export interface Parsed<T> {
  readonly record: T;
  /** Fields of the wrong type; they are `undefined` in `record`. */
  readonly unparsed: Unparsed;
}

/** Shared: an empty object for each of 100,000 clients would take 5 MB. */
const nothingUnparsed: Unparsed = Object.freeze({});

/** Text of a value that could not be decoded. */
export function rawText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** Decodes a record. An optional field of the wrong type is left out; without a required one the result is `undefined`. */
export function parseRecord<T>(schema: Schema<T>, raw: unknown, accepts?: Accepts<T>): Parsed<T> | undefined {
  if (accepts !== undefined && isObject(raw) && accepts(raw)) return { record: raw, unparsed: nothingUnparsed };
  const whole = schema.safeParse(raw);
  if (whole.success) return { record: whole.data, unparsed: nothingUnparsed };
  if (!isObject(raw)) return undefined;
  const bad = new Set(whole.error.issues.map((issue) => String(issue.path[0])));
  const rest = schema.safeParse(Object.fromEntries(Object.entries(raw).filter(([key]) => !bad.has(key))));
  if (!rest.success) return undefined;
  const entries = [...bad].filter((key) => Object.hasOwn(raw, key)).map((key) => [key, rawText(raw[key])]);
  return { record: rest.data, unparsed: Object.fromEntries(entries) };
}

const maxShownFields = 20;
const maxShownName = 40;

function jsonType(value: unknown): string {
  return value === null ? 'null' : Array.isArray(value) ? 'array' : typeof value;
}

/** The fields of a record and their types, without values: `client_id: number, topic: string`. */
function shapeOf(raw: unknown): string {
  if (!isObject(raw)) return `no object but: ${jsonType(raw)}`;
  const fields = Object.entries(raw).slice(0, maxShownFields).map(([name, value]) => `${name.slice(0, maxShownName)}: ${jsonType(value)}`);
  return fields.length === 0 ? 'no fields' : fields.join(', ');
}

/** Counts the unusable records of an answer and keeps the shape of the first. */
export class UnusableTally {
  #count = 0;
  #example = '';

  add(raw: unknown): void {
    if (this.#count === 0) this.#example = shapeOf(raw);
    this.#count += 1;
  }

  /** `undefined` when all records were usable. */
  get rows(): UnusableRows | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, example: this.#example };
  }
}

/**
 * Decodes a list. Unusable records are left out and counted by `tally`, so that one broken record does not hide the others.
 * @throws ShapeError for a list without a usable record
 */
export function parseRecords<T, R>(
  schema: Schema<T>,
  list: unknown,
  what: string,
  decode: (parsed: Parsed<T>) => R | undefined,
  accepts?: Accepts<T>,
  tally?: UnusableTally,
): R[] {
  if (!Array.isArray(list)) throw new ShapeError(`${what}: not a list`);
  const decoded: R[] = [];
  for (const raw of list) {
    const parsed = parseRecord(schema, raw, accepts);
    const value = parsed && decode(parsed);
    if (value !== undefined) decoded.push(value);
    else tally?.add(raw);
  }
  if (list.length > 0 && decoded.length === 0) throw new ShapeError(`${what}: no record has the expected fields`);
  return decoded;
}

/** Decodes texts with a unit, and collects those that it cannot decode by their names in the domain. */
export class FieldReader {
  #unparsed: Unparsed;

  /** @param names what the domain calls the fields of the record, by their names on the wire */
  constructor(unparsed: Unparsed, names: Readonly<Record<string, string>>) {
    this.#unparsed = unparsed === nothingUnparsed ? unparsed
      : Object.fromEntries(Object.entries(unparsed).map(([name, text]) => [Object.hasOwn(names, name) ? names[name] : name, text]));
  }

  get unparsed(): Unparsed {
    return this.#unparsed;
  }

  /** Returns `undefined` when the field is missing, is `"undefined"` or cannot be decoded. */
  read<T extends string | number>(
    field: string,
    value: T | null | undefined,
    parse: (value: T) => number | undefined,
  ): number | undefined {
    if (value === undefined || value === null || value === unknownText) return undefined;
    const parsed = parse(value);
    // A new object, because records share the empty one; by entries, so that `__proto__` is a name like any other.
    if (parsed === undefined) this.#unparsed = Object.fromEntries([...Object.entries(this.#unparsed), [field, String(value)]]);
    return parsed;
  }
}

/** A text field; `"undefined"` is how brokers say that there is none. */
export function known(value: string | null | undefined): string | undefined {
  return value === unknownText ? undefined : (value ?? undefined);
}

/** A number field; `"undefined"` is how brokers say that they do not know it. */
export function knownNumber(value: number | string | null | undefined): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
