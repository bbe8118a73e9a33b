import { inspect } from 'node:util';
import { afterEach, describe, expect, test, vi } from 'vitest';
import { http as format } from '../../../src/api/dialects/emq-v2/envelope.ts';
import { ApiError } from '../../../src/api/errors.ts';
import { createHttp, type Http, type HttpOptions } from '../../../src/api/transport/http.ts';
import { holdLongTimeouts } from '../../support/long-timeouts.ts';
import { answer, type RawHandler, type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';

const password = 'hunter2-Geheim';
const credential = Buffer.from(`admin:${password}`).toString('base64');

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function start(
  handler: RawHandler,
  options: Partial<HttpOptions> = {},
): Promise<{ server: RawServer; http: Http }> {
  const server = await startRawServer(handler);
  const http = createHttp({ format, url: server.url, user: 'admin', password, ...options });
  closing.push(
    () => server.close(),
    () => http.close(),
  );
  return { server, http };
}

const ask = (http: Http, signal?: AbortSignal): Promise<unknown> =>
  http.send({ method: 'GET', path: '/management/nodes', signal });

async function failure(work: Promise<unknown>): Promise<ApiError> {
  const error: unknown = await work.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof ApiError)) throw new Error(`no ApiError: ${inspect(error)}`);
  return error;
}

/** Everything that a log or a crash report could show of an error. */
function everythingOf(error: unknown): string {
  const parts: string[] = [inspect(error, { depth: 20, showHidden: true }), JSON.stringify(error)];
  for (let current: unknown = error; current instanceof Error; current = current.cause) {
    parts.push(current.message, current.stack ?? '', JSON.stringify(Object.getOwnPropertyDescriptors(current)));
  }
  return parts.join('\n');
}

const json = (body: string): Buffer => answer(200, body, { 'content-type': 'application/json' });
const nested = (depth: number): string => '['.repeat(depth) + ']'.repeat(depth);
/** A broker that repeats the request's headers, as error pages do. */
const echo: RawHandler = ({ headers }) => answer(200, `<html>${[...headers.values()].join(' ')} ${password}`);

