import { runSliced, type SlicedTask } from '../domain/sliced-task.ts';

export function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function* lazily<T, R>(items: Iterable<T>, make: (item: T) => R): Generator<R, void> {
  for (const item of items) yield make(item);
}

/** Yields the JSON of a record in pieces. Iterables that are not arrays, as from `lazily`, become lists. */
export function* jsonPieces(record: object): Generator<string, void> {
  let before = '{';
  for (const [name, value] of Object.entries(record)) {
    if (value === undefined) continue;
    yield `${before}${JSON.stringify(name)}:`;
    if (isLazy(value)) yield* listPieces(value);
    else yield JSON.stringify(value);
    before = ',';
  }
  yield before === '{' ? '{}' : '}';
}

function* listPieces(items: Iterable<unknown>): Generator<string, void> {
  let before = '[';
  for (const item of items) {
    yield before + JSON.stringify(item);
    before = ',';
  }
  yield before === '[' ? '[]' : ']';
}

function isLazy(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && Symbol.iterator in value;
}

/** Collects the items in slices. @throws the signal's reason if it is aborted */
export function gather<T>(items: Iterable<T>, signal?: AbortSignal): Promise<T[]> {
  return runSliced(gathering(items), { signal });
}

function* gathering<T>(items: Iterable<T>): SlicedTask<T[]> {
  const gathered: T[] = [];
  for (const item of items) {
    gathered.push(item);
    yield;
  }
  return gathered;
}

export function toAscii(json: string): string {
  return json.replace(/[\u007f-\uffff]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
