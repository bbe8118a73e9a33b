/** How many rows ahead are searched before the skipped ones are indexed. */
const lookAhead = 8;

/**
 * Finds rows in a list that is mostly in the same order as the rows asked for, each at most once. Returns the index in
 * `known`, or `undefined`. Two rows are the same when they are one object or have the same key.
 * Rows appended to the end are recognised as new without an index.
 */
export function createRowFinder<Row>(known: readonly Row[], keyOf: (row: Row) => unknown): (row: Row) => number | undefined {
  let next = 0;
  let skipped: Map<unknown, number> | undefined;

  function skipTo(end: number): void {
    for (; next < end; next += 1) {
      const row = known[next];
      if (row === undefined) continue;
      skipped ??= new Map();
      skipped.set(keyOf(row), next);
    }
  }

  return (row) => {
    if (next < known.length && known[next] === row) return next++;
    const key = keyOf(row);
    const end = Math.min(known.length, next + lookAhead);
    for (let index = next; index < end; index += 1) {
      const candidate = known[index];
      if (candidate === undefined || keyOf(candidate) !== key) continue;
      skipTo(index);
      next = index + 1;
      return index;
    }
    const index = skipped?.get(key);
    if (index !== undefined || next === known.length) return index;
    skipTo(known.length);
    return skipped?.get(key);
  };
}
