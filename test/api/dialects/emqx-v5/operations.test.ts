import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type HttpApi, openHttpApi } from '../../../../src/api/dialects/index.ts';
import { type ReplayServer, startV5Replay, v5Key, v5Login, v5Recording } from '../../../support/v5-replay.ts';
import { readSessionMessages } from '../../../../src/resources/sessions/messages.ts';

const node = 'emqx1@127.0.0.1';
const page = { page: 1, pageSize: 5_000 };

let server: ReplayServer;
let api: HttpApi;
let forced: Map<string, { readonly status: number; readonly body: string }>;

beforeEach(async () => {
  forced = new Map();
  server = await startV5Replay((line) => forced.get(line));
  api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
});
afterEach(async () => {
  await api.close();
  await server.close();
});

const replay = (line: string, start: string): void => {
  const { status, body } = v5Recording(start);
  forced.set(line, { status, body });
};

describe('lists', () => {
  test('nodes and their statistics share a request', async () => {
    await Promise.all([api.listNodes(), api.listNodeStats()]);
    await api.listNodes();
    await api.listNodeStats();
    expect(server.requests).toEqual(['GET /nodes', 'GET /nodes']);
  });

  test('of clients and sessions ask for the fields that are read, where the release can', async () => {
    await api.listNodes();
    const clients = await api.listClients(node, page);
    const sessions = await api.listSessions(node, page);
    expect(clients.items).toHaveLength(70);
    expect(sessions.items).toHaveLength(73);
    expect(sessions.items.filter(({ isConnected }) => isConnected === false)).toHaveLength(3);
    expect(clients.items[0]?.traffic).toBeDefined();
    expect(clients).toMatchObject({ hasNext: false, totalItems: 70 });
    const [first, second] = server.requests.slice(1);
    expect(first).toMatch(
      /^GET \/clients\?node=emqx1@127\.0\.0\.1&conn_state=connected&fields=clientid,.*&page=1&limit=5000$/u,
    );
    expect(second).toMatch(/^GET \/clients\?node=emqx1@127\.0\.0\.1&fields=clientid,.*&page=1&limit=5000$/u);
  });

  test('of older releases are read whole, in pages of 1,000', async () => {
    const body = v5Recording('022').body.replaceAll('5.8.9', '5.0.26');
    forced.set('GET /nodes', { status: 200, body });
    await api.listNodes();
    await api.listClients(node, page);
    expect(server.requests.at(-1)).toBe(`GET /clients?node=${node}&conn_state=connected&page=1&limit=1000`);
  });

  test('are searched by the broker', async () => {
    const found = await api.searchClients?.(
      { clientId: 'sensor', username: 'a b', ipAddress: '10.0.0.1', node },
      { page: 2, pageSize: 5 },
    );
    expect(found).toMatchObject({ hasNext: true, totalItems: undefined });
    expect(server.requests[0]).toContain(
      `/clients?node=${node}&like_clientid=sensor&like_username=a%20b&ip_address=10.0.0.1&conn_state=connected`,
    );
    await api.searchClients?.({ wholeUsername: 'eve' }, { page: 1, pageSize: 5 });
    expect(server.requests[1]).toContain('/clients?username=eve&conn_state=connected');
  });

  test('of routes have a row for each topic and node', async () => {
    expect((await api.listRoutes({ page: 1, pageSize: 40 })).items).toHaveLength(40);
    await api.getRoutes('work/#');
    expect(server.requests.at(-1)).toBe('GET /topics?topic=work%2F%23&page=1&limit=1000');
  });

  test('of active alarms are read page by page', async () => {
    const alarms = (hasnext: boolean): string =>
      JSON.stringify({
        data: [
          { name: 'a', node, message: 'm', details: {}, activate_at: '2026-03-01T10:00:00+00:00', duration: 1_000 },
        ],
        meta: { page: 1, limit: 1_000, count: 2, hasnext },
      });
    for (const [page, hasNext] of [
      [1, true],
      [2, false],
    ] as const)
      forced.set(`GET /alarms?page=${page}&limit=1000`, { status: 200, body: alarms(hasNext) });
    await expect(api.listAlarms?.(node)).resolves.toHaveLength(2);
  });

  test('of all kinds are read', async () => {
    await expect(api.listSubscriptions(node, page)).resolves.toHaveProperty('items.length', 20);
    await expect(api.listAlarms?.(node)).resolves.toHaveLength(4);
    await expect(api.listEndedAlarms?.(page)).resolves.toHaveProperty('items.length', 4);
    await expect(api.listBans?.(page)).resolves.toHaveProperty('items.length', 6);
    await expect(api.listRetained?.(undefined, page)).resolves.toHaveProperty('items.length', 5);
    await expect(api.listSlowSubscriptions?.()).resolves.toMatchObject({
      setting: 'slow_subs.enable',
      isEnabled: true,
      thresholdMs: 500,
      items: [{ clientId: 'slow-1', latencyMs: 1514 }],
    });
    await expect(api.getRetained?.('cfg/site')).resolves.toHaveProperty('topic', 'cfg/site');
    await expect(api.getRetained?.('cfg/none')).resolves.toBeUndefined();
    for (const limit of [100, 5])
      replay(`GET /clients/batch-1/mqueue_messages?limit=${limit}&payload=base64&max_payload_bytes=65536`, '113');
    await expect(api.listSessionMessages?.('batch-1', 'queue')).resolves.toHaveProperty('items.length', 5);
  });
});

