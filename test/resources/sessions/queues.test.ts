import { expect, test } from 'vitest';
import type { Client, Session } from '../../../src/domain/client.ts';
import { createQueueTrends } from '../../../src/resources/sessions/queues.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { scanOf, sessionOf } from '../../screens/list-fixtures.ts';

const readingOf = (atMs: number, ...sessions: readonly Session[]): ScanState<Session> => ({
  ...scanOf(sessions.map((session) => ({ ...session, node: 'a' }))),
  phase: 'complete',
  finishedAtMs: atMs,
  coverage: new Map([
    [
      'a',
      {
        read: sessions.length,
        expected: sessions.length,
        isComplete: true,
        error: undefined,
        readAtMs: atMs,
        beganAtMs: atMs,
      },
    ],
  ]),
});
const noClients = { ...scanOf<Client>([]), phase: 'running' as const, finishedAtMs: undefined };

test('a long queue is followed from reading to reading, with rates from the second on', () => {
  const take = createQueueTrends();
  take(
    readingOf(
      1_000,
      sessionOf('slow', { queueLength: 50, delivered: 10, dropped: 0 }),
      sessionOf('fine', { queueLength: 0 }),
    ),
    noClients,
  );
  const trends = take(
    readingOf(
      6_000,
      sessionOf('slow', { queueLength: 100, delivered: 20, dropped: 5 }),
      sessionOf('fine', { queueLength: 0 }),
    ),
    noClients,
  );
  expect([...trends.keys()]).toEqual(['slow']);
  expect(trends.get('slow')?.points).toEqual([
    { atMs: 1_000, queueLength: 50, deliveredPerSecond: undefined, droppedPerSecond: undefined },
    { atMs: 6_000, queueLength: 100, deliveredPerSecond: 2, droppedPerSecond: 1 },
  ]);
});

test('between two readings the trends stay the same', () => {
  const take = createQueueTrends();
  const trends = take(readingOf(1_000, sessionOf('slow', { queueLength: 50 })), noClients);
  expect(take(readingOf(1_000, sessionOf('slow', { queueLength: 70 })), noClients)).toBe(trends);
  expect(take({ ...readingOf(6_000, sessionOf('slow', { queueLength: 70 })), phase: 'running' }, noClients)).toBe(
    trends,
  );
});

test('an emptied queue is followed as long as graphs show it, a session that ended is not', () => {
  const take = createQueueTrends();
  take(readingOf(1_000, sessionOf('slow', { queueLength: 50 }), sessionOf('gone', { queueLength: 50 })), noClients);
  expect(
    take(readingOf(6_000, sessionOf('slow', { queueLength: 0 })), noClients)
      .get('slow')
      ?.points.map(({ queueLength }) => queueLength),
  ).toEqual([50, 0]);
  expect([...take(readingOf(11_000, sessionOf('slow', { queueLength: 0 })), noClients).keys()]).toEqual(['slow']);
  expect(take(readingOf(300_000, sessionOf('slow', { queueLength: 0 })), noClients).size).toBe(0);
});

test('a session that was created again is a gap', () => {
  const take = createQueueTrends();
  take(readingOf(1_000, sessionOf('slow', { queueLength: 50, createdAt: 1 })), noClients);
  expect(
    take(readingOf(6_000, sessionOf('slow', { queueLength: 20, createdAt: 5 })), noClients)
      .get('slow')
      ?.points.at(-1),
  ).toEqual({ atMs: 6_000, queueLength: 20, deliveredPerSecond: undefined, droppedPerSecond: undefined, isGap: true });
});

test('counters that stopped when the client left are unknown, those that move are not', () => {
  const take = createQueueTrends();
  const nobody = { ...scanOf<Client>([]), phase: 'complete' as const, finishedAtMs: 900 };
  const away = (queueLength: number) => sessionOf('away', { queueLength, isConnected: undefined });
  take(readingOf(1_000, away(50)), noClients);
  take(readingOf(6_000, away(50)), nobody);
  expect(
    take(readingOf(11_000, away(60)), nobody)
      .get('away')
      ?.points.map(({ queueLength }) => queueLength),
  ).toEqual([50, undefined, 60]);
});

test('a client that is not listed yet but is served has live counters', () => {
  const take = createQueueTrends();
  const nobody = { ...scanOf<Client>([]), phase: 'complete' as const, finishedAtMs: 900 };
  take(readingOf(1_000, sessionOf('back', { queueLength: 1_000, delivered: 32, isConnected: undefined })), noClients);
  expect(
    take(readingOf(6_000, sessionOf('back', { queueLength: 0, delivered: 1_032, isConnected: undefined })), nobody)
      .get('back')
      ?.points.at(-1)?.queueLength,
  ).toBe(0);
});

test('only the longest queues are followed', () => {
  const take = createQueueTrends();
  const trends = take(
    readingOf(1_000, ...Array.from({ length: 80 }, (_, index) => sessionOf(`c${index}`, { queueLength: 10 + index }))),
    noClients,
  );
  expect(trends.size).toBe(50);
  expect(trends.has('c79')).toBe(true);
  expect(trends.has('c0')).toBe(false);
});

test('a client whose page was opened is followed, however short its queue', () => {
  const take = createQueueTrends();
  const opened = new Map([['fine', {}]]);
  const many = Array.from({ length: 80 }, (_, index) => sessionOf(`c${index}`, { queueLength: 10 + index }));
  take(readingOf(1_000, sessionOf('fine', { queueLength: 0 }), ...many), noClients, opened);
  expect(
    take(readingOf(6_000, sessionOf('fine', { queueLength: 2 }), ...many), noClients, opened)
      .get('fine')
      ?.points.map(({ queueLength }) => queueLength),
  ).toEqual([0, 2]);
});
