/** Counters of one thing by their names; `undefined` where one is unknown. */
export type Counters<Name extends string> = Readonly<Partial<Record<Name, number | undefined>>>;

export interface CounterRates<Name extends string> {
  /** The time between the two readings that were compared. */
  readonly seconds: number;
  readonly perSecond: Counters<Name>;
}

export interface RateRecorder<Name extends string> {
  /** Records a reading by keys, and returns the rates that are known then: those of keys with two readings. */
  record(
    reading: Iterable<readonly [key: string, counters: Counters<Name>]>,
    atMs: number,
  ): ReadonlyMap<string, CounterRates<Name>>;
  /** Allows no rate across this moment. */
  breakRates(): void;
}

interface Sample<Name extends string> {
  /** Monotonic time. */
  readonly atMs: number;
  readonly counters: Counters<Name>;
}

/** Rates are averages of this time: what happens every few seconds happens again and again, not always. */
const windowMs = 60_000;

const namesOf = <Name extends string>(counters: Counters<Name>): readonly Name[] => Object.keys(counters) as Name[];

/** Whether counters began again in between, as when their node restarts. */
const isReset = <Name extends string>(before: Counters<Name>, after: Counters<Name>): boolean =>
  namesOf(before).some((name) => {
    const [earlier, later] = [before[name], after[name]];
    return earlier !== undefined && later !== undefined && later < earlier;
  });

function ratesBetween<Name extends string>(first: Sample<Name>, last: Sample<Name>): CounterRates<Name> {
  const seconds = (last.atMs - first.atMs) / 1_000;
  const entries = namesOf(last.counters).flatMap((name) => {
    const [before, after] = [first.counters[name], last.counters[name]];
    return before === undefined || after === undefined ? [] : [[name, (after - before) / seconds] as const];
  });
  return { seconds, perSecond: Object.fromEntries(entries) as Counters<Name> };
}

/** Derives rates from counters that are read now and then, over the last minute. */
export function createRateRecorder<Name extends string>(): RateRecorder<Name> {
  let samples = new Map<string, readonly Sample<Name>[]>();
  return {
    record(reading, atMs) {
      const next = new Map<string, readonly Sample<Name>[]>();
      const rates = new Map<string, CounterRates<Name>>();
      for (const [key, counters] of reading) {
        const before = samples.get(key) ?? [];
        const last = before.at(-1);
        const going = last === undefined || isReset(last.counters, counters) ? [] : before;
        // The first one is older than the window, so that the rate covers all of it.
        const from = going.findLastIndex((sample) => sample.atMs <= atMs - windowMs);
        const sample = { atMs, counters };
        const kept = [...going.slice(Math.max(0, from)), sample];
        next.set(key, kept);
        const [first] = kept;
        if (first !== undefined && first.atMs < atMs) rates.set(key, ratesBetween(first, sample));
      }
      // A key that is missing may be that of something else when it returns.
      samples = next;
      return rates;
    },
    breakRates() {
      samples = new Map();
    },
  };
}
