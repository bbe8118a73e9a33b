import { describe, expect, test } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { variants } from '../../src/api/dialects/emq-v2/variants.ts';
import {
  HttpStatusError,
  NoAnswerError,
  TimeoutError,
  UnauthorizedError,
  UnreachableError,
} from '../../src/api/errors.ts';
import type { CallOptions, Capabilities, ManagementApi } from '../../src/api/management-api.ts';
import type { NodeStats } from '../../src/domain/node.ts';
import { reading, readings, type Watchable, watchOf } from '../../src/monitor/query/part.ts';
import { alarms } from '../../src/resources/alarms/resource.ts';
import { clientDetail } from '../../src/resources/clients/detail.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { selectRate } from '../../src/resources/metrics/rates.ts';
import { nodeMetrics } from '../../src/resources/metrics/resource.ts';
import { nodeStats as nodeStatsPart, seenNodes } from '../../src/resources/nodes/resource.ts';
import { plugins } from '../../src/resources/plugins/resource.ts';
import { topicRoutes } from '../../src/resources/routes/resource.ts';
import { settings } from '../../src/resources/settings/resource.ts';
import { totalsChange } from '../../src/resources/statistics/history.ts';
import { stats as statsPart, totalsHistory } from '../../src/resources/statistics/resource.ts';
import { type VitalName, selectVital, vitalResources } from '../../src/resources/vital.ts';
import { basicFindings } from '../checks/support.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from './fake-api.ts';
import { eventTextsIn, eventsIn } from '../support/events.ts';

const resource = (name: VitalName): Watchable => vitalResources[name];
const overview: readonly Watchable[] = (['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'] as const).map(resource);

function setUp(
  parts: Partial<ManagementApi> = {},
  { answerMs = 20, intervalSeconds = 2, holdMs = 0, random = (): number => 0 } = {},
) {
  const clock = createFakeClock();
  const asked: { readonly what: string; readonly atMs: number }[] = [];
  const cluster: { nodes: readonly NodeStats[]; sent: number; failure: Error | undefined } = {
    nodes: [nodeStats('a'), nodeStats('b')],
    sent: 0,
    failure: undefined,
  };
  let inFlight = 0;
  let mostInFlight = 0;

  function answering<T>(what: string, value: () => T): (options?: CallOptions) => Promise<T> {
    return async (options) => {
      asked.push({ what, atMs: clock.monotonicMs() });
      inFlight += 1;
      mostInFlight = Math.max(mostInFlight, inFlight);
      await new Promise<void>((resolve) => {
        const cancel = clock.setTimer(answerMs, resolve);
        options?.signal?.addEventListener('abort', () => {
          cancel();
          resolve();
        });
      });
      inFlight -= 1;
      if (cluster.failure !== undefined) throw cluster.failure;
      return value();
    };
  }

  const running = () => cluster.nodes.filter((node) => node.status === 'running').map((node) => node.name);
  const api = createFakeApi({
    listNodes: answering('nodes', () => running().map((name) => nodeInfo(name))),
    listNodeStats: answering('nodeStats', () => cluster.nodes),
    listListeners: answering('listeners', () => new Map()),
    listMetrics: answering('metrics', () =>
      byNode(Object.fromEntries(running().map((name) => [name, { 'messages.sent': cluster.sent }]))),
    ),
    listStats: answering('stats', () => new Map(running().map((name) => [name, stats({ clients: 1 })]))),
    getMetrics: (node, options) => answering(`metrics of ${node}`, () => ({ 'messages.sent': 1 }))(options),
    listClients: (node, page, options) =>
      answering(`clients of ${node}`, () => ({
        ...page,
        items: [client(`c-${node}`, node)],
        totalItems: 1,
        totalPages: 1,
      }))(options),
    getClient: (id, options) => answering('client', () => [client(id, 'a')])(options),
    getSession: (_, options) => answering('session', () => [])(options),
    getSubscriptions: (_, options) => answering('subscriptions', () => [])(options),
    ...parts,
    get capabilities() {
      return parts.capabilities;
    },
    get receivedBytes() {
      return parts.receivedBytes;
    },
    get openConnections() {
      return parts.openConnections;
    },
  });
  const monitor = createMonitor({ api, clock, intervalSeconds, holdMs, random });
  const count = (what: string): number => asked.filter((request) => request.what === what).length;
  return {
    clock,
    monitor,
    cluster,
    asked,
    count,
    state: () => monitor.store.getState(),
    inFlight: () => inFlight,
    mostInFlight: () => mostInFlight,
  };
}

