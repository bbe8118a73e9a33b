import { isIPv6 } from 'node:net';
import type { BrokerSeconds, Unparsed } from '../../domain/node.ts';
import { isObject } from '../json.ts';
import type { UnusableRows } from '../management-api.ts';

export class ShapeError extends Error {}

/** What EMQ 2 sends for an unknown value. */
export const erlangUndefined = 'undefined';

export interface Schema<T> {
  safeParse(raw: unknown):
    | { readonly success: true; readonly data: T }
    | {
        readonly success: false;
        readonly error: { readonly issues: readonly { readonly path: readonly PropertyKey[] }[] };
      };
}

export type Accepts<T> = (raw: Readonly<Record<string, unknown>>) => raw is Readonly<Record<string, unknown>> & T;

export interface Parsed<T> {
  readonly record: T;
  /** Fields of the wrong type, which are `undefined` in `record`. */
  readonly unparsed: Unparsed;
}

/** Shared, because 100,000 empty objects take 5 MB. */
const nothingUnparsed: Unparsed = Object.freeze({});

export function rawText(value: unknown): string {
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/**
 * Parses a record. Optional fields of the wrong type are left out; without a required one the result is `undefined`.
 */
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

function shapeOf(raw: unknown): string {
  if (!isObject(raw)) return `not an object but ${jsonType(raw)}`;
  const fields = Object.entries(raw)
    .slice(0, maxShownFields)
    .map(([name, value]) => `${name.slice(0, maxShownName)}: ${jsonType(value)}`);
  return fields.length === 0 ? 'no fields' : fields.join(', ');
}

export class UnusableTally {
  #count = 0;
  #example = '';

  add(raw: unknown): void {
    if (this.#count === 0) this.#example = shapeOf(raw);
    this.#count += 1;
  }

  get rows(): UnusableRows | undefined {
    return this.#count === 0 ? undefined : { count: this.#count, example: this.#example };
  }
}

/**
 * Parses records; `tally` counts unusable ones, which are left out. @throws ShapeError for a list without a usable
 * record
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

export class FieldReader {
  #unparsed: Unparsed;

  constructor(unparsed: Unparsed, names: Readonly<Record<string, string>>) {
    this.#unparsed =
      unparsed === nothingUnparsed
        ? unparsed
        : Object.fromEntries(
            Object.entries(unparsed).map(([name, text]) => [Object.hasOwn(names, name) ? names[name] : name, text]),
          );
  }

  get unparsed(): Unparsed {
    return this.#unparsed;
  }

  /** Returns `undefined` if the field is missing, is `"undefined"` or cannot be decoded. */
  read<T extends string | number>(
    field: string,
    value: T | null | undefined,
    parse: (value: T) => number | undefined,
  ): number | undefined {
    if (value === undefined || value === null || value === erlangUndefined) return undefined;
    const parsed = parse(value);
    // A new object, because records share the empty one; by entries, so that `__proto__` is a name like any other.
    if (parsed === undefined)
      this.#unparsed = Object.fromEntries([...Object.entries(this.#unparsed), [field, String(value)]]);
    return parsed;
  }
}

export function known(value: string | null | undefined): string | undefined {
  return value === erlangUndefined ? undefined : (value ?? undefined);
}

export function knownNumber(value: number | string | null | undefined): number | undefined {
  // Brokers send negative counts by mistake.
  return typeof value === 'number' && value >= 0 ? value : undefined;
}

const sizePattern = /^(\d+(?:\.\d+)?)([KMGT]?)B?$/u;
const bytesPerUnit: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** Parses `48.77M`, `1.20G`, `0.03K` or `512` into bytes; `undefined` if it is not a size. */
export function parseSizeBytes(size: string | number): number | undefined {
  if (typeof size === 'number') return size >= 0 ? size : undefined;
  const [, digits, unit = ''] = sizePattern.exec(size.trim()) ?? [];
  const bytes = bytesPerUnit[unit];
  if (digits === undefined || bytes === undefined) return undefined;
  return Math.round(Number(digits) * bytes);
}

const decimalPattern = /^\d+(?:\.\d+)?$/u;

export function parseDecimal(decimal: string | number): number | undefined {
  if (typeof decimal === 'number') return decimal;
  return decimalPattern.test(decimal.trim()) ? Number(decimal) : undefined;
}

const uptimePattern =
  /^(?!,)(?:(\d+) days?)?(?:(?:^|,) ?(\d+) hours?)?(?:(?:^|,) ?(\d+) minutes?)?(?:(?:^|,) ?(\d+) seconds?)?$/u;

/** Parses `2 hours, 3 minutes, 4 seconds` or `1 days,2 hours, …` into seconds; `undefined` for other texts. */
export function parseUptimeSeconds(uptime: string): number | undefined {
  const trimmed = uptime.trim();
  const match = trimmed === '' ? null : uptimePattern.exec(trimmed);
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

/** Reads the number in two digits from `start`; far below 0 if they are not digits. */
function twoDigits(text: string, start: number): number {
  const ten = text.charCodeAt(start) - 48;
  const one = text.charCodeAt(start + 1) - 48;
  return ten >= 0 && ten <= 9 && one >= 0 && one <= 9 ? ten * 10 + one : -10_000;
}

const [dash, space, colon] = [0x2d, 0x20, 0x3a];

function isSeparated(text: string): boolean {
  return (
    text.charCodeAt(4) === dash &&
    text.charCodeAt(7) === dash &&
    text.charCodeAt(10) === space &&
    text.charCodeAt(13) === colon &&
    text.charCodeAt(16) === colon
  );
}
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOfMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 1 && isLeapYear ? 29 : (daysOfMonths[month] ?? 0);
}

/** Counts from March 1 of the year 0. */
const daysUntil1970 = 719_468;

/**
 * Counts days without `Date.UTC`, which takes half the time of decoding a row. Years begin in March: a leap day is the
 * last.
 */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month < 2 ? year - 1 : year;
  const century = Math.floor(marchYear / 100);
  const dayOfYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5) + day - 1;
  return marchYear * 365 + Math.floor(marchYear / 4) - century + Math.floor(century / 4) + dayOfYear - daysUntil1970;
}

