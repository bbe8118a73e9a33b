import { afterEach, describe, expect, test } from 'vitest';
import { emqxV4 } from '../../../../src/api/dialects/emqx-v4/dialect.ts';
import { createHttpApi, type HttpApi, openHttpApi } from '../../../../src/api/dialects/index.ts';
import { answer, type RawScript, type RawServer, startRawServer } from '../../../support/raw-http-server.ts';
import { emqx4Recordings, nanoMqRecordings, v4Recording, v4Script } from '../../../support/v4-recordings.ts';

const closing: (() => Promise<void>)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const [one, two] = ['emqx41@127.0.0.1', 'emqx42@127.0.0.1'];
const page = { page: 1, pageSize: 100 };
/** 07:17:14 on the wall clock of the recorded broker, and in UTC. */
const clock = Date.parse('2026-11-28T07:17:14Z') / 1_000;

async function open(script: RawScript): Promise<{ readonly api: HttpApi; readonly server: RawServer }> {
  const server = await startRawServer(script);
  const api = createHttpApi({ url: server.url, user: 'admin', password: 'public', dialect: emqxV4 });
  closing.push(
    () => server.close(),
    () => api.close(),
  );
  return { api, server };
}
const recorded = v4Script(emqx4Recordings)['*'];
/** @param answers other answers than recorded, whatever the query */
const openEmqx = (answers: Readonly<Record<string, Buffer>> = {}) =>
  open({
    '*': (request, socket) =>
      answers[`${request.method} ${request.path.split('?')[0] ?? ''}`] ??
      (typeof recorded === 'function' ? recorded(request, socket) : undefined),
  });
const body = (start: string): unknown => JSON.parse(v4Recording(emqx4Recordings, start).body);
const linesOf = ({ requests }: RawServer): readonly string[] => requests.map(({ method, path }) => `${method} ${path}`);
const sentBy = ({ requests }: RawServer): readonly unknown[] =>
  requests.filter(({ method }) => method !== 'GET').map((request) => JSON.parse(request.body) as unknown);

