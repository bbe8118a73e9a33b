import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import { AbortedError, NoAnswerError, UnauthorizedError } from '../../../src/api/errors.ts';
import type { ManagementApi, Page, PageRequest } from '../../../src/api/management-api.ts';
import { maxOnceRows } from '../../../src/cli/once/once.ts';
import { readCluster, snapshotOf } from '../../../src/cli/once/once.ts';
import { readingText } from '../../../src/cli/once/text.tsx';
import type { Session } from '../../../src/domain/client.ts';
import { createTheme } from '../../../src/terminal/theme.ts';
import { createTriage, neededReads } from '../../../src/checks/triage.ts';
import { uncheckedText } from '../../../src/checks/words.ts';
import type { Finding } from '../../../src/triage/problem.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { byNode, client, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';
import { createFakeClock, type FakeClock } from '../../support/fake-clock.ts';
import { capabilitiesB, pluginOf, settingOf } from '../../screens/administration-fixtures.tsx';
import { idleSession } from '../../support/records.ts';

const limitSetting = 'mqtt.mqueue.max_length';

const session = (patch: Partial<Session>): Session => idleSession({ cleanSession: true, ...patch });

function pageOf<T>(items: readonly T[], { page, pageSize }: PageRequest): Page<T> {
  return {
    page,
    pageSize,
    items: items.slice((page - 1) * pageSize, page * pageSize),
    totalItems: items.length,
    totalPages: Math.max(1, Math.ceil(items.length / pageSize)),
  };
}

interface Broker {
  readonly api: ManagementApi;
  /** Requests so far: `sessions a`. */
  readonly requests: readonly string[];
}

/** Two nodes with a slow client, a full queue, the full queue of an offline client, an alarm, and different plugins and settings. */
function createBroker(clock: FakeClock, parts: Partial<ManagementApi> = {}): Broker {
  const requests: string[] = [];
  const seconds = (): number => clock.monotonicMs() / 1_000;
  const sessions = (node: string): readonly Session[] =>
    node === 'a'
      ? [
          session({ clientId: 'slow', inflight: 32, queueLength: 1_000, dropped: 25 * seconds() }),
          session({ clientId: 'full', queueLength: 1_000 }),
          session({ clientId: 'fine' }),
        ]
      : [session({ clientId: 'away', node: 'b', cleanSession: false, queueLength: 1_000 })];
  const noted =
    <Args extends unknown[], T>(name: string, answer: (...args: Args) => T) =>
    async (...args: Args): Promise<T> => {
      requests.push(typeof args[0] === 'string' ? `${name} ${args[0]}` : name);
      return answer(...args);
    };
  const api = createFakeApi({
    capabilities: { ...capabilitiesB, metricsByNode: true, queueLimitSetting: limitSetting },
    listNodes: noted('nodes', () => [nodeInfo('a'), nodeInfo('b')]),
    listNodeStats: noted('nodeStats', () => [
      nodeStats('a', 'running', { clients: 3 }),
      nodeStats('b', 'running', { clients: 0 }),
    ]),
    listListeners: noted('listeners', () => new Map()),
    listMetrics: noted('metrics', () => byNode({ a: {}, b: {} })),
    listStats: noted(
      'stats',
      () =>
        new Map([
          ['a', stats({ clients: 3, sessions: 3 })],
          ['b', stats({ clients: 0, sessions: 1 })],
        ]),
    ),
    listSessions: noted('sessions', (node, page) => pageOf(sessions(node), page)),
    listClients: noted('clients', (node, page) =>
      pageOf(node === 'a' ? ['slow', 'full', 'fine'].map((id) => client(id, 'a', 1)) : [], page),
    ),
    listAlarms: noted('alarms', () => [
      {
        id: 'disk',
        severity: 'critical',
        title: 'disk full',
        summary: undefined,
        occurredAt: undefined,
        queueOf: undefined,
      },
    ]),
    listPlugins: noted('plugins', (node) => [pluginOf('p', node === 'a')]),
    listSettings: noted(
      'settings',
      () => new Map(['a', 'b'].map((node) => [node, [settingOf(limitSetting, '1000'), settingOf('other', node)]])),
    ),
    ...parts,
  });
  return { api, requests };
}

