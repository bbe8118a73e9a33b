import type { SlicedTask } from '../../domain/sliced-task.ts';
import { BadAnswerError, RefusedError, type RequestLine } from '../errors.ts';
import { isObject } from '../json.ts';
import { notSentTexts } from '../texts.ts';
import { httpDefaults } from '../transport/http.ts';
import { ShapeError } from './records.ts';

const portionRows = 64;
/** If none of so many rows at the start can be decoded, the answer is not this list. */
const maxUnreadable = 1_000;

export function hasTooManyValues(json: unknown): boolean {
  const open: unknown[] = [json];
  let count = 0;
  for (let value = open.pop(); value !== undefined; value = open.pop()) {
    if (typeof value !== 'object' || value === null) continue;
    const values: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
    count += values.length;
    if (count > httpDefaults.maxValues) return true;
    for (const each of values) open.push(each);
  }
  return false;
}

export function asBadAnswer(error: unknown, request: RequestLine): unknown {
  return error instanceof ShapeError ? new BadAnswerError(error.message, { request }) : error;
}

export function orBadAnswer<T>(request: RequestLine, decode: () => T): T {
  try {
    return decode();
  } catch (error) {
    throw asBadAnswer(error, request);
  }
}

/** Refuses half of a surrogate pair, which brokers read as another character: the request would address another id. */
export function refuseBrokenText(body: unknown): void {
  if (Array.isArray(body)) {
    body.forEach(refuseBrokenText);
    return;
  }
  const parts: readonly unknown[] = isObject(body) ? Object.entries(body).flat() : [body];
  if (parts.every((part) => typeof part !== 'string' || part.isWellFormed())) return;
  throw new RefusedError(notSentTexts.brokenText);
}

/** @throws ShapeError if no row near the start can be decoded */
export function* decodeInSlices<T>(
  rows: readonly unknown[],
  decode: (portion: readonly unknown[]) => readonly T[],
): SlicedTask<readonly T[]> {
  const items: T[] = [];
  for (let start = 0; start < rows.length; start += portionRows) {
    const end = start + portionRows;
    try {
      for (const item of decode(rows.slice(start, end))) items.push(item);
    } catch (error) {
      const isTolerable =
        error instanceof ShapeError && (items.length > 0 || end < Math.min(rows.length, maxUnreadable));
      if (!isTolerable) throw error;
    }
    yield;
  }
  return items;
}
