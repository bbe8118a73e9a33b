import { afterEach, beforeAll, describe, expect, test } from 'vitest';
import { createHttpApi, type HttpApi } from '../../../src/api/dialects/index.ts';
import { ApiError, UnreachableError } from '../../../src/api/errors.ts';
import {
  type Address,
  createFailover,
  operationsWith,
  type ServingChange,
  type SkippedAddress,
} from '../../../src/api/transport/failover.ts';
import { createFakeApi } from '../../monitor/fake-api.ts';
import { type FaultProxy, startFaultProxy } from '../../support/fault-proxy.ts';
import { answer, type RawHandler, type RawServer, startRawServer, success } from '../../support/raw-http-server.ts';
import { certificate, startTlsFront } from '../../support/tls-front.ts';

// The first request loads it, which may take longer than the deadline of these tests.
beforeAll(() => import('undici'));

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

async function serve(handler: RawHandler = () => success()): Promise<RawServer> {
  const server = await startRawServer(handler);
  closing.push(() => server.close());
  return server;
}

async function proxyTo(server: RawServer): Promise<FaultProxy> {
  const proxy = await startFaultProxy(server.port);
  closing.push(() => proxy.close());
  return proxy;
}

function connect(...urls: readonly [string, ...string[]]): { api: HttpApi; changes: ServingChange[] } {
  const [url, ...otherUrls] = urls;
  const api = createHttpApi({ url, otherUrls, user: 'admin', password: 'secret', variant: 'b', deadlineMs: 500 });
  const changes: ServingChange[] = [];
  api.onServingChange((change) => changes.push(change));
  closing.push(() => api.close());
  return { api, changes };
}

const kindOf = async (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => 'answered',
    (error: unknown) => (error instanceof ApiError ? error.kind : String(error)),
  );

/** A port at which nobody listens. */
async function deadUrl(): Promise<string> {
  const server = await startRawServer(() => success());
  await server.close();
  return server.url;
}

