export type SlicedTask<Result> = Generator<undefined, Result, undefined>;

const batchRows = 4_096;

export function runAtOnce<Result>(task: SlicedTask<Result>): Result {
  for (;;) {
    const step = task.next();
    if (step.done === true) return step.value;
  }
}

export function* inBatches(length: number, work: (start: number, end: number) => void): SlicedTask<void> {
  for (let start = 0; start < length; start += batchRows) {
    work(start, Math.min(length, start + batchRows));
    yield;
  }
}

export function* mapInBatches<Row, Result>(
  rows: readonly Row[],
  map: (row: Row, index: number) => Result,
): SlicedTask<readonly Result[]> {
  // Full length from the start: an array that grows leaves twice as much garbage.
  const results: Result[] = [];
  results.length = rows.length;
  yield* inBatches(rows.length, (start, end) => {
    for (let index = start; index < end; index += 1) {
      const row = rows[index];
      if (row !== undefined) results[index] = map(row, index);
    }
  });
  return results;
}

const sliceMs = 2;

function runSlice<Result>(task: SlicedTask<Result>): IteratorReturnResult<Result> | undefined {
  const endMs = performance.now() + sliceMs;
  do {
    const step = task.next();
    if (step.done === true) return step;
  } while (performance.now() < endMs);
  return undefined;
}

/** Runs the task in slices, from a later turn of the event loop. Returns a function that cancels it. */
export function startSliced<Result>(task: SlicedTask<Result>, onDone: (result: Result) => void): () => void {
  let next = setImmediate(run);
  function run(): void {
    const end = runSlice(task);
    if (end === undefined) next = setImmediate(run);
    else onDone(end.value);
  }
  return () => {
    clearImmediate(next);
  };
}

export interface RunSlicedOptions {
  readonly signal?: AbortSignal | undefined;
}

/**
 * Runs the task in slices, the first one at once. @throws what the task throws; the signal's reason if it is aborted
 */
export async function runSliced<Result>(task: SlicedTask<Result>, { signal }: RunSlicedOptions = {}): Promise<Result> {
  for (;;) {
    signal?.throwIfAborted();
    const end = runSlice(task);
    if (end !== undefined) return end.value;
    await new Promise((resolve) => {
      setImmediate(resolve);
    });
  }
}
