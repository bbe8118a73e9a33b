import { reading } from '../../monitor/query/part.ts';
import type { MonitorState, ReadableStore } from '../../monitor/state.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { timelineEvents } from '../../monitor/events.ts';
import type { EventFile } from './event-file.ts';

export interface KeptEvents {
  /** Writes what is left, and ends. */
  close(): Promise<void>;
}

/**
 * Keeps the events of a monitor in a file, and gives it those of earlier runs. What happens while they are read is written
 * afterwards.
 */
export function keepEvents(
  store: ReadableStore<MonitorState>,
  file: EventFile,
  onEarlier: (events: readonly TimelineEvent[]) => void,
): KeptEvents {
  /** The IDs of events that are in the file already, as far as the monitor still has them. */
  let kept: ReadonlySet<string> = new Set();
  let isReady = false;
  let last: readonly TimelineEvent[] | undefined;

  function write(): void {
    const events = reading(store.getState(), timelineEvents);
    if (!isReady || events === last) return;
    last = events;
    file.append(events.filter(({ id }) => !kept.has(id)));
    kept = new Set(events.map(({ id }) => id));
  }

  const earlierRead = file.read().then(
    (earlier) => {
      kept = new Set(earlier.map(({ id }) => id));
      onEarlier(earlier);
      isReady = true;
      write();
    },
    () => {
      // A file that cannot be read may be appended to still.
      isReady = true;
      write();
    },
  );
  const unsubscribe = store.subscribe(write);
  return {
    async close() {
      await earlierRead;
      unsubscribe();
      write();
      await file.settled();
    },
  };
}
