import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { BrokerError, NotFoundError } from '../../../src/api/errors.ts';
import { type BrokerApi, createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { statNames } from '../../../src/domain/metrics.ts';
import { connectClient, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const [name1, name2, name3] = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'];
const firstPage = { page: 1, pageSize: 20 };

const failure = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => undefined,
    (error: unknown) => error,
  );

describe('nodes', () => {
  it('describe themselves with figures of this process', async () => {
    const api = createBrokerApi(await startTestCluster({ nodes: 2 }));
    const now = new Date();
    const clock = Math.floor(
      Date.UTC(now.getFullYear(), now.getMonth(), now.getDate(), now.getHours(), now.getMinutes(), now.getSeconds()) /
        1000,
    );
    const [info] = await api.listNodes();
    expect(info).toMatchObject({
      name: name1,
      version: '1.2.3',
      description: 'brokertop embedded broker',
      otpRelease: `Node.js ${process.version}`,
      status: 'running',
      statusText: 'Running',
    });
    expect(Math.abs((info?.clock ?? 0) - clock)).toBeLessThanOrEqual(1);
    const figures = await api.getNodeStats(name2);
    expect(figures.memoryUsedBytes).toBeGreaterThan(1_000_000);
    expect(figures.memoryTotalBytes).toBeGreaterThan(figures.memoryUsedBytes ?? Infinity);
    expect(figures).toMatchObject({ clients: 0, processesUsed: 2, status: 'running' });
    expect(figures.processLimit).toBeLessThanOrEqual(204_802);
    const limit = /Max open files\s+(\d+)/.exec(readFileSync('/proc/self/limits', 'utf8'))?.[1];
    expect(figures.maxFileDescriptors).toBe(limit === undefined ? undefined : Number(limit));
  });

  it('that are stopped have only a name and a status', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    await cluster.stopNode(name2);
    expect((await api.listNodes()).map(({ name }) => name)).toEqual([name1]);
    const [, stopped] = await api.listNodeStats();
    expect(stopped).toMatchObject({
      name: name2,
      status: 'stopped',
      statusText: 'Stopped',
      memoryTotalBytes: undefined,
      clients: undefined,
    });
    for (const list of [await api.listListeners(), await api.listStats()]) expect([...list.keys()]).toEqual([name1]);
    const metrics = await api.listMetrics();
    expect(metrics.kind === 'by-node' && [...metrics.nodes.keys()]).toEqual([name1]);
  });

  const reads: readonly (readonly [string, (api: BrokerApi, node: string) => Promise<unknown>])[] = [
    ['getNode', (api, node) => api.getNode(node)],
    ['getNodeStats', (api, node) => api.getNodeStats(node)],
    ['getListeners', (api, node) => api.getListeners(node)],
    ['getMetrics', (api, node) => api.getMetrics(node)],
    ['getStats', (api, node) => api.getStats(node)],
    ['listClients', (api, node) => api.listClients(node, firstPage)],
    ['getNodeClient', (api, node) => api.getNodeClient(node, 'x')],
    ['listSessions', (api, node) => api.listSessions(node, firstPage)],
    ['getNodeSession', (api, node) => api.getNodeSession(node, 'x')],
    ['listSubscriptions', (api, node) => api.listSubscriptions(node, firstPage)],
    ['getNodeSubscriptions', (api, node) => api.getNodeSubscriptions(node, 'x')],
  ];
  it.each(reads)('%s rejects an unknown and a stopped one', async (_, read) => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    await cluster.stopNode(name2);
    expect(await failure(read(api, 'nope@127.0.0.1'))).toBeInstanceOf(NotFoundError);
    expect(await failure(read(api, name2))).toBeInstanceOf(NotFoundError);
    expect(await failure(read(api, name1))).toBeUndefined();
  });
});

describe('listeners', () => {
  it('show current and max clients, also of another service', async () => {
    const cluster = await startTestCluster({ maxTcpClients: 7 });
    const api = createBrokerApi(cluster);
    const { tcp, ws } = nodeAt(cluster, 0).ports;
    await connectClient(urlOf(cluster));
    await connectClient(urlOf(cluster, 0, 'ws'));
    // A socket counts from its first moment, as it takes one of the places.
    await RawClient.connect(tcp, { clientId: 'raw' });
    const service = {
      protocol: 'mqtt:api',
      listen: '127.0.0.1:8080',
      address: '127.0.0.1',
      port: 8080,
      acceptors: 1,
      maxClients: 64,
      currentClients: 2,
      shutdownCount: {},
      shutdownCountRaw: undefined,
    };
    const remove = nodeAt(cluster, 0).addListener(() => service);
    expect(await api.getListeners(name1)).toEqual([
      {
        ...service,
        id: 'tcp:default',
        running: 'yes',
        protocol: 'mqtt:tcp',
        listen: `127.0.0.1:${tcp}`,
        port: tcp,
        maxClients: 7,
        currentClients: 2,
      },
      {
        ...service,
        id: 'ws:default',
        running: 'yes',
        protocol: 'mqtt:ws',
        listen: `127.0.0.1:${ws}`,
        port: ws,
        maxClients: 102_400,
        currentClients: 1,
      },
      service,
    ]);
    expect((await api.getNodeStats(name1)).processesUsed).toBe(3 + 2 + 1 + 2);
    remove();
    expect(await api.getListeners(name1)).toHaveLength(2);
  });
});

