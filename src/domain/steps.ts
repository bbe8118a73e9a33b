/** Work that can be left for a moment after each of its steps, none of which takes long; what it returns is its result. */
export type Steps<Result> = Generator<undefined, Result, undefined>;

/** Rows of one step: a millisecond or two. */
const portionRows = 4_096;

/** Does the work without leaving it. */
export function finish<Result>(steps: Steps<Result>): Result {
  for (;;) {
    const step = steps.next();
    if (step.done === true) return step.value;
  }
}

/** `work` for all places from 0 on, a portion of them a step. */
export function* inPortions(length: number, work: (start: number, end: number) => void): Steps<void> {
  for (let start = 0; start < length; start += portionRows) {
    work(start, Math.min(length, start + portionRows));
    yield;
  }
}

/** What `work` makes of each row. */
export function* mapInPortions<Row, Result>(rows: readonly Row[], work: (row: Row, place: number) => Result): Steps<readonly Result[]> {
  // At once as long as it becomes: an array that grows leaves twice as much behind.
  const results: Result[] = [];
  results.length = rows.length;
  yield* inPortions(rows.length, (start, end) => {
    for (let place = start; place < end; place += 1) {
      const row = rows[place];
      if (row !== undefined) results[place] = work(row, place);
    }
  });
  return results;
}

/** How long steps follow each other without letting anything else run. */
const sliceMs = 4;

/** Does the work between other things and hands its result over; the answer gives it up. */
export function doInSlices<Result>(steps: Steps<Result>, onEnd: (result: Result) => void): () => void {
  let next = setImmediate(goOn);
  function goOn(): void {
    const endMs = performance.now() + sliceMs;
    do {
      const step = steps.next();
      if (step.done === true) {
        onEnd(step.value);
        return;
      }
    } while (performance.now() < endMs);
    next = setImmediate(goOn);
  }
  return () => { clearImmediate(next); };
}
