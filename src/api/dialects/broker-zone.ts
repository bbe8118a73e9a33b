import type { BrokerSeconds } from '../../domain/node.ts';

/** The API's times are wall-clock times without a zone. */
type WallSeconds = number;

interface Change {
  /** Seconds since 1970, UTC. */
  readonly at: number;
  /** Seconds by which the wall clock was ahead of UTC, before and after. */
  readonly before: number;
  readonly after: number;
}

export interface BrokerZone {
  /** Notes a node's clock, which was read just now, or at `sentAt`: seconds since 1970, as the broker knows them. */
  note(clock: WallSeconds | undefined, sentAt?: number): void;
  /** Returns the time that the broker's clock would have shown without changes to or from daylight saving time. */
  toBroker(time: WallSeconds): BrokerSeconds;
  /** Converts seconds since 1970; `undefined` until a clock was noted. */
  fromEpoch(seconds: number): BrokerSeconds | undefined;
  /** Converts to seconds since 1970; `undefined` until a clock was noted. */
  toEpoch(time: BrokerSeconds): number | undefined;
}

const daySeconds = 86_400;
/** Changes are searched so many days back. Clients that connected earlier are rare. */
const maxDays = 400;
/** Seconds between time zones: a quarter of an hour. */
const zoneStep = 900;
/** The smallest difference that is a change of the clock; a smaller one is inexact time. */
const minChange = 1_800;
/** The clocks of other nodes may be so far ahead. */
const maxAheadSeconds = 60;
/** The largest distance of a time zone from UTC; beyond it, the clock is wrong. */
const maxZone = 15 * 3_600;

/** Returns the seconds by which the wall clock of this machine is ahead of UTC. */
const localOffset = (atMs: number): number => -60 * new Date(atMs).getTimezoneOffset();

/** Returns the changes of an offset in the days before `now`, the latest first. */
function changesOf(offsetAt: (atMs: number) => number, now: number): readonly Change[] {
  const changes: Change[] = [];
  for (let day = 0; day < maxDays; day += 1) {
    let [from, to] = [now - (day + 1) * daySeconds, now - day * daySeconds];
    const [before, after] = [offsetAt(from * 1_000), offsetAt(to * 1_000)];
    if (before === after) continue;
    while (to - from > 1) {
      const middle = Math.floor((from + to) / 2);
      if (offsetAt(middle * 1_000) === before) from = middle;
      else to = middle;
    }
    changes.push({ at: to, before, after });
  }
  return changes;
}

/**
 * Follows the wall clock of the broker, which jumps twice a year in many zones. Its zone is taken for that of this
 * machine if both are as far ahead of UTC; otherwise only a change that is seen from here, and a time that would be in
 * the future, is corrected.
 */
export function createBrokerZone(
  nowMs: () => number = Date.now,
  offsetAt: (atMs: number) => number = localOffset,
): BrokerZone {
  /** The offset at the first reading. All times are converted to it. */
  let base: number | undefined;
  let offset = 0;
  let changes: readonly Change[] = [];
  /** Seconds by which the broker's clock is ahead of this machine's. */
  let aheadSeconds = 0;

  const latest = (): number => nowMs() / 1_000 + aheadSeconds + maxAheadSeconds;

  function offsetOf(time: WallSeconds): number {
    for (const { at, before, after } of changes) {
      if (time >= at + Math.max(before, after)) return after;
      // The hour that the clock shows twice: the second time, unless that is still to come.
      if (time >= at + after && after < before) return time - after <= latest() ? after : before;
      if (time >= at + before && after > before) return after;
    }
    return changes.at(-1)?.before ?? offset;
  }

  return {
    note(clock, sentAt) {
      if (clock === undefined) return;
      const now = Math.floor(sentAt ?? nowMs() / 1_000);
      const seen = Math.round((clock - now) / zoneStep) * zoneStep;
      if (Math.abs(seen) > maxZone) return;
      aheadSeconds = clock - Math.floor(nowMs() / 1_000) - seen;
      if (base !== undefined && Math.abs(seen - offset) < minChange) return;
      changes =
        seen === offsetAt(now * 1_000)
          ? changesOf(offsetAt, now)
          : base === undefined
            ? []
            : [{ at: now, before: offset, after: seen }, ...changes];
      base ??= seen;
      offset = seen;
    },
    toBroker(time) {
      if (base === undefined) return time;
      const moved = time - offsetOf(time) + base;
      const ahead = moved - base - latest();
      return changes.length === 0 && ahead > 0 && ahead <= 3_600 ? moved - 3_600 : moved;
    },
    fromEpoch: (seconds) => (base === undefined ? undefined : seconds + base),
    toEpoch: (time) => (base === undefined ? undefined : time - base),
  };
}
