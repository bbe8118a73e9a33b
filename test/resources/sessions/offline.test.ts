import { expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/api/errors.ts';
import type { Client } from '../../../src/domain/client.ts';
import type { NodeInfo } from '../../../src/domain/node.ts';
import {
  createConnectionJoin,
  followOffline,
  type OfflineCounters,
  unknownRates,
} from '../../../src/resources/sessions/history.ts';
import { createOfflineDetail } from '../../../src/resources/clients/detail.ts';
import { emptyResource, emptyScan, type ScanState } from '../../../src/monitor/state.ts';
import { clientOf, sessionOf } from '../../screens/list-fixtures.ts';
import { client, nodeInfo } from '../../monitor/fake-api.ts';

const found: OfflineCounters = { sinceMs: 100, isLive: false, last: undefined };
const follow = (...patches: readonly Parameters<typeof sessionOf>[1][]): boolean =>
  patches.reduce((counters, patch, index) => followOffline(counters, sessionOf('x', patch), 200 + index), found).isLive;

test('counters that moved while the client was offline stay live', () => {
  expect(follow({ queueLength: 1 }, { queueLength: 1 })).toBe(false);
  expect(follow({ queueLength: 1 }, { queueLength: 2 })).toBe(true);
  expect(follow({ dropped: 1 }, { dropped: 2 }, { dropped: 2 })).toBe(true);
});

test('counters are not live if the session was recreated, moved, or delivered messages', () => {
  expect(follow({ queueLength: 1 }, { queueLength: 2, createdAt: 7 })).toBe(false);
  expect(follow({ queueLength: 1, node: 'a' }, { queueLength: 2, node: 'b' })).toBe(false);
  expect(follow({ queueLength: 9, delivered: 1 }, { queueLength: 2, delivered: 8 })).toBe(false);
});

test('readings that began before the client was found offline are ignored', () => {
  const early = followOffline(found, sessionOf('x', { queueLength: 1 }), 90);
  expect(followOffline(early, sessionOf('x', { queueLength: 5 }), 200).isLive).toBe(false);
  expect(followOffline(found, sessionOf('x'), undefined)).toBe(found);
});

test('the client detail has the offline time and whether the counters are live', () => {
  const next = createOfflineDetail();
  const detail = (queueLength: number, isConnected = false) => ({
    clients: isConnected ? [clientOf('x')] : [],
    sessions: [sessionOf('x', { queueLength })],
    subscriptions: [],
  });
  expect(next(detail(1, true), 0, 5).offline).toBeUndefined();
  expect(next(detail(1), 10, 15).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next(detail(2), 20, 25).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next({ ...detail(2), clients: new NoAnswerError() }, 30, 35).offline).toEqual({ sinceMs: 15, isLive: false });
  expect(next(detail(3), 40, 45).offline).toEqual({ sinceMs: 15, isLive: true });
  expect(next(detail(3, true), 50, 55).offline).toBeUndefined();
});

const startedAtMs = 1_000_000;
const clockThen = 5_000;

/** The clients of node `a`, asked for at a moment when its clock showed 5,000 s. */
const readClients = (rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> => ({
  ...emptyScan<Client>(),
  rows,
  phase: 'complete',
  finishedAtMs: startedAtMs + 500,
  coverage: new Map([
    ['a', { read: rows.length, expected: rows.length, isComplete: true, error: undefined, beganAtMs: startedAtMs }],
  ]),
  ...patch,
});

/** The clock of the node as it was read so long after. */
const nodesAfter = (seconds: number) => ({
  ...emptyResource<readonly NodeInfo[]>(),
  data: [{ ...nodeInfo('a'), clock: clockThen + seconds }],
  updatedAtMs: startedAtMs + seconds * 1_000,
});

const rowsOf = (createdAt: Readonly<Record<string, number | undefined>>) =>
  Object.entries(createdAt).map(([id, at]) => ({
    session: sessionOf(id, { node: 'a', createdAt: at }),
    rates: unknownRates,
  }));

test.each([-30, 0, 1, 40])(
  'a session older than the client list is disconnected, by a clock read %i s later',
  (seconds) => {
    const rows = rowsOf({ here: 6_000, old: 4_000, before: 4_999, within: 5_000, later: 5_020, ageless: undefined });
    const joined = createConnectionJoin()(rows, readClients([client('here', 'a')]), nodesAfter(seconds));
    expect(joined.map(({ isConnected }) => isConnected)).toEqual([true, false, false, undefined, undefined, undefined]);
  },
);

test('counters of a session that says it is offline are live, those of one that only has no client are not', () => {
  expect(follow({ isConnected: false })).toBe(true);
  expect(followOffline({ ...found, sinceMs: 500 }, sessionOf('x', { isConnected: false }), 200).isLive).toBe(true);
  expect(
    createOfflineDetail()(
      { clients: [], sessions: [sessionOf('x', { isConnected: false })], subscriptions: [] },
      1_000,
      1_100,
    ).offline?.isLive,
  ).toBe(true);
  const rows = [
    ...rowsOf({ old: 4_000 }),
    ...rowsOf({ says: 4_000 }).map((row) => ({ ...row, session: { ...row.session, isConnected: false } })),
  ];
  const joined = createConnectionJoin()(rows, readClients([client('here', 'a')]), nodesAfter(2));
  expect(joined.map(({ isConnected, isFrozen }) => [isConnected, isFrozen])).toEqual([
    [false, true],
    [false, false],
  ]);
});

test('a client list with undecoded rows proves no session disconnected', () => {
  const rows = rowsOf({ here: 4_000, old: 4_000 });
  const unusable = { count: 1, example: 'client_id: number' };
  const coverage = new Map([
    ['a', { read: 1, expected: 2, isComplete: true, error: undefined, beganAtMs: startedAtMs, unusable }],
  ]);
  const joined = createConnectionJoin()(rows, readClients([client('here', 'a')], { coverage }), nodesAfter(2));
  expect(joined.map(({ isConnected }) => isConnected)).toEqual([undefined, undefined]);
});

test('clocks that arrive later give the same result, which then stays the same object', () => {
  const join = createConnectionJoin();
  const rows = rowsOf({ old: 4_000, later: 5_020 });
  const clients = readClients([]);
  expect(join(rows, clients, emptyResource()).map(({ isConnected }) => isConnected)).toEqual([undefined, undefined]);
  // A scan that runs by then has not been read.
  const running = { ...clients, phase: 'running' as const, coverage: new Map() };
  const joined = join(rows, running, nodesAfter(2));
  expect(joined.map(({ isConnected }) => isConnected)).toEqual([false, undefined]);
  expect(join(rows, running, nodesAfter(4))).toBe(joined);
});

test('the next client list covers sessions that were too new for the previous one', () => {
  const join = createConnectionJoin();
  const rows = rowsOf({ later: 5_020 });
  expect(join(rows, readClients([]), nodesAfter(2))[0]?.isConnected).toBeUndefined();
  const next = readClients([], {
    finishedAtMs: startedAtMs + 30_500,
    coverage: new Map([
      ['a', { read: 0, expected: 0, isComplete: true, error: undefined, beganAtMs: startedAtMs + 30_000 }],
    ]),
  });
  expect(join(rows, next, nodesAfter(32))[0]?.isConnected).toBe(false);
});
