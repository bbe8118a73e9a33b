/**
 * A map that can be read in the order of its keys, page by page. Changes are collected and merged
 * into the order when it is next read, so that neither a change nor a page sorts everything.
 */
export class SortedIndex<T> {
  readonly #values = new Map<string, T>();
  #order: string[] = [];
  readonly #added = new Set<string>();
  readonly #removed = new Set<string>();

  get size(): number {
    return this.#values.size;
  }

  get(key: string): T | undefined {
    return this.#values.get(key);
  }

  set(key: string, value: T): void {
    if (!this.#values.has(key) && !this.#removed.delete(key)) this.#added.add(key);
    this.#values.set(key, value);
  }

  delete(key: string): boolean {
    if (!this.#values.delete(key)) return false;
    if (!this.#added.delete(key)) this.#removed.add(key);
    return true;
  }

  /** All values, in no particular order. */
  values(): IterableIterator<T> {
    return this.#values.values();
  }

  /** At most `count` values in the order of their keys, beginning with the one at `start`. */
  slice(start: number, count: number): T[] {
    const found: T[] = [];
    for (const key of this.#sorted().slice(start, start + count)) {
      const value = this.#values.get(key);
      if (value !== undefined) found.push(value);
    }
    return found;
  }

  /** All values in the order of their keys. */
  *inOrder(): Generator<T> {
    for (const key of this.#sorted()) {
      const value = this.#values.get(key);
      if (value !== undefined) yield value;
    }
  }

  #sorted(): readonly string[] {
    if (this.#added.size === 0 && this.#removed.size === 0) return this.#order;
    const kept = this.#removed.size === 0 ? this.#order : this.#order.filter((key) => !this.#removed.has(key));
    const added = [...this.#added].toSorted(compareText);
    this.#order = merge(kept, added);
    this.#added.clear();
    this.#removed.clear();
    return this.#order;
  }
}

function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}

function merge(left: readonly string[], right: readonly string[]): string[] {
  if (right.length === 0) return [...left];
  const merged: string[] = [];
  let at = 0;
  for (const key of right) {
    for (let next = left[at]; next !== undefined && next < key; next = left[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(key);
  }
  for (; at < left.length; at += 1) merged.push(left[at] ?? '');
  return merged;
}
