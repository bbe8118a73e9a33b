/** Caches the last result while the arguments are the same, as `useSyncExternalStore` requires of a selector. */
export function memoise<Arguments extends readonly unknown[], Result>(
  work: (...values: Arguments) => Result,
): (...values: Arguments) => Result {
  let last: { readonly values: Arguments; readonly result: Result } | undefined;
  return (...values) => {
    if (
      last === undefined ||
      values.length !== last.values.length ||
      values.some((value, index) => !Object.is(value, last?.values[index]))
    ) {
      last = { values, result: work(...values) };
    }
    return last.result;
  };
}

const lookAhead = 8;

/**
 * Finds the index of a row in `known`, by reference or key, each at most once; `undefined` for a new row. Fast if the
 * order is similar.
 */
export function createRowFinder<Row>(
  known: readonly Row[],
  keyOf: (row: Row) => unknown,
): (row: Row) => number | undefined {
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
