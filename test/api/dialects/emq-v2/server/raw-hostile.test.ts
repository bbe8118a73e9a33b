import { once } from 'node:events';
import type { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import type { ServerLimits } from '../../../../../src/api/server/http-server.ts';
import { openSocket, parseAnswer, readToEnd, requestText, send } from './raw-http.ts';
import { createSampleApi, type SampleApi } from './sample-api.ts';

let server: ManagementServer;
let sample: SampleApi;
const authenticate = async (username: string, password: string): Promise<boolean> =>
  username === 'admin' && password === 'secret';
const start = async (limits: Partial<ServerLimits> = {}): Promise<void> => {
  sample = createSampleApi();
  server = await createManagementServer({
    api: sample.api,
    variant: 'b',
    authenticate,
    host: '127.0.0.1',
    port: 0,
    limits,
  });
};
afterEach(() => server.close());

const host = 'Host: x\r\n';
const login = `Authorization: Basic ${Buffer.from('admin:secret').toString('base64')}\r\n`;
const json = '{"topic":"a"}';

async function open(): Promise<Socket> {
  const socket = await openSocket(server.port);
  onTestFinished(() => {
    socket.destroy();
  });
  return socket;
}

/** All status codes that come for these bytes until the service closes; the sender has no more to say. */
async function statuses(bytes: string | Buffer): Promise<number[]> {
  const socket = await open();
  const all = readToEnd(socket);
  socket.end(typeof bytes === 'string' ? Buffer.from(bytes, 'latin1') : bytes);
  return [...(await all).matchAll(/^HTTP\/1\.1 (\d+)/gmu)].map(([, status]) => Number(status));
}

/** Expects that nothing was done, and that the server goes on serving. */
async function expectNothingDone(): Promise<void> {
  expect(sample.calls).toEqual([]);
  expect(await send(server.port, { target: '/api/v2/users' })).toMatchObject({ status: 200 });
}

describe('a message that could be read in two ways', () => {
  beforeEach(() => start());
  const post = (lines: string, body = json): string =>
    `POST /api/v2/mqtt/publish HTTP/1.1\r\n${host}${login}${lines}\r\n${body}`;
  const chunked = `d\r\n${json}\r\n0\r\n\r\n`;
  const get = (lines: string, version = 'HTTP/1.1'): string => `GET /api/v2/users ${version}\r\n${lines}\r\n`;
  it.each<[string, string]>([
    ['two lengths', post('Content-Length: 13\r\nContent-Length: 14\r\n')],
    ['the same length twice', post('Content-Length: 13\r\nContent-Length: 13\r\n')],
    ['a list of lengths', post('Content-Length: 13, 13\r\n')],
    ['a negative length', post('Content-Length: -13\r\n')],
    ['a length with a sign', post('Content-Length: +13\r\n')],
    ['a length in hexadecimal', post('Content-Length: 0xd\r\n')],
    ['a length beyond all integers', post(`Content-Length: ${'9'.repeat(30)}\r\n`)],
    ['a length and chunks', post('Content-Length: 5\r\nTransfer-Encoding: chunked\r\n', chunked)],
    ['chunks and a length', post('Transfer-Encoding: chunked\r\nContent-Length: 5\r\n', chunked)],
    ['another coding', post('Transfer-Encoding: xchunked\r\n', chunked)],
    ['a coding before the chunks', post('Transfer-Encoding: gzip, chunked\r\n', chunked)],
    ['a coding behind the chunks', post('Transfer-Encoding: chunked\r\nTransfer-Encoding: identity\r\n', chunked)],
    ['chunks in HTTP/1.0', post('Transfer-Encoding: chunked\r\n', chunked).replace('HTTP/1.1', 'HTTP/1.0')],
    ['chunks that end with a bare LF', post('Transfer-Encoding: chunked\r\n', chunked.replaceAll('\r', ''))],
    ['a chunk size that is no number', post('Transfer-Encoding: chunked\r\n', chunked.replace('d', '0xd'))],
    ['a chunk size beyond all integers', post('Transfer-Encoding: chunked\r\n', chunked.replace('d', 'f'.repeat(20)))],
    ['a folded header', get(`${host}X-A: b\r\n c\r\n${login}`)],
    ['a folded login', get(`${host}${login.replace('Basic ', 'Basic\r\n ')}`)],
    ['a blank before the colon', get(`${host}${login.replace(':', ' :')}`)],
    ['a blank before the first header', get(` ${host}${login}`)],
    ['bare LF', get(host + login).replaceAll('\r', '')],
    ['a bare CR', get(`${host}X-A: b\rc\r\n${login}`)],
    ['U+0000 in a header', get(`${host}X-A: b\0c\r\n${login}`)],
    ['U+0000 in the login', get(host + login.replace('Basic ', 'Basic \0'))],
    ['no host', get(login)],
    ['two hosts', get(`${host}Host: y\r\n${login}`)],
    ['HTTP/2.0', get(host + login, 'HTTP/2.0')],
    ['HTTP/1.2', get(host + login, 'HTTP/1.2')],
    ['the preface of HTTP/2', 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0'],
    ['a method that nobody knows', get(host + login).replace('GET', 'FOO')],
    ['a TLS hello', `\x16\x03\x01\0\xc8\x01\0\0\xc4\x03\x03${'\0'.repeat(100)}`],
    ['an MQTT CONNECT', '\x10\x0d\0\x04MQTT\x04\x02\0\0\0\x01x'],
  ])('%s: one 400, and the connection ends', async (_, bytes) => {
    expect(await statuses(bytes)).toEqual([400]);
    await expectNothingDone();
  });

  it.each([
    '{"topic":"a","topic":"b"}',
    '{"topic":"a","t\\u006fpic":"b"}',
    '{"topic" : "a", "topic"\n: "a"}',
    '{"topic":"a","x":[{"y":1,"y":2}]}',
  ])('a name twice in %s: code 109', async (body) => {
    const answer = await send(server.port, { method: 'POST', target: '/api/v2/mqtt/publish', body });
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 109 });
    await expectNothingDone();
  });

  it('takes a name that stands once in each of several objects, and in texts', async () => {
    const body = JSON.stringify({
      topic: 'a',
      payload: '{"topic":"b","topic":"c"}',
      x: [{ topic: 1 }, { topic: 2 }],
      y: { topic: { topic: 3 } },
    });
    const answer = await send(server.port, { method: 'POST', target: '/api/v2/mqtt/publish', body });
    expect(JSON.parse(answer?.body ?? '')).toMatchObject({ code: 0 });
    expect(sample.calls).toHaveLength(1);
  });

  it('does not carry out a request hidden behind a refused one', async () => {
    const hidden = `DELETE /api/v2/clients/x HTTP/1.1\r\n${host}${login}\r\n`;
    expect(await statuses(post('Content-Length: 0\r\nTransfer-Encoding: chunked\r\n', `0\r\n\r\n${hidden}`))).toEqual([
      400,
    ]);
    expect(
      await statuses(
        post('Transfer-Encoding: gzip, chunked\r\n', `${hidden.length.toString(16)}\r\n${hidden}\r\n0\r\n\r\n`),
      ),
    ).toEqual([400]);
    await expectNothingDone();
  });

  it('refuses HTTP/0.9 and CONNECT', async () => {
    expect(await statuses('GET /api/v2/users\r\n\r\n')).toEqual([401]);
    expect(await statuses(`CONNECT a:1 HTTP/1.1\r\n${host}${login}\r\n`)).toEqual([]);
    for (const protocol of ['websocket', 'h2c']) {
      expect(await statuses(get(`${host}Connection: Upgrade\r\nUpgrade: ${protocol}\r\n${login}`))).toEqual([200]);
    }
    await expectNothingDone();
  });

  it('answers another expectation with 417, or 401 without a login', async () => {
    const expectation = 'Expect: tea\r\nConnection: close\r\nContent-Length: 13\r\n';
    expect(await statuses(post(expectation))).toEqual([417]);
    expect(await statuses(post(expectation).replace(login, ''))).toEqual([401]);
    await expectNothingDone();
  });
});

