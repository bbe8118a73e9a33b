import { describe, expect, test } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { errorOfCode } from '../../src/api/dialects/emq-v2/envelope.ts';
import { BrokerError, NoAnswerError, NotFoundError, SilentNodeError, TimeoutError } from '../../src/api/errors.ts';
import type { CallOptions } from '../../src/api/management-api.ts';
import { selectFreshness } from '../../src/resources/freshness.ts';
import { selectRate } from '../../src/resources/metrics/rates.ts';
import { createFakeClock, type FakeClock } from '../support/fake-clock.ts';
import { byNode, client, createFakeApi, nodeInfo, stats, nodeStats } from './fake-api.ts';
import { reading, readings, type Watchable, watchOf } from '../../src/monitor/query/part.ts';
import { selectVital, vitalResources } from '../../src/resources/vital.ts';
import { metrics, nodeMetrics } from '../../src/resources/metrics/resource.ts';
import { plugins, pluginSettings } from '../../src/resources/plugins/resource.ts';
import { clientScan } from '../../src/resources/clients/resource.ts';
import { listeners } from '../../src/resources/listeners/resource.ts';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { nodeSettings } from '../../src/resources/settings/resource.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { eventTextsIn } from '../support/events.ts';

const deadlineMs = 5_000;
const names = ['a', 'b', 'sick'];
const answerMs = 20;
const connections = 4;

/** How the node `sick` answers: a failure at once, none before the deadline, or drop by drop, whole just before it. */
type Sickness = Error | 'hangs' | 'drips' | undefined;
const sickMs: Readonly<Record<'hangs' | 'drips', number>> = { hangs: deadlineMs, drips: deadlineMs - 100 };

/** Three nodes over four connections, as the transport has them. */
function setUp(sickness: Sickness) {
  const clock = createFakeClock();
  const asked: { readonly what: string; readonly atMs: number }[] = [];
  const open = new Map<string, number>();
  const most = new Map<string, number>();
  const rig = { sickness, sent: 0, frozenUntilMs: 0 };
  let inFlight = 0;
  const waiting: (() => void)[] = [];

  const pause = (ms: number, signal: AbortSignal | undefined) =>
    new Promise<void>((resolve) => {
      const cancel = clock.setTimer(ms, resolve);
      signal?.addEventListener('abort', () => {
        cancel();
        resolve();
      });
    });

  async function answer<T>(
    what: string,
    node: string | undefined,
    options: CallOptions | undefined,
    value: () => T,
  ): Promise<T> {
    if (inFlight === connections)
      await new Promise<void>((resolve) => {
        waiting.push(resolve);
      });
    inFlight += 1;
    open.set(what, (open.get(what) ?? 0) + 1);
    most.set(what, Math.max(most.get(what) ?? 0, open.get(what) ?? 0));
    asked.push({ what, atMs: clock.monotonicMs() });
    const figures = value();
    try {
      const frozenMs = rig.frozenUntilMs - clock.monotonicMs();
      if (frozenMs > 0) await pause(Math.min(frozenMs, deadlineMs), options?.signal);
      if (frozenMs > deadlineMs) throw new TimeoutError(deadlineMs);
      const isSick = node === 'sick' && rig.sickness !== undefined;
      await pause(isSick && typeof rig.sickness === 'string' ? sickMs[rig.sickness] : answerMs, options?.signal);
      if (!isSick || rig.sickness === 'drips') return figures;
      throw rig.sickness === 'hangs' ? new TimeoutError(deadlineMs) : rig.sickness;
    } finally {
      inFlight -= 1;
      open.set(what, (open.get(what) ?? 1) - 1);
      waiting.shift()?.();
    }
  }

  const api = createFakeApi({
    listNodes: (options) => answer('nodes', undefined, options, () => names.map((name) => nodeInfo(name))),
    listNodeStats: (options) => answer('nodeStats', undefined, options, () => names.map((name) => nodeStats(name))),
    listMetrics: (options) =>
      answer('metrics', undefined, options, () =>
        byNode(Object.fromEntries(names.map((name) => [name, { 'messages.sent': rig.sent }]))),
      ),
    listStats: (options) =>
      answer('stats', undefined, options, () => new Map(names.map((name) => [name, stats({ clients: 1 })]))),
    getMetrics: (node, options) => answer(`metrics of ${node}`, node, options, () => ({ 'messages.sent': 1 })),
    listPlugins: (node, options) => answer(`plugins of ${node}`, node, options, () => []),
    getSettings: (node, options) => answer(`settings of ${node}`, node, options, () => []),
    getPluginSettings: (node, plugin, options) => answer(`${plugin} of ${node}`, node, options, () => []),
    listClients: (node, page, options) =>
      answer(`clients of ${node}`, node, options, () => ({
        ...page,
        items: [client(`c-${node}`, node)],
        totalItems: 1,
        totalPages: 1,
      })),
  });
  const monitor = createMonitor({ api, clock, intervalSeconds: 2, random: () => 0 });
  const count = (what: string): number => asked.filter((request) => request.what === what).length;
  /** The longest that something was not asked for. */
  const maxGapMs = (what: string): number => {
    const times = asked.filter((request) => request.what === what).map(({ atMs }) => atMs);
    return Math.max(...times.slice(1).map((atMs, index) => atMs - (times[index] ?? 0)));
  };
  return { clock, monitor, rig, asked, count, maxGapMs, most, state: () => monitor.store.getState() };
}

