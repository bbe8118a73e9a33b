import { readdir, stat } from 'node:fs/promises';
import path from 'node:path';
import { expect, it } from 'vitest';
import { emqxV5Server } from '../../../src/api/dialects/emqx-v5/server/server.ts';
import { createHttpApi, type HttpApi } from '../../../src/api/dialects/index.ts';
import type { EmbeddedBroker } from '../../../src/broker/embedded-broker.ts';
import { RawClient } from '../support.ts';
import { copyFolder } from './journal-support.ts';
import { makeFolder, password, portAt, readStored, startBroker } from './support.ts';

async function withApi<T>(
  { server }: EmbeddedBroker,
  ask: (api: HttpApi) => Promise<T>,
  pair = { user: 'admin', password },
): Promise<T> {
  const api = createHttpApi({ url: server.url, variant: 'b', ...pair });
  try {
    return await ask(api);
  } finally {
    await api.close();
  }
}

const publish = (topic: string, payload: string, qos: 0 | 1 | 2, messageId: number, retain = false) =>
  ({ cmd: 'publish', topic, payload, qos, messageId, retain, dup: false }) as const;

it('brings administrators back, with their new passwords, tags and without those that were deleted', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder);
  expect(before.hasStoredUsers).toBe(false);
  await withApi(before, async (api) => {
    await api.addUser({ username: 'op', password: 'secret of op', tags: 'user' });
    await api.addUser({ username: 'gone', password: 'x', tags: 'user' });
    await api.changeUserTags('op', 'administrator');
    await api.deleteUser('gone');
    await api.changePassword('admin', password, 'a new secret');
  });
  await before.close();

  const text = await readStored(folder, 'users');
  for (const secret of [password, 'secret of op', 'a new secret']) {
    expect(text).not.toContain(secret);
    expect(text).not.toContain(Buffer.from(secret).toString('base64'));
  }
  const after = await startBroker(folder, { user: 'other', password: 'not used' });
  expect(after.hasStoredUsers).toBe(true);
  await withApi(
    after,
    async (api) => {
      expect(await api.listUsers()).toEqual([
        { username: 'admin', tags: 'administrator' },
        { username: 'op', tags: 'administrator' },
      ]);
      await api.checkCredentials('op', 'secret of op');
    },
    { user: 'admin', password: 'a new secret' },
  );
  await expect(withApi(after, (api) => api.listNodes())).rejects.toMatchObject({ kind: 'unauthorized' });
  await expect(withApi(after, (api) => api.listNodes(), { user: 'other', password: 'not used' })).rejects.toMatchObject(
    { kind: 'unauthorized' },
  );
});

it('brings retained messages back as they were', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder);
  const bytes = Buffer.from([0, 255, 10, 13, 128]);
  const client = await RawClient.connect(portAt(before, 1), { clientId: 'p\n"é' });
  client.send(
    { cmd: 'publish', topic: 'é/"\\\n', payload: bytes, qos: 1, messageId: 1, retain: true, dup: false },
    publish('cleared', 'x', 0, 0, true),
    publish('cleared', '', 0, 0, true),
    publish('plain', 'not kept', 0, 0),
  );
  await client.take('puback');
  await client.ping();
  await before.close();

  const after = await startBroker(folder);
  expect(
    after.cluster
      .retained('#')
      .map(({ topic, payload, qos, retain, publisher }) => ({ topic, payload, qos, retain, publisher })),
  ).toEqual([{ topic: 'é/"\\\n', payload: bytes, qos: 1, retain: true, publisher: 'p\n"é' }]);
  expect(after.cluster.nodes.map((node) => node.readMetrics()['messages.retained'])).toEqual([0, 1, 0]);
  expect(after.cluster.nodes[2]?.stats.read().retained).toEqual({ count: 1, max: 1 });
});