const answers: readonly (readonly [string, RawHandler, Readonly<Record<string, unknown>>])[] = [
  ['401', () => answer(401, '', { 'www-authenticate': 'Basic Realm="x"' }), { kind: 'unauthorized' }],
  ['404 with nothing', () => answer(404, '', { 'content-type': 'text/plain' }), { kind: 'not-found' }],
  ['404 with a page', () => answer(404, '<h1>no</h1>'.repeat(5000)), { kind: 'not-found' }],
  ['500', () => answer(500, 'crash'), { kind: 'http-status', status: 500 }],
  ['204', () => Buffer.from('HTTP/1.1 204 No Content\r\n\r\n'), { kind: 'http-status', status: 204 }],
  [
    'a redirect',
    () => answer(302, '', { location: '/elsewhere' }),
    {
      kind: 'http-status',
      status: 302,
      message: expect.stringMatching(
        /^The broker redirects to http:\/\/127\.0\.0\.1:\d+\/elsewhere \(HTTP 302\)\. Redirects are not followed: pass the final URL with --url\.$/u,
      ),
    },
  ],
  [
    'a redirect of the same request',
    () => answer(301, '', { location: 'https://broker.example/emq/api/v2/management/nodes?token=x#y' }),
    {
      kind: 'http-status',
      message:
        'The broker redirects to https://broker.example/emq/api/v2 (HTTP 301). Redirects are not followed: pass the final URL with --url.',
    },
  ],
  [
    'a redirect with a login',
    () => answer(307, '', { location: `https://admin:${password}@broker.example/${password}` }),
    {
      kind: 'http-status',
      message:
        'The broker redirects to https://broker.example/(hidden) (HTTP 307). Redirects are not followed: pass the final URL with --url.',
    },
  ],
  [
    'a redirect to nowhere',
    () => answer(302, '', { location: 'javascript:x' }),
    {
      kind: 'http-status',
      message: 'The broker redirects (HTTP 302). Redirects are not followed: pass the final URL with --url.',
    },
  ],
  [
    'another protocol, as status',
    () => answer(426, '', { upgrade: 'h2c' }),
    {
      kind: 'http-status',
      message:
        'The server does not accept HTTP/1.1 (HTTP 426). Enable it on the server or on the proxy in front of it.',
    },
  ],
  [
    'HTTP/2',
    () => Buffer.from('\0\0\u0006\u0004\0\0\0\0\0\0\u0003\0\0\0\u0064'),
    {
      kind: 'bad-answer',
      message:
        'Unexpected response (HTTP/2, not HTTP/1.1). Check that the URL is the management API. Enable HTTP/1.1 on the server or on the proxy in front of it.',
    },
  ],
  ['429 in seconds', () => answer(429, '', { 'retry-after': '7' }), { kind: 'busy', retryAfterSeconds: 7 }],
  ['429 without more', () => answer(429, ''), { kind: 'busy', retryAfterSeconds: undefined }],
  ['429 with nonsense', () => answer(429, '', { 'retry-after': '-3' }), { kind: 'busy', retryAfterSeconds: undefined }],
  [
    '429 with a date that is past',
    () => answer(429, '', { 'retry-after': 'Wed, 21 Oct 2015 07:28:00 GMT' }),
    { kind: 'busy', retryAfterSeconds: 0 },
  ],
  [
    'HTML',
    () => answer(200, ' <!doctype html><p>login'),
    { kind: 'bad-answer', message: 'Unexpected response (HTML, not JSON). Check that the URL is the management API.' },
  ],
  [
    'an echo of the request',
    echo,
    { kind: 'bad-answer', message: 'Unexpected response (HTML, not JSON). Check that the URL is the management API.' },
  ],
  [
    'text that is no JSON',
    () => json('hello'),
    { kind: 'bad-answer', message: 'Unexpected response (not JSON). Check that the URL is the management API.' },
  ],
  [
    'JSON that is cut short',
    () => json('{"code":0,"result":[{"a":"b'),
    { kind: 'bad-answer', message: 'Unexpected response (truncated JSON). Check that the URL is the management API.' },
  ],
  [
    'an empty body',
    () => json(''),
    { kind: 'bad-answer', message: 'Unexpected response (empty body). Check that the URL is the management API.' },
  ],
  ['null', () => json('null'), { kind: 'bad-answer', message: expect.stringContaining('JSON null') }],
  ['a bare string', () => json('"ok"'), { kind: 'bad-answer', message: expect.stringContaining('JSON string') }],
  ['a list', () => json('[]'), { kind: 'bad-answer', message: expect.stringContaining('JSON list') }],
  ['no code', () => json('{"result":[]}'), { kind: 'bad-answer', message: expect.stringContaining('"code"') }],
  [
    'a code that is text',
    () => json('{"code":"0","result":[]}'),
    { kind: 'bad-answer', message: expect.stringContaining('"code"') },
  ],
  ['a refusal', () => json('{"code":112}'), { name: 'BrokerError', code: 112, brokerMessage: undefined }],
  [
    'a refusal with words',
    () => json('{"code":102,"message":"\\u001b[31m"}'),
    { name: 'BrokerError', code: 102, brokerMessage: '\u001b[31m' },
  ],
  [
    'a refusal that repeats the login',
    ({ headers }) => json(JSON.stringify({ code: 102, message: `no ${headers.get('authorization')} ${password}!` })),
    { name: 'BrokerError', brokerMessage: 'no Basic (hidden) (hidden)!' },
  ],
  [
    'a refusal that nobody listed',
    () => json('{"code":999,"message":7}'),
    { name: 'BrokerError', code: 999, meaning: undefined, brokerMessage: undefined },
  ],
  [
    'too deep',
    () => json(`{"code":0,"result":${nested(32)}}`),
    { kind: 'too-large', message: 'The response is too large (more than 32 levels deep).' },
  ],
  ['far too deep and never closed', () => json('['.repeat(200_000)), { kind: 'too-large' }],
  [
    'too large',
    () => json(`{"code":0,"result":"${'x'.repeat(3000)}"}`),
    { kind: 'too-large', message: 'The response is too large (more than 2,048 bytes).' },
  ],
  ['headers that are too large', () => answer(200, '{}', { 'x-long': 'x'.repeat(40_000) }), { kind: 'too-large' }],
  [
    'something that is no HTTP',
    () => Buffer.from('SSH-2.0-OpenSSH\r\n\r\n'),
    {
      kind: 'bad-answer',
      message:
        'Unexpected response (not HTTP). Check that the URL is the management API. If the port expects TLS, use https:// in the URL.',
    },
  ],
  ['a closed connection', (_, socket) => void socket.end(), { kind: 'unreachable' }],
  ['a reset connection', (_, socket) => void socket.resetAndDestroy(), { kind: 'unreachable', reason: 'ECONNRESET' }],
  [
    'a body that stops in the middle',
    (_, socket) => void socket.end('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":0'),
    { kind: 'bad-answer', message: 'Unexpected response (truncated). Check that the URL is the management API.' },
  ],
  [
    'chunks that stop in the middle',
    (_, socket) => void socket.end('HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"cod'),
    { kind: 'bad-answer', message: 'Unexpected response (truncated). Check that the URL is the management API.' },
  ],
];

