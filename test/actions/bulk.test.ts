import { disconnectClient } from '../../src/resources/clients/actions.ts';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { ActionResult } from '../../src/actions/action.ts';
import {
  type BulkProgress,
  countReconnects,
  previewBulk,
  type Reconnects,
  retryablePlaces,
  startBulk,
} from '../../src/actions/bulk.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';
import {
  type ApiError,
  NoAnswerError,
  RateLimitedError,
  TimeoutError,
  UnauthorizedError,
} from '../../src/api/errors.ts';
import { client } from '../monitor/fake-api.ts';
import { createFakeClock } from '../support/fake-clock.ts';

type Verdict = Pick<ActionResult, 'outcome' | 'reason' | 'wasSent'> & { readonly error?: ApiError | undefined };

const verdicts = {
  done: { outcome: 'done', reason: 'reading', wasSent: true },
  accepted: { outcome: 'accepted', reason: 'answer', wasSent: true },
  notDone: { outcome: 'not-done', reason: 'answer', wasSent: true, error: errorOfCode(112) },
  unknown: { outcome: 'unknown', reason: 'no-reading', wasSent: true, error: new NoAnswerError() },
  changed: { outcome: 'not-done', reason: 'changed', wasSent: false },
  absent: { outcome: 'not-done', reason: 'absent', wasSent: false },
  unreadable: { outcome: 'not-done', reason: 'unreadable', wasSent: false, error: new TimeoutError(5_000) },
  notSent: { outcome: 'not-done', reason: 'not-sent', wasSent: false },
  repeated: { outcome: 'not-done', reason: 'repeated', wasSent: false },
  unauthorized: { outcome: 'not-done', reason: 'answer', wasSent: true, error: new UnauthorizedError() },
  rateLimited: { outcome: 'not-done', reason: 'answer', wasSent: true, error: new RateLimitedError(1) },
  aborted: { outcome: 'not-done', reason: 'aborted', wasSent: false },
  notRecorded: { outcome: 'not-done', reason: 'not-recorded', wasSent: false },
} as const satisfies Record<string, Verdict>;

const resultOf = (verdict: Verdict): ActionResult => ({
  id: 'x',
  isAccepted: false,
  parts: [],
  why: undefined,
  before: undefined,
  after: undefined,
  startedAtMs: 0,
  finishedAtMs: 0,
  auditError: undefined,
  error: undefined,
  ...verdict,
});

/** A bulk whose actions take `tookMs` each and come out as told. */
function setUp(plan: readonly { readonly verdict: Verdict; readonly tookMs: number }[], perSecond?: number) {
  const clock = createFakeClock();
  const seen: BulkProgress[] = [];
  const beganAtMs: number[] = [];
  let running = 0;
  let mostRunning = 0;
  const actions = plan.map((_, index) =>
    disconnectClient.create({ kind: 'client', client: client(`c${index}`, 'a', 1) }),
  );
  const bulk = startBulk(actions, {
    id: 'b1',
    title: `disconnect ${plan.length} clients`,
    clock,
    perSecond,
    onProgress: (progress) => {
      seen.push(progress);
    },
    run: async (action, onSent) => {
      const step = plan[actions.indexOf(action)];
      if (step === undefined) throw new Error('an action that is not in the plan');
      beganAtMs.push(clock.monotonicMs());
      running += 1;
      mostRunning = Math.max(mostRunning, running);
      if (step.verdict.wasSent) onSent();
      await new Promise<void>((resolve) => {
        clock.setTimer(step.tookMs, resolve);
      });
      running -= 1;
      return resultOf(step.verdict);
    },
  });
  return { clock, bulk, seen, beganAtMs, actions, mostRunning: () => mostRunning };
}

const many = (count: number, verdict: Verdict = verdicts.done, tookMs = 5) =>
  Array.from({ length: count }, () => ({ verdict, tookMs }));
const sum = ({ done, notDone, unknown, skipped, running, waiting }: BulkProgress): number =>
  done + notDone + unknown + skipped + running + waiting;

