import dns from 'node:dns';
import { once } from 'node:events';
import { createServer, type Server } from 'node:net';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { BrokerCluster } from '../../src/broker/cluster.ts';
import { ListenError } from '../../src/broker/engine/listener.ts';
import { createBrokerApi } from '../../src/broker/management/broker-api.ts';
import { connectClient, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from './support.ts';

const [name1, name2] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];

async function listenOn(port: number): Promise<Server> {
  const server = createServer();
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
  return server;
}

async function shut(server: Server): Promise<void> {
  server.close();
  await once(server, 'close');
}

function portOf(server: Server): number {
  const address = server.address();
  return address !== null && typeof address === 'object' ? address.port : 0;
}

describe('a stopped node', () => {
  it('drops its clients and its listeners while the others serve, and its persistent sessions live on', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const { tcp } = nodeAt(cluster, 1).ports;
    const keeper = await RawClient.connect(tcp, { clientId: 'keeper', clean: false });
    keeper.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'k', qos: 1 }] });
    await keeper.take('suback');
    const passer = await connectClient(urlOf(cluster, 1, 'ws'), { clientId: 'passer' });
    const stayer = await connectClient(urlOf(cluster, 0), { clientId: 'stayer' });
    await stayer.mqtt.subscribeAsync('s', { qos: 1 });

    await cluster.stopNode(name2);
    await Promise.all([keeper.closed, passer.closed]);
    const socket = await RawClient.open(tcp).then(
      () => 'connected',
      (error: unknown) => error,
    );
    expect(socket).toMatchObject({ code: 'ECONNREFUSED' });

    expect(cluster.session('keeper')?.nodeName).toBe(name1);
    expect(cluster.session('passer')).toBeUndefined();
    expect((await api.getRoutes('k')).map(({ node }) => node)).toEqual([name1]);
    expect((await api.listStats()).get(name1)?.sessions.count).toBe(2);
    await stayer.mqtt.publishAsync('k', 'waited', { qos: 1 });
    await stayer.mqtt.publishAsync('s', 'still served', { qos: 1 });
    expect((await stayer.messages(1))[0]?.payload).toBe('still served');

    const resumed = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'keeper', clean: false });
    expect(String((await resumed.take('publish')).payload)).toBe('waited');
  });

  it('comes back on its ports with figures from zero', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const before = nodeAt(cluster, 1).ports;
    const client = await connectClient(urlOf(cluster, 1));
    await client.mqtt.subscribeAsync('a', { qos: 1 });
    await cluster.stopNode(name2);
    await cluster.stopNode(name2);
    await cluster.startNode(name2);
    await cluster.startNode(name2);
    expect(nodeAt(cluster, 1).ports).toEqual(before);
    expect(Object.values(await api.getMetrics(name2)).every((value) => value === 0)).toBe(true);
    const stats = await api.getStats(name2);
    for (const name of ['clients', 'sessions', 'subscriptions', 'topics', 'routes'] as const) {
      expect(stats[name]).toEqual({ count: 0, max: 0 });
    }
    expect((await api.getNode(name2)).uptimeSeconds).toBe(0);
    const again = await connectClient(urlOf(cluster, 1));
    await again.mqtt.subscribeAsync('a', { qos: 1 });
    await again.mqtt.publishAsync('a', 'back', { qos: 1 });
    expect((await again.messages(1))[0]?.payload).toBe('back');
  });

  it('publishes the wills of its clients through the others', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const watcher = await connectClient(urlOf(cluster, 0));
    await watcher.mqtt.subscribeAsync('will', { qos: 1 });
    await RawClient.connect(nodeAt(cluster, 1).ports.tcp, {
      clientId: 'm',
      will: { topic: 'will', payload: Buffer.from('gone'), qos: 1 },
    });
    await cluster.stopNode(name2);
    expect((await watcher.messages(1))[0]?.payload).toBe('gone');
  });

  it('gives its sessions to the first node that starts when all were stopped', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const gone = disconnection(cluster, 'keeper');
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'keeper', clean: false });
    await cluster.stopNode(name2);
    await cluster.stopNode(name1);
    await gone;
    expect(cluster.session('keeper')?.nodeName).toBe(name1);
    await cluster.startNode(name2);
    expect(cluster.session('keeper')?.nodeName).toBe(name2);
  });

  it('does not exist under an unknown name', async () => {
    const cluster = await startTestCluster();
    expect(() => cluster.stopNode('nope@127.0.0.1')).toThrow(RangeError);
    expect(() => cluster.startNode('nope@127.0.0.1')).toThrow(RangeError);
  });
});

