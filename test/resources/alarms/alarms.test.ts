import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { NotAvailableError, NotFoundError } from '../../../src/api/errors.ts';
import type { Alarm } from '../../../src/domain/administration.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeApi, nodeInfo, nodeStats } from '../../monitor/fake-api.ts';
import { alarmWatches } from '../../../src/resources/alarms/select.ts';
import { reading, watchOf } from '../../../src/monitor/query/part.ts';
import { nodeSettings, settings } from '../../../src/resources/settings/resource.ts';
import { bans } from '../../../src/resources/bans/resource.ts';
import { alarms as alarmsPart } from '../../../src/resources/alarms/resource.ts';
import { nodeStats as nodeStatsPart, nodes } from '../../../src/resources/nodes/resource.ts';
import { pluginSettings } from '../../../src/resources/plugins/resource.ts';
import { eventsIn } from '../../support/events.ts';

const alarm = (id: string): Alarm => ({
  id,
  severity: 'warning',
  title: undefined,
  summary: `${id} is bad`,
  occurredAt: undefined,
});

function setUp(list: (node: string) => readonly Alarm[], stats = () => [nodeStats('a'), nodeStats('b')]) {
  const clock = createFakeClock();
  const asked: string[] = [];
  const monitor = createMonitor({
    clock,
    intervalSeconds: 2,
    api: createFakeApi({
      listNodes: async () => [nodeInfo('a', { clock: 5_420 })],
      listNodeStats: async () => stats(),
      listAlarms: async (node) => {
        asked.push(node);
        return list(node);
      },
    }),
  });
  return {
    clock,
    monitor,
    asked,
    state: () => monitor.store.getState(),
    logged: () => eventsIn(monitor.store.getState()).map(({ severity, text }) => `${severity} ${text}`),
  };
}

test('alarms are read from one node and logged when they are set and cleared', async () => {
  let alarms = [alarm('x'), alarm('y')];
  const { clock, monitor, asked, logged, state } = setUp(() => alarms);
  monitor.watch(nodeStatsPart);
  await clock.advance(100);
  expect(alarmWatches(state())).toEqual([alarmsPart]);
  monitor.watch(alarmsPart);
  await clock.advance(100);
  expect(logged()).toEqual(['warning Alarm x: x is bad', 'warning Alarm y: y is bad']);
  await clock.advance(10_000);
  alarms = [alarm('y'), ...Array.from({ length: 22 }, (_, at) => alarm(`z${at}`))];
  await clock.advance(10_000);
  expect(logged().slice(2, 4)).toEqual(['info Alarm x cleared', 'warning Alarm z0: z0 is bad']);
  expect(logged().at(-1)).toBe('warning 2 more alarms set');
  expect(new Set(asked)).toEqual(new Set(['a']));
  monitor.stop();
});

test('an alarm that a restarted node sets anew was cleared in between', async () => {
  let alarms: readonly Alarm[] = [{ ...alarm('x'), occurredAt: 5_000 }];
  const { clock, monitor, logged } = setUp(() => alarms);
  monitor.watch(nodeStatsPart);
  monitor.watch(alarmsPart);
  await clock.advance(12_000);
  alarms = [{ ...alarm('x'), occurredAt: 5_400 }];
  await clock.advance(12_000);
  expect(logged().toSorted()).toEqual([
    'info Alarm x cleared',
    'warning Alarm x: x is bad',
    'warning Alarm x: x is bad',
  ]);
  monitor.stop();
});

test('an alarm is logged at the time at which the broker set it, however late it is read', async () => {
  const { clock, monitor, state } = setUp(() => [{ ...alarm('old'), occurredAt: 5_000 }, alarm('undated')]);
  const startMs = clock.nowMs();
  monitor.watch(nodes);
  monitor.watch(nodeStatsPart);
  await clock.advance(100);
  monitor.watch(alarmsPart);
  await clock.advance(100);
  // The clock of the node was at 5,420 s as it answered.
  expect(
    eventsIn(state())
      .filter(({ text }) => text.startsWith('Alarm'))
      .map(({ atMs, text }) => [Math.round((atMs - startMs) / 1_000), text.split(':')[0]]),
  ).toEqual([
    [-420, 'Alarm old'],
    [0, 'Alarm undated'],
  ]);
  monitor.stop();
});

