import { setImmediate } from 'node:timers/promises';
import { generate } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { Connection } from '../../../src/broker/engine/connection.ts';
import { Message } from '../../../src/broker/engine/message.ts';
import type { BrokerSettings } from '../../../src/broker/engine/settings.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { maxQueueBytes } from '../../../src/broker/sessions/message-queue.ts';
import {
  connectClient,
  connectPacket,
  disconnection,
  nodeAt,
  RawClient,
  startTestCluster,
  StuckTransport,
  urlOf,
} from '../support.ts';

async function subscribed(cluster: BrokerCluster, qos: 0 | 1 | 2): Promise<RawClient> {
  const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'slow', clean: false });
  raw.send({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: '#', qos }] });
  await raw.take('suback');
  return raw;
}

async function publish(cluster: BrokerCluster, qos: 0 | 1 | 2, ...payloads: string[]): Promise<void> {
  const api = createBrokerApi(cluster);
  for (const payload of payloads) await api.publish({ topic: 't', payload, qos });
}

const small: Partial<BrokerSettings> = { maxInflight: 2, maxQueueLength: 3 };
const numbers = (count: number): string[] => Array.from({ length: count }, (_, index) => String(index));

describe('a client that does not acknowledge', () => {
  it('gets a window of messages, then the queue fills, then the oldest are dropped', async () => {
    const cluster = await startTestCluster({ settings: small });
    const raw = await subscribed(cluster, 1);
    await publish(cluster, 1, ...numbers(8));
    const first = await raw.take('publish');
    const second = await raw.take('publish');
    await raw.ping();
    expect(cluster.session('slow')?.describe()).toMatchObject({
      maxInflight: 2,
      inflight: 2,
      awaitingAck: 2,
      queueLength: 3,
      dropped: 3,
      enqueued: 6,
      delivered: 2,
    });
    raw.send({ cmd: 'puback', messageId: first.messageId ?? 0 }, { cmd: 'puback', messageId: second.messageId ?? 0 });
    const next = [await raw.take('publish'), await raw.take('publish')];
    expect([first, second, ...next].map(({ payload }) => String(payload))).toEqual(['0', '1', '5', '6']);
    await raw.ping();
    expect(cluster.session('slow')?.describe()).toMatchObject({
      inflight: 2,
      queueLength: 1,
      dropped: 3,
      delivered: 4,
    });
  });

  it('frees its window by PUBCOMP, not by PUBREC, with QoS 2', async () => {
    const cluster = await startTestCluster({ settings: { ...small, maxInflight: 1 } });
    const raw = await subscribed(cluster, 2);
    await publish(cluster, 2, 'a', 'b');
    const { messageId = 0 } = await raw.take('publish');
    raw.send({ cmd: 'pubrec', messageId });
    await raw.take('pubrel');
    await raw.ping();
    expect(cluster.session('slow')?.describe()).toMatchObject({ inflight: 1, awaitingComp: 1, queueLength: 1 });
    raw.send({ cmd: 'pubcomp', messageId });
    expect(String((await raw.take('publish')).payload)).toBe('b');
  });

  it('is affected by changed limits immediately', async () => {
    const cluster = await startTestCluster({ settings: { maxInflight: 1, maxQueueLength: 0 } });
    await subscribed(cluster, 1);
    await publish(cluster, 1, ...numbers(2001));
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: 2000, dropped: 0 });
    nodeAt(cluster, 0).settings.maxQueueLength = 10;
    await publish(cluster, 1, 'last');
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: 10, dropped: 1991 });
  });
});

describe('a full queue', () => {
  it('drops QoS 0 before QoS 1, and never QoS 1 for QoS 0', async () => {
    const cluster = await startTestCluster({ settings: small });
    const raw = await subscribed(cluster, 1);
    const gone = disconnection(cluster, 'slow');
    raw.socket.destroy();
    await gone;
    await publish(cluster, 0, 'zero');
    await publish(cluster, 1, 'one', 'two', 'three');
    await publish(cluster, 0, 'late zero');
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: 3, dropped: 2, enqueued: 4 });
    const back = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'slow', clean: false });
    expect([String((await back.take('publish')).payload), String((await back.take('publish')).payload)]).toEqual([
      'one',
      'two',
    ]);
  });
});

describe('a client that does not read', () => {
  it('costs the others nothing, loses its oldest messages, and gets the rest when it reads again', async () => {
    const cluster = await startTestCluster({ settings: { maxQueueLength: 5, maxSocketBufferBytes: 100_000 } });
    const slow = await subscribed(cluster, 0);
    slow.socket.pause();
    const quick = await connectClient(urlOf(cluster));
    await quick.mqtt.subscribeAsync('#', { qos: 0 });
    const publisher = await connectClient(urlOf(cluster));
    const payload = 'x'.repeat(50_000);
    const dropped = () => cluster.session('slow')?.describe().dropped ?? 0;
    let sent = 0;
    while (dropped() < 10) {
      await publisher.mqtt.publishAsync('t', `${sent} ${payload}`, { qos: 1 });
      sent += 1;
      expect((await quick.messages(sent)).at(-1)?.payload).toMatch(new RegExp(`^${sent - 1} `));
    }
    expect(cluster.session('slow')?.describe().queueLength).toBe(5);
    slow.socket.resume();
    let last = '';
    let count = 0;
    while (last !== String(sent - 1)) {
      last = String((await slow.take('publish')).payload).split(' ', 1)[0] ?? '';
      count += 1;
    }
    expect(count).toBe(sent - dropped());
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: 0, delivered: count });
  });

  it('is not read either while it leaves its answers lying', async () => {
    const cluster = await startTestCluster({ settings: { maxSocketBufferBytes: 1000 } });
    const node = nodeAt(cluster, 0);
    const transport = new StuckTransport();
    const connection = new Connection(transport, node);
    transport.events?.data(generate(connectPacket({ clientId: 'deaf' })));
    // Two bytes an answer, and twice the bound may lie: one chunk goes over it.
    transport.events?.data(Buffer.alloc(2400, Buffer.from([0xc0, 0x00])));
    expect(transport.isPaused).toBe(true);
    // It is read in several turns, and goes on being handled while nothing more is read.
    while ((node.readMetrics()['packets.pingreq'] ?? 0) < 1200) await setImmediate();
    await setImmediate();
    expect(transport.isPaused).toBe(true);
    transport.drain();
    expect(transport.isPaused).toBe(false);
    expect(node.readMetrics()).toMatchObject({ 'packets.pingreq': 1200, 'packets.pingresp': 1200 });
    connection.close('kicked');
  });
});

