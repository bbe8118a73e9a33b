import { once } from 'node:events';
import type { Socket } from 'node:net';
import { setImmediate } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import type { ServerLimits } from '../../../../../src/api/server/http-server.ts';
import { openSocket, parseAnswer, readToEnd, requestText, send } from './raw-http.ts';
import { createSampleApi } from './sample-api.ts';

let server: ManagementServer;
const sockets: Socket[] = [];

async function start(
  limits: Partial<ServerLimits> = {},
  authenticate = async (): Promise<boolean> => true,
): Promise<void> {
  server = await createManagementServer({
    api: createSampleApi().api,
    variant: 'b',
    authenticate,
    host: '127.0.0.1',
    port: 0,
    limits,
  });
}

async function open(): Promise<Socket> {
  const socket = await openSocket(server.port);
  sockets.push(socket);
  return socket;
}

afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await server.close();
});

const publish = { method: 'POST', target: '/api/v2/mqtt/publish' };
const list = requestText({ target: '/api/v2/users' });
const kept = Buffer.from(list.toString().replace('Connection: close', 'Connection: keep-alive'));

it('takes a body of 64 KiB, and answers 413 to one byte more', async () => {
  await start();
  const body = (size: number): string => `{"topic":"a","payload":"${'x'.repeat(size - 26)}"}`;
  expect(body(65_536)).toHaveLength(65_536);
  expect(await send(server.port, { ...publish, body: body(65_536) })).toMatchObject({ status: 200 });
  expect(await send(server.port, { ...publish, body: body(65_537) })).toMatchObject({ status: 413, body: '' });
});

it('answers 413 from the length alone, before the body comes', async () => {
  await start();
  const answer = await send(server.port, { ...publish, headers: ['Content-Length: 9999999'] });
  expect(answer).toMatchObject({ status: 413, body: '' });
});

it('answers 413 to a body that comes in pieces without a length', async () => {
  await start();
  const socket = await open();
  const all = readToEnd(socket);
  socket.write(requestText({ ...publish, headers: ['Transfer-Encoding: chunked'] }));
  socket.write(`10001\r\n${'x'.repeat(0x1_00_01)}\r\n`);
  expect(parseAnswer(await all)).toMatchObject({ status: 413, body: '' });
});

it('does not read the body of an unauthorized request', async () => {
  await start({}, async () => false);
  const answer = await send(server.port, { ...publish, headers: ['Content-Length: 9999999'] });
  expect(answer).toMatchObject({ status: 401, body: '' });
  expect(answer?.headers.get('connection')).toBe('close');
});

