interface Slot<T> {
  readonly key: string;
  /** `undefined` once deleted, so that the value is freed before the slot is removed. */
  value: T | undefined;
}

/** New entries that are sorted together. */
const runLength = 1024;

/**
 * A map that can be read in key order, page by page. New entries are collected in sorted runs of doubling
 * length and merged when the order is next read, so that neither a change nor a page sorts everything.
 */
export class SortedIndex<T extends NonNullable<unknown>> {
  readonly #slots = new Map<string, Slot<T>>();
  /** In key order, without `#runs` and `#added`; may contain deleted slots. */
  #order: Slot<T>[] = [];
  /** Sorted runs, each more than twice as long as the next when it was made. */
  #runs: Slot<T>[][] = [];
  #added: Slot<T>[] = [];
  /** Upper limit of the number of deleted slots. */
  #deletedCount = 0;

  get size(): number {
    return this.#slots.size;
  }

  get(key: string): T | undefined {
    return this.#slots.get(key)?.value;
  }

  set(key: string, value: T): void {
    const present = this.#slots.get(key);
    if (present !== undefined) {
      present.value = value;
      return;
    }
    const slot: Slot<T> = { key, value };
    this.#slots.set(key, slot);
    this.#added.push(slot);
    if (this.#added.length >= runLength) this.#endRun();
  }

  delete(key: string): boolean {
    const slot = this.#slots.get(key);
    if (slot === undefined) return false;
    slot.value = undefined;
    this.#deletedCount += 1;
    this.#slots.delete(key);
    // The order may never be read: deleted slots must not pile up.
    if (this.#deletedCount > runLength && this.#deletedCount > this.#slots.size) this.#dropDeleted();
    return true;
  }

  /** All values, in no particular order. Entries may be deleted meanwhile. */
  *values(): Generator<T> {
    yield* valuesOf(this.#slots.values());
  }

  /** At most `count` values in key order from position `start`. */
  slice(start: number, count: number): T[] {
    const values: T[] = [];
    // Not a generator: a page may have 100,000 entries.
    for (const { value } of this.#sorted().slice(start, start + count)) if (value !== undefined) values.push(value);
    return values;
  }

  /** All values in key order. */
  *inOrder(): Generator<T> {
    yield* valuesOf(this.#sorted());
  }

  #sorted(): readonly Slot<T>[] {
    if (this.#deletedCount > 0) this.#dropDeleted();
    if (this.#added.length > 0 || this.#runs.length > 0) {
      this.#endRun();
      this.#order = merge(this.#order, this.#runs.reduceRight<Slot<T>[]>((later, run) => merge(run, later), []));
      this.#runs = [];
    }
    return this.#order;
  }

  #dropDeleted(): void {
    this.#order = this.#order.filter(isPresent);
    this.#runs = this.#runs.map((run) => run.filter(isPresent));
    this.#added = this.#added.filter(isPresent);
    this.#deletedCount = 0;
  }

  #endRun(): void {
    let run = this.#added.toSorted(compareKeys);
    this.#added = [];
    for (let last = this.#runs.at(-1); last !== undefined && last.length <= 2 * run.length; last = this.#runs.at(-1)) {
      this.#runs.pop();
      run = merge(last, run);
    }
    this.#runs.push(run);
  }
}

function isPresent(slot: Slot<unknown>): boolean {
  return slot.value !== undefined;
}

function* valuesOf<T>(slots: Iterable<Slot<T>>): Generator<T, void> {
  for (const { value } of slots) if (value !== undefined) yield value;
}

function compareKeys(a: Slot<unknown>, b: Slot<unknown>): number {
  if (a.key === b.key) return 0;
  return a.key < b.key ? -1 : 1;
}

function merge<T>(left: readonly Slot<T>[], right: readonly Slot<T>[]): Slot<T>[] {
  const merged: Slot<T>[] = [];
  let at = 0;
  for (const slot of right) {
    for (let next = left[at]; next !== undefined && next.key < slot.key; next = left[at]) {
      merged.push(next);
      at += 1;
    }
    merged.push(slot);
  }
  for (const slot of left.slice(at)) merged.push(slot);
  return merged;
}
