import { expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/api/errors.ts';
import { followOffline, type OfflineCounters } from '../../../src/monitor/history/offline-counters.ts';
import { createOfflineDetail } from '../../../src/monitor/polling/client-detail.ts';
import { clientOf, sessionOf } from '../../ui/screens/list-fixtures.ts';

const found: OfflineCounters = { sinceMs: 100, isLive: false, last: undefined };
const follow = (...patches: readonly Parameters<typeof sessionOf>[1][]): boolean =>
  patches.reduce((counters, patch, index) => followOffline(counters, sessionOf('x', patch), 200 + index), found).isLive;

test('counters that move while their client is offline are live, for good', () => {
  expect(follow({ queueLength: 1 }, { queueLength: 1 })).toBe(false);
  expect(follow({ queueLength: 1 }, { queueLength: 2 })).toBe(true);
  expect(follow({ dropped: 1 }, { dropped: 2 }, { dropped: 2 })).toBe(true);
});

test('counters do not count as live when the session began anew, went to another node or was delivered something', () => {
  expect(follow({ queueLength: 1 }, { queueLength: 2, createdAt: 7 })).toBe(false);
  expect(follow({ queueLength: 1, node: 'a' }, { queueLength: 2, node: 'b' })).toBe(false);
  expect(follow({ queueLength: 9, delivered: 1 }, { queueLength: 2, delivered: 8 })).toBe(false);
});

test('a reading that began before the client was found offline is not compared with', () => {
  const early = followOffline(found, sessionOf('x', { queueLength: 1 }), 90);
  expect(followOffline(early, sessionOf('x', { queueLength: 5 }), 200).isLive).toBe(false);
  expect(followOffline(found, sessionOf('x'), undefined)).toBe(found);
});

test('the detail of a client says since when it is offline at least, and whether its counters move', () => {
  const next = createOfflineDetail();
  const detail = (queueLength: number, isConnected = false) => ({ clients: isConnected ? [clientOf('x')] : [], sessions: [sessionOf('x', { queueLength })], subscriptions: [] });
  expect(next(detail(1, true), 0, 5).offline).toBeUndefined();
  expect(next(detail(1), 10, 15).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next(detail(2), 20, 25).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next({ ...detail(2), clients: new NoAnswerError() }, 30, 35).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next(detail(3), 40, 45).offline).toEqual({ sinceMs: 15, isLive: true });
  expect(next(detail(3, true), 50, 55).offline).toBeUndefined();
});