describe('one client', () => {
  test('and its session are one request', async () => {
    const [clients, sessions] = await Promise.all([api.getClient('sensor-001'), api.getSession('sensor-001')]);
    expect([clients[0]?.clientId, sessions[0]?.clientId]).toEqual(['sensor-001', 'sensor-001']);
    expect(server.requests).toEqual(['GET /clients/sensor-001']);
  });

  test('that is offline has a session only', async () => {
    await expect(api.getClient('batch-1')).resolves.toEqual([]);
    await expect(api.getSession('batch-1')).resolves.toHaveLength(1);
  });

  test('that is unknown is none', async () => {
    await expect(api.getClient('not-there')).resolves.toEqual([]);
    await expect(api.getSubscriptions('not-there')).resolves.toEqual([]);
  });

  test.each(['a/b', 'a%2Fb', 'a+b', 'nl\nin', '\u001B[31mred\u001B[0m', 'ünï-☃'])('%j is found', async (id) => {
    await expect(api.getClient(id)).resolves.toMatchObject([{ clientId: id }]);
  });

  test.each(['.', '..'])('%j is found by a query', async (id) => {
    await api.listNodes();
    await expect(api.getClient(id)).resolves.toMatchObject([{ clientId: id }]);
    await api.getSubscriptions(id);
    expect(server.requests.slice(1)).toEqual([
      `GET /clients?clientid=${id}&page=1&limit=1000`,
      `GET /subscriptions?clientid=${id}&page=1&limit=1000`,
    ]);
  });

  test('on a node is the one whose row names the node', async () => {
    await expect(api.getNodeClient(node, 'sensor-001')).resolves.toMatchObject([{ clientId: 'sensor-001', node }]);
    await expect(api.getNodeSession(node, 'sensor-001')).resolves.toMatchObject([{ clientId: 'sensor-001', node }]);
    await expect(api.getNodeClient('emqx2@127.0.0.1', 'sensor-001')).resolves.toEqual([]);
    await expect(api.getNodeSession('emqx2@127.0.0.1', 'sensor-001')).resolves.toEqual([]);
    await expect(api.getNodeClient(node, 'batch-1')).resolves.toEqual([]);
    await expect(api.getNodeSession(node, 'batch-1')).resolves.toMatchObject([
      { clientId: 'batch-1', isConnected: false },
    ]);
  });

  test('about another id is refused', async () => {
    replay('GET /clients/sensor-009', '096');
    await expect(api.getClient('sensor-009')).rejects.toMatchObject({ kind: 'bad-answer' });
    replay('GET /clients/sensor-009/subscriptions', '105');
    await expect(api.getSubscriptions('sensor-009')).rejects.toMatchObject({ kind: 'bad-answer' });
  });
});

