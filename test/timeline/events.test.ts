import { describe, expect, test } from 'vitest';
import { BrokerError, UnreachableError } from '../../src/api/errors.ts';
import type { Alarm } from '../../src/domain/administration.ts';
import type { Session } from '../../src/domain/client.ts';
import type { NodeStats } from '../../src/domain/node.ts';
import { reading } from '../../src/monitor/query/part.ts';
import type { TimelineEvent } from '../../src/domain/event.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { createTriagedMonitor } from '../../src/timeline/triaged-monitor.ts';
import { triageView } from '../../src/triage/view.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { session } from '../checks/scene.ts';

/** A small cluster that a test changes, watched by a monitor without a screen. */
function createCluster() {
  const clock: FakeClock = createFakeClock();
  const world = {
    isDown: false,
    status: { a: 'running', b: 'running' } as Record<string, NodeStats['status']>,
    /** Messages that `worker` on node b has lost. */
    lost: (): number | undefined => undefined,
    /** How many sessions are like it. */
    workers: 1,
    alarms: [] as readonly Alarm[],
    users: ['admin'],
    /** The lists that people change, as they are asked for. */
    asked: [] as string[],
  };
  const sessions = (): readonly Session[] => {
    const lost = world.lost();
    return lost === undefined
      ? []
      : Array.from({ length: world.workers }, (_, number) =>
          session({
            clientId: number === 0 ? 'worker' : `worker-${number}`,
            node: 'b',
            inflight: 32,
            queueLength: 1_000,
            maxQueueLength: 1_000,
            dropped: lost,
          }),
        );
  };
  const answer =
    <T>(make: () => T) =>
    (): Promise<T> =>
      world.isDown ? Promise.reject(new UnreachableError('ECONNREFUSED')) : Promise.resolve(make());
  const running = (): readonly string[] => Object.keys(world.status).filter((name) => world.status[name] === 'running');
  const page = <T>(items: readonly T[]) => ({ items, page: 1, pageSize: 100, totalItems: items.length, totalPages: 1 });
  const onNode = <T extends { readonly node: string | undefined }>(items: readonly T[], node: string): readonly T[] =>
    items.filter((item) => item.node === node);
  const api = createFakeApi({
    listNodes: answer(() => running().map((name) => nodeInfo(name, { clock: Math.floor(clock.nowMs() / 1_000) }))),
    listNodeStats: answer(() => Object.entries(world.status).map(([name, status]) => nodeStats(name, status))),
    listStats: answer(
      () => new Map(running().map((name) => [name, stats({ clients: 1, sessions: 1, subscriptions: 0 })])),
    ),
    listMetrics: answer(() => byNode(Object.fromEntries(running().map((name) => [name, {}])))),
    listAlarms: answer(() => world.alarms),
    listListeners: answer(() => new Map()),
    listUsers() {
      world.asked.push('users');
      return Promise.resolve(world.users.map((username) => ({ username, tags: '' })));
    },
    listBans() {
      world.asked.push('bans');
      return Promise.reject(new BrokerError('not-allowed'));
    },
    listClients: (node) =>
      answer(() =>
        page(
          onNode(
            sessions().map(({ clientId }) => client(clientId, 'b', 1)),
            node,
          ),
        ),
      )(),
    listSessions: (node) => answer(() => page(onNode(sessions(), node)))(),
  });
  const monitor = createTriagedMonitor({ api, clock, random: () => 0.5, intervalSeconds: 2, author: 'ann' });
  const startMs = clock.nowMs();
  const events = (): readonly TimelineEvent[] => reading(monitor.store.getState(), timelineEvents);
  return {
    clock,
    world,
    monitor,
    startMs,
    events,
    told: (): readonly string[] => events().map(({ kind, severity, text }) => `${kind} ${severity} ${text}`),
    async losing(): Promise<void> {
      const fromMs = clock.nowMs();
      world.lost = () => Math.floor((clock.nowMs() - fromMs) / 40);
      await clock.advance(40_000);
    },
  };
}

