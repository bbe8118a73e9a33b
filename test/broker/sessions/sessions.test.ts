import { describe, expect, it } from 'vitest';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { connectClient, connectPacket, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const persistent = { clientId: 'keeper', clean: false } as const;

describe('persistent sessions', () => {
  it('keep subscriptions and messages of all QoS while the client is offline', async () => {
    const cluster = await startTestCluster();
    const first = await connectClient(urlOf(cluster), persistent);
    await first.mqtt.subscribeAsync('q/#', { qos: 2 });
    const gone = disconnection(cluster, 'keeper');
    await first.mqtt.endAsync();
    await gone;
    const other = await connectClient(urlOf(cluster));
    for (const qos of [0, 1, 2] as const) await other.mqtt.publishAsync('q/1', String(qos), { qos });
    expect(cluster.session('keeper')?.describe()).toMatchObject({
      queueLength: 3,
      enqueued: 3,
      delivered: 0,
      subscriptions: 1,
    });
    const second = await connectClient(urlOf(cluster), persistent);
    expect((await second.messages(3)).map(({ payload, qos }) => `${payload}${qos}`).toSorted()).toEqual([
      '00',
      '11',
      '22',
    ]);
  });

  it('keep no QoS 0 messages when the setting is off', async () => {
    const cluster = await startTestCluster({ settings: { storeQos0: false } });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, persistent);
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
    await raw.take('suback');
    const gone = disconnection(cluster, 'keeper');
    raw.send({ cmd: 'disconnect' });
    await gone;
    const api = createBrokerApi(cluster);
    await api.publish({ topic: 'a', payload: 'lost', qos: 0 });
    await api.publish({ topic: 'a', payload: 'kept', qos: 1 });
    expect(cluster.session('keeper')?.describe()).toMatchObject({ queueLength: 1, dropped: 0 });
  });

  it('set the session-present flag', async () => {
    const cluster = await startTestCluster();
    const { tcp } = nodeAt(cluster, 0).ports;
    const present = async (clean: boolean, protocolVersion: 3 | 4 = 4): Promise<boolean> => {
      const raw = await RawClient.open(tcp);
      const protocolId = protocolVersion === 3 ? 'MQIsdp' : 'MQTT';
      raw.send(connectPacket({ clientId: 'keeper', clean, protocolVersion, protocolId }));
      const { sessionPresent } = await raw.take('connack');
      raw.send({ cmd: 'disconnect' });
      await raw.closed;
      return sessionPresent;
    };
    expect(await present(false)).toBe(false);
    expect(await present(false)).toBe(true);
    // The bit is reserved in MQTT 3.1.
    expect(await present(false, 3)).toBe(false);
    expect(await present(true)).toBe(false);
    expect(await present(false)).toBe(false);
  });

  it('end when the client reconnects with a clean session', async () => {
    const cluster = await startTestCluster();
    const { tcp } = nodeAt(cluster, 0).ports;
    const raw = await RawClient.connect(tcp, persistent);
    raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 1 }] });
    await raw.take('suback');
    const clean = await RawClient.connect(tcp, { clientId: 'keeper', clean: true });
    expect(cluster.session('keeper')?.subscriptions.size).toBe(0);
    expect([...cluster.walkRoutes(0, 9)]).toEqual([]);
    const gone = disconnection(cluster, 'keeper');
    clean.send({ cmd: 'disconnect' });
    await gone;
    expect(cluster.session('keeper')).toBeUndefined();
    expect(nodeAt(cluster, 0).stats.read().sessions).toEqual({ count: 0, max: 1 });
  });

  it('resend unacknowledged messages: DUP, same ids and order, PUBREL after PUBREC', async () => {
    const cluster = await startTestCluster();
    const { tcp } = nodeAt(cluster, 0).ports;
    const api = createBrokerApi(cluster);
    const first = await RawClient.connect(tcp, persistent);
    first.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 2 }] });
    await first.take('suback');
    for (const [payload, qos] of [
      ['one', 1],
      ['two', 2],
      ['two-received', 2],
      ['acknowledged', 1],
    ] as const) {
      await api.publish({ topic: 't', payload, qos });
    }
    const sent = [
      await first.take('publish'),
      await first.take('publish'),
      await first.take('publish'),
      await first.take('publish'),
    ];
    expect(sent.map(({ dup }) => dup)).toEqual([false, false, false, false]);
    const ids = sent.map(({ messageId }) => messageId ?? 0);
    first.send({ cmd: 'pubrec', messageId: ids[2] ?? 0 }, { cmd: 'puback', messageId: ids[3] ?? 0 });
    await first.take('pubrel');
    expect(cluster.session('keeper')?.describe()).toMatchObject({ inflight: 3, awaitingAck: 1, awaitingComp: 1 });
    const gone = disconnection(cluster, 'keeper');
    first.socket.destroy();
    await gone;
    await api.publish({ topic: 't', payload: 'while away', qos: 1 });

    const second = await RawClient.connect(tcp, persistent);
    const again = [await second.take('publish'), await second.take('publish')];
    expect(again.map(({ payload, dup, messageId }) => [String(payload), dup, messageId])).toEqual([
      ['one', true, ids[0]],
      ['two', true, ids[1]],
    ]);
    expect((await second.take('pubrel')).messageId).toBe(ids[2]);
    const fresh = await second.take('publish');
    expect([String(fresh.payload), fresh.dup]).toEqual(['while away', false]);
    expect(ids).not.toContain(fresh.messageId);
    second.send({ cmd: 'puback', messageId: ids[0] ?? 0 }, { cmd: 'pubrec', messageId: ids[1] ?? 0 });
    await second.take('pubrel');
    second.send(
      { cmd: 'pubcomp', messageId: ids[1] ?? 0 },
      { cmd: 'pubcomp', messageId: ids[2] ?? 0 },
      { cmd: 'puback', messageId: fresh.messageId ?? 0 },
    );
    await second.ping();
    expect(cluster.session('keeper')?.describe()).toMatchObject({
      inflight: 0,
      queueLength: 0,
      delivered: 5,
      enqueued: 1,
    });
  });

  it('deliver a QoS 2 message once, even if it is sent again on a new connection', async () => {
    const cluster = await startTestCluster();
    const watcher = await connectClient(urlOf(cluster));
    await watcher.mqtt.subscribeAsync('#', { qos: 2 });
    const { tcp } = nodeAt(cluster, 0).ports;
    const publish = { cmd: 'publish', topic: 't', payload: 'once', qos: 2, retain: false, messageId: 9 } as const;
    const first = await RawClient.connect(tcp, persistent);
    first.send({ ...publish, dup: false }, { ...publish, dup: true });
    await first.take('pubrec');
    await first.take('pubrec');
    first.socket.destroy();
    const second = await RawClient.connect(tcp, persistent);
    second.send({ ...publish, dup: true });
    await second.take('pubrec');
    expect(cluster.session('keeper')?.describe().awaitingRel).toBe(1);
    second.send({ cmd: 'pubrel', messageId: 9 });
    await second.take('pubcomp');
    second.send({ ...publish, dup: false, payload: 'next' });
    await second.take('pubrec');
    await watcher.messages(2);
    expect(watcher.payloads()).toEqual(['once', 'next']);
  });
});

