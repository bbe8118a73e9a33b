import { DataError } from './data-error.ts';

/** Something that can be written; `RecordFile` is one. */
interface CheckpointedFile {
  readonly isDirty: boolean;
  /** Rejects with `DataError`. */
  write(logged: () => Promise<void>): Promise<void>;
}

/** The journal, of which the files take the place. */
interface CheckpointedJournal {
  /** Begins a new segment; the answer removes the older ones. Rejects with `DataError`. */
  rotate(): Promise<() => Promise<void>>;
  /** Resolves when all changes up to now are on disk. Rejects with `DataError`. */
  sync(): Promise<void>;
}

export interface CheckpointerOptions {
  /** From a write that failed to the next attempt, in milliseconds. */
  readonly retryMs: number;
  /** Called after each attempt, with what went wrong. */
  readonly onAttempt: (error: DataError | undefined) => void;
}

/**
 * Writes the files and removes the part of the journal that is in them then, one time after the other.
 * Ended between any two steps, it leaves files and a journal that give the same state: a change that
 * is in both counts once.
 */
export class Checkpointer {
  readonly #files: readonly CheckpointedFile[];
  readonly #journal: CheckpointedJournal;
  readonly #options: CheckpointerOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<DataError | undefined> | undefined;
  #isClosed = false;

  constructor(files: readonly CheckpointedFile[], journal: CheckpointedJournal, options: CheckpointerOptions) {
    this.#files = files;
    this.#journal = journal;
    this.#options = options;
  }

  /** The journal is long: writes the files soon. */
  readonly schedule = (): void => {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#wait(0);
  };

  /**
   * Writes everything that changed until now.
   * @throws DataError
   */
  async checkpoint(): Promise<void> {
    // A write that runs may have begun before the last change.
    await this.#running;
    const error = await this.#checkpoint();
    if (error !== undefined) throw error;
  }

  /** No more writes of its own. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#running;
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      void this.#checkpoint();
    }, ms);
  }

  #checkpoint(): Promise<DataError | undefined> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#running ??= this.#writeAll().then((error) => {
      this.#running = undefined;
      if (error !== undefined && !this.#isClosed) this.#wait(this.#options.retryMs);
      this.#options.onAttempt(error);
      return error;
    });
    return this.#running;
  }

  async #writeAll(): Promise<DataError | undefined> {
    try {
      const removeOlder = await this.#journal.rotate();
      for (const file of this.#files) if (file.isDirty) await file.write(() => this.#journal.sync());
      await removeOlder();
      return undefined;
    } catch (error) {
      if (error instanceof DataError) return error;
      throw error;
    }
  }
}
