import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { generate } from 'mqtt-packet';
import { expect, it, onTestFinished } from 'vitest';
import type { BrokerSettings } from '../../src/broker/engine/settings.ts';
import { send } from '../api/dialects/emq-v2/server/raw-http.ts';
import { connectPacket, RawClient } from './support.ts';

interface Measured {
  /** Bytes in use, and those that the process has of the system. */
  readonly bytes: number;
  readonly rss: number;
  /** Bytes that came over MQTT so far. */
  readonly received: number;
  readonly clients: number;
}

interface Target {
  readonly http: number;
  readonly tcp: number;
  readonly ws: number;
  measure(): Promise<Measured>;
}

/** A broker in a process of its own; it ends with the test. */
async function startTarget(settings: Partial<BrokerSettings> = {}): Promise<Target> {
  const child = spawn(
    process.execPath,
    ['--expose-gc', '--no-warnings', new URL('target-process.ts', import.meta.url).pathname, JSON.stringify(settings)],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  const exit = once(child, 'exit');
  onTestFinished(async () => {
    child.stdin.end();
    expect(await exit).toEqual([0, null]);
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const read = async (): Promise<Readonly<Record<string, number>>> => JSON.parse((await lines.next()).value ?? 'null');
  const { http = 0, tcp = 0, ws = 0 } = await read();
  return {
    http,
    tcp,
    ws,
    measure: async () => {
      child.stdin.write('\n');
      const { bytes = 0, rss = 0, received = 0, clients = 0 } = await read();
      return { bytes, rss, received, clients };
    },
  };
}

const login = `Host: x\r\nAuthorization: Basic ${Buffer.from('admin:secret').toString('base64')}\r\n`;
const hello = (id: number): Buffer => generate(connectPacket({ clientId: `hostile-${id}` }));
const junk = Buffer.alloc(15_000, 0x61);
const upgrade =
  'GET /mqtt HTTP/1.1\r\nHost: x\r\nConnection: Upgrade\r\nUpgrade: websocket\r\nSec-WebSocket-Version: 13\r\nSec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==\r\n\r\n';

/** What a hostile connection sends before it is reset. */
const attacks: readonly ((target: Target, id: number) => readonly [port: number, ...writes: (string | Buffer)[]])[] = [
  ({ http }) => [http, 'GET /api/v2/users HTTP/1.1\r\nX: ', junk],
  ({ http }) => [http, `POST /api/v2/mqtt/publish HTTP/1.1\r\n${login}Content-Length: 60000\r\n\r\n`, junk],
  ({ http }) => [
    http,
    `POST /api/v2/mqtt/publish HTTP/1.1\r\n${login}Transfer-Encoding: chunked\r\n\r\nffff\r\n`,
    junk,
  ],
  ({ http }) => [http, `GET /api/v2/users HTTP/1.1\r\n${login}\r\n`.repeat(10)],
  ({ http }) => [http, 'GET /nowhere HTTP/1.1\r\nHost: x\r\n\r\n'],
  ({ tcp }) => [tcp, Buffer.from([0x10, 0x80, 0x70]), junk.subarray(0, 10_000)],
  ({ tcp }, id) => [tcp, hello(id), Buffer.from([0x30, 0xff, 0xff, 0x02]), junk],
  ({ tcp }, id) => [
    tcp,
    hello(id),
    generate({
      cmd: 'subscribe',
      messageId: 1,
      subscriptions: Array.from({ length: 50 }, (_, index) => ({ topic: `${id}/${index}/+`, qos: 1 })),
    }),
  ],
  ({ tcp }, id) => [tcp, hello(id), Buffer.alloc(2000, Buffer.from([0xc0, 0]))],
  ({ tcp }) => [tcp, junk],
  ({ ws }) => [ws, 'GET /mqtt HTTP/1.1\r\nX: ', junk],
  ({ ws }) => [ws, upgrade, Buffer.from([0x82, 0xff, 0, 0, 0, 0, 0, 0, 0x30, 0]), junk.subarray(0, 10_000)],
];

async function attack(target: Target, id: number): Promise<Socket> {
  const [port, ...writes] = (attacks[id % attacks.length] ?? (() => [target.tcp]))(target, id);
  const socket = connect(port, '127.0.0.1');
  socket.on('error', () => undefined);
  socket.resume();
  await new Promise<void>((resolve) => {
    socket.once('connect', resolve);
    socket.once('close', () => resolve());
  });
  for (const bytes of writes) {
    if (!socket.destroyed) await new Promise<void>((resolve) => socket.write(bytes, () => resolve()));
  }
  return socket;
}

it('keeps nothing of 5,000 hostile connections one by one and 1,000 at once, and still serves others', async () => {
  const target = await startTarget();
  const other = await RawClient.connect(target.tcp, { clientId: 'other' });
  let served = 0;
  const serve = async (): Promise<void> => {
    await other.ping();
    if (await send(target.http, { target: '/api/v2/clients/other' }).then((answer) => answer?.status === 200))
      served += 1;
  };
  const oneAfterTheOther = async (from: number, count: number): Promise<void> => {
    for (let start = from; start < from + count; start += 100) {
      // A few lanes, because most of the time is waiting.
      await Promise.all(
        [0, 1, 2, 3].map(async (lane) => {
          for (let id = start + lane; id < start + 100; id += 4) (await attack(target, id)).resetAndDestroy();
        }),
      );
      await serve();
    }
  };
  const atOnce = async (from: number, count: number): Promise<number> => {
    const sockets = await Promise.all(Array.from({ length: count }, (_, index) => attack(target, from + index)));
    await serve();
    const { bytes } = await target.measure();
    for (const socket of sockets) socket.destroy();
    return bytes;
  };
  /** All that ended here has ended there. */
  const settled = async (): Promise<number> => {
    for (;;) {
      const { bytes, clients } = await target.measure();
      if (clients === 1) return bytes;
    }
  };

  await oneAfterTheOther(0, 1000);
  await atOnce(1000, 500);
  const before = await settled();
  await oneAfterTheOther(2000, 5000);
  const during = await atOnce(7000, 1000);
  const after = await settled();
  expect(served).toBe(62);
  const megabytes = (bytes: number): number => (bytes - before) / 1024 / 1024;
  // 512 bytes kept of each would be 2.5 MB.
  expect(megabytes(after)).toBeLessThan(2.5);
  // 64 KiB for each would be 64 MB.
  expect(megabytes(during)).toBeLessThan(40);
}, 240_000);

it('buffers only the received part of a PUBLISH of 60 MB, and nothing after the disconnect', async () => {
  const target = await startTarget({ maxPacketSize: 64 * 1024 * 1024 });
  const other = await RawClient.connect(target.tcp, { clientId: 'other' });
  const { socket } = await RawClient.connect(target.tcp, { clientId: 'hostile' });
  /** The first figures for which it holds. */
  const when = async (holds: (measured: Measured) => boolean): Promise<Measured> => {
    for (;;) {
      const measured = await target.measure();
      if (holds(measured)) return measured;
    }
  };
  const before = await when(({ clients }) => clients === 2);
  const whole = generate({
    cmd: 'publish',
    topic: 't',
    payload: Buffer.alloc(60_000_000, 0x61),
    qos: 0,
    retain: false,
    dup: false,
  });
  const sent = whole.length - 1;
  for (let start = 0; start < sent; start += 1_000_000) {
    if (!socket.write(whole.subarray(start, Math.min(start + 1_000_000, sent)))) await once(socket, 'drain');
    await other.ping();
  }
  const during = await when(({ received }) => received >= before.received + sent);
  socket.resetAndDestroy();
  // The socket is let go of a little later than the client is.
  await when(({ bytes, clients }) => clients === 1 && bytes < before.bytes + 5_000_000);
  await other.ping();
  expect((during.bytes - before.bytes) / 1e6).toBeLessThan(64);
  // The pieces are not kept beside the whole, and what they came in is not kept either.
  expect((during.rss - before.rss) / 1e6).toBeLessThan(100);
}, 30_000);
