import type { TimelineEvent } from '../../domain/event.ts';
import { steadyNowMs } from '../../monitor/clock.ts';
import { eventOf, timelineEvents } from '../../monitor/events.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorOperations, MonitorState, ReadableStore } from '../../monitor/state.ts';
import type { TimelineMonitor } from '../../timeline/triaged-monitor.ts';
import { eventsTexts } from '../texts.ts';
import { type EventFile, EventFileError, eventFilePath, openEventFile } from './event-file.ts';
import { openKnownLists } from './known-lists.ts';
import { followEvents } from './follow-events.ts';

export interface KeptEvents {
  /** Writes what is left, and ends. */
  close(): Promise<void>;
}

/** The events that a monitor learns from the file of its events. */
export interface EventReceiver {
  /** Called once with the events of earlier runs. */
  readonly onEarlier: (events: readonly TimelineEvent[]) => void;
  /** Called with events of programs that run at the same time. */
  readonly onOthers: (events: readonly TimelineEvent[]) => void;
  /** Called with why earlier events cannot be read. */
  readonly onUnreadable: (code: string) => void;
  /** Called with what the monitor notes when earlier events are known. */
  readonly onStart: (text: string) => void;
}

/** Whether an event is written: of one that goes on being repeated, more and more seldom. */
const isWritten = ({ repeated }: TimelineEvent): boolean =>
  repeated === undefined || (repeated.times & (repeated.times - 1)) === 0;

const noteOf = (text: string): TimelineEvent => eventOf({ atMs: steadyNowMs(), severity: 'info', text });

/**
 * Keeps the events of a monitor in a file, and gives it those of earlier runs and of other programs. What happens while
 * they are read is written afterwards.
 */
export function keepEvents(
  store: ReadableStore<MonitorState>,
  file: EventFile,
  { onEarlier, onOthers, onUnreadable, onStart }: EventReceiver,
): KeptEvents {
  /** Events that are in the file already, by ID, as far as the monitor still has them. */
  let kept: ReadonlyMap<string, TimelineEvent> = new Map();
  /** IDs of what the file had, or others have written. */
  const seen = new Set<string>();
  const written = new Set<string>();
  let isReady = false;
  let last: readonly TimelineEvent[] | undefined;

  function write(): void {
    const events = reading(store.getState(), timelineEvents);
    if (!isReady || events === last) return;
    last = events;
    const added = events.filter((event) => !seen.has(event.id) && kept.get(event.id) !== event && isWritten(event));
    kept = new Map(events.map((event) => [event.id, event]));
    append(added);
  }

  function append(events: readonly TimelineEvent[]): void {
    for (const { id } of events) written.add(id);
    file.append(events);
  }

  async function readEarlier(): Promise<void> {
    try {
      const earlier = await file.read();
      for (const { id } of earlier) seen.add(id);
      onEarlier(earlier);
    } catch (error) {
      // A file that cannot be read may be appended to still.
      onUnreadable(error instanceof EventFileError ? error.code : String(error));
    }
    isReady = true;
    onStart(eventsTexts.started);
    write();
  }

  const ready = readEarlier();
  const unsubscribe = store.subscribe(write);
  const following = ready.then(() =>
    followEvents(file.path, {
      onEvents(events) {
        const others = events.filter(({ id }) => !written.has(id) && !seen.has(id));
        for (const { id } of others) seen.add(id);
        if (others.length > 0) onOthers(others);
      },
    }),
  );
  return {
    async close() {
      const follower = await following;
      unsubscribe();
      write();
      append([noteOf(eventsTexts.stopped)]);
      await Promise.all([file.close(), follower.close()]);
    },
  };
}

/**
 * Keeps the events of the monitor of a cluster and what is known of it, and tells it those of others and what earlier
 * runs knew; `undefined` without a home folder.
 */
export function keepClusterEvents(
  monitor: Pick<TimelineMonitor, 'store' | 'addEarlier' | 'addOthers' | 'changes'> & Pick<MonitorOperations, 'note'>,
  environment: NodeJS.ProcessEnv,
  cluster: string,
): KeptEvents | undefined {
  const path = eventFilePath(environment, cluster);
  if (path === undefined) return undefined;
  const file = openEventFile(path, {
    onTrouble(code) {
      if (code === undefined) monitor.note('info', eventsTexts.keptAgain(path));
      else monitor.note('warning', eventsTexts.notKept(path, code));
    },
  });
  const lists = openKnownLists(path);
  const following = lists.read().then((known) => {
    monitor.changes.takeOn(known);
    return lists.follow(monitor.store.subscribe, monitor.changes);
  });
  const events = keepEvents(monitor.store, file, {
    onEarlier: monitor.addEarlier,
    onOthers: monitor.addOthers,
    onStart(text) {
      monitor.note('info', text);
    },
    onUnreadable(code) {
      monitor.note('warning', eventsTexts.notRead(path, code));
    },
  });
  return {
    async close() {
      await Promise.all([events.close(), following.then((followed) => followed.close())]);
    },
  };
}