test('the authorization cache of a client is read', async () => {
  await expect(api.listAclCache?.('sensor-001')).resolves.toEqual([
    { action: 'publish', topic: 'sensors/001/temp', isAllowed: true, decidedAt: 1_795_343_857.479 },
  ]);
  await expect(api.listAclCache?.('app-01')).resolves.toEqual([]);
  await expect(api.listAclCache?.('not-there')).resolves.toEqual([]);
  forced.set('GET /clients/old/authorization/cache', {
    status: 200,
    body: '[{"access":"subscribe","result":"deny","topic":"a","updated_time":1000}]',
  });
  await expect(api.listAclCache?.('old')).resolves.toEqual([
    { action: 'subscribe', topic: 'a', isAllowed: false, decidedAt: 1 },
  ]);
});

describe('the messages of a session', () => {
  interface Queue {
    /** Bytes of each payload. */
    readonly sizes: readonly number[];
    /** Goes on after the messages that did not fit, as 5.6 to 6.0.3 do. */
    readonly isSkipping: boolean;
    readonly lastPosition?: string | undefined;
  }
  /** Answers with what fits of `limit` messages, at least one. */
  const answer = (
    { sizes, isSkipping, lastPosition }: Queue,
    line: string,
  ): { readonly status: number; readonly body: string } | undefined => {
    const { pathname, searchParams } = new URL(line.slice('GET '.length), 'http://broker');
    if (!pathname.endsWith('/mqueue_messages')) return undefined;
    const [position, limit, maxBytes] = [
      searchParams.get('position'),
      Number(searchParams.get('limit')),
      Number(searchParams.get('max_payload_bytes')),
    ];
    if (position === 'end_of_data')
      return { status: 400, body: '{"code":"INVALID_PARAMETER","message":"position_limit_invalid"}' };
    const start = position === null ? 0 : Number(position.split('_')[0]);
    const walked = sizes.slice(start, start + limit);
    let [bytes, count] = [0, 0];
    for (const size of walked) {
      const encoded = Math.ceil(size / 3) * 4;
      if (count > 0 && bytes + encoded > maxBytes) break;
      [bytes, count] = [bytes + encoded, count + 1];
    }
    const end = start + (isSkipping ? walked.length : count);
    const data = walked.slice(0, count).map((size, place) => ({
      msgid: 'x',
      topic: `work/${start + place}`,
      qos: 1,
      publish_at: 1_790_000_000_000,
      from_clientid: 'feeder',
      from_username: 'undefined',
      payload: Buffer.alloc(size, 'x').toString('base64'),
    }));
    return {
      status: 200,
      body: JSON.stringify({
        data,
        meta: { start: '0_0', position: end >= sizes.length && lastPosition !== undefined ? lastPosition : `${end}_0` },
      }),
    };
  };
  const readQueue = async (
    queue: Queue,
  ): Promise<{ readonly topics: readonly string[]; readonly hasMore: boolean; readonly requests: number }> => {
    await api.close();
    await server.close();
    server = await startV5Replay((line) => answer(queue, line));
    api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
    const { items, hasMore } = await readSessionMessages(api, 'slow-1', 'queue', {});
    return { topics: items.map(({ topic }) => topic), hasMore, requests: server.requests.length };
  };
  const all = (count: number): readonly string[] => Array.from({ length: count }, (_, place) => `work/${place}`);

  test.each([true, false])('are all read, each once, whatever fits into a page (skipping: %o)', async (isSkipping) => {
    for (const lastPosition of [undefined, 'end_of_data', 'none']) {
      const sizes = Array.from({ length: 300 }, () => 2_000);
      expect(await readQueue({ sizes, isSkipping, lastPosition })).toMatchObject({ topics: all(300), hasMore: false });
      const mixed = [
        ...Array.from({ length: 120 }, () => 10),
        90_000,
        90_000,
        ...Array.from({ length: 100 }, (_, place) => place * 40),
      ];
      expect(await readQueue({ sizes: mixed, isSkipping, lastPosition })).toMatchObject({
        topics: all(222),
        hasMore: false,
      });
    }
  });

  test('are asked for no more than needed', async () => {
    const small = Array.from({ length: 250 }, () => 10);
    expect(await readQueue({ sizes: small, isSkipping: true, lastPosition: 'end_of_data' })).toMatchObject({
      topics: all(250),
      requests: 4,
    });
    expect(await readQueue({ sizes: [], isSkipping: true, lastPosition: 'none' })).toMatchObject({
      topics: [],
      hasMore: false,
      requests: 1,
    });
  });

  test('that are too large to read all are said to be more', async () => {
    const { topics, hasMore, requests } = await readQueue({
      sizes: Array.from({ length: 300 }, () => 70_000),
      isSkipping: true,
    });
    expect({ hasMore, topics }).toEqual({ hasMore: true, topics: all(topics.length) });
    expect(requests).toBeLessThan(80);
  });
});