describe('the monitor', () => {
  test('polls only what is watched', async () => {
    const { clock, monitor, asked } = setUp();
    await clock.advance(10_000);
    expect(asked).toEqual([]);
    expect(clock.pendingTimers()).toBe(0);
    monitor.stop();
  });

  test('publishes the first figures when all are there, batches later ones, and publishes operator actions at once', async () => {
    const { clock, monitor, cluster, state } = setUp({}, { holdMs: 50 });
    const publishedMs: number[] = [];
    const startedMs = clock.monotonicMs();
    monitor.store.subscribe(() => {
      publishedMs.push(clock.monotonicMs() - startedMs);
    });
    const ends = overview.map((watched) => monitor.watch(watched));
    await clock.advance(39);
    expect([publishedMs, reading(state(), statsPart).data]).toEqual([[], undefined]);
    await clock.advance(1);
    expect(publishedMs).toEqual([40]);
    for (const { data } of Object.values(selectVital(state()))) expect(data).toBeDefined();
    await clock.advance(1_900);
    const before = publishedMs.length;
    cluster.sent = 7;
    await clock.advance(200);
    expect(publishedMs.slice(before)).toEqual([2_050]);
    expect(reading(state(), nodeStatsPart).data).toEqual([nodeStats('a'), nodeStats('b')]);
    monitor.setFrozen(true);
    expect([publishedMs.length - before, state().isFrozen]).toEqual([2, true]);
    for (const end of ends) end();
    monitor.stop();
  });

  test('polls until the last watcher leaves', async () => {
    const { clock, monitor, count } = setUp();
    const first = monitor.watch(resource('stats'));
    const second = monitor.watch(resource('stats'));
    await clock.advance(2_100);
    expect(count('stats')).toBe(2);
    first();
    first();
    await clock.advance(2_000);
    expect(count('stats')).toBe(3);
    second();
    await clock.advance(60_000);
    expect(count('stats')).toBe(3);
    monitor.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('makes at most four requests a tick for the overview, and counts them per minute', async () => {
    const { clock, monitor, asked, state } = setUp();
    for (const watched of overview) monitor.watch(watched);
    await clock.advance(61_000);
    const ticks = new Map<number, number>();
    const [first] = asked;
    for (const { atMs } of asked.slice(overview.length)) {
      const tick = Math.round((atMs - (first?.atMs ?? 0)) / 2_000);
      ticks.set(tick, (ticks.get(tick) ?? 0) + 1);
    }
    expect(Math.max(...ticks.values())).toBe(4);
    expect(Math.min(...ticks.values())).toBe(3);
    expect(state().causedLoad.requests).toBe(asked.filter(({ atMs }) => atMs > clock.monotonicMs() - 60_000).length);
    monitor.setFrozen(true);
    await clock.advance(70_000);
    expect(state().causedLoad).toEqual({ requests: 0, answerBytes: undefined });
    monitor.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('makes at most four with what the checks need besides lists: alarms, settings, plugins of each node', async () => {
    const others: { readonly what: string; readonly atMs: number }[] = [];
    const answer = async <T>(what: string, value: T): Promise<T> => {
      others.push({ what, atMs: clock.monotonicMs() });
      return value;
    };
    const { clock, monitor, asked, cluster } = setUp({
      listAlarms: () => answer('alarms', []),
      listSettings: () => answer('settings', new Map()),
      listPlugins: () => answer('plugins', []),
    });
    cluster.nodes = ['a', 'b', 'c'].map((name) => nodeStats(name));
    for (const watched of overview) monitor.watch(watched);
    await clock.advance(100);
    monitor.watch(alarms, 30);
    monitor.watch(settings, 60);
    for (const node of ['a', 'b', 'c']) monitor.watch(watchOf(plugins, node), 60);
    await clock.advance(10_000);
    const beganMs = clock.monotonicMs();
    await clock.advance(300_000);
    const all = [...asked, ...others].filter(({ atMs }) => atMs > beganMs);
    const ticks = Map.groupBy(all, ({ atMs }) => Math.round(atMs / 2_000));
    expect(Math.max(...[...ticks.values()].map(({ length }) => length))).toBe(4);
    const count = (name: string): number => all.filter(({ what }) => what === name).length;
    expect(count('alarms')).toBeGreaterThan(8);
    expect(count('settings')).toBeGreaterThan(3);
    expect(count('plugins')).toBeGreaterThan(11);
    monitor.stop();
  });

  test('reads everything at every interval while a node starts, and compares totals only later', async () => {
    let startedMs = -3_000;
    const { clock, monitor, count, state } = setUp({
      listNodes: async () => [
        nodeInfo('a', { uptimeSeconds: (clock.monotonicMs() - startedMs) / 1_000 }),
        nodeInfo('b'),
      ],
    });
    startedMs += clock.monotonicMs();
    for (const watched of overview) monitor.watch(watched);
    await clock.advance(16_000);
    const atStart = count('listeners');
    expect(atStart).toBeGreaterThanOrEqual(6);
    expect(totalsChange(reading(state(), totalsHistory) ?? []).seconds).toBeUndefined();
    await clock.advance(20_000);
    expect(count('listeners') - atStart).toBeLessThanOrEqual(4);
    expect(totalsChange(reading(state(), totalsHistory) ?? []).seconds).toBeUndefined();
    await clock.advance(40_000);
    expect(totalsChange(reading(state(), totalsHistory) ?? []).seconds).toBeLessThan(40);
    monitor.stop();
  });

  test('reads the metrics of a node seldom in the background, and at every interval while it is shown', async () => {
    const { clock, monitor, count } = setUp();
    monitor.watch(watchOf(nodeMetrics, 'a'), 10);
    await clock.advance(59_000);
    expect(count('metrics of a')).toBe(6);
    const end = monitor.watch(watchOf(nodeMetrics, 'a'));
    await clock.advance(20_000);
    const shown = count('metrics of a') - 6;
    expect(shown).toBeGreaterThanOrEqual(9);
    end();
    await clock.advance(60_000);
    expect(count('metrics of a') - shown - 6).toBeLessThanOrEqual(7);
    monitor.stop();
  });

  test("measures the load of the last minute's requests", async () => {
    let received = 0;
    const { clock, monitor, state } = setUp({
      get receivedBytes() {
        return received;
      },
      listStats: () =>
        new Promise((resolve) => {
          clock.setTimer(250, () => {
            received += 1_000;
            resolve(new Map());
          });
        }),
    });
    const end = monitor.watch(resource('stats'));
    await clock.advance(250);
    expect(state().causedLoad).toEqual({ requests: 1, answerBytes: 1_000 });
    await clock.advance(6_000);
    expect(state().causedLoad).toEqual({ requests: 4, answerBytes: 4_000 });
    end();
    await clock.advance(65_000);
    expect(state().causedLoad).toEqual({ requests: 0, answerBytes: 0 });
    monitor.stop();
  });

  test('shows the open connections, also when one closes after the last request', async () => {
    let open = 2;
    const { clock, monitor, state } = setUp({
      get openConnections() {
        return open;
      },
    });
    const end = monitor.watch(resource('stats'));
    await clock.advance(250);
    expect(state().causedLoad.connections).toBe(2);
    end();
    await clock.advance(120_000);
    expect(state().causedLoad).toMatchObject({ requests: 0, connections: 2 });
    open = 0;
    await clock.advance(6_000);
    expect(state().causedLoad.connections).toBe(0);
    monitor.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('has at most six requests in flight', async () => {
    const { clock, monitor, mostInFlight, asked } = setUp();
    for (const watched of overview) monitor.watch(watched);
    monitor.watch(clientScan);
    monitor.watch(watchOf(clientDetail, 'x'));
    monitor.watch(watchOf(nodeMetrics, 'a'));
    await clock.advance(1_000);
    expect(mostInFlight()).toBe(6);
    expect(asked.length).toBeGreaterThanOrEqual(10);
    monitor.stop();
  });

  test('keeps the last data while the broker fails, and logs failure and recovery once', async () => {
    const { clock, monitor, cluster, state } = setUp();
    monitor.watch(resource('stats'));
    await clock.advance(100);
    const { data } = reading(state(), statsPart);
    cluster.failure = new HttpStatusError(500);
    await clock.advance(60_000);
    expect(reading(state(), statsPart).data).toBe(data);
    expect(reading(state(), statsPart).error).toBe(cluster.failure);
    cluster.failure = undefined;
    await clock.advance(40_000);
    expect(reading(state(), statsPart).error).toBeUndefined();
    expect(eventsIn(state()).map(({ severity }) => severity)).toEqual(['warning', 'info']);
    monitor.stop();
  });

  test('leaves it to the problem to say that the API cannot be reached, and logs another error of all once', async () => {
    const { clock, monitor, cluster, state } = setUp();
    for (const watched of overview) monitor.watch(watched);
    monitor.watch(clientScan);
    await clock.advance(1_000);
    cluster.failure = new UnreachableError('ECONNREFUSED');
    await clock.advance(60_000);
    expect(eventsIn(state())).toEqual([]);
    cluster.failure = undefined;
    await clock.advance(60_000);
    expect(eventsIn(state())).toEqual([]);
    cluster.failure = new HttpStatusError(500);
    await clock.advance(60_000);
    expect(eventTextsIn(state())).toEqual([expect.stringContaining(cluster.failure.message)]);
    monitor.stop();
  });

  test.each([
    ['ends waits with the first answer after the broker could not be reached', new UnreachableError('ECONNREFUSED'), 0],
    ['waits on where an endpoint fails by itself', new HttpStatusError(500), 1],
  ])('%s', async (_, failure, failing) => {
    let turn = 0;
    const { clock, monitor, cluster, state } = setUp({}, { random: () => (turn++ % 3 === 0 ? 1 : 0.2) });
    for (const name of ['nodeStats', 'stats', 'metrics'] as const) monitor.watch(resource(name));
    await clock.advance(100);
    cluster.failure = failure;
    await clock.advance(60_000);
    cluster.failure = undefined;
    const failed = () =>
      (['nodeStats', 'stats', 'metrics'] as const).filter((name) => selectVital(state())[name].error !== undefined);
    for (let steps = 0; failed().length === 3 && steps < 400; steps += 1) await clock.advance(100);
    expect(failed()).toHaveLength(2);
    expect(
      Math.max(...failed().map((name) => selectVital(state())[name].nextAttemptAtMs ?? 0)) > clock.nowMs() + 3_000,
    ).toBe(failing > 0);
    await clock.advance(2_100);
    expect(failed().length > 0).toBe(failing > 0);
    monitor.stop();
  });

  test('stops everything on the first 401', async () => {
    const { clock, monitor, cluster, asked, state } = setUp();
    for (const watched of overview) monitor.watch(watched);
    monitor.watch(clientScan);
    await clock.advance(5_000);
    cluster.failure = new UnauthorizedError();
    await clock.advance(2_100);
    expect(state().isUnauthorized).toBe(true);
    const before = asked.length;
    monitor.refresh();
    monitor.watch(watchOf(nodeMetrics, 'a'));
    monitor.setIntervalSeconds(1);
    await clock.advance(500_000);
    expect(asked).toHaveLength(before);
    expect(eventsIn(state()).filter(({ severity }) => severity === 'critical')).toHaveLength(1);
    expect(Object.values(selectVital(state())).some((each) => each.isFetching)).toBe(false);
    monitor.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('freezes at once, keeps the data, and resumes without a burst', async () => {
    const { clock, monitor, asked, state, inFlight } = setUp();
    monitor.watch(resource('metrics'));
    monitor.watch(resource('stats'));
    await clock.advance(2_010);
    expect(inFlight()).toBe(2);
    const { data } = reading(state(), statsPart);
    monitor.setFrozen(true);
    await clock.settle();
    expect(inFlight()).toBe(0);
    expect(state().isFrozen).toBe(true);
    expect(reading(state(), statsPart)).toMatchObject({ isFetching: false, nextAttemptAtMs: undefined });
    monitor.refresh();
    await clock.advance(3_600_000);
    expect(asked).toHaveLength(4);
    expect(reading(state(), statsPart).data).toBe(data);
    monitor.setFrozen(false);
    await clock.advance(100);
    expect(asked).toHaveLength(6);
    monitor.stop();
  });

  test('clamps the interval and applies it at once', async () => {
    const { clock, monitor, count, state } = setUp({}, { intervalSeconds: 1_000 });
    expect(state().intervalSeconds).toBe(60);
    monitor.watch(resource('stats'));
    await clock.advance(10_000);
    monitor.setIntervalSeconds(0);
    expect(state().intervalSeconds).toBe(0.5);
    await clock.settle();
    expect(count('stats')).toBe(2);
    await clock.advance(1_000);
    expect(count('stats')).toBe(4);
    monitor.stop();
  });

  test('restarts rates after a suspend, and requests nothing twice', async () => {
    const { clock, monitor, cluster, count, state } = setUp();
    monitor.watch(resource('metrics'));
    await clock.advance(100);
    cluster.sent = 20;
    await clock.advance(2_000);
    expect(selectRate(state(), 'messages.sent')).toBe(20);
    clock.jumpWall(3_600_000);
    cluster.sent = 1_000_000;
    await clock.advance(2_000);
    expect(count('metrics')).toBe(3);
    expect(selectRate(state(), 'messages.sent')).toBeUndefined();
    cluster.sent = 1_000_010;
    await clock.advance(2_000);
    expect(selectRate(state(), 'messages.sent')).toBe(10);
    monitor.stop();
  });

  test('remembers nodes that stop and vanish', async () => {
    const { clock, monitor, cluster, state } = setUp();
    monitor.watch(resource('nodeStats'));
    await clock.advance(100);
    expect(reading(state(), seenNodes)?.get('b')).toEqual({ status: 'running', sinceMs: undefined });
    cluster.nodes = [nodeStats('a'), nodeStats('b', 'stopped')];
    await clock.advance(2_000);
    expect(reading(state(), seenNodes)?.get('b')).toMatchObject({ status: 'stopped' });
    cluster.nodes = [nodeStats('a')];
    await clock.advance(2_000);
    expect(reading(state(), seenNodes)?.get('b')).toMatchObject({ status: 'unknown' });
    expect(reading(state(), seenNodes)?.get('b')?.sinceMs).toBeGreaterThan(clock.nowMs() - 2_100);
    expect(eventsIn(state())).toHaveLength(2);
    monitor.stop();
  });

  test('scans the running nodes, and stops a scan on request', async () => {
    const { clock, monitor, cluster, count, state } = setUp();
    cluster.nodes = [nodeStats('a'), nodeStats('b', 'stopped'), nodeStats('c')];
    const leave = monitor.watch(clientScan);
    await clock.advance(500);
    expect(reading(state(), clientScan)).toMatchObject({ phase: 'complete', error: undefined });
    expect(reading(state(), clientScan).rows.map((row) => row.clientId)).toEqual(['c-a', 'c-c']);
    expect(count('clients of b')).toBe(0);
    monitor.refresh();
    await clock.settle();
    expect(monitor.abortScan()).toBe(true);
    expect(reading(state(), clientScan).phase).toBe('aborted');
    expect(monitor.abortScan()).toBe(false);
    leave();
    const before = count('nodeStats');
    await clock.advance(100_000);
    expect(count('nodeStats')).toBe(before);
    monitor.stop();
    expect(clock.pendingTimers()).toBe(0);
  });

  test.each([
    ['stopped', 0],
    ['running', 1],
  ] as const)('a list that a node fails to send while it is %s is logged %i times', async (status, times) => {
    const rig = setUp({
      listClients: (node, page) =>
        node === 'a'
          ? Promise.resolve({ ...page, items: [], totalItems: 0, totalPages: 1 })
          : new Promise((_, reject) => {
              rig.cluster.nodes = [nodeStats('a'), nodeStats('b', status)];
              rig.clock.setTimer(3_000, () => {
                reject(new HttpStatusError(404));
              });
            }),
    });
    rig.monitor.watch(resource('nodeStats'));
    await rig.clock.advance(100);
    rig.monitor.watch(clientScan);
    await rig.clock.advance(4_000);
    expect(eventsIn(rig.state()).filter(({ kind }) => kind === 'note')).toHaveLength(times);
    rig.monitor.stop();
  });

  test('reports why a scan cannot start', async () => {
    const { clock, monitor, state } = setUp({ listNodeStats: () => Promise.reject(new TimeoutError(5_000)) });
    monitor.watch(clientScan);
    await clock.advance(3_000);
    expect(reading(state(), clientScan).error).toBeInstanceOf(TimeoutError);
    monitor.stop();
  });

  test('reads the routes of a topic filter while it is watched', async () => {
    const asked: string[] = [];
    const routes = [{ topic: 'plant/#', node: 'a' }];
    const { clock, monitor, state } = setUp({
      getRoutes: (topic) => {
        asked.push(topic);
        return Promise.resolve(routes);
      },
    });
    const leave = monitor.watch(watchOf(topicRoutes, 'plant/#'));
    await clock.advance(100);
    expect(readings(state(), topicRoutes).get('plant/#')).toMatchObject({ data: routes, error: undefined });
    leave();
    await clock.advance(10_000);
    expect(asked).toEqual(['plant/#']);
    monitor.stop();
  });

  test('reads the parts of an open client together, and each can fail', async () => {
    const failure = new NoAnswerError();
    const { clock, monitor, state, count } = setUp({ getSession: () => Promise.reject(failure) });
    const leave = monitor.watch(watchOf(clientDetail, 'x'));
    await clock.advance(100);
    expect(readings(state(), clientDetail).get('x')).toMatchObject({
      error: undefined,
      data: { sessions: failure, subscriptions: [] },
    });
    expect(readings(state(), clientDetail).get('x')?.data?.clients).toHaveLength(1);
    leave();
    await clock.advance(10_000);
    expect(count('client')).toBe(1);
    for (let index = 0; index < 20; index += 1) monitor.watch(watchOf(clientDetail, `other-${index}`))();
    expect(readings(state(), clientDetail).has('x')).toBe(true);
    await clock.settle();
    expect(readings(state(), clientDetail).has('x')).toBe(false);
    monitor.stop();
  });

  test('reports an open client as failed when all parts fail', async () => {
    const { clock, monitor, cluster, state } = setUp();
    cluster.failure = new NoAnswerError();
    monitor.watch(watchOf(clientDetail, 'x'));
    await clock.advance(2_100);
    expect(readings(state(), clientDetail).get('x')).toMatchObject({ data: undefined, error: cluster.failure });
    monitor.stop();
  });

  test('knows the capabilities after the first answer', async () => {
    let capabilities: Capabilities | undefined;
    const { clock, monitor, state } = setUp({
      get capabilities() {
        return capabilities;
      },
      listStats: () => {
        capabilities = variants.b.capabilities;
        return Promise.resolve(new Map());
      },
    });
    monitor.watch(resource('stats'));
    await clock.advance(100);
    expect(state().capabilities).toBe(capabilities);
    monitor.stop();
  });

  test('publishes simultaneous answers as one state', async () => {
    const { clock, monitor } = setUp();
    for (const watched of overview) monitor.watch(watched);
    let changes = 0;
    monitor.store.subscribe(() => {
      changes += 1;
    });
    await clock.settle();
    expect(changes).toBeLessThanOrEqual(3);
    monitor.stop();
  });

  test('drops answers that arrive after stop', async () => {
    const { clock, monitor, state, inFlight } = setUp();
    monitor.watch(resource('stats'));
    await clock.settle();
    expect(inFlight()).toBe(1);
    monitor.stop();
    const last = state();
    await clock.advance(10_000);
    monitor.watch(resource('metrics'));
    monitor.refresh();
    await clock.advance(10_000);
    expect(state()).toBe(last);
    expect(reading(state(), statsPart)).toMatchObject({ data: undefined, isFetching: false });
    expect(clock.pendingTimers()).toBe(0);
  });
});

test('a doubt about the configured variant is a problem, and is logged once', async () => {
  const clock = createFakeClock();
  const doubt = 'It does not speak the given variant.';
  let answers = 0;
  const api = createFakeApi({
    listStats: async () => {
      answers += 1;
      return new Map();
    },
  });
  const monitor = createMonitor({
    api: {
      ...api,
      get apiDoubt() {
        return answers > 1 ? doubt : undefined;
      },
    },
    clock,
    intervalSeconds: 2,
  });
  monitor.watch(resource('stats'));
  await clock.advance(100);
  expect(basicFindings(monitor.store.getState()).map(({ key }) => key)).not.toContain('variant');
  await clock.advance(10_000);
  expect(answers).toBeGreaterThan(3);
  expect(basicFindings(monitor.store.getState())).toContainEqual(
    expect.objectContaining({
      key: 'variant',
      check: 'readings',
      severity: 'warning',
      code: 'api-version',
      evidence: { message: doubt },
    }),
  );
  expect(eventsIn(monitor.store.getState()).filter(({ text }) => text === doubt)).toHaveLength(1);
  monitor.stop();
});
