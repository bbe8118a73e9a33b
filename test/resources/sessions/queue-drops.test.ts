import { expect, test } from 'vitest';
import {
  appendQueueDrops,
  dropsIn,
  type QueueDrops,
  queueDropSeries,
  sumQueueDrops,
} from '../../../src/resources/sessions/queue-drops.ts';
import { type SessionRow, unknownRates } from '../../../src/resources/sessions/history.ts';
import { sessionOf } from '../../screens/list-fixtures.ts';

const row = (clientId: string, node: string, dropped: number | undefined, droppedPerSecond?: number): SessionRow => ({
  session: sessionOf(clientId, { node, dropped }),
  rates: { ...unknownRates, droppedPerSecond },
});

const sum = (rows: readonly SessionRow[], frozen: readonly string[] = []): QueueDrops =>
  sumQueueDrops(rows, ({ session }) => frozen.includes(session.clientId), 5_000);

test('adds up what the sessions of the cluster and of each node lose', () => {
  const drops = sum([row('a', 'one', 90, 30), row('b', 'one', 10, 2.5), row('c', 'two', 4, 0)]);
  expect(drops.cluster).toEqual({ perSecond: 32.5, total: 104, isMin: false });
  expect(dropsIn(drops, 'one')).toEqual({ perSecond: 32.5, total: 100, isMin: false });
  expect(dropsIn(drops, 'two')).toEqual({ perSecond: 0, total: 4, isMin: false });
  expect(dropsIn(drops, 'without sessions')).toMatchObject({ perSecond: 0, total: 0 });
});

test('a session whose losses are unknown makes the sum a lower bound, a new one without losses does not', () => {
  expect(sum([row('a', 'one', 9, 3), row('new', 'one', 0)]).cluster).toEqual({ perSecond: 3, total: 9, isMin: false });
  expect(sum([row('a', 'one', 9, 3), row('new', 'one', 2)]).cluster).toEqual({ perSecond: 3, total: 11, isMin: true });
  expect(sum([row('a', 'one', 9, 3), row('b', 'two', undefined)]).cluster).toMatchObject({ perSecond: 3, isMin: true });
  const frozen = sum([row('a', 'one', 9, 3), row('offline', 'two', 0, 0)], ['offline']);
  expect([frozen.cluster.isMin, dropsIn(frozen, 'one').isMin, dropsIn(frozen, 'two').isMin]).toEqual([
    true,
    false,
    true,
  ]);
});

test('says what a session loses from now on, where its queue was not full during the whole reading', () => {
  const rows = [row('a', 'one', 9, 3), row('b', 'one', 0, 0)];
  expect(
    sumQueueDrops(
      rows,
      () => false,
      5_000,
      ({ session }) => (session.clientId === 'a' ? 70 : 5),
    ).cluster.perSecond,
  ).toBe(70);
});

test('readings are a bounded series', () => {
  let readings: readonly QueueDrops[] = [];
  for (let at = 0; at < 700; at += 1)
    readings = appendQueueDrops(
      readings,
      sumQueueDrops([row('a', 'one', at, at)], () => false, at * 5_000),
    );
  expect(readings).toHaveLength(600);
  expect(queueDropSeries(readings, 'one').at(-1)).toEqual({ atMs: 699 * 5_000, perSecond: 699 });
  expect(queueDropSeries(readings)[0]).toEqual({ atMs: 100 * 5_000, perSecond: 100 });
});