it('restores a persistent session: subscriptions, queue, inflight messages, node', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder, { settings: { maxInflight: 3 } });
  const client = await RawClient.connect(portAt(before, 2), { clientId: 'kept', clean: false });
  client.send({
    cmd: 'subscribe',
    messageId: 1,
    subscriptions: [
      { topic: 'a/+', qos: 2 },
      { topic: 'gone', qos: 0 },
    ],
  });
  await client.take('suback');
  client.send({ cmd: 'unsubscribe', messageId: 2, unsubscriptions: ['gone'] });
  await client.take('unsuback');
  const { api } = { api: await RawClient.connect(portAt(before, 0), { clientId: 'publisher' }) };
  api.send(
    publish('a/1', 'one', 1, 1),
    publish('a/2', 'two', 2, 2),
    publish('a/3', 'three', 2, 3),
    publish('a/4', 'four', 1, 4),
    publish('a/5', 'five', 0, 0),
  );
  for (const cmd of ['puback', 'pubrec', 'pubrec', 'puback'] as const) await api.take(cmd);
  const sent = [await client.take('publish'), await client.take('publish'), await client.take('publish')];
  expect(sent.map(({ payload }) => String(payload))).toEqual(['one', 'two', 'three']);
  expect(String((await client.take('publish')).payload)).toBe('five');
  // The second message has come to its PUBREL, the third has not been answered; from the client one QoS 2 message is half way.
  client.send({ cmd: 'pubrec', messageId: sent[1]?.messageId ?? 0 });
  await client.take('pubrel');
  client.send(publish('half', 'way', 2, 77));
  await client.take('pubrec');
  const describe = async (broker: EmbeddedBroker) => {
    const [session] = await withApi(broker, (port) => port.getNodeSession('broker3@127.0.0.1', 'kept'));
    return session;
  };
  const known = await describe(before);
  expect(known).toMatchObject({ inflight: 3, queueLength: 1, awaitingRel: 1, subscriptions: 1 });
  await before.close();

  const after = await startBroker(folder, { settings: { maxInflight: 3 } });
  expect(await describe(after)).toEqual(known);
  expect(await withApi(after, (port) => port.listRoutes({ page: 1, pageSize: 10 }))).toMatchObject({
    items: [{ topic: 'a/+', node: 'broker3@127.0.0.1' }],
  });
  expect(after.cluster.nodes[2]?.stats.read()).toMatchObject({
    sessions: { count: 1 },
    subscriptions: { count: 1 },
    routes: { count: 1 },
  });

  const again = await RawClient.open(portAt(after, 2));
  again.send({ cmd: 'connect', protocolId: 'MQTT', protocolVersion: 4, clean: false, keepalive: 0, clientId: 'kept' });
  expect(await again.take('connack')).toMatchObject({ sessionPresent: true });
  expect(await again.take('publish')).toMatchObject({ messageId: sent[0]?.messageId, dup: true, qos: 1 });
  expect(await again.take('pubrel')).toMatchObject({ messageId: sent[1]?.messageId });
  const third = await again.take('publish');
  expect(third).toMatchObject({ messageId: sent[2]?.messageId, dup: true, qos: 2 });
  // Sent again by the client: known, so passed on to nobody.
  again.send({ cmd: 'subscribe', messageId: 9, subscriptions: [{ topic: 'half', qos: 0 }] });
  await again.take('suback');
  again.send({ ...publish('half', 'way', 2, 77), dup: true });
  await again.take('pubrec');
  again.send({ cmd: 'puback', messageId: sent[0]?.messageId ?? 0 });
  expect(await again.take('publish')).toMatchObject({ topic: 'a/4', dup: false, qos: 1 });
});

it('stores messages for offline clients, and nothing of clean sessions', async () => {
  const folder = await makeFolder();
  const before = await startBroker(folder);
  for (const [clientId, clean] of [
    ['away', false],
    ['clean', true],
    ['replaced', false],
  ] as const) {
    const client = await RawClient.connect(portAt(before, 0), { clientId, clean });
    client.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 't', qos: 1 }] });
    await client.take('suback');
    client.socket.destroy();
    await client.closed;
  }
  await RawClient.connect(portAt(before, 0), { clientId: 'replaced', clean: true });
  await withApi(before, async (api) => {
    await api.publish({ topic: 't', payload: 'for later', qos: 1 });
    await api.publish({ topic: 't', payload: 'of QoS 0' });
  });
  await before.close();
  // It has one node now, so that what was on others comes to it.
  const after = await startBroker(folder, { nodes: 1 });
  expect(after.cluster.session('clean')).toBeUndefined();
  expect(after.cluster.session('replaced')).toBeUndefined();
  const client = await RawClient.connect(portAt(after, 0), { clientId: 'away', clean: false });
  expect(await client.take('publish')).toMatchObject({ payload: Buffer.from('for later'), qos: 1, dup: false });
  expect(await client.take('publish')).toMatchObject({ payload: Buffer.from('of QoS 0'), qos: 0 });
});