test('an outage of the API is one event, problems go on, and nothing is resolved by it', async () => {
  const { clock, world, monitor, events, told, losing } = createCluster();
  await clock.advance(5_000);
  await losing();
  const begun = told();
  expect(begun).toEqual([
    'began warning Problem: Queue of worker is full',
    'worse critical Now critical: worker is slow',
  ]);
  world.isDown = true;
  await clock.advance(130_000);
  const outage = 'api-lost critical Problem: API not reachable: connection refused';
  expect(told()).toEqual([...begun, outage]);
  expect(reading(monitor.store.getState(), triageView).open.get('slow worker')).toBeDefined();
  world.isDown = false;
  await clock.advance(120_000);
  expect(told().slice(0, 3)).toEqual([...begun, outage]);
  expect(told().slice(3)).toEqual([
    expect.stringMatching(/^api-back info Resolved after 2m \d\ds: "API not reachable: connection refused"$/u),
  ]);
  world.lost = () => undefined;
  await clock.advance(120_000);
  const ended = events().at(-1);
  expect(ended).toMatchObject({
    kind: 'ended',
    severity: 'info',
    check: 'slow',
    problem: 'slow worker',
    clientId: 'worker',
    jump: { screen: 'client', clientId: 'worker' },
  });
  const began = events().find(({ kind }) => kind === 'began');
  expect(ended?.sinceMs).toBe(began?.sinceMs);
  expect(ended?.lastedMs).toBe((ended?.atMs ?? 0) - (began?.sinceMs ?? 0));
  expect(ended?.lost).toBeGreaterThan(1_000);
  monitor.stop();
});

test('the problem of a session is unknown while its node does not run, and known when it was read again', async () => {
  const { clock, world, monitor, told, events, losing } = createCluster();
  await clock.advance(5_000);
  await losing();
  world.status['b'] = 'stopped';
  await clock.advance(90_000);
  expect(told()).toEqual([
    'began warning Problem: Queue of worker is full',
    'worse critical Now critical: worker is slow',
    'unknown warning Unknown: worker is slow',
    'node warning Node b is stopped (was running)',
    'began critical Problem: Node b is stopped',
  ]);
  const unknown = events().find(({ kind }) => kind === 'unknown');
  const down = events().find(({ kind }) => kind === 'node');
  // It was last seen before the node stopped.
  expect(unknown?.atMs).toBeLessThanOrEqual(down?.atMs ?? 0);
  expect(unknown).toMatchObject({ problem: 'slow worker', clientId: 'worker' });
  expect(down).toMatchObject({ node: 'b', jump: { screen: 'node', node: 'b' } });
  world.status['b'] = 'running';
  await clock.advance(120_000);
  expect(
    told()
      .slice(5)
      .map((text) => text.replace(/\d+ msg/u, 'N msg').replace(/after .+?:/u, 'after …:')),
  ).toEqual([
    'node info Node b is running (was stopped)',
    'ended info Resolved after …: "Node b is stopped"',
    'known info Known again: worker is slow',
  ]);
  monitor.stop();
});

test('an acknowledgement says who made it, and is taken back by an event of its own', async () => {
  const { clock, monitor, events, losing } = createCluster();
  await clock.advance(5_000);
  await losing();
  monitor.acknowledge('slow worker', { note: 'on it', atMs: clock.nowMs(), check: 'slow', severity: 'critical' });
  monitor.acknowledge('slow worker', undefined);
  expect(events().slice(2)).toMatchObject([
    { kind: 'acknowledged', problem: 'slow worker', action: { by: 'ann' }, text: expect.stringMatching(/\(on it\)$/u) },
    { kind: 'unacknowledged', problem: 'slow worker', action: { by: 'ann' } },
  ]);
  monitor.stop();
});

test('events have ids that are unique and the same from one state to the next', async () => {
  const { clock, monitor, events, losing } = createCluster();
  await losing();
  const before = events();
  monitor.note('info', 'one');
  await clock.advance(2_000);
  expect(events().slice(0, before.length)).toEqual(before);
  expect(new Set(events().map(({ id }) => id)).size).toBe(events().length);
  expect(new Set(events().map(({ run }) => run)).size).toBe(1);
  monitor.stop();
});

/** The events of a cluster as an earlier run kept them, which ended `agoMs` ago. */
function keptBefore({ events, clock, startMs }: ReturnType<typeof createCluster>, agoMs = 30_000) {
  const byMs = clock.nowMs() - startMs + agoMs;
  return events().map((event): TimelineEvent => ({
    ...event,
    id: `before ${event.id}`,
    run: 'before',
    atMs: event.atMs - byMs,
    ...(event.sinceMs !== undefined && { sinceMs: event.sinceMs - byMs }),
  }));
}

