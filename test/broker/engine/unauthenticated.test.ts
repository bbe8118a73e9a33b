import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { generate } from 'mqtt-packet';
import { describe, expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { openSocket } from '../../api/dialects/emq-v2/server/raw-http.ts';
import { connectClient, connectPacket, nodeAt, RawClient, startTestCluster, urlOf } from '../support.ts';

const portOf = (cluster: BrokerCluster): number => nodeAt(cluster, 0).ports.tcp;
const ends = (cluster: BrokerCluster) =>
  nodeAt(cluster, 0)
    .describeListeners()
    .map(({ shutdownCount }) => shutdownCount);

/** The fixed header of a CONNECT of that many bytes. */
function connectHeader(bytes: number): Buffer {
  const rest = bytes - 4;
  return Buffer.from([0x10, (rest & 0x7f) | 0x80, ((rest >> 7) & 0x7f) | 0x80, rest >> 14]);
}

async function openWebSocket(cluster: BrokerCluster): Promise<WebSocket> {
  const socket = new WebSocket(urlOf(cluster, 0, 'ws'), ['mqtt']);
  onTestFinished(() => socket.terminate());
  socket.on('error', () => undefined);
  await once(socket, 'open');
  return socket;
}

it('closes on a CONNECT that is too large after its header', async () => {
  const cluster = await startTestCluster();
  const raw = await RawClient.open(portOf(cluster));
  raw.socket.write(connectHeader(16 * 1024 + 3 * 1024 + 1));
  await raw.closed;
  expect(ends(cluster)[0]).toEqual({ 'packet-too-large': 1 });
});

it('accepts a CONNECT of some kilobytes, and larger packets afterwards, by TCP and WebSocket', async () => {
  const cluster = await startTestCluster();
  const will = { topic: 'w', payload: Buffer.alloc(15_000), qos: 0, retain: false } as const;
  const payload = Buffer.alloc(60_000, 1);
  for (const transport of ['tcp', 'ws'] as const) {
    const client = await connectClient(urlOf(cluster, 0, transport), { will });
    await client.mqtt.subscribeAsync('large');
    await client.mqtt.publishAsync('large', payload, { qos: 1 });
    const [message] = await client.messages(1);
    expect(message?.payload).toHaveLength(60_000);
    await client.mqtt.unsubscribeAsync('large');
  }
});

it('allows a larger CONNECT when longer client ids are allowed', async () => {
  const cluster = await startTestCluster({ settings: { maxClientIdLength: 30_000 } });
  const raw = await RawClient.open(portOf(cluster));
  raw.send(connectPacket({ clientId: 'x'.repeat(30_000) }));
  expect((await raw.take('connack')).returnCode).toBe(0);
});

it('refuses a client id that is too long before the rest of the packet arrives', async () => {
  const cluster = await startTestCluster({ settings: { maxClientIdLength: 10 } });
  const raw = await RawClient.open(portOf(cluster));
  const whole = generate(connectPacket({ clientId: 'x'.repeat(31), username: 'u', password: Buffer.alloc(200) }));
  raw.socket.write(whole.subarray(0, 20));
  expect((await raw.take('connack')).returnCode).toBe(2);
  await raw.closed;
});

it('waits for the rest of a CONNECT that arrives byte by byte', async () => {
  const cluster = await startTestCluster();
  const raw = await RawClient.open(portOf(cluster));
  raw.socket.setNoDelay(true);
  for (const byte of generate(connectPacket({ clientId: 'slow'.repeat(50) }))) {
    await new Promise<void>((resolve) => raw.socket.write(Buffer.from([byte]), () => resolve()));
  }
  expect((await raw.take('connack')).returnCode).toBe(0);
});

it('buffers little behind a CONNECT that is still being authenticated', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  const cluster = await startTestCluster({ hooks: { authenticate: () => new Promise(() => asked()) } });
  const raw = await RawClient.open(portOf(cluster));
  const publish = generate({
    cmd: 'publish',
    topic: 't',
    payload: Buffer.alloc(40_000),
    qos: 0,
    retain: false,
    dup: false,
  });
  raw.socket.write(Buffer.concat([generate(connectPacket({ clientId: 'impatient' })), publish]));
  await isAsked;
  await raw.closed;
  expect(ends(cluster)[0]).toEqual({ 'packet-too-large': 1 });
});

