import { DataError } from './data-error.ts';

/** Something that can be written; `RecordFile` is one. */
interface Savable {
  readonly isDirty: boolean;
  /** Rejects with `DataError`. */
  write(): Promise<void>;
}

export interface SaverOptions {
  /** From a change to the beginning of its write, in milliseconds. */
  readonly delayMs: number;
  /** From a write that failed to the next attempt, in milliseconds. */
  readonly retryMs: number;
  /** Called with the first failure of a row of them, and with `undefined` once everything is written again. */
  readonly onTrouble: (error: DataError | undefined) => void;
}

/** Writes what changed: soon, in one go for many changes, one write at a time. */
export class Saver {
  readonly #files: readonly Savable[];
  readonly #options: SaverOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<DataError | undefined> | undefined;
  #isInTrouble = false;
  #isClosed = false;

  constructor(files: readonly Savable[], options: SaverOptions) {
    this.#files = files;
    this.#options = options;
  }

  /** There is something to write. */
  readonly schedule = (): void => {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#wait(this.#options.delayMs);
  };

  /**
   * Writes everything that changed until now.
   * @throws DataError
   */
  async flush(): Promise<void> {
    // A write that runs may have begun before the last change.
    await this.#running;
    const error = await this.#save();
    if (error !== undefined) throw error;
  }

  /** No more writes of its own; `flush` before, to lose nothing. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#save();
    }, ms);
  }

  #save(): Promise<DataError | undefined> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#writeAll().finally(() => {
      this.#running = undefined;
      if (this.#files.some((file) => file.isDirty) && !this.#isClosed) {
        this.#wait(this.#isInTrouble ? this.#options.retryMs : this.#options.delayMs);
      }
    });
    return this.#running;
  }

  /** One file that cannot be written does not keep the others from it. */
  async #writeAll(): Promise<DataError | undefined> {
    let first: DataError | undefined;
    for (const file of this.#files) {
      try {
        if (file.isDirty) await file.write();
      } catch (error) {
        if (!(error instanceof DataError)) throw error;
        first ??= error;
      }
    }
    if ((first !== undefined) !== this.#isInTrouble) {
      this.#isInTrouble = first !== undefined;
      this.#options.onTrouble(first);
    }
    return first;
  }
}
