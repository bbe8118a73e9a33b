import { expect, test } from 'vitest';
import { createMonitor } from '../../../src/resources/cluster.ts';
import {
  type ApiError,
  NoAnswerError,
  NotFoundError,
  ProxyLoginError,
  UnauthorizedError,
  UnreachableError,
} from '../../../src/api/errors.ts';
import { readCluster, snapshotOf } from '../../../src/cli/once/once.ts';
import { createRequestScheduler, type ScheduleOptions } from '../../../src/monitor/polling/request-scheduler.ts';
import { basicFindings } from '../../checks/support.ts';
import { createFakeClock } from '../../support/fake-clock.ts';
import { createFakeApi, deferred, type Deferred } from '../fake-api.ts';
import { vitalResources } from '../../../src/resources/vital.ts';
import { eventsIn } from '../../support/events.ts';

const never = new AbortController().signal;

/** Requests that are answered by hand. */
function setUp() {
  let reached = 0;
  const scheduler = createRequestScheduler({
    onReached: () => {
      reached += 1;
    },
  });
  const made: string[] = [];
  const answers = new Map<string, Deferred<string>>();
  const ask = (name: string, options: Partial<ScheduleOptions> = {}): Promise<string> => {
    const answer = deferred<string>();
    answers.set(name, answer);
    return scheduler.schedule(
      () => {
        made.push(name);
        return answer.promise;
      },
      { signal: never, kind: 'cluster', ...options },
    );
  };
  return {
    scheduler,
    ask,
    made,
    reached: () => reached,
    answerOf: (name: string): Deferred<string> => answers.get(name) ?? deferred(),
    settle: () => createFakeClock().settle(),
  };
}

async function login(
  ask: (name: string) => Promise<string>,
  answerOf: (name: string) => Deferred<string>,
): Promise<void> {
  const answer = ask('login');
  answerOf('login').resolve('in');
  await answer;
}

test('until the first answer only one request runs, then all that wait', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const asked = [ask('a'), ask('b'), ask('c')];
  await settle();
  expect(made).toEqual(['a']);
  answerOf('a').resolve('1');
  await settle();
  expect(made).toEqual(['a', 'b', 'c']);
  answerOf('b').resolve('2');
  answerOf('c').resolve('3');
  expect(await Promise.all(asked)).toEqual(['1', '2', '3']);
});

test('a rejected login fails all waiting requests; the next one is sent', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const asked = [ask('a'), ask('b'), ask('c')].map((answer) => answer.catch((error: unknown) => error));
  answerOf('a').reject(new UnauthorizedError());
  for (const error of await Promise.all(asked)) expect(error).toMatchObject({ kind: 'unauthorized' });
  expect(made).toEqual(['a']);
  const again = ask('d');
  await settle();
  answerOf('d').resolve('in');
  expect(await again).toBe('in');
  expect(made).toEqual(['a', 'd']);
});

test('a login that is rejected later must be accepted again', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const first = ask('a');
  answerOf('a').resolve('1');
  await first;
  const refused = ask('b').catch((error: unknown) => error);
  answerOf('b').reject(new UnauthorizedError());
  expect(await refused).toMatchObject({ kind: 'unauthorized' });
  const asked = [ask('c'), ask('d')];
  await settle();
  expect(made).toEqual(['a', 'b', 'c']);
  for (const name of ['c', 'd']) answerOf(name).resolve(name);
  expect(await Promise.all(asked)).toEqual(['c', 'd']);
});

test('no answer proves nothing, so the next request runs alone; a 404 proves the login', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const asked = [ask('a'), ask('b'), ask('c'), ask('d')].map((answer) => answer.catch((error: unknown) => error));
  answerOf('a').reject(new NoAnswerError());
  await settle();
  expect(made).toEqual(['a', 'b']);
  answerOf('b').reject(new NotFoundError());
  await settle();
  expect(made).toEqual(['a', 'b', 'c', 'd']);
  for (const name of ['c', 'd']) answerOf(name).resolve(name);
  expect((await Promise.all(asked)).slice(2)).toEqual(['c', 'd']);
});

