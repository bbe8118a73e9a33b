import type { Recorder } from '../sessions/recorder.ts';
import { persistChange } from './changes.ts';

/** A table that is written to disk, key by key. */
export interface StoredTable<T> {
  keys(): Iterable<string>;
  export(key: string): T | undefined;
  onChange(changed: (key: string) => void): void;
}

/** A map that is stored. With a recorder, a change is on disk when it resolves. */
export class StoredMap<T> implements StoredTable<T> {
  readonly #values: Map<string, T>;
  readonly #recorder: Recorder | undefined;
  readonly #watchers: ((key: string) => void)[] = [];

  constructor(stored: readonly T[], keyOf: (value: T) => string, recorder: Recorder | undefined) {
    this.#values = new Map(stored.map((value) => [keyOf(value), value]));
    this.#recorder = recorder;
  }

  get size(): number {
    return this.#values.size;
  }

  keys(): Iterable<string> {
    return this.#values.keys();
  }

  values(): Iterable<T> {
    return this.#values.values();
  }

  export(key: string): T | undefined {
    return this.#values.get(key);
  }

  onChange(changed: (key: string) => void): void {
    this.#watchers.push(changed);
  }

  /** Sets a value, or removes it with `undefined`. @throws BrokerError `failed` when not written; it is then undone */
  async put(key: string, value: T | undefined): Promise<void> {
    await persistChange(this.#recorder, () => {
      const before = this.#values.get(key);
      this.set(key, value);
      return () => {
        if (this.#values.get(key) === value) this.set(key, before);
      };
    });
  }

  /** Sets a value without waiting for the disk. */
  set(key: string, value: T | undefined): void {
    if (value === undefined) this.#values.delete(key);
    else this.#values.set(key, value);
    for (const changed of this.#watchers) changed(key);
  }
}