it('does not take an unread body for the next request', async () => {
  await start();
  const socket = await open();
  const all = readToEnd(socket);
  const smuggled = 'DELETE /api/v2/clients/x HTTP/1.1\r\n\r\n';
  socket.write(kept.toString().replace('\r\n\r\n', `\r\nContent-Length: ${smuggled.length + 100}\r\n\r\n${smuggled}`));
  expect((await all).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 200']);
});

it.each(['', 'GET /api/v2/users HT', 'GET /api/v2/users HTTP/1.1\r\nHost: x\r\nX-Slow: '])(
  'closes a connection that sent only %j',
  async (start_) => {
    await start({ headersMs: 200, requestMs: 400 });
    const socket = await open();
    const all = readToEnd(socket);
    socket.write(start_);
    // Ends with the connection; nothing but a 408 may have come.
    expect(await all).toMatch(/^$|^HTTP\/1\.1 408 /u);
  },
);

it('closes a connection whose body does not come', async () => {
  await start({ headersMs: 200, requestMs: 400 });
  const socket = await open();
  const all = readToEnd(socket);
  socket.write(requestText({ ...publish, headers: ['Content-Length: 20'] }));
  socket.write('{"topic"');
  expect(await all).toMatch(/^$|^HTTP\/1\.1 408 /u);
});

it('closes a connection beyond the limit without an answer, and counts the open ones', async () => {
  await start({ connections: 3 });
  expect([server.connectionCount(), server.connectionLimit]).toEqual([0, 3]);
  const kept3 = await Promise.all([open(), open(), open()]);
  for (const socket of kept3) {
    socket.write(kept);
    await once(socket, 'data');
  }
  expect(server.connectionCount()).toBe(3);
  const fourth = await open();
  const all = readToEnd(fourth);
  fourth.write(list);
  expect(await all).toBe('');
  expect(server.connectionCount()).toBe(3);

  const [first] = kept3;
  first?.end(list);
  if (first !== undefined) await once(first, 'close');
  expect(await send(server.port, { target: '/api/v2/users' })).toMatchObject({ status: 200 });
});

it('has a limit of 64 connections', async () => {
  await start();
  expect(server.connectionLimit).toBe(64);
});

it('answers several requests on one connection', async () => {
  await start();
  const socket = await open();
  const all = readToEnd(socket);
  socket.write(Buffer.concat([kept, kept, list]));
  expect((await all).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 200', 'HTTP/1.1 200']);
});

it('refuses a request line that is too long', async () => {
  await start();
  const answer = await send(server.port, { target: `/api/v2/clients/${'x'.repeat(20_000)}` });
  expect(answer?.status).toBe(431);
});

it('ends every connection when it is closed: idle, half sent, and waiting for its answer', async () => {
  let asked: () => void = () => undefined;
  const isAsked = new Promise<void>((resolve) => {
    asked = resolve;
  });
  await start({}, () => new Promise<boolean>(() => asked()));
  const [idle, half, waiting] = await Promise.all([open(), open(), open()]);
  const ends = [idle, half, waiting].map(readToEnd);
  half.write('GET /api');
  waiting.write(list);
  await isAsked;
  await server.close();
  expect(await Promise.all(ends)).toEqual(['', '', '']);
  expect(server.connectionCount()).toBe(0);
});

it('names the port that is in use', async () => {
  await start();
  const second = createManagementServer({
    api: createSampleApi().api,
    variant: 'b',
    authenticate: async () => true,
    host: '127.0.0.1',
    port: server.port,
  });
  await expect(second).rejects.toMatchObject({ code: 'EADDRINUSE' });
});

it('asks for a body only when it knows who sends it and that it is not too large', async () => {
  await start({}, async () => false);
  const headers = ['Expect: 100-continue', 'Content-Length: 14'];
  const refused = await open();
  const all = readToEnd(refused);
  refused.write(requestText({ ...publish, headers }));
  expect((await all).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 401']);
  await server.close();

  await start();
  const large = await open();
  const answer = readToEnd(large);
  large.write(requestText({ ...publish, headers: ['Expect: 100-continue', 'Content-Length: 70000'] }));
  expect((await answer).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 413']);

  const asked = await open();
  const both = readToEnd(asked);
  asked.write(requestText({ ...publish, headers }));
  await once(asked, 'data');
  asked.write('{"topic":"a"} ');
  expect((await both).match(/HTTP\/1\.1 \d+/gu)).toEqual(['HTTP/1.1 100', 'HTTP/1.1 200']);
});

describe('several requests that were sent together', () => {
  const post = (topic: string): string =>
    requestText({ ...publish, body: JSON.stringify({ topic }) })
      .toString()
      .replace('Connection: close', 'Connection: keep-alive');
  const last = requestText({ ...publish, body: '{"topic":"last"}' }).toString();
  const posts = (count: number): string => Array.from({ length: count }, (_, index) => post(`${index}`)).join('');
  const tooLarge = requestText({ ...publish, headers: ['Content-Length: 70000'] })
    .toString()
    .replace('Connection: close', 'Connection: keep-alive');

  it.each<[string, string, number, readonly number[]]>([
    ['sixteen and one more', posts(17), 16, Array<number>(16).fill(200)],
    ['thousands', posts(5000), 16, Array<number>(16).fill(200)],
    ['one behind the last', last + post('late'), 1, [200]],
    ['one behind a body that is too large', tooLarge + 'x'.repeat(70_000) + post('late'), 0, [413]],
    ['what is no HTTP behind one', `${post('a')}NONSENSE\r\n\r\n`, 1, [200, 400]],
    ['too large headers behind one', `${post('a')}GET / HTTP/1.1\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`, 1, [200, 431]],
    [
      'a broken body behind one',
      `${post('a')}${post('b').replace(/Content-Length: \d+/u, 'Transfer-Encoding: chunked')}`,
      1,
      [200, 400],
    ],
    ['CONNECT behind one', `${post('a')}CONNECT x:1 HTTP/1.1\r\nHost: x:1\r\n\r\n`, 1, [200]],
  ])(
    'are answered as far as they were carried out, then the connection is closed: %s',
    async (_, bytes, carriedOut, statuses) => {
      const sample = createSampleApi();
      // Slower than the requests come.
      const authenticate = () => setImmediate(true);
      server = await createManagementServer({
        api: sample.api,
        variant: 'b',
        authenticate,
        host: '127.0.0.1',
        port: 0,
      });
      const socket = await open();
      const all = readToEnd(socket);
      socket.write(bytes);
      expect([...(await all).matchAll(/HTTP\/1\.1 (\d+)/gu)].map(([, status]) => Number(status))).toEqual(statuses);
      expect(sample.calls).toHaveLength(carriedOut);
    },
  );
});

describe('a request that comes bit by bit', () => {
  const limits = { headersMs: 300, requestMs: 600 };
  /** Sends `piece` again and again until the service has had enough; answers with all that it said. */
  async function drip(begin: string, piece: string): Promise<string> {
    const socket = await open();
    const all = readToEnd(socket);
    socket.write(begin);
    const timer = setInterval(() => socket.write(piece), 20);
    try {
      return await all;
    } finally {
      clearInterval(timer);
    }
  }
  const head = kept.toString().slice(0, -2);

  it.each([
    ['the request line', 'GET /', 'x'],
    ['a header', `${head}X: `, 'x'],
    ['headers without end', head, 'X: y\r\n'],
    ['a body', requestText({ ...publish, headers: ['Content-Length: 60000'] }).toString(), 'x'],
    ['chunks', requestText({ ...publish, headers: ['Transfer-Encoding: chunked'] }).toString(), '1\r\nx\r\n'],
    [
      'a chunk with an extension',
      `${requestText({ ...publish, headers: ['Transfer-Encoding: chunked'] }).toString()}1;a=`,
      'x',
    ],
    ['trailers', `${requestText({ ...publish, headers: ['Transfer-Encoding: chunked'] }).toString()}0\r\n`, 'X: y\r\n'],
  ])('is given up in time: %s', async (_, begin, piece) => {
    await start(limits);
    expect(await drip(begin, piece)).toMatch(/^$|^HTTP\/1\.1 408 /u);
    expect(await send(server.port, { target: '/api/v2/users' })).toMatchObject({ status: 200 });
  });

  it.each([
    ['one huge header', `X: ${'x'.repeat(20_000)}\r\n`],
    ['thousands of headers', 'X: y\r\n'.repeat(4000)],
    ['thousands of empty headers', 'x:\r\n'.repeat(5000)],
  ])('is not even begun with %s', async (_, headers) => {
    await start();
    const socket = await open();
    const all = readToEnd(socket);
    socket.write(`${head}${headers}\r\n`);
    expect(parseAnswer(await all).status).toBe(431);
  });

  it('limits headers, extensions and trailers', async () => {
    await start();
    const chunked = requestText({ ...publish, headers: ['Transfer-Encoding: chunked'] }).toString();
    for (const rest of [
      `1;${'a'.repeat(20_000)}\r\n{\r\n`,
      `d\r\n{"topic":"a"}\r\n0\r\n${'X: y\r\n'.repeat(4000)}\r\n`,
    ]) {
      const socket = await open();
      const all = readToEnd(socket);
      socket.write(chunked + rest);
      expect(parseAnswer(await all).status).toSatisfy((status) => status === 413 || status === 431);
    }
  });
});