const factsOf = (findings: readonly Finding[]): readonly unknown[] =>
  findings.map(({ check, key, code, severity, jump }) => ({ check, key, code, severity, jump }));

async function readOnce(
  clock: FakeClock,
  { api }: Broker,
  options: Parameters<typeof readCluster>[1] = {},
): ReturnType<typeof readCluster> {
  const reading = readCluster(api, { clock, rateSeconds: 1, deadlineMs: 10_000, ...options });
  await clock.advance(10_000);
  return reading;
}

test('the problems are those of Triage after its first look', async () => {
  const clock = createFakeClock();
  const once = await readOnce(clock, createBroker(clock));
  expect(once.errors).toEqual([]);

  const { api } = createBroker(clock);
  const monitor = createMonitor({ api, clock, intervalSeconds: 2 });
  const triage = createTriage();
  const watched = new Set<string>();
  const watchAll = (): void => {
    const state = monitor.store.getState();
    triage.follow(state);
    for (const { watched: each, everySeconds } of neededReads(state, { findings: [] }, triage.sessionReadings())) {
      const key = JSON.stringify(each);
      if (watched.has(key)) continue;
      watched.add(key);
      monitor.watch(each, everySeconds);
    }
  };
  monitor.store.subscribe(watchAll);
  watchAll();
  while (triage.sessionReadings() < 2) await clock.advance(500);
  const report = triage.update(monitor.store.getState(), clock.nowMs());
  monitor.stop();

  expect(factsOf(once.report.findings)).toEqual(factsOf(report.findings));
  expect(once.report.findings.map(({ key }) => key).toSorted()).toEqual([
    'alarm disk',
    'plugins p',
    'settings ["broker","other"]',
    'slow away',
    'slow full',
    'slow slow',
  ]);
});

test('sessions are read twice, for the rates of losses; all else once', async () => {
  const clock = createFakeClock();
  const broker = createBroker(clock);
  const { report } = await readOnce(clock, broker);
  expect(report.findings.find(({ key }) => key === 'slow slow')).toMatchObject({
    code: 'slow-consumer',
    severity: 'critical',
    evidence: { isConnected: true, isLosing: true, droppedPerSecond: 25, queueLimit: 1_000, isQueueFull: true },
  });
  expect(report.findings.find(({ key }) => key === 'slow away')).toMatchObject({
    code: 'offline-queue',
    evidence: { isConnected: false },
  });
  expect(broker.requests.toSorted()).toEqual([
    'alarms a',
    'clients a',
    'clients b',
    'listeners',
    'metrics',
    'metrics',
    'nodeStats',
    'nodes',
    'plugins a',
    'plugins b',
    'sessions a',
    'sessions a',
    'sessions b',
    'sessions b',
    'settings',
    'stats',
  ]);
  expect(clock.pendingTimers()).toBe(0);
});

test('with --quick only the cluster is read, and the rest is named', async () => {
  const clock = createFakeClock();
  const broker = createBroker(clock);
  const reading = await readOnce(clock, broker, { isQuick: true });
  expect(broker.requests.toSorted()).toEqual(['listeners', 'metrics', 'metrics', 'nodeStats', 'nodes', 'stats']);
  const { problems, notChecked } = snapshotOf(reading);
  expect(problems).toEqual([]);
  expect(notChecked).toEqual(
    expect.arrayContaining(
      ['sessions', 'alarms', 'plugins', 'settings'].map((noun) => `${noun} (not read with --quick)`),
    ),
  );
  const text = readingText(
    reading,
    { url: 'http://h', isInsecure: false },
    createTheme({ LANG: 'C.UTF-8', TERM: 'xterm' }),
  );
  expect(text.replaceAll(/\s+/gu, ' ')).toContain('sessions, alarms, plugins, settings (not read with --quick)');
});

