import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { reading } from '../../../src/monitor/query/part.ts';
import { lastKnownNodes } from '../../../src/resources/nodes/resource.ts';
import { selectNodes, withLastKnown } from '../../../src/resources/nodes/select.ts';
import { vitalResources } from '../../../src/resources/vital.ts';
import { basicFindings } from '../../checks/support.ts';
import { createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { eventsIn } from '../../support/events.ts';

/** A node that has clients until it stops. */
function setUp() {
  const clock = createFakeClock();
  let isUp = true;
  const monitor = createMonitor({
    clock,
    intervalSeconds: 2,
    random: () => 0,
    api: createFakeApi({
      listNodes: async () => (isUp ? [nodeInfo('a'), nodeInfo('b')] : [nodeInfo('a')]),
      listNodeStats: async () => [
        nodeStats('a', 'running', { clients: 3 }),
        isUp
          ? nodeStats('b', 'running', { clients: 100, memoryUsedBytes: 40, memoryTotalBytes: 100 })
          : nodeStats('b', 'stopped'),
      ],
      listStats: async () =>
        new Map([['a', stats({ clients: 3 })], ...(isUp ? [['b', stats({ clients: 100 })] as const] : [])]),
    }),
  });
  for (const name of ['nodes', 'nodeStats', 'stats'] as const) monitor.watch(vitalResources[name]);
  const rowOf = (name: string) => {
    const state = monitor.store.getState();
    const row = selectNodes(state).find((each) => each.name === name);
    if (row === undefined) throw new Error(`no node ${name}`);
    return {
      row,
      last: withLastKnown(row, reading(state, lastKnownNodes)?.get(name)),
      atMs: reading(state, lastKnownNodes)?.get(name)?.atMs,
    };
  };
  return {
    clock,
    monitor,
    rowOf,
    setUp: (next: boolean) => {
      isUp = next;
    },
  };
}

test('the last values of a stopped node are stored until it runs again', async () => {
  const { clock, monitor, rowOf, setUp: set } = setUp();
  await clock.advance(11_000);
  expect(rowOf('b')).toMatchObject({ atMs: undefined, row: { status: 'running' } });
  const aliveMs = clock.nowMs();
  set(false);
  await clock.advance(11_000);
  const { row, last, atMs } = rowOf('b');
  expect(row).toMatchObject({ status: 'stopped', info: undefined, counts: undefined });
  expect(last).toMatchObject({
    status: 'stopped',
    info: { version: '2.3' },
    stats: { clients: 100 },
    counts: { clients: { count: 100 } },
    memory: { share: 0.4 },
  });
  expect(atMs).toBeLessThanOrEqual(aliveMs);
  expect(basicFindings(monitor.store.getState())).toMatchObject([
    { code: 'node-down', evidence: { node: 'b', status: 'stopped', clients: 100 } },
  ]);
  set(true);
  await clock.advance(11_000);
  expect(rowOf('b')).toMatchObject({ atMs: undefined, last: { status: 'running' } });
  monitor.stop();
});

test('a node that was never seen running has no last values', async () => {
  const { clock, monitor, rowOf, setUp: set } = setUp();
  set(false);
  await clock.advance(11_000);
  expect(rowOf('b').last).toMatchObject({ status: 'stopped', stats: { clients: undefined }, counts: undefined });
  monitor.stop();
});

test('a node that does not run when all nodes are first read has been down for an unknown time, and is no news', async () => {
  const clock = createFakeClock();
  const monitor = createMonitor({
    clock,
    intervalSeconds: 2,
    api: createFakeApi({
      listNodes: async () => [nodeInfo('a')],
      listNodeStats: () =>
        new Promise((resolve) => {
          clock.setTimer(100, () => {
            resolve([nodeStats('a'), nodeStats('b', 'stopped')]);
          });
        }),
    }),
  });
  for (const name of ['nodes', 'nodeStats'] as const) monitor.watch(vitalResources[name]);
  await clock.advance(5_000);
  const state = monitor.store.getState();
  expect(selectNodes(state).map(({ name, status, sinceMs }) => [name, status, sinceMs])).toEqual([
    ['a', 'running', undefined],
    ['b', 'stopped', undefined],
  ]);
  expect(eventsIn(state)).toEqual([]);
  monitor.stop();
});