describe('ids "." and ".." in a path', () => {
  test.each(['.', '..', ''])('%j: nothing is sent', async (id) => {
    const calls = [
      api.clearAclCache(id, 'a'),
      api.listAclCache?.(id),
      api.subscribe({ clientId: id, topic: 'a', qos: 0 }),
      api.unsubscribe({ clientId: id, topic: 'a' }),
      api.listSessionMessages?.(id, 'queue'),
      api.startPlugin(undefined, id),
      api.stopPlugin(undefined, id),
      api.startListener?.(id),
      api.stopListener?.(id),
      api.liftBan?.({ kind: 'client-id', value: id }),
      api.getRetained?.(id),
      api.deleteRetained?.(id),
      api.getMetrics(id),
      api.getStats(id),
      api.getNode(id),
    ];
    for (const outcome of await Promise.allSettled(calls)) {
      expect(outcome).toMatchObject({ status: 'rejected', reason: { kind: 'unusable-id' } });
    }
    expect(server.requests).toEqual([]);
  });

  test.each(['.', '..'])('%j is disconnected by the request for several, which has it in its body', async (id) => {
    await api.listNodes();
    await api.disconnectClient(id);
    expect(server.requests.slice(1)).toEqual(['POST /clients/kickout/bulk']);
  });

  test('nothing is sent while the release is unknown', async () => {
    await expect(api.disconnectClient('..')).rejects.toMatchObject({ kind: 'unusable-id' });
    expect(server.requests).toEqual([]);
  });
});