test('a list over the limit is not read, and named', async () => {
  const clock = createFakeClock();
  const broker = createBroker(clock, {
    listStats: () =>
      Promise.resolve(
        new Map([
          ['a', stats({ sessions: maxOnceRows })],
          ['b', stats({ sessions: 1 })],
        ]),
      ),
  });
  const reading = await readOnce(clock, broker);
  expect(broker.requests.filter((request) => request.startsWith('sessions'))).toEqual([]);
  expect(reading.errors).toEqual([]);
  const { problems, notChecked } = snapshotOf(reading);
  expect(problems.map(({ check }) => check)).not.toContain('slow');
  expect(notChecked).toContain(`sessions (more than the 20,000 rows that --once reads)`);
});

test('a list that turns out to be over the limit is left, and named', async () => {
  const clock = createFakeClock();
  const many = Array.from({ length: 25 }, (_, index) => session({ clientId: `s${index}` }));
  const read: number[] = [];
  const broker = createBroker(clock, {
    listStats: () => Promise.resolve(new Map()),
    listSessions: async (_, page) => {
      read.push(page.page);
      return pageOf(many, page);
    },
  });
  const reading = await readOnce(clock, broker, { maxRows: 20 });
  expect(read).toEqual([1]);
  const { problems, notChecked } = snapshotOf(reading);
  expect(problems.map(({ code }) => code)).not.toContain('list-cut');
  expect(notChecked).toContain(`sessions (more than the 20 rows that --once reads)`);
});

test('at the deadline the sessions read so far are kept', async () => {
  const clock = createFakeClock();
  let reads = 0;
  const hang: ManagementApi['listSessions'] = (_, _page, { signal } = {}) =>
    new Promise((_resolve, reject) => {
      signal?.addEventListener('abort', () => {
        reject(new AbortedError());
      });
    });
  const full = session({ clientId: 'full', queueLength: 1_000 });
  const broker = createBroker(clock, {
    listSessions: (node, page, options) =>
      (reads += 1) > 2 ? hang(node, page, options) : Promise.resolve(pageOf(node === 'a' ? [full] : [], page)),
  });
  const reading = await readOnce(clock, broker);
  const { problems, notChecked, errors } = snapshotOf(reading);
  expect(errors).toEqual([
    {
      part: 'sessions',
      kind: 'timeout',
      message: 'The broker did not respond within 10 s. It may be overloaded, or a node may be hung.',
    },
  ]);
  expect(problems).toContainEqual(expect.objectContaining({ code: 'queue-full' }));
  expect(notChecked).toContain(plainText(uncheckedText({ code: 'sessions-uncompared', readings: 1 })));
  expect(clock.pendingTimers()).toBe(0);
});

test('a list that fails twice is not read again', async () => {
  const clock = createFakeClock();
  const nodes: string[] = [];
  const broker = createBroker(clock, {
    listSessions: (node, page) => {
      nodes.push(node);
      return node === 'a' ? Promise.reject(new NoAnswerError()) : Promise.resolve(pageOf([], page));
    },
  });
  const { errors, notChecked } = snapshotOf(await readOnce(clock, broker));
  expect(nodes).toEqual(['a', 'a', 'b']);
  expect(errors).toEqual([{ part: 'sessions', kind: 'unreachable', message: new NoAnswerError().message }]);
  expect(notChecked).toContain(plainText(uncheckedText({ code: 'sessions-uncompared', readings: 0 })));
});

test('after a rejected login no list is requested', async () => {
  const clock = createFakeClock();
  const fail = (): Promise<never> => Promise.reject(new UnauthorizedError());
  const broker = createBroker(clock, {
    listNodes: fail,
    listNodeStats: fail,
    listListeners: fail,
    listMetrics: fail,
    listStats: fail,
  });
  const { notChecked } = snapshotOf(await readOnce(clock, broker));
  expect(broker.requests).toEqual([]);
  expect(notChecked).toContain('sessions (not read)');
});