describe('how many clients reconnect', () => {
  /** Clients by what reading them finds; each reading takes 10 ms. */
  const count = (found: readonly (boolean | ApiError)[], perSecond = 10) => {
    const clock = createFakeClock();
    const abortController = new AbortController();
    const seen: Reconnects[] = [];
    const readAtMs: number[] = [];
    const startedMs = clock.monotonicMs();
    const counting = countReconnects(
      found.map((_, index) => `c${index}`),
      {
        clock,
        signal: abortController.signal,
        perSecond,
        onProgress: (counts) => {
          seen.push(counts);
        },
        async isReconnected(clientId) {
          readAtMs.push(clock.monotonicMs() - startedMs);
          const answer = found[Number(clientId.slice(1))];
          await new Promise<void>((resolve) => {
            clock.setTimer(10, resolve);
          });
          if (typeof answer !== 'boolean') throw answer ?? new Error('a client that was not disconnected');
          return answer;
        },
      },
    );
    return { clock, seen, readAtMs, counting, abortController };
  };
  const addUp = ({ reconnected, away, unreadable, unchecked }: Reconnects): number =>
    reconnected + away + unreadable + unchecked;

  test('is read once each, after 5 s, at the rate of the bulk', async () => {
    const { clock, readAtMs, counting, seen } = count([true, false, new NoAnswerError(), true]);
    await clock.advance(60_000);
    expect(await counting).toEqual({
      total: 4,
      reconnected: 2,
      away: 1,
      unreadable: 1,
      unchecked: 0,
      awayIds: ['c1'],
      isFinished: true,
    });
    expect(readAtMs).toEqual([5_000, 5_110, 5_220, 5_330]);
    expect(seen.map(addUp)).toEqual(seen.map(() => 4));
    expect(clock.pendingTimers()).toBe(0);
  });

  test('stops at once with what was counted', async () => {
    const { clock, counting, abortController, readAtMs } = count(Array.from({ length: 20 }, () => true));
    await clock.advance(5_150);
    abortController.abort();
    await clock.advance(60_000);
    expect(await counting).toEqual({
      total: 20,
      reconnected: 2,
      away: 0,
      unreadable: 0,
      unchecked: 18,
      awayIds: [],
      isFinished: true,
    });
    expect(readAtMs).toHaveLength(2);
  });

  test('is read for max 1,000 clients', async () => {
    const { clock, counting, readAtMs } = count(
      Array.from({ length: 1_050 }, () => false),
      200,
    );
    await clock.advance(60_000);
    expect(await counting).toMatchObject({ total: 1_050, away: 1_000, unchecked: 50 });
    expect(readAtMs).toHaveLength(1_000);
  });
});