describe('each failure has its own error', () => {
  test.each(answers)('%s', async (_, handler, expected) => {
    const { server, http } = await start(handler, { maxBodyBytes: handler === echo ? 9999 : 2048 });
    const error = await failure(ask(http));
    expect(error).toMatchObject(expected);
    expect(error.request).toEqual({ method: 'GET', path: '/api/v2/management/nodes' });
    expect(server.requests).toHaveLength(1);
    const everything = everythingOf(error);
    expect(everything).not.toContain(password);
    expect(everything).not.toContain(credential);
  });

  test('404 for a name with a slash names proxies that decode it', async () => {
    const { http } = await start(() => answer(404, ''));
    const error = await failure(http.send({ method: 'GET', path: '/clients/a%2Fb' }));
    expect(error.message).toBe(
      'Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature. The path contains %2F: if a proxy in front of the broker decodes it, names with a slash cannot be used through it.',
    );
    expect((await failure(http.send({ method: 'GET', path: '/clients/a%25b' }))).message).toBe(
      'Not found (404). The node may be down, the URL may be wrong, or the broker may lack this feature.',
    );
  });

  test('no proxy is invited to compress', async () => {
    const { server, http } = await start(() => success('{}'));
    await ask(http);
    expect(server.requests[0]?.headers.get('accept-encoding')).toBe('identity');
  });

  test('a date in the future asks for the time until then', async () => {
    const { http } = await start(() =>
      answer(429, '', { 'retry-after': new Date(Date.now() + 3_600_000).toUTCString() }),
    );
    expect(await failure(ask(http))).toMatchObject({ kind: 'busy', retryAfterSeconds: expect.closeTo(3600, -3) });
  });

  test('no listener', async () => {
    const { server, http } = await start(() => undefined);
    await server.close();
    closing.shift();
    expect(await failure(ask(http))).toMatchObject({ kind: 'unreachable', reason: 'ECONNREFUSED' });
  });

  test('TLS to a port without TLS', async () => {
    const { server } = await start(() => undefined);
    const http = createHttp({
      format,
      url: server.url.replace('http:', 'https:'),
      user: 'admin',
      password,
      deadlineMs: 60_000,
    });
    closing.push(() => http.close());
    const error = failure(ask(http));
    await expect.poll(() => server.connections.open).toBe(1);
    await server.close();
    closing.shift();
    expect(await error).toMatchObject({ kind: 'unreachable', reason: expect.stringMatching(/^E/u) });
  });

  test.each(['not a url', 'ftp://host/', `http://admin:${password}@[`])('%j is not a URL', (url) => {
    expect(() => createHttp({ format, url })).toThrow(
      expect.objectContaining({ kind: 'unreachable', message: expect.not.stringContaining(password) }),
    );
  });
});

