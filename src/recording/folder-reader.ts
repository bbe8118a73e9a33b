import { open, readdir, readFile, stat } from 'node:fs/promises';
import path from 'node:path';
import { createRecording, type GroupSource, type SampleGroup } from './groups.ts';
import type { RecordedEvent, Recording } from './recording.ts';
import {
  createScanner,
  decodeIndex,
  indexEnding,
  isSegment,
  magicLength,
  samplesOf,
  type Scanner,
  segmentEnding,
  type SegmentGroup,
} from './segment.ts';

/** Nothing can be read. `message` is for the operator. */
export class RecordingError extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, cause === undefined ? undefined : { cause });
    this.name = 'RecordingError';
  }
}

export interface RecordedFolder<State, Event extends RecordedEvent> extends Recording<State, Event> {
  /** What was recorded: the name of a context, or an address. */
  readonly cluster: string;
  /** Looks for samples that were written since. `follow` does so by itself. */
  refresh(): Promise<void>;
}

/** `follow` looks for samples so often. */
const followMs = 500;

interface OpenSegment<Event extends RecordedEvent> {
  readonly file: string;
  readonly scanner: Scanner<Event>;
  readonly groups: Map<SegmentGroup, SampleGroup>;
  size: number;
}

/**
 * Opens the recording in a folder, or in one file of it. It is read while others write to it: whole records only.
 * @throws RecordingError
 */
export async function openRecording<State, Event extends RecordedEvent>(
  place: string,
): Promise<RecordedFolder<State, Event>> {
  const isFile = await isFileAt(place);
  let segments: readonly OpenSegment<Event>[] = [];
  let groups: readonly SampleGroup[] = [];
  const listeners = new Set<() => void>();
  let timer: NodeJS.Timeout | undefined;

  async function files(): Promise<readonly string[]> {
    if (isFile) return [place];
    const names = await readdir(place);
    return names
      .filter((name) => name.endsWith(segmentEnding))
      .toSorted()
      .map((name) => path.join(place, name));
  }

  /** Reads what is new. Returns whether there is anything. */
  async function update(): Promise<boolean> {
    const known = new Map(segments.map((segment) => [segment.file, segment]));
    const next: OpenSegment<Event>[] = [];
    let isChanged = false;
    for (const file of await files()) {
      const segment = known.get(file) ?? (await openSegment<Event>(file));
      if (segment === undefined) continue;
      if (!known.has(file) || (await readMore(segment))) isChanged = true;
      next.push(segment);
    }
    if (next.length !== segments.length) isChanged = true;
    segments = next;
    if (isChanged) groups = segments.flatMap(groupsOf);
    return isChanged;
  }

  function follow(): void {
    timer = setTimeout(() => {
      void update()
        // The folder may be gone for a while, and what is read from it stays.
        .catch(() => false)
        .then((isChanged) => {
          if (isChanged) for (const listener of listeners) listener();
          if (listeners.size > 0) follow();
        });
    }, followMs).unref();
  }

  try {
    await update();
  } catch (error) {
    throw new RecordingError(`${place} cannot be read`, error);
  }
  const [first] = segments.flatMap(({ scanner }) => scanner.content().groups);
  if (first === undefined) {
    const later = segments.some(({ scanner }) => scanner.content().laterFormat !== undefined);
    throw new RecordingError(
      later ? `${place} was recorded by a newer version of brokertop` : `${place} has no recording`,
    );
  }

  const source: GroupSource<Event> = {
    groups: () => groups,
    events: (fromMs, toMs) => {
      const events = segments.flatMap(({ scanner }) => scanner.content().events);
      const unique = new Map(events.map((event) => [event.id, event]));
      return Promise.resolve(
        [...unique.values()].filter(({ atMs }) => atMs >= fromMs && atMs <= toMs).toSorted((a, b) => a.atMs - b.atMs),
      );
    },
    follow(onMore) {
      listeners.add(onMore);
      if (timer === undefined) follow();
      return () => {
        listeners.delete(onMore);
        if (listeners.size > 0) return;
        clearTimeout(timer);
        timer = undefined;
      };
    },
    close() {
      listeners.clear();
      clearTimeout(timer);
      return Promise.resolve();
    },
  };
  return {
    ...createRecording<State, Event>(source),
    cluster: first.header.cluster,
    async refresh() {
      await update();
    },
  };
}

async function isFileAt(place: string): Promise<boolean> {
  try {
    return (await stat(place)).isFile();
  } catch (error) {
    throw new RecordingError(`${place} cannot be read`, error);
  }
}

function groupsOf<Event extends RecordedEvent>({ file, scanner, groups }: OpenSegment<Event>): readonly SampleGroup[] {
  return scanner.content().groups.map((group) => {
    let known = groups.get(group);
    if (known === undefined) {
      known = {
        program: group.header.program,
        run: group.header.run,
        walls: group.walls,
        load: async () => samplesOf(await readRange(file, group.from, group.to)),
      };
      groups.set(group, known);
    }
    return known;
  });
}

async function openSegment<Event extends RecordedEvent>(file: string): Promise<OpenSegment<Event> | undefined> {
  try {
    const { size } = await stat(file);
    const indexed = await readIndex<Event>(file, size);
    if (indexed !== undefined) return { file, scanner: createScanner(indexed), groups: new Map(), size };
    if (!isSegment(await readRange(file, 0, magicLength))) return undefined;
    const segment = { file, scanner: createScanner<Event>(), groups: new Map(), size: 0 };
    await readMore(segment);
    return segment;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
}

async function readIndex<Event extends RecordedEvent>(file: string, size: number) {
  try {
    return decodeIndex<Event>(await readFile(`${file}${indexEnding}`), size);
  } catch {
    // It is made of the file, so the file says it all.
    return undefined;
  }
}

/** Reads the whole records that a file has since. Returns whether there are any. */
async function readMore<Event extends RecordedEvent>(segment: OpenSegment<Event>): Promise<boolean> {
  const { size } = await stat(segment.file);
  if (size === segment.size) return false;
  segment.size = size;
  const before = Math.max(magicLength, segment.scanner.content().end);
  segment.scanner.add(await readRange(segment.file, before, size), before);
  return segment.scanner.content().end > before;
}

async function readRange(file: string, from: number, to: number): Promise<Buffer> {
  const handle = await open(file, 'r');
  try {
    const bytes = Buffer.alloc(Math.max(0, to - from));
    let length = 0;
    while (length < bytes.length) {
      const { bytesRead } = await handle.read(bytes, length, bytes.length - length, from + length);
      if (bytesRead === 0) break;
      length += bytesRead;
    }
    return bytes.subarray(0, length);
  } finally {
    await handle.close();
  }
}