describe('reading', () => {
  test('the first address that answers serves', async () => {
    const [dead, second, third] = [await deadUrl(), await serve(), await serve()];
    const { api, changes } = connect(dead, second.url, third.url);
    expect(api.servingUrl).toBe(dead);
    await Promise.all([api.listUsers(), api.listUsers(), api.listUsers()]);
    expect(api.servingUrl).toBe(second.url);
    expect(changes).toMatchObject([
      { url: second.url, insteadOf: dead, because: { kind: 'unreachable', reason: 'ECONNREFUSED' } },
    ]);
    expect(second.requests).toHaveLength(3);
    expect(third.requests).toHaveLength(0);
  });

  test('a refused connection is not counted as open', async () => {
    const { api } = connect(await deadUrl());
    expect([await kindOf(api.listUsers()), await kindOf(api.listUsers())]).toEqual(['unreachable', 'unreachable']);
    expect(api.openConnections).toBe(0);
  });

  test('when the serving address dies, the next one takes over and stays', async () => {
    const [first, second] = [await serve(), await serve()];
    const proxy = await proxyTo(first);
    const { api, changes } = connect(proxy.url, second.url);
    await api.listUsers();
    await proxy.set({ kind: 'refuse' });
    // The connection that was open is reset first: that alone does not say that nobody is there.
    await expect.poll(() => kindOf(api.listUsers())).toBe('answered');
    await proxy.set({ kind: 'none' });
    for (let count = 0; count < 5; count += 1) await api.listUsers();
    expect(changes.map(({ url }) => url)).toEqual([second.url]);
    expect(first.requests).toHaveLength(1);
  });

  test('a failure at another than the serving address names it', async () => {
    const dead = await deadUrl();
    const proxy = await proxyTo(await serve());
    const { api } = connect(proxy.url, dead);
    await api.listUsers();
    await proxy.set({ kind: 'refuse' });
    // The connection that was open is reset first, which the first address is not given up for.
    const messages: string[] = [];
    await expect
      .poll(async () => {
        messages.push(
          await api.listUsers().then(
            () => '',
            (error: unknown) => String(error),
          ),
        );
        return messages.at(-1);
      })
      .toContain(
        `${dead}: Cannot connect to the management API (connection refused). Check the URL and that the broker is running.`,
      );
    expect(messages.join('')).not.toContain(proxy.url);
    await proxy.set({ kind: 'none' });
    await api.listUsers();
    expect(api.servingUrl).toBe(proxy.url);
  });

  test('an address skipped for its certificate is reported once until it has answered', async () => {
    const [last, behind] = [await serve(), await serve()];
    const front = await startTlsFront(behind.port, { certificate: 'expired' });
    closing.push(() => front.close());
    const proxies = [await proxyTo(await serve()), await proxyTo(last)] as const;
    const api = createHttpApi({
      url: proxies[0].url,
      otherUrls: [front.url, proxies[1].url],
      user: 'admin',
      password: 'secret',
      variant: 'b',
      deadlineMs: 500,
      tls: { ca: certificate('ca') },
    });
    closing.push(() => api.close());
    const skips: SkippedAddress[] = [];
    api.onAddressSkipped((skip) => skips.push(skip));
    const expected = { url: front.url, because: { reason: 'CERT_HAS_EXPIRED', brief: 'certificate expired' } };
    const use = async (next: 0 | 1): Promise<void> => {
      await proxies[next].set({ kind: 'none' });
      await proxies[next === 0 ? 1 : 0].set({ kind: 'refuse' });
      await expect
        .poll(async () => [await kindOf(api.listUsers()), api.servingUrl])
        .toEqual(['answered', proxies[next].url]);
    };
    await use(0);
    expect(skips).toEqual([]);
    await use(1);
    expect(skips).toMatchObject([expected]);
    expect(skips[0]?.because.message).toBe(
      "Certificate expired (CERT_HAS_EXPIRED). Renew it, or correct this machine's clock.",
    );
    await use(0);
    await use(1);
    expect(skips).toHaveLength(1);
    front.show('server');
    await proxies[1].set({ kind: 'refuse' });
    await expect
      .poll(async () => [await kindOf(api.listUsers()), api.servingUrl])
      .not.toEqual(['answered', proxies[1].url]);
    await proxies[0].set({ kind: 'refuse' });
    await expect.poll(async () => [await kindOf(api.listUsers()), api.servingUrl]).toEqual(['answered', front.url]);
    front.show('expired');
    await use(1);
    await use(0);
    await use(1);
    expect(skips).toMatchObject([expected, expected]);
  });

  test('wraps around: the first address serves again after the second one dies', async () => {
    const proxies = [await proxyTo(await serve()), await proxyTo(await serve())] as const;
    const { api, changes } = connect(proxies[0].url, proxies[1].url);
    await proxies[0].set({ kind: 'refuse' });
    await api.listUsers();
    await proxies[1].set({ kind: 'refuse' });
    expect(await kindOf(api.listUsers())).toBe('unreachable');
    await proxies[0].set({ kind: 'none' });
    await api.listUsers();
    expect(changes.map(({ url }) => url)).toEqual([proxies[1].url, proxies[0].url]);
  });

  test.each([
    ['silence', { kind: 'hold' }, 'timeout'],
    ['a reset', { kind: 'reset', at: 'answer' }, 'unreachable'],
    ['an answer that never comes', { kind: 'truncate', afterBytes: 0 }, 'timeout'],
  ] as const)('%s for three requests without an answer between takes an address away', async (_, fault, kind) => {
    const second = await serve();
    const proxy = await proxyTo(await serve());
    const { api, changes } = connect(proxy.url, second.url);
    await api.listUsers();
    await proxy.set(fault);
    const kinds = await Promise.all([1, 2, 3].map(() => kindOf(api.listUsers())));
    expect(kinds.toSorted()).toEqual(['answered', kind, kind].toSorted());
    expect(changes).toMatchObject([{ url: second.url, because: { kind } }]);
  });

  test('an address that answers 500 to everything is given up', async () => {
    const second = await serve();
    let isBroken = false;
    const first = await serve(() => (isBroken ? answer(500, 'crash') : success()));
    const { api, changes } = connect(first.url, second.url);
    await api.listUsers();
    isBroken = true;
    for (const expected of ['http-status', 'http-status', 'answered'])
      expect(await kindOf(api.listUsers())).toBe(expected);
    expect(changes).toMatchObject([{ because: { kind: 'http-status', status: 500 } }]);
  });

  test('a hanging node does not make an address fail while others answer', async () => {
    const second = await serve();
    const first = await serve(({ path }) => (path.includes('sick') ? undefined : success()));
    const { api, changes } = connect(first.url, second.url);
    await api.listUsers();
    for (let round = 0; round < 2; round += 1) {
      const sick = [1, 2, 3].map(() => kindOf(api.listPlugins('sick')));
      await api.listUsers();
      expect(await Promise.all(sick)).toEqual(['timeout', 'timeout', 'timeout']);
    }
    expect(changes).toEqual([]);
    expect(second.requests).toHaveLength(0);
  });

  test.each([
    [401, 'unauthorized'],
    [403, 'http-status'],
    [404, 'not-found'],
    [429, 'busy'],
    [302, 'http-status'],
  ] as const)('%d is an answer: the address stays', async (status, kind) => {
    const [first, second] = [await serve(() => answer(status, '')), await serve()];
    const { api, changes } = connect(first.url, second.url);
    for (let count = 0; count < 5; count += 1) expect(await kindOf(api.listUsers())).toBe(kind);
    expect(changes).toEqual([]);
    expect(second.requests).toHaveLength(0);
  });

  test('with all addresses gone, each is tried once per request', async () => {
    const servers = [
      await serve(() => answer(502, '')),
      await serve(() => answer(502, '')),
      await serve(() => answer(502, '')),
    ] as const;
    const { api, changes } = connect(servers[0].url, servers[1].url, servers[2].url);
    for (const count of [1, 2, 3]) {
      expect(await kindOf(api.listUsers())).toBe('http-status');
      expect(servers.map(({ requests }) => requests.length)).toEqual([count, count, count]);
    }
    expect(changes).toEqual([]);
  });

  test('each address has its own prefix', async () => {
    const second = await serve();
    const { api } = connect(await deadUrl(), `${second.url}/proxy`);
    await api.listUsers();
    expect(second.requests[0]?.path).toBe('/proxy/api/v2/users');
  });
});