describe('paths', () => {
  beforeEach(() => start());
  it.each<[string, number]>([
    ['//', 404],
    ['/api//v2/users', 404],
    ['//evil/api/v2/users', 404],
    ['/api/v2/./users', 404],
    ['/api/v2/clients/../users', 404],
    ['/api/v2/%2e%2e/users', 404],
    ['/api/v2/clients/%2e%2e/users', 404],
    ['/api/v2%2Fusers', 404],
    ['/api/v2/users%00', 404],
    ['/api/v2/users%2F', 404],
    ['/api/v2/users;a=b', 404],
    ['/api/v2/users%3F', 404],
    ['/api/v2/users\\', 404],
    ['*', 404],
    ['http://x', 404],
    ['http://y/api/v2/users', 400],
    ['ftp://x/api/v2/users', 404],
    ['/%61pi/v2/users/', 404],
    ['/api/v2/users#x', 400],
    ['/api/v2/users/x#y', 400],
    ['api/v2/users', 400],
    ['/api/v2/clients/\xff', 400],
    ['/api/v2/clients/\xc3\xa9', 400],
    ['/api/v2/clients/a b', 400],
    ['/api/v2/clients/a\tb', 400],
    ['/api/v2/clients/%', 400],
    ['/api/v2/clients/%u0041', 400],
    ['/api/v2/clients/%ff%fe', 400],
    ['/api/v2/clients/%ed%a0%80', 400],
    ['/api/v2/clients/%c0%ae', 400],
    [`/api/v2/clients/${'x'.repeat(65_000)}`, 431],
  ])('%s: %i', async (path, status) => {
    expect(await statuses(`DELETE ${path} HTTP/1.1\r\n${host}${login}Connection: close\r\n\r\n`)).toEqual([status]);
    await expectNothingDone();
  });

  it('cuts no id short at a raw #', async () => {
    await send(server.port, { method: 'DELETE', target: '/api/v2/clients/a#b' });
    expect(sample.calls).toEqual([]);
    await send(server.port, { method: 'DELETE', target: '/api/v2/clients/a%23b' });
    expect(sample.calls).toEqual([['disconnectClient', 'a#b']]);
  });

  it('takes a whole address for its path, as proxies send it', async () => {
    for (const target of ['http://127.0.0.1/api/v2/users', 'HTTPS://127.0.0.1/api/v2/users']) {
      expect(await send(server.port, { target })).toMatchObject({ status: 200 });
    }
  });

  it.each([
    'http://x/api/v2/users',
    'http://127.0.0.1:1/api/v2/users',
    'http://a@127.0.0.1/api/v2/users',
    'http:///api/v2/users',
    'http://x?/api/v2/users',
  ])('refuses %s, which names another host than its header', async (target) => {
    expect(await send(server.port, { target })).toMatchObject({ status: 400 });
  });

  it('takes ids of 65,000 characters in a body', async () => {
    const clientId = 'x'.repeat(65_000);
    const body = JSON.stringify({ client_id: clientId, topic: 'a', qos: 0 });
    expect(await send(server.port, { method: 'POST', target: '/api/v2/mqtt/subscribe', body })).toMatchObject({
      status: 200,
    });
    expect(sample.calls).toEqual([['subscribe', { clientId, topic: 'a', qos: 0 }]]);
  });
});