describe('release 5.0.26', () => {
  beforeEach(async () => {
    await api.close();
    await server.close();
    server = await startV5Replay((line) => forced.get(line), '5.0.26');
    api = openHttpApi({ url: server.url, api: 'v5', ...v5Key });
    await api.listNodes();
  });

  /** Query parameters that the API's documentation has. */
  const parameters: Readonly<Record<string, readonly string[]>> = {
    '/clients': [
      'page',
      'limit',
      'node',
      'username',
      'ip_address',
      'conn_state',
      'clean_start',
      'proto_ver',
      'like_clientid',
      'like_username',
    ],
    '/subscriptions': ['page', 'limit', 'node', 'clientid', 'qos', 'share_group', 'topic', 'match_topic'],
    '/topics': ['page', 'limit', 'topic', 'node'],
    '/alarms': ['page', 'limit', 'activated'],
    '/banned': ['page', 'limit'],
    '/mqtt/retainer/messages': ['page', 'limit'],
  };

  test('is asked with parameters that it knows only, and for no more rows than it gives', async () => {
    await Promise.all([
      api.listClients(node, page),
      api.listSessions(node, page),
      api.listSubscriptions(node, page),
      api.listRoutes(page),
      api.getRoutes('work/#'),
      api.listAlarms?.(node),
      api.listEndedAlarms?.({ page: 1, pageSize: 200 }),
      api.listBans?.(page),
      api.listRetained?.(undefined, page),
      api.searchClients?.({ clientId: 'a', username: 'b', ipAddress: '10.0.0.1', node }, page),
      ...['sensor-001', '.', '..'].flatMap((id) => [
        api.getNodeClient(node, id),
        api.getNodeSession(node, id),
        api.getNodeSubscriptions(node, id),
        api.getClient(id),
        api.getSession(id),
        api.getSubscriptions(id),
      ]),
    ]);
    const queries = server.requests.map((line) => new URL(line.slice('GET '.length), 'http://broker'));
    const unknown = queries.flatMap(({ pathname, searchParams }) =>
      [...searchParams.keys()]
        .filter((name) => parameters[pathname]?.includes(name) !== true)
        .map((name) => `${pathname} ${name}`),
    );
    expect(unknown).toEqual([]);
    expect(Math.max(...queries.map(({ searchParams }) => Number(searchParams.get('limit') ?? 0)))).toBe(1_000);
  });

  test.each(['sensor-001', '.', '..'])(
    'finds the client %j and its session, on its node and on no other',
    async (id) => {
      await expect(api.getClient(id)).resolves.toMatchObject([{ clientId: id, node }]);
      await expect(api.getNodeClient(node, id)).resolves.toMatchObject([{ clientId: id, node }]);
      await expect(api.getNodeSession(node, id)).resolves.toMatchObject([{ clientId: id, node }]);
      await expect(api.getNodeClient('emqx2@127.0.0.1', id)).resolves.toEqual([]);
    },
  );

  test('looks for "." through all pages that may have it', async () => {
    const rows = (ids: readonly string[], hasnext: boolean): { readonly status: number; readonly body: string } => ({
      status: 200,
      body: JSON.stringify({
        data: ids.map((clientid) => ({ clientid, node, connected: true })),
        meta: { page: 1, limit: 1_000, hasnext },
      }),
    });
    forced.set('GET /clients?like_clientid=.&page=1&limit=1000', rows(['a.b', 'c.d'], true));
    forced.set('GET /clients?like_clientid=.&page=2&limit=1000', rows(['e.f', '.'], false));
    await expect(api.getClient('.')).resolves.toMatchObject([{ clientId: '.' }]);
    for (let place = 1; place <= 20; place += 1)
      forced.set(`GET /clients?like_clientid=.&page=${place}&limit=1000`, rows(['a.b'], true));
    await expect(api.getClient('.')).rejects.toMatchObject({
      kind: 'refused',
      why: 'this release cannot look it up, and too many client IDs contain it',
    });
  });

  test('is not asked for what it does not have', async () => {
    const before = server.requests.length;
    await expect(api.disconnectClient('.')).rejects.toMatchObject({ kind: 'unusable-id' });
    await expect(api.listSessionMessages?.('batch-1', 'queue')).rejects.toMatchObject({
      kind: 'not-supported',
      message: 'This broker cannot list the messages of a session: EMQX can since 5.6.',
    });
    await expect(api.listRetained?.('a/#', page)).rejects.toMatchObject({ kind: 'not-supported' });
    expect(server.requests).toHaveLength(before);
  });

  test('has the number of clients in its statistics only: that of its nodes counts sessions', async () => {
    const stats = await api.listNodeStats();
    expect(stats.map(({ clients }) => clients)).toEqual([undefined, undefined]);
    expect((await api.listStats()).get(node)?.clients.count).toBe(70);
  });
});

