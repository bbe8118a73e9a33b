import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { metricNames, type Metrics, statNames } from '../../src/domain/metrics.ts';
import { type Chain, errorOfKind, failuresOf, isEmq, nodeNames, speakers, startChain, traitsOf } from './support.ts';

const [one, two, three] = nodeNames;

describe.each(speakers)('nodes, listeners, metrics and statistics, %s', (variant) => {
  const traits = traitsOf(variant);
  const now = (): number =>
    Math.floor(Date.now() / 1000) - (traits.hasUtcClock ? 0 : new Date().getTimezoneOffset() * 60);
  let chain: Chain;

  beforeAll(async () => {
    chain = await startChain(variant);
    const subscriber = await chain.connect('subscriber', 1, { protocol: 'ws' });
    await subscriber.subscribeAsync('news/#', { qos: 1 });
    const publisher = await chain.connect('publisher', 0);
    const got = new Promise<void>((resolve) => {
      subscriber.on('message', (topic) => {
        if (topic === 'news/2') resolve();
      });
    });
    await publisher.publishAsync('news/1', 'x', { qos: 0, retain: true });
    await publisher.publishAsync('nobody/listens', 'x', { qos: 1 });
    await publisher.publishAsync('news/2', 'x', { qos: 2 });
    await got;
  });
  afterAll(() => chain.close());

  it('lists the nodes, and reads one of them', async () => {
    const nodes = await chain.api.listNodes();
    expect(nodes.map(({ name }) => name)).toEqual(nodeNames);
    for (const node of nodes) {
      expect(node).toMatchObject({
        version: traits.release,
        status: 'running',
        statusText: traits.statusText,
        unparsed: {},
      });
      expect(node.uptimeSeconds).toBeGreaterThanOrEqual(0);
      expect(node.otpRelease?.includes(process.version)).toBe(variant === 'small' ? undefined : true);
    }
    const alone = await chain.api.getNode(two);
    expect({ ...alone, clock: 0, uptimeSeconds: 0 }).toEqual({ ...nodes[1], clock: 0, uptimeSeconds: 0 });
  });

  it('gives the clock of the broker, to the second', async () => {
    const before = now();
    const { clock } = await chain.api.getNode(one);
    const after = now();
    expect(clock).toBeGreaterThanOrEqual(before);
    expect(clock).toBeLessThanOrEqual(after);
  });

  it('lists node statistics, and reads those of one node', async () => {
    const stats = await chain.api.listNodeStats();
    expect(stats.map(({ name, clients }) => [name, clients])).toEqual([
      [one, 1],
      [two, 1],
      [three, 0],
    ]);
    for (const node of stats) {
      expect(node.unparsed).toEqual({});
      expect(Object.values(node).includes(undefined)).toBe(variant === 'small');
      expect(node.memoryUsedBytes).toBeGreaterThan(1_000_000);
      expect(node.memoryTotalBytes).toBeGreaterThanOrEqual(node.memoryUsedBytes ?? Number.NaN);
    }
    expect(await chain.api.getNodeStats(two)).toMatchObject({
      name: two,
      clients: 1,
      status: 'running',
      processLimit: stats[1]?.processLimit,
    });
  });

  it.runIf(isEmq(variant) || variant === 'v4')(
    'lists the listeners of every node, including the management API, with their connections',
    async () => {
      const listeners = await chain.api.listListeners();
      expect([...listeners.keys()]).toEqual(nodeNames);
      const shown = [...listeners].map(([, list]) =>
        list.map(({ protocol, port, currentClients }) => [protocol, port, currentClients]),
      );
      const [ports1, ports2, ports3] = chain.broker.cluster.nodes.map(({ ports }) => ports);
      expect(shown).toEqual([
        [
          ['mqtt:tcp', ports1?.tcp, 1],
          ['mqtt:ws', ports1?.ws, 0],
          [
            variant === 'v4' ? 'http:management' : 'mqtt:api',
            chain.broker.server.port,
            chain.broker.server.connectionCount(),
          ],
        ],
        [
          ['mqtt:tcp', ports2?.tcp, 0],
          ['mqtt:ws', ports2?.ws, 1],
        ],
        [
          ['mqtt:tcp', ports3?.tcp, 0],
          ['mqtt:ws', ports3?.ws, 0],
        ],
      ]);
      expect(await chain.api.getListeners(two)).toEqual(listeners.get(two));
      expect(listeners.get(one)?.at(-1)).toMatchObject({
        maxClients: 64,
        address: '127.0.0.1',
        shutdownCountRaw: undefined,
      });
    },
  );

  it.runIf(variant === 'v5')('lists the listeners of MQTT on every node, with the address of the first', async () => {
    const listeners = await chain.api.listListeners();
    expect([...listeners.keys()]).toEqual(nodeNames);
    const { tcp, ws } = chain.broker.cluster.nodes[0]?.ports ?? {};
    expect(
      [...listeners.values()].map((list) =>
        list.map(({ id, port, currentClients, running }) => [id, port, currentClients, running]),
      ),
    ).toEqual([
      [
        ['tcp:default', tcp, 1, 'yes'],
        ['ws:default', ws, 0, 'yes'],
      ],
      [
        ['tcp:default', tcp, 0, 'yes'],
        ['ws:default', ws, 1, 'yes'],
      ],
      [
        ['tcp:default', tcp, 0, 'yes'],
        ['ws:default', ws, 0, 'yes'],
      ],
    ]);
  });

  it('counts what was published, by node', async () => {
    const [first, second] = [await chain.api.getMetrics(one), await chain.api.getMetrics(two)];
    expect(first).toMatchObject({
      'messages.received': 3,
      'messages.qos0.received': 1,
      'messages.qos1.received': 1,
      'messages.qos2.received': 1,
      'messages.dropped': 1,
      'packets.connect': 1,
      'packets.publish.received': 3,
      'packets.pubrel.received': 1,
    });
    expect(second).toMatchObject({
      'messages.sent': 2,
      'messages.qos0.sent': 1,
      'messages.qos1.sent': 1,
      'packets.subscribe': 1,
    });
    for (const metrics of [first, second])
      expect(metricNames.filter((name) => metrics[name] === undefined)).toEqual(traits.missingMetrics);
  });

  it('gives the metrics of the cluster by node or as one total, as its API does', async () => {
    const nodes = await Promise.all(nodeNames.map((node) => chain.api.getMetrics(node)));
    const total: Metrics = Object.fromEntries(
      metricNames.map((name) => [name, nodes.reduce((sum, node) => sum + (node[name] ?? 0), 0)]),
    );
    const expected =
      chain.api.capabilities?.metricsByNode === true
        ? { kind: 'by-node', nodes: new Map(nodeNames.map((name, index) => [name, nodes[index]])) }
        : { kind: 'total', total };
    expect(await chain.api.listMetrics()).toEqual(expected);
    expect(total['messages.received']).toBe(3);
  });

  it('gives the statistics of every node, and of one', async () => {
    const stats = await chain.api.listStats();
    expect([...stats.keys()]).toEqual(nodeNames);
    expect(await chain.api.getStats(two)).toEqual(stats.get(two));
    expect(stats.get(two)).toMatchObject({
      clients: { count: 1, max: 1 },
      subscriptions: { count: 1, max: 1 },
      retained: { count: 1 },
    });
    expect(statNames.map((name) => stats.get(one)?.[name].count).every(Number.isInteger)).toBe(true);
  });

  it.each(['nope@127.0.0.1', '__proto__', 'a/b', '..'])('does not find node %j', async (node) => {
    const { api } = chain;
    const page = { page: 1, pageSize: 10 };
    for (const failure of await failuresOf([
      api.getNode(node),
      api.getNodeStats(node),
      api.getMetrics(node),
      api.getStats(node),
    ]))
      expect(failure).toEqual(errorOfKind(traits.unknownNode(node)));
    for (const failure of await failuresOf([
      api.listClients(node, page),
      api.listSubscriptions(node, page),
      ...(traits.findsOnUnknownNode ? [] : [api.getNodeClient(node, 'subscriber')]),
      ...(traits.hasSessions && !traits.findsOnUnknownNode
        ? [api.getListeners(node), api.getNodeSession(node, 'subscriber')]
        : []),
      ...(traits.hasSessions ? [api.listSessions(node, page)] : []),
    ]))
      // These take the node in the query, if it is not in the path.
      expect(failure).toEqual(errorOfKind(traits.unknownNode('nope@127.0.0.1')));
    // A client is read by its ID, which names the node.
    expect(
      traits.findsOnUnknownNode
        ? [await api.getNodeClient(node, 'subscriber'), await api.getNodeSession(node, 'subscriber')]
        : [[], []],
    ).toEqual([[], []]);
  });

  it.runIf(isEmq(variant))('lets a client detect its variant', async () => {
    const api = chain.makeApi();
    await api.listMetrics();
    await api.listStats();
    expect(api.capabilities).toEqual(chain.api.capabilities);
    expect(api.capabilities?.unsubscribe).toBe(variant === 'b');
  });
});
