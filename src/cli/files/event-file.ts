import { type FileHandle, open, readFile, rename, rm, stat } from 'node:fs/promises';
import path from 'node:path';
import * as z from 'zod';
import { errorCodeOf } from '../../domain/error-code.ts';
import { eventKinds, eventSeverities, type TimelineEvent } from '../../domain/event.ts';
import { mergeEvents } from '../../timeline/merge-events.ts';
import { appendFlags, endsInsideLine } from './append.ts';
import { fileFault } from './ownership.ts';
import { clusterFileName, requirePrivateFolder, statePath } from './state-folder.ts';

/** Events of earlier runs, and those of others that watch the same cluster. */
export interface EventFile {
  /** Returns the events that are kept, oldest first; those that this version cannot read are left out. */
  read(): Promise<readonly TimelineEvent[]>;
  /** Appends events. Never rejects: what cannot be written is given to `onTrouble`, once until it works again. */
  append(events: readonly TimelineEvent[]): void;
  /** Resolves when everything is in the file, or could not be written. */
  settled(): Promise<void>;
}

export interface EventFileOptions {
  readonly onTrouble?: ((code: string) => void) | undefined;
  /** The size from which on the file is put aside; the one that was put aside before is removed. */
  readonly maxBytes?: number | undefined;
}

const defaultMaxBytes = 2_000_000;
/** An event with the longest client ID and topic, each escaped in JSON, is shorter. */
const maxLineLength = 1_000_000;

const jump = z.looseObject({ screen: z.string() }).transform((value) => value as TimelineEvent['jump']);

/** Any number but infinity; times may be those of a clock that was wrong. */
const number = z.number();
const eventSchema = z.object({
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
  isBeginUnknown: z.literal(true).optional(),
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
});

/** Returns the file for the events of a cluster, by the name of its context or its URL; `undefined` without a home folder. */
export const eventFilePath = (environment: NodeJS.ProcessEnv, cluster: string): string | undefined =>
  statePath(environment, path.join('events', `${clusterFileName(cluster)}.ndjson`));

const olderFile = (file: string): string => `${file}.1`;

/**
 * Opens the events of a cluster. Several programs may append at once: each line is written whole, and a line that a crash left
 * incomplete is skipped.
 */
export function openEventFile(
  file: string,
  { onTrouble = () => {}, maxBytes = defaultMaxBytes }: EventFileOptions = {},
): EventFile {
  let last: Promise<void> = Promise.resolve();
  let waiting: TimelineEvent[] = [];
  let hasTrouble = false;

  async function write(): Promise<void> {
    const events = waiting;
    waiting = [];
    if (events.length === 0) return;
    try {
      await requirePrivateFolder(path.dirname(file));
      const size = await appendLines(file, events.map(lineOf).join(''));
      hasTrouble = false;
      if (size > maxBytes) await putAside(file, maxBytes);
    } catch (error) {
      if (!hasTrouble) onTrouble(errorCodeOf(error) ?? 'unknown');
      hasTrouble = true;
    }
  }

  return {
    async read() {
      await last;
      const lines = (await Promise.all([olderFile(file), file].map(readLines))).flat();
      return mergeEvents(lines.flatMap((line) => parseEvent(line) ?? []));
    },
    append(events) {
      if (events.length === 0) return;
      waiting.push(...events);
      last = last.then(write);
    },
    settled: () => last,
  };
}

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

async function readLines(file: string): Promise<readonly string[]> {
  try {
    return (await readFile(file, 'utf8')).split('\n').filter((line) => line !== '' && line.length <= maxLineLength);
  } catch (error) {
    if (errorCodeOf(error) === 'ENOENT') return [];
    throw error;
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
