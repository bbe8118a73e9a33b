import { expect, test } from 'vitest';
import { AbortedError, NoAnswerError, UnauthorizedError } from '../../../src/api/errors.ts';
import type { ManagementApi } from '../../../src/api/management-api.ts';
import { readCluster, snapshotOf, type SnapshotOptions } from '../../../src/cli/once/once.ts';
import { byNode, createFakeApi, nodeInfo, nodeStats, stats } from '../../monitor/fake-api.ts';
import { createFakeClock } from '../../support/fake-clock.ts';

const takeSnapshot = async (api: ManagementApi, options?: SnapshotOptions) => snapshotOf(await readCluster(api, options));

const parts = {
  listNodes: () => Promise.resolve([nodeInfo('b'), nodeInfo('__proto__')]),
  listNodeStats: () => Promise.resolve([nodeStats('b', 'running', { clients: 7 }), nodeStats('c', 'stopped'), nodeStats('__proto__')]),
  listListeners: () => Promise.resolve(new Map([['b', []]])),
  listMetrics: () => Promise.resolve(byNode({ b: { 'bytes.sent': 3 } })),
  listStats: () => Promise.resolve(new Map([['__proto__', stats({ clients: 5 })]])),
};

test('a snapshot holds everything as plain values', async () => {
  const clock = createFakeClock();
  const snapshot = await takeSnapshot(createFakeApi(parts), { clock, variant: () => 'a' });
  expect(snapshot.errors).toEqual([]);
  expect(snapshot.nodes?.map((node) => node.name)).toEqual(['__proto__', 'b', 'c']);
  expect(snapshot.clients).toEqual({ total: 12, byNode: Object.assign(Object.create(null), { b: 7, ['__proto__']: 5 }) });
  const read: unknown = JSON.parse(JSON.stringify(snapshot));
  expect(read).toMatchObject({ takenAt: '2001-09-09T01:46:40.000Z', variant: 'a', metrics: { kind: 'by-node', nodes: { b: { 'bytes.sent': 3 } } } });
  expect(Object.keys(snapshot.clients.byNode)).toEqual(['__proto__', 'b']);
});

test('a part that fails is named and does not take the others along', async () => {
  const snapshot = await takeSnapshot(createFakeApi({ ...parts, listListeners: () => Promise.reject(new NoAnswerError()) }));
  expect(snapshot.listeners).toBeUndefined();
  expect(snapshot.errors).toEqual([{ part: 'listeners', kind: 'no-answer', message: new NoAnswerError().message }]);
  expect(snapshot.metrics).toBeDefined();
});

test('one deadline holds for everything together; what was read by then is kept', async () => {
  const clock = createFakeClock();
  const slow = <T>(ms: number, answer: T) => ({ signal }: { signal?: AbortSignal | undefined } = {}): Promise<T> => new Promise((resolve, reject) => {
    const cancel = clock.setTimer(ms, () => resolve(answer));
    signal?.addEventListener('abort', () => {
      cancel();
      reject(new AbortedError());
    });
  });
  // One is read first, the others after it: none of them alone takes as long as all may.
  const reading = takeSnapshot(createFakeApi({ ...parts, listNodes: slow(6_000, [nodeInfo('b')]), listListeners: slow(6_000, new Map()) }), { clock, deadlineMs: 10_000 });
  await clock.advance(10_000);
  const snapshot = await reading;
  expect(snapshot.errors).toEqual([{ part: 'listeners', kind: 'timeout', message: 'The broker did not answer within 10 s; it may be overloaded or a node may hang.' }]);
  expect(snapshot.nodes?.find(({ name }) => name === 'b')?.info).toBeDefined();
  expect(snapshot.stats).toBeDefined();
  expect(clock.pendingTimers()).toBe(0);
});

test('the total of clients is unknown when a running node does not tell', async () => {
  const snapshot = await takeSnapshot(createFakeApi({ ...parts, listStats: () => Promise.resolve(new Map()) }));
  expect(snapshot.clients).toEqual({ total: undefined, byNode: Object.assign(Object.create(null), { b: 7 }) });
});

test('nodes are in the order of the screens, and one that only the list of nodes says to be stopped counts for nothing, as on the screen', async () => {
  const listNodes = () => Promise.resolve([nodeInfo('n10'), nodeInfo('n9', { status: 'stopped' }), nodeInfo('n2')]);
  const listStats = () => Promise.resolve(new Map([['n2', stats({ clients: 1 })], ['n10', stats({ clients: 2 })]]));
  const snapshot = await takeSnapshot(createFakeApi({ ...parts, listNodes, listStats, listNodeStats: () => Promise.reject(new NoAnswerError()) }));
  expect(snapshot.nodes?.map(({ name }) => name)).toEqual(['n2', 'n9', 'n10']);
  expect(snapshot.clients.total).toBe(3);
});

test('nothing at all is five errors, not a rejection', async () => {
  const fail = () => Promise.reject(new UnauthorizedError());
  const snapshot = await takeSnapshot(createFakeApi({ listNodes: fail, listNodeStats: fail, listListeners: fail, listMetrics: fail, listStats: fail }));
  expect(snapshot.errors).toHaveLength(5);
  expect(snapshot).toMatchObject({ nodes: undefined, clients: { total: undefined } });
});

test('what is wrong is said as on the screen, and what was not looked at is named', async () => {
  const { problems, fine, notJudged } = await takeSnapshot(createFakeApi({ ...parts, listListeners: () => Promise.reject(new NoAnswerError()) }));
  expect(problems.map(({ check, severity, text }) => [check, severity, text])).toEqual([
    ['readings', 'error', `Listeners: ${new NoAnswerError().message}`],
    ['nodes', 'error', 'Node c is stopped.'],
  ]);
  expect(fine).not.toContain('slow');
  expect(notJudged).toContain('sessions not read');
  expect(notJudged).toContain('alarms not read');
  expect(notJudged).toContain('counts known for less than 60 s');
});

test('rows that were not understood are among what is wrong', async () => {
  const listNodeStats: ManagementApi['listNodeStats'] = async (options) => {
    options?.onUnusable?.({ count: 2, example: 'name: number' });
    return parts.listNodeStats();
  };
  const { problems } = await takeSnapshot(createFakeApi({ ...parts, listNodeStats }));
  expect(problems.map(({ text }) => text)).toContain('Node statistics: 2 rows not understood.');
});

test('rates rest on two readings of the counters', async () => {
  const clock = createFakeClock();
  let sent = 0;
  const reading = readCluster(createFakeApi({ ...parts, listMetrics: () => Promise.resolve(byNode({ b: { 'bytes.sent': (sent += 50) } })) }), { clock, rateSeconds: 2 });
  await clock.advance(2_000);
  expect(snapshotOf(await reading).ratesPerSecond).toEqual({ 'bytes.sent': 25 });
  expect(sent).toBe(100);
});
