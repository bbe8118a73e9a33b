import { DataError } from './data-error.ts';

/** What a checkpoint needs from a `RecordFile`. */
interface CheckpointedFile {
  readonly isDirty: boolean;
  /** @throws DataError */
  write(syncJournal: () => Promise<void>): Promise<void>;
}

/** What a checkpoint needs from the `Journal`. */
interface CheckpointedJournal {
  /** Starts a new segment. Returns a function that removes the older ones. @throws DataError */
  rotate(): Promise<() => Promise<void>>;
  /** Resolves when all changes up to now are on disk. @throws DataError */
  sync(): Promise<void>;
}

export interface CheckpointerOptions {
  /** Delay after a failed checkpoint. */
  readonly retryMs: number;
  /** Called after each attempt, with its error if any. */
  readonly onAttempt: (error: DataError | undefined) => void;
}

/**
 * Writes the record files and removes the journal segments that they cover. Interrupted at any step, files and
 * journal give the same state: a change that is in both is applied once.
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

  /** Starts a checkpoint soon, unless one is due or running. */
  readonly schedule = (): void => {
    if (this.#timer !== undefined || this.#running !== undefined || this.#isClosed) return;
    this.#wait(0);
  };

  /** Writes everything that has changed. @throws DataError */
  async checkpoint(): Promise<void> {
    // A running checkpoint may have started before the last change.
    await this.#running;
    const error = await this.#checkpoint();
    if (error !== undefined) throw error;
  }

  /** Stops scheduled checkpoints and waits for a running one. */
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