describe('EMQX 4.4', () => {
  test('lists nodes with their clock, and figures of the same nodes', async () => {
    const { api } = await openEmqx();
    expect(await api.listNodes()).toEqual([
      expect.objectContaining({ name: two, version: '4.4.19', uptimeSeconds: 104, clock, status: 'running' }),
      expect.objectContaining({ name: one, uptimeSeconds: 116, clock }),
    ]);
    expect(await api.listNodeStats()).toEqual([
      expect.objectContaining({ name: two, clients: 2, processLimit: 262_144, maxFileDescriptors: 20_000 }),
      expect.objectContaining({ name: one, clients: 13 }),
    ]);
  });

  test('says which nodes the node at this address sees', async () => {
    const { api } = await openEmqx();
    expect(await api.getClusterView?.()).toEqual({ self: undefined, nodes: [two, one] });
    expect(api.capabilities?.partitionAlarms).toBe(true);
  });

  test('asks once what the broker offers, however many calls there are', async () => {
    const { api, server } = await openEmqx();
    expect(api.capabilities).toBeUndefined();
    await Promise.all([api.listNodes(), api.listStats(), api.listMetrics()]);
    await api.listListeners();
    expect(linesOf(server).filter((line) => line === 'GET /api/v4/')).toHaveLength(1);
    expect(api.capabilities).toMatchObject({ bans: true, alarmHistory: true, users: false, isApiKey: true });
    expect(api.info).toEqual({ version: 'v4', label: 'API v4' });
  });

  test('offers users at the port of the dashboard only', async () => {
    const management = await openEmqx();
    await expect(management.api.listUsers()).rejects.toMatchObject({
      kind: 'not-supported',
      message: 'Users need the port of the dashboard (18083 by default) and the login of one of its users.',
    });
    expect(linesOf(management.server)).toEqual(['GET /api/v4/']);
    const dashboard = await open(v4Script(emqx4Recordings, 'dashboard'));
    expect(await dashboard.api.listUsers()).toEqual([{ username: 'admin', tags: 'administrator' }]);
    expect(dashboard.api.capabilities).toMatchObject({ users: true, isApiKey: false });
  });

  test('reads a slow session with its counters, and an offline one that is no client', async () => {
    const { api } = await openEmqx();
    expect(await api.getSession('slow-1')).toEqual([
      expect.objectContaining({
        clientId: 'slow-1',
        node: one,
        inflight: 32,
        maxInflight: 32,
        queueLength: 1_000,
        maxQueueLength: 1_000,
        dropped: 1_858,
        delivered: 32,
        deliveredAboveQos0: 32,
        isConnected: true,
        unparsed: {},
      }),
    ]);
    expect(await api.getClient('slow-1')).toHaveLength(1);
    expect(await api.getSession('offline-1')).toEqual([
      expect.objectContaining({ queueLength: 289, isConnected: false, cleanSession: false }),
    ]);
    expect(await api.getClient('offline-1')).toEqual([]);
  });

  test.each(['a/b', 'a%2Fb', '.', '..', 'a b', 'a+b', 'x?y#z', 'é', 'clients', 'undefined'])(
    'reads client %j by its path',
    async (id) => {
      const { api } = await openEmqx();
      expect((await api.getClient(id)).map(({ clientId }) => clientId)).toEqual([id]);
    },
  );

  test('takes the end of a filtered list from hasnext, because it is not counted', async () => {
    const { api, server } = await openEmqx();
    const first = await api.listClients(one, { page: 1, pageSize: 4 });
    expect(first).toMatchObject({ hasNext: true, totalItems: undefined });
    expect(first.items).toHaveLength(4);
    expect(linesOf(server).at(-1)).toBe(`GET /api/v4/nodes/${one}/clients?conn_state=connected&_page=1&_limit=4`);
    // Routes are counted, and have no hasnext.
    expect(await api.listRoutes({ page: 1, pageSize: 10_000 })).toMatchObject({ hasNext: false, totalItems: 17 });
    await expect(api.listClients(one, { page: 1, pageSize: 0 })).rejects.toMatchObject({
      kind: 'refused',
      message: 'Nothing was sent: a page has at least one row.',
    });
  });

  test('names losses and refusals as other brokers do', async () => {
    const { api } = await openEmqx();
    const metrics = await api.getMetrics(two);
    expect(metrics).toMatchObject({ 'messages.received': 5_101, 'delivery.dropped.queue_full': 0 });
    expect(metrics['authentication.failure']).toBe(0);
    expect(metrics['session.takenover']).toBe(0);
    // It counts all losses; the name is that of messages without subscribers.
    expect(metrics['messages.dropped']).toBe(
      (body('022') as { readonly data: Record<string, number> }).data['messages.dropped.no_subscribers'],
    );
  });

  test('gives connected clients and sessions apart', async () => {
    const { api } = await openEmqx();
    expect((await api.listStats()).get(two)).toMatchObject({
      clients: { count: 2, max: 2 },
      sessions: { count: 3, max: 3 },
      routes: { count: 17 },
      retained: { count: 6 },
    });
  });

  test('lists the filter of a queue as the client sent it', async () => {
    const { api } = await openEmqx();
    expect((await api.listSubscriptions(two, page)).items).toContainEqual({
      clientId: 'sensor-2',
      topic: '$queue/q1',
      qos: 1,
      node: two,
    });
  });

  test('reads times since 1970 as times of the wall clock', async () => {
    const { api } = await openEmqx();
    const [alarm] = (await api.listAlarms?.(one)) ?? [];
    expect(alarm).toMatchObject({ id: 'high_cpu_usage', title: 'high cpu usage', endedAt: undefined });
    expect(clock - (alarm?.occurredAt ?? 0)).toBeCloseTo(41.365, 2);
    const [, decision] = (await api.listAclCache?.('sensor-1')) ?? [];
    expect(decision).toMatchObject({ topic: 'jobs/#', action: 'subscribe', isAllowed: true });
    expect(clock - (decision?.decidedAt ?? 0)).toBeCloseTo(44.072, 2);
    expect(await api.listAclCache?.('nobody')).toEqual([]);
  });

  test('a broker in another time zone has the same ages', async () => {
    const later = (text: string): string => text.replaceAll('2026-11-28 07:17:14', '2026-11-28 12:47:14');
    const brokers = v4Recording(emqx4Recordings, '017');
    const { api } = await openEmqx({
      'GET /api/v4/brokers': answer(200, later(brokers.body), brokers.headers),
    });
    const [node] = await api.listNodes();
    const [alarm] = (await api.listAlarms?.(one)) ?? [];
    expect(node?.clock).toBe(clock + 5.5 * 3_600);
    expect((node?.clock ?? 0) - (alarm?.occurredAt ?? 0)).toBeCloseTo(41.365, 2);
  });

  test('ended alarms are those of all nodes, newest first', async () => {
    const ended = v4Recording(emqx4Recordings, '414');
    const { api } = await openEmqx({ 'GET /api/v4/alarms/deactivated': answer(200, ended.body, ended.headers) });
    const alarms = await api.listEndedAlarms?.(page);
    expect(alarms).toMatchObject({ totalItems: 1, hasNext: false });
    expect(alarms?.items).toEqual([
      expect.objectContaining({
        id: 'partition',
        node: one,
        partedFrom: two,
        summary: 'Partition occurs at node emqx42@127.0.0.1',
      }),
    ]);
    const [alarm] = alarms?.items ?? [];
    expect((alarm?.endedAt ?? 0) - (alarm?.occurredAt ?? 0)).toBeCloseTo(18.261, 2);
  });

  test('4.0 has other names for alarms', async () => {
    const { api } = await openEmqx({
      'GET /api/v4/': answer(
        200,
        JSON.stringify({
          code: 0,
          data: ['stats', 'banned', 'alarms/present', 'alarms/history'].map((path) => ({
            path: `/${path}`,
            method: 'GET',
          })),
        }),
      ),
      [`GET /api/v4/alarms/present/${one}`]: answer(
        200,
        JSON.stringify({
          code: 0,
          data: [
            {
              id: 'cpu',
              desc: { severity: 'warning', title: 'CPU', summary: 'busy' },
              create_at: '2026-11-28 07:16:14',
            },
          ],
        }),
      ),
    });
    expect(await api.listAlarms?.(one)).toEqual([
      expect.objectContaining({ id: 'cpu', severity: 'warning', title: 'CPU', occurredAt: clock - 60 }),
    ]);
    await expect(api.clearEndedAlarms?.()).rejects.toMatchObject({ kind: 'not-supported' });
  });

  test('a listener has the reasons of closed connections, and WebSocket no second port', async () => {
    const listeners = v4Recording(emqx4Recordings, '413');
    const { api } = await openEmqx({ 'GET /api/v4/listeners': answer(200, listeners.body, listeners.headers) });
    const list = (await api.listListeners()).get(one) ?? [];
    expect(list.map(({ protocol, port }) => `${protocol} ${port}`)).toContain('mqtt:ws 18191');
    expect(list.find(({ port }) => port === 1_893)).toMatchObject({ shutdownCount: { kicked: 2 }, currentClients: 11 });
  });
});

