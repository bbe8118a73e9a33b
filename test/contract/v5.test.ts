import { clearAclCache, endSession } from '../../src/resources/clients/actions.ts';
import { afterEach, beforeEach, expect, it } from 'vitest';
import { describeResult } from '../../src/actions/describe.ts';
import { createRunner } from '../../src/actions/runner.ts';
import { emqxV5 } from '../../src/api/dialects/emqx-v5/dialect.ts';
import { createHttpApi, openHttpApi } from '../../src/api/dialects/index.ts';
import { systemClock } from '../../src/monitor/clock.ts';
import { type Chain, errorOfKind, nodeNames, password, startChain, untilClosed } from './support.ts';

let chain: Chain;
beforeEach(async () => {
  chain = await startChain('v5', { settings: { maxQueueLength: 10, maxInflight: 3 } });
});
afterEach(() => chain.close());

const [one, two] = nodeNames;
const never = (): never => {
  throw new Error('no session');
};
const firstPage = { page: 1, pageSize: 100 };
const text = (payload: Uint8Array | undefined): string => Buffer.from(payload ?? []).toString();

/** A session of an offline client, subscribed to `work/#`. */
async function leaveSession(clientId: string): Promise<void> {
  const client = await chain.connect(clientId, 0, { clean: false });
  await client.subscribeAsync('work/#', { qos: 1 });
  await client.endAsync();
}

it('a ban is added, listed, refuses the client, and is lifted', async () => {
  const { api } = chain;
  const { clock = 0 } = await api.getNode(one);
  await api.addBan?.({ kind: 'client-id', value: 'a/b', reason: 'floods', until: clock + 3600 });
  expect((await api.listBans?.(firstPage))?.items).toMatchObject([
    { kind: 'client-id', value: 'a/b', reason: 'floods', by: 'mgmt_api', until: clock + 3600 },
  ]);
  await expect(api.addBan?.({ kind: 'client-id', value: 'a/b' })).rejects.toEqual(errorOfKind('exists'));
  await expect(chain.connect('a/b', 1)).rejects.toThrow('Not authorized');
  await api.liftBan?.({ kind: 'client-id', value: 'a/b' });
  await chain.connect('a/b', 1);
  await expect(api.liftBan?.({ kind: 'client-id', value: 'a/b' })).rejects.toEqual(errorOfKind('does-not-exist'));
  await api.addBan?.({ kind: 'username', value: 'mallory' });
  expect((await api.listBans?.(firstPage))?.items).toMatchObject([
    { kind: 'username', until: undefined, reason: undefined },
  ]);
});

it('the ACL cache of a client is read, cleared as a whole and verified', async () => {
  const { api } = chain;
  const client = await chain.connect('speaker', 0);
  for (const topic of ['a', 'b']) await client.publishAsync(topic, 'x', { qos: 1 });
  expect(await api.listAclCache?.('speaker')).toMatchObject([
    { action: 'publish', topic: 'a', isAllowed: true, decidedAt: expect.any(Number) as number },
    { topic: 'b' },
  ]);
  const runner = createRunner({ api, clock: systemClock });
  const [shown = never()] = await api.getNodeClient(one, 'speaker');
  const describe = async (): Promise<string> => {
    const action = clearAclCache.create(shown);
    return describeResult(action, await runner.run(action));
  };
  expect(await describe()).toBe('Cleared the ACL cache of client speaker. It had 2 decisions.');
  expect(await describe()).toBe('Nothing to do: clear the ACL cache of client speaker. Its cache is empty.');
});

it('the session of an offline client is ended', async () => {
  const { api } = chain;
  await leaveSession('gone');
  await api.publish({ topic: 'work/x', payload: 'x', qos: 1 });
  const [session] = await api.getNodeSession(one, 'gone');
  const runner = createRunner({ api, clock: systemClock });
  const action = endSession.create(session ?? never());
  const result = await runner.run(action);
  expect(describeResult(action, result)).toBe(
    'Ended the session of client gone. It had 1 message queued (counted up to 15 s earlier).',
  );
  expect([await api.getSession('gone'), (await api.listSubscriptions(one, firstPage)).items]).toEqual([[], []]);
});