describe('acting', () => {
  test.each([
    ['nobody listens', { kind: 'refuse' }, 'unreachable'],
    ['the connection is reset', { kind: 'reset', at: 'request' }, 'unreachable'],
    ['the answer is lost', { kind: 'reset', at: 'answer' }, 'unreachable'],
    ['no answer comes', { kind: 'truncate', afterBytes: 0 }, 'timeout'],
  ] as const)('%s: what acts fails, and is never sent to another address', async (_, fault, kind) => {
    const [first, second] = [await serve(), await serve(() => success({ objects: [] }))];
    const proxy = await proxyTo(first);
    const { api } = connect(proxy.url, second.url);
    await proxy.set(fault);
    expect(await kindOf(api.disconnectClient('c1'))).toBe(kind);
    // Reading afterwards, to verify, goes on where somebody answers.
    expect(await kindOf(api.getClient('c1'))).toBe('answered');
    const sent = [...first.requests, ...second.requests].filter(({ method }) => method === 'DELETE');
    expect(sent.length).toBeLessThanOrEqual(1);
    expect(second.requests.map(({ method }) => method)).toEqual(['GET']);
  });
});

describe('one address of several', () => {
  test('requests for one address, including reads, go only there, whichever address serves', async () => {
    const [first, second] = [await serve(), await serve()];
    const proxy = await proxyTo(first);
    const { api } = connect(proxy.url, second.url);
    expect(api.urls).toEqual([proxy.url, second.url]);
    await api.at(second.url).addUser({ username: 'op', tags: 'viewer', password: 'p' });
    expect(second.requests.map(({ method }) => method)).toEqual(['POST']);
    expect(api.servingUrl).toBe(proxy.url);
    await proxy.set({ kind: 'refuse' });
    await expect.poll(() => kindOf(api.listUsers())).toBe('answered');
    expect(api.servingUrl).toBe(second.url);
    const before = second.requests.length;
    const pinned = api.at(proxy.url);
    expect([await kindOf(pinned.listUsers()), await kindOf(pinned.deleteUser('op'))]).toEqual([
      'unreachable',
      'unreachable',
    ]);
    expect(second.requests).toHaveLength(before);
    expect(await kindOf((async () => api.at('http://127.0.0.1:1').listUsers())())).toBe('refused');
  });

  test('a request for one address neither makes it serve nor gives it up', async () => {
    const [first, dead] = [await serve(), await deadUrl()];
    const { api, changes } = connect(first.url, dead);
    await api.listUsers();
    for (const count of [1, 2, 3, 4])
      expect([count, await kindOf(api.at(dead).listUsers())]).toEqual([count, 'unreachable']);
    expect(changes).toEqual([]);
    expect(await kindOf(api.listUsers())).toBe('answered');
  });

  test('a password for one address is hidden in texts of all', async () => {
    const [first, second] = [await serve(), await serve()];
    const { api } = connect(first.url, second.url);
    api.at(second.url).setPassword?.('other');
    await api.listUsers();
    await api.at(second.url).listUsers();
    const sent = (password: string): string => `Basic ${Buffer.from(`admin:${password}`).toString('base64')}`;
    expect([first, second].map(({ requests }) => requests[0]?.headers.get('authorization'))).toEqual([
      sent('secret'),
      sent('other'),
    ]);
    expect(api.hide('secret or other')).toBe('(hidden) or (hidden)');
  });
});