describe('actions on EMQX 4.4', () => {
  test.each(['x,y', ',', 'a/b,'])('topic %j is refused, because the broker would split it', async (topic) => {
    const { api, server } = await openEmqx();
    for (const call of [
      () => api.publish({ topic, payload: 'x' }),
      () => api.subscribe({ clientId: 'sensor-1', topic, qos: 1 }),
    ])
      await expect(call()).rejects.toMatchObject({
        message: 'Nothing was sent: the broker would take the commas for the ends of several topics.',
      });
    expect(server.requests).toEqual([]);
  });

  test('unsubscribing is refused without the subscription: the broker would report success', async () => {
    const { api, server } = await openEmqx();
    await expect(api.unsubscribe({ clientId: 'sensor-1', topic: 'other' })).rejects.toMatchObject({
      kind: 'does-not-exist',
    });
    expect(sentBy(server)).toEqual([]);
    await api.unsubscribe({ clientId: 'sensor-1', topic: 'room/+/temp' });
    expect(sentBy(server)).toEqual([{ clientid: 'sensor-1', topic: 'room/+/temp' }]);
  });

  test('a ban without an end lasts until the year 9999, and one with an end to the second', async () => {
    const { api, server } = await openEmqx();
    await api.addBan?.({ kind: 'client-id', value: 'bad' });
    const [node] = await api.listNodes();
    await api.addBan?.({ kind: 'address', value: '10.0.0.9', reason: 'noise', until: (node?.clock ?? 0) + 3_600 });
    expect(sentBy(server)).toEqual([
      { who: 'bad', as: 'clientid', reason: '', until: 253_402_300_799 },
      { who: '10.0.0.9', as: 'peerhost', reason: 'noise', until: clock + 3_600 },
    ]);
    await expect(api.addBan?.({ kind: 'network', value: '10.0.0.0/8' })).rejects.toMatchObject({
      message: 'Nothing was sent: this API bans client IDs, usernames and addresses only.',
    });
  });

  test('bans are read with their ends; one that is there is not replaced, one that is not there not lifted', async () => {
    const banned = v4Recording(emqx4Recordings, '251');
    const { api, server } = await openEmqx({ 'GET /api/v4/banned': answer(200, banned.body, banned.headers) });
    const bans = (await api.listBans?.(page))?.items ?? [];
    expect(bans.map(({ kind, value }) => [kind, value])).toEqual([
      ['username', 'bad-2'],
      ['client-id', 'bad-1'],
      ['address', '10.1.2.3'],
      ['client-id', 'x/y z'],
    ]);
    const ban = bans.find(({ value }) => value === 'x/y z');
    expect((ban?.until ?? 0) - (ban?.since ?? 0)).toBe(300);
    await expect(api.addBan?.({ kind: 'client-id', value: 'bad-1' })).rejects.toMatchObject({ kind: 'exists' });
    await expect(api.liftBan?.({ kind: 'client-id', value: 'bad-2' })).rejects.toMatchObject({
      kind: 'does-not-exist',
    });
    expect(sentBy(server)).toEqual([]);
  });

  test('a node that is down is said to be, in all the ways in which it is', async () => {
    const { api } = await openEmqx(
      Object.fromEntries(
        ['403', '405', '406', '407', '409'].map((start) => {
          const { method, path, status, headers, ...recording } = v4Recording(emqx4Recordings, start);
          return [`${method} ${path}`, answer(status, recording.body, headers)];
        }),
      ),
    );
    for (const call of [
      () => api.getNodeStats(two),
      () => api.getStats(two),
      () => api.getMetrics(two),
      () => api.getListeners(two),
    ])
      await expect(call()).rejects.toMatchObject({ kind: 'node-unreachable' });
  });
});

