const isPlain = (value: object): value is Record<string, unknown> => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};

/**
 * Returns `next`, with the parts of `before` in place of equal ones: the same object while nothing changed, and `next`
 * itself where no part is replaced, so that an object in two places stays one. Compares plain objects, arrays, maps and
 * sets by what they hold, and everything else by identity.
 */
export function shareEqual<T>(before: unknown, next: T): T;
export function shareEqual(before: unknown, next: unknown): unknown {
  if (Object.is(before, next)) return before;
  if (typeof before !== 'object' || typeof next !== 'object' || before === null || next === null) return next;
  if (Array.isArray(next)) return Array.isArray(before) ? shareElements(before, next) : next;
  if (next instanceof Map) return before instanceof Map ? shareEntries(before, next) : next;
  if (next instanceof Set)
    return before instanceof Set && next.size === before.size && [...next].every((value) => before.has(value))
      ? before
      : next;
  return isPlain(next) && isPlain(before) ? shareProperties(before, next) : next;
}

// Nothing is copied up to the first difference: most of what is compared is equal.

function shareElements(before: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let shared: unknown[] | undefined;
  for (let index = 0; index < next.length; index += 1) {
    const value = shareEqual(before[index], next[index]);
    if (shared === undefined && index < before.length && Object.is(value, before[index])) continue;
    shared ??= before.slice(0, index);
    shared.push(value);
  }
  if (shared === undefined && next.length === before.length) return before;
  const result = shared ?? before.slice(0, next.length);
  return result.every((value, index) => Object.is(value, next[index])) ? next : result;
}

function shareProperties(before: Record<string, unknown>, next: Record<string, unknown>): Record<string, unknown> {
  const names = Object.keys(next);
  let values: unknown[] | undefined;
  for (const [index, name] of names.entries()) {
    const value = shareEqual(before[name], next[name]);
    if (values === undefined && Object.is(value, before[name]) && Object.hasOwn(before, name)) continue;
    values ??= names.slice(0, index).map((known) => before[known]);
    values.push(value);
  }
  if (values === undefined && Object.keys(before).length === names.length) return before;
  if (names.every((name, index) => Object.is(values === undefined ? before[name] : values[index], next[name])))
    return next;
  // Not by assignment, which takes `__proto__` for something else.
  return Object.fromEntries(names.map((name, index) => [name, values === undefined ? before[name] : values[index]]));
}

function shareEntries(
  before: ReadonlyMap<unknown, unknown>,
  next: ReadonlyMap<unknown, unknown>,
): ReadonlyMap<unknown, unknown> {
  const places = before.entries();
  let shared: Map<unknown, unknown> | undefined;
  let index = 0;
  for (const [key, value] of next) {
    const kept = shareEqual(before.get(key), value);
    const place = places.next();
    if (
      shared === undefined &&
      place.done !== true &&
      Object.is(place.value[0], key) &&
      Object.is(place.value[1], kept)
    ) {
      index += 1;
      continue;
    }
    shared ??= new Map([...before].slice(0, index));
    shared.set(key, kept);
  }
  if (shared === undefined && next.size === before.size) return before;
  const result = shared ?? new Map([...before].slice(0, next.size));
  return [...result].every(([key, value]) => Object.is(value, next.get(key))) ? next : result;
}
