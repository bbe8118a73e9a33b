import { once } from 'node:events';
import fc from 'fast-check';
import { generate, type IConnectPacket } from 'mqtt-packet';
import { describe, expect, it } from 'vitest';
import { WebSocket } from 'ws';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { createBrokerApi } from '../../../src/broker/management/broker-api.ts';
import { connectClient, connectPacket, disconnection, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const portOf = (cluster: BrokerCluster): number => nodeAt(cluster, 0).ports.tcp;
const shutdownCount = (cluster: BrokerCluster) => nodeAt(cluster, 0).describeListeners()[0]?.shutdownCount;

describe('CONNECT', () => {
  const bytes = (name: string, level: number): Buffer => {
    const packet = generate(connectPacket({ clientId: 'x' }));
    const rest = packet.subarray(2 + 2 + 4 + 1);
    const body = Buffer.concat([Buffer.from([0, name.length]), Buffer.from(name), Buffer.from([level]), rest]);
    return Buffer.concat([Buffer.from([0x10, body.length]), body]);
  };

  it.each([
    ['MQTT', 5],
    ['MQTT', 3],
    ['MQTT', 0],
    ['MQTT', 0x84],
    ['MQIsdp', 4],
  ])('of %s level %i gets CONNACK 1', async (name, level) => {
    const cluster = await startTestCluster();
    const raw = await RawClient.open(portOf(cluster));
    raw.socket.write(bytes(name, level));
    expect(await raw.take('connack')).toMatchObject({ returnCode: 1, sessionPresent: false });
    await raw.closed;
    expect(nodeAt(cluster, 0).readMetrics()).toMatchObject({ 'packets.connect': 1, 'packets.connack': 1 });
  });

  it.each<[string, Partial<IConnectPacket>]>([
    ['an empty id with a persistent session', { clientId: '', clean: false }],
    ['an empty id in MQTT 3.1', { clientId: '', protocolId: 'MQIsdp', protocolVersion: 3 }],
    ['an id that is too long', { clientId: 'x'.repeat(11) }],
  ])('with %s gets CONNACK 2', async (_, options) => {
    const cluster = await startTestCluster({ settings: { maxClientIdLength: 10 } });
    const raw = await RawClient.open(portOf(cluster));
    const packet = connectPacket({ clientId: '', ...options });
    // The codec refuses to write an empty id here; the broker must not rely on that.
    if (packet.clientId === '') {
      const encoded = generate({ ...packet, clientId: 'x' }).subarray(0, -1);
      encoded[1] = (encoded[1] ?? 0) - 1;
      encoded[encoded.length - 1] = 0;
      raw.socket.write(encoded);
    } else {
      raw.send(packet);
    }
    expect((await raw.take('connack')).returnCode).toBe(2);
    await raw.closed;
  });

  it('with an empty id and a clean session gets an id of its own', async () => {
    const cluster = await startTestCluster();
    const api = createBrokerApi(cluster);
    await RawClient.connect(portOf(cluster), { clientId: '' });
    await RawClient.connect(portOf(cluster), { clientId: '' });
    const { items } = await api.listClients('broker1@127.0.0.1', { page: 1, pageSize: 20 });
    expect(new Set(items.map(({ clientId }) => clientId)).size).toBe(2);
  });

  it('must come first, once, and in time', async () => {
    const cluster = await startTestCluster();
    const early = await RawClient.open(portOf(cluster));
    early.send({ cmd: 'pingreq' });
    await early.closed;
    const twice = await RawClient.connect(portOf(cluster), { clientId: 'twice' });
    twice.send(connectPacket({ clientId: 'twice' }));
    await twice.closed;
    nodeAt(cluster, 0).settings.connectTimeoutMs = 30;
    const silent = await RawClient.open(portOf(cluster));
    await silent.closed;
    expect(shutdownCount(cluster)).toEqual({ 'protocol-violation': 2, 'connect-timeout': 1 });
  });
});

describe('malformed packets', () => {
  const publish = (topic: string): Buffer =>
    generate({ cmd: 'publish', topic, payload: 'x', qos: 0, retain: false, dup: false });
  it.each<[string, Buffer]>([
    ['a remaining length of five bytes', Buffer.from([0x30, 0xff, 0xff, 0xff, 0xff, 0x01])],
    ['packet type 0', Buffer.from([0x00, 0x00])],
    ['packet type 15', Buffer.from([0xf0, 0x00])],
    ['QoS 3', Buffer.from([0x36, 0x05, 0x00, 0x01, 0x61, 0x00, 0x01])],
    ['SUBSCRIBE with the wrong flags', Buffer.from([0x80, 0x06, 0x00, 0x01, 0x00, 0x01, 0x61, 0x00])],
    ['SUBSCRIBE of nothing', Buffer.from([0x82, 0x02, 0x00, 0x01])],
    ['SUBSCRIBE to QoS 3', Buffer.from([0x82, 0x06, 0x00, 0x01, 0x00, 0x01, 0x61, 0x03])],
    ['UNSUBSCRIBE of nothing', Buffer.from([0xa2, 0x02, 0x00, 0x01])],
    ['packet id 0', Buffer.from([0x32, 0x05, 0x00, 0x01, 0x61, 0x00, 0x00])],
    ['PUBLISH whose topic is longer than the packet', Buffer.from([0x30, 0x03, 0x00, 0x09, 0x61])],
    ['PUBLISH of QoS 1 without a packet id', Buffer.from([0x32, 0x03, 0x00, 0x01, 0x61])],
    ['PUBACK without an id', Buffer.from([0x40, 0x00])],
    ['PUBACK that is too long', Buffer.from([0x40, 0x03, 0x00, 0x01, 0x00])],
    ['CONNACK from a client', Buffer.from([0x20, 0x02, 0x00, 0x00])],
    ['PINGREQ with a body', Buffer.from([0xc0, 0x01, 0x00])],
    ['an empty topic', Buffer.from([0x30, 0x02, 0x00, 0x00])],
    ['a topic with a wildcard', publish('a/+')],
    ['a topic with U+0000', publish('a\0b')],
    ['a topic that is not UTF-8', Buffer.from([0x30, 0x03, 0x00, 0x01, 0xff])],
    ['a topic of too many levels', publish('/'.repeat(200))],
  ])('%s closes that socket only', async (_, bytes) => {
    const cluster = await startTestCluster();
    const other = await RawClient.connect(portOf(cluster), { clientId: 'other' });
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'bad' });
    raw.socket.write(bytes);
    await raw.closed;
    await other.ping();
    expect(cluster.session('bad')).toBeUndefined();
    expect(Object.keys(shutdownCount(cluster) ?? {})).toHaveLength(1);
  });

  it('accepts U+FFFD in a topic', async () => {
    const cluster = await startTestCluster();
    const client = await connectClient(urlOf(cluster));
    await client.mqtt.subscribeAsync('#', { qos: 1 });
    await client.mqtt.publishAsync('a\ufffdb', 'x', { qos: 1 });
    expect((await client.messages(1))[0]?.topic).toBe('a\ufffdb');
  });

  it('survives any bytes, cut anywhere', async () => {
    const cluster = await startTestCluster();
    const survivor = await RawClient.connect(portOf(cluster), { clientId: 'survivor' });
    const start = generate(connectPacket({ clientId: 'fuzz' }));
    const input = fc.tuple(
      fc.boolean(),
      fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { minLength: 1, maxLength: 6 }),
    );
    await fc.assert(
      fc.asyncProperty(input, async ([connectFirst, chunks]) => {
        const raw = await RawClient.open(portOf(cluster));
        // What the broker answers to noise is not looked at.
        raw.socket.removeAllListeners('data').resume();
        if (connectFirst) raw.socket.write(start);
        for (const chunk of chunks) raw.socket.write(chunk);
        raw.socket.end();
        await raw.closed;
      }),
      { numRuns: 150 },
    );
    await survivor.ping();
    expect(cluster.session('survivor')?.connection).toBeDefined();
  });

  it('reads packets that come byte by byte', async () => {
    const cluster = await startTestCluster();
    const raw = await RawClient.open(portOf(cluster));
    const bytes = Buffer.concat([
      generate(connectPacket({ clientId: 'slow' })),
      generate({ cmd: 'subscribe', messageId: 1, subscriptions: [{ topic: 'a', qos: 0 }] }),
      generate({ cmd: 'publish', topic: 'a', payload: 'x'.repeat(200), qos: 0, retain: false, dup: false }),
    ]);
    raw.socket.setNoDelay(true);
    for (const byte of bytes) raw.socket.write(Buffer.from([byte]));
    await raw.take('connack');
    await raw.take('suback');
    expect((await raw.take('publish')).payload).toHaveLength(200);
  });
});

