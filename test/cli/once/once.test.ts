import { expect, test } from 'vitest';
import {
  AbortedError,
  HttpStatusError,
  NoAnswerError,
  RateLimitedError,
  UnauthorizedError,
} from '../../../src/api/errors.ts';
import type { ManagementApi, Page, PageRequest } from '../../../src/api/management-api.ts';
import { readCluster, snapshotOf, type SnapshotOptions } from '../../../src/cli/once/once.ts';
import { problemText, uncheckedText } from '../../../src/checks/words.ts';
import { plainText } from '../../../src/domain/sentence.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';
import type { TimelineEvent } from '../../../src/domain/event.ts';
import { beginsOf, earlierRuns } from '../../../src/timeline/open-problems.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const takeSnapshot = async (api: ManagementApi, options?: SnapshotOptions) =>
  snapshotOf(await readCluster(api, options));

const emptyPage = (_node: string, request: PageRequest): Promise<Page<never>> =>
  Promise.resolve({ ...request, items: [], totalItems: 0, totalPages: 1 });

const parts = {
  listNodes: () => Promise.resolve([nodeInfo('b'), nodeInfo('__proto__')]),
  listNodeStats: () =>
    Promise.resolve([nodeStats('b', 'running', { clients: 7 }), nodeStats('c', 'stopped'), nodeStats('__proto__')]),
  listListeners: () => Promise.resolve(new Map([['b', []]])),
  listMetrics: () => Promise.resolve(byNode({ b: { 'bytes.sent': 3 } })),
  listStats: () => Promise.resolve(new Map([['__proto__', stats({ clients: 5 })]])),
  listSessions: emptyPage,
  listClients: emptyPage,
  listPlugins: () => Promise.resolve([]),
};

test('a snapshot holds everything as plain values', async () => {
  const clock = createFakeClock();
  const snapshot = await takeSnapshot(createFakeApi(parts), { clock, variant: () => 'a' });
  expect(snapshot.errors).toEqual([]);
  expect(snapshot.nodes?.map((node) => node.name)).toEqual(['__proto__', 'b', 'c']);
  expect(snapshot.clients).toEqual({
    total: 12,
    byNode: Object.assign(Object.create(null), { b: 7, ['__proto__']: 5 }),
  });
  const read: unknown = JSON.parse(JSON.stringify(snapshot));
  expect(read).toMatchObject({
    takenAt: '2001-09-09T01:46:40.000Z',
    variant: 'a',
    metrics: { kind: 'by-node', nodes: { b: { 'bytes.sent': 3 } } },
  });
  expect(Object.keys(snapshot.clients.byNode)).toEqual(['__proto__', 'b']);
});

test('a part that fails is reported, and the others are read', async () => {
  const snapshot = await takeSnapshot(
    createFakeApi({ ...parts, listListeners: () => Promise.reject(new NoAnswerError()) }),
  );
  expect(snapshot.listeners).toBeUndefined();
  expect(snapshot.errors).toEqual([{ part: 'listeners', kind: 'unreachable', message: new NoAnswerError().message }]);
  expect(snapshot.metrics).toBeDefined();
});

test('a read that fails once is repeated, and is no problem', async () => {
  const clock = createFakeClock();
  const failed = new Set<string>();
  const once =
    <T>(name: string, answer: () => Promise<T>) =>
    (): Promise<T> => {
      if (failed.has(name)) return answer();
      failed.add(name);
      return Promise.reject(name === 'metrics' ? new RateLimitedError(2) : new HttpStatusError(503));
    };
  const reading = readCluster(
    createFakeApi({
      ...parts,
      listNodeStats: once('nodeStats', parts.listNodeStats),
      listMetrics: once('metrics', parts.listMetrics),
      listListeners: once('listeners', parts.listListeners),
    }),
    { clock },
  );
  await clock.advance(3_000);
  const { errors, report } = await reading;
  expect(failed.size).toBe(3);
  expect(errors).toEqual([]);
  expect(report.findings.filter(({ check }) => check === 'readings')).toEqual([]);
});

