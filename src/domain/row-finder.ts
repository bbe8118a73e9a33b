/** How far a row may have moved up and still be found without an index of those that it passed. */
const lookAhead = 8;

/**
 * Finds rows in a list that is mostly in the same order as the rows asked for, each asked for once: gives the place
 * there, or `undefined`. Two rows are the same when they are one object, or `keyOf` says the same of both. Rows that
 * follow all of `known` are told to be new without an index of it.
 */
export function createRowFinder<Row>(known: readonly Row[], keyOf: (row: Row) => unknown): (row: Row) => number | undefined {
  let next = 0;
  /** Places of those before `next` that nobody asked for yet. */
  let passed: Map<unknown, number> | undefined;

  function passUntil(end: number): void {
    for (; next < end; next += 1) {
      const row = known[next];
      if (row === undefined) continue;
      passed ??= new Map();
      passed.set(keyOf(row), next);
    }
  }

  return (row) => {
    if (next < known.length && known[next] === row) return next++;
    const key = keyOf(row);
    const end = Math.min(known.length, next + lookAhead);
    for (let at = next; at < end; at += 1) {
      const each = known[at];
      if (each === undefined || keyOf(each) !== key) continue;
      passUntil(at);
      next = at + 1;
      return at;
    }
    const place = passed?.get(key);
    if (place !== undefined || next === known.length) return place;
    passUntil(known.length);
    return passed?.get(key);
  };
}
