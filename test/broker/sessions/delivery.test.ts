import { describe, expect, it } from 'vitest';
import { connectClient, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const qosLevels = [0, 1, 2] as const;

describe.each(['tcp', 'ws'] as const)('delivery over %s', (transport) => {
  it.each(qosLevels)('publishes and delivers QoS %i, on one node and across nodes', async (qos) => {
    const cluster = await startTestCluster({ nodes: 2 });
    const here = await connectClient(urlOf(cluster, 0, transport));
    const there = await connectClient(urlOf(cluster, 1, transport));
    for (const client of [here, there]) await client.mqtt.subscribeAsync('a/b', { qos });
    await here.mqtt.publishAsync('a/b', 'hello é', { qos });
    for (const client of [here, there]) {
      expect(await client.messages(1)).toEqual([{ topic: 'a/b', payload: 'hello é', qos, retain: false, dup: false }]);
    }
  });

  it('delivers a payload that arrives in many reads', async () => {
    const cluster = await startTestCluster({ settings: { maxPacketSize: 2_000_000 } });
    const client = await connectClient(urlOf(cluster, 0, transport));
    const payload = 'x'.repeat(1_000_000);
    await client.mqtt.subscribeAsync('big', { qos: 1 });
    await client.mqtt.publishAsync('big', payload, { qos: 1 });
    expect((await client.messages(1))[0]?.payload).toBe(payload);
  });

  it('keeps the order of many messages', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster, 0, transport));
    await client.mqtt.subscribeAsync('t/#', { qos: 2 });
    const payloads = Array.from({ length: 300 }, (_, index) => String(index));
    await Promise.all(payloads.map((payload) => client.mqtt.publishAsync('t/1', payload, { qos: 2 })));
    await client.messages(300);
    expect(client.payloads()).toEqual(payloads);
  });
});

describe('delivery', () => {
  it.each(qosLevels.flatMap((granted) => qosLevels.map((published) => [granted, published] as const)))(
    'granted %i and published %i: the lower of both, also through a wildcard',
    async (granted, published) => {
      const cluster = await startTestCluster();
      const client = await connectClient(urlOf(cluster));
      const grants = await client.mqtt.subscribeAsync({ exact: { qos: granted }, 'wild/+': { qos: granted } });
      expect(grants.map(({ qos }) => qos)).toEqual([granted, granted]);
      await client.mqtt.publishAsync('exact', '', { qos: published });
      await client.mqtt.publishAsync('wild/1', '', { qos: published });
      expect((await client.messages(2)).map(({ qos }) => qos)).toEqual(Array(2).fill(Math.min(granted, published)));
    },
  );

  it('sends one copy at the highest QoS for overlapping subscriptions', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.subscribeAsync({ '#': { qos: 0 }, 'a/+': { qos: 2 }, 'a/b': { qos: 1 } });
    await client.mqtt.publishAsync('a/b', 'first', { qos: 2 });
    await client.mqtt.publishAsync('end', 'last', { qos: 2 });
    await client.messages(2);
    expect(client.received.map(({ payload, qos }) => [payload, qos])).toEqual([
      ['first', 2],
      ['last', 0],
    ]);
  });

  it('does not match $-topics with wildcards in the first level', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.subscribeAsync({ '#': { qos: 1 }, '+/secret': { qos: 1 } });
    await client.mqtt.publishAsync('$x/secret', 'no', { qos: 1 });
    await client.mqtt.publishAsync('y/secret', 'yes', { qos: 1 });
    await client.messages(1);
    expect(client.payloads()).toEqual(['yes']);
  });

  it('stops after UNSUBSCRIBE and continues with the other filters', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.subscribeAsync({ 'a/#': { qos: 1 }, b: { qos: 1 } });
    await client.mqtt.unsubscribeAsync('a/#');
    await client.mqtt.publishAsync('a/1', 'no', { qos: 1 });
    await client.mqtt.publishAsync('b', 'yes', { qos: 1 });
    await client.messages(1);
    expect(client.payloads()).toEqual(['yes']);
    expect([...cluster.walkRoutes(0, 10)].map(({ topic }) => topic)).toEqual(['b']);
  });

  it('refuses only the invalid filter', async () => {
    const cluster = await startTestCluster();
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'raw' });
    raw.send({
      cmd: 'subscribe',
      messageId: 7,
      subscriptions: [
        { topic: 'a#', qos: 0 },
        { topic: 'ok', qos: 1 },
        { topic: '#/b', qos: 2 },
      ],
    });
    expect(await raw.take('suback')).toMatchObject({ messageId: 7, granted: [0x80, 1, 0x80] });
    expect([...cluster.walkRoutes(0, 10)].map(({ topic }) => topic)).toEqual(['ok']);
  });
});
