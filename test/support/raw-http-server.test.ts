import { expect, onTestFinished, test } from 'vitest';
import { openSocket, readToEnd } from '../api/dialects/emq-v2/server/raw-http.ts';
import {
  answer,
  type RawScript,
  type RawServer,
  type RawServerOptions,
  startRawServer,
  success,
} from './raw-http-server.ts';

async function start(script: RawScript, options?: RawServerOptions): Promise<RawServer> {
  const server = await startRawServer(script, options);
  onTestFinished(() => server.close());
  return server;
}

test('answers each request line by its script, and keeps the received bytes', async () => {
  const server = await start({ 'GET /a': ['one', Buffer.from([0xff, 0])], '*': 'other' });
  const socket = await openSocket(server.port);
  const all = readToEnd(socket);
  socket.write('GET /a HTTP/1.1\r\nX-Odd:  y\r\n\r\nPUT /b HTTP/1.1\r\ncontent-length: 3\r\n\r\n{é');
  socket.write('GET /a HTTP/1.1\r\n\r\nGET /a HTTP/1.1\r\n\r\n');
  await expect.poll(() => server.requests.length).toBe(4);
  socket.end();
  expect(await all).toBe('oneother\u00FF\0\u00FF\0');
  expect(server.requests[0]?.bytes.toString()).toBe('GET /a HTTP/1.1\r\nX-Odd:  y\r\n\r\n');
  expect(server.requests[1]).toMatchObject({ method: 'PUT', path: '/b', body: '{é', connection: 1 });
  expect(server.requests[1]?.bytes.toString()).toBe('PUT /b HTTP/1.1\r\ncontent-length: 3\r\n\r\n{é');
});

test('answers other requests with 404', async () => {
  const server = await start({ 'GET /a': success() }, { keepAlive: false });
  const socket = await openSocket(server.port);
  const all = readToEnd(socket);
  socket.write('GET /b HTTP/1.1\r\n\r\n');
  expect(await all).toBe(answer(404, '').toString());
});

test('without keep-alive each connection has one answer', async () => {
  const server = await start({ '*': success([1]) }, { keepAlive: false });
  for (const connection of [1, 2]) {
    const socket = await openSocket(server.port);
    const all = readToEnd(socket);
    socket.write('GET /a HTTP/1.1\r\n\r\n');
    expect(await all).toBe(success([1]).toString());
    expect(server.requests.at(-1)?.connection).toBe(connection);
  }
  expect(server.connections).toMatchObject({ accepted: 2 });
});