it('a full queue is an alarm, which moves to the history', async () => {
  const { api } = chain;
  await leaveSession('slow');
  for (let at = 0; at < 12; at += 1) await api.publish({ topic: 'work/x', payload: String(at), qos: 1 });
  expect(await api.listAlarms?.(one)).toMatchObject([{ id: 'session_queue_full/slow', node: one }]);
  expect((await api.listEndedAlarms?.(firstPage))?.items).toEqual([]);
  await api.disconnectClient('slow');
  await expect
    .poll(async () => (await api.listEndedAlarms?.(firstPage))?.items, { timeout: 10_000 })
    .toMatchObject([{ id: 'session_queue_full/slow', node: one, endedAt: expect.any(Number) as number }]);
  expect(await api.listAlarms?.(one)).toEqual([]);
});

it('retained messages are browsed, read and deleted', async () => {
  const { api } = chain;
  for (const topic of ['cfg/a', 'cfg/b', 'state/ü'])
    await api.publish({ topic, payload: `of ${topic}`, retain: true, qos: 1 });
  const listed = async (filter?: string) =>
    (await api.listRetained?.(filter, firstPage))?.items.map(({ topic }) => topic);
  expect([await listed(), await listed('cfg/#')]).toEqual([
    ['cfg/a', 'cfg/b', 'state/ü'],
    ['cfg/a', 'cfg/b'],
  ]);
  expect(text((await api.getRetained?.('state/ü'))?.payload)).toBe('of state/ü');
  await api.deleteRetained?.('cfg/a');
  expect([await listed('cfg/#'), await api.getRetained?.('cfg/a')]).toEqual([['cfg/b'], undefined]);
  await expect(api.deleteRetained?.('cfg/a')).rejects.toEqual(errorOfKind('does-not-exist'));
});

it('the messages of a session are read, in its queue and in flight', async () => {
  const { api } = chain;
  await leaveSession('c');
  for (let at = 0; at < 8; at += 1) await api.publish({ topic: 'work/x', payload: String(at), qos: 1 });
  const read = async (which: 'queue' | 'inflight') => {
    const got: string[] = [];
    for (let from: string | undefined, more = true; more;) {
      const { items = [], next } = (await api.listSessionMessages?.('c', which, from)) ?? {};
      got.push(...items.map(({ payload }) => text(payload)));
      from = next;
      more = next !== undefined;
    }
    return got;
  };
  expect([await read('queue'), await read('inflight')]).toEqual([['0', '1', '2', '3', '4', '5', '6', '7'], []]);
  // Acknowledges nothing.
  const silent = await chain.connect('c', 0, { clean: false }, (client) => {
    client.handleMessage = () => undefined;
  });
  expect([await read('queue'), await read('inflight')]).toEqual([
    ['3', '4', '5', '6', '7'],
    ['0', '1', '2'],
  ]);
  silent.end(true);
});

it('a slow delivery is listed, with the threshold', async () => {
  const { api } = chain;
  const slow = await chain.connect('slow', 0, {}, (client) => {
    client.handleMessage = (_packet, done) => setTimeout(done, 600);
  });
  await slow.subscribeAsync('work/#', { qos: 1 });
  await api.publish({ topic: 'work/x', payload: 'x', qos: 1 });
  await expect
    .poll(async () => (await api.listSlowSubscriptions?.())?.items, { timeout: 10_000 })
    .toMatchObject([{ clientId: 'slow', topic: 'work/x', node: one }]);
  expect(await api.listSlowSubscriptions?.()).toMatchObject({ isEnabled: true, thresholdMs: 500 });
});

it('publishing says when nobody listens', async () => {
  const client = await chain.connect('c');
  await client.subscribeAsync('heard');
  const unheard: string[] = [];
  for (const topic of ['heard', 'unheard'])
    await chain.api.publish({ topic }, { onNoReceiver: () => unheard.push(topic) });
  expect(unheard).toEqual(['unheard']);
});

