import { expect, test } from 'vitest';
import { NoAnswerError } from '../../../src/api/errors.ts';
import { createClientTrend } from '../../../src/resources/clients/trend.ts';
import { listedReading } from '../../../src/resources/clients/detail.ts';
import { clientOf, scanOf, sessionOf } from '../../screens/list-fixtures.ts';
import type { ClientDetail, TrendPoint } from '../../../src/resources/clients/client-detail.ts';
import { readingsOf } from '../../support/readings.ts';

const detailOf = (session: Parameters<typeof sessionOf>[1], patch: Partial<ClientDetail> = {}): ClientDetail => ({
  clients: [clientOf('c')],
  sessions: [sessionOf('c', session)],
  subscriptions: [],
  ...patch,
});

const point = (
  atMs: number,
  queueLength: number | undefined,
  deliveredPerSecond?: number,
  droppedPerSecond?: number,
): TrendPoint => ({ atMs, queueLength, deliveredPerSecond, droppedPerSecond });

test('rates start with the second reading', () => {
  const add = createClientTrend();
  expect(add(detailOf({ queueLength: 5, delivered: 10, dropped: 0 }), 1_000).trend).toEqual([point(1_000, 5)]);
  expect(add(detailOf({ queueLength: 9, delivered: 30, dropped: 4 }), 3_000).trend).toEqual([
    point(1_000, 5),
    point(3_000, 9, 10, 2),
  ]);
});

test('what the lists said of the same connection is the first point', () => {
  const before = {
    client: clientOf('c'),
    session: sessionOf('c', { node: 'a', queueLength: 5, delivered: 10, dropped: 0 }),
    atMs: 1_000,
  };
  const now = detailOf({ queueLength: 25, delivered: 50, dropped: 4 });
  expect(createClientTrend(() => before)(now, 21_000).trend).toEqual([point(1_000, 5), point(21_000, 25, 2, 0.2)]);
  const add = createClientTrend(() => before);
  add(now, 21_000);
  expect(add(now, 23_000).trend).toHaveLength(3);
});

test('the trend goes on with that of the lists where it was not read itself', () => {
  const before = {
    client: clientOf('c'),
    session: sessionOf('c', { node: 'a', queueLength: 15, delivered: 30, dropped: 0 }),
    atMs: 11_000,
  };
  const lists = [point(1_000, 5), point(6_000, 10, 2, 0), point(11_000, 15, 2, 0)];
  const add = createClientTrend(
    () => before,
    () => lists,
  );
  expect(add(detailOf({ queueLength: 25, delivered: 50, dropped: 0 }), 21_000).trend).toEqual([
    ...lists,
    point(21_000, 25, 2, 0),
  ]);
  lists.push(point(26_000, 30, 2, 0), point(31_000, 36, 2, 0));
  expect(add(detailOf({ queueLength: 26, delivered: 52, dropped: 0 }), 23_000).trend?.slice(4)).toEqual([
    point(23_000, 26, 1, 0),
  ]);
  // Its page was left for a while.
  expect(add(detailOf({ queueLength: 40, delivered: 90, dropped: 0 }), 40_000).trend?.slice(5)).toEqual([
    point(26_000, 30, 2, 0),
    point(31_000, 36, 2, 0),
    point(40_000, 40),
  ]);
});

test('a reading just after that of the lists is not a second point', () => {
  const before = {
    client: clientOf('c'),
    session: sessionOf('c', { node: 'a', queueLength: 15, delivered: 30, dropped: 0 }),
    atMs: 11_000,
  };
  const lists = [point(6_000, 10), point(11_000, 15, 2, 0)];
  const add = createClientTrend(
    () => before,
    () => lists,
  );
  expect(add(detailOf({ queueLength: 16, delivered: 31, dropped: 0 }), 12_000).trend).toEqual(lists);
  expect(add(detailOf({ queueLength: 18, delivered: 36, dropped: 0 }), 14_000).trend).toEqual([
    ...lists,
    point(14_000, 18, 2, 0),
  ]);
});