describe('problems that were open when an earlier run ended', () => {
  const nodeZ = { check: 'nodes', code: 'node-status', problem: 'node z', text: 'Problem: Node z is stopped' } as const;

  async function earlier(agoMs?: number): Promise<readonly TimelineEvent[]> {
    const first = createCluster();
    await first.losing();
    first.monitor.stop();
    const kept = keptBefore(first, agoMs);
    return [{ ...kept[0], ...nodeZ, id: '0' } as TimelineEvent, ...kept];
  }

  const own = ({ events }: ReturnType<typeof createCluster>, problem: string): readonly string[] =>
    events()
      .filter((event) => event.run !== 'before' && event.problem === problem)
      .map(({ kind, text }) => `${kind} ${text}`);

  test('go on since they began, if they are found again', async () => {
    const kept = await earlier();
    const cluster = createCluster();
    cluster.monitor.addEarlier(kept);
    await cluster.losing();
    expect(own(cluster, 'slow worker')[0]).toBe('known Known again: Queue of worker is full');
    const known = cluster.events().find(({ kind }) => kind === 'known');
    const begun = kept.find(({ problem, kind }) => problem === 'slow worker' && kind === 'began');
    expect(known?.sinceMs).toBe(begun?.sinceMs);
    expect(reading(cluster.monitor.store.getState(), triageView).open.get('slow worker')?.foundMs).toBe(begun?.sinceMs);
    expect(own(cluster, 'slow worker').filter((text) => text.startsWith('ended'))).toEqual([]);
    cluster.monitor.stop();
  });

  test('have ended if a complete reading does not show them, and begin anew later', async () => {
    const cluster = createCluster();
    const { clock, monitor, losing } = cluster;
    monitor.addEarlier(await earlier());
    await clock.advance(120_000);
    expect(own(cluster, 'node z')).toEqual(['ended Resolved while not watched: "Node z is stopped"']);
    expect(own(cluster, 'slow worker')).toEqual(['ended Resolved while not watched: "Queue of worker is full"']);
    await losing();
    expect(own(cluster, 'slow worker')[1]).toBe('began Problem: Queue of worker is full');
    monitor.stop();
  });

  test('are unknown since it ended while their node cannot be read, and not resolved', async () => {
    const kept = await earlier();
    const cluster = createCluster();
    const { clock, monitor, world, startMs, events } = cluster;
    world.status['b'] = 'stopped';
    monitor.addEarlier(kept);
    await clock.advance(50_000);
    expect(own(cluster, 'slow worker')).toEqual([]);
    await clock.advance(300_000);
    expect(own(cluster, 'slow worker')).toEqual(['unknown Unknown: Queue of worker is full']);
    const unknown = events().find(({ kind, problem }) => kind === 'unknown' && problem === 'slow worker');
    expect(unknown).toMatchObject({ severity: 'warning', clientId: 'worker', atMs: kept.at(-1)?.atMs });
    expect(unknown?.atMs).toBeLessThan(startMs);
    world.status['b'] = 'running';
    await clock.advance(120_000);
    expect(own(cluster, 'slow worker').slice(1)).toEqual([
      'ended Resolved while not watched: "Queue of worker is full"',
    ]);
    monitor.stop();
  });

  test('are left to the API while it cannot be reached, and then unknown or known', async () => {
    const cluster = createCluster();
    const { clock, monitor, world } = cluster;
    world.isDown = true;
    monitor.addEarlier(await earlier());
    await clock.advance(200_000);
    expect([...own(cluster, 'node z'), ...own(cluster, 'slow worker')]).toEqual([]);
    world.isDown = false;
    await cluster.losing();
    await clock.advance(60_000);
    expect(own(cluster, 'slow worker')[0]).toBe('known Known again: Queue of worker is full');
    expect(own(cluster, 'node z')).toEqual(['ended Resolved while not watched: "Node z is stopped"']);
    monitor.stop();
  });

  test('are others after an hour in which nobody watched', async () => {
    const cluster = createCluster();
    cluster.monitor.addEarlier(await earlier(3_700_000));
    await cluster.losing();
    expect(own(cluster, 'slow worker')[0]).toBe('began Problem: Queue of worker is full');
    cluster.monitor.stop();
  });

  test('leave what has no end alone: a change of one moment', async () => {
    const cluster = createCluster();
    const rose = {
      check: 'sudden',
      code: 'rise',
      problem: 'sudden clients',
      isMoment: true,
      text: 'Problem: Clients rose',
    };
    cluster.monitor.addEarlier([{ ...(await earlier())[0], ...rose } as TimelineEvent]);
    await cluster.clock.advance(300_000);
    expect(own(cluster, 'sudden clients')).toEqual([]);
    cluster.monitor.stop();
  });

  test('tell an alarm once, and that it was cleared', async () => {
    const alarm = (id: string, occurredAt: number): Alarm => ({
      id,
      severity: 'warning',
      title: undefined,
      summary: `${id} is bad`,
      occurredAt,
    });
    const first = createCluster();
    const nowAt = first.clock.nowMs() / 1_000;
    first.world.alarms = [alarm('same', nowAt - 300), alarm('gone', nowAt - 200), alarm('anew', nowAt - 100)];
    await first.clock.advance(10_000);
    expect(first.told()).toHaveLength(3);
    first.monitor.stop();
    const kept = first.events().map((event): TimelineEvent => ({ ...event, id: `before ${event.id}`, run: 'before' }));
    const cluster = createCluster();
    cluster.world.alarms = [alarm('same', nowAt - 300), alarm('anew', nowAt - 50)];
    await cluster.clock.advance(5_000);
    cluster.monitor.addEarlier(kept);
    await cluster.clock.advance(60_000);
    expect(cluster.events().map(({ kind, text }) => `${kind} ${text}`)).toEqual([
      'alarm-set Alarm same: same is bad',
      'alarm-set Alarm gone: gone is bad',
      'alarm-set Alarm anew: anew is bad',
      'alarm-cleared Cleared while not watched: Alarm anew: anew is bad',
      'alarm-set Alarm anew: anew is bad',
      'alarm-cleared Cleared while not watched: Alarm gone: gone is bad',
    ]);
    cluster.monitor.stop();
  });
});

