import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { createRates } from '../../../../../src/api/dialects/emqx-v5/server/rates.ts';

beforeEach(() => {
  vi.useFakeTimers({ now: 1_000_000 });
});
afterEach(() => {
  vi.useRealTimers();
});

test('samples every ten seconds, and keeps the messages of each interval for an hour', async () => {
  let received = 100;
  const rates = createRates({
    readMetrics: async () =>
      new Map([
        ['a', { 'messages.received': received }],
        ['b', { 'messages.received': 5 }],
      ]),
    readGauges: async () => new Map([['a', { topics: 3 }]]),
    sum: ([gauges = {}]) => gauges,
  });
  await vi.advanceTimersByTimeAsync(0);
  expect(rates.history(undefined, 60)).toEqual([]);
  expect(rates.read('a')).toEqual({ received_msg_rate: 0, sent_msg_rate: 0, dropped_msg_rate: 0 });
  received = 175;
  await vi.advanceTimersByTimeAsync(10_000);
  const first = { topics: 3, received: 75, sent: 0, dropped: 0, time_stamp: 1_010_000 };
  expect(rates.history(undefined, 60)).toEqual([first]);
  expect(rates.history('b', 60)).toEqual([{ received: 0, sent: 0, dropped: 0, time_stamp: 1_010_000 }]);
  expect(rates.read(undefined)).toEqual({ received_msg_rate: 8, sent_msg_rate: 0, dropped_msg_rate: 0 });
  await vi.advanceTimersByTimeAsync(50_000);
  expect(rates.history(undefined, 20)).toHaveLength(3);
  await vi.advanceTimersByTimeAsync(4_000_000);
  expect(rates.history(undefined, 10_000)).toHaveLength(359);
  rates.close();
});
