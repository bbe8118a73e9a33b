import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  type ApiError,
  BadAnswerError,
  HttpStatusError,
  NoAnswerError,
  NotFoundError,
  RateLimitedError,
  TimeoutError,
  UnauthorizedError,
  UnreachableError,
} from '../../../src/api/errors.ts';
import { backoffMs } from '../../../src/monitor/polling/intervals.ts';
import { createPoller, type PollOutcome } from '../../../src/monitor/polling/poller.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { deferred, type Deferred } from '../fake-api.ts';

interface Value {
  readonly n: number;
  readonly list: readonly string[];
}

function setUp(intervalMs = 2_000, random = () => 0) {
  const clock = createFakeClock();
  const requests: (Deferred<Value> & { readonly signal: AbortSignal; readonly atMs: number })[] = [];
  const outcomes: PollOutcome<Value>[] = [];
  let interval = intervalMs;
  const poller = createPoller<Value>({
    clock,
    random,
    intervalMs: () => interval,
    read: (signal) => {
      const request = { ...deferred<Value>(), signal, atMs: clock.monotonicMs() };
      requests.push(request);
      return request.promise;
    },
    onState: () => {},
    onOutcome: (outcome) => outcomes.push(outcome),
  });
  const last = () => {
    const request = requests.at(-1);
    if (request === undefined) throw new Error('nothing was asked');
    return request;
  };
  const answer = async (value: Value) => {
    last().resolve(value);
    await clock.settle();
  };
  const refuse = async (error: unknown) => {
    last().reject(error);
    await clock.settle();
  };
  return {
    clock,
    poller,
    requests,
    outcomes,
    last,
    answer,
    refuse,
    setInterval: (ms: number) => {
      interval = ms;
    },
  };
}

const value = (n: number): Value => ({ n, list: ['a'] });