describe('QoS 2 from a client that never releases', () => {
  it('ends the connection beyond the bound', async () => {
    const cluster = await startTestCluster({ settings: { maxAwaitingRel: 2 } });
    const raw = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'holder', clean: false });
    const gone = disconnection(cluster, 'holder');
    for (const messageId of [1, 2, 3]) {
      raw.send({ cmd: 'publish', topic: 't', payload: 'x', qos: 2, messageId, retain: false, dup: false });
    }
    expect(await gone).toBe('protocol-violation');
    expect(cluster.session('holder')?.describe().awaitingRel).toBe(2);
    expect(nodeAt(cluster, 0).readMetrics()['messages.qos2.dropped']).toBe(1);
    const back = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'holder', clean: false });
    back.send({ cmd: 'pubrel', messageId: 1 });
    await back.take('pubcomp');
    back.send({ cmd: 'publish', topic: 't', payload: 'x', qos: 2, messageId: 3, retain: false, dup: true });
    expect((await back.take('pubrec')).messageId).toBe(3);
  });
});

describe('large messages for a client that is slow or away', () => {
  const large = 60_000;
  // What fits, give or take the topic and what each message costs beside its payload.
  const fitting = Math.floor(maxQueueBytes / (large + 130));

  async function away(settings: Partial<BrokerSettings>, qos: 0 | 1): Promise<BrokerCluster> {
    const cluster = await startTestCluster({ settings });
    const raw = await subscribed(cluster, qos);
    const gone = disconnection(cluster, 'slow');
    raw.socket.destroy();
    await gone;
    return cluster;
  }

  it.each([
    [0, 0],
    [0, 1],
    [1000, 1],
  ] as const)('are bounded by their bytes with a bound of %i messages, QoS %i', async (maxQueueLength, qos) => {
    const cluster = await away({ maxQueueLength }, qos);
    await publish(cluster, qos, ...numbers(fitting + 50).map((number) => number.padEnd(large, ' ')));
    expect(cluster.session('slow')?.describe()).toMatchObject({
      queueLength: fitting,
      dropped: 50,
      enqueued: fitting + 50,
    });
    await publish(cluster, qos, 'small');
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: fitting + 1, dropped: 50 });
    const back = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'slow', clean: false });
    expect(String((await back.take('publish')).payload).trim()).toBe('50');
  });

  it('never go for one of QoS 0', async () => {
    const cluster = await away({ maxQueueLength: 0 }, 1);
    await publish(cluster, 0, 'zero');
    await publish(cluster, 1, ...numbers(fitting).map((number) => number.padEnd(large, ' ')));
    await publish(cluster, 0, 'x'.repeat(large), 'x'.repeat(large));
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: fitting + 1, dropped: 2 });
    const back = await RawClient.connect(nodeAt(cluster, 0).ports.tcp, { clientId: 'slow', clean: false });
    expect(String((await back.take('publish')).payload).trim()).toBe('0');
  });

  it('wait even when one alone is more than the bound', async () => {
    const cluster = await away({ maxQueueLength: 0, maxPacketSize: 2 * maxQueueBytes }, 1);
    const huge = new Message({
      topic: 't',
      payload: Buffer.alloc(maxQueueBytes + 1),
      qos: 1,
      retain: false,
      publisher: 'p',
    });
    cluster.publish(huge);
    cluster.publish(huge);
    expect(cluster.session('slow')?.describe()).toMatchObject({ queueLength: 1, dropped: 1 });
  });

  it('get a limited number of unacknowledged bytes, and more after acknowledging', async () => {
    const cluster = await startTestCluster({
      settings: {
        maxInflight: 0,
        maxSocketBufferBytes: 2 * maxQueueBytes,
        maxQueueLength: 0,
        maxPacketSize: maxQueueBytes,
      },
    });
    const raw = await subscribed(cluster, 1);
    const message = new Message({
      topic: 't',
      payload: Buffer.alloc(maxQueueBytes / 4),
      qos: 1,
      retain: false,
      publisher: 'p',
    });
    for (let count = 0; count < 6; count += 1) cluster.publish(message);
    expect(cluster.session('slow')?.describe()).toMatchObject({ inflight: 4, queueLength: 2, dropped: 0 });
    raw.send({ cmd: 'puback', messageId: (await raw.take('publish')).messageId ?? 0 });
    for (const _ of [2, 3, 4, 5]) await raw.take('publish');
    expect(cluster.session('slow')?.describe()).toMatchObject({ inflight: 4, queueLength: 1 });
  });
});