it('accepts no large WebSocket message before authentication', async () => {
  const cluster = await startTestCluster();
  const socket = await openWebSocket(cluster);
  const closed = once(socket, 'close');
  socket.send(Buffer.alloc(20_000));
  expect((await closed)[0]).toBe(1009);
});

it('answers a WebSocket ping', async () => {
  const cluster = await startTestCluster();
  const socket = await openWebSocket(cluster);
  const pong = once(socket, 'pong');
  socket.ping('still there?');
  expect(String((await pong)[0])).toBe('still there?');
});

describe('a full listener', () => {
  const limits = { maxTcpClients: 3, maxWsClients: 3 };

  it('closes the connection that has been without a CONNECT for longest', async () => {
    const cluster = await startTestCluster(limits);
    const kept = await RawClient.connect(portOf(cluster), { clientId: 'kept' });
    const [first, second] = [await RawClient.open(portOf(cluster)), await RawClient.open(portOf(cluster))];
    second.socket.write(generate(connectPacket({ clientId: 'half' })).subarray(0, 10));
    await RawClient.connect(portOf(cluster), { clientId: 'third' });
    await first.closed;
    await RawClient.connect(portOf(cluster), { clientId: 'fourth' });
    await second.closed;
    // Now all have been let in.
    const late = await RawClient.open(portOf(cluster));
    await late.closed;
    await kept.ping();
    expect(nodeAt(cluster, 0).describeListeners()[0]).toMatchObject({
      currentClients: 3,
      shutdownCount: { 'crowded-out': 2 },
    });
  });

  it('keeps a connection that waits for its CONNACK', async () => {
    let accept: () => void = () => undefined;
    let tellAsked: () => void = () => undefined;
    const isAsked = new Promise<void>((resolve) => {
      tellAsked = resolve;
    });
    const authenticate = (): Promise<'accept'> =>
      new Promise((resolve) => {
        accept = () => resolve('accept');
        tellAsked();
      });
    const cluster = await startTestCluster({ maxTcpClients: 1, hooks: { authenticate } });
    const waiting = await RawClient.open(portOf(cluster));
    waiting.send(connectPacket({ clientId: 'waiting' }));
    await isAsked;
    const late = await RawClient.open(portOf(cluster));
    late.send(connectPacket({ clientId: 'late' }));
    await late.closed;
    accept();
    expect((await waiting.take('connack')).returnCode).toBe(0);
  });

  it('accepts WebSockets despite connections without an upgrade and silent ones', async () => {
    const cluster = await startTestCluster(limits);
    const { ws } = nodeAt(cluster, 0).ports;
    for (let count = 0; count < 80; count += 1) {
      const idle = await openSocket(ws);
      onTestFinished(() => {
        idle.destroy();
      });
      idle.on('error', () => undefined);
      idle.write('GET /mqtt HTTP/1.1\r\nHost: ');
    }
    const silent = [await openWebSocket(cluster), await openWebSocket(cluster), await openWebSocket(cluster)];
    const firstEnd = new Promise((resolve) => {
      silent[0]?.once('close', resolve);
    });
    const client = await connectClient(urlOf(cluster, 0, 'ws'));
    await client.mqtt.subscribeAsync('t');
    await firstEnd;
    expect(ends(cluster)[1]).toEqual({ 'crowded-out': 1 });
  });
});

it.runIf(process.platform === 'linux')('turns on TCP keep-alive for clients without an MQTT keepalive', async () => {
  const cluster = await startTestCluster();
  const hex = (port: number | undefined): string => (port ?? 0).toString(16).toUpperCase().padStart(4, '0');
  for (const port of Object.values(nodeAt(cluster, 0).ports)) {
    const socket =
      port === portOf(cluster)
        ? (await RawClient.connect(port, { clientId: 'silent', keepalive: 0 })).socket
        : await openSocket(port);
    onTestFinished(() => {
      socket.destroy();
    });
    if (port !== portOf(cluster)) {
      socket.write(
        'GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n',
      );
      await once(socket, 'data');
    }
    const ends = new RegExp(`\\S+:${hex(port)} \\S+:${hex(socket.localPort)} 01 \\S+ (\\d\\d):`, 'u');
    // 02 is the timer of keepalive; before it there may be that of what is not acknowledged yet.
    await expect
      .poll(async () => ends.exec(await readFile('/proc/net/tcp', 'utf8'))?.[1], { timeout: 30_000 })
      .toBe('02');
  }
});