describe('a poller', () => {
  test('polls at once and then from start to start', async () => {
    const { clock, poller, requests, answer } = setUp();
    poller.start();
    await clock.settle();
    expect(requests).toHaveLength(1);
    await clock.advance(500);
    await answer(value(1));
    await clock.advance(1_499);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    poller.stop();
  });

  test('never overlaps, and skips the ticks that a slow answer missed', async () => {
    const { clock, poller, requests, answer } = setUp();
    poller.start();
    await clock.advance(5_000);
    expect(requests).toHaveLength(1);
    await answer(value(1));
    expect(requests).toHaveLength(1);
    await clock.advance(999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    poller.stop();
  });

  test('keeps the last good data with the error and its start', async () => {
    const { clock, poller, answer, refuse, outcomes } = setUp();
    poller.start();
    await clock.settle();
    await answer(value(1));
    const { data, updatedAtMs } = poller.state();
    await clock.advance(2_000);
    await refuse(new TimeoutError(5_000));
    const failingSinceMs = clock.nowMs();
    await clock.advance(2_000);
    await refuse(new TimeoutError(5_000));
    expect(poller.state()).toMatchObject({ data, updatedAtMs, failingSinceMs, isFetching: false });
    expect(poller.state().error).toBeInstanceOf(TimeoutError);
    await clock.advance(2_000);
    await refuse(new TimeoutError(5_000));
    expect(poller.state().failingSinceMs).toBe(failingSinceMs);
    await clock.advance(2_000);
    await answer(value(1));
    expect(poller.state()).toMatchObject({ error: undefined, failingSinceMs: undefined });
    expect(poller.state().data).toBe(data);
    expect(outcomes.map((outcome) => outcome.kind)).toEqual(['changed', 'failed', 'failed', 'unchanged']);
    poller.stop();
  });

  test('shares the parts of an answer that did not change', async () => {
    const { clock, poller, answer } = setUp();
    poller.start();
    await clock.settle();
    await answer(value(1));
    const before = poller.state().data;
    await clock.advance(2_000);
    await answer(value(2));
    expect(poller.state().data).not.toBe(before);
    expect(poller.state().data?.list).toBe(before?.list);
    poller.stop();
  });

  test('backs off with the number of failures, up to 30 s', async () => {
    const { clock, poller, requests, refuse } = setUp(500, () => 1);
    poller.start();
    await clock.settle();
    for (const waitMs of [2_000, 4_000, 8_000, 16_000, 30_000, 30_000]) {
      const asked = requests.length;
      await refuse(new TimeoutError(5_000));
      expect(poller.state().nextAttemptAtMs).toBe(clock.nowMs() + waitMs);
      await clock.advance(waitMs - 1);
      expect(requests).toHaveLength(asked);
      await clock.advance(1);
      expect(requests).toHaveLength(asked + 1);
    }
    poller.stop();
  });

  test('repeats a failed attempt soon, and then not before the interval', async () => {
    const { clock, poller, requests, refuse } = setUp(60_000);
    poller.start();
    await clock.settle();
    await refuse(new TimeoutError(5_000));
    await clock.advance(4_999);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    await refuse(new TimeoutError(5_000));
    await clock.advance(59_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    expect(requests).toHaveLength(3);
    poller.stop();
  });

  const passing: readonly (readonly [string, () => ApiError])[] = [
    ['503', () => new HttpStatusError(503)],
    ['429', () => new RateLimitedError(undefined)],
    ['reset connection', () => new UnreachableError('ECONNRESET')],
    ['connection that ended', () => new NoAnswerError()],
    ['truncated answer', () => new BadAnswerError('half of it')],
  ];
  test.each(passing)('a single %s is no failure', async (_, make) => {
    const { clock, poller, answer, refuse, outcomes } = setUp();
    poller.start();
    await clock.settle();
    await answer(value(1));
    const readAtMs = poller.state().updatedAtMs;
    for (const n of [2, 3]) {
      await clock.advance(2_000);
      await refuse(make());
      expect(poller.state()).toMatchObject({ data: value(n - 1), error: undefined, failingSinceMs: undefined });
      await clock.advance(2_000);
      await answer(value(n));
    }
    expect(outcomes.map(({ kind }) => kind)).toEqual(['changed', 'changed', 'changed']);
    expect(poller.state().updatedAtMs).toBeGreaterThan(readAtMs ?? 0);
    poller.stop();
  });

  test('it is one after ten seconds, if it cannot be repeated sooner', async () => {
    const { clock, poller, refuse, outcomes } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new HttpStatusError(503, {}, 60));
    const failingSinceMs = clock.nowMs();
    await clock.advance(9_999);
    expect(poller.state().error).toBeUndefined();
    await clock.advance(1);
    expect(poller.state()).toMatchObject({ error: { status: 503 }, failingSinceMs });
    expect(outcomes.map(({ kind }) => kind)).toEqual(['failed']);
    poller.stop();
  });

  test('what the broker refuses for good is not repeated', async () => {
    const { clock, poller, refuse } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new NotFoundError());
    expect(poller.state().error).toBeInstanceOf(NotFoundError);
    poller.stop();
  });

  test('a stopped poller finds no failure', async () => {
    const { clock, poller, refuse, outcomes } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new TimeoutError(5_000));
    poller.stop();
    await clock.advance(60_000);
    expect([poller.state().error, outcomes, clock.pendingTimers()]).toEqual([undefined, [], 0]);
  });

  const asks: readonly (readonly [number, (seconds: number) => ApiError])[] = [
    [429, (seconds) => new RateLimitedError(seconds)],
    [503, (seconds) => new HttpStatusError(503, {}, seconds)],
  ];
  const waits = asks.flatMap(([status, make]) =>
    [
      [7, 7_000],
      [0, 1_000],
      [100_000, 300_000],
    ].map(([seconds = 0, waitMs = 0]) => ({ status, seconds, waitMs, make })),
  );
  test.each(waits)('waits for the Retry-After of a $status: $seconds s', async ({ seconds, waitMs, make }) => {
    const { clock, poller, requests, refuse } = setUp(500);
    poller.start();
    await clock.settle();
    await refuse(make(seconds));
    await poller.refresh();
    await clock.advance(waitMs - 1);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    poller.stop();
  });

  test('stops on a 401', async () => {
    const { clock, poller, requests, refuse } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new UnauthorizedError());
    await poller.refresh();
    await clock.advance(1_000_000);
    expect(requests).toHaveLength(1);
    expect(poller.state()).toMatchObject({ nextAttemptAtMs: undefined, isFetching: false });
    expect(clock.pendingTimers()).toBe(0);
  });

  test('aborts the attempt in flight when stopped and drops its late answer', async () => {
    const { clock, poller, requests, last, answer, outcomes } = setUp();
    poller.start();
    await clock.settle();
    const first = last();
    poller.stop();
    expect(first.signal.aborted).toBe(true);
    expect(poller.state()).toMatchObject({ isFetching: false, nextAttemptAtMs: undefined });
    poller.start();
    await clock.settle();
    expect(requests).toHaveLength(2);
    first.resolve(value(1));
    await clock.settle();
    expect(poller.state().data).toBeUndefined();
    await answer(value(2));
    expect(poller.state().data).toEqual(value(2));
    expect(outcomes).toHaveLength(1);
    poller.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('does not poll when restarted within the interval', async () => {
    const { clock, poller, requests, answer } = setUp();
    poller.start();
    await clock.settle();
    await answer(value(1));
    poller.stop();
    await clock.advance(500);
    poller.start();
    await clock.advance(1_499);
    expect(requests).toHaveLength(1);
    await clock.advance(1);
    expect(requests).toHaveLength(2);
    poller.stop();
  });

  test('refresh polls at once, joins the attempt in flight, and restarts the interval', async () => {
    const { clock, poller, requests, answer, refuse } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new TimeoutError(5_000));
    const both = Promise.all([poller.refresh(), poller.refresh()]);
    await clock.settle();
    expect(requests).toHaveLength(2);
    await answer(value(1));
    await both;
    await clock.advance(1_999);
    expect(requests).toHaveLength(2);
    await clock.advance(1);
    expect(requests).toHaveLength(3);
    poller.stop();
  });

  test('applies a shorter interval at once', async () => {
    const { clock, poller, requests, answer, setInterval } = setUp(60_000);
    poller.start();
    await clock.settle();
    await answer(value(1));
    await clock.advance(3_000);
    setInterval(2_000);
    poller.reschedule();
    await clock.settle();
    expect(requests).toHaveLength(2);
    poller.stop();
  });

  test('turns unexpected exceptions into an ApiError', async () => {
    const { clock, poller, refuse } = setUp();
    poller.start();
    await clock.settle();
    await refuse(new TypeError('x is not a function'));
    expect(poller.lastError()).toBeInstanceOf(BadAnswerError);
    await clock.advance(2_000);
    await refuse(new TypeError('x is not a function'));
    expect(poller.state().error).toBeInstanceOf(BadAnswerError);
    poller.stop();
  });
});

test('back-off stays between 1 s and 30 s and within its doubling bound', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 2_000 }), fc.double({ min: 0, max: 1, noNaN: true }), (failures, random) => {
      const waitMs = backoffMs(failures, () => random);
      expect(waitMs).toBeGreaterThanOrEqual(1_000);
      expect(waitMs).toBeLessThanOrEqual(Math.min(30_000, 1_000 * 2 ** failures));
    }),
  );
});
