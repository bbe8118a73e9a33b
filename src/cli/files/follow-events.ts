import type { FileHandle } from 'node:fs/promises';
import type { TimelineEvent } from '../../domain/event.ts';
import { openToRead, parseEvent } from './event-file.ts';

export interface EventFollower {
  /** Looks for new events once more, and ends. */
  close(): Promise<void>;
}

export interface FollowOptions {
  /** Called with events that were appended, in their order in the file. */
  readonly onEvents: (events: readonly TimelineEvent[]) => void;
  /** Called once with why the file cannot be read, until it can. */
  readonly onTrouble?: ((error: unknown) => void) | undefined;
  readonly everyMs?: number | undefined;
}

const usualMs = 500;
const pieceBytes = 65_536;

/** A file whose end is read as it grows. */
interface Tail {
  readonly handle: FileHandle;
  readonly inode: number;
  offset: number;
  /** The beginning of a line that is not whole yet. */
  rest: Buffer;
}

/**
 * Calls `onEvents` with the events of a file, and then with what any program appends to it. A file that is put aside is
 * read to its end, and then the one in its place.
 */
export function followEvents(
  file: string,
  { onEvents, onTrouble = () => {}, everyMs = usualMs }: FollowOptions,
): EventFollower {
  let tail: Tail | undefined;
  let older: Tail | undefined;
  let hasTrouble = false;
  let isClosed = false;
  let timer: NodeJS.Timeout | undefined;

  async function readTail(from: Tail): Promise<readonly TimelineEvent[]> {
    const events: TimelineEvent[] = [];
    for (;;) {
      const { buffer, bytesRead } = await from.handle.read(Buffer.alloc(pieceBytes), 0, pieceBytes, from.offset);
      if (bytesRead === 0) return events;
      from.offset += bytesRead;
      const bytes = Buffer.concat([from.rest, buffer.subarray(0, bytesRead)]);
      const end = bytes.lastIndexOf(0x0a) + 1;
      from.rest = bytes.subarray(end);
      events.push(
        ...bytes
          .toString('utf8', 0, end)
          .split('\n')
          .flatMap((line) => parseEvent(line) ?? []),
      );
    }
  }

  async function look(): Promise<void> {
    const events: TimelineEvent[] = [];
    const handle = await openToRead(file);
    // Another program may still write to a file that was just put aside.
    if (older !== undefined) events.push(...(await readTail(older)));
    await older?.handle.close();
    older = undefined;
    if (tail !== undefined) events.push(...(await readTail(tail)));
    if (handle !== undefined) {
      const { ino: inode, size } = await handle.stat();
      if (tail?.inode === inode && size >= tail.offset) await handle.close();
      else {
        older = tail;
        tail = { handle, inode, offset: 0, rest: Buffer.alloc(0) };
        events.push(...(await readTail(tail)));
      }
    }
    hasTrouble = false;
    if (events.length > 0) onEvents(events);
  }

  const lookAgain = async (): Promise<void> => {
    try {
      await look();
    } catch (error) {
      if (!hasTrouble) onTrouble(error);
      hasTrouble = true;
    }
    if (!isClosed) timer = setTimeout(begin, everyMs);
  };
  let last = Promise.resolve();
  function begin(): void {
    last = lookAgain();
  }
  begin();
  return {
    async close() {
      isClosed = true;
      clearTimeout(timer);
      await last;
      clearTimeout(timer);
      await lookAgain();
      await Promise.all([older?.handle.close(), tail?.handle.close()]);
    },
  };
}