describe('clients and sessions', () => {
  it('are listed on their node in the order of their ids, page by page', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const ids = ['c', 'a', 'Z', 'e', 'b', 'd', '%2F', '.'];
    for (const clientId of ids) await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId });
    await RawClient.connect(nodeAt(cluster, 1).ports.tcp, { clientId: 'elsewhere' });
    for (const list of [api.listClients, api.listSessions]) {
      const pages = [
        await list(name1, { page: 1, pageSize: 3 }),
        await list(name1, { page: 2, pageSize: 3 }),
        await list(name1, { page: 3, pageSize: 3 }),
      ];
      expect(pages.map(({ items }) => items.map(({ clientId }) => clientId))).toEqual([
        ['%2F', '.', 'Z'],
        ['a', 'b', 'c'],
        ['d', 'e'],
      ]);
      expect(pages[0]).toMatchObject({ page: 1, pageSize: 3, totalItems: 8, totalPages: 3 });
      expect(await list(name1, { page: 9, pageSize: 3 })).toMatchObject({
        page: 9,
        items: [],
        totalItems: 8,
        totalPages: 3,
      });
      expect((await list(name2, firstPage)).items.map(({ clientId }) => clientId)).toEqual(['elsewhere']);
    }
  });

  it('have the values of the CONNECT', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const before = Math.floor(Date.now() / 1000) - new Date().getTimezoneOffset() * 60;
    const raw = await RawClient.connect(nodeAt(cluster, 1).ports.tcp, {
      clientId: 'old',
      protocolId: 'MQIsdp',
      protocolVersion: 3,
      clean: false,
      keepalive: 77,
      username: 'user',
    });
    const [client, ...others] = await api.getClient('old');
    expect(others).toEqual([]);
    expect(client).toMatchObject({
      clientId: 'old',
      username: 'user',
      ipAddress: '127.0.0.1',
      port: raw.socket.localPort,
      cleanSession: false,
      protocolVersion: 3,
      keepaliveSeconds: 77,
      node: name2,
      unparsed: {},
    });
    expect(client?.connectedAt).toBeGreaterThanOrEqual(before);
    expect(client).not.toHaveProperty('password');
    expect(await api.getNodeClient(name2, 'old')).toEqual([client]);
    expect(await api.getNodeClient(name1, 'old')).toEqual([]);
    expect(await api.getClient('nobody')).toEqual([]);

    const [session] = await api.getSession('old');
    expect(session).toEqual({
      clientId: 'old',
      cleanSession: false,
      createdAt: client?.connectedAt,
      node: name2,
      maxInflight: 32,
      inflight: 0,
      queueLength: 0,
      dropped: 0,
      awaitingRel: 0,
      awaitingAck: 0,
      awaitingComp: 0,
      subscriptions: 0,
      delivered: 0,
      deliveredAboveQos0: 0,
      deliveredQos2: 0,
      enqueued: 0,
      maxQueueLength: 1000,
      isConnected: true,
      unparsed: {},
    });
    expect(await api.getNodeSession(name2, 'old')).toEqual([session]);
    expect(await api.getNodeSession(name1, 'old')).toEqual([]);
    expect(await api.getSession('nobody')).toEqual([]);
  });

  it('can be disconnected while they are online', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const raw = await RawClient.connect(nodeAt(cluster, 1).ports.tcp, { clientId: 'x', clean: false });
    await api.disconnectClient('x');
    await raw.closed;
    expect(await api.getClient('x')).toEqual([]);
    expect(await api.getSession('x')).toHaveLength(1);
    expect(await failure(api.disconnectClient('x'))).toMatchObject({ kind: 'not-connected', brokerMessage: undefined });
    expect(await failure(api.disconnectClient('nobody'))).toMatchObject({ kind: 'not-connected' });
    expect(await failure(api.clearAclCache('x', 'a'))).toMatchObject({ kind: 'not-connected' });
  });
});

