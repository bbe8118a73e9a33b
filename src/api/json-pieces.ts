import { performance } from 'node:perf_hooks';
import { setImmediate } from 'node:timers/promises';

/** A list whose items are made as they are written. */
export function* lazily<T, R>(items: Iterable<T>, make: (item: T) => R): Generator<R, void> {
  for (const item of items) yield make(item);
}

/** The JSON text of an object, bit by bit. What is iterable and no array, as `lazily` gives it, is written as a list. */
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

const sliceMs = 4;

/** Cuts long work into slices, between which everything else gets its turn. */
export class Slices {
  #sinceMs = performance.now();

  /** Whether this slice has been long enough: `await` its `rest` then. */
  get isOver(): boolean {
    return performance.now() - this.#sinceMs >= sliceMs;
  }

  async rest(): Promise<void> {
    await setImmediate();
    this.#sinceMs = performance.now();
  }
}

/**
 * All that comes of `items`, which is made in slices; at once when there is little of it. Rejects with the
 * reason of the signal when that is aborted meanwhile.
 */
export async function gather<T>(items: Iterable<T>, signal?: AbortSignal): Promise<T[]> {
  const gathered: T[] = [];
  const slices = new Slices();
  for (const item of items) {
    gathered.push(item);
    if (!slices.isOver) continue;
    await slices.rest();
    signal?.throwIfAborted();
  }
  return gathered;
}
