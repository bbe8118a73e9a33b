import { expect, test } from 'vitest';
import type { Client } from '../../../src/domain/client.ts';
import { createTrafficTracker, unknownTraffic } from '../../../src/resources/clients/traffic.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { clientOf, scanOf } from '../../screens/list-fixtures.ts';

const node = 'broker1@127.0.0.1';
const client = (clientId: string, messages: number | undefined, patch: Partial<Client> = {}): Client =>
  clientOf(clientId, {
    node,
    traffic: {
      receivedMessages: messages,
      sentMessages: 10,
      receivedBytes: undefined,
      sentBytes: 10 * (messages ?? 0),
    },
    ...patch,
  });
const readAt = (seconds: number, rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> =>
  scanOf(rows, {
    finishedAtMs: seconds * 1_000,
    coverage: new Map([
      [
        node,
        { read: rows.length, expected: rows.length, isComplete: true, readAtMs: seconds * 1_000, error: undefined },
      ],
    ]),
    ...patch,
  });

const every15 = { maxMs: 15_000, isRegular: true };

test('rates are over whole refreshes of the counters', () => {
  const tracker = createTrafficTracker();
  // 5 a second, refreshed 3, 18, 33, ... s after the first reading.
  const at = (seconds: number) => {
    const { rows, seconds: over } = tracker.update(
      readAt(seconds, [client('a', 75 * Math.floor((seconds + 12) / 15))]),
      every15,
    );
    return [over, rows[0]?.rates.receivedMessages];
  };
  expect([at(0), at(5), at(10), at(15)]).toEqual(Array.from({ length: 4 }, () => [undefined, undefined]));
  expect([at(20), at(25), at(30), at(35), at(65), at(95)]).toEqual([
    [15, 5],
    [15, 5],
    [15, 5],
    [15, 5],
    [30, 5],
    [30, 5],
  ]);
});

test('a client is idle after two refreshes without a change', () => {
  const tracker = createTrafficTracker();
  const at = (seconds: number) => tracker.update(readAt(seconds, [client('a', 75)]), every15).rows[0]?.rates;
  expect([at(0), at(15), at(25)]).toEqual([unknownTraffic, unknownTraffic, unknownTraffic]);
  expect(at(30)).toEqual({ receivedMessages: 0, sentMessages: 0, receivedBytes: undefined, sentBytes: 0 });
});

test('there are no rates of new clients, other connections, reset counters, unknown figures and nodes that were not read', () => {
  const tracker = createTrafficTracker();
  tracker.update(
    readAt(0, [
      client('same', 10),
      client('again', 10),
      client('moved', 10),
      client('reset', 10),
      client('unknown', undefined),
    ]),
  );
  const { rows } = tracker.update(
    readAt(20, [
      client('same', 30),
      client('again', 30, { connectedAt: 1 }),
      client('moved', 30, { node: 'other' }),
      client('reset', 3),
      client('unknown', undefined),
      client('new', 30),
      clientOf('none', { node }),
    ]),
  );
  expect(Object.fromEntries(rows.map(({ client: { clientId }, rates }) => [clientId, rates.receivedMessages]))).toEqual(
    {
      same: 1,
      again: undefined,
      moved: undefined,
      reset: undefined,
      unknown: undefined,
      new: undefined,
      none: undefined,
    },
  );
  expect(rows[0]?.rates).toEqual({ receivedMessages: 1, sentMessages: 0, receivedBytes: undefined, sentBytes: 10 });
  const unread = tracker.update(readAt(40, [client('same', 90)], { phase: 'partial', coverage: new Map() }));
  expect(unread.rows[0]?.rates).toEqual(unknownTraffic);
});

test('rates of a client that has reconnected are those since', () => {
  const tracker = createTrafficTracker();
  const at = (seconds: number, messages: number, connectedAt: number) =>
    tracker.update(readAt(seconds, [client('a', messages, { connectedAt })])).rows[0]?.rates.receivedMessages;
  at(0, 1_000, 1);
  expect([at(20, 2_000, 1), at(40, 100, 2), at(60, 500, 2)]).toEqual([50, undefined, 20]);
});

test('rows show at once, and then when the whole list is read', () => {
  const tracker = createTrafficTracker();
  const running = { phase: 'running', finishedAtMs: undefined } as const;
  expect(tracker.update(scanOf([client('a', 1)], running)).rows.map((row) => row.client.clientId)).toEqual(['a']);
  expect(tracker.update(readAt(0, [client('a', 1), client('b', 1)])).rows).toHaveLength(2);
  const before = tracker.update(readAt(20, [client('a', 1)]));
  expect(tracker.update(scanOf([client('a', 1), client('c', 1)], { phase: 'running', finishedAtMs: 20_000 }))).toBe(
    before,
  );
});
