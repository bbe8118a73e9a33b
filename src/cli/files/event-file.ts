import { constants } from 'node:fs';
import { type FileHandle, lstat, open, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { errorCodeOf } from '../../domain/error-code.ts';
import { eventKinds, eventSeverities, type TimelineEvent } from '../../domain/event.ts';
import { mergeEvents } from '../../timeline/merge-events.ts';
import { appendFlags, endsInsideLine } from './append.ts';
import { fileFault, folderFault } from './ownership.ts';
import { clusterFileName, FolderError, requirePrivateFolder, statePath } from './state-folder.ts';

/** Events of earlier runs, and those of others that watch the same cluster. */
export interface EventFile {
  readonly path: string;
  /**
   * Returns the events that are kept, oldest first; those that this version cannot read are left out. @throws
   * EventFileError if there is a file that cannot be read
   */
  read(): Promise<readonly TimelineEvent[]>;
  /** Appends events. Never rejects: what cannot be written waits, and is written when that is possible again. */
  append(events: readonly TimelineEvent[]): void;
  /** Resolves when everything is in the file, or could not be written. */
  settled(): Promise<void>;
  /** Tries what could not be written once more, and ends. */
  close(): Promise<void>;
}

export interface EventFileOptions {
  /** Called with an error code when events cannot be written, once, and with `undefined` when they are again. */
  readonly onTrouble?: ((code: string | undefined) => void) | undefined;
  /** The size from which on the file is put aside; the one that was put aside before is removed. */
  readonly maxBytes?: number | undefined;
  /** The pause before what could not be written is tried again. */
  readonly retryMs?: number | undefined;
}

const readFlags = constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0);

/** The events of a cluster cannot be read. */
export class EventFileError extends Error {
  readonly code: string;
  constructor(file: string, code: string, cause?: unknown) {
    super(`${file}: ${code}`, { cause });
    this.name = 'EventFileError';
    this.code = code;
  }
}

const defaultMaxBytes = 2_000_000;
/** An event with the longest client ID and topic, each escaped in JSON, is shorter. */
const maxLineLength = 1_000_000;
/** Limits the events that wait for a file that cannot be written; the oldest go. */
const maxWaiting = 2_000;
const defaultRetryMs = 10_000;

const jump = z.looseObject({ screen: z.string() }).transform((value) => value as TimelineEvent['jump']);

/** Any number but infinity; times may be those of a clock that was wrong. */
const number = z.number();
const eventShape = {
  id: z.string(),
  atMs: number,
  kind: z.enum(eventKinds),
  severity: z.enum(eventSeverities),
  text: z.string(),
  check: z.string().optional(),
  code: z.string().optional(),
  problem: z.string().optional(),
  node: z.string().optional(),
  clientId: z.string().optional(),
  topic: z.string().optional(),
  sinceMs: number.optional(),
  replaces: z.array(z.string()).optional(),
  isMoment: z.literal(true).optional(),
  isBeginUnknown: z.literal(true).optional(),
  repeated: z.object({ times: number, sinceMs: number }).optional(),
  lastedMs: number.optional(),
  lost: number.optional(),
  jump: jump.optional(),
  action: z
    .object({
      name: z.string(),
      outcome: z.enum(['done', 'accepted', 'not-done', 'unknown']),
      record: z.string().optional(),
      by: z.string().optional(),
      changed: z.looseObject({}).optional(),
    })
    .optional(),
  run: z.string(),
} satisfies Record<keyof TimelineEvent, z.ZodType>;
const eventSchema = z.object(eventShape);

/** Returns the file for the events of a cluster, by the name of its context or its URL; `undefined` without a home folder. */
export const eventFilePath = (environment: NodeJS.ProcessEnv, cluster: string): string | undefined =>
  statePath(environment, path.join('events', `${clusterFileName(cluster)}.ndjson`));

/** Returns the name of the file that was put aside. */
export const olderFile = (file: string): string => `${file}.1`;

/**
 * Opens the events of a cluster. Several programs may append at once: each line is written whole, and a line that a crash left
 * incomplete is skipped.
 */
