import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import type { Session } from '../../../src/domain/client.ts';
import { emptyScan } from '../../../src/monitor/state.ts';
import { firstTime, measureStep, refreshOf } from '../../../src/monitor/steps.ts';
import { createSessionRateTracker } from '../../../src/resources/sessions/history.ts';

const refresh = refreshOf({ sessionCountersSeconds: 20, sessionCountersVary: true });

/** Sums of `gaps`, which repeat, up to `end`. */
function timesUntil(end: number, first: number, gaps: readonly number[]): readonly number[] {
  const times: number[] = [];
  for (let at = first, next = 0; at < end; next += 1) {
    times.push(at);
    at += gaps[next % gaps.length] ?? 1;
  }
  return times;
}

interface Readings {
  /** When the broker refreshed the counters, and when they were read, in seconds. */
  readonly refreshes: readonly number[];
  readonly reads: readonly number[];
}

/** What was counted at the last refresh before each reading. */
const countsOf = (
  { refreshes, reads }: Readings,
  countAt: (seconds: number) => number,
): readonly (readonly [number, number])[] =>
  reads.map((seconds) => [
    seconds,
    Math.floor(countAt(refreshes.findLast((at) => at <= seconds) ?? Number.NEGATIVE_INFINITY)),
  ]);

interface Shown {
  readonly seconds: number;
  /** Messages/s that are shown after this reading, and those of the last step alone. */
  readonly shown: number | undefined;
  readonly oneStep: number | undefined;
  readonly isLossRough: boolean;
}

function shownOf(readings: Readings, countAt: (seconds: number) => number): readonly Shown[] {
  const tracker = createSessionRateTracker();
  let base: { readonly count: number; readonly time: ReturnType<typeof firstTime> } | undefined;
  let [beforeMs, before] = [0, 0];
  let oneStep: number | undefined;
  return countsOf(readings, countAt).map(([seconds, count]) => {
    const readAtMs = seconds * 1_000;
    if (base === undefined) base = { count, time: firstTime(readAtMs, refresh) };
    else {
      const reading = { atMs: readAtMs, beforeMs, isBase: base.count === count, isMoved: before !== count };
      const step = measureStep(base.time, reading, refresh);
      if (step.kind === 'whole') oneStep = ((count - base.count) * 1_000) / step.elapsedMs;
      if (step.kind === 'still') oneStep = 0;
      if (step.base !== undefined) base = { count, time: step.base };
    }
    [beforeMs, before] = [readAtMs, count];
    const session: Session = {
      clientId: 'x',
      cleanSession: false,
      createdAt: 1,
      node: 'a',
      maxInflight: 32,
      inflight: 32,
      queueLength: 1_000,
      dropped: count,
      awaitingRel: undefined,
      awaitingAck: undefined,
      awaitingComp: undefined,
      subscriptions: 1,
      delivered: count,
      enqueued: undefined,
      unparsed: {},
    };
    const coverage = { read: 1, expected: 1, isComplete: true, error: undefined, readAtMs };
    const [row] = tracker.update(
      { ...emptyScan<Session>(), rows: [session], coverage: new Map([['a', coverage]]) },
      refresh,
    );
    return { seconds, shown: row?.rates.deliveredPerSecond, oneStep, isLossRough: row?.rates.isLossRough === true };
  });
}

type Gaps = readonly [shortest: number, longest: number];

/** Readings so many seconds apart, `shortest` to `longest`, of counters refreshed every 10 to 20 s; regularly, or at random. */
const readingsUntil = (end: number, [shortest, longest]: Gaps): fc.Arbitrary<Readings> => {
  const gaps = (min: number, max: number): fc.Arbitrary<readonly number[]> =>
    fc.array(fc.double({ min, max, noNaN: true }), { minLength: 1, maxLength: 40 });
  return fc
    .record({
      firstRead: fc.double({ min: 0, max: longest, noNaN: true }),
      firstRefresh: fc.double({ min: -20, max: 0, noNaN: true }),
      readGaps: gaps(shortest, longest),
      refreshGaps: gaps(10, 20),
    })
    .map(({ firstRead, firstRefresh, readGaps, refreshGaps }) => ({
      reads: timesUntil(end, firstRead, readGaps),
      refreshes: timesUntil(end, firstRefresh, refreshGaps),
    }));
};

const rates = fc.double({ min: 10, max: 500, noNaN: true });
const seeded = { seed: 2311, numRuns: 300 };