it('clients are found, and disconnected many at a time with their sessions', async () => {
  const { api } = chain;
  const clients = await Promise.all(
    ['sensor-1', 'sensor-2', 'app-1'].map((id, at) =>
      chain.connect(id, at === 1 ? 1 : 0, { clean: false, username: `user-${at}` }),
    ),
  );
  await leaveSession('sensor-away');
  const find = async (search: Parameters<NonNullable<typeof api.searchClients>>[0]) =>
    (await api.searchClients?.(search, firstPage))?.items.map(({ clientId }) => clientId);
  expect(await find({ clientId: 'sensor' })).toEqual(['sensor-1', 'sensor-2']);
  expect([
    await find({ username: 'r-2' }),
    await find({ node: two }),
    await find({ ipAddress: '127.0.0.1', clientId: 'app' }),
  ]).toEqual([['app-1'], ['sensor-2'], ['app-1']]);
  const closed = [clients[0], clients[1]].map((client) => client && untilClosed(client));
  for (const id of ['sensor-1', 'sensor-2', 'sensor-away']) await api.disconnectClient(id);
  await Promise.all(closed);
  const left = await Promise.all(nodeNames.map((node) => api.listSessions(node, firstPage)));
  expect(left.flatMap(({ items }) => items.map(({ clientId }) => clientId))).toEqual(['app-1']);
});

it('clients have their traffic', async () => {
  const client = await chain.connect('busy', 1);
  await client.publishAsync('a', 'x', { qos: 1 });
  await client.publishAsync('a', 'x', { qos: 1 });
  expect((await chain.api.listClients(two, firstPage)).items).toMatchObject([
    { clientId: 'busy', traffic: { receivedMessages: 2, sentMessages: 0 } },
  ]);
});

it('a listener stops and starts', async () => {
  const { api } = chain;
  const web = await chain.connect('web', 2, { protocol: 'ws' });
  const states = async () => (await api.getListeners(one)).map(({ id, running }) => `${id} ${running}`);
  const gone = untilClosed(web);
  await api.stopListener?.('ws:default');
  await gone;
  expect(await states()).toEqual(['tcp:default yes', 'ws:default no']);
  await api.startListener?.('ws:default');
  expect(await states()).toEqual(['tcp:default yes', 'ws:default yes']);
  await chain.connect('web', 2, { protocol: 'ws' });
  await expect(api.stopListener?.('ws:other')).rejects.toEqual(errorOfKind('does-not-exist'));
});

it('an API key signs in until it is disabled, and sees no users', async () => {
  const { api } = chain;
  const added = await api.addApiKey?.({ name: 'monitor', description: 'for tests' });
  expect(await api.listApiKeys?.()).toMatchObject([
    { name: 'monitor', key: added?.key, isEnabled: true, expiresAt: undefined, description: 'for tests' },
  ]);
  const byKey = createHttpApi({
    url: chain.broker.server.url,
    user: added?.key ?? '',
    password: added?.secret ?? '',
    dialect: emqxV5,
  });
  try {
    expect((await byKey.listNodes()).map(({ name }) => name)).toEqual(nodeNames);
    expect([byKey.capabilities?.users, api.capabilities?.users]).toEqual([false, true]);
    await expect(byKey.listUsers()).rejects.toEqual(errorOfKind('not-supported'));
    await api.setApiKeyEnabled?.('monitor', false);
    await expect(byKey.listNodes()).rejects.toEqual(errorOfKind('unauthorized'));
  } finally {
    await byKey.close();
  }
  await api.deleteApiKey?.('monitor');
  expect(await api.listApiKeys?.()).toEqual([]);
});

it('the API is detected', async () => {
  const api = openHttpApi({ url: chain.broker.server.url, user: 'admin', password });
  expect((await api.listNodes()).map(({ name }) => name)).toEqual(nodeNames);
  expect(api.info.version).toBe('v5');
  await api.close();
});
