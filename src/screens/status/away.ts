import type { EventKind, TimelineEvent } from '../../domain/event.ts';

/** Nobody looks after so long without a key. */
export const awayAfterMs = 10 * 60_000;

export interface TimeSpan {
  readonly fromMs: number;
  readonly toMs: number;
}

/** The times at which keys came: they tell whether anybody is there. */
export interface Presence {
  readonly lastMs: number;
  /** The time without anybody before the last key. */
  readonly returned?: TimeSpan | undefined;
}

/** Returns the presence after keys that came together. @param afterMs nobody looks after so long without a key */
export const withInput = ({ lastMs }: Presence, nowMs: number, afterMs: number): Presence => ({
  lastMs: nowMs,
  returned: nowMs - lastMs >= afterMs ? { fromMs: lastMs, toMs: nowMs } : undefined,
});

/**
 * Returns the time in which nobody was there: while it lasts, and after the first key until the next, which comes from
 * somebody who looks.
 */
export const awayAt = ({ lastMs, returned }: Presence, nowMs: number, afterMs: number): TimeSpan | undefined =>
  nowMs - lastMs >= afterMs ? { fromMs: lastMs, toMs: nowMs } : returned;

const begins: ReadonlySet<EventKind> = new Set(['began', 'api-lost', 'alarm-set']);
const ends: ReadonlySet<EventKind> = new Set(['ended', 'api-back', 'alarm-cleared']);

/** What happened in a time: problems that began and ended, and changes that others made. */
export interface Happened {
  readonly began: number;
  readonly ended: number;
  readonly changed: number;
}

/** Counts what happened in a time, each problem once. The span is in milliseconds since 1970. */
export function countChanges(events: readonly TimelineEvent[], { fromMs, toMs }: TimeSpan): Happened {
  const all = events.filter(({ atMs }) => atMs > fromMs && atMs <= toMs);
  const within = all.filter(({ problem }) => problem !== undefined);
  const count = (kinds: ReadonlySet<EventKind>): number =>
    new Set(within.flatMap(({ kind, problem }) => (kinds.has(kind) ? [problem] : []))).size;
  return { began: count(begins), ended: count(ends), changed: all.filter(({ kind }) => kind === 'change').length };
}
