/**
 * `next`, with every part that equals its counterpart in `previous` replaced by that counterpart;
 * `previous` itself when all is equal. Goes into plain objects, arrays and maps; anything else is
 * compared by identity. Makes "has it changed" a comparison of references.
 */
export function shareStructure<T>(previous: unknown, next: T): T;
export function shareStructure(previous: unknown, next: unknown): unknown {
  if (Object.is(previous, next)) return previous;
  if (Array.isArray(previous) && Array.isArray(next)) return shareArray(previous, next);
  if (previous instanceof Map && next instanceof Map) return shareMap(previous, next);
  if (isPlainObject(previous) && isPlainObject(next)) return shareObject(previous, next);
  return next;
}

type PlainObject = Readonly<Record<string, unknown>>;

function isPlainObject(value: unknown): value is PlainObject {
  if (typeof value !== 'object' || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
}

function shareArray(previous: readonly unknown[], next: readonly unknown[]): readonly unknown[] {
  let same = previous.length === next.length;
  const shared = next.map((item, index) => {
    const kept = shareStructure(previous[index], item);
    if (same && !Object.is(kept, previous[index])) same = false;
    return kept;
  });
  return same ? previous : shared;
}

function shareMap(previous: ReadonlyMap<unknown, unknown>, next: ReadonlyMap<unknown, unknown>): ReadonlyMap<unknown, unknown> {
  let same = previous.size === next.size;
  const shared = new Map<unknown, unknown>();
  for (const [key, item] of next) {
    const kept = shareStructure(previous.get(key), item);
    if (!previous.has(key) || !Object.is(kept, previous.get(key))) same = false;
    shared.set(key, kept);
  }
  return same ? previous : shared;
}

function shareObject(previous: PlainObject, next: PlainObject): PlainObject {
  const keys = Object.keys(next);
  let same = keys.length === Object.keys(previous).length && Object.getPrototypeOf(previous) === Object.getPrototypeOf(next);
  const shared: Record<string, unknown> = Object.create(Object.getPrototypeOf(next));
  for (const key of keys) {
    const kept = shareStructure(Object.hasOwn(previous, key) ? previous[key] : undefined, next[key]);
    if (!Object.hasOwn(previous, key) || !Object.is(kept, previous[key])) same = false;
    // A key such as `__proto__` must stay a key.
    Object.defineProperty(shared, key, { value: kept, enumerable: true, configurable: true, writable: true });
  }
  return same ? previous : shared;
}