describe('a bulk', () => {
  test('starts 20 actions per second', async () => {
    const { clock, bulk, beganAtMs } = setUp(many(41));
    await clock.advance(60_000);
    const gaps = beganAtMs.slice(1).map((atMs, index) => atMs - (beganAtMs[index] ?? Number.NaN));
    expect(gaps).toEqual(Array.from({ length: 40 }, () => 50));
    expect(await bulk.finished).toMatchObject({
      phase: 'finished',
      total: 41,
      done: 41,
      notDone: 0,
      unknown: 0,
      skipped: 0,
      failures: [],
      endedBecause: undefined,
    });
  });

  test('takes another rate, with max four at once', async () => {
    const quick = setUp(many(5), 2);
    await quick.clock.advance(60_000);
    expect(quick.beganAtMs.at(-1)).toBe((quick.beganAtMs[0] ?? 0) + 2_000);
    for (const [asked, gapMs] of [
      [200, 5],
      [5_000, 5],
      [0, 1_000],
    ] as const) {
      const paced = setUp(many(3, verdicts.done, 1), asked);
      await paced.clock.advance(60_000);
      expect(paced.beganAtMs.at(-1)).toBe((paced.beganAtMs[0] ?? 0) + 2 * gapMs);
      expect((await paced.bulk.finished).perSecond).toBe(1_000 / gapMs);
    }
    const slow = setUp(many(12, verdicts.done, 1_000));
    await slow.clock.advance(60_000);
    expect(slow.mostRunning()).toBe(4);
    expect((await slow.bulk.finished).done).toBe(12);
  });

  test('stopped by the operator starts no more, finishes the rest, and lists what was not reached', async () => {
    const { clock, bulk, beganAtMs, seen } = setUp(many(10, verdicts.done, 120));
    await clock.advance(110);
    bulk.abort();
    bulk.abort();
    expect(seen.at(-1)).toMatchObject({ phase: 'ending', running: 3, sent: 3, waiting: 7 });
    await clock.advance(60_000);
    const last = await bulk.finished;
    expect(beganAtMs).toHaveLength(3);
    expect(last).toMatchObject({
      phase: 'finished',
      done: 3,
      skipped: 7,
      running: 0,
      waiting: 0,
      endedBecause: 'Stopped by the operator.',
    });
    expect(last.failures.map(({ target, text }) => [target['clientId'], text])).toEqual(
      [3, 4, 5, 6, 7, 8, 9].map((at) => [`c${at}`, `Not reached: disconnect client c${at}.`]),
    );
    expect(clock.pendingTimers()).toBe(0);
  });

  test('counts started and sent actions before any has an outcome', async () => {
    const { clock, seen } = setUp([
      { verdict: verdicts.done, tookMs: 9_000 },
      { verdict: verdicts.changed, tookMs: 9_000 },
      { verdict: verdicts.unknown, tookMs: 9_000 },
    ]);
    await clock.advance(200);
    expect(seen.map(({ running, sent, waiting }) => [running, sent, waiting])).toEqual([
      [0, 0, 3],
      [1, 0, 2],
      [1, 1, 2],
      [2, 1, 1],
      [3, 1, 0],
      [3, 2, 0],
    ]);
    await clock.advance(60_000);
    expect(seen.at(-1)).toMatchObject({ running: 0, sent: 0, done: 1, skipped: 1, unknown: 1 });
  });

  test('stopped at once sends nothing', async () => {
    const { clock, bulk, beganAtMs } = setUp(many(3));
    bulk.abort();
    await clock.advance(1_000);
    expect(await bulk.finished).toMatchObject({ skipped: 3, done: 0 });
    expect(beganAtMs).toEqual([]);
  });

  test('lists each failure with its outcome, and counts what has changed', async () => {
    const { clock, bulk } = setUp(
      [verdicts.done, verdicts.notDone, verdicts.changed, verdicts.unknown, verdicts.done].map((verdict) => ({
        verdict,
        tookMs: 1,
      })),
    );
    await clock.advance(10_000);
    const last = await bulk.finished;
    expect(last).toMatchObject({ done: 2, notDone: 1, unknown: 1, skipped: 1, skips: { changed: 1 } });
    expect(last.disconnectedIds).toEqual(['c0', 'c4']);
    expect(last.failures.map(({ target, outcome }) => [target['clientId'], outcome])).toEqual([
      ['c1', 'not-done'],
      ['c2', 'skipped'],
      ['c3', 'unknown'],
    ]);
  });

  test.each(['unauthorized', 'rateLimited', 'notRecorded'] as const)(
    'ends by itself when going on is of no use: %s',
    async (name) => {
      const { clock, bulk } = setUp([...many(2), { verdict: verdicts[name], tookMs: 1 }, ...many(20)]);
      await clock.advance(60_000);
      const last = await bulk.finished;
      expect(last.done).toBe(2);
      expect(last.skipped).toBeGreaterThanOrEqual(20);
      expect(last.endedBecause).toEqual(expect.any(String));
    },
  );

  test('ends after three unusable answers in a row, but not after three apart', async () => {
    const trouble = { verdict: verdicts.unknown, tookMs: 1 };
    const inRow = setUp([trouble, trouble, trouble, ...many(10)]);
    await inRow.clock.advance(60_000);
    expect(await inRow.bulk.finished).toMatchObject({ unknown: 3, skipped: 10 });
    const apart = setUp([trouble, trouble, ...many(1, verdicts.done, 1), trouble, ...many(9)]);
    await apart.clock.advance(60_000);
    expect(await apart.bulk.finished).toMatchObject({ unknown: 3, done: 10, skipped: 0 });
  });

  test('can be retried for everything that was not sent, except for changed targets', async () => {
    const hung = { verdict: verdicts.unreadable, tookMs: 1 };
    const { clock, bulk } = setUp([
      ...many(1),
      ...[verdicts.changed, verdicts.absent, verdicts.notSent, verdicts.unknown].map((verdict) => ({
        verdict,
        tookMs: 1,
      })),
      ...many(1),
      hung,
      hung,
      hung,
      ...many(2),
    ]);
    await clock.advance(60_000);
    const last = await bulk.finished;
    expect(last).toMatchObject({
      done: 2,
      unknown: 1,
      skipped: 8,
      skips: { changed: 1, absent: 1, unreadable: 3, unsent: 1, notReached: 2 },
    });
    expect([...retryablePlaces(last)]).toEqual([3, 6, 7, 8, 9, 10]);
  });

  test('counts disconnected and changed targets separately, and continues', async () => {
    const { clock, bulk } = setUp([...many(4, verdicts.absent), ...many(1, verdicts.changed), ...many(2)]);
    await clock.advance(60_000);
    expect(await bulk.finished).toMatchObject({
      done: 2,
      skipped: 5,
      skips: { changed: 1, absent: 4 },
      endedBecause: undefined,
    });
  });

  test('of nothing ends at once', async () => {
    const { clock, bulk } = setUp([]);
    await clock.settle();
    expect(await bulk.finished).toMatchObject({ total: 0, phase: 'finished' });
  });

  test('the counts always add up', async () => {
    const step = fc.record({
      verdict: fc.constantFrom<Verdict>(...Object.values(verdicts)),
      tookMs: fc.integer({ min: 0, max: 400 }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { maxLength: 25 }),
        fc.option(fc.integer({ min: 0, max: 1_500 })),
        async (plan, endMs) => {
          const { clock, bulk, seen } = setUp(plan, 40);
          if (endMs !== null) {
            await clock.advance(endMs);
            bulk.abort();
          }
          await clock.advance(60_000);
          const last = await bulk.finished;
          for (const progress of seen) {
            expect(sum(progress)).toBe(plan.length);
            expect(progress.sent).toBeLessThanOrEqual(progress.running);
          }
          expect(last.sent).toBe(0);
          expect(last.done + last.notDone + last.unknown + last.skipped).toBe(plan.length);
          expect(last.failures).toHaveLength(plan.length - last.done);
          expect(Object.values(last.skips).reduce((all, count) => all + count, 0)).toBe(last.skipped);
          expect(Object.values(last.skips).reduce((all, count) => all + count, 0)).toBe(last.skipped);
          expect(last).toEqual(seen.at(-1));
          expect(clock.pendingTimers()).toBe(0);
        },
      ),
      { numRuns: 60 },
    );
  });

  test('its preview counts by node and user, largest first', () => {
    const clients = [client('1', 'a'), client('2', 'b'), { ...client('3', 'b'), username: 'ann' }];
    const targets = clients.map((each) => ({ kind: 'client', client: each }) as const);
    expect(
      previewBulk(
        targets,
        clients.map(({ username }) => username),
      ),
    ).toEqual({
      total: 3,
      byNode: [
        ['b', 2],
        ['a', 1],
      ],
      byUser: [
        [undefined, 2],
        ['ann', 1],
      ],
    });
    expect(previewBulk(targets, undefined)).toMatchObject({ total: 3, byUser: undefined });
  });
});