describe('statistics', () => {
  it("are the node's own or the cluster's, with their maxima", async () => {
    const cluster = await startTestCluster({ nodes: 3 });
    const api = createBrokerApi(cluster);
    const a = await connectClient(urlOf(cluster, 0), { clientId: 'a', clean: false });
    const b = await connectClient(urlOf(cluster, 1), { clientId: 'b' });
    await a.mqtt.subscribeAsync({ 't/#': { qos: 1 }, only: { qos: 0 } });
    await b.mqtt.subscribeAsync('t/#');
    await a.mqtt.publishAsync('r', 'x', { qos: 1, retain: true });
    const figures = async (name: string) => {
      const stats = await api.getStats(name);
      return statNames.map((stat) => `${stats[stat].count}/${stats[stat].max}`).join(' ');
    };
    // clients, sessions, subscribers, subscriptions; topics, routes, retained
    expect(await figures(name1)).toBe('1/1 1/1 2/2 2/2 2/2 3/3 1/1');
    expect(await figures(name2)).toBe('1/1 1/1 1/1 1/1 2/2 3/3 1/1');
    expect(await figures(name3)).toBe('0/0 0/0 0/0 0/0 2/2 3/3 1/1');
    const gone = [disconnection(cluster, 'a'), disconnection(cluster, 'b')];
    await b.mqtt.publishAsync('r', '', { qos: 1, retain: true });
    await a.mqtt.endAsync();
    await b.mqtt.endAsync();
    await Promise.all(gone);
    expect(await figures(name1)).toBe('0/1 1/1 2/2 2/2 2/2 2/3 0/1');
    expect(await figures(name2)).toBe('0/1 0/1 0/1 0/1 2/2 2/3 0/1');
  });
});

describe('subscriptions and routes', () => {
  it('are listed by node and by client', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const a = await connectClient(urlOf(cluster, 0), { clientId: 'a' });
    const b = await connectClient(urlOf(cluster, 0), { clientId: 'b' });
    const c = await connectClient(urlOf(cluster, 1), { clientId: 'c' });
    await b.mqtt.subscribeAsync({ x: { qos: 2 }, y: { qos: 0 } });
    await a.mqtt.subscribeAsync({ '/lead': { qos: 1 }, x: { qos: 0 }, 'z/#': { qos: 1 } });
    await c.mqtt.subscribeAsync('x');
    const pages = [
      await api.listSubscriptions(name1, { page: 1, pageSize: 2 }),
      await api.listSubscriptions(name1, { page: 2, pageSize: 2 }),
      await api.listSubscriptions(name1, { page: 3, pageSize: 2 }),
    ];
    expect(pages.flatMap(({ items }) => items)).toEqual([
      { clientId: 'a', topic: '/lead', qos: 1, node: name1 },
      { clientId: 'a', topic: 'x', qos: 0, node: name1 },
      { clientId: 'a', topic: 'z/#', qos: 1, node: name1 },
      { clientId: 'b', topic: 'x', qos: 2, node: name1 },
      { clientId: 'b', topic: 'y', qos: 0, node: name1 },
    ]);
    expect(pages[2]).toMatchObject({ totalItems: 5, totalPages: 3 });
    expect(await api.getSubscriptions('c')).toEqual([{ clientId: 'c', topic: 'x', qos: 0, node: name2 }]);
    expect(await api.getNodeSubscriptions(name1, 'c')).toEqual([]);
    expect(await api.getNodeSubscriptions(name2, 'c')).toHaveLength(1);
    expect(await api.getRoutes('x')).toEqual([
      { topic: 'x', node: name1 },
      { topic: 'x', node: name2 },
    ]);
    expect(await api.getRoutes('/lead')).toHaveLength(1);
    expect(await api.getRoutes('nope')).toEqual([]);
    const routes = [];
    for (let page = 1; page <= 3; page += 1) routes.push(...(await api.listRoutes({ page, pageSize: 2 })).items);
    expect(routes).toHaveLength(5);
    expect(new Set(routes.map(({ topic, node }) => `${topic} ${node}`)).size).toBe(5);
    expect(await api.listRoutes({ page: 1, pageSize: 2 })).toMatchObject({ totalItems: 5, totalPages: 3 });
  });

  it('can be added and removed for a client, online or offline, on any node', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    await api.publish({ topic: 'r', payload: 'kept', qos: 1, retain: true });
    const online = await connectClient(urlOf(cluster, 1), { clientId: 'online' });
    await api.subscribe({ clientId: 'online', topic: 'r', qos: 1 });
    expect(await online.messages(1)).toMatchObject([{ payload: 'kept', retain: true, qos: 1 }]);
    await api.unsubscribe({ clientId: 'online', topic: 'r' });
    expect(await api.getSubscriptions('online')).toEqual([]);

    const gone = disconnection(cluster, 'offline');
    const raw = await RawClient.connect(nodeAt(cluster, 1).ports.tcp, { clientId: 'offline', clean: false });
    raw.send({ cmd: 'disconnect' });
    await gone;
    await api.subscribe({ clientId: 'offline', topic: 'o/#', qos: 2 });
    await api.publish({ topic: 'o/1', payload: 'queued', qos: 2 });
    expect(await api.getSession('offline')).toMatchObject([{ queueLength: 1, subscriptions: 1 }]);
  });

  it('refuse an unknown client and an invalid topic with 102', async () => {
    const cluster = await startTestCluster();
    const api = createBrokerApi(cluster);
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    const unknown = { kind: 'failed', brokerMessage: 'Clientid: nope not found' };
    expect(await failure(api.subscribe({ clientId: 'nope', topic: 'a', qos: 0 }))).toMatchObject(unknown);
    expect(await failure(api.unsubscribe({ clientId: 'nope', topic: 'a' }))).toMatchObject(unknown);
    const invalid = { kind: 'failed', brokerMessage: 'validate topic: a#b fail' };
    expect(await failure(api.subscribe({ clientId: 'x', topic: 'a#b', qos: 0 }))).toMatchObject(invalid);
    expect(await failure(api.unsubscribe({ clientId: 'x', topic: 'a#b' }))).toMatchObject(invalid);
    for (const topic of ['a/#', '', '+']) {
      const error = await failure(api.publish({ topic }));
      expect(error).toBeInstanceOf(BrokerError);
      expect(error).toMatchObject({ kind: 'failed', brokerMessage: `validate topic: ${topic} fail` });
    }
  });
});