test.each([0, 5.5 * 3_600, -8 * 3_600])(
  'an alarm is logged at exactly the time of the broker, whose clock is read to the second (zone %i s)',
  async (zone) => {
    const clock = createFakeClock();
    const startMs = clock.nowMs();
    const monitor = createMonitor({
      clock,
      intervalSeconds: 2,
      api: createFakeApi({
        listNodes: async () => [nodeInfo('a', { clock: Math.floor(clock.nowMs() / 1_000) + zone })],
        listNodeStats: async () => [nodeStats('a')],
        listAlarms: async () => [{ ...alarm('old'), occurredAt: startMs / 1_000 + zone - 11.215 }],
      }),
    });
    monitor.watch(nodes);
    monitor.watch(nodeStatsPart);
    await clock.advance(700);
    monitor.watch(alarmsPart);
    await clock.advance(100);
    expect(eventsIn(monitor.store.getState()).map(({ atMs }) => atMs - startMs)).toEqual([-11_215]);
    monitor.stop();
  },
);

test('an alarm that clears on one of its nodes is logged', async () => {
  let alarms: readonly Alarm[] = [
    { ...alarm('cpu'), node: 'a' },
    { ...alarm('cpu'), node: 'b' },
  ];
  const { clock, monitor, logged } = setUp(() => alarms);
  monitor.watch(nodeStatsPart);
  monitor.watch(alarmsPart);
  await clock.advance(100);
  alarms = alarms.slice(1);
  await clock.advance(10_000);
  expect(logged()).toEqual([
    'warning Alarm cpu on a: cpu is bad',
    'warning Alarm cpu on b: cpu is bad',
    'info Alarm cpu on a cleared',
  ]);
  monitor.stop();
});

test('an alarm of a node that does not run is not logged as cleared, unless it is gone once the node runs again', async () => {
  const all: readonly Alarm[] = [
    { ...alarm('cpu'), node: 'a' },
    { ...alarm('cpu'), node: 'b' },
    { ...alarm('disk'), node: 'b' },
  ];
  let alarms = all;
  let isRunning = true;
  const { clock, monitor, logged } = setUp(
    () => alarms,
    () => [nodeStats('a'), nodeStats('b', isRunning ? 'running' : 'stopped')],
  );
  const cleared = (): readonly string[] => logged().filter((line) => line.includes('cleared'));
  monitor.watch(nodeStatsPart);
  await clock.advance(100);
  monitor.watch(alarmsPart);
  await clock.advance(10_000);
  isRunning = false;
  alarms = [];
  await clock.advance(60_000);
  expect(cleared()).toEqual(['info Alarm cpu on a cleared']);
  isRunning = true;
  alarms = all.slice(2);
  await clock.advance(60_000);
  expect(cleared()).toEqual(['info Alarm cpu on a cleared', 'info Alarm cpu on b cleared']);
  expect(logged().filter((line) => line.includes('Alarm disk on b: disk is bad'))).toHaveLength(1);
  monitor.stop();
});

test('a broker without alarms is neither watched for them nor reported in the log', async () => {
  const { clock, monitor, logged, state } = setUp(() => {
    throw new NotAvailableError('alarms');
  });
  monitor.watch(nodeStatsPart);
  monitor.watch(alarmsPart);
  await clock.advance(100);
  expect(alarmWatches(state())).toEqual([]);
  expect(logged()).toEqual([]);
  monitor.stop();
});

test('what a broker does not offer is not logged as an error', async () => {
  const clock = createFakeClock();
  const missing = async (): Promise<never> => {
    throw new NotFoundError();
  };
  const monitor = createMonitor({
    clock,
    intervalSeconds: 2,
    api: createFakeApi({
      listNodes: async () => [nodeInfo('a')],
      listNodeStats: async () => [nodeStats('a')],
      listSettings: missing,
      getSettings: missing,
      getPluginSettings: missing,
    }),
  });
  for (const watched of [settings, watchOf(nodeSettings, 'a'), watchOf(pluginSettings, 'a', 'p'), bans] as const)
    monitor.watch(watched);
  await clock.advance(100);
  expect(reading(monitor.store.getState(), settings).error?.message).toBe(
    'Not available on this broker: the settings of all nodes at once (404).',
  );
  expect(reading(monitor.store.getState(), bans).error?.kind).toBe('not-available');
  expect(eventsIn(monitor.store.getState())).toEqual([]);
  monitor.stop();
});