test('a request that is aborted while waiting is not sent', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const ender = new AbortController();
  const first = ask('a');
  const waiting = ask('b', { signal: ender.signal }).catch((error: unknown) => error);
  ender.abort();
  expect(await waiting).toMatchObject({ kind: 'aborted' });
  answerOf('a').resolve('1');
  await first;
  await settle();
  expect(made).toEqual(['a']);
});

test('at most six requests run, three of them for details, in the order of scheduling', async () => {
  const { ask, made, answerOf, settle } = setUp();
  await login(ask, answerOf);
  const asked = [
    ...['a1', 'a2', 'a3', 'a4'].map((name) => ask(name, { kind: 'detail' })),
    ...['c1', 'c2', 'c3', 'c4'].map((name) => ask(name)),
  ];
  expect(made).toEqual(['login', 'a1', 'a2', 'a3', 'c1', 'c2', 'c3']);
  answerOf('c1').resolve('');
  await settle();
  expect(made.slice(7)).toEqual(['c4']);
  answerOf('a2').resolve('');
  await settle();
  expect(made.slice(8)).toEqual(['a4']);
  for (const name of ['a1', 'a3', 'a4', 'c2', 'c3', 'c4']) answerOf(name).resolve('');
  await Promise.all(asked);
});

test('one request per node; the other nodes do not wait for it', async () => {
  const { ask, made, answerOf } = setUp();
  await login(ask, answerOf);
  const asked = ['x', 'x', 'y'].map((node, index) => ask(`${node}${index}`, { kind: 'detail', node }));
  expect(made).toEqual(['login', 'x0', 'y2']);
  answerOf('x0').reject(new NoAnswerError());
  await expect(asked[0]).rejects.toMatchObject({ kind: 'unreachable' });
  expect(made).toEqual(['login', 'x0', 'y2', 'x1']);
  for (const name of ['x1', 'y2']) answerOf(name).resolve('');
  await Promise.all(asked.slice(1));
});

test('requests that leave a slot never hold up the pages of a scan', async () => {
  const { ask, made, answerOf, settle } = setUp();
  await login(ask, answerOf);
  const asked = ['a', 'b', 'c'].map((name) => ask(name, { kind: 'detail', leavesSlot: true }));
  const page = ask('page', { kind: 'detail' });
  await settle();
  expect(made).toEqual(['login', 'a', 'b', 'page']);
  answerOf('page').resolve('1');
  await page;
  const next = ask('next', { kind: 'detail' });
  await settle();
  expect(made).toEqual(['login', 'a', 'b', 'page', 'next']);
  for (const name of ['a', 'b', 'next']) answerOf(name).resolve('1');
  await settle();
  expect(made.at(-1)).toBe('c');
  answerOf('c').resolve('1');
  expect(await Promise.all([...asked, next])).toHaveLength(4);
});

test('a request at a chosen URL neither waits for the login nor proves or disproves it', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const asked = [ask('a'), ask('b')];
  const chosen = ask('chosen', { kind: 'detail', isAtChosenUrl: true });
  expect(made).toEqual(['a', 'chosen']);
  answerOf('chosen').reject(new UnauthorizedError());
  await expect(chosen).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(made).toEqual(['a', 'chosen']);
  answerOf('a').resolve('');
  await settle();
  expect(made).toEqual(['a', 'chosen', 'b']);
  answerOf('b').resolve('');
  await Promise.all(asked);
});

test('scans run one at a time, in order, besides requests; an aborted one lets the next one run', async () => {
  const { ask, made, answerOf, settle } = setUp();
  const ender = new AbortController();
  const first = ask('scan 1', { kind: 'scan' });
  const second = ask('scan 2', { kind: 'scan', signal: ender.signal }).catch((error: unknown) => error);
  const third = ask('scan 3', { kind: 'scan' });
  const page = ask('page', { kind: 'detail' });
  ender.abort();
  expect(await second).toMatchObject({ kind: 'aborted' });
  expect(made).toEqual(['scan 1', 'page']);
  answerOf('scan 1').resolve('');
  await first;
  await settle();
  expect(made).toEqual(['scan 1', 'page', 'scan 3']);
  for (const name of ['page', 'scan 3']) answerOf(name).resolve('');
  await Promise.all([third, page]);
});