export function openEventFile(
  file: string,
  { onTrouble = () => {}, maxBytes = defaultMaxBytes, retryMs = defaultRetryMs }: EventFileOptions = {},
): EventFile {
  let last: Promise<void> = Promise.resolve();
  let waiting: readonly TimelineEvent[] = [];
  let hasTrouble = false;
  let retry: NodeJS.Timeout | undefined;

  async function write(): Promise<void> {
    const events = waiting;
    if (events.length === 0) return;
    clearTimeout(retry);
    try {
      await requirePrivateFolder(path.dirname(file));
      const size = await appendLines(file, events.map(lineOf).join(''));
      waiting = waiting.filter((event) => !events.includes(event));
      if (hasTrouble) onTrouble(undefined);
      hasTrouble = false;
      if (size > maxBytes) await putAside(file, maxBytes);
    } catch (error) {
      // What was written in part is whole when it is written again, with the same ID.
      if (!hasTrouble) onTrouble(codeOf(error));
      hasTrouble = true;
      retry = setTimeout(enqueue, retryMs).unref();
    }
  }

  function enqueue(): void {
    last = last.then(write);
  }

  return {
    path: file,
    async read() {
      await last;
      const lines = (await Promise.all([olderFile(file), file].map((each) => readLines(each, 2 * maxBytes)))).flat();
      return mergeEvents(lines.flatMap((line) => parseEvent(line) ?? []));
    },
    append(events) {
      if (events.length === 0) return;
      waiting = [...waiting, ...events].slice(-maxWaiting);
      enqueue();
    },
    settled: () => last,
    async close() {
      enqueue();
      await last;
      clearTimeout(retry);
    },
  };
}

const codeOf = (error: unknown): string => (error instanceof FolderError ? 'EPERM' : (errorCodeOf(error) ?? 'unknown'));

function lineOf({ action, ...event }: TimelineEvent): string {
  const line = JSON.stringify({ ...event, action });
  // What such an action changed is too much to keep.
  return line.length <= maxLineLength || action?.changed === undefined
    ? `${line}\n`
    : lineOf({ ...event, action: { ...action, changed: undefined } });
}

/** Parses a line; `undefined` for one that is not an event of this version. */
export function parseEvent(line: string): TimelineEvent | undefined {
  try {
    return eventSchema.parse(JSON.parse(line));
  } catch {
    return undefined;
  }
}

/** Opens a file to read, without following a link. @returns `undefined` if there is none @throws EventFileError */
export async function openToRead(file: string): Promise<FileHandle | undefined> {
  let handle: FileHandle | undefined;
  try {
    const fault = folderFault(await lstat(path.dirname(file)));
    if (fault !== undefined) throw Object.assign(new Error(file), { code: 'EPERM' });
    handle = await open(file, readFlags);
    if (fileFault(await handle.stat()) !== undefined) throw Object.assign(new Error(file), { code: 'EPERM' });
    return handle;
  } catch (error) {
    await handle?.close();
    if (errorCodeOf(error) === 'ENOENT') return undefined;
    throw new EventFileError(file, codeOf(error), error);
  }
}

/** Reads the lines of a file, of a very long one the last. @throws EventFileError */
async function readLines(file: string, maxBytes: number): Promise<readonly string[]> {
  const handle = await openToRead(file);
  if (handle === undefined) return [];
  try {
    const { size } = await handle.stat();
    const start = Math.max(0, size - maxBytes);
    const { buffer, bytesRead } = await handle.read(Buffer.alloc(size - start), 0, size - start, start);
    const lines = buffer.toString('utf8', 0, bytesRead).split('\n');
    return (start === 0 ? lines : lines.slice(1)).filter((line) => line !== '' && line.length <= maxLineLength);
  } catch (error) {
    throw new EventFileError(file, codeOf(error), error);
  } finally {
    await handle.close();
  }
}

/** Appends lines in one write, so that those of another program do not get between. Returns the size of the file. */
async function appendLines(file: string, lines: string): Promise<number> {
  const handle = await open(file, appendFlags, 0o600);
  try {
    if (fileFault(await handle.stat()) !== undefined) throw Object.assign(new Error(file), { code: 'EPERM' });
    const start = (await endsInsideLine(handle)) ? '\n' : '';
    await handle.appendFile(start + lines);
    return (await handle.stat()).size;
  } finally {
    await handle.close();
  }
}

/** Puts a file aside that has become too long. One program does it at a time; the others go on appending. */
async function putAside(file: string, maxBytes: number): Promise<void> {
  const lock = `${file}.lock`;
  let handle: FileHandle;
  try {
    handle = await open(lock, 'wx', 0o600);
  } catch (error) {
    if (errorCodeOf(error) !== 'EEXIST') throw error;
    // A crash left it: putting aside takes milliseconds.
    const age =
      Date.now() -
      (await stat(lock).then(
        ({ mtimeMs }) => mtimeMs,
        () => Date.now(),
      ));
    if (age > staleLockMs) await rm(lock, { force: true });
    return;
  }
  try {
    // Another program may have been first.
    if ((await stat(file)).size > maxBytes) await rename(file, olderFile(file));
  } finally {
    await handle.close();
    await rm(lock, { force: true });
  }
}

const staleLockMs = 10_000;

/** Reads the events that are kept of a cluster; none if they cannot be read. */
export async function readKeptEvents(
  environment: NodeJS.ProcessEnv,
  cluster: string,
): Promise<readonly TimelineEvent[]> {
  const file = eventFilePath(environment, cluster);
  return file === undefined
    ? []
    : openEventFile(file)
        .read()
        .catch(() => []);
}