describe('publishing and subscribing through the API', () => {
  it('need a well-formed topic, which the error repeats in part', async () => {
    const cluster = await startTestCluster();
    const api = createBrokerApi(cluster);
    await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'x' });
    for (const topic of ['a\ud800', '\udc00/b']) {
      const refusal = { kind: 'failed', brokerMessage: `validate topic: ${topic.toWellFormed()} fail` };
      expect(await failure(api.publish({ topic }))).toMatchObject(refusal);
      expect(await failure(api.subscribe({ clientId: 'x', topic, qos: 0 }))).toMatchObject(refusal);
      expect(await failure(api.unsubscribe({ clientId: 'x', topic }))).toMatchObject(refusal);
    }
    expect(await failure(api.publish({ topic: `${'x'.repeat(1000)}#` }))).toMatchObject({
      kind: 'failed',
      brokerMessage: `validate topic: ${'x'.repeat(200)}... fail`,
    });
    expect(cluster.sharedStat('topics')).toBe(0);
  });

  it('need a message that fits into a packet of the node', async () => {
    const cluster = await startTestCluster({ settings: { maxPacketSize: 200 } });
    const api = createBrokerApi(cluster);
    // Fixed header of three bytes, two for the length of the topic, one for it, two for the id.
    const fits = 'x'.repeat(200 - 8);
    await api.publish({ topic: 't', payload: fits, qos: 1 });
    expect(await failure(api.publish({ topic: 't', payload: `${fits}x`, qos: 1 }))).toMatchObject({
      kind: 'failed',
      brokerMessage: 'The message is too large: its packet has more than 200 bytes.',
    });
    expect(await failure(api.publish({ topic: 't', payload: 'é'.repeat(100), qos: 1 }))).toMatchObject({
      kind: 'failed',
    });
  });
});

describe('publish', () => {
  it('has the defaults of the specification and is not counted as a packet', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const api = createBrokerApi(cluster);
    const client = await connectClient(urlOf(cluster, 1));
    await client.mqtt.subscribeAsync('t', { qos: 2 });
    const publishers: string[] = [];
    cluster.events.on('published', ({ publisher }) => publishers.push(publisher));
    await api.publish({ topic: 't' });
    await api.publish({ topic: 't', payload: 'é', qos: 2, retain: true, clientId: 'me' });
    await api.publish({ topic: 'nobody' });
    expect(await client.messages(2)).toMatchObject([
      { payload: '', qos: 0, retain: false },
      { payload: 'é', qos: 2, retain: false },
    ]);
    expect(publishers).toEqual(['http', 'me', 'http']);
    const metrics = await api.getMetrics(name1);
    expect(metrics).toMatchObject({
      'packets.received': 0,
      'messages.received': 0,
      'messages.dropped': 1,
      'messages.retained': 1,
    });
  });
});