describe('take-over', () => {
  it.each([
    [0, 'the same node'],
    [1, 'another node'],
  ])('moves the session and closes the old socket (%i: %s)', async (target) => {
    const cluster = await startTestCluster({ nodes: 2 });
    const old = await connectClient(urlOf(cluster, 0), persistent);
    await old.mqtt.subscribeAsync('a/#', { qos: 1 });
    const taker = await connectClient(urlOf(cluster, target), persistent);
    await old.closed;
    const { name } = nodeAt(cluster, target);
    expect(cluster.session('keeper')?.nodeName).toBe(name);
    expect([...cluster.walkRoutes(0, 9)]).toEqual([{ topic: 'a/#', node: name }]);
    const stats = nodeAt(cluster, target).stats.read();
    expect([stats.clients.count, stats.sessions.count, stats.subscriptions.count]).toEqual([1, 1, 1]);
    const left = nodeAt(cluster, 0).stats.read();
    const count = target === 0 ? 1 : 0;
    for (const name of ['clients', 'sessions', 'subscriptions'] as const) expect(left[name]).toEqual({ count, max: 1 });
    await taker.mqtt.publishAsync('a/b', 'here', { qos: 1 });
    expect((await taker.messages(1))[0]?.payload).toBe('here');
    expect(old.received).toEqual([]);
    expect(nodeAt(cluster, 0).describeListeners()[0]?.shutdownCount).toEqual({ 'taken-over': 1 });
  });

  it('moves the unacknowledged messages too', async () => {
    const cluster = await startTestCluster({ nodes: 2 });
    const old = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, persistent);
    old.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos: 1 }] });
    await old.take('suback');
    await createBrokerApi(cluster).publish({ topic: 't', payload: 'kept', qos: 1 });
    await old.take('publish');
    const taker = await RawClient.connect(nodeAt(cluster, 1).ports.tcp, persistent);
    await old.closed;
    expect(await taker.take('publish')).toMatchObject({ dup: true, qos: 1 });
  });
});
