import type { EventSeverity } from '../domain/event.ts';
import { wallMs } from '../monitor/clock.ts';
import { definePart } from '../monitor/query/query.ts';
import type { LogEntry } from '../monitor/state.ts';
import type { TimelineEvent } from './event.ts';

/** What happened, oldest first, without what concerns the program's start. */
export const timelineEvents = definePart<readonly TimelineEvent[]>('timeline', []);

const byTime = (events: readonly TimelineEvent[]): readonly TimelineEvent[] =>
  events.toSorted((a, b) => a.atMs - b.atMs);

const severities: Readonly<Record<LogEntry['level'], EventSeverity>> = {
  error: 'critical',
  warning: 'warning',
  info: 'info',
};

/** Limits the events in the state. */
const maxEvents = 2_000;

export interface Timeline {
  /** Returns the events of a log, with those of earlier runs: the same ones while the log is the same. */
  eventsOf(log: readonly LogEntry[]): readonly TimelineEvent[];
  /** Adds events of earlier runs. */
  addEarlier(events: readonly TimelineEvent[]): void;
}

/** Makes events of the entries of a log. */
export function createTimeline(run: string): Timeline {
  let earlier: readonly TimelineEvent[] = [];
  const known = new WeakMap<LogEntry, TimelineEvent>();
  let count = 0;
  let last: { readonly log: readonly LogEntry[]; readonly events: readonly TimelineEvent[] } | undefined;

  function eventOf(entry: LogEntry): TimelineEvent {
    const before = known.get(entry);
    if (before !== undefined) return before;
    count += 1;
    const { about = { kind: 'note' }, level, text, sinceMs } = entry;
    const atMs = Math.round(wallMs(entry.atMs));
    const event: TimelineEvent = {
      id: `${String(atMs).padStart(15, '0')}-${run}-${count}`,
      atMs,
      // What fails to be read is no problem of the cluster unless a check says so.
      severity: about.kind === 'note' && level === 'error' ? 'warning' : severities[level],
      text,
      ...about,
      ...(sinceMs !== undefined && { sinceMs: Math.round(wallMs(sinceMs)) }),
      run,
    };
    known.set(entry, event);
    return event;
  }

  return {
    eventsOf(log) {
      if (last?.log === log) return last.events;
      const own = log.filter(({ isSetup }) => isSetup !== true).map(eventOf);
      last = { log, events: earlier.length === 0 ? own : byTime([...earlier, ...own]).slice(-maxEvents) };
      return last.events;
    },
    addEarlier(events) {
      const known = new Set(earlier.map(({ id }) => id));
      earlier = byTime([...earlier, ...events.filter(({ id }) => !known.has(id))]).slice(-maxEvents);
      last = undefined;
    },
  };
}

/** Returns the problems that were open after these events, as they began, by key. */
export function openAfter(events: readonly TimelineEvent[]): ReadonlyMap<string, TimelineEvent> {
  const open = new Map<string, TimelineEvent>();
  for (const event of events) {
    const { kind, problem, check, sinceMs } = event;
    if (problem === undefined || check === undefined) continue;
    if (kind === 'ended' || kind === 'api-back') open.delete(problem);
    else if (sinceMs !== undefined && (kind === 'began' || kind === 'known' || kind === 'api-lost'))
      open.set(problem, event);
  }
  return open;
}