it('creates private files', async () => {
  const parent = await makeFolder();
  const folder = path.join(parent, 'deep', 'data');
  await startBroker(folder).then((broker) => broker.close());
  expect((await stat(folder)).mode & 0o777).toBe(0o700);
  expect((await readdir(folder)).includes('lock')).toBe(false);
  for (const name of await readdir(folder))
    expect([name, (await stat(path.join(folder, name))).mode & 0o777]).toEqual([name, 0o600]);
});

it('brings everything back after a kill', async () => {
  const folder = await makeFolder();
  const broker = await startBroker(folder);
  await withApi(broker, async (api) => {
    await api.publish({ topic: 'soon', payload: 'x', qos: 1, retain: true });
    await api.changePassword('admin', password, 'a new secret');
  });
  const after = await startBroker(await copyFolder(folder));
  expect(after.cluster.retained('#').map(({ topic }) => topic)).toEqual(['soon']);
  await expect(withApi(after, (api) => api.listNodes())).rejects.toMatchObject({ kind: 'unauthorized' });
  expect(await withApi(after, (api) => api.listNodes(), { user: 'admin', password: 'a new secret' })).toHaveLength(3);
});

it.each(['closed', 'killed'])('brings bans, API keys and stopped listeners back when it was %s', async (how) => {
  const folder = await makeFolder();
  const before = await startBroker(folder, { dialect: emqxV5Server, variant: undefined });
  const { api } = before;
  await api.addBan?.({ kind: 'client-id', value: 'sensor', reason: 'floods' });
  await api.addBan?.({ kind: 'username', value: 'lifted' });
  await api.liftBan?.({ kind: 'username', value: 'lifted' });
  const { key, secret } = await api.addApiKey({ name: 'kept', description: 'scripts' });
  await api.addApiKey({ name: 'disabled' });
  await api.setApiKeyEnabled('disabled', false);
  await api.addApiKey({ name: 'deleted' });
  await api.deleteApiKey('deleted');
  await api.stopListener?.('ws:default');
  await api.stopListener?.('tcp:default');
  await api.startListener?.('tcp:default');
  const known = [await api.listBans?.({ page: 1, pageSize: 10 }), await api.listApiKeys()];
  const data = how === 'closed' ? folder : await copyFolder(folder);
  if (how === 'closed') await before.close();
  expect(await readStored(data, 'keys').catch(() => '')).not.toContain(secret);

  const after = await startBroker(data, { dialect: emqxV5Server, variant: undefined });
  expect([await after.api.listBans?.({ page: 1, pageSize: 10 }), await after.api.listApiKeys()]).toEqual(known);
  expect((await after.api.listApiKeys()).map(({ name, isEnabled }) => [name, isEnabled])).toEqual([
    ['kept', true],
    ['disabled', false],
  ]);
  const answer = await fetch(`${after.server.url}/api/v5/cluster`, {
    headers: { authorization: `Basic ${Buffer.from(`${key}:${secret}`).toString('base64')}` },
  });
  expect(answer.status).toBe(200);
  const running = [...(await after.api.listListeners())].map(([, listeners]) =>
    listeners.flatMap(({ id, running }) => (id === undefined ? [] : `${id} ${running}`)),
  );
  expect(running).toEqual(Array.from({ length: 3 }, () => ['tcp:default yes', 'ws:default no']));
  const client = await RawClient.open(portAt(after, 0));
  client.send({
    cmd: 'connect',
    protocolId: 'MQTT',
    protocolVersion: 4,
    clean: true,
    keepalive: 0,
    clientId: 'sensor',
  });
  expect(await client.take('connack')).toMatchObject({ returnCode: 5 });
});