describe('deadline and abort', () => {
  const silent: RawHandler = () => undefined;
  const stalled: RawHandler = () => 'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"code":';

  test.each([
    ['the head', silent],
    ['the body', stalled],
  ])('%s does not arrive in time', async (_, handler) => {
    const { server, http } = await start(handler, { deadlineMs: 60 });
    expect(await failure(ask(http))).toMatchObject({ kind: 'timeout', deadlineMs: 60 });
    await expect.poll(() => server.connections.open).toBe(0);
  });

  test.each([
    ['the head', silent],
    ['the body', stalled],
  ])('by default, the deadline for %s is 5 s', async (_, handler) => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    try {
      const { server, http } = await start(handler, {});
      let isOver = false;
      const ended = failure(ask(http)).finally(() => {
        isOver = true;
      });
      while (server.requests.length === 0)
        await new Promise((resolve) => {
          setImmediate(resolve);
        });
      vi.advanceTimersByTime(4_999);
      await new Promise((resolve) => {
        setImmediate(resolve);
      });
      expect(isOver).toBe(false);
      vi.advanceTimersByTime(1);
      expect(await ended).toMatchObject({ kind: 'timeout', deadlineMs: 5_000 });
    } finally {
      vi.useRealTimers();
    }
  });

  test.each([
    ['the head', silent],
    ['the body', stalled],
  ])('the caller aborts while waiting for %s', async (_, handler) => {
    const controller = new AbortController();
    const { server, http } = await start((request, socket) => {
      setImmediate(() => controller.abort());
      return handler(request, socket);
    });
    expect(await failure(ask(http, controller.signal))).toMatchObject({ kind: 'aborted' });
    await expect.poll(() => server.connections.open).toBe(0);
  });

  test('nothing is sent for an aborted signal', async () => {
    const { server, http } = await start(() => success());
    expect(await failure(ask(http, AbortSignal.abort()))).toMatchObject({ kind: 'aborted' });
    expect(server.requests).toHaveLength(0);
  });

  test('a queued request can be aborted, and is never sent', async () => {
    const { server, http } = await start(silent, { maxConnections: 1 });
    const first = failure(ask(http));
    await expect.poll(() => server.requests.length).toBe(1);
    const controller = new AbortController();
    const second = failure(ask(http, controller.signal));
    controller.abort();
    expect(await second).toMatchObject({ kind: 'aborted' });
    await http.close();
    expect(await first).toMatchObject({ kind: 'aborted' });
    expect(server.requests).toHaveLength(1);
  });

  test('closing aborts requests in flight and queued ones', async () => {
    const { server, http } = await start(silent);
    const failures = Array.from({ length: 6 }, () => failure(ask(http)));
    await expect.poll(() => server.requests.length).toBe(4);
    await http.close();
    const kinds = (await Promise.all(failures)).map(({ kind }) => kind);
    expect(kinds).toEqual(Array.from({ length: 6 }, () => 'aborted'));
    expect(server.requests).toHaveLength(4);
  });
});

