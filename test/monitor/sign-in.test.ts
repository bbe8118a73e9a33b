import { expect, test } from 'vitest';
import { createMonitor } from '../../src/resources/cluster.ts';
import { LoginLockedError, NoAnswerError, UnauthorizedError } from '../../src/api/errors.ts';
import { createFakeClock } from '../support/fake-clock.ts';
import { createFakeApi, nodeInfo, nodeStats, stats } from './fake-api.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { selectVital, vitalResources } from '../../src/resources/vital.ts';
import { stats as statsPart } from '../../src/resources/statistics/resource.ts';
import { eventTextsIn, eventsIn } from '../support/events.ts';

/** A broker that takes one password; `asked` are the passwords that came. */
function setUp() {
  const clock = createFakeClock();
  const asked: string[] = [];
  const broker = { password: 'right', failure: undefined as Error | undefined };
  let used = 'right';
  const answering =
    <T>(value: T) =>
    async (): Promise<T> => {
      asked.push(used);
      if (used !== broker.password) throw new UnauthorizedError();
      if (broker.failure !== undefined) throw broker.failure;
      return value;
    };
  const api = createFakeApi({
    listNodes: answering([nodeInfo('a')]),
    listNodeStats: answering([nodeStats('a')]),
    listStats: answering(new Map([['a', stats({ clients: 1 })]])),
  });
  const monitor = createMonitor({ api, clock, intervalSeconds: 2, random: () => 0 });
  for (const name of ['nodes', 'nodeStats', 'stats'] as const) monitor.watch(vitalResources[name]);
  const signIn = (password: string) =>
    monitor.signIn(() => {
      used = password;
    });
  return { clock, monitor, asked, broker, signIn, state: () => monitor.store.getState() };
}

async function setUpRejected() {
  const rig = setUp();
  await rig.clock.advance(10_000);
  rig.broker.password = 'changed';
  await rig.clock.advance(2_000);
  expect(rig.state().isUnauthorized).toBe(true);
  return rig;
}

test('a 401 stops all polling at once', async () => {
  const { clock, asked, state, monitor } = await setUpRejected();
  const count = asked.length;
  monitor.refresh();
  await clock.advance(600_000);
  expect(asked).toHaveLength(count);
  expect(reading(state(), statsPart).data?.get('a')?.clients.count).toBe(1);
  expect(clock.pendingTimers()).toBe(0);
});

test('another wrong password costs one request, and polling stays stopped', async () => {
  const { clock, asked, state, signIn } = await setUpRejected();
  asked.length = 0;
  for (const guess of ['first', 'second']) expect(await signIn(guess)).toMatchObject({ kind: 'unauthorized' });
  await clock.advance(600_000);
  expect(asked).toEqual(['first', 'second']);
  expect(state().isUnauthorized).toBe(true);
});

test('with the right password everything watched is read at once, and then at every tick', async () => {
  const { clock, asked, state, signIn } = await setUpRejected();
  asked.length = 0;
  expect(await signIn('changed')).toBeUndefined();
  await clock.settle();
  expect(asked).toHaveLength(4);
  expect(state().isUnauthorized).toBe(false);
  for (const name of ['nodes', 'nodeStats', 'stats'] as const) expect(selectVital(state())[name].error).toBeUndefined();
  await clock.advance(10_000);
  expect(asked.length).toBeGreaterThan(12);
  expect(eventsIn(state()).at(-1)?.text).toBe('Signed in again. Polling resumed.');
});

test('another failure is neither a rejection nor a success: polling resumes, with back-off', async () => {
  const { clock, broker, state, signIn } = await setUpRejected();
  broker.failure = new NoAnswerError();
  expect(await signIn('changed')).toBe(broker.failure);
  const texts = eventTextsIn(state());
  expect(texts).toContain(`Polling resumed, but the login could not be checked. ${broker.failure.message}`);
  expect(texts).not.toContain('Signed in again. Polling resumed.');
  await clock.advance(2_100);
  expect(state().isUnauthorized).toBe(false);
  expect(reading(state(), statsPart).error?.kind).toBe('unreachable');
  broker.failure = undefined;
  await clock.advance(40_000);
  expect(reading(state(), statsPart).error).toBeUndefined();
});

test('two concurrent attempts are one request', async () => {
  const { asked, signIn } = await setUpRejected();
  asked.length = 0;
  const both = await Promise.all([signIn('changed'), signIn('other')]);
  expect(both).toEqual([undefined, expect.objectContaining({ kind: 'aborted' })]);
  expect(asked).not.toContain('other');
});

test('nothing is sent when nothing was rejected, or after stop', async () => {
  const { clock, asked, signIn, monitor, broker } = setUp();
  await clock.advance(1_000);
  const count = asked.length;
  expect(await signIn('other')).toBeUndefined();
  expect(asked).toHaveLength(count);
  broker.password = 'changed';
  await clock.advance(5_000);
  monitor.stop();
  asked.length = 0;
  expect(await signIn('changed')).toBeUndefined();
  expect(asked).toEqual([]);
});

test('frozen stays frozen', async () => {
  const { clock, asked, signIn, monitor } = await setUpRejected();
  monitor.setFrozen(true);
  asked.length = 0;
  expect(await signIn('changed')).toBeUndefined();
  await clock.advance(60_000);
  expect(asked).toEqual(['changed']);
});

test('an address that is skipped is noted in the state and the log', async () => {
  const { monitor, clock, state } = setUp();
  monitor.noteSkippedAddress({
    url: 'https://b',
    brief: 'certificate expired',
    message: 'Certificate expired: have it renewed.',
  });
  expect(state().skippedAddress).toEqual({
    url: 'https://b',
    brief: 'certificate expired',
    message: 'Certificate expired: have it renewed.',
    atMs: clock.nowMs(),
  });
  expect(eventsIn(state()).at(-1)).toMatchObject({
    severity: 'warning',
    text: 'Skipped https://b. Certificate expired: have it renewed.',
  });
});

test('a switch to another address is noted in the state and the log', async () => {
  const { monitor, clock, state } = setUp();
  monitor.noteFailover({ url: 'http://b', insteadOf: 'http://a', because: 'It cannot be reached.' });
  expect(state().failover).toEqual({
    url: 'http://b',
    insteadOf: 'http://a',
    because: 'It cannot be reached.',
    atMs: clock.nowMs(),
  });
  expect(eventsIn(state()).at(-1)).toMatchObject({
    severity: 'warning',
    text: 'Now using http://b instead of http://a. It cannot be reached.',
  });
});

test('a locked login is tried again when the broker takes logins again, as often as that takes', async () => {
  const { clock, monitor, asked, broker, state, signIn } = setUp();
  await clock.advance(10_000);
  broker.failure = new LoginLockedError(600);
  await clock.advance(2_000);
  expect(state().isUnauthorized).toBe(true);
  asked.length = 0;
  await clock.advance(595_000);
  expect(asked).toEqual([]);
  await clock.advance(10_000);
  expect(asked).toEqual(['right']);
  expect(state().isUnauthorized).toBe(true);
  broker.failure = undefined;
  await clock.advance(600_000);
  expect(state().isUnauthorized).toBe(false);
  expect(eventTextsIn(state())).toContain('Signed in again. Polling resumed.');
  // The operator does not have to wait.
  broker.failure = new LoginLockedError(600);
  await clock.advance(10_000);
  expect(state().isUnauthorized).toBe(true);
  broker.failure = undefined;
  expect(await signIn('right')).toBeUndefined();
  expect(state().isUnauthorized).toBe(false);
  monitor.stop();
  expect(clock.pendingTimers()).toBe(0);
});
