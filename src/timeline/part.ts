import type { EventSeverity } from '../domain/event.ts';
import { wallMs } from '../monitor/clock.ts';
import { definePart } from '../monitor/query/query.ts';
import type { LogEntry } from '../monitor/state.ts';
import type { TimelineEvent } from './event.ts';

/** What happened, oldest first, without what concerns the program's start. */
export const timelineEvents = definePart<readonly TimelineEvent[]>('timeline', []);

const severities: Readonly<Record<LogEntry['level'], EventSeverity>> = {
  error: 'critical',
  warning: 'warning',
  info: 'info',
};

/** Returns a function that makes events of the entries of a log: the same ones while the log is the same. */
export function createTimeline(run: string): (log: readonly LogEntry[]) => readonly TimelineEvent[] {
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

  return (log) => {
    if (last?.log === log) return last.events;
    last = { log, events: log.filter(({ isSetup }) => isSetup !== true).map(eventOf) };
    return last.events;
  };
}