test('reports once that the broker is reachable, after two unreachable requests in a row', async () => {
  const { ask, answerOf, reached } = setUp();
  for (const [failures, expected] of [
    [1, 0],
    [2, 1],
    [0, 1],
  ] as const) {
    for (let failure = 0; failure < failures; failure += 1) {
      const lost = ask('lost');
      answerOf('lost').reject(new UnreachableError('no connection'));
      await expect(lost).rejects.toMatchObject({ kind: 'unreachable' });
    }
    const found = ask('found');
    answerOf('found').resolve('');
    await found;
    expect(reached()).toBe(expected);
  }
});

test('stop rejects waiting requests, but not running ones', async () => {
  const { scheduler, ask, made, answerOf } = setUp();
  const running = ask('a');
  const waiting = ask('b').catch((error: unknown) => error);
  scheduler.stop();
  expect(await waiting).toMatchObject({ kind: 'aborted' });
  answerOf('a').resolve('answered');
  expect(await running).toBe('answered');
  expect(made).toEqual(['a']);
});

/** A broker that rejects the login. */
function rejecting(error: ApiError = new UnauthorizedError()) {
  const asked: string[] = [];
  const reject = (name: string) => async (): Promise<never> => {
    asked.push(name);
    throw error;
  };
  const api = createFakeApi({
    listNodes: reject('nodes'),
    listNodeStats: reject('nodeStats'),
    listListeners: reject('listeners'),
    listMetrics: reject('metrics'),
    listStats: reject('stats'),
  });
  return { api, asked };
}

test('a wrong password costs one request at the start of the monitor, and its meter says so', async () => {
  const { api, asked } = rejecting();
  const clock = createFakeClock();
  const monitor = createMonitor({ api, clock, intervalSeconds: 2, random: () => 0 });
  for (const name of ['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'] as const)
    monitor.watch(vitalResources[name]);
  await clock.advance(20_000);
  expect(asked).toHaveLength(1);
  expect(monitor.store.getState().isUnauthorized).toBe(true);
  expect(monitor.store.getState().causedLoad.requests).toBe(1);
  expect(await monitor.signIn(() => {})).toMatchObject({ kind: 'unauthorized' });
  await clock.advance(20_000);
  expect(asked).toHaveLength(2);
  monitor.stop();
});

test('a proxy that rejects its login gets one request, also after a new password for the broker', async () => {
  const refusal = new ProxyLoginError({ url: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', hasLogin: true });
  const { api, asked } = rejecting(refusal);
  const clock = createFakeClock();
  const monitor = createMonitor({ api, clock, intervalSeconds: 2, random: () => 0 });
  for (const name of ['nodes', 'nodeStats', 'listeners', 'metrics', 'stats'] as const)
    monitor.watch(vitalResources[name]);
  await clock.advance(20_000);
  monitor.refresh();
  expect(
    await monitor.signIn(() => {
      asked.push('password');
    }),
  ).toBe(refusal);
  await clock.advance(20_000);
  expect(asked).toHaveLength(1);
  const state = monitor.store.getState();
  expect(state).toMatchObject({ isUnauthorized: true, proxyLoginError: refusal });
  expect(basicFindings(state)).toMatchObject([
    { key: 'unauthorized', code: 'login-rejected', evidence: { proxyMessage: refusal.message } },
  ]);
  expect(
    eventsIn(state)
      .filter(({ severity }) => severity === 'critical')
      .map(({ text }) => text),
  ).toEqual([refusal.message]);
  monitor.stop();
});

test('a proxy that rejects its login gets one request of --once, and is named', async () => {
  const refusal = new ProxyLoginError({ url: 'http://proxy.test:3128', variable: 'HTTPS_PROXY', hasLogin: true });
  const { api, asked } = rejecting(refusal);
  const reading = await readCluster(api, { clock: createFakeClock() });
  expect(asked).toHaveLength(1);
  expect(snapshotOf(reading).problems.map(({ code, text }) => [code, text])).toEqual([
    ['login-rejected', expect.stringContaining(refusal.message)],
  ]);
});

test('a wrong password costs --once one request', async () => {
  const { api, asked } = rejecting();
  const { errors } = await readCluster(api, { clock: createFakeClock() });
  expect(asked).toHaveLength(1);
  expect(errors.map(({ kind }) => kind)).toEqual(Array(5).fill('unauthorized'));
});