/**
 * Parses `2026-11-21 12:19:31` into seconds on the broker's clock. `undefined` for anything else, including February
 * 30.
 */
export function parseDateTime(dateTime: string): BrokerSeconds | undefined {
  // No regular expression and no Date, which take several times as long: every row has such a text.
  if (dateTime.length !== 19 || !isSeparated(dateTime)) return undefined;
  const year = twoDigits(dateTime, 0) * 100 + twoDigits(dateTime, 2);
  const month = twoDigits(dateTime, 5) - 1;
  const day = twoDigits(dateTime, 8);
  const hour = twoDigits(dateTime, 11);
  const minute = twoDigits(dateTime, 14);
  const second = twoDigits(dateTime, 17);
  const isReal =
    year >= 0 &&
    day >= 1 &&
    day <= daysOfMonth(year, month) &&
    hour >= 0 &&
    hour < 24 &&
    minute >= 0 &&
    minute < 60 &&
    second >= 0 &&
    second < 60;
  return isReal ? ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second : undefined;
}

const portPattern = /^\d{1,5}$/u;

/**
 * Parses `8083`, `0.0.0.0:1883` or `:::1883` into address (no brackets) and port. Erlang writes IPv6 without brackets:
 * the last colon is the port's.
 */
export function parseListen(listen: string): {
  readonly address: string | undefined;
  readonly port: number | undefined;
} {
  const colon = listen.lastIndexOf(':');
  const portText = listen.slice(colon + 1);
  const port = portPattern.test(portText) && Number(portText) <= 65_535 ? Number(portText) : undefined;
  if (port === undefined) return { address: undefined, port };
  const host = listen.slice(0, Math.max(colon, 0));
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  // The end of "::1" looks like a port.
  if (address.includes(':') && !isIPv6(address)) return { address: undefined, port: undefined };
  return { address: address === '' ? undefined : address, port };
}
