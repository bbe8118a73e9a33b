import { type FileHandle, open, rm, truncate } from 'node:fs/promises';
import { type DataError, folderWriteError, syncFolder } from './files.ts';
import { encodeGroup, encodeHeader, segmentFile, type SegmentFile } from './journal-file.ts';

/** Changes are collected for so long for one sync (group commit). */
const groupMs = 1;
const idleGroupMs = 100;
const retryMs = 1000;
/** Counts characters; beyond it clients are no longer read. */
const maxPendingLength = 4 * 1024 * 1024;
const maxSegmentBytes = 64 * 1024 * 1024;

interface JournalOptions {
  readonly folder: string;
  readonly position: number;
  readonly segments: readonly SegmentFile[];
  readonly written: (bytes: number, failure: DataError | undefined) => void;
}

/** The write-ahead journal since the last checkpoint, with group commit. A group that cannot be written is retried. */
export class Journal {
  readonly #options: JournalOptions;
  #segments: readonly SegmentFile[];
  #handle: FileHandle | undefined;
  #segmentBytes = 0;
  #earlierBytes = 0;
  /** A write failed and may have left a part after `#segmentBytes`. */
  #isTorn = false;
  #pending: string[] = [];
  #pendingLength = 0;
  #group = 0;
  #writingLength = 0;
  #position: number;
  #syncedPosition: number;
  #failure: DataError | undefined;
  #waiting: (() => void)[] = [];
  #timer: NodeJS.Timeout | undefined;
  #isTimerIdle = false;
  #isRunning = false;
  #isClosed = false;
  #lastOperation: Promise<unknown> = Promise.resolve();

  constructor(options: JournalOptions) {
    this.#options = options;
    this.#segments = options.segments;
    this.#position = options.position;
    this.#syncedPosition = options.position;
  }

  get position(): number {
    return this.#position;
  }

  get syncedPosition(): number {
    return this.#syncedPosition;
  }

  get failure(): DataError | undefined {
    return this.#failure;
  }

  get isFull(): boolean {
    return this.#failure === undefined && this.#pendingLength + this.#writingLength > maxPendingLength;
  }

  get group(): number {
    return this.#group;
  }

  /** Adds a change, as JSON. Changes of one event loop iteration are in the same group. */
  add(change: string): void {
    this.#position += 1;
    this.#pending.push(change);
    this.#pendingLength += change.length;
    this.#schedule(this.#waiting.length === 0);
  }

  afterSync(done: () => void): void {
    this.#waiting.push(done);
    this.#schedule(false);
  }

  /** Resolves when all changes up to now are on disk. @throws DataError */
  sync(): Promise<void> {
    const { position } = this;
    return this.#serialize(async () => {
      if (this.#syncedPosition < position) await this.#write();
      if (this.#syncedPosition < position && this.#failure !== undefined) throw this.#failure;
    });
  }

