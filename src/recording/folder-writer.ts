import { constants } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { errorCodeOf } from '../domain/error-code.ts';
import type { RecordedEvent } from './recording.ts';
import type { SampleSink } from './ring.ts';
import type { EncodedSample } from './sample-encoder.ts';
import {
  beginSegment,
  createScanner,
  encodeIndex,
  encodeJson,
  encodeSample,
  formatVersion,
  indexEnding,
  isSegment,
  magicLength,
  type Scanner,
  scanSegment,
  type SegmentHeader,
  segmentEnding,
  segmentName,
  timeOfSegment,
} from './segment.ts';

/** Opens a file to write samples to. */
export type OpenFile = (file: string, flags: number, mode: number) => Promise<SegmentFile>;
export type SegmentFile = Pick<FileHandle, 'write' | 'truncate' | 'datasync' | 'close' | 'stat'>;

export interface FolderWriterOptions {
  /** Exists, and is private. */
  readonly folder: string;
  readonly program: string;
  readonly run: string;
  /** The name of a context, or an address. */
  readonly cluster: string;
  /** Oldest files are deleted where all of them are larger. */
  readonly maxBytes: number;
  /** Files whose samples are older are deleted, too. */
  readonly maxAgeMs: number;
  readonly requestKeyframe: () => void;
  /** Called when samples cannot be written, with a system code, and with `undefined` when they can again. */
  readonly onTrouble: (code: string | undefined) => void;
  readonly monotonicMs: () => number;
  readonly openFile?: OpenFile | undefined;
}

export interface FolderWriter<Event extends RecordedEvent> extends SampleSink<Event> {
  /** The number of bytes that this writer has written. */
  writtenBytes(): number;
  /** Resolves when all samples so far are written, or failed. */
  settled(): Promise<void>;
  close(): Promise<void>;
}

const hourMs = 3_600_000;

/** After a failure, writing is tried again so often: each time begins with all of the state. */
const retryMs = 60_000;

/** A file ends at this share of all of them, so that deleting the oldest one makes room. */
const maxShare = 8;

interface OpenSegment<Event extends RecordedEvent> {
  readonly file: string;
  readonly handle: SegmentFile;
  readonly inode: number;
  readonly hour: number;
  readonly scanner: Scanner<Event>;
  size: number;
}