test('what another program tells at the same time is added, unless this one has seen it too', async () => {
  const { clock, monitor, told, events, losing } = createCluster();
  await clock.advance(5_000);
  await losing();
  const [begun] = events();
  const other = { severity: 'info', run: 'other', atMs: clock.nowMs() - 1_000 } as const;
  monitor.addOthers([
    { ...begun, id: 'other 1', run: 'other' } as TimelineEvent,
    { ...other, id: 'other 2', kind: 'action', text: 'Banned x.', action: { name: 'add-ban', outcome: 'done' } },
  ]);
  await clock.advance(10_000);
  expect(told()).toEqual([
    'began warning Problem: Queue of worker is full',
    'worse critical Now critical: worker is slow',
    'action info Banned x.',
  ]);
  expect(events()[0]).toBe(begun);
  monitor.stop();
});

test('problems that become one row, and rows of their own again, keep their events', async () => {
  const { clock, world, monitor, events, losing } = createCluster();
  world.workers = 12;
  await clock.advance(5_000);
  await losing();
  const { report } = reading(monitor.store.getState(), triageView);
  expect(report.findings.length).toBeLessThan(report.problems.length);
  const keys = (kind: TimelineEvent['kind']): readonly (string | undefined)[] =>
    events()
      .filter((event) => event.kind === kind && event.check === 'slow')
      .map(({ problem }) => problem)
      .toSorted();
  const all = ['slow worker', ...Array.from({ length: 11 }, (_, at) => `slow worker-${at + 1}`)].toSorted();
  expect(keys('began')).toEqual(all);
  expect(keys('ended')).toEqual([]);
  world.workers = 2;
  await clock.advance(120_000);
  expect(keys('began')).toEqual(all);
  expect(keys('ended')).toEqual(all.filter((key) => key !== 'slow worker' && key !== 'slow worker-1'));
  monitor.stop();
});

test('what others change is told with no screen open, and what the login may not read is asked for once', async () => {
  const { clock, world, told } = createCluster();
  await clock.advance(600_000);
  const { asked } = world;
  expect(asked.filter((list) => list === 'bans')).toEqual(['bans']);
  // At most one list a minute.
  expect(asked.length).toBeGreaterThan(2);
  expect(asked.length).toBeLessThanOrEqual(10);
  expect(told()).toEqual([]);
  world.users = ['admin', 'eve'];
  await clock.advance(600_000);
  expect(told().map((text) => text.replace(/ \(between .+\)$/u, ''))).toEqual(['change info New: user eve']);
});
