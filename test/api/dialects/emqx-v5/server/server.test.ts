import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { createV5Server, emqxV5Server } from '../../../../../src/api/dialects/emqx-v5/server/server.ts';
import { isObject } from '../../../../../src/api/json.ts';
import { createSampleApi } from '../../emq-v2/server/sample-api.ts';
import { openSocket, readToEnd } from '../../emq-v2/server/raw-http.ts';
import { basic, password, type Reply, startV5World, type V5World } from './world.ts';

let world: V5World;
beforeEach(async () => {
  world = await startV5World();
});
afterEach(() => world.close());

const codeOf = ({ json }: Reply): unknown => (isObject(json) ? json['code'] : undefined);
const tokenOf = ({ json }: Reply): string => `Bearer ${isObject(json) ? String(json['token']) : ''}`;
const login = async (secret = password): Promise<string> =>
  tokenOf(await world.send('POST', '/login', { username: 'admin', password: secret }, ''));

describe('a login', () => {
  it('by token may manage users and keys, which an API key may not', async () => {
    const token = await login();
    for (const path of ['/users', '/api_key']) {
      expect((await world.send('GET', path, undefined, token)).status).toBe(200);
      expect(codeOf(await world.send('GET', path))).toBe('API_KEY_NOT_ALLOW');
    }
  });

  it.each(['/users', '/%75sers', '/nodes/../users', '/nodes/%2E%2E/users', '/users/'])(
    'by an API key does not reach users by the path %s',
    async (path) => {
      const socket = await openSocket(world.broker.server.port);
      socket.write(
        `GET /api/v5${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nAuthorization: ${basic(world.key.key, world.key.secret)}\r\n\r\n`,
      );
      expect(await readToEnd(socket)).toContain('API_KEY_NOT_ALLOW');
    },
  );

  it('by user and password of the dashboard is refused as an API key', async () => {
    expect(codeOf(await world.send('GET', '/nodes', undefined, basic('admin', password)))).toBe(
      'BAD_API_KEY_OR_SECRET',
    );
  });

  it('ends with a logout', async () => {
    const token = await login();
    expect((await world.send('POST', '/logout', { username: 'admin' }, token)).status).toBe(204);
    expect(codeOf(await world.send('GET', '/nodes', undefined, token))).toBe('BAD_TOKEN');
  });

  it('ends when the password changes, and when the user is deleted', async () => {
    const token = await login();
    expect(
      (await world.send('POST', '/users/admin/change_pwd', { old_pwd: password, new_pwd: 'another one' }, token))
        .status,
    ).toBe(204);
    expect(codeOf(await world.send('GET', '/nodes', undefined, token))).toBe('BAD_TOKEN');
    const admin = await login('another one');
    await world.send('POST', '/users', { username: 'ann', password: 'long enough', description: '' }, admin);
    const ann = tokenOf(await world.send('POST', '/login', { username: 'ann', password: 'long enough' }, ''));
    expect((await world.send('GET', '/nodes', undefined, ann)).status).toBe(200);
    await world.send('DELETE', '/users/ann', undefined, admin);
    expect(codeOf(await world.send('GET', '/nodes', undefined, ann))).toBe('BAD_TOKEN');
  });

  it('by a key ends when the key is disabled, and when it is deleted', async () => {
    const token = await login();
    const { json } = await world.send(
      'POST',
      '/api_key',
      { name: 'k', desc: '', enable: true, expired_at: 'infinity' },
      token,
    );
    const pair = isObject(json) ? basic(String(json['api_key']), String(json['api_secret'])) : '';
    expect((await world.send('GET', '/nodes', undefined, pair)).status).toBe(200);
    expect((await world.send('PUT', '/api_key/k', { enable: false }, token)).json).toMatchObject({ enable: false });
    expect(codeOf(await world.send('GET', '/nodes', undefined, pair))).toBe('BAD_API_KEY_OR_SECRET');
    await world.send('PUT', '/api_key/k', { enable: true }, token);
    expect((await world.send('GET', '/nodes', undefined, pair)).status).toBe(200);
    await world.send('DELETE', '/api_key/k', undefined, token);
    expect(codeOf(await world.send('GET', '/nodes', undefined, pair))).toBe('BAD_API_KEY_OR_SECRET');
  });
});

