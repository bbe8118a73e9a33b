import { createHook } from 'node:async_hooks';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { ManagementServer } from '../../../../../src/api/dialect.ts';
import { basePath } from '../../../../../src/api/dialects/emq-v2/base-path.ts';
import { endpoints } from '../../../../../src/api/dialects/emq-v2/paths.ts';
import { createManagementServer } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { type AdminUsers, createAdminUsers } from '../../../../../src/broker/management/users.ts';
import { openSocket, parseAnswer, readToEnd } from './raw-http.ts';
import { createSampleApi, type SampleApi } from './sample-api.ts';

const base64 = (bytes: string | Buffer): string => Buffer.from(bytes).toString('base64');
const right = `Authorization: Basic ${base64('admin:secret')}`;

/** Header lines that log nobody in. */
const wrong: Readonly<Record<string, readonly string[]>> = {
  'no header': [],
  'a wrong password': [`Authorization: Basic ${base64('admin:wrong')}`],
  'an unknown user': [`Authorization: Basic ${base64('root:secret')}`],
  'the name in capitals': [`Authorization: Basic ${base64('Admin:secret')}`],
  'the password with a blank': [`Authorization: Basic ${base64('admin:secret ')}`],
  'the password with U+0000': [`Authorization: Basic ${base64('admin:secret\0')}`],
  'a name with U+0000': [`Authorization: Basic ${base64('admin\0:secret')}`],
  'bytes that are not UTF-8': [`Authorization: Basic ${base64(Buffer.from('admin:secret\xff', 'latin1'))}`],
  'no colon': [`Authorization: Basic ${base64('adminsecret')}`],
  'an empty name': [`Authorization: Basic ${base64(':secret')}`],
  'an empty pair': [`Authorization: Basic ${base64(':')}`],
  'an empty header': ['Authorization:'],
  'the scheme alone': ['Authorization: Basic'],
  'nothing but padding': ['Authorization: Basic ===='],
  'no base64': ['Authorization: Basic !!!!'],
  'base64 with a blank in it': ['Authorization: Basic YWRt aW46c2VjcmV0'],
  'the pair as plain text': ['Authorization: Basic admin:secret'],
  'another scheme': [`Authorization: Bearer ${base64('admin:secret')}`],
  'no scheme': [`Authorization: ${base64('admin:secret')}`],
  'two schemes in one': [`Authorization: Digest x, Basic ${base64('admin:secret')}`],
  'the header of proxies': [`Proxy-Authorization: Basic ${base64('admin:secret')}`],
  'a cookie': [`Cookie: authorization=Basic ${base64('admin:secret')}`],
  'a right one and a wrong one': [right, `Authorization: Basic ${base64('admin:wrong')}`],
  'the right one twice': [right, right],
  'twelve thousand characters': [`Authorization: Basic ${base64(`admin:${'x'.repeat(9000)}`)}`],
};

const paths = Object.values(endpoints).flatMap(({ pattern, aliases }) =>
  [pattern, ...aliases].map((path) => basePath + path.replaceAll(/:\w+|\*/gu, 'x')),
);
const elsewhere = [
  '/',
  '/api/v2',
  '/nowhere',
  '/api/v2/nowhere',
  '/api/v2/clients/%zz',
  '/api/v2/clients/%',
  '/api/v2/a#b',
  '*',
  '//',
  'http://x/api/v2/users',
];
const methods = ['GET', 'POST', 'PUT', 'DELETE', 'HEAD', 'OPTIONS', 'PATCH', 'TRACE'];

