import { definePart } from './query/part.ts';
import type { EventFacts, EventSeverity, TimelineEvent } from '../domain/event.ts';
import { wallMs } from './clock.ts';

/** Events of this run of the program and of earlier ones, oldest first. */
export const timelineEvents = definePart<readonly TimelineEvent[]>('timeline', []);

/** Notes on the start of this program only, oldest first. In a demo, they have its address and user. */
export const setupNotes = definePart<readonly TimelineEvent[]>('setup-notes', [], { recorded: 'no' });

/** An event before it has a place in the timeline. Times are steady ones. */
export interface EventNote {
  readonly atMs: number;
  readonly severity: EventSeverity;
  /** May contain broker text that is not escaped. */
  readonly text: string;
  /** The subject of the event; without it, the program itself. */
  readonly about?: EventFacts | undefined;
  /** The beginning of the problem of the event. */
  readonly sinceMs?: number | undefined;
}

/** This run of the program, in its events. */
export const thisRun = crypto.randomUUID().slice(0, 8);
let count = 0;

export function eventOf({
  atMs: steadyMs,
  severity,
  text,
  about = { kind: 'note' },
  sinceMs,
}: EventNote): TimelineEvent {
  count += 1;
  const atMs = Math.round(wallMs(steadyMs));
  return {
    id: `${String(atMs).padStart(15, '0')}-${thisRun}-${count}`,
    atMs,
    severity,
    text,
    ...about,
    ...(sinceMs !== undefined && { sinceMs: Math.round(wallMs(sinceMs)) }),
    run: thisRun,
  };
}

/** Limits the events in the state. */
const maxEvents = 2_000;

/** Whether an event says the same as the one before, of something that has no identity. */
const isRepeated = (before: TimelineEvent, event: TimelineEvent): boolean =>
  before.run === event.run &&
  before.problem === undefined &&
  before.action === undefined &&
  event.action === undefined &&
  before.text === event.text &&
  before.kind === event.kind &&
  before.severity === event.severity &&
  before.node === event.node &&
  before.clientId === event.clientId;

/** Adds an event to the last ones, in its place by time. One that repeats the one before is that one, with its ID. */
export function addEvent(events: readonly TimelineEvent[], event: TimelineEvent): readonly TimelineEvent[] {
  const last = events.at(-1);
  if (last !== undefined && last.atMs > event.atMs) {
    const at = events.findLastIndex(({ atMs }) => atMs <= event.atMs) + 1;
    return [...events.slice(0, at), event, ...events.slice(at)].slice(-maxEvents);
  }
  if (last === undefined || !isRepeated(last, event)) return [...events.slice(-(maxEvents - 1)), event];
  const { times, sinceMs } = last.repeated ?? { times: 1, sinceMs: last.atMs };
  return [...events.slice(0, -1), { ...last, atMs: event.atMs, repeated: { times: times + 1, sinceMs } }];
}

/** Adds events of earlier runs, each once. */
export function addEarlierEvents(
  events: readonly TimelineEvent[],
  earlier: readonly TimelineEvent[],
): readonly TimelineEvent[] {
  const known = new Set(events.map(({ id }) => id));
  const added = earlier.filter(({ id }) => !known.has(id));
  return added.length === 0 ? events : [...added, ...events].toSorted((a, b) => a.atMs - b.atMs).slice(-maxEvents);
}