describe('a browser that remembers the password', () => {
  beforeEach(() => start());
  const status = async (method: string, headers: readonly string[]): Promise<number | undefined> => {
    const target = method === 'POST' ? '/api/v2/mqtt/publish' : '/api/v2/clients/x';
    return (await send(server.port, { method, target, headers, ...(method === 'POST' ? { body: json } : {}) }))?.status;
  };

  it.each([
    ['Sec-Fetch-Site: cross-site'],
    ['Sec-Fetch-Site: same-site'],
    ['Sec-Fetch-Site: nonsense'],
    ['Origin: http://evil.example'],
    ['Origin: null'],
    ['Origin: http://127.0.0.1:1'],
    ['Origin: http://127.0.0.1.evil.example'],
    ['Sec-Fetch-Site: cross-site', 'Origin: http://127.0.0.1'],
  ])('does not act for %s', async (...headers) => {
    expect([await status('POST', headers), await status('DELETE', headers)]).toEqual([403, 403]);
    await expectNothingDone();
  });

  it('reads, but shares nothing with the page', async () => {
    const answer = await send(server.port, {
      target: '/api/v2/users',
      headers: ['Origin: http://evil.example', 'Sec-Fetch-Site: cross-site'],
    });
    expect(answer?.status).toBe(200);
    expect([...(answer?.headers.keys() ?? [])].filter((name) => name.startsWith('access-control'))).toEqual([]);
    expect(answer?.headers.get('x-content-type-options')).toBe('nosniff');
  });

  it('gets only 401 without a login', async () => {
    const answer = await send(server.port, {
      method: 'DELETE',
      target: '/api/v2/clients/x',
      credentials: null,
      headers: ['Sec-Fetch-Site: cross-site'],
    });
    expect(answer?.status).toBe(401);
  });

  it.each([
    ['Sec-Fetch-Site: same-origin'],
    ['Sec-Fetch-Site: none'],
    ['Origin: http://127.0.0.1'],
    ['Origin: https://127.0.0.1'],
    [],
  ])('acts for %s', async (...headers) => {
    expect([await status('POST', headers), await status('DELETE', headers)]).toEqual([200, 200]);
  });
});