  /** Starts a new segment. Returns a function that removes the older ones. @throws DataError */
  rotate(): Promise<() => Promise<void>> {
    return this.#serialize(async () => {
      if (this.#pending.length > 0) await this.#write();
      if (this.#failure !== undefined) throw this.#failure;
      try {
        if (this.#handle === undefined || this.#segments.at(-1)?.first !== this.#syncedPosition + 1)
          await this.#beginSegment();
      } catch (error) {
        throw folderWriteError(this.#options.folder, error);
      }
      const older = this.#segments.slice(0, -1);
      const olderBytes = this.#earlierBytes;
      return () => this.#serialize(() => this.#remove(older, olderBytes));
    });
  }

  /**
   * Closes the file without writing pending changes. `isEmpty`: the record files have everything, so the segments are
   * removed.
   */
  async close(isEmpty: boolean): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#serialize(async () => {
      await this.#handle?.close();
      this.#handle = undefined;
      if (isEmpty) await this.#remove(this.#segments, 0);
    });
  }

  #schedule(isLazy: boolean): void {
    if (this.#isRunning || this.#isClosed) return;
    if (this.#timer !== undefined && (isLazy || !this.#isTimerIdle)) return;
    clearTimeout(this.#timer);
    this.#isTimerIdle = isLazy;
    this.#timer = setTimeout(this.#runTimer, isLazy ? idleGroupMs : groupMs);
  }

  readonly #runTimer = (): void => {
    void this.#serialize(() => this.#write());
  };

  #serialize<T>(operation: () => Promise<T>): Promise<T> {
    const next = this.#lastOperation.then(operation);
    this.#lastOperation = next.catch(() => undefined);
    return next;
  }

  async #write(): Promise<void> {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#isRunning = true;
    const group = this.#pending;
    const last = this.#position;
    this.#pending = [];
    this.#group += 1;
    this.#writingLength = this.#pendingLength;
    this.#pendingLength = 0;
    try {
      if (group.length > 0) await this.#append(encodeGroup(this.#syncedPosition + 1, group));
      this.#syncedPosition = last;
      this.#failure = undefined;
    } catch (error) {
      this.#pending = [...group, ...this.#pending];
      this.#pendingLength += this.#writingLength;
      this.#failure = folderWriteError(this.#options.folder, error);
    }
    this.#writingLength = 0;
    this.#isRunning = false;
    const waiting = this.#waiting;
    this.#waiting = [];
    for (const done of waiting) done();
    // On failure the next group tries again.
    if (this.#segmentBytes > maxSegmentBytes) await this.#beginSegment().catch(() => undefined);
    this.#options.written(this.#earlierBytes + this.#segmentBytes, this.#failure);
    this.#scheduleNext();
  }

  #scheduleNext(): void {
    if (this.#failure === undefined) {
      if (this.#pending.length > 0 || this.#waiting.length > 0) this.#schedule(this.#waiting.length === 0);
      return;
    }
    if (this.#isClosed) return;
    clearTimeout(this.#timer);
    this.#isTimerIdle = false;
    this.#timer = setTimeout(this.#runTimer, retryMs);
  }

  async #append(line: Buffer): Promise<void> {
    if (this.#handle === undefined) throw new Error('the journal has no file');
    if (this.#isTorn) await this.#handle.truncate(this.#segmentBytes);
    this.#isTorn = true;
    try {
      await writeAll(this.#handle, line, this.#segmentBytes);
      await this.#handle.datasync();
    } catch (error) {
      // A refused change must not reappear after a kill.
      await this.#handle.truncate(this.#segmentBytes).catch(() => undefined);
      throw error;
    }
    this.#isTorn = false;
    this.#segmentBytes += line.length;
  }

  async #beginSegment(): Promise<void> {
    const first = this.#syncedPosition + 1;
    const segment = segmentFile(this.#options.folder, first);
    const handle = await open(segment.path, 'w', 0o600);
    const header = encodeHeader(first);
    try {
      await writeAll(handle, header, 0);
      await handle.datasync();
      await syncFolder(this.#options.folder);
      await this.#handle?.close();
    } catch (error) {
      await handle.close();
      // Otherwise it would be replayed as a truncated segment.
      await rm(segment.path, { force: true });
      throw error;
    }
    this.#handle = handle;
    this.#earlierBytes += this.#segmentBytes;
    this.#segmentBytes = header.length;
    // An earlier run may have left an empty segment of that number.
    this.#segments = [...this.#segments.filter((other) => other.first !== first), segment];
  }

  /** Removes segments, oldest first and each synced, so that a power cut leaves no gap. */
  async #remove(segments: readonly SegmentFile[], bytes: number): Promise<void> {
    try {
      for (const { path } of segments) {
        await rm(path, { force: true });
        await syncFolder(this.#options.folder);
      }
    } catch (error) {
      throw folderWriteError(this.#options.folder, error);
    }
    this.#segments = this.#segments.slice(segments.length);
    this.#earlierBytes -= bytes;
  }
}

export async function truncateFile(file: string, bytes: number): Promise<void> {
  await truncate(file, bytes);
  const handle = await open(file, 'r+');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function writeAll(handle: FileHandle, bytes: Buffer, position: number): Promise<void> {
  for (let done = 0; done < bytes.length;) {
    const { bytesWritten } = await handle.write(bytes, done, bytes.length - done, position + done);
    done += bytesWritten;
  }
}
