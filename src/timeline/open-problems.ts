import type { EventKind, TimelineEvent } from '../domain/event.ts';
import { wallMs } from '../monitor/clock.ts';
import type { Begin } from '../triage/finding-changes.ts';

const begins: ReadonlySet<EventKind> = new Set(['began', 'known', 'api-lost', 'alarm-set']);
/** Events of these kinds end a problem. */
export const endKinds: ReadonlySet<EventKind> = new Set(['ended', 'api-back', 'alarm-cleared']);

/** Returns the problems that were open after these events, as they began, by key. @param events oldest first */
export function openAfter(events: readonly TimelineEvent[]): ReadonlyMap<string, TimelineEvent> {
  const open = new Map<string, TimelineEvent>();
  for (const event of events) {
    const { kind, problem, check, isMoment, replaces = [] } = event;
    for (const key of replaces) open.delete(key);
    if (problem === undefined || check === undefined || isMoment === true) continue;
    if (endKinds.has(kind)) open.delete(problem);
    // The event of its beginning may be too old to be kept.
    else if (begins.has(kind) || !open.has(problem)) open.set(problem, event);
  }
  return open;
}

/** How long nobody may have watched a cluster for a problem to be the same one. */
const maxUnwatchedMs = 60 * 60_000;

/** What earlier runs of the program knew when the last of them ended. Times are steady ones. */
export interface EarlierRuns {
  /** Problems that were open, as they began, by key; without those that this run knows of. */
  readonly open: Map<string, TimelineEvent>;
  /** The time until which the last of them watched, as far as its events tell. */
  readonly lastMs: number;
  /** They ended so recently that what is found again has gone on. */
  readonly isRecent: boolean;
  /** The time at which they became known to this run. */
  readonly readMs: number;
}

/** @param events oldest first @param nowMs a steady time */
export function earlierRuns(events: readonly TimelineEvent[], nowMs: number): EarlierRuns {
  const lastMs = (events.at(-1)?.atMs ?? Number.NEGATIVE_INFINITY) - wallMs(0);
  return { open: new Map(openAfter(events)), lastMs, isRecent: nowMs - lastMs <= maxUnwatchedMs, readMs: nowMs };
}

/** Returns when the problems of earlier runs began, for those that are found again. */
export const beginsOf = ({ open, isRecent }: EarlierRuns): ReadonlyMap<string, Begin> =>
  new Map(
    [...(isRecent ? open : [])].map(([key, { sinceMs, isBeginUnknown }]) => {
      const beganMs = sinceMs === undefined ? undefined : sinceMs - wallMs(0);
      return [key, isBeginUnknown === true ? { foundMs: beganMs } : { sinceMs: beganMs }];
    }),
  );