test('what the lists said long ago or just now, or of an earlier connection or session, is not', () => {
  const before = { client: clientOf('c'), session: sessionOf('c', { queueLength: 5 }), atMs: 1_000 };
  const now = detailOf({ queueLength: 25 });
  expect(createClientTrend(() => before)(now, 60_000).trend).toHaveLength(1);
  expect(createClientTrend(() => before)(now, 1_500).trend).toHaveLength(1);
  expect(createClientTrend(() => ({ ...before, client: undefined }))(now, 4_000).trend).toHaveLength(1);
  expect(
    createClientTrend(() => ({ ...before, client: clientOf('c', { connectedAt: 7 }) }))(now, 4_000).trend,
  ).toHaveLength(1);
  expect(
    createClientTrend(() => ({ ...before, session: sessionOf('c', { createdAt: 7 }) }))(now, 4_000).trend,
  ).toHaveLength(1);
  expect(
    createClientTrend(() => before)({ ...now, clients: [] }, 4_000).trend?.map(({ queueLength }) => queueLength),
  ).toEqual([undefined]);
});

test('a reconnect or a new session is a gap after which the trend goes on', () => {
  const add = createClientTrend();
  add(detailOf({ queueLength: 3 }), 1_000);
  add(detailOf({ queueLength: 3, delivered: 10 }), 3_000);
  const reconnected = { clients: [clientOf('c', { connectedAt: 7 })] };
  const { trend = [] } = add(detailOf({ queueLength: 1, delivered: 90, dropped: 9 }, reconnected), 5_000);
  expect(trend.map(({ atMs }) => atMs)).toEqual([1_000, 3_000, 5_000]);
  expect(trend.at(-1)).toEqual({ ...point(5_000, 1), isGap: true });
  expect(add(detailOf({ queueLength: 2, delivered: 94, dropped: 9 }, reconnected), 7_000).trend?.at(-1)).toEqual(
    point(7_000, 2, 2, 0),
  );
  expect(add(detailOf({ queueLength: 2, createdAt: 9 }, reconnected), 9_000).trend?.slice(2)).toMatchObject([
    { isGap: true },
    { atMs: 7_000 },
    { ...point(9_000, 2), isGap: true },
  ]);
});

test('a client that is gone for a while has a gap as long as that', () => {
  const add = createClientTrend();
  add(detailOf({ queueLength: 5 }), 1_000);
  const gone = { clients: [], sessions: [] };
  add(detailOf({}, gone), 3_000);
  expect(add(detailOf({}, gone), 5_000).trend).toEqual([
    point(1_000, 5),
    point(3_000, undefined),
    point(5_000, undefined),
  ]);
  expect(
    add(detailOf({ queueLength: 2, createdAt: 9 }, { clients: [clientOf('c', { connectedAt: 7 })] }), 7_000).trend,
  ).toMatchObject([{}, {}, {}, { ...point(7_000, 2), isGap: true }]);
});

test('counters that stopped at the disconnect are unknown, live ones go on', () => {
  const add = createClientTrend();
  add(detailOf({ queueLength: 5, delivered: 10, dropped: 0 }), 1_000);
  const offline = { clients: [], offline: { sinceMs: 0, isLive: false } };
  expect(add(detailOf({ queueLength: 5 }, offline), 3_000).trend).toEqual([point(1_000, 5), point(3_000, undefined)]);
  const live = { clients: [], offline: { sinceMs: 0, isLive: true } };
  expect(add(detailOf({ queueLength: 6, delivered: 10, dropped: 0 }, live), 5_000).trend?.at(-1)).toEqual(
    point(5_000, 6),
  );
  // Those of an offline client jump, and stand still in between: the time between two jumps counts, if it is known well enough.
  expect(add(detailOf({ queueLength: 8, delivered: 10, dropped: 2 }, live), 7_000).trend?.at(-1)).toEqual(
    point(7_000, 8),
  );
  expect(add(detailOf({ queueLength: 8, delivered: 10, dropped: 2 }, live), 9_000).trend?.at(-1)).toEqual(
    point(7_000, 8),
  );
  expect(add(detailOf({ queueLength: 8, delivered: 10, dropped: 9 }, live), 10_000).trend?.at(-1)).toEqual(
    point(10_000, 8, 0, 2),
  );
});

test('where the broker refreshes counters every 15 s, there is a point a refresh, and no comb', () => {
  const refresh = { maxMs: 15_000, isRegular: true };
  const add = createClientTrend(undefined, undefined, () => refresh);
  // 7 delivered and 2 lost a second; refreshed 1, 16 and 31 s after the first of the readings, which are 2 s apart.
  const at = (atMs: number) => {
    const seconds = 15 * Math.floor((atMs + 14_000) / 15_000);
    return add(detailOf({ queueLength: seconds, delivered: 7 * seconds, dropped: 2 * seconds }), atMs).trend;
  };
  for (let atMs = 0; atMs < 40_000; atMs += 2_000) at(atMs);
  expect(at(40_000)).toEqual([point(0, 0), point(2_000, 15), point(16_000, 30, 7, 2), point(32_000, 45, 7, 2)]);
});