describe('ports', () => {
  it('are the given one and those after it', async () => {
    const cluster = new BrokerCluster({ version: '1', nodes: 3, mqttPort: 40_001, wsPort: 41_001 });
    expect(cluster.nodes.map(({ name, ports }) => [name, ports.tcp, ports.ws])).toEqual([
      [name1, 40_001, 41_001],
      [name2, 40_002, 41_002],
      ['broker3@127.0.0.1', 40_003, 41_003],
    ]);
  });

  it('that are in use fail with one error and leave nothing listening', async () => {
    const [taken, free] = await Promise.all([listenOn(0), listenOn(0)]);
    const [wsPort, mqttPort] = [portOf(taken), portOf(free)];
    await shut(free);
    const cluster = new BrokerCluster({ version: '1', nodes: 2, mqttPort, wsPort });
    const error = await cluster.start().then(
      () => undefined,
      (reason: unknown) => reason,
    );
    expect(error).toBeInstanceOf(ListenError);
    expect(error).toMatchObject({ protocol: 'mqtt:ws', address: '127.0.0.1', port: wsPort, code: 'EADDRINUSE' });
    expect(cluster.nodes.map((node) => node.isRunning)).toEqual([false, false]);
    await shut(await listenOn(mqttPort));
    await shut(taken);
  });

  it('of which one is open earlier than the next account for who comes in between', async () => {
    const free = await listenOn(0);
    const mqttPort = portOf(free);
    await shut(free);
    const asked: (() => void)[] = [];
    const second = Promise.withResolvers<void>();
    const lookup = vi.spyOn(dns, 'lookup').mockImplementation((...args: unknown[]) => {
      const answer = args.at(-1);
      asked.push(() => {
        if (typeof answer === 'function') answer(null, '127.0.0.1', 4);
      });
      if (asked.length === 1) asked[0]?.();
      else second.resolve();
    });
    onTestFinished(() => lookup.mockRestore());
    const cluster = new BrokerCluster({ version: '1', nodes: 1, host: 'localhost', mqttPort, wsPort: 0 });
    onTestFinished(() => cluster.close());
    const started = cluster.start();
    await second.promise;
    const early = await RawClient.connect(mqttPort, { clientId: 'early' });
    const gone = disconnection(cluster, 'early');
    early.send({ cmd: 'disconnect' });
    await gone;
    await RawClient.connect(mqttPort, { clientId: 'stays' });
    asked[1]?.();
    await started;
    expect(nodeAt(cluster, 0).describeListeners()[0]?.currentClients).toBe(1);
  });

  it('beyond 65535 fail in the same way', async () => {
    const free = await listenOn(0);
    const mqttPort = portOf(free);
    await shut(free);
    const cluster = new BrokerCluster({ version: '1', nodes: 2, mqttPort, wsPort: 65_536 });
    await expect(cluster.start()).rejects.toMatchObject({ name: 'ListenError', code: 'ERR_SOCKET_BAD_PORT' });
    await shut(await listenOn(mqttPort));
  });

  it('that are in use by now keep a node stopped', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const { tcp } = nodeAt(cluster, 1).ports;
    await cluster.stopNode(name2);
    const squatter = await listenOn(tcp);
    await expect(cluster.startNode(name2)).rejects.toBeInstanceOf(ListenError);
    expect(nodeAt(cluster, 1).isRunning).toBe(false);
    await shut(squatter);
    await cluster.startNode(name2);
    expect(nodeAt(cluster, 1).isRunning).toBe(true);
  });
});
