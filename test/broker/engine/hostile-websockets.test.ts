import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import type { Socket } from 'node:net';
import { generate } from 'mqtt-packet';
import { expect, it, onTestFinished } from 'vitest';
import { WebSocket } from 'ws';
import type { BrokerCluster } from '../../../src/broker/cluster.ts';
import { openSocket, parseAnswer, readToEnd } from '../../api/dialects/emq-v2/server/raw-http.ts';
import { connectClient, connectPacket, nodeAt, startTestCluster, urlOf } from '../support.ts';

const hello = generate(connectPacket({ clientId: 'ws' }));

/** A WebSocket upgrade by hand. `undefined` as the subprotocols sends none. */
async function upgrade(
  cluster: BrokerCluster,
  protocols: string | undefined = 'mqtt',
  version = '13',
): Promise<Socket> {
  const socket = await openSocket(nodeAt(cluster, 0).ports.ws);
  onTestFinished(() => {
    socket.destroy();
  });
  socket.write(
    [
      'GET /mqtt HTTP/1.1',
      'Host: x',
      'Connection: Upgrade',
      'Upgrade: websocket',
      `Sec-WebSocket-Version: ${version}`,
      `Sec-WebSocket-Key: ${randomBytes(16).toString('base64')}`,
      ...(protocols === undefined ? [] : [`Sec-WebSocket-Protocol: ${protocols}`]),
      '',
      '',
    ].join('\r\n'),
  );
  return socket;
}

/** A masked frame; its first byte holds FIN and the opcode. `declared` may lie. */
function frame(first: number, content: Buffer, declared = content.length): Buffer {
  const isShort = declared < 126;
  const head = Buffer.alloc(isShort ? 2 : 10);
  head[0] = first;
  head[1] = 0x80 | (isShort ? declared : 127);
  if (!isShort) head.writeBigUInt64BE(BigInt(declared), 2);
  // A mask of zeros changes nothing.
  return Buffer.concat([head, Buffer.alloc(4), content]);
}

const contains = (socket: Socket, bytes: Buffer): Promise<void> =>
  new Promise((resolve) => {
    let end = Buffer.alloc(0);
    socket.on('data', (chunk: Buffer) => {
      end = Buffer.concat([end, chunk]);
      if (end.includes(bytes)) resolve();
      end = end.subarray(-bytes.length);
    });
  });
const connack = generate({ cmd: 'connack', returnCode: 0, sessionPresent: false });

it.each([undefined, 'mqtt', 'mqttv3.1', 'chat, mqtt'])('accepts a WebSocket that offers %s', async (protocols) => {
  const cluster = await startTestCluster();
  const socket = await upgrade(cluster, protocols);
  const answered = contains(socket, connack);
  socket.write(frame(0x82, hello));
  await answered;
  expect(nodeAt(cluster, 0).clients.size).toBe(1);
});

it.each(['chat', 'MQTT', 'mqttx', ''])('refuses a WebSocket that only offers %j', async (protocols) => {
  const cluster = await startTestCluster();
  expect(parseAnswer(await readToEnd(await upgrade(cluster, protocols))).status).toBe(400);
});

it.each(['8', '0', '14', '13, 8', ''])('answers a WebSocket of version %j with its own version', async (version) => {
  const cluster = await startTestCluster();
  const { status, headers } = parseAnswer(await readToEnd(await upgrade(cluster, 'mqtt', version)));
  expect([status, headers.get('sec-websocket-version')]).toEqual([426, '13']);
});

it('joins fragments of one byte, and splits a frame with several packets', async () => {
  const cluster = await startTestCluster();
  const socket = await upgrade(cluster);
  const answered = contains(socket, Buffer.concat([generate({ cmd: 'pingresp' }), generate({ cmd: 'pingresp' })]));
  const bytes = [...hello];
  for (const [index, byte] of bytes.entries()) {
    socket.write(frame((index === 0 ? 2 : 0) | (index === bytes.length - 1 ? 0x80 : 0), Buffer.from([byte])));
  }
  socket.write(frame(0x82, Buffer.from([0xc0, 0, 0xc0, 0])));
  await answered;
  expect(nodeAt(cluster, 0).readMetrics()).toMatchObject({ 'packets.received': 3, 'packets.pingreq': 2 });
});

it.each<[string, Buffer]>([
  ['text', frame(0x81, Buffer.from('hello'))],
  ['a frame of eight exabytes', frame(0x82, Buffer.alloc(0), Number.MAX_SAFE_INTEGER)],
  ['a frame of 60 MB', frame(0x82, Buffer.alloc(0), 60_000_000)],
  ['fragments of 60 MB in all', Buffer.concat([frame(0x02, Buffer.alloc(10_000)), frame(0x00, Buffer.alloc(10_000))])],
  ['a fragment of nothing begun', frame(0x80, Buffer.from('x'))],
  ['a frame that is not masked', Buffer.from([0x82, 1, 0])],
  ['reserved bits', frame(0xf2, hello)],
  ['an opcode of nobody', frame(0x83, hello)],
  ['a ping that is too long', frame(0x89, Buffer.alloc(126))],
  ['a close of one byte', frame(0x88, Buffer.alloc(1))],
])('closes a WebSocket that sends %s, and serves the others', async (_, bytes) => {
  const cluster = await startTestCluster();
  const other = await connectClient(urlOf(cluster, 0, 'ws'));
  const socket = await upgrade(cluster);
  await once(socket, 'data');
  const end = readToEnd(socket);
  socket.write(bytes);
  await end;
  await other.mqtt.publishAsync('t', 'x', { qos: 1 });
  expect(nodeAt(cluster, 0).clients.size).toBe(1);
});

it('does not queue pongs for a client that does not read', async () => {
  const cluster = await startTestCluster();
  const socket = await upgrade(cluster);
  await once(socket, 'data');
  socket.pause();
  const pings = Buffer.concat(Array.from({ length: 1000 }, () => frame(0x89, Buffer.alloc(125))));
  for (let count = 0; count < 300; count += 1)
    await new Promise<void>((resolve) => socket.write(pings, () => resolve()));
  const other = await connectClient(urlOf(cluster, 0, 'ws'));
  await other.mqtt.publishAsync('t', 'x', { qos: 1 });

  let received = 0;
  socket.on('data', (chunk: Buffer) => {
    received += chunk.length;
  });
  const answered = contains(socket, connack);
  socket.write(frame(0x82, hello));
  socket.resume();
  await answered;
  // The system keeps some megabytes of answers between the two; 38 MB is what all of them have.
  expect(received).toBeLessThan(25_000_000);
});

it('takes the place of a WebSocket that has the same id, on the same node', async () => {
  const cluster = await startTestCluster();
  const first = new WebSocket(urlOf(cluster, 0, 'ws'), 'mqtt');
  onTestFinished(() => first.terminate());
  await once(first, 'open');
  first.send(hello);
  await once(first, 'message');
  const closed = once(first, 'close');
  const socket = await upgrade(cluster);
  const answered = contains(socket, connack);
  socket.write(frame(0x82, hello));
  await answered;
  await closed;
  expect(nodeAt(cluster, 0).clients.size).toBe(1);
});
