import type { Subscription } from '../../domain/client.ts';
import type { Session } from './session.ts';

interface Slot<T> {
  readonly key: string;
  /** `undefined` once deleted: the value is freed before the slot is removed. */
  value: T | undefined;
}

const runLength = 1024;

/**
 * A map in key order. Sorted runs of doubling length are merged on read: neither a change nor a page sorts everything.
 */
export class SortedIndex<T extends NonNullable<unknown>> {
  readonly #slots = new Map<string, Slot<T>>();
  /** Slots in key order, without `#runs` and `#added`; some may be deleted. */
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

  /** Yields values in no order. Entries may be deleted during the iteration. */
  *values(): Generator<T> {
    yield* valuesOf(this.#slots.values());
  }

  slice(start: number, count: number): T[] {
    const values: T[] = [];
    // Not a generator: a page may have 100,000 entries.
    for (const { value } of this.#sorted().slice(start, start + count)) if (value !== undefined) values.push(value);
    return values;
  }

  *inOrder(): Generator<T> {
    yield* valuesOf(this.#sorted());
  }

  #sorted(): readonly Slot<T>[] {
    if (this.#deletedCount > 0) this.#dropDeleted();
    if (this.#added.length > 0 || this.#runs.length > 0) {
      this.#endRun();
      this.#order = merge(
        this.#order,
        this.#runs.reduceRight<Slot<T>[]>((later, run) => merge(run, later), []),
      );
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

interface SessionRange {
  readonly session: Session;
  readonly start: number;
}

/**
 * Rows of a session are cached until a subscription changes, so that a scan does not walk all sessions for every page.
 */
export class SubscriptionPages {
  readonly #sessions: SortedIndex<Session>;
  #ranges: readonly SessionRange[] | undefined;

  constructor(sessions: SortedIndex<Session>) {
    this.#sessions = sessions;
  }

  invalidate(): void {
    this.#ranges = undefined;
  }

  /** Yields subscriptions from positions that are fixed when the first row is read. */
  *walk(start: number, count: number): Generator<Subscription, void> {
    const ranges = (this.#ranges ??= this.#computeRanges());
    let left = count;
    for (let at = findRange(ranges, start); left > 0; at += 1) {
      const range = ranges[at];
      if (range === undefined) return;
      const skip = Math.max(0, start - range.start);
      for (const subscription of subscriptionsOf(range.session).slice(skip, skip + left)) {
        left -= 1;
        yield subscription;
      }
    }
  }

  #computeRanges(): readonly SessionRange[] {
    const ranges: SessionRange[] = [];
    let start = 0;
    for (const session of this.#sessions.inOrder()) {
      if (session.subscriptions.size === 0) continue;
      ranges.push({ session, start });
      start += session.subscriptions.size;
    }
    return ranges;
  }
}

function findRange(ranges: readonly SessionRange[], row: number): number {
  let low = 0;
  let high = ranges.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((ranges[middle]?.start ?? Infinity) <= row) low = middle;
    else high = middle;
  }
  return low;
}

export function subscriptionsOf(session: Session): readonly Subscription[] {
  const { clientId, nodeName: node } = session;
  return [...session.subscriptions].map(([topic, qos]) => ({ clientId, topic, qos, node }));
}