describe('sizes', () => {
  it('refuses a packet by its header, before the body arrives', async () => {
    const cluster = await startTestCluster({ settings: { maxPacketSize: 100 } });
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'big' });
    // 98 bytes of body and a header of two are just allowed.
    raw.send({ cmd: 'publish', topic: 'a', payload: 'x'.repeat(95), qos: 0, retain: false, dup: false });
    await raw.ping();
    raw.socket.write(Buffer.from([0x30, 99]));
    await raw.closed;
    expect(shutdownCount(cluster)).toEqual({ 'packet-too-large': 1 });
  });

  it('uses a changed setting from the next packet on', async () => {
    const cluster = await startTestCluster();
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'big' });
    nodeAt(cluster, 0).settings.maxPacketSize = 10;
    await raw.ping();
    raw.socket.write(Buffer.from([0x30, 9]));
    await raw.closed;
    expect(shutdownCount(cluster)).toEqual({ 'packet-too-large': 1 });
  });

  it('refuses clients beyond the maximum of a listener', async () => {
    const cluster = await startTestCluster({ maxTcpClients: 1, maxWsClients: 1 });
    const first = await RawClient.connect(portOf(cluster), { clientId: 'first' });
    const second = await RawClient.open(portOf(cluster));
    await second.closed;
    await connectClient(urlOf(cluster, 0, 'ws'));
    const refused = new WebSocket(urlOf(cluster, 0, 'ws'), 'mqtt');
    const [error] = await once(refused, 'error').catch((reason: unknown) => [reason]);
    expect(String(error)).toContain('503');
    expect(
      nodeAt(cluster, 0)
        .describeListeners()
        .map(({ currentClients, maxClients }) => [currentClients, maxClients]),
    ).toEqual([
      [1, 1],
      [1, 1],
    ]);
    const gone = disconnection(cluster, 'first');
    first.send({ cmd: 'disconnect' });
    await gone;
    await RawClient.connect(portOf(cluster), { clientId: 'third' });
  });

  it('answers a WebSocket elsewhere with 404 and closes one that sends text', async () => {
    const cluster = await startTestCluster();
    const { ws } = nodeAt(cluster, 0).ports;
    const lost = new WebSocket(`ws://127.0.0.1:${ws}/elsewhere`, 'mqtt');
    const [error] = await once(lost, 'error').catch((reason: unknown) => [reason]);
    expect(String(error)).toContain('404');
    const text = new WebSocket(`ws://127.0.0.1:${ws}/mqtt`, 'mqtt');
    await once(text, 'open');
    text.send('hello');
    const [code] = await once(text, 'close');
    expect(code).toBe(1003);
    expect((await fetch(`http://127.0.0.1:${ws}/mqtt`)).status).toBe(426);
  });
});