const figures: readonly Watchable[] = (['nodeStats', 'metrics', 'stats'] as const).map((name) => vitalResources[name]);
const ofNode = (node: string): readonly Watchable[] => [
  watchOf(nodeMetrics, node),
  watchOf(plugins, node),
  watchOf(nodeSettings, node),
  watchOf(pluginSettings, node, 'p'),
];

const intervalMs = 2_000;
/** How long a request may wait for others of the same tick. */
const waitMs = 300;

/** All that can be read of the nodes at once, and the lists of clients. */
const watchAll = ({ monitor }: ReturnType<typeof setUp>): void => {
  for (const watched of [...figures, ...names.flatMap(ofNode), clientScan]) monitor.watch(watched);
};

/** The cluster's figures and those of the healthy nodes are read at every tick of ten minutes, and what is read rarely at every fifth to twelfth, in turn with others; never two of one thing at once. */
function expectCadence({ count, maxGapMs, most }: ReturnType<typeof setUp>): void {
  const every = (what: string, ms: number): void => {
    expect([what, count(what) >= 600_000 / ms - 1, maxGapMs(what) <= ms + waitMs]).toEqual([what, true, true]);
  };
  for (const what of ['nodeStats', 'metrics', 'stats', 'metrics of a', 'metrics of b']) every(what, intervalMs);
  for (const what of ['plugins of', 'settings of', 'p of'])
    for (const node of ['a', 'b']) every(`${what} ${node}`, 12 * intervalMs);
  expect(Math.max(...most.values())).toBe(1);
}

describe('one node is sick for ten minutes', () => {
  test.each([
    ['hangs', 'hangs', 'timeout'],
    ['answers 101', errorOfCode(101), 'node-unreachable'],
    ['is unknown to the others: 404', new NotFoundError(), 'not-found'],
    ['is unknown to the others: no answer', new NoAnswerError(), 'unreachable'],
  ] as const)(
    'it %s: the others and the cluster are read at every tick, and requests do not pile up',
    async (_, sickness, kind) => {
      const rig = setUp(sickness);
      const { clock, monitor, count, maxGapMs, state } = rig;
      watchAll(rig);
      await clock.advance(600_000);

      expectCadence(rig);
      for (const name of ['nodeStats', 'metrics', 'stats'] as const)
        expect(selectVital(state())[name].error).toBeUndefined();
      for (const node of ['a', 'b']) {
        // A list is read again when all nodes have answered or failed; then the broker rests.
        expect(count(`clients of ${node}`)).toBeGreaterThanOrEqual(10);
        expect(maxGapMs(`clients of ${node}`)).toBeLessThanOrEqual(60_000);
        expect(readings(state(), nodeMetrics).get(node)?.error).toBeUndefined();
        expect(readings(state(), plugins).get(node)?.error).toBeUndefined();
        expect(reading(state(), clientScan).coverage.get(node)).toMatchObject({ isComplete: true, error: undefined });
      }
      // What is missing is said where it is missing.
      expect(readings(state(), nodeMetrics).get('sick')?.error?.kind).toBe(kind);
      expect(readings(state(), plugins).get('sick')?.error?.kind).toBe(kind);
      expect(reading(state(), clientScan).coverage.get('sick')).toMatchObject({ isComplete: false, error: { kind } });
      expect(reading(state(), clientScan).rows.map(({ clientId }) => clientId)).toEqual(['c-a', 'c-b']);
      expect(reading(state(), clientScan).phase).toBe('partial');
      monitor.stop();
      expect(clock.pendingTimers()).toBe(0);
    },
  );

  test('its answers arrive just before the deadline: cluster and other nodes are read at every tick', async () => {
    const rig = setUp('drips');
    watchAll(rig);
    await rig.clock.advance(600_000);
    expectCadence(rig);
    expect(rig.count('metrics of sick')).toBeGreaterThanOrEqual(25);
    expect(readings(rig.state(), nodeMetrics).get('sick')?.error).toBeUndefined();
    expect(reading(rig.state(), clientScan).phase).toBe('complete');
    rig.monitor.stop();
  });

  test('it is retried less and less often, and is back within 30 s after it recovers', async () => {
    const { clock, monitor, rig, count, state } = setUp('hangs');
    for (const watched of [...figures, ...ofNode('sick')]) monitor.watch(watched);
    await clock.advance(600_000);
    expect(count('metrics of sick')).toBeLessThanOrEqual(125);
    rig.sickness = undefined;
    await clock.advance(35_000);
    expect(readings(state(), nodeMetrics).get('sick')?.error).toBeUndefined();
    monitor.stop();
  });
});