test('the lists do not interrupt the steps of a client that is read itself', () => {
  const session = (seconds: number) => ({
    node: 'a',
    queueLength: 0,
    delivered: 7 * 15 * Math.floor((seconds + 14) / 15),
    dropped: 0,
  });
  const refresh = { maxMs: 15_000, isRegular: true };
  let nowMs = 0;
  const add = createClientTrend(
    () => ({ client: clientOf('c'), session: sessionOf('c', session(nowMs / 1_000)), atMs: nowMs - 1_000 }),
    () => [point(nowMs - 6_000, 0), point(nowMs - 1_000, 0)],
    () => refresh,
  );
  for (; nowMs < 60_000; nowMs += 2_000) add(detailOf(session(nowMs / 1_000)), nowMs);
  expect(
    add(detailOf(session(60)), 60_000)
      .trend?.slice(-3)
      .map(({ deliveredPerSecond }) => deliveredPerSecond),
  ).toEqual([7, 7, 7]);
});

test('where the broker refreshes counters every 15 s, a client is idle after two refreshes without a change', () => {
  const refresh = { maxMs: 15_000, isRegular: true };
  const add = createClientTrend(undefined, undefined, () => refresh);
  const idle = detailOf({ queueLength: 3, delivered: 10, dropped: 0 });
  for (let atMs = 0; atMs < 34_000; atMs += 2_000) add(idle, atMs);
  expect(add(idle, 34_000).trend).toEqual([
    point(0, 3),
    point(30_000, 3, 0, 0),
    point(32_000, 3, 0, 0),
    point(34_000, 3, 0, 0),
  ]);
});

test('a part that failed is no point, and without a session nothing is known', () => {
  const add = createClientTrend();
  add(detailOf({ queueLength: 5 }), 1_000);
  expect(add(detailOf({}, { sessions: new NoAnswerError() }), 3_000).trend).toEqual([point(1_000, 5)]);
  expect(add(detailOf({ queueLength: 6 }, { clients: new NoAnswerError() }), 5_000).trend).toMatchObject([
    { queueLength: 5 },
    { queueLength: 6 },
  ]);
  expect(add(detailOf({}, { sessions: [] }), 7_000).trend?.at(-1)).toEqual(point(7_000, undefined));
  expect(createClientTrend()(detailOf({}, { sessions: [] }), 7_000).trend).toEqual([]);
});

test('counters that were reset give no rate, and a refresh at once no point', () => {
  const add = createClientTrend();
  add(detailOf({ delivered: 100, dropped: 3, queueLength: 1 }), 1_000);
  expect(add(detailOf({ delivered: 100, dropped: 3, queueLength: 1 }), 1_700).trend).toHaveLength(1);
  expect(add(detailOf({ delivered: 5, dropped: 3, queueLength: 1 }), 3_000).trend?.at(-1)).toEqual(
    point(3_000, 1, undefined, 0),
  );
});

test('the trend is bounded in time, and so in number', () => {
  const add = createClientTrend();
  let detail: ClientDetail | undefined;
  for (let atMs = 0; atMs < 600_000; atMs += 250) detail = add(detailOf({}), atMs);
  expect(detail?.trend).toHaveLength(191);
  for (let atMs = 600_000; atMs < 1_200_000; atMs += 2_000) detail = add(detailOf({}), atMs);
  expect(detail?.trend).toHaveLength(96);
});

test('a row of a list is a reading if its node was read quickly', () => {
  const listed = sessionOf('c', { node: 'a' });
  const coverage = {
    read: 1,
    expected: 1,
    isComplete: true,
    error: undefined,
    readAtMs: 1_000 as number | undefined,
    beganAtMs: 500_000,
  };
  const readingAt = (patch: Partial<typeof coverage>, nowMs: number) =>
    listedReading(
      readingsOf({
        clientScan: scanOf([clientOf('c')]),
        sessionScan: { ...scanOf([listed]), coverage: new Map([['a', { ...coverage, ...patch }]]) },
      }),
      'c',
      { nowMs: () => nowMs, monotonicMs: () => 9_000 },
    );
  expect(readingAt({}, 508_500)).toEqual({ client: clientOf('c'), session: listed, atMs: 1_000 });
  expect(readingAt({}, 512_000)).toBeUndefined();
  expect(readingAt({ readAtMs: undefined }, 508_500)).toBeUndefined();
});