describe('credentials', () => {
  test('are sent to the given addresses only, despite redirects', async () => {
    const elsewhere = await serve();
    const toElsewhere: RawHandler = ({ path }) => answer(307, '', { location: `${elsewhere.url}${path}` });
    const [first, second] = [await serve(toElsewhere), await serve(toElsewhere)];
    const { api } = connect(await deadUrl(), first.url, second.url);
    expect(await kindOf(api.listUsers())).toBe('http-status');
    expect(await kindOf(api.disconnectClient('c1'))).toBe('http-status');
    expect(first.requests).toHaveLength(2);
    expect(elsewhere.connections.accepted).toBe(0);
    expect(second.connections.accepted).toBe(0);
  });

  test('all passwords used are removed from texts, even if one is part of another', async () => {
    const { api } = connect((await serve()).url);
    const login = (password: string): string => Buffer.from(`admin:${password}`).toString('base64');
    const text = `secret se%cre ${login('secret')} secrets&more ${encodeURIComponent('secrets&more')} ${login('secrets&more')}`;
    expect(api.hide(text)).toBe(
      `(hidden) se%cre (hidden) (hidden)s&more (hidden)s%26more (hidden)${login('secrets&more').slice(16)}`,
    );
    api.setPassword('secrets&more');
    expect(api.hide(text)).toBe('(hidden) se%cre (hidden) (hidden) (hidden) (hidden)');
  });

  test('a new password is used for all of them', async () => {
    const second = await serve();
    const proxy = await proxyTo(await serve());
    const { api } = connect(proxy.url, second.url);
    await api.listUsers();
    api.setPassword('other');
    await proxy.set({ kind: 'refuse' });
    await expect.poll(() => kindOf(api.listUsers())).toBe('answered');
    expect(second.requests[0]?.headers.get('authorization')).toBe(
      `Basic ${Buffer.from('admin:other').toString('base64')}`,
    );
  });
});

test('a read by POST is tried at each address, a write by GET is sent once', async () => {
  const sent: string[] = [];
  const addressOf = (name: string): Address => ({
    url: `http://${name}`,
    http: {
      prefix: '',
      async send({ method, path }) {
        sent.push(`${name}: ${method} ${path}`);
        throw new UnreachableError('ECONNREFUSED');
      },
      setPassword: () => {},
      hide: (text) => text,
      close: async () => {},
    },
  });
  const api = operationsWith(
    {
      info: { version: undefined, label: '' },
      capabilities: undefined,
      apiDoubt: undefined,
      operations: (transport) =>
        createFakeApi({
          listUsers: async () => {
            await transport.send({ method: 'POST', path: '/users/query' });
            return [];
          },
          startPlugin: async () => {
            await transport.send({ method: 'GET', path: '/plugins/start' });
          },
        }),
    },
    createFailover([addressOf('one'), addressOf('two')]),
  );
  await expect(api.startPlugin('n', 'p')).rejects.toThrow(UnreachableError);
  expect(sent.splice(0)).toEqual(['one: GET /plugins/start']);
  await expect(api.listUsers()).rejects.toThrow(UnreachableError);
  expect(sent).toEqual(['two: POST /users/query', 'one: POST /users/query']);
});