describe('time', () => {
  test('a process that was stopped for minutes makes each request once when it continues, and its rates are correct', async () => {
    const { clock, monitor, rig, asked, state } = setUp(undefined);
    for (const watched of figures) monitor.watch(watched);
    for (let tick = 0; tick < 10; tick += 1) {
      rig.sent += 20;
      await clock.advance(2_000);
    }
    await clock.advance(500);
    const before = asked.length;
    rig.sent += 3_000;
    await clock.stall(300_000);
    await clock.advance(100);
    expect(asked.length - before).toBe(3);
    expect(reading(state(), metrics).error).toBeUndefined();
    // Three nodes, 3,000 messages each in 300 s: 10 a second, not 1,500 in an interval.
    expect(selectRate(state(), 'messages.sent')).toBeCloseTo(30, 0);
    await clock.advance(20_000);
    expect(asked.length - before).toBeLessThanOrEqual(3 + 3 * 10);
    monitor.stop();
  });

  test.each([
    ['was stopped', (clock: FakeClock) => clock.stall(300_000)],
    [
      'slept',
      (clock: FakeClock) => {
        clock.jumpWall(300_000);
      },
    ],
  ])('an answer that lay here while the machine %s makes no rate', async (_, pass) => {
    const { clock, monitor, rig, state } = setUp(undefined);
    for (const watched of figures) monitor.watch(watched);
    await clock.advance(8_000);
    // The requests of this tick are answered, and nobody has taken the answers yet.
    await pass(clock);
    rig.sent += 3_000;
    const rates: (number | undefined)[] = [];
    for (let step = 0; step < 50; step += 1) {
      await clock.advance(100);
      rates.push(selectRate(state(), 'messages.sent'));
    }
    expect(Math.max(...rates.map((rate) => rate ?? 0))).toBeLessThanOrEqual(30);
    expect(rates.at(-1)).toBe(0);
    monitor.stop();
  });

  test('no rate spans a switch to another address, which may have other counters', async () => {
    const { clock, monitor, rig, state } = setUp(undefined);
    for (const watched of figures) monitor.watch(watched);
    await clock.advance(4_500);
    expect(selectRate(state(), 'messages.sent')).toBe(0);
    monitor.noteFailover({ url: 'http://b', insteadOf: 'http://a', because: 'It is gone.' });
    rig.sent += 1_000_000;
    await clock.advance(2_000);
    expect(selectRate(state(), 'messages.sent')).toBeUndefined();
    await clock.advance(2_000);
    expect(selectRate(state(), 'messages.sent')).toBe(0);
    monitor.stop();
  });

  test('data is stale until it has been read again', async () => {
    const { clock, monitor, state } = setUp(undefined);
    for (const watched of figures) monitor.watch(watched);
    await clock.advance(10_000);
    expect(selectFreshness(state(), clock.nowMs()).stale).toEqual([]);
    clock.jumpWall(8 * 3_600_000);
    expect(selectFreshness(state(), clock.nowMs()).stale).toEqual(['nodeStats', 'metrics', 'stats']);
    await clock.advance(2_100);
    expect(selectFreshness(state(), clock.nowMs()).stale).toEqual([]);
    monitor.stop();
  });

  test.each([
    ['a day on', 86_400_000],
    ['a day back', -86_400_000],
  ])('a wall clock that is set %s changes no cadence and makes no rate', async (_, jumpMs) => {
    const { clock, monitor, rig, asked, state } = setUp(undefined);
    for (const watched of figures) monitor.watch(watched);
    for (let tick = 0; tick < 5; tick += 1) {
      rig.sent += 20;
      await clock.advance(2_000);
    }
    await clock.advance(500);
    const before = asked.length;
    clock.jumpWall(jumpMs);
    rig.sent += 20;
    await clock.advance(2_000);
    expect(asked.length - before).toBe(3);
    expect(selectRate(state(), 'messages.sent')).toBeUndefined();
    rig.sent += 20;
    await clock.advance(2_000);
    expect(selectRate(state(), 'messages.sent')).toBeCloseTo(30, 0);
    expect(selectFreshness(state(), clock.nowMs())).toMatchObject({ stale: [], ageSeconds: expect.closeTo(2, -1) });
    monitor.stop();
  });
});