describe('keepalive', () => {
  it('is extended by every packet', async () => {
    const cluster = await startTestCluster({ settings: { keepaliveBackoff: 0.3 } });
    const gone = disconnection(cluster, 'alive');
    const raw = await RawClient.connect(portOf(cluster), { clientId: 'alive', keepalive: 1 });
    const start = performance.now();
    // 600 ms are allowed; pings go on for longer than that.
    while (performance.now() - start < 700) await raw.ping();
    expect(cluster.session('alive')).toBeDefined();
    expect(await gone).toBe('keepalive-timeout');
  });

  it('does not expire while the broker waits for a hook and does not read', async () => {
    let answer: (allowed: boolean) => void = () => undefined;
    const asked = Promise.withResolvers<void>();
    const cluster = await startTestCluster({
      settings: { keepaliveBackoff: 0.05 },
      hooks: {
        authorize: () =>
          new Promise((resolve) => {
            answer = resolve;
            asked.resolve();
          }),
      },
    });
    const held = await RawClient.connect(portOf(cluster), { clientId: 'held', keepalive: 1 });
    held.send({ cmd: 'publish', topic: 't', payload: '', qos: 1, messageId: 1, retain: false, dup: false });
    await asked.promise;
    // Who has come later and is silent goes at the end of the same time.
    const gone = disconnection(cluster, 'silent');
    await RawClient.connect(portOf(cluster), { clientId: 'silent', keepalive: 1 });
    expect(await gone).toBe('keepalive-timeout');
    const end = disconnection(cluster, 'held');
    answer(true);
    expect((await held.take('puback')).messageId).toBe(1);
    expect(await end).toBe('keepalive-timeout');
  });
});
