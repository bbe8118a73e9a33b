import type { EventKind, TimelineEvent } from '../domain/event.ts';
import { thisRun } from '../monitor/events.ts';
import { logTexts } from '../resources/log/texts.ts';
import { endKinds } from './open-problems.ts';

/** Two programs see the same thing within so long. */
const twinMs = 60_000;

/** Each of these is done by one program. */
const ownKinds: ReadonlySet<EventKind> = new Set(['action', 'bulk', 'acknowledged', 'unacknowledged']);

const subjectOf = ({ problem, text, node, clientId }: TimelineEvent): string =>
  JSON.stringify([problem ?? logTexts.withoutBetween(text), node, clientId]);

/**
 * Tells events that another run of the program saw too. Once a problem has ended, it may begin again, and the other way
 * round. Events come oldest first.
 */
export function createTwinFilter(): (event: TimelineEvent) => boolean {
  const last = new Map<string, Map<EventKind, TimelineEvent>>();
  return (event) => {
    const { kind, run, atMs } = event;
    if (ownKinds.has(kind)) return true;
    const subject = subjectOf(event);
    const known = last.get(subject) ?? new Map<EventKind, TimelineEvent>();
    const before = known.get(kind);
    if (before !== undefined && before.run !== run && Math.abs(atMs - before.atMs) <= twinMs) return false;
    const isEnd = endKinds.has(kind);
    for (const other of known.keys()) if (endKinds.has(other) !== isEnd) known.delete(other);
    last.set(subject, known.set(kind, event));
    return true;
  };
}

/** Merges events of several runs of the program, oldest first: what two runs saw is one event. */
export function mergeEvents(...lists: readonly (readonly TimelineEvent[])[]): readonly TimelineEvent[] {
  const byId = new Map<string, TimelineEvent>();
  for (const event of lists.flat()) byId.set(event.id, event);
  return [...byId.values()].toSorted((a, b) => a.atMs - b.atMs).filter(createTwinFilter());
}

/** Leaves out events of others that this run of the program has seen too; the same list if there are none. */
export function withoutOthers(
  events: readonly TimelineEvent[],
  isOfOthers: (event: TimelineEvent) => boolean,
): readonly TimelineEvent[] {
  const keyOf = (event: TimelineEvent): string => `${event.kind} ${subjectOf(event)}`;
  const own = Map.groupBy(
    events.filter(({ run }) => run === thisRun),
    keyOf,
  );
  const left = events.filter(
    (event) =>
      !isOfOthers(event) ||
      ownKinds.has(event.kind) ||
      own.get(keyOf(event))?.some(({ atMs }) => Math.abs(atMs - event.atMs) <= twinMs) !== true,
  );
  return left.length === events.length ? events : left;
}