test('a token of one node is known to the other nodes of its cluster, and to no other cluster', async () => {
  const serve = async (api: ReturnType<typeof createSampleApi>['api']) =>
    createV5Server({ api, authenticate: async () => true, host: '127.0.0.1', port: 0 });
  const { api } = createSampleApi();
  const [first, second, foreign] = [await serve(api), await serve(api), await serve(createSampleApi().api)];
  try {
    const response = await fetch(`${first.url}/api/v5/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":"x","password":"y"}',
    });
    const { token } = (await response.json()) as { readonly token: string };
    const statusAt = async ({ url }: typeof first) =>
      (await fetch(`${url}/api/v5/cluster`, { headers: { authorization: `Bearer ${token}` } })).status;
    expect([await statusAt(first), await statusAt(second), await statusAt(foreign)]).toEqual([200, 200, 401]);
  } finally {
    for (const server of [first, second, foreign]) await server.close();
  }
});

test('a token is kept alive by use, and ends an hour after its last use', async () => {
  let now = 0;
  const server = await createV5Server({
    api: createSampleApi().api,
    authenticate: async () => true,
    host: '127.0.0.1',
    port: 0,
    now: () => now,
  });
  const get = (authorization: string) => fetch(`${server.url}/api/v5/cluster`, { headers: { authorization } });
  try {
    const response = await fetch(`${server.url}/api/v5/login`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"username":"x","password":"y"}',
    });
    const { token } = (await response.json()) as { readonly token: string };
    for (let minutes = 0; minutes < 200; minutes += 50) {
      now = minutes * 60_000;
      expect((await get(`Bearer ${token}`)).status).toBe(200);
    }
    now += 60 * 60_000;
    const late = await get(`Bearer ${token}`);
    expect([late.status, await late.json()]).toEqual([
      401,
      { code: 'TOKEN_TIME_OUT', message: expect.any(String) as string },
    ]);
  } finally {
    await server.close();
  }
});

describe('paths', () => {
  const raw = async (line: string, accept = ''): Promise<string> => {
    const socket = await openSocket(world.broker.server.port);
    socket.write(
      `${line} HTTP/1.1\r\nHost: x\r\nConnection: close\r\n${accept}Authorization: ${basic(world.key.key, world.key.secret)}\r\n\r\n`,
    );
    return readToEnd(socket);
  };

  it('lose their dot segments after decoding, as on real brokers', async () => {
    await world.connect('one');
    for (const path of ['/clients/.', '/clients/%2E', '/clients/'])
      expect(await raw(`GET /api/v5${path}`)).toContain('"clientid":"one"');
    expect(await raw('GET /api/v5/clients/%2E%2E/subscriptions')).toContain('"meta"');
  });

  it('that are unknown get a page, or JSON on request', async () => {
    expect(await raw('GET /api/v4/nodes')).toMatch(/^HTTP\/1\.1 404[\s\S]*<h1>/u);
    expect(await raw('GET /api/v5/nonsense')).toMatch(/^HTTP\/1\.1 404[\s\S]*<h1>/u);
    expect(await raw('GET /api/v5/nonsense', 'Accept: application/json\r\n')).toContain('Request Path Not Found');
  });

  it('that cannot be decoded, and unknown schemes, get 400 without a body', async () => {
    expect(await raw('GET /api/v5/clients/%zz')).toMatch(/^HTTP\/1\.1 400[\s\S]*\r\n\r\n$/u);
    expect((await world.send('GET', '/nodes', undefined, 'Digest x')).status).toBe(400);
  });

  it('reveal nothing without a login, but the status', async () => {
    for (const path of ['/nodes', '/nonsense', '/clients/%zz'])
      expect((await world.send('GET', path, undefined, '')).status).toBe(401);
    expect((await fetch(`${world.broker.server.url}/status`)).status).toBe(200);
  });
});

describe('a stopped node', () => {
  const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];
  beforeEach(async () => {
    await world.connect('there', {}, 1);
    await world.broker.cluster.stopNode(two);
  });

  it('has three fields in the list, and is not found by its name', async () => {
    expect((await world.send('GET', '/nodes')).json).toEqual([
      expect.objectContaining({ node: one, node_status: 'running' }),
      { node: two, node_status: 'stopped', role: 'core' },
    ]);
    for (const path of ['', '/stats', '/metrics'])
      expect(codeOf(await world.send('GET', `/nodes/${two}${path}`))).toBe('NOT_FOUND');
    expect(codeOf(await world.send('GET', `/monitor_current/nodes/${two}`))).toBe('NOT_FOUND');
    for (const path of ['/clients', '/subscriptions']) {
      const reply = await world.send('GET', `${path}?node=${two}`);
      expect([reply.status, codeOf(reply)]).toEqual([500, 'NODE_DOWN']);
    }
  });

  it('is missing in the figures of the cluster', async () => {
    for (const path of ['/stats', '/metrics'])
      expect((await world.send('GET', path)).json).toEqual([expect.objectContaining({ node: one })]);
    expect((await world.send('GET', '/cluster')).json).toMatchObject({ nodes: [one], self: one });
    expect(codeOf(await world.send('GET', '/clients/there'))).toBe('CLIENTID_NOT_FOUND');
  });
});

describe('lists of clients', () => {
  beforeEach(async () => {
    for (let at = 0; at < 12; at += 1)
      await world.connect(`c${String(at).padStart(2, '0')}`, { username: at % 2 === 0 ? 'even' : 'odd' }, at % 2);
  });
  const idsOf = ({ json }: Reply): readonly unknown[] =>
    isObject(json) && Array.isArray(json['data'])
      ? json['data'].map((row: unknown) => (isObject(row) ? row['clientid'] : undefined))
      : [];

  it('hold every client of all nodes once, page by page and by cursor', async () => {
    const pages = await Promise.all([1, 2, 3].map((page) => world.send('GET', `/clients?page=${page}&limit=5`)));
    expect(pages.flatMap(idsOf).toSorted()).toEqual(
      Array.from({ length: 12 }, (_, at) => `c${String(at).padStart(2, '0')}`),
    );
    const got: unknown[] = [];
    let cursor: unknown = '0';
    while (cursor !== undefined) {
      const reply: Reply = await world.send('GET', `/clients_v2?limit=5&cursor=${String(cursor)}`);
      got.push(...idsOf(reply));
      const meta: unknown = isObject(reply.json) ? reply.json['meta'] : undefined;
      cursor = isObject(meta) ? meta['cursor'] : undefined;
    }
    expect(got).toEqual(pages.flatMap(idsOf));
  });

  it.each([
    ['node=broker2@127.0.0.1', 6],
    ['username=even', 6],
    ['username=even&username=odd', 12],
    ['like_clientid=c0', 10],
    ['like_username=ev', 6],
    ['conn_state=connected', 12],
    ['conn_state=disconnected', 0],
    ['conn_state=idle', 0],
    ['ip_address=127.0.0.1', 12],
    ['ip_address=10.0.0.1', 0],
    ['clientid=c03', 1],
    ['clientid=c03&clientid=c04&clientid=none', 2],
    ['clean_start=true', 12],
    ['clean_start=false', 0],
    ['proto_ver=4', 12],
    ['gte_connected_at=2020-01-01T00:00:00Z', 12],
    ['lte_connected_at=1000', 0],
    ['node=broker1@127.0.0.1&conn_state=connected&like_clientid=c0', 5],
  ])('are filtered by %s', async (query, count) => {
    expect(idsOf(await world.send('GET', `/clients?${query}`))).toHaveLength(count);
  });

  it('have only the fields that were asked for', async () => {
    const { json } = await world.send('GET', '/clients?fields=clientid,recv_msg&limit=1');
    expect(json).toMatchObject({ data: [{ clientid: 'c00', recv_msg: 0 }] });
    expect(Object.keys(isObject(json) && Array.isArray(json['data']) ? (json['data'][0] as object) : {})).toEqual([
      'clientid',
      'recv_msg',
    ]);
  });
});

it('disconnects those of many clients that are there', async () => {
  const [a, , c] = [await world.connect('a'), await world.connect('b'), await world.connect('c')];
  const closed = [a, c].map((client) => new Promise<void>((resolve) => client.once('close', () => resolve())));
  expect((await world.send('POST', '/clients/kickout/bulk', ['a', 'nobody', 'c'])).status).toBe(204);
  await Promise.all(closed);
  expect((await world.send('GET', '/clients')).json).toMatchObject({ data: [{ clientid: 'b' }] });
});

it('has no variants', async () => {
  expect(() => emqxV5Server.extraPlugins('a')).toThrow(TypeError);
  await expect(
    emqxV5Server.start({
      api: createSampleApi().api,
      variant: 'a',
      authenticate: async () => true,
      host: '127.0.0.1',
      port: 0,
    }),
  ).rejects.toThrow(TypeError);
});

describe('bans of addresses', () => {
  it.each(['::ffff:127.0.0.1', '::FFFF:7f00:1', '0:0:0:0:0:ffff:127.0.0.1', '127.0.0.1'])(
    '%s refuses a client of 127.0.0.1, and can be lifted as it was written',
    async (who) => {
      expect(await world.send('POST', '/banned', { as: 'peerhost', who })).toMatchObject({
        status: 200,
        json: { as: 'peerhost', who: '127.0.0.1' },
      });
      await expect(world.connect('sensor')).rejects.toThrow('Not authorized');
      expect((await world.send('POST', '/banned', { as: 'peerhost', who: '127.0.0.1' })).json).toMatchObject({
        code: 'ALREADY_EXISTS',
        message: expect.stringContaining('"who":"127.0.0.1"') as string,
      });
      expect((await world.send('DELETE', `/banned/peerhost/${encodeURIComponent(who)}`)).status).toBe(204);
      expect((await world.send('DELETE', `/banned/peerhost/${encodeURIComponent(who)}`)).status).toBe(404);
      await world.connect('sensor');
      expect((await world.send('GET', `/clients?ip_address=${encodeURIComponent(who)}`)).json).toMatchObject({
        meta: { count: 1 },
      });
    },
  );
});

it('refuses roles that it would not enforce', async () => {
  const token = await login();
  for (const [method, path, body] of [
    ['POST', '/users', { username: 'ann', password: 'long enough', description: '', role: 'viewer' }],
    ['PUT', '/users/admin', { description: '', role: 'viewer' }],
    ['POST', '/api_key', { name: 'k', role: 'publisher' }],
    ['PUT', '/api_key/test', { enable: true, role: 'viewer' }],
  ] as const) {
    expect(await world.send(method, path, body, token)).toMatchObject({
      status: 400,
      json: { code: 'BAD_REQUEST', message: 'This broker has no role but administrator' },
    });
  }
  expect((await world.send('GET', '/users', undefined, token)).json).toHaveLength(1);
  expect(
    (
      await world.send(
        'POST',
        '/users',
        { username: 'ann', password: 'long enough', description: '', role: 'administrator' },
        token,
      )
    ).status,
  ).toBe(200);
});