/** Writes samples to files of an hour each. What is written stays, whatever happens to what comes next. */
export function createFolderWriter<Event extends RecordedEvent>(options: FolderWriterOptions): FolderWriter<Event> {
  const { folder, requestKeyframe, onTrouble, monotonicMs } = options;
  const openFile: OpenFile = options.openFile ?? open;
  const header: SegmentHeader = {
    format: formatVersion,
    program: options.program,
    run: options.run,
    cluster: options.cluster,
  };
  const maxSegmentBytes = options.maxBytes / maxShare;
  let segment: OpenSegment<Event> | undefined;
  let failedMs: number | undefined;
  let last: Promise<void> = Promise.resolve();
  let writtenBytes = 0;
  let waiting: readonly Event[] = [];

  async function write(sample: EncodedSample, events: readonly Event[]): Promise<void> {
    // Events are not lost while samples cannot be written.
    waiting = [...waiting, ...events].slice(-maxWaiting);
    if (failedMs !== undefined) {
      if (monotonicMs() - failedMs < retryMs) return;
      if (!sample.isKeyframe) {
        requestKeyframe();
        return;
      }
    }
    try {
      await append(sample);
      if (failedMs !== undefined) onTrouble(undefined);
      failedMs = undefined;
    } catch (error) {
      if (failedMs === undefined) onTrouble(errorCodeOf(error) ?? String(error));
      failedMs = monotonicMs();
      await abandon();
    }
  }

  async function append(sample: EncodedSample): Promise<void> {
    const hour = Math.floor(sample.at.wallMs / hourMs);
    if (segment !== undefined && (segment.hour !== hour || segment.size > maxSegmentBytes)) {
      if (sample.isKeyframe) await end(segment);
      else requestKeyframe();
    }
    if (segment === undefined) {
      // The differences of a group are of no use without its keyframe.
      if (!sample.isKeyframe) {
        requestKeyframe();
        return;
      }
      segment = await begin(sample.at.wallMs, hour);
      await removeOld(segment.file, sample.at.wallMs);
    }
    await requireStillThere(segment);
    const bytes = Buffer.concat([
      ...waiting.map((event) => encodeJson('event', event)),
      encodeSample(sample.at, sample.isKeyframe, sample.bytes),
    ]);
    await writeWhole(segment, bytes);
    waiting = [];
    if (sample.isKeyframe) await segment.handle.datasync();
  }

  async function writeWhole(into: OpenSegment<Event>, bytes: Buffer): Promise<void> {
    let length = 0;
    try {
      while (length < bytes.length) {
        const { bytesWritten } = await into.handle.write(bytes, length, bytes.length - length, into.size + length);
        if (bytesWritten === 0) throw Object.assign(new Error('nothing was written'), { code: 'ENOSPC' });
        length += bytesWritten;
      }
    } catch (error) {
      // Readers ignore half a record. The next program cuts it if this one cannot.
      await into.handle.truncate(into.size).catch(() => {});
      throw error;
    }
    into.scanner.add(bytes, into.size);
    into.size += bytes.length;
    writtenBytes += bytes.length;
  }

  /** Goes on with the file of this hour, or begins one. */
  async function begin(wallMs: number, hour: number): Promise<OpenSegment<Event>> {
    const latest = (await segmentNames(folder)).at(-1);
    if (latest !== undefined) {
      const continued = await goOn(path.join(folder, latest), latest, hour);
      if (continued !== undefined) return continued;
    }
    for (let number = 0; ; number += 1) {
      const file = path.join(folder, segmentName(wallMs, number));
      try {
        const handle = await openFile(file, constants.O_RDWR | constants.O_CREAT | constants.O_EXCL | noFollow, 0o600);
        return await started(file, handle, hour, createScanner<Event>(), 0, beginSegment(header));
      } catch (error) {
        if (errorCodeOf(error) !== 'EEXIST') throw error;
      }
    }
  }

  /** Cuts half a record at the end of the latest file, which a program left that was killed, and continues it if it is of this hour. */
  async function goOn(file: string, name: string, hour: number): Promise<OpenSegment<Event> | undefined> {
    const bytes = await readFile(file);
    if (!isSegment(bytes)) return undefined;
    const content = scanSegment<Event>(bytes);
    if (content.laterFormat !== undefined) return undefined;
    const handle = await openFile(file, constants.O_RDWR | noFollow, 0o600);
    try {
      if (content.end < bytes.length) await handle.truncate(content.end);
      const isThisHour = Math.floor((timeOfSegment(name) ?? 0) / hourMs) === hour;
      if (isThisHour && content.end < maxSegmentBytes)
        return await started(file, handle, hour, createScanner(content), content.end, encodeJson('header', header));
    } catch (error) {
      await handle.close().catch(() => {});
      throw error;
    }
    await handle.close();
    await writeIndex(file, createScanner(content));
    return undefined;
  }

  async function started(
    file: string,
    handle: SegmentFile,
    hour: number,
    scanner: Scanner<Event>,
    size: number,
    beginning: Buffer,
  ): Promise<OpenSegment<Event>> {
    const { ino } = await handle.stat();
    const next = { file, handle, inode: ino, hour, scanner, size };
    if (size === 0) {
      await writeWhole(next, beginning.subarray(0, magicLength));
      await writeWhole(next, beginning.subarray(magicLength));
    } else await writeWhole(next, beginning);
    return next;
  }

  async function end(ended: OpenSegment<Event>): Promise<void> {
    segment = undefined;
    await ended.handle.datasync();
    await ended.handle.close();
    await writeIndex(ended.file, ended.scanner);
  }

  async function abandon(): Promise<void> {
    const { handle } = segment ?? {};
    segment = undefined;
    await handle?.close().catch(() => {});
  }

  /** A file without an index is read whole, so a failure only costs time. */
  async function writeIndex(file: string, scanner: Scanner<Event>): Promise<void> {
    await writeFile(`${file}${indexEnding}`, encodeIndex(scanner.content()), { mode: 0o600 }).catch(() => {});
  }

  async function removeOld(current: string, nowMs: number): Promise<void> {
    const names = await segmentNames(folder);
    const files = await Promise.all(
      names.map(async (name) => {
        const file = path.join(folder, name);
        const { size, mtimeMs } = await stat(file);
        return { file, size, lastMs: Math.max(mtimeMs, timeOfSegment(name) ?? 0) };
      }),
    );
    let total = files.reduce((sum, { size }) => sum + size, 0);
    for (const { file, size, lastMs } of files) {
      const isOld = nowMs - lastMs > options.maxAgeMs;
      if (file === current || (!isOld && total <= options.maxBytes - maxSegmentBytes)) continue;
      await rm(file, { force: true });
      await rm(`${file}${indexEnding}`, { force: true });
      total -= size;
    }
  }

  return {
    write(sample, events) {
      last = last.then(() => write(sample, events));
    },
    writtenBytes: () => writtenBytes,
    settled: () => last,
    async close() {
      await last;
      if (segment === undefined) return;
      try {
        await end(segment);
      } catch (error) {
        onTrouble(errorCodeOf(error) ?? String(error));
      }
    },
  };
}

const maxWaiting = 1_000;

const noFollow = constants.O_NOFOLLOW ?? 0;

/** A file that was deleted would take bytes for nothing. */
async function requireStillThere({ file, inode }: { readonly file: string; readonly inode: number }): Promise<void> {
  const { ino } = await stat(file);
  if (ino !== inode) throw Object.assign(new Error('the file was replaced'), { code: 'ESTALE' });
}

/** Lists the files with samples, oldest first. */
async function segmentNames(folder: string): Promise<readonly string[]> {
  const names = await readdir(folder);
  return names.filter((name) => name.endsWith(segmentEnding) && timeOfSegment(name) !== undefined).toSorted();
}
