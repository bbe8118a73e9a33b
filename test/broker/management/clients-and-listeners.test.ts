import { connect } from 'node:net';
import { once } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { portOf, publish, subscribe } from '../operator-support.ts';
import { connectClient, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'] as const;

describe('clients', () => {
  it('count their messages and bytes since they connected', async () => {
    const cluster = await startTestCluster();
    const api = createBrokerApi(cluster);
    const client = await RawClient.connect(portOf(cluster), { clientId: 'talks' });
    await subscribe(client, 'to/me', 0);
    await publish(client, 'a');
    await publish(client, 'to/nobody');
    await api.publish({ topic: 'to/me', payload: 'x' });
    await client.take('publish');
    const [found] = await api.getClient('talks');
    expect(found?.traffic).toMatchObject({ receivedMessages: 2, sentMessages: 1 });
    const before = found?.traffic;
    await client.ping();
    const [later] = await api.getClient('talks');
    expect([
      (later?.traffic?.receivedBytes ?? 0) - (before?.receivedBytes ?? 0),
      (later?.traffic?.sentBytes ?? 0) - (before?.sentBytes ?? 0),
    ]).toEqual([2, 2]);
  });

  it('are searched by parts of id and user name, address and node', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    for (const [at, clientId] of ['sensor-1', 'sensor-2', 'app-1', 'Sensor-3'].entries())
      await connectClient(urlOf(cluster, at % 2), { clientId, username: at < 2 ? 'plant' : 'ops' });
    const find = async (search: Parameters<typeof api.searchClients>[0]) =>
      (await api.searchClients(search, { page: 1, pageSize: 10 })).items.map(({ clientId }) => clientId);
    expect(await find({ clientId: 'sensor' })).toEqual(['sensor-1', 'sensor-2']);
    expect(await find({ clientId: '-1' })).toEqual(['app-1', 'sensor-1']);
    expect(await find({ username: 'op' })).toEqual(['app-1', 'Sensor-3']);
    expect(await find({ node: two })).toEqual(['Sensor-3', 'sensor-2']);
    expect(await find({ node: one, username: 'plant' })).toEqual(['sensor-1']);
    expect(await find({ ipAddress: '127.0' })).toHaveLength(4);
    expect(await find({ ipAddress: '10.' })).toEqual([]);
    expect(await api.searchClients({}, { page: 2, pageSize: 3 })).toMatchObject({
      totalItems: 4,
      totalPages: 2,
      items: [{ clientId: 'sensor-2' }],
    });
  });

  it('lose their session when an API says so, also while they are offline', async () => {
    const cluster = await startTestCluster();
    const api = createBrokerApi(cluster, { disconnectEndsSession: true });
    const lasting = await RawClient.connect(portOf(cluster), { clientId: 'lasting', clean: false });
    await subscribe(lasting, 'x/#');
    await api.disconnectClient('lasting');
    await lasting.closed;
    expect([await api.getSession('lasting'), await api.getRoutes('x/#')]).toEqual([[], []]);

    const away = await RawClient.connect(portOf(cluster), { clientId: 'away', clean: false });
    away.socket.destroy();
    await expect.poll(() => cluster.session('away')?.connection).toBeUndefined();
    await api.disconnectClient('away');
    expect(await api.getSession('away')).toEqual([]);
    await expect(api.disconnectClient('away')).rejects.toMatchObject({ kind: 'not-connected' });
  });
});

it('says when nobody receives a message', async () => {
  const cluster = await startTestCluster();
  const api = createBrokerApi(cluster);
  const client = await connectClient(urlOf(cluster));
  await client.mqtt.subscribeAsync('heard/+');
  const unheard: string[] = [];
  for (const topic of ['heard/1', 'unheard', 'heard/2'])
    await api.publish({ topic, retain: true, payload: 'x' }, { onNoReceiver: () => unheard.push(topic) });
  expect(unheard).toEqual(['unheard']);
});

describe('listeners', () => {
  it('stop on all nodes with their clients, and start again on their ports', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const ports = cluster.nodes.map((node) => node.ports.tcp);
    const web = await connectClient(urlOf(cluster, 0, 'ws'), { clientId: 'web' });
    const plain = await Promise.all(
      [0, 1].map((node) => RawClient.connect(portOf(cluster, node), { clientId: `plain${node}` })),
    );
    await api.stopListener('tcp:default');
    await Promise.all(plain.map(({ closed }) => closed));
    for (const node of [one, two]) {
      expect((await api.getListeners(node)).map(({ id, running }) => [id, running])).toEqual([
        ['tcp:default', 'no'],
        ['ws:default', 'yes'],
      ]);
    }
    for (const port of ports)
      await expect(once(connect({ host: '127.0.0.1', port }), 'connect')).rejects.toMatchObject({
        code: 'ECONNREFUSED',
      });
    expect(web.mqtt.connected).toBe(true);
    await api.stopListener('tcp:default');

    await api.startListener('tcp:default');
    await api.startListener('tcp:default');
    expect(cluster.nodes.map((node) => node.ports.tcp)).toEqual(ports);
    for (const node of [0, 1])
      await (await RawClient.connect(portOf(cluster, node), { clientId: `again${node}` })).ping();
    expect((await api.getListeners(one))[0]).toMatchObject({ running: 'yes', currentClients: 1 });
  });

  it('stay stopped when their node restarts', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    await api.stopListener('ws:default');
    const { tcp } = nodeAt(cluster, 1).ports;
    await cluster.stopNode(two);
    await cluster.startNode(two);
    expect((await api.getListeners(two)).map(({ running }) => running)).toEqual(['yes', 'no']);
    expect(nodeAt(cluster, 1).ports.tcp).toBe(tcp);
    await cluster.stopNode(two);
    await api.startListener('ws:default');
    await cluster.startNode(two);
    expect((await api.getListeners(two)).map(({ running }) => running)).toEqual(['yes', 'yes']);
  });

  it('are known by their ids', async () => {
    const api = createBrokerApi(await startTestCluster());
    for (const id of ['tcp', 'tcp:other', '__proto__'])
      await expect(api.stopListener(id)).rejects.toMatchObject({ kind: 'does-not-exist' });
  });
});
