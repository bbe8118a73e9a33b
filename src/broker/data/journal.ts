import { type FileHandle, open, rm, truncate } from 'node:fs/promises';
import { syncFolder } from './atomic-file.ts';
import type { DataError } from './data-error.ts';
import { encodeGroup, encodeHeader, folderWriteError, segmentFile, type SegmentFile } from './journal-file.ts';

/** From a change that somebody waits for to the write of its group. Those that come meanwhile share one sync. */
const groupMs = 1;
/** The same for changes that nobody waits for. */
const idleGroupMs = 100;
/** From a write that failed to the next attempt. */
const retryMs = 1000;
/** Characters of changes that may wait to be written before nobody is read any more. */
const maxPendingLength = 4 * 1024 * 1024;
/** A longer segment is followed by another one, so that each can be read in one piece. */
const maxSegmentBytes = 64 * 1024 * 1024;

export interface JournalOptions {
  readonly folder: string;
  /** Number of the last change so far. */
  readonly position: number;
  /** Segments of earlier runs, the oldest first. */
  readonly segments: readonly SegmentFile[];
  /** Called after each write with the bytes that the journal has, and with the failure of one that failed. */
  readonly written: (bytes: number, failure: DataError | undefined) => void;
}

/**
 * The changes since the data files were last written, appended to a file. All that wait are written and
 * synced together, in their order. While the disk refuses, the group is kept and tried again.
 */
export class Journal {
  readonly #options: JournalOptions;
  /** All segments, the oldest first; the last is written to. */
  #segments: readonly SegmentFile[];
  #handle: FileHandle | undefined;
  /** Bytes of the last segment up to the end of its last whole group. */
  #segmentBytes = 0;
  /** Bytes of the earlier ones that were written in this run. */
  #earlierBytes = 0;
  /** A write failed, so that there may be a part of it behind these bytes. */
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

  /** Number of the group that changes come into now. */
  get group(): number {
    return this.#group;
  }

  /** Adds a change, as JSON. Those of one turn of the event loop come into the same group. */
  add(change: string): void {
    this.#position += 1;
    this.#pending.push(change);
    this.#pendingLength += change.length;
    this.#schedule(this.#waiting.length === 0);
  }

  /** Calls back once, after the next attempt to write. */
  afterSync(done: () => void): void {
    this.#waiting.push(done);
    this.#schedule(false);
  }

  /** Resolves when all changes up to now are on disk. @throws DataError when they cannot be written. */
  sync(): Promise<void> {
    const { position } = this;
    return this.#serialize(async () => {
      if (this.#syncedPosition < position) await this.#write();
      if (this.#syncedPosition < position && this.#failure !== undefined) throw this.#failure;
    });
  }

  /**
   * Begins a new segment. The answer removes the older ones, for when their changes are in the data files.
   * @throws DataError when it cannot be made, or what waits cannot be written.
   */
  rotate(): Promise<() => Promise<void>> {
    return this.#serialize(async () => {
      if (this.#pending.length > 0) await this.#write();
      if (this.#failure !== undefined) throw this.#failure;
      try {
        if (this.#handle === undefined || this.#segments.at(-1)?.first !== this.#syncedPosition + 1) await this.#beginSegment();
      } catch (error) {
        throw folderWriteError(this.#options.folder, error);
      }
      const older = this.#segments.slice(0, -1);
      const olderBytes = this.#earlierBytes;
      return () => this.#serialize(() => this.#remove(older, olderBytes));
    });
  }

  /** Ends the writing. What `sync` has not written is lost. `isEmpty`: all of it is in the data files, and the journal goes. */
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
    // A failing disk is asked again in its own time.
    if (this.#timer !== undefined && (isLazy || !this.#isTimerIdle)) return;
    clearTimeout(this.#timer);
    this.#isTimerIdle = isLazy;
    this.#timer = setTimeout(this.#runTimer, isLazy ? idleGroupMs : groupMs);
  }

  readonly #runTimer = (): void => {
    void this.#serialize(() => this.#write());
  };

  /** One at a time. */
  #serialize<T>(step: () => Promise<T>): Promise<T> {
    const next = this.#lastOperation.then(step);
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
    // Where no file can be made, the next group tries again.
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
      // What is refused now must not come back after a kill.
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
      // Left behind it would be taken for one whose end is missing.
      await rm(segment.path, { force: true });
      throw error;
    }
    this.#handle = handle;
    this.#earlierBytes += this.#segmentBytes;
    this.#segmentBytes = header.length;
    // An earlier run may have left an empty one of that number.
    this.#segments = [...this.#segments.filter((other) => other.first !== first), segment];
  }

  /** The oldest first, and for good before the next: what a power cut leaves has no gap, and ends with the last change. */
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

/** Cuts off what was torn at the end of a file, for good. */
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
