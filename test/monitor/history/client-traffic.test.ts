import { expect, test } from 'vitest';
import type { Client } from '../../../src/domain/client.ts';
import { createTrafficTracker, unknownTraffic } from '../../../src/monitor/history/client-traffic.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { clientOf, scanOf } from '../../ui/screens/list-fixtures.ts';

const node = 'broker1@127.0.0.1';
const client = (clientId: string, messages: number | undefined, patch: Partial<Client> = {}): Client =>
  clientOf(clientId, { node, traffic: { receivedMessages: messages, sentMessages: 10, receivedBytes: undefined, sentBytes: 10 * (messages ?? 0) }, ...patch });
const readAt = (seconds: number, rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> =>
  scanOf(rows, { finishedAtMs: seconds * 1_000, coverage: new Map([[node, { read: rows.length, expected: rows.length, isComplete: true, readAtMs: seconds * 1_000, error: undefined }]]), ...patch });

test('rates are over at least a refresh of the counters, and then over one to two minutes', () => {
  const tracker = createTrafficTracker();
  const at = (seconds: number, messages: number) => {
    const { rows, seconds: over } = tracker.update(readAt(seconds, [client('a', messages)]));
    return [over, rows[0]?.rates.receivedMessages];
  };
  expect(at(0, 0)).toEqual([undefined, undefined]);
  expect(at(10, 100)).toEqual([undefined, undefined]);
  expect(at(20, 100)).toEqual([20, 5]);
  expect(at(60, 300)).toEqual([60, 5]);
  expect(at(90, 300)).toEqual([90, 300 / 90]);
  expect(at(120, 300)).toEqual([100, 2]);
  expect(at(130, 1_000)).toEqual([70, 10]);
});

test('there are no rates of new clients, other connections, reset counters, unknown figures and nodes that were not read', () => {
  const tracker = createTrafficTracker();
  tracker.update(readAt(0, [client('same', 10), client('again', 10), client('moved', 10), client('reset', 10), client('unknown', undefined)]));
  const { rows } = tracker.update(readAt(20, [
    client('same', 30), client('again', 30, { connectedAt: 1 }), client('moved', 30, { node: 'other' }), client('reset', 3), client('unknown', undefined), client('new', 30),
    clientOf('none', { node }),
  ]));
  expect(Object.fromEntries(rows.map(({ client: { clientId }, rates }) => [clientId, rates.receivedMessages]))).toEqual({ same: 1, again: undefined, moved: undefined, reset: undefined, unknown: undefined, new: undefined, none: undefined });
  expect(rows[0]?.rates).toEqual({ receivedMessages: 1, sentMessages: 0, receivedBytes: undefined, sentBytes: 10 });
  const unread = tracker.update(readAt(40, [client('same', 90)], { phase: 'partial', coverage: new Map() }));
  expect(unread.rows[0]?.rates).toEqual(unknownTraffic);
});

test('rates of a client that has reconnected are those since', () => {
  const tracker = createTrafficTracker();
  const at = (seconds: number, messages: number, connectedAt: number) => tracker.update(readAt(seconds, [client('a', messages, { connectedAt })])).rows[0]?.rates.receivedMessages;
  at(0, 1_000, 1);
  expect([at(20, 2_000, 1), at(40, 100, 2), at(60, 500, 2)]).toEqual([50, undefined, 20]);
});

test('rows show at once, and then when the whole list is read', () => {
  const tracker = createTrafficTracker();
  const running = { phase: 'running', finishedAtMs: undefined } as const;
  expect(tracker.update(scanOf([client('a', 1)], running)).rows.map((row) => row.client.clientId)).toEqual(['a']);
  expect(tracker.update(readAt(0, [client('a', 1), client('b', 1)])).rows).toHaveLength(2);
  const before = tracker.update(readAt(20, [client('a', 1)]));
  expect(tracker.update(scanOf([client('a', 1), client('c', 1)], { phase: 'running', finishedAtMs: 20_000 }))).toBe(before);
});