describe('actions', () => {
  test('are sent once', async () => {
    await api.disconnectClient('sensor-024');
    await api.clearAclCache('sensor-001', 'ignored');
    await api.subscribe({ clientId: 'sensor-002', topic: 'from/api/#', qos: 1 });
    await api.startListener?.('ws:default');
    await api.stopListener?.('ws:default');
    await api.liftBan?.({ kind: 'client-id', value: 'bad-client' });
    await api.addBan?.({ kind: 'client-id', value: 'bad-client', until: 2_000_000_000 });
    forced.set('DELETE /alarms', { status: 204, body: '' });
    await api.clearEndedAlarms?.();
    expect(server.requests).toEqual([
      'DELETE /clients/sensor-024',
      'DELETE /clients/sensor-001/authorization/cache',
      'POST /clients/sensor-002/subscribe',
      'POST /listeners/ws:default/start',
      'POST /listeners/ws:default/stop',
      'DELETE /banned/clientid/bad-client',
      'POST /banned',
      'DELETE /alarms',
    ]);
  });

  test('a client that is not there is offline', async () => {
    await expect(api.disconnectClient('not-there')).rejects.toMatchObject({
      kind: 'not-connected',
      meaning: 'there is no such client',
    });
  });

  test('a filter that the broker wrongly accepts is refused here', async () => {
    await expect(api.subscribe({ clientId: 'a', topic: 'bad/#/x', qos: 0 })).rejects.toMatchObject({ kind: 'refused' });
    expect(server.requests).toEqual([]);
  });

  test('a subscription that is not there cannot be removed', async () => {
    await expect(api.unsubscribe({ clientId: 'app-01', topic: 'never/had' })).rejects.toMatchObject({
      kind: 'does-not-exist',
      meaning: 'the client is not subscribed to it',
    });
    // A client without subscriptions.
    await expect(api.unsubscribe({ clientId: 'sensor-001', topic: 'x' })).rejects.toMatchObject({
      kind: 'does-not-exist',
    });
    await expect(api.unsubscribe({ clientId: 'not-there', topic: 'x' })).rejects.toMatchObject({
      kind: 'not-connected',
    });
    forced.set('POST /clients/app-01/unsubscribe', { status: 204, body: '' });
    await api.unsubscribe({ clientId: 'app-01', topic: '$share/grp1/work/#' });
    expect(server.requests.filter((line) => line.startsWith('POST'))).toEqual(['POST /clients/app-01/unsubscribe']);
  });

  test('a message without a receiver is said to be one', async () => {
    let isUnheard = false;
    replay('POST /publish', '220');
    await api.publish(
      { topic: 'sensors/001/temp', payload: 'x' },
      {
        onNoReceiver: () => {
          isUnheard = true;
        },
      },
    );
    expect(isUnheard).toBe(false);
    replay('POST /publish', '221');
    await api.publish(
      { topic: 'nobody/at/all', payload: 'x' },
      {
        onNoReceiver: () => {
          isUnheard = true;
        },
      },
    );
    expect(isUnheard).toBe(true);
    await expect(api.publish({ topic: 'a/#' })).rejects.toHaveProperty(
      'message',
      expect.stringContaining('a topic to publish to must not contain wildcards (+, #)'),
    );
  });

  test('a plugin that is not there is not started, whatever the broker answers', async () => {
    forced.set('PUT /plugins/none-1.0/start', { status: 204, body: '' });
    await expect(api.startPlugin(undefined, 'none-1.0')).rejects.toMatchObject({ kind: 'does-not-exist' });
    replay('GET /plugins', '365');
    await expect(api.startPlugin(undefined, 'my_demo_plugin-1.0.0')).resolves.toBeUndefined();
    await expect(api.listPlugins(node)).resolves.toMatchObject([{ name: 'my_demo_plugin-1.0.0', active: true }]);
    const before = server.requests.length;
    await expect(api.listPlugins('emqx2@127.0.0.1')).resolves.toHaveLength(1);
    expect(server.requests).toHaveLength(before);
    replay('GET /plugins', '362');
    await api.stopPlugin(undefined, 'my_demo_plugin-1.0.0');
    await expect(api.listPlugins(node)).resolves.toMatchObject([{ active: false }]);
  });

  test('a ban that is there already says so', async () => {
    replay('POST /banned', '193');
    await expect(api.addBan?.({ kind: 'client-id', value: 'bad-client' })).rejects.toMatchObject({
      kind: 'exists',
      meaning: 'it already exists',
      brokerMessage: undefined,
    });
  });

  test('half of a surrogate pair is not sent', async () => {
    for (const call of [
      api.disconnectClient('\uD800'),
      api.publish({ topic: '\uD800' }),
      api.searchClients?.({ clientId: '\uD800' }, page),
    ]) {
      await expect(call).rejects.toHaveProperty('kind', expect.stringMatching(/^(?:unusable-id|refused)$/u));
    }
    expect(server.requests).toEqual([]);
  });

  test('there are no settings', async () => {
    await expect(api.listSettings()).rejects.toMatchObject({ kind: 'not-supported' });
    expect(api.capabilities).toMatchObject({ settings: false, disconnectEndsSession: true });
  });
});