describe('searches', () => {
  test.each([
    ['4.4.19', 'a.b+', 'a.b%2B'],
    ['4.3.11', 'a.b+', 'a%5C.b%5C%2B'],
    ['4.3.12', 'a.b+', 'a.b%2B'],
  ])('EMQX %s finds %j as it is written', async (version, clientId, sent) => {
    const brokers = v4Recording(emqx4Recordings, '017');
    const { api, server } = await openEmqx({
      'GET /api/v4/brokers': answer(200, brokers.body.replaceAll('4.4.19', version), brokers.headers),
    });
    await api.listNodes();
    await api.searchClients?.({ clientId }, page);
    expect(linesOf(server).at(-1)).toBe(
      `GET /api/v4/clients?_like_clientid=${sent}&conn_state=connected&_page=1&_limit=100`,
    );
    expect(api.capabilities?.banEndsSession).toBe(version === '4.4.19');
  });
});

describe('NanoMQ', () => {
  const openNanoMq = () => open(v4Script(nanoMqRecordings));

  test('is one node without a name, whose connected clients are not counted', async () => {
    const { api } = await openNanoMq();
    expect(await api.listNodes()).toEqual([
      expect.objectContaining({ name: 'nanomq', version: '0.25.4-5', uptimeSeconds: 168, status: 'running' }),
    ]);
    expect(await api.listNodeStats()).toEqual([expect.objectContaining({ name: 'nanomq', clients: undefined })]);
    expect(api.info.label).toBe('NanoMQ');
    expect(api.capabilities).toMatchObject({ unsubscribe: false, users: false, apiName: 'NanoMQ' });
  });

  test('lists connected clients in one answer, without a page', async () => {
    const { api, server } = await openNanoMq();
    const clients = await api.listClients('nanomq', { page: 1, pageSize: 2 });
    expect(clients.hasNext).toBe(false);
    expect(clients.items).toHaveLength(14);
    expect(clients.items.map(({ clientId }) => clientId)).not.toContain('offline-1');
    expect(clients.items.find(({ clientId }) => clientId === 'sensor-1')).toEqual({
      clientId: 'sensor-1',
      username: 'u1',
      ipAddress: undefined,
      port: undefined,
      cleanSession: true,
      protocolVersion: 4,
      keepaliveSeconds: 60,
      connectedAt: undefined,
      node: 'nanomq',
      unparsed: {},
    });
    expect(clients.items.find(({ clientId }) => clientId === 'undefined')?.username).toBeUndefined();
    expect(linesOf(server).at(-1)).toBe('GET /api/v4/clients');
  });

  test.each(['sensor-1', 'a/b', '.', 'a%2Fb', 'é', 'x?y#z'])(
    'finds client %j, though it decodes no path',
    async (id) => {
      const { api } = await openNanoMq();
      expect((await api.getClient(id)).map(({ clientId }) => clientId)).toEqual([id]);
      expect((await api.getSubscriptions(id)).map(({ clientId }) => clientId)).toContain(id);
    },
  );

  test('refuses what it lacks, and sends nothing', async () => {
    const { api, server } = await openNanoMq();
    await api.listNodes();
    const before = server.requests.length;
    for (const [task, call] of [
      ['disconnect a client', () => api.disconnectClient('sensor-1')],
      ['list sessions', () => api.listSessions('nanomq', page)],
      ['read metrics', () => api.listMetrics()],
      ['read statistics', () => api.listStats()],
      ['list routes', () => api.listRoutes(page)],
      ['list listeners', () => api.listListeners()],
      ['list plugins', () => api.listPlugins('nanomq')],
      ['list users', () => api.listUsers()],
      ['subscribe for a client', () => api.subscribe({ clientId: 'sensor-1', topic: 'a', qos: 0 })],
    ] as const)
      await expect(call()).rejects.toMatchObject({
        kind: 'not-supported',
        message: `This broker's API cannot ${task}.`,
      });
    expect(server.requests).toHaveLength(before);
    await expect(api.publish({ topic: 'room/+', payload: 'x' })).rejects.toMatchObject({ kind: 'refused' });
    await api.publish({ topic: 'room/1', payload: 'x' });
    expect(sentBy(server)).toEqual([{ topic: 'room/1', payload: 'x', qos: 0, retain: false, clientid: 'http' }]);
  });
});