test('what waited for a node that did not answer is read as soon as the node is back', async () => {
  const clock = createFakeClock();
  let isSilent = false;
  const waited = new SilentNodeError(['b']);
  let attempts = 0;
  const api = createFakeApi({
    listNodes: () => Promise.resolve(['a', 'b'].map((name) => nodeInfo(name))),
    listNodeStats: () =>
      Promise.resolve([
        nodeStats('a'),
        isSilent ? nodeStats('b', 'other', { statusText: 'silent', isSilent: true }) : nodeStats('b'),
      ]),
    listListeners: () => {
      attempts += 1;
      return isSilent ? Promise.reject(waited) : Promise.resolve(new Map());
    },
  });
  // The longest back-off: without the news of the node, it would be half a minute.
  const monitor = createMonitor({ api, clock, random: () => 1, intervalSeconds: 2 });
  for (const name of ['nodes', 'nodeStats', 'listeners'] as const) monitor.watch(vitalResources[name]);
  await clock.advance(5_000);
  isSilent = true;
  await clock.advance(120_000);
  expect(reading(monitor.store.getState(), listeners).error).toBe(waited);
  isSilent = false;
  const before = attempts;
  await clock.advance(2_500);
  expect(attempts).toBeGreaterThan(before);
  expect(reading(monitor.store.getState(), listeners).error).toBeUndefined();
  monitor.stop();
});