describe.each(['a', 'b'] as const)('without a right login, variant %s', (variant) => {
  let server: ManagementServer;
  let sample: SampleApi;
  let users: AdminUsers;
  beforeAll(async () => {
    sample = createSampleApi();
    users = await createAdminUsers({ username: 'admin', password: 'secret', tags: '' });
    server = await createManagementServer({
      api: sample.api,
      variant,
      authenticate: users.authenticate,
      host: '127.0.0.1',
      port: 0,
    });
  });
  afterAll(() => server.close());

  /** The whole answer, but for the time in it. */
  const ask = async (method: string, path: string, lines: readonly string[]): Promise<string> => {
    const socket = await openSocket(server.port);
    const all = readToEnd(socket);
    socket.write(
      [`${method} ${path} HTTP/1.1`, 'Host: x', 'Connection: close', 'Content-Length: 0', ...lines, '', ''].join(
        '\r\n',
      ),
    );
    return (await all).replace(/^Date: .*\r\n/mu, '');
  };

  it('every method of every path, and of unknown and broken ones, gets the very same answer', async () => {
    const reference = await ask('GET', '/api/v2/users', []);
    expect(parseAnswer(reference)).toMatchObject({ status: 401, body: '' });
    for (const path of [...paths, ...elsewhere]) {
      const answers = await Promise.all(methods.map((method) => ask(method, path, [])));
      expect([path, new Set(answers)]).toEqual([path, new Set([reference])]);
    }
  });

  it.each(Object.entries(wrong))('%s gets it, too', async (_, lines) => {
    const reference = await ask('GET', '/api/v2/users', []);
    for (const [method, path] of [
      ['GET', '/api/v2/users'],
      ['DELETE', '/api/v2/clients/x'],
      ['GET', '/nowhere'],
      ['GET', '/api/v2/clients/%zz'],
    ] as const) {
      expect(await ask(method, path, lines)).toBe(reference);
    }
    expect(sample.calls).toEqual([]);
  });

  it.each(Object.entries(wrong))('%s gets it on every path by every method', async (_, lines) => {
    // Real passwords cost 30 ms each; which is right is not what is tried here.
    const quick = await createManagementServer({
      api: sample.api,
      variant,
      authenticate: async (user, password) => user === 'admin' && password === 'secret',
      host: '127.0.0.1',
      port: 0,
    });
    try {
      const answersOf = async (path: string): Promise<readonly string[]> => {
        const requests = methods.map((method, at) =>
          [
            `${method} ${path} HTTP/1.1`,
            'Host: x',
            `Connection: ${at < methods.length - 1 ? 'keep-alive' : 'close'}`,
            'Content-Length: 0',
            ...lines,
            '',
            '',
          ].join('\r\n'),
        );
        const socket = await openSocket(quick.port);
        const all = readToEnd(socket);
        socket.write(requests.join(''));
        return (await all).replaceAll(/^(?:Date|Connection|Keep-Alive): .*\r\n/gmu, '').split(/(?=HTTP\/1\.1 )/u);
      };
      const [reference = ''] = await answersOf('/api/v2/users');
      expect(parseAnswer(reference)).toMatchObject({ status: 401, body: '' });
      for (const path of [...paths, ...elsewhere])
        expect([path, await answersOf(path)]).toEqual([path, methods.map(() => reference)]);
      expect(sample.calls).toEqual([]);
    } finally {
      await quick.close();
    }
  });

  it.each([
    ['what is no HTTP', 'hello\r\n\r\n', /^HTTP\/1\.1 400 /u],
    [
      'headers that are too large',
      `GET / HTTP/1.1\r\nHost: x\r\nX: ${'x'.repeat(20_000)}\r\n\r\n`,
      /^HTTP\/1\.1 431 /u,
    ],
    ['CONNECT', 'CONNECT a:1 HTTP/1.1\r\nHost: x\r\n\r\n', /^$/u],
  ])('%s gets what it gets with one', async (_, bytes, expected) => {
    for (const login of ['', `${right}\r\n`]) {
      const socket = await openSocket(server.port);
      const all = readToEnd(socket);
      socket.write(bytes.replace(/\r\n/u, `\r\n${login}`));
      expect(await all).toMatch(expected);
    }
    expect(sample.calls).toEqual([]);
  });

  it('is so because of the login', async () => {
    expect(parseAnswer(await ask('DELETE', '/api/v2/clients/x', [right]))).toMatchObject({ status: 200 });
    expect(sample.calls.splice(0)).toEqual([['disconnectClient', 'x']]);
    expect(parseAnswer(await ask('DELETE', '/nowhere', [right]))).toMatchObject({ status: 404 });
  });

  it('costs the same work, whether the user exists or not', async () => {
    let hashes = 0;
    const hook = createHook({
      init: (_id, type) => {
        if (type === 'SCRYPTREQUEST') hashes += 1;
      },
    }).enable();
    try {
      const count = async (pair: string): Promise<number> => {
        hashes = 0;
        await ask('GET', '/api/v2/users', [`Authorization: Basic ${base64(pair)}`]);
        return hashes;
      };
      const counted = [];
      for (const pair of [
        'admin:no 1',
        'nobody:no 1',
        'admin:',
        'nobody:',
        `admin:${'x'.repeat(5000)}`,
        `nobody:${'x'.repeat(5000)}`,
      ])
        counted.push(await count(pair));
      expect(counted).toEqual([1, 1, 1, 1, 1, 1]);
    } finally {
      hook.disable();
    }
  });
});