/** Errors of what is shown of a constant rate after so many seconds. `burst`: so many messages are counted at once. */
const errorsAfter = (
  seconds: number,
  gaps: Gaps,
  burst = 1,
): readonly { readonly shown: number; readonly oneStep: number }[] =>
  fc.sample(fc.tuple(readingsUntil(seconds, gaps), rates), seeded).map(([readings, rate]) => {
    const { shown, oneStep } =
      shownOf(readings, (at) => burst * Math.floor((rate * (at + 1_000)) / burst)).at(-1) ?? {};
    return { shown: (shown ?? Number.NaN) / rate - 1, oneStep: (oneStep ?? Number.NaN) / rate - 1 };
  });

const shareWithin = (errors: readonly number[], limit: number): number =>
  errors.filter((error) => Math.abs(error) <= limit).length / errors.length;

const mean = (numbers: readonly number[]): number => numbers.reduce((sum, number) => sum + number, 0) / numbers.length;

describe('rates of counters that are refreshed every 10 to 20 s', () => {
  it.each([
    // seconds, time between readings, share within 3 %
    [120, [5, 6], 0.8],
    [120, [5, 15], 0.5],
    [180, [5, 15], 0.8],
    [240, [5, 15], 0.95],
  ] satisfies readonly (readonly [number, Gaps, number])[])(
    'converge within %d s while the rate is constant, and are not biased',
    (seconds, gaps, share) => {
      for (const burst of [1, 16]) {
        const errors = errorsAfter(seconds, gaps, burst);
        const shown = errors.map((error) => error.shown);
        expect(shareWithin(shown, 0.03)).toBeGreaterThan(share);
        expect(Math.abs(mean(shown))).toBeLessThan(0.01);
        // One step alone is no better after four minutes than after one.
        expect(
          shareWithin(
            errors.map(({ oneStep }) => oneStep),
            0.03,
          ),
        ).toBeLessThan(share / 2);
      }
    },
  );

  it('of losses are rough while they may be more than 5 % off', () => {
    const samples = fc.sample(fc.tuple(readingsUntil(300, [5, 6]), rates), seeded);
    const all = samples.flatMap(([readings, rate]) =>
      shownOf(readings, (at) => rate * (at + 1_000)).map((each) => ({
        ...each,
        error: Math.abs((each.shown ?? rate) / rate - 1),
      })),
    );
    expect(all.filter(({ error, isLossRough }) => error > 0.06 && !isLossRough)).toEqual([]);
    const isRoughAt = (from: number, to: number): number =>
      mean(
        all
          .filter(({ shown, seconds }) => shown !== undefined && seconds >= from && seconds < to)
          .map(({ isLossRough }) => Number(isLossRough)),
      );
    expect(isRoughAt(0, 60)).toBeGreaterThan(0.9);
    expect(isRoughAt(240, 300)).toBeLessThan(0.1);
  });

  it('show that messages come, and that they end, as soon as one step does', () => {
    fc.assert(
      fc.property(readingsUntil(400, [5, 15]), rates, fc.boolean(), (readings, rate, isBegin) => {
        const countAt = (seconds: number): number =>
          rate * (isBegin ? Math.max(0, seconds - 200) : Math.min(200, seconds) + 1_000);
        const steps = shownOf(readings, countAt);
        expect(steps.map(({ shown }) => shown && Math.sign(shown))).toEqual(
          steps.map(({ oneStep }) => oneStep && Math.sign(oneStep)),
        );
      }),
      seeded,
    );
  });

  it.each([
    // time between readings, largest error after two steps, and after four minutes
    [[5, 6], 0.35, 0.05],
    [[5, 15], 0.7, 0.1],
  ] satisfies readonly (readonly [Gaps, number, number])[])(
    'read every %j s, show another rate as soon as one step does, and converge',
    (gaps, soon, late) => {
      const samples = fc.sample(fc.tuple(readingsUntil(440, gaps), rates, rates), seeded);
      const errors = samples.map(([readings, before, after]) => {
        const countAt = (seconds: number): number =>
          before * (Math.min(200, seconds) + 1_000) + after * Math.max(0, seconds - 200);
        return shownOf(readings, countAt)
          .filter(({ seconds }) => seconds > 275)
          .map(({ shown = Number.NaN, oneStep = Number.NaN }) => ({
            shown: Math.abs(shown / after - 1),
            oneStep: Math.abs(oneStep / after - 1),
          }));
      });
      expect(Math.max(...errors.flat().map(({ shown }) => shown))).toBeLessThan(soon);
      expect(Math.max(...errors.flatMap((of) => of.slice(-1)).map(({ shown }) => shown))).toBeLessThan(late);
      const first = errors.flatMap((of) => of.slice(0, 1));
      expect(mean(first.map(({ shown }) => shown))).toBeLessThan(mean(first.map(({ oneStep }) => oneStep)));
    },
  );
});