test('a node that does not respond is no error of what was not read for it, and its status is in words', async () => {
  const clock = createFakeClock();
  let b = nodeStats('b');
  const isSilent = (): boolean => b.isSilent === true;
  const late = new TimeoutError(5_000);
  const refused = new BrokerError('node-unreachable');
  const api = createFakeApi({
    listNodes: () =>
      isSilent() ? Promise.reject(new NotFoundError()) : Promise.resolve(['a', 'b'].map((name) => nodeInfo(name))),
    listNodeStats: () => Promise.resolve([nodeStats('a'), b]),
    listListeners: () => (isSilent() ? Promise.reject(new SilentNodeError(['b'])) : Promise.resolve(new Map())),
    listMetrics: () => (isSilent() ? Promise.reject(late) : Promise.resolve(byNode({}))),
    listStats: () => (isSilent() ? Promise.reject(refused) : Promise.resolve(new Map())),
    listSessions: (node, page) =>
      isSilent() && node === 'b'
        ? Promise.reject(new SilentNodeError(['b']))
        : Promise.resolve({ ...page, items: [], totalItems: 0, totalPages: 1, hasNext: false }),
  });
  const monitor = createMonitor({ api, clock, intervalSeconds: 2 });
  for (const name of ['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const)
    monitor.watch(vitalResources[name]);
  monitor.watch(sessionScan);
  const log = (): readonly string[] => eventTextsIn(monitor.store.getState());
  await clock.advance(5_000);
  b = nodeStats('b', 'other', { statusText: 'silent', isSilent: true });
  await clock.advance(120_000);
  expect(reading(monitor.store.getState(), listeners).error?.message).toBe('Not read: b is not responding.');
  b = nodeStats('b');
  await clock.advance(60_000);
  // The problem of the node, which its checks find, is the entry of the log.
  expect(log()).toEqual([]);
  b = nodeStats('b', 'other', { statusText: 'degraded' });
  await clock.advance(5_000);
  b = nodeStats('b');
  await clock.advance(5_000);
  expect(log()).toEqual([
    'Node b: unknown status "degraded" (was running)',
    'Node b is running (was in an unknown status)',
  ]);
  monitor.stop();
});

describe('the whole API is frozen for a while', () => {
  test.each([12_000, 31_000, 300_000])(
    'for %i ms: all that failed is read soon after it answers again, and the lists as often as before',
    async (frozenMs) => {
      const rig = setUp(undefined);
      const { clock, monitor, asked, maxGapMs, state } = rig;
      watchAll(rig);
      await clock.advance(61_000);
      rig.rig.frozenUntilMs = clock.monotonicMs() + frozenMs;
      await clock.advance(frozenMs);
      expect(reading(state(), nodeStatsPart).error?.kind).toBe('timeout');
      // The longest back-off, and the end of what is in flight.
      while (reading(state(), nodeStatsPart).error !== undefined) await clock.advance(100);
      expect(clock.monotonicMs() - rig.rig.frozenUntilMs).toBeLessThanOrEqual(30_000);
      const answeredMs = clock.monotonicMs();
      await clock.advance(3_000);
      const failing = [
        ...readings(state(), nodeMetrics).values(),
        ...readings(state(), plugins).values(),
        ...readings(state(), nodeSettings).values(),
      ].filter(({ error }) => error !== undefined);
      expect(failing).toEqual([]);
      expect(reading(state(), clientScan).phase).not.toBe('partial');
      const lists = names.map((node) => `clients of ${node}`);
      for (const what of lists)
        expect(asked.some((request) => request.what === what && request.atMs >= answeredMs - answerMs)).toBe(true);
      asked.splice(0);
      await clock.advance(60_000);
      for (const what of lists) expect(maxGapMs(what)).toBeLessThanOrEqual(5_000);
      monitor.stop();
      expect(clock.pendingTimers()).toBe(0);
    },
  );
});

test('a list that times out while the nodes are waited for is logged only if it fails without a silent node', async () => {
  const after = <T>(
    seconds: number,
    end: (done: (value: T) => void, fail: (error: unknown) => void) => void,
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      clock.setTimer(seconds * 1_000, () => {
        end(resolve, reject);
      });
    });
  const clock = createFakeClock();
  let isFrozen = false;
  let isListHung = false;
  const api = createFakeApi({
    listNodeStats: () =>
      isFrozen
        ? after(7, (done) => {
            done([nodeStats('a'), nodeStats('b', 'other', { statusText: 'silent', isSilent: true })]);
          })
        : Promise.resolve([nodeStats('a'), nodeStats('b')]),
    listSessions: (node, page) =>
      (isFrozen || isListHung) && node === 'b'
        ? after(5, (_, fail) => {
            fail(new TimeoutError(5_000));
          })
        : Promise.resolve({ ...page, items: [], totalItems: 0, totalPages: 1, hasNext: false }),
  });
  const monitor = createMonitor({ api, clock, intervalSeconds: 2 });
  monitor.watch(nodeStatsPart);
  monitor.watch(sessionScan);
  const log = (): readonly string[] => eventTextsIn(monitor.store.getState());
  await clock.advance(4_900);
  isFrozen = true;
  await clock.advance(40_000);
  expect(log()).toEqual([]);
  isFrozen = false;
  isListHung = true;
  await clock.advance(60_000);
  expect(log()).toEqual([
    'sessions of b: The broker did not respond within 5 s. It may be overloaded, or a node may be hung.',
  ]);
  monitor.stop();
});

test('what failed before a node did not respond, and fails so after it, is logged once', async () => {
  const clock = createFakeClock();
  let error: Error = new NotFoundError();
  const monitor = createMonitor({
    api: createFakeApi({ listListeners: () => Promise.reject(error) }),
    clock,
    intervalSeconds: 2,
  });
  monitor.watch(listeners);
  await clock.advance(60_000);
  error = new SilentNodeError(['b']);
  await clock.advance(60_000);
  expect(reading(monitor.store.getState(), listeners).error).toBe(error);
  // Equal entries in a row are one.
  monitor.note('info', 'meanwhile');
  error = new NotFoundError();
  await clock.advance(60_000);
  expect(eventTextsIn(monitor.store.getState())).toEqual([`listeners: ${error.message}`, 'meanwhile']);
  monitor.stop();
});
