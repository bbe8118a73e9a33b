import { describe, expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import type { CallOptions, ManagementApi, Page, PageRequest } from '../../../src/api/management-api.ts';
import type { Route, Session, Subscription } from '../../../src/domain/client.ts';
import { wholeCluster, type ScanState } from '../../../src/monitor/state.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { client, createFakeApi, nodeStats } from '../fake-api.ts';
import { routeIdentity, routeScan } from '../../../src/resources/routes/resource.ts';
import { subscriptionIdentity, subscriptionScan } from '../../../src/resources/subscriptions/resource.ts';
import { reading, watchOf } from '../../../src/monitor/query/part.ts';
import { sessionScan } from '../../../src/resources/sessions/resource.ts';
import { scans } from '../../../src/resources/scans.ts';
import { clientScan } from '../../../src/resources/clients/resource.ts';
import { nodeStats as nodeStatsPart } from '../../../src/resources/nodes/resource.ts';
import { unknownSession } from '../../support/records.ts';
import { eventTextsIn } from '../../support/events.ts';

const session = (clientId: string, node: string, createdAt: number, delivered?: number | undefined): Session => ({
  clientId,
  node,
  createdAt,
  ...unknownSession,
  delivered,
  cleanSession: false,
});
const subscription = (clientId: string, topic: string, node: string, qos = 0): Subscription => ({
  clientId,
  topic,
  node,
  qos,
});

/** Two nodes with lists; a page takes 100 ms. */
function setUp() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const lists = {
    sessions: [session('s1', 'a', 1, 5), session('s2', 'b', 1), session('s1', 'b', 9, 1)],
    subscriptions: [
      subscription('a', 'b/c', 'a'),
      subscription('a b', '/c', 'a'),
      subscription('a', 'b/c', 'b', 1),
      subscription('x', 't', 'b'),
    ],
    routes: [
      { topic: 't', node: 'a' },
      { topic: 't', node: 'b' },
      { topic: 't', node: 'a' },
    ] satisfies readonly Route[],
  };
  let inFlight = 0;
  let mostInFlight = 0;

  async function page<T>(
    what: string,
    rows: readonly T[],
    request: PageRequest,
    { signal }: CallOptions = {},
  ): Promise<Page<T>> {
    asked.push(what);
    inFlight += 1;
    mostInFlight = Math.max(mostInFlight, inFlight);
    await new Promise<void>((resolve) => {
      const cancel = clock.setTimer(100, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });
    inFlight -= 1;
    return { ...request, items: rows, totalItems: rows.length, totalPages: 1 };
  }

  const parts: Partial<ManagementApi> = {
    listNodeStats: async () => [nodeStats('a'), nodeStats('b')],
    listClients: (node, request, options) => page(`clients ${node}`, [client(`c-${node}`, node)], request, options),
    listSessions: (node, request, options) =>
      page(
        `sessions ${node}`,
        lists.sessions.filter((row) => row.node === node),
        request,
        options,
      ),
    listSubscriptions: (node, request, options) =>
      page(
        `subscriptions ${node}`,
        lists.subscriptions.filter((row) => row.node === node),
        request,
        options,
      ),
    listRoutes: (request, options) => page('routes', lists.routes, request, options),
  };
  const monitor = createMonitor({ api: createFakeApi(parts), clock, intervalSeconds: 2, random: () => 0 });
  return { clock, monitor, asked, lists, state: () => monitor.store.getState(), mostInFlight: () => mostInFlight };
}

test.each(Object.values(scans))('$name: read repeatedly while watched, and not otherwise', async (scan) => {
  const { clock, monitor, asked } = setUp();
  await clock.advance(60_000);
  expect(asked).toEqual([]);
  const release = monitor.watch(scan);
  await clock.advance(30_000);
  const whileWatched = asked.length;
  expect(whileWatched).toBeGreaterThan(2);
  release();
  await clock.advance(60_000);
  expect(asked).toHaveLength(whileWatched);
  monitor.stop();
});

describe('the scans of the other lists', () => {
  test('sessions: one row per id, on the node where it was created last, with current counters', async () => {
    const { clock, monitor, lists, state } = setUp();
    monitor.watch(sessionScan);
    await clock.advance(1_000);
    expect(reading(state(), sessionScan).rows.map(({ clientId, node }) => [clientId, node])).toEqual([
      ['s1', 'b'],
      ['s2', 'b'],
    ]);
    expect(reading(state(), sessionScan)).toMatchObject({ phase: 'complete', requests: 2 });
    lists.sessions = [session('s1', 'b', 9, 2), session('s2', 'b', 1)];
    const before = reading(state(), sessionScan).rows;
    await clock.advance(10_000);
    expect(reading(state(), sessionScan).rows.map(({ delivered }) => delivered)).toEqual([2, undefined]);
    expect(reading(state(), sessionScan).rows[1]).toBe(before[1]);
    monitor.stop();
  });

  test('subscriptions: one row per client and filter, also if both concatenate to the same text', async () => {
    const { clock, monitor, state } = setUp();
    monitor.watch(subscriptionScan);
    await clock.advance(1_000);
    expect(reading(state(), subscriptionScan).rows.map(({ clientId, topic }) => [clientId, topic])).toEqual([
      ['a', 'b/c'],
      ['a b', '/c'],
      ['x', 't'],
    ]);
    expect(subscriptionIdentity({ clientId: 'a', topic: ' b' })).not.toBe(
      subscriptionIdentity({ clientId: 'a ', topic: 'b' }),
    );
    monitor.stop();
  });

  test('routes: one row per topic and node, read once for the cluster, without a list of nodes', async () => {
    const { clock, monitor, asked, state } = setUp();
    monitor.watch(routeScan);
    await clock.advance(1_000);
    expect(asked).toEqual(['routes']);
    expect(reading(state(), routeScan).rows).toEqual([
      { topic: 't', node: 'a' },
      { topic: 't', node: 'b' },
    ]);
    expect([...reading(state(), routeScan).coverage.keys()]).toEqual([wholeCluster]);
    expect(state().watched).toEqual([watchOf(routeScan)]);
    expect(routeIdentity({ topic: ' x', node: 'a' })).not.toBe(routeIdentity({ topic: 'x', node: 'a ' }));
    monitor.stop();
  });

  test('start with a tick of the cluster, about an interval after their end', async () => {
    const { clock, monitor, state } = setUp();
    monitor.watch(nodeStatsPart);
    await clock.advance(900);
    monitor.watch(routeScan);
    await clock.advance(100);
    const routes = reading(state(), routeScan);
    expect(routes).toMatchObject({ phase: 'complete', finishedAtMs: clock.nowMs() });
    // The next tick would come after half of the interval.
    expect(reading(state(), routeScan).nextScanAtMs).toBe(
      (reading(state(), nodeStatsPart).nextAttemptAtMs ?? 0) + 2_000,
    );
    await clock.advance(3_000 + 100);
    expect(reading(state(), routeScan).finishedAtMs).toBe(clock.nowMs());
    expect(reading(state(), routeScan).nextScanAtMs).toBe(reading(state(), nodeStatsPart).nextAttemptAtMs);
    expect((reading(state(), routeScan).nextScanAtMs ?? 0) - clock.nowMs()).toBe(1_900);
    monitor.stop();
  });

  test('run one at a time, each to its end', async () => {
    const { clock, monitor, asked, state, mostInFlight } = setUp();
    for (const scan of Object.values(scans)) monitor.watch(scan);
    await clock.advance(1_900);
    expect(mostInFlight()).toBe(1);
    expect(asked).toEqual([
      'clients a',
      'clients b',
      'sessions a',
      'sessions b',
      'subscriptions a',
      'subscriptions b',
      'routes',
    ]);
    expect(Object.values(scans).map((scan) => reading<ScanState<unknown>, []>(state(), scan).phase)).toEqual([
      'complete',
      'complete',
      'complete',
      'complete',
    ]);
    // The time it waited for the others earned it no rest.
    expect(reading(state(), routeScan).nextScanAtMs).toBe(
      (reading(state(), nodeStatsPart).nextAttemptAtMs ?? 0) + 2_000,
    );
    monitor.stop();
    await clock.settle();
    expect(clock.pendingTimers()).toBe(0);
  });

  test('a stopped scan, running or waiting, lets the next one run and does not affect the others', async () => {
    const { clock, monitor, asked, state } = setUp();
    for (const scan of [clientScan, sessionScan, subscriptionScan]) monitor.watch(scan);
    await clock.advance(50);
    expect(monitor.abortScan(sessionScan)).toBe(true);
    expect(monitor.abortScan(clientScan)).toBe(true);
    expect(monitor.abortScan(routeScan)).toBe(false);
    await clock.advance(1_000);
    expect(asked).toEqual(['clients a', 'subscriptions a', 'subscriptions b']);
    expect([
      reading(state(), clientScan).phase,
      reading(state(), sessionScan).phase,
      reading(state(), subscriptionScan).phase,
    ]).toEqual(['aborted', 'aborted', 'complete']);
    expect(eventTextsIn(state())).toEqual(['Stopped reading sessions', 'Stopped reading clients']);
    monitor.stop();
  });
});

describe('a slow watcher', () => {
  const sessionPages = (asked: readonly string[]): number => asked.filter((what) => what.startsWith('sessions')).length;

  test('has a list read less often, until another watcher needs it sooner', async () => {
    const { clock, monitor, asked } = setUp();
    monitor.watch(sessionScan, 30);
    await clock.advance(20_000);
    expect(sessionPages(asked)).toBe(2);
    await clock.advance(15_000);
    expect(sessionPages(asked)).toBe(4);
    const end = monitor.watch(sessionScan);
    await clock.advance(10_000);
    const eager = sessionPages(asked);
    expect(eager).toBeGreaterThan(5);
    end();
    await clock.advance(20_000);
    expect(sessionPages(asked)).toBeLessThanOrEqual(eager + 2);
    monitor.stop();
  });
});