describe('connections that do not ask', () => {
  const ask = requestText({ target: '/api/v2/users' });
  const begun = [
    '',
    'GET /api/v2/us',
    `GET /api/v2/users HTTP/1.1\r\n${host}X: `,
    `POST /api/v2/mqtt/publish HTTP/1.1\r\n${host}Content-Length: 10\r\n\r\n`,
  ];

  it.each(begun)('64 and more that sent only %j lock nobody out', async (bytes) => {
    await start();
    const idle = await Promise.all(Array.from({ length: 64 }, open));
    const [oldestEnd] = idle.map(readToEnd);
    for (const socket of idle) socket.write(bytes);
    expect(await send(server.port, { target: '/api/v2/users' })).toMatchObject({ status: 200 });
    await oldestEnd;
    expect(server.connectionCount()).toBeLessThanOrEqual(64);
  });

  it('make room for others, the oldest first, but who has logged in stays', async () => {
    await start({ connections: 3 });
    const kept = await open();
    kept.write(ask.toString().replace('Connection: close\r\n', ''));
    await once(kept, 'data');
    const [first, second] = [await open(), await open()];
    const firstGone = once(first, 'close');
    const third = await open();
    await firstGone;
    const secondGone = once(second, 'close');
    await open();
    await secondGone;
    expect(server.connectionCount()).toBe(3);
    const answer = once(kept, 'data');
    kept.write(ask);
    expect(parseAnswer(String((await answer)[0])).status).toBe(200);
    expect(third.destroyed).toBe(false);
  });

  it('the first one whose login is being checked is closed if none has failed, and known logins get in', async () => {
    let tellAsked: () => void = () => undefined;
    let judge: (isRight: boolean) => void = () => undefined;
    server = await createManagementServer({
      api: createSampleApi().api,
      variant: 'b',
      host: '127.0.0.1',
      port: 0,
      limits: { connections: 2 },
      authenticate: (username) =>
        username !== 'admin'
          ? Promise.resolve(username === 'known')
          : new Promise((decide) => {
              judge = decide;
              tellAsked();
            }),
    });
    const judged = async (): Promise<{ readonly end: Promise<string> }> => {
      const asked = new Promise<void>((resolve) => {
        tellAsked = resolve;
      });
      const socket = await open();
      const end = readToEnd(socket);
      socket.write(ask);
      await asked;
      return { end };
    };
    const first = await judged();
    const refused = await open();
    refused.write(
      requestText({ target: '/api/v2/users', credentials: 'wrong:x' }).toString().replace('Connection: close\r\n', ''),
    );
    await once(refused, 'data');
    const refusedEnd = once(refused, 'close');
    const second = await judged();
    await refusedEnd;
    const known = await open();
    const answer = readToEnd(known);
    known.write(requestText({ target: '/api/v2/users', credentials: 'known:x' }));
    expect(parseAnswer(await answer).status).toBe(200);
    expect(await first.end).toBe('');
    judge(true);
    expect(parseAnswer(await second.end).status).toBe(200);
  });
});
