import type { BrokerSeconds, Unparsed } from '../../domain/node.ts';
import { isObject } from '../json.ts';
import { parseSizeBytes, rawText, ShapeError, type UnusableTally, erlangUndefined } from './records.ts';

/** Shared, because 100,000 empty objects take 5 MB. */
const nothingUnparsed: Unparsed = Object.freeze({});

const timePattern = /^\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d/u;

/** Parses RFC 3339 or milliseconds into seconds since 1970. */
export function parseTime(time: unknown): BrokerSeconds | undefined {
  if (typeof time === 'number') return time / 1000;
  if (typeof time !== 'string' || !timePattern.test(time)) return undefined;
  const atMs = Date.parse(time);
  return Number.isNaN(atMs) ? undefined : atMs / 1000;
}

export const timeText = (seconds: BrokerSeconds): string =>
  new Date(Math.round(seconds) * 1000).toISOString().replace('.000Z', '+00:00');

const durationPattern = /^(\d+)(ms|s|m|h)$/u;
const msPerUnit: Readonly<Record<string, number>> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000 };

/** Parses `500ms` or `300s` into milliseconds. */
export function parseDurationMs(duration: unknown): number | undefined {
  if (typeof duration === 'number') return duration;
  const [, digits, unit = ''] = typeof duration === 'string' ? (durationPattern.exec(duration) ?? []) : [];
  return digits === undefined ? undefined : Number(digits) * (msPerUnit[unit] ?? Number.NaN);
}

/** Returns a counter of at most 64 bits; anything else is unknown. */
export const figureOf = (value: unknown): number | undefined =>
  typeof value === 'number' && value >= 0 && value < 2 ** 64 ? value : undefined;

const isInfinite = (value: unknown): boolean => value === 'infinity';

/** Reads the fields of a row. Fields of another type are `undefined`, and listed in `unparsed` by domain name. */
export class Fields {
  readonly raw: Readonly<Record<string, unknown>>;
  #unparsed: Record<string, string> | undefined;

  constructor(raw: Readonly<Record<string, unknown>>) {
    this.raw = raw;
  }

  get unparsed(): Unparsed {
    return this.#unparsed ?? nothingUnparsed;
  }

  /** Reads a field that is present and not `"undefined"`. `parse` returns `undefined` for what it cannot decode. */
  read<T>(key: string, name: string, parse: (value: unknown) => T | undefined): T | undefined {
    const value = this.raw[key];
    if (value === undefined || value === null || value === erlangUndefined) return undefined;
    const parsed = parse(value);
    if (parsed === undefined) {
      this.#unparsed = Object.fromEntries([...Object.entries(this.#unparsed ?? {}), [name, rawText(value)]]);
    }
    return parsed;
  }

  text(key: string, name = key): string | undefined {
    return this.read(key, name, (value) => (typeof value === 'string' ? value : undefined));
  }

  /** Reads an id or topic, which may be any text, also `undefined`. */
  id(key: string): string | undefined {
    const value = this.raw[key];
    return typeof value === 'string' ? value : undefined;
  }

  /** Reads a number. A negative one, which brokers send by mistake, is unknown. */
  number(key: string, name = key): number | undefined {
    return figureOf(this.read(key, name, (value) => (typeof value === 'number' ? value : undefined)));
  }

  flag(key: string, name = key): boolean | undefined {
    return this.read(key, name, (value) => (typeof value === 'boolean' ? value : undefined));
  }

  time(key: string, name = key): BrokerSeconds | undefined {
    return isInfinite(this.raw[key]) ? undefined : this.read(key, name, parseTime);
  }

  size(key: string, name = key): number | undefined {
    return this.read(key, name, (value) =>
      typeof value === 'string' || typeof value === 'number' ? parseSizeBytes(value) : undefined,
    );
  }

  /** Reads a number; `undefined` for `"infinity"`. */
  limit(key: string, name = key): number | undefined {
    return isInfinite(this.raw[key]) ? undefined : this.number(key, name);
  }

  isInfinite(key: string): boolean {
    return isInfinite(this.raw[key]);
  }

  within(key: string): Fields {
    const value = this.raw[key];
    return new Fields(isObject(value) ? value : {});
  }

  /** @throws ShapeError */
  static of(value: unknown, what: string): Fields {
    if (!isObject(value)) throw new ShapeError(`${what}: not an object`);
    return new Fields(value);
  }
}

/**
 * Decodes rows; `tally` counts unusable ones, which are left out. @throws ShapeError for a list without a usable row
 */
export function decodeRows<T>(
  list: unknown,
  what: string,
  decode: (fields: Fields) => T | undefined,
  tally?: UnusableTally,
): T[] {
  if (!Array.isArray(list)) throw new ShapeError(`${what}: not a list`);
  const decoded: T[] = [];
  for (const raw of list) {
    const value = isObject(raw) ? decode(new Fields(raw)) : undefined;
    if (value !== undefined) decoded.push(value);
    else tally?.add(raw);
  }
  if (list.length > 0 && decoded.length === 0) throw new ShapeError(`${what}: no row has the expected fields`);
  return decoded;
}