describe('with a dashboard login', () => {
  beforeEach(async () => {
    await api.close();
    api = openHttpApi({ url: server.url, api: 'v5', ...v5Login });
    await api.listNodes();
  });

  test('API keys are listed, added and deleted', async () => {
    await expect(api.listApiKeys?.()).resolves.toMatchObject([
      { key: 'monitor', isEnabled: true, expiresAt: undefined },
    ]);
    replay('POST /api_key', '017');
    await expect(api.addApiKey?.({ name: 'rec-key' })).resolves.toEqual({
      key: '16ba59d6d4760699',
      secret: 'yZqMuP9C273d9BNsQPUPTzyJBvBJbdXrenGgV9C7qpBFlB',
    });
    replay('POST /api_key', '018');
    await expect(api.addApiKey?.({ name: 'rec-key' })).rejects.toMatchObject({ kind: 'exists' });
    await api.deleteApiKey?.('rec-key');
  });

  test('a wrong password of another user is no refusal of this login', async () => {
    await expect(api.checkCredentials('admin', 'wrong')).rejects.toMatchObject({
      kind: 'wrong-credentials',
      code: 'BAD_USERNAME_OR_PWD',
    });
    await expect(api.checkCredentials(v5Login.user, v5Login.password)).resolves.toBeUndefined();
  });

  test('a key keeps what is not changed', async () => {
    replay('PUT /api_key/rec-key', '019');
    await api.setApiKeyEnabled?.('rec-key', false);
    expect(server.requests.slice(-2)).toEqual(['GET /api_key/rec-key', 'PUT /api_key/rec-key']);
  });

  test('users are listed, added and deleted', async () => {
    replay('GET /users', '334');
    await expect(api.listUsers()).resolves.toEqual([
      { username: 'admin', tags: 'administrator', attribute: 'description' },
      { username: 'viewer1', tags: 'x', attribute: 'description' },
    ]);
    forced.set('GET /users', { status: 200, body: '[{"username":"ann","role":"viewer","description":"x"}]' });
    await expect(api.listUsers()).resolves.toEqual([{ username: 'ann', tags: 'viewer', attribute: 'role' }]);
    replay('GET /users', '334');
    replay('POST /users', '333');
    await expect(api.addUser({ username: 'viewer2', password: 'short', tags: 'x' })).rejects.toMatchObject({
      kind: 'invalid',
      brokerMessage: 'The range of password length is 8~64',
    });
    await api.deleteUser('viewer1');
  });
});