describe('connections', () => {
  test('one is reused, even after errors', async () => {
    let count = 0;
    const { server, http } = await start(() => {
      count += 1;
      return count % 2 ? answer(404, 'x'.repeat(5000)) : success([count]);
    });
    for (let round = 0; round < 5; round += 1) {
      await failure(ask(http));
      expect(await ask(http)).toEqual([round * 2 + 2]);
    }
    expect(server.connections.accepted).toBe(1);
  });

  test('many requests share one connection while answers are fast', async () => {
    // On a busy machine some would not be fast.
    holdLongTimeouts(100);
    const { server, http } = await start(() => success());
    // The connection is not opened while others wait.
    await ask(http);
    await Promise.all(Array.from({ length: 8 }, () => ask(http)));
    expect(server.connections.accepted).toBe(1);
  });

  test('at most four while answers are slow, one at low load', async () => {
    const held: (() => void)[] = [];
    let counted = 0;
    const { server, http } = await start(
      (_, socket) => {
        held.push(() => {
          socket.write(success());
        });
      },
      {
        onConnection: (change) => {
          counted += change;
        },
      },
    );
    const answers = Array.from({ length: 9 }, () => ask(http));
    // A page that takes long holds nothing up for long; the fifth has to wait.
    await expect.poll(() => server.requests.length).toBe(4);
    expect([server.connections.open, counted]).toEqual([4, 4]);
    for (let answered = 0; answered < 9; answered += 1) {
      await expect.poll(() => held.length).toBeGreaterThan(0);
      held.shift()?.();
    }
    await Promise.all(answers);
    expect(server.connections.most).toBe(4);
    await expect.poll(() => [server.connections.open, counted], { timeout: 30_000 }).toEqual([1, 1]);
    const last = ask(http);
    await expect.poll(() => held.length).toBe(1);
    held.shift()?.();
    await last;
    expect(server.connections.accepted).toBe(4);
    await http.close();
    await expect.poll(() => counted).toBe(0);
  });

  test('every byte of an answer is reported', async () => {
    let bytes = 0;
    const { http } = await start(() => success(), {
      onReceived: (more) => {
        bytes += more;
      },
    });
    const length = Buffer.byteLength(success().toString().split('\r\n\r\n')[1] ?? '');
    await ask(http);
    expect(bytes).toBe(length);
    await ask(http);
    expect(bytes).toBe(2 * length);
  });
});

describe('requests', () => {
  test.each([
    ['', '/api/v2/x'],
    ['/', '/api/v2/x'],
    ['/api/v2', '/api/v2/x'],
    ['/api/v2/', '/api/v2/x'],
    ['/proxy', '/proxy/api/v2/x'],
    ['/proxy/api/v2/', '/proxy/api/v2/x'],
  ])('URL path %j asks for %s', async (suffix, path) => {
    const server = await startRawServer(() => success());
    const http = createHttp({ format, url: server.url + suffix });
    closing.push(
      () => server.close(),
      () => http.close(),
    );
    await http.send({ method: 'GET', path: '/x' });
    expect(server.requests[0]).toMatchObject({ method: 'GET', path });
    expect(server.requests[0]?.headers.has('authorization')).toBe(false);
  });

  test('the password is sent as UTF-8 after "Basic ", and nowhere else', async () => {
    const { server, http } = await start(() => success(), { password: 'pässwörd:1' });
    await ask(http);
    expect(server.requests[0]?.headers.get('authorization')).toBe(
      `Basic ${Buffer.from('admin:pässwörd:1').toString('base64')}`,
    );
    expect(inspect(http, { depth: 20, showHidden: true })).not.toContain('pässwörd');
  });

  test('an answer in many small pieces, split inside characters and escapes', async () => {
    const text = JSON.stringify({ code: 0, result: ['é😀', 'a"\\[[[['.repeat(20)] });
    const { http } = await start((_, socket) => {
      socket.setNoDelay(true);
      socket.write(`HTTP/1.1 200 OK\r\ncontent-length: ${Buffer.byteLength(text)}\r\n\r\n`);
      for (const byte of Buffer.from(text)) socket.write(Buffer.of(byte));
      return undefined;
    });
    expect(await ask(http)).toEqual(['é😀', 'a"\\[[[['.repeat(20)]);
  });

  test('nesting up to the limit is allowed', async () => {
    const { http } = await start(() => json(`{"code":0,"result":${nested(31)}}`));
    expect(JSON.stringify(await ask(http))).toBe(nested(31));
  });

  test('keys such as __proto__ change nothing', async () => {
    const { http } = await start(() => json('{"__proto__":{"code":0},"code":0,"result":{"__proto__":{"polluted":1}}}'));
    await ask(http);
    expect(Object.hasOwn(Object.prototype, 'polluted')).toBe(false);
  });
});