test('one deadline applies to all requests; parts read by then are kept', async () => {
  const clock = createFakeClock();
  const slow =
    <T>(ms: number, answer: T) =>
    ({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<T> =>
      new Promise((resolve, reject) => {
        const cancel = clock.setTimer(ms, () => resolve(answer));
        signal?.addEventListener('abort', () => {
          cancel();
          reject(new AbortedError());
        });
      });
  // One is read first, the others after it; each alone is within the deadline.
  const reading = takeSnapshot(
    createFakeApi({ ...parts, listNodes: slow(6_000, [nodeInfo('b')]), listListeners: slow(6_000, new Map()) }),
    { clock, deadlineMs: 10_000 },
  );
  await clock.advance(10_000);
  const snapshot = await reading;
  expect(snapshot.errors).toEqual([
    {
      part: 'listeners',
      kind: 'timeout',
      message: 'The broker did not respond within 10 s. It may be overloaded, or a node may be hung.',
    },
  ]);
  expect(snapshot.nodes?.find(({ name }) => name === 'b')?.info).toBeDefined();
  expect(snapshot.stats).toBeDefined();
  expect(clock.pendingTimers()).toBe(0);
});

test('the total of clients is unknown if a running node is missing', async () => {
  const snapshot = await takeSnapshot(createFakeApi({ ...parts, listStats: () => Promise.resolve(new Map()) }));
  expect(snapshot.clients).toEqual({ total: undefined, byNode: Object.assign(Object.create(null), { b: 7 }) });
});

test('nodes are in the order of the screens, and a stopped node has no clients', async () => {
  const listNodes = () => Promise.resolve([nodeInfo('n10'), nodeInfo('n9', { status: 'stopped' }), nodeInfo('n2')]);
  const listStats = () =>
    Promise.resolve(
      new Map([
        ['n2', stats({ clients: 1 })],
        ['n10', stats({ clients: 2 })],
      ]),
    );
  const snapshot = await takeSnapshot(
    createFakeApi({ ...parts, listNodes, listStats, listNodeStats: () => Promise.reject(new NoAnswerError()) }),
  );
  expect(snapshot.nodes?.map(({ name }) => name)).toEqual(['n2', 'n9', 'n10']);
  expect(snapshot.clients.total).toBe(3);
});

test('if everything fails, there are five errors and no rejection', async () => {
  const fail = () => Promise.reject(new UnauthorizedError());
  const snapshot = await takeSnapshot(
    createFakeApi({ listNodes: fail, listNodeStats: fail, listListeners: fail, listMetrics: fail, listStats: fail }),
  );
  expect(snapshot.errors).toHaveLength(5);
  expect(snapshot).toMatchObject({ nodes: undefined, clients: { total: undefined } });
});

test('problems have the texts of the screens, and incomplete checks are named', async () => {
  const { problems, ok, notChecked } = await takeSnapshot(
    createFakeApi({ ...parts, listListeners: () => Promise.reject(new NoAnswerError()) }),
  );
  const failed = {
    code: 'read-failed',
    evidence: { resources: ['listeners'], isAll: false, reason: new NoAnswerError().message },
  } as const;
  const down = { code: 'node-down', evidence: { node: 'c', status: 'stopped', clients: undefined } } as const;
  expect(problems).toMatchObject([
    { check: 'readings', code: 'read-failed', severity: 'critical', text: plainText(problemText(failed)) },
    { check: 'nodes', code: 'node-down', severity: 'critical', text: plainText(problemText(down)), node: 'c' },
  ]);
  expect(ok).not.toContain('slow');
  expect(notChecked).toEqual(
    expect.arrayContaining([
      `settings (not read)`,
      plainText(uncheckedText({ code: 'sessions-uncompared', readings: 1 })),
      plainText(uncheckedText({ code: 'history-short', of: 'totals', minSeconds: 60 })),
    ]),
  );
});

test('problems began when monitors have first seen them, if that is not long ago', async () => {
  const clock = createFakeClock();
  const event = (agoMs: number): TimelineEvent => ({
    id: '1',
    atMs: clock.nowMs() - agoMs,
    kind: 'began',
    severity: 'critical',
    text: 'Problem: Node c is stopped',
    check: 'nodes',
    code: 'node-down',
    problem: 'node c',
    node: 'c',
    sinceMs: clock.nowMs() - agoMs,
    run: 'before',
  });
  const sinceOf = async (...kept: readonly TimelineEvent[]): Promise<string | undefined> => {
    const begins = (nowMs: number) => Promise.resolve(beginsOf(earlierRuns(kept, nowMs)));
    const { problems } = await takeSnapshot(createFakeApi(parts), { clock, begins });
    return problems.find(({ node }) => node === 'c')?.since;
  };
  const nowText = new Date(clock.nowMs()).toISOString();
  expect(nowText).toBe('2001-09-09T01:46:40.000Z');
  expect(await sinceOf()).toBe(nowText);
  expect(await sinceOf(event(600_000))).toBe('2001-09-09T01:36:40.000Z');
  expect(await sinceOf(event(4_000_000))).toBe(nowText);
  expect(await sinceOf(event(600_000), { ...event(300_000), id: '2', kind: 'ended' })).toBe(nowText);
});

test('rows that were not understood are a problem', async () => {
  const listNodeStats: ManagementApi['listNodeStats'] = async (options) => {
    options?.onUnusable?.({ count: 2, example: 'name: number' });
    return parts.listNodeStats();
  };
  const { problems } = await takeSnapshot(createFakeApi({ ...parts, listNodeStats }));
  expect(problems).toContainEqual(
    expect.objectContaining({
      code: 'rows-unusable',
      text: plainText(
        problemText({ code: 'rows-unusable', evidence: { list: 'nodeStats', nodes: [], count: 2, read: undefined } }),
      ),
    }),
  );
});

test('rates are from two readings of the counters', async () => {
  const clock = createFakeClock();
  let sent = 0;
  const reading = readCluster(
    createFakeApi({ ...parts, listMetrics: () => Promise.resolve(byNode({ b: { 'bytes.sent': (sent += 50) } })) }),
    { clock, rateSeconds: 2 },
  );
  await clock.advance(2_000);
  expect(snapshotOf(await reading).ratesPerSecond).toEqual({ 'bytes.sent': 25 });
  expect(sent).toBe(100);
});
