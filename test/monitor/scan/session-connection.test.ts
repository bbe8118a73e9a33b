import { expect, test } from 'vitest';
import type { Client } from '../../../src/domain/client.ts';
import type { NodeInfo } from '../../../src/domain/node.ts';
import { unknownRates } from '../../../src/monitor/history/session-rates.ts';
import { emptyResource } from '../../../src/monitor/polling/poller.ts';
import { emptyScan } from '../../../src/monitor/scan/lists.ts';
import { createConnectionJoin } from '../../../src/monitor/scan/session-connection.ts';
import type { ScanState } from '../../../src/monitor/state.ts';
import { sessionOf } from '../../ui/screens/list-fixtures.ts';
import { client, nodeInfo } from '../fake-api.ts';

const startedAtMs = 1_000_000;
const clockThen = 5_000;

/** The clients of node `a`, asked for at a moment when its clock showed 5,000 s. */
const readClients = (rows: readonly Client[], patch: Partial<ScanState<Client>> = {}): ScanState<Client> => ({
  ...emptyScan<Client>(), rows, phase: 'complete', finishedAtMs: startedAtMs + 500,
  coverage: new Map([['a', { read: rows.length, expected: rows.length, isComplete: true, error: undefined, beganAtMs: startedAtMs }]]), ...patch,
});

/** The clock of the node as it was read so long after. */
const nodesAfter = (seconds: number) => ({ ...emptyResource<readonly NodeInfo[]>(), data: [{ ...nodeInfo('a'), clock: clockThen + seconds }], updatedAtMs: startedAtMs + seconds * 1_000 });

const rowsOf = (createdAt: Readonly<Record<string, number | undefined>>) =>
  Object.entries(createdAt).map(([id, at]) => ({ session: sessionOf(id, { node: 'a', createdAt: at }), rates: unknownRates }));

test.each([-30, 0, 1, 40])('a session is called absent when it is older than the reading of the clients, by a clock read %i s after', (seconds) => {
  const rows = rowsOf({ here: 6_000, old: 4_000, before: 4_999, within: 5_000, later: 5_020, ageless: undefined });
  const joined = createConnectionJoin()(rows, readClients([client('here', 'a')]), nodesAfter(seconds));
  expect(joined.map(({ isConnected }) => isConnected)).toEqual([true, false, false, undefined, undefined, undefined]);
});

test('no session is called absent by a list of clients of which some were not understood', () => {
  const rows = rowsOf({ here: 4_000, old: 4_000 });
  const unusable = { count: 1, example: 'client_id: number' };
  const coverage = new Map([['a', { read: 1, expected: 2, isComplete: true, error: undefined, beganAtMs: startedAtMs, unusable }]]);
  const joined = createConnectionJoin()(rows, readClients([client('here', 'a')], { coverage }), nodesAfter(2));
  expect(joined.map(({ isConnected }) => isConnected)).toEqual([undefined, undefined]);
});

test('clocks that come later say the same, and after that nothing changes', () => {
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

test('the next reading of the clients tells of those that were too new for the one before', () => {
  const join = createConnectionJoin();
  const rows = rowsOf({ later: 5_020 });
  expect(join(rows, readClients([]), nodesAfter(2))[0]?.isConnected).toBeUndefined();
  const next = readClients([], { finishedAtMs: startedAtMs + 30_500, coverage: new Map([['a', { read: 0, expected: 0, isComplete: true, error: undefined, beganAtMs: startedAtMs + 30_000 }]]) });
  expect(join(rows, next, nodesAfter(32))[0]?.isConnected).toBe(false);
});