describe('at sign-in', () => {
  const v5Status = 'GET /api/v5/status?format=json';
  test.each([
    ['EMQX 4', emqx4Recordings, '004', '008'],
    ['NanoMQ', nanoMqRecordings, '002', '004'],
  ] as const)('%s is recognized without a login', async (_, recordings, refusal, status) => {
    const refused = v4Recording(recordings, refusal);
    const unknown = v4Recording(recordings, status);
    const script = v4Script(recordings)['*'];
    const server = await startRawServer({
      [v5Status]: answer(unknown.status, unknown.body, unknown.headers),
      '*': (request, socket) =>
        !request.headers.has('authorization')
          ? answer(refused.status, refused.body, refused.headers)
          : typeof script === 'function'
            ? script(request, socket)
            : undefined,
    });
    const api = openHttpApi({ url: server.url, user: 'admin', password: 'public' });
    closing.push(
      () => server.close(),
      () => api.close(),
    );
    await api.listNodes();
    expect(linesOf(server).slice(0, 4)).toEqual([
      v5Status,
      'GET /api/v4/',
      'GET /api/v4/',
      expect.stringMatching(/brokers$/u),
    ]);
    expect(server.requests.map(({ headers }) => headers.has('authorization'))).toEqual([false, false, true, true]);
    expect(api.info.version).toBe('v4');
  });

  test('a wrong password is sent once', async () => {
    const { api, server } = await open({ '*': answer(401, 'UNAUTHORIZED') });
    await expect(Promise.all([api.listNodes(), api.listStats(), api.listMetrics()])).rejects.toMatchObject({
      kind: 'unauthorized',
    });
    expect(server.requests).toHaveLength(1);
  });
});
