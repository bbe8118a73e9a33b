const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/**
 * Returns `next`, with the parts of `before` in place of equal ones: the same object while nothing changed. Compares
 * plain objects, arrays, maps and sets by what they hold, and everything else by identity.
 */
export function shareEqual<T>(before: unknown, next: T): T;
export function shareEqual(before: unknown, next: unknown): unknown {
  if (Object.is(before, next)) return before;
  if (typeof before !== 'object' || typeof next !== 'object' || before === null || next === null) return next;
  if (Array.isArray(next)) {
    if (!Array.isArray(before)) return next;
    const shared = next.map((value, index) => shareEqual(before[index], value));
    return shared.length === before.length && shared.every((value, index) => Object.is(value, before[index]))
      ? before
      : shared;
  }
  if (next instanceof Map) {
    if (!(before instanceof Map)) return next;
    const shared = new Map([...next].map(([key, value]) => [key, shareEqual(before.get(key), value)]));
    return isSameOrder(before, shared) ? before : shared;
  }
  if (next instanceof Set)
    return before instanceof Set && next.size === before.size && [...next].every((value) => before.has(value))
      ? before
      : next;
  if (!isPlain(next) || !isPlain(before)) return next;
  const names = Object.keys(next);
  const shared = Object.fromEntries(names.map((name) => [name, shareEqual(before[name], next[name])]));
  return Object.keys(before).length === names.length &&
    names.every((name) => Object.hasOwn(before, name) && Object.is(before[name], shared[name]))
    ? before
    : shared;
}

function isSameOrder(before: ReadonlyMap<unknown, unknown>, next: ReadonlyMap<unknown, unknown>): boolean {
  if (before.size !== next.size) return false;
  const other = next.entries();
  return [...before].every(([key, value]) => {
    const [otherKey, otherValue] = other.next().value ?? [];
    return Object.is(key, otherKey) && Object.is(value, otherValue);
  });
}
