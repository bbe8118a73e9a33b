import { expect } from 'vitest';
import type { PluginDuty } from '../../../../src/domain/administration.ts';
import type { HttpApi } from '../../../../src/api/dialects/index.ts';
import type { Listener } from '../../../../src/domain/administration.ts';
import type { Client, Session } from '../../../../src/domain/client.ts';
import type { Stats } from '../../../../src/domain/metrics.ts';
import type { NodeInfo, NodeStats } from '../../../../src/domain/node.ts';
import type { Recording } from './recordings.ts';
import { stoppedStats, unknownSession } from '../../../support/records.ts';

/** What a recording means: the call that it answers, and that call's outcome. */
export interface Expectation {
  /** `undefined`: the port cannot ask this (a broken request, another path); it is sent as it was. */
  readonly call: ((api: HttpApi) => Promise<unknown>) | undefined;
  readonly variant: 'a' | 'b';
  /** The value, or properties of the error. */
  readonly outcome: { readonly value: unknown } | { readonly error: Readonly<Record<string, unknown>> };
}

type Call = (api: HttpApi) => Promise<unknown>;

const n1 = 'emq@127.0.0.1';
const n2 = 'emq2@127.0.0.1';
const old = 'b3@127.0.0.1';
const solo = 'solo@127.0.0.1';
const first20 = { page: 1, pageSize: 20 };

/** 2026-11-21 00:00:00 on the broker's clock. */
const day = 1_795_219_200;
const at = (hours: number, minutes: number, seconds: number): number => day + hours * 3600 + minutes * 60 + seconds;

const value = (call: Call, expected: unknown): Expectation => ({ call, variant: 'b', outcome: { value: expected } });
const done = (call: Call): Expectation => value(call, undefined);
const error = (call: Call | undefined, expected: Readonly<Record<string, unknown>>): Expectation => ({
  call,
  variant: 'b',
  outcome: { error: expected },
});
const refused = (call: Call | undefined, code: number, brokerMessage: string | undefined): Expectation =>
  error(call, { name: 'BrokerError', code, brokerMessage });
const notFound = (call: Call | undefined): Expectation => error(call, { kind: 'not-found' });
const inA = (expectation: Expectation): Expectation => ({ ...expectation, variant: 'a' });

const client = (clientId: string, port: number, connectedAt: number, rest: Partial<Client> = {}): Client => ({
  clientId,
  username: undefined,
  ipAddress: '127.0.0.1',
  port,
  cleanSession: true,
  protocolVersion: 4,
  keepaliveSeconds: 60,
  connectedAt,
  node: undefined,
  unparsed: {},
  ...rest,
});

const session = (clientId: string, createdAt: number, rest: Partial<Session> = {}): Session => ({
  ...unknownSession,
  clientId,
  createdAt,
  cleanSession: true,
  node: undefined,
  ...rest,
});
const knownCounts = {
  subscriptions: 1,
  maxInflight: 32,
  inflight: 0,
  queueLength: 0,
  dropped: 0,
  awaitingRel: 0,
  delivered: 0,
  enqueued: 0,
};

const nodeInfo = (name: string, uptimeSeconds: number, clock: number, version = '2.3.11'): NodeInfo => ({
  name,
  version,
  description: 'Erlang MQTT Broker',
  uptimeSeconds,
  clock,
  otpRelease: 'R25/13.1.5',
  status: 'running',
  statusText: 'Running',
  unparsed: {},
});

type Loads = readonly [number, number, number];
const nodeStats = (
  name: string,
  total: number,
  used: number,
  processes: number,
  clients: number,
  [load1, load5, load15]: Loads,
): NodeStats => ({
  name,
  otpRelease: 'R25/13.1.5',
  memoryTotalBytes: Math.round(total * 1_048_576),
  memoryUsedBytes: Math.round(used * 1_048_576),
  processLimit: 262_144,
  processesUsed: processes,
  maxFileDescriptors: 20_000,
  clients,
  load1,
  load5,
  load15,
  status: 'running',
  statusText: 'Running',
  unparsed: {},
});

const listener = (
  protocol: string,
  address: string | undefined,
  port: number,
  acceptors: number,
  maxClients: number,
  currentClients: number,
  kicked?: number,
): Listener => ({
  protocol,
  listen: address === undefined ? String(port) : `${address}:${port}`,
  address,
  port,
  acceptors,
  maxClients,
  currentClients,
  shutdownCount: kicked === undefined ? {} : { kick: kicked },
  shutdownCountRaw: undefined,
});
const dashboard = (port: number, acceptors = 4): Listener =>
  listener('dashboard:http', undefined, port, acceptors, 512, 0);
const inner = (port: number, acceptors = 4): Listener => listener('mqtt:tcp', '127.0.0.1', port, acceptors, 102_400, 0);
const tcp = (port: number, clients: number, kicked?: number): Listener =>
  listener('mqtt:tcp', '0.0.0.0', port, 16, 102_400, clients, kicked);
const ws = (port: number, clients: number, kicked?: number, most = 102_400): Listener =>
  listener('mqtt:ws', undefined, port, 4, most, clients, kicked);
const ssl = (port: number): Listener => listener('mqtt:ssl', undefined, port, 16, 1024, 0);
const wss = (port: number): Listener => listener('mqtt:wss', undefined, port, 4, 64, 0);
const management = (port: number, clients: number): Listener => listener('mqtt:api', '0.0.0.0', port, 4, 64, clients);

const stats = (counts: Readonly<Record<keyof Stats, number>>): Stats => {
  const same = (count: number) => ({ count, max: count });
  return {
    clients: same(counts.clients),
    sessions: same(counts.sessions),
    subscribers: same(counts.subscribers),
    subscriptions: same(counts.subscriptions),
    topics: same(counts.topics),
    routes: same(counts.routes),
    retained: same(counts.retained),
  };
};
const statsOf2 = stats({
  clients: 50,
  retained: 40,
  routes: 391,
  sessions: 50,
  subscribers: 55,
  subscriptions: 55,
  topics: 391,
});

/** A list whose ends are known: the rows between them are like them. */
function rows(count: number, firstRow: unknown, lastRow: unknown): unknown {
  return expect.toSatisfy((list: unknown) => {
    expect(Array.isArray(list) && [list.length, list[0], list.at(-1)]).toEqual([count, firstRow, lastRow]);
    return true;
  });
}
const page = (number: number, pageSize: number, totalItems: number, totalPages: number, items: unknown) => ({
  page: number,
  pageSize,
  totalItems,
  totalPages,
  items,
});
const firstPage = (totalItems: number, totalPages: number, items: unknown) =>
  page(1, 20, totalItems, totalPages, items);

/** All 38 counters, of which these few are looked at. */
function metrics(figures: Readonly<Record<string, number>>): unknown {
  return expect.toSatisfy((counters: object) => {
    expect(Object.keys(counters)).toHaveLength(38);
    expect(counters).toMatchObject(figures);
    return true;
  });
}
const metricsOf1 = metrics({
  'bytes.received': 18_188,
  'bytes.sent': 51_161,
  'messages.received': 149,
  'messages.sent': 628,
  'messages.dropped': 0,
  'messages.retained': 40,
  'packets.puback.received': 414,
});
const metricsOf2 = metrics({
  'bytes.received': 2449,
  'bytes.sent': 8725,
  'messages.received': 0,
  'packets.connect': 50,
  'packets.subscribe': 55,
});
const metricsOfOld = metrics({
  'bytes.received': 5796,
  'bytes.sent': 1283,
  'messages.received': 91,
  'messages.sent': 3,
  'messages.dropped': 43,
  'packets.connect': 72,
});

const plugin = (name: string, version: string, description: string, duty: PluginDuty) => ({
  name,
  version,
  description,
  active: false,
  duty,
});
const activePlugins = (names: readonly string[], list: unknown) =>
  expect.toSatisfy((plugins: readonly { name: string; active: boolean }[]) => {
    expect(plugins).toEqual(list);
    expect(plugins.filter(({ active }) => active).map(({ name }) => name)).toEqual(names);
    return true;
  });
const pluginsOf1 = activePlugins(
  ['emq_dashboard', 'emq_modules', 'emq_recon', 'emq_retainer'],
  rows(
    20,
    plugin('emq_auth_clientid', '2.3.11', 'Authentication with ClientId/Password', 'access'),
    plugin('emq_web_hook', '2.3.11', 'EMQ Webhook Plugin', 'web-hook'),
  ),
);

const setting = (key: string, settingValue: string | undefined, dataType: string, app = 'emqttd') => ({
  key,
  value: settingValue,
  dataType,
  app,
});
function hasSettings(list: readonly { key: string }[]): boolean {
  expect(list).toEqual(
    rows(
      33,
      {
        ...setting('log.console.level', 'error', 'enum'),
        mayReadBackUnchanged: true,
        meaning: {
          about:
            'The lowest severity that the broker logs to its console: debug, info, warning, error, or none to log nothing.',
          choices: ['debug', 'info', 'warning', 'error', 'none'],
        },
      },
      setting('retainer.max_payload_size', '65536', 'bytesize', 'emq_retainer'),
    ),
  );
  expect(list).toContainEqual({
    ...setting('mqtt.client.enable_stats', undefined, 'flag'),
    appliesTo: 'new-connections',
    mayReadBackUnchanged: true,
  });
  expect(list).toContainEqual({
    ...setting('mqtt.session.max_inflight', '32', 'integer'),
    appliesTo: 'new-sessions',
    meaning: {
      about:
        'How many QoS 1 and 2 messages a client may leave unacknowledged before further ones are queued. 0 means no limit.',
      counts: 'message',
    },
  });
  return true;
}
const settings = expect.toSatisfy(hasSettings);
const pluginSetting = (key: string, settingValue: string, required = true) => ({
  key,
  value: settingValue,
  description: '',
  required,
});

const manySubs = rows(
  45,
  { clientId: 'many-subs', topic: 'many/41', qos: 2, node: undefined },
  { clientId: 'many-subs', topic: 'many/9', qos: 0, node: undefined },
);
const manySubsOf1 = rows(
  45,
  { clientId: 'many-subs', topic: 'many/41', qos: 2, node: n1 },
  { clientId: 'many-subs', topic: 'many/9', qos: 0, node: n1 },
);

const oldUnknown = { username: undefined, node: old };

/** Written by hand from the recordings, by name. */
export const expectations: Readonly<Record<string, Expectation>> = {
  'cluster/delete-clients-dev-0003-online': done((api) => api.disconnectClient('dev-0003')),
  'cluster/delete-clients-dev-0251-on-node2': done((api) => api.disconnectClient('dev-0251')),
  'cluster/delete-clients-nope-unknown': refused((api) => api.disconnectClient('nope'), 112, undefined),
  'cluster/delete-users-admin': refused((api) => api.deleteUser('admin'), 106, 'admin cannot be deleted'),
  'cluster/delete-users-nope': refused((api) => api.deleteUser('nope'), 105, 'User not found'),
  'cluster/delete-users-op1': done((api) => api.deleteUser('op1')),

  'cluster/get-clients-id-a-2fb-2fc-encoded': value(
    (api) => api.getClient('a/b/c'),
    [client('a/b/c', 45_772, at(12, 19, 31), { cleanSession: false })],
  ),
  'cluster/get-clients-id-ansi-1b-5b31mred-1b-5b0m-encoded': value(
    (api) => api.getClient('ansi\u001b[31mRED\u001b[0m'),
    [client('ansi\u001b[31mRED\u001b[0m', 45_926, at(12, 19, 31))],
  ),
  'cluster/get-clients-id-dev-0001-encoded': value(
    (api) => api.getClient('dev-0001'),
    [client('dev-0001', 46_062, at(12, 19, 31))],
  ),
  'cluster/get-clients-id-nope-encoded': value((api) => api.getClient('nope'), []),

  'cluster/get-configs': notFound((api) => api.listSettings()),
  'cluster/get-management-nodes-lowercase-basic': error((api) => api.listNodes(), { kind: 'unreachable' }),
  'cluster/get-management-nodes-noauth': error((api) => api.listNodes(), { kind: 'unauthorized' }),
  'cluster/get-management-nodes-wrongpw': error((api) => api.listNodes(), { kind: 'unauthorized' }),
  'cluster/get-management-nodes-node1': value((api) => api.getNode(n1), nodeInfo(n1, 10, at(12, 19, 35))),
  'cluster/get-management-nodes-node2-down': value((api) => api.listNodes(), [nodeInfo(n1, 28, at(12, 19, 54))]),
  'cluster/get-management-nodes-nope@127.0.0.1': notFound((api) => api.getNode('nope@127.0.0.1')),
  'cluster/get-management-nodes': value(
    (api) => api.listNodes(),
    [nodeInfo(n2, 5, at(12, 19, 35)), nodeInfo(n1, 10, at(12, 19, 35))],
  ),

  'cluster/get-monitoring-listeners-node1': value(
    (api) => api.getListeners(n1),
    [management(8080, 1), wss(8084), ssl(8883), ws(8083, 1), tcp(1883, 276), inner(11_883), dashboard(18_083)],
  ),
  'cluster/get-monitoring-listeners-node2-down': value(
    (api) => api.listListeners(),
    new Map([
      [
        n1,
        [
          dashboard(18_083),
          inner(11_883),
          tcp(1883, 276, 4),
          ws(8083, 1, 1),
          ssl(8883),
          wss(8084),
          management(8080, 1),
        ],
      ],
    ]),
  ),
  'cluster/get-monitoring-listeners': value(
    (api) => api.listListeners(),
    new Map([
      [n2, [dashboard(18_084), inner(11_884), tcp(1884, 50), ws(8093, 0), ssl(8885), wss(8094), management(8081, 0)]],
      [n1, [dashboard(18_083), inner(11_883), tcp(1883, 276), ws(8083, 1), ssl(8883), wss(8084), management(8080, 1)]],
    ]),
  ),
  'cluster/get-monitoring-metrics-node1': value((api) => api.getMetrics(n1), metricsOf1),
  'cluster/get-monitoring-metrics': value((api) => api.listMetrics(), {
    kind: 'by-node',
    nodes: new Map([
      [n2, metricsOf2],
      [n1, metricsOf1],
    ]),
  }),
  'cluster/get-monitoring-nodes-node2-down': value(
    (api) => api.listNodeStats(),
    [nodeStats(n1, 48.77, 28.2, 867, 277, [2.07, 1.09, 0.87]), stoppedStats(n2)],
  ),
  'cluster/get-monitoring-nodes-node2-node2-down': error((api) => api.getNodeStats(n2), { kind: 'unreachable' }),
  'cluster/get-monitoring-nodes-node2': value(
    (api) => api.getNodeStats(n2),
    nodeStats(n2, 34.27, 22.89, 407, 50, [1.83, 0.97, 0.83]),
  ),
  'cluster/get-monitoring-nodes-nope@127.0.0.1': error((api) => api.getNodeStats('nope@127.0.0.1'), {
    kind: 'unreachable',
  }),
  'cluster/get-monitoring-nodes': value(
    (api) => api.listNodeStats(),
    [
      nodeStats(n2, 34.27, 22.89, 407, 50, [1.83, 0.97, 0.83]),
      nodeStats(n1, 47.27, 26.75, 866, 277, [1.83, 0.97, 0.83]),
    ],
  ),
  'cluster/get-monitoring-stats-node2': value((api) => api.getStats(n2), statsOf2),
  'cluster/get-monitoring-stats': value(
    (api) => api.listStats(),
    new Map([
      [n2, statsOf2],
      [
        n1,
        stats({
          clients: 277,
          retained: 40,
          routes: 391,
          sessions: 282,
          subscribers: 346,
          subscriptions: 346,
          topics: 391,
        }),
      ],
    ]),
  ),

  'cluster/get-nodes-node1-clients-curr-page2-page-size5': value(
    (api) => api.listClients(n1, { page: 2, pageSize: 5 }),
    page(
      2,
      5,
      277,
      56,
      rows(
        5,
        client('0', 46_018, at(12, 19, 31), { node: n1 }),
        client('a'.repeat(200), 46_026, at(12, 19, 31), { node: n1 }),
      ),
    ),
  ),
  'cluster/get-nodes-node1-clients-curr-page9999': value(
    (api) => api.listClients(n1, { page: 9999, pageSize: 20 }),
    page(9999, 20, 277, 14, []),
  ),
  'cluster/get-nodes-node1-clients-page-size0': notFound((api) => api.listClients(n1, { page: 1, pageSize: 0 })),
  'cluster/get-nodes-node1-clients-page-size1000': value(
    (api) => api.listClients(n1, { page: 1, pageSize: 1000 }),
    page(
      1,
      1000,
      277,
      1,
      rows(
        277,
        client('%2F', 45_806, at(12, 19, 31), { node: n1 }),
        client('😀emoji', 45_912, at(12, 19, 31), { node: n1 }),
      ),
    ),
  ),
  'cluster/get-nodes-node1-clients-page-sizeabc': notFound((api) =>
    api.listClients(n1, { page: 1, pageSize: Number.NaN }),
  ),
  'cluster/get-nodes-node1-clients': value(
    (api) => api.listClients(n1, first20),
    firstPage(
      277,
      14,
      rows(
        20,
        client('%2F', 45_806, at(12, 19, 31), { node: n1 }),
        client('dev-0006', 46_108, at(12, 19, 31), { node: n1, username: 'user6' }),
      ),
    ),
  ),
  'cluster/get-nodes-node2-clients-node2-down': notFound((api) => api.listClients(n2, first20)),
  'cluster/get-nodes-node2-clients': value(
    (api) => api.listClients(n2, first20),
    firstPage(
      50,
      3,
      rows(
        20,
        client('dev-0240', 46_668, at(12, 19, 32), { node: n2, username: 'user240', cleanSession: false }),
        client('dev-0259', 46_854, at(12, 19, 32), { node: n2 }),
      ),
    ),
  ),

  'cluster/get-nodes-node1-configs': notFound((api) => api.getSettings(n1)),
  'cluster/get-nodes-node1-plugin-configs-emq-auth-http': value(
    (api) => api.getPluginSettings(n1, 'emq_auth_http'),
    [
      pluginSetting('auth.http.auth_req', 'http://127.0.0.1:8080/mqtt/auth'),
      pluginSetting('auth.http.auth_req.method', 'post'),
      pluginSetting('auth.http.auth_req.params', 'clientid=%c,username=%u,password=%P'),
      pluginSetting('auth.http.super_req', 'http://127.0.0.1:8080/mqtt/superuser'),
      pluginSetting('auth.http.super_req.method', 'post'),
      pluginSetting('auth.http.super_req.params', 'clientid=%c,username=%u'),
      pluginSetting('auth.http.acl_req', 'http://127.0.0.1:8080/mqtt/acl'),
      pluginSetting('auth.http.acl_req.method', 'get'),
      pluginSetting('auth.http.acl_req.params', 'access=%A,username=%u,clientid=%c,ipaddr=%a,topic=%t'),
    ],
  ),
  'cluster/get-nodes-node1-plugin-configs-emq-nope': notFound((api) => api.getPluginSettings(n1, 'emq_nope')),
  'cluster/get-nodes-node1-plugins': value((api) => api.listPlugins(n1), pluginsOf1),
  'cluster/get-nodes-node2-plugins-node2-down': notFound((api) => api.listPlugins(n2)),

  'cluster/get-nodes-node1-sessions': value(
    (api) => api.listSessions(n1, first20),
    firstPage(
      282,
      15,
      rows(
        20,
        session('%2F', at(12, 19, 31), { ...knownCounts, node: n1 }),
        session('dev-0006', at(12, 19, 31), { ...knownCounts, delivered: 1, node: n1 }),
      ),
    ),
  ),
  'cluster/get-nodes-node2-sessions-page-size3': value(
    (api) => api.listSessions(n2, { page: 1, pageSize: 3 }),
    page(
      1,
      3,
      50,
      17,
      rows(
        3,
        session('dev-0240', at(12, 19, 32), { cleanSession: false, node: n2 }),
        session('dev-0242', at(12, 19, 32), { node: n2 }),
      ),
    ),
  ),
  'cluster/get-sessions-dev-0001': value(
    (api) => api.getSession('dev-0001'),
    [session('dev-0001', at(12, 19, 31), { ...knownCounts, delivered: 1 })],
  ),
  'cluster/get-sessions-nope': value((api) => api.getSession('nope'), []),
  'cluster/get-sessions-offline-3': value(
    (api) => api.getSession('offline-3'),
    [session('offline-3', at(12, 19, 32), { ...knownCounts, cleanSession: false, queueLength: 10, enqueued: 10 })],
  ),

  'cluster/get-nodes-node1-subscriptions-many-subs': value(
    (api) => api.getNodeSubscriptions(n1, 'many-subs'),
    manySubsOf1,
  ),
  'cluster/get-nodes-node1-subscriptions': value(
    (api) => api.listSubscriptions(n1, first20),
    firstPage(
      346,
      18,
      rows(
        20,
        { clientId: 'hash#tag', topic: 'weird/hash%23tag', qos: 1, node: n1 },
        { clientId: 'many-subs', topic: 'many/43', qos: 1, node: n1 },
      ),
    ),
  ),
  'cluster/get-nodes-node2-subscriptions-page-size100': value(
    (api) => api.listSubscriptions(n2, { page: 1, pageSize: 100 }),
    page(
      1,
      100,
      55,
      1,
      rows(
        55,
        { clientId: 'dev-0260', topic: '$SYS/#', qos: 2, node: n2 },
        { clientId: 'dev-0286', topic: 'dev/286/cmd', qos: 1, node: n2 },
      ),
    ),
  ),
  'cluster/get-subscriptions-many-subs': value((api) => api.getSubscriptions('many-subs'), manySubs),
  'cluster/get-subscriptions-nope': value((api) => api.getSubscriptions('nope'), []),

  'cluster/get-root-foo-auth': notFound(undefined),
  'cluster/get-root-foo-noauth': error(undefined, { kind: 'unauthorized' }),

  'cluster/get-routes-2fleading-2fslash': value(
    (api) => api.getRoutes('/leading/slash'),
    [{ topic: '/leading/slash', node: n1 }],
  ),
  'cluster/get-routes-dev-2f1-2fcmd': value((api) => api.getRoutes('dev/1/cmd'), [{ topic: 'dev/1/cmd', node: n1 }]),
  'cluster/get-routes-nope': value((api) => api.getRoutes('nope'), []),
  'cluster/get-routes-page-size1000': value(
    (api) => api.listRoutes({ page: 1, pageSize: 1000 }),
    page(1, 1000, 392, 1, rows(392, { topic: 'dev/203/cmd', node: n1 }, { topic: '$local/here', node: n1 })),
  ),
  'cluster/get-routes-page-size5-curr-page2': value(
    (api) => api.listRoutes({ page: 2, pageSize: 5 }),
    page(2, 5, 392, 79, rows(5, { topic: 'dev/49/cmd', node: n1 }, { topic: 'dev/271/cmd', node: n2 })),
  ),
  'cluster/get-routes': value(
    (api) => api.listRoutes(first20),
    firstPage(392, 20, rows(21, { topic: 'dev/203/cmd', node: n1 }, { topic: '$local/here', node: n1 })),
  ),

  'cluster/get-users-after-adds': value(
    (api) => api.listUsers(),
    [
      { username: 'admin', tags: 'administrator' },
      { username: '', tags: '' },
      { username: 'ü/ser 1', tags: 't' },
      { username: 'op1', tags: 'viewer' },
    ],
  ),
  // The port has no read of one user: section 4.8 lists none.
  'cluster/get-users-nope': { call: undefined, variant: 'b', outcome: { value: [] } },
  'cluster/get-users': value((api) => api.listUsers(), [{ username: 'admin', tags: 'administrator' }]),

  'cluster/post-auth-missing': refused(undefined, 107, 'params error'),
  'cluster/post-auth-unknownuser': refused((api) => api.checkCredentials('nobody', 'x'), 103, 'User not found'),
  'cluster/post-auth-wrongpw': refused((api) => api.checkCredentials('admin', 'wrong'), 103, 'Password error'),

  'cluster/post-mqtt-publish-badjson': refused(undefined, 109, 'Body not json'),
  'cluster/post-mqtt-publish-full': done((api) =>
    api.publish({ topic: 'api/t', payload: 'hello', qos: 1, retain: false, clientId: 'api' }),
  ),
  'cluster/post-mqtt-publish-minimal': done((api) => api.publish({ topic: 'api/t', payload: 'hello' })),
  'cluster/post-mqtt-publish-missing-topic': refused(undefined, 107, 'params error'),
  'cluster/post-mqtt-publish-qos3': notFound(undefined),
  'cluster/post-mqtt-publish-wildcard-hash': refused(undefined, 102, 'validate topic: a/# fail'),
  'cluster/post-mqtt-subscribe-missing-topic': refused(undefined, 107, 'params error'),
  'cluster/post-mqtt-subscribe-ok': done((api) => api.subscribe({ clientId: 'dev-0002', topic: 'api/sub/1', qos: 1 })),
  'cluster/post-mqtt-subscribe-unknown-client': refused(
    (api) => api.subscribe({ clientId: 'nope', topic: 'a', qos: 1 }),
    102,
    'Clientid: nope not found',
  ),
  'cluster/post-mqtt-subscribe-wildcard-hash': refused(
    (api) => api.subscribe({ clientId: 'dev-0002', topic: 'a/#', qos: 1 }),
    102,
    'validate topic: a/# fail',
  ),
  'cluster/post-mqtt-unsubscribe-ok': done((api) => api.unsubscribe({ clientId: 'dev-0002', topic: 'api/sub/1' })),
  'cluster/post-mqtt-unsubscribe-unknown-client': refused(
    (api) => api.unsubscribe({ clientId: 'nope', topic: 'a' }),
    102,
    'Clientid: nope not found',
  ),

  'cluster/post-users-exists': refused(
    (api) => api.addUser({ username: 'op1', password: 'other', tags: 'x' }),
    113,
    'User already exist',
  ),
  'cluster/post-users-missing-tags': refused(undefined, 107, 'params error'),
  'cluster/post-users-ok': done((api) => api.addUser({ username: 'op1', password: 'secret', tags: 'viewer' })),
  'cluster/put-change-pwd-nope-unknown': refused((api) => api.changePassword('nope', 'a', 'b'), 105, 'User not found'),
  'cluster/put-change-pwd-op1-ok': done((api) => api.changePassword('op1', 'secret', 'secret2')),
  'cluster/put-change-pwd-op1-variant-a-body': inA(
    refused((api) => api.changePassword('op1', 'secret2', 'x'), 107, 'params error'),
  ),
  'cluster/put-change-pwd-op1-wrong-old': refused(
    (api) => api.changePassword('op1', 'wrong', 'x'),
    114,
    'OldPassword error',
  ),
  'cluster/put-users-nope-unknown': refused((api) => api.changeUserTags('nope', 't'), 105, 'User not found'),
  'cluster/put-users-op1-ok': done((api) => api.changeUserTags('op1', 'newtag')),

  'cluster/put-clients-dev-0001-clean-acl-cache-badjson': refused(undefined, 109, 'Body not json'),
  'cluster/put-clients-dev-0001-clean-acl-cache-missing-topic': refused(undefined, 107, 'params error'),
  'cluster/put-clients-dev-0001-clean-acl-cache-wrongtype': refused(undefined, 108, 'params type error'),
  'cluster/put-clients-dev-0001-clean-acl-cache': done((api) => api.clearAclCache('dev-0001', 'a/b')),
  'cluster/put-clients-nope-clean-acl-cache': refused((api) => api.clearAclCache('nope', 'a/b'), 112, undefined),

  'cluster/put-configs-emqttd-badvalue': done((api) =>
    api.changeSetting(undefined, { app: 'emqttd', key: 'mqtt.session.max_inflight', value: 'abc' }),
  ),
  'cluster/put-configs-emqttd-ok': done((api) =>
    api.changeSetting(undefined, { app: 'emqttd', key: 'mqtt.allow_anonymous', value: 'false' }),
  ),
  'cluster/put-configs-emqttd-unknown-key': refused(
    (api) => api.changeSetting(undefined, { app: 'emqttd', key: 'no.such.key', value: '1' }),
    102,
    undefined,
  ),
  'cluster/put-nodes-node1-plugin-configs-emq-nope-unknown-plugin': refused(
    (api) => api.replacePluginSettings(n1, 'emq_nope', { a: 'b' }),
    102,
    undefined,
  ),
  'cluster/put-nodes-node1-plugin-configs-emq-recon-ok-full': done((api) =>
    api.replacePluginSettings(n1, 'emq_recon', { 'recon.gc_interval': '5m' }),
  ),
  'cluster/put-nodes-node1-plugins-emq-auth-mysql-load-fails-missing-dep': refused(
    (api) => api.startPlugin(n1, 'emq_auth_mysql'),
    102,
    'unknown',
  ),
  'cluster/put-nodes-node1-plugins-emq-nope-unknown-load': refused(
    (api) => api.startPlugin(n1, 'emq_nope'),
    102,
    'unknown',
  ),
  'cluster/put-nodes-node1-plugins-emq-reloader-load-again': refused(
    (api) => api.startPlugin(n1, 'emq_reloader'),
    110,
    'already_started',
  ),
  'cluster/put-nodes-node1-plugins-emq-reloader-load': done((api) => api.startPlugin(n1, 'emq_reloader')),
  'cluster/put-nodes-node1-plugins-emq-reloader-unload-again': refused(
    (api) => api.stopPlugin(n1, 'emq_reloader'),
    111,
    'not_started',
  ),
  'cluster/put-nodes-node1-plugins-emq-reloader-unload': done((api) => api.stopPlugin(n1, 'emq_reloader')),
  'cluster/put-nodes-plugins-emq-reloader-variant-a-path': inA(
    notFound((api) => api.startPlugin(undefined, 'emq_reloader')),
  ),

  'older/delete-clients-nope': refused((api) => api.disconnectClient('nope'), 112, undefined),
  'older/get-clients-nope': value((api) => api.getClient('nope'), []),
  'older/get-management-nodes': value((api) => api.listNodes(), [nodeInfo(old, 4, at(12, 20, 33), '2.3')]),
  'older/get-monitoring-listeners': value(
    (api) => api.listListeners(),
    new Map([
      [
        old,
        [
          dashboard(18_090, 2),
          inner(11_990, 16),
          tcp(1990, 66),
          ws(8290, 1, undefined, 64),
          ssl(8990),
          wss(8390),
          management(8090, 1),
        ],
      ],
    ]),
  ),
  'older/get-monitoring-metrics-node1': value((api) => api.getMetrics(old), metricsOfOld),
  'older/get-monitoring-metrics': value((api) => api.listMetrics(), {
    kind: 'by-node',
    nodes: new Map([[old, metricsOfOld]]),
  }),
  'older/get-monitoring-nodes': value(
    (api) => api.listNodeStats(),
    [nodeStats(old, 36.27, 24.17, 456, 67, [1.55, 1.07, 0.87])],
  ),
  'older/get-monitoring-stats': value(
    (api) => api.listStats(),
    new Map([
      [
        old,
        stats({ clients: 67, retained: 0, routes: 34, sessions: 19, subscribers: 187, subscriptions: 187, topics: 0 }),
      ],
    ]),
  ),
  'older/get-nodes-node1-clients': value(
    (api) => api.listClients(old, first20),
    firstPage(
      67,
      4,
      rows(
        20,
        client('%2F', 41_212, at(12, 20, 33), oldUnknown),
        client('dev-0006', 41_558, at(12, 20, 33), { username: 'user6', node: old }),
      ),
    ),
  ),
  'older/get-nodes-node1-configs': value((api) => api.getSettings(old), settings),
  'older/get-nodes-node1-plugins': value(
    (api) => api.listPlugins(old),
    activePlugins(
      ['emq_dashboard', 'emq_modules', 'emq_recon', 'emq_retainer'],
      rows(
        9,
        plugin('emq_auth_clientid', '2.3', 'Authentication with ClientId/Password', 'access'),
        plugin('emq_web_hook', '2.3', 'EMQ Webhook Plugin', 'web-hook'),
      ),
    ),
  ),
  'older/get-nodes-node1-sessions': inA(
    value(
      (api) => api.listSessions(old, first20),
      firstPage(
        72,
        4,
        rows(20, session('%2F', at(12, 20, 33), { node: old }), session('dev-0006', at(12, 20, 33), { node: old })),
      ),
    ),
  ),
  'older/get-nodes-node1-subscriptions': value(
    (api) => api.listSubscriptions(old, first20),
    firstPage(
      187,
      10,
      rows(
        20,
        { clientId: 'ünïcödé', topic: 'weird/%C3%BCn%C3%AFc%C3%B6d%C3%A9', qos: 1, node: old },
        { clientId: '/lead', topic: 'weird/%2Flead', qos: 1, node: old },
      ),
    ),
  ),
  'older/get-routes': value(
    (api) => api.listRoutes(first20),
    firstPage(187, 10, rows(20, { topic: '$client/😀emoji', node: old }, { topic: '$client/dev-0028', node: old })),
  ),
  'older/get-sessions-dev-0001': inA(value((api) => api.getSession('dev-0001'), [session('dev-0001', at(12, 20, 33))])),
  'older/get-users': notFound((api) => api.listUsers()),
  'older/put-nodes-node1-plugins-emq-reloader-load': done((api) => api.startPlugin(old, 'emq_reloader')),
  'older/put-nodes-node1-plugins-emq-reloader-unload': refused(
    (api) => api.stopPlugin(old, 'emq_reloader'),
    102,
    'unknown',
  ),

  'single-node/get-configs-single-node-after-bad-values': value(
    (api) => api.listSettings(),
    new Map([[solo, settings]]),
  ),
  'single-node/get-configs-single-node': value((api) => api.listSettings(), new Map([[solo, settings]])),
  'single-node/get-monitoring-listeners-single-node': value(
    (api) => api.listListeners(),
    new Map([
      [solo, [dashboard(18_085), inner(11_886), tcp(1886, 0), ws(8103, 0), ssl(8887), wss(8104), management(8082, 1)]],
    ]),
  ),
  'single-node/get-monitoring-metrics-single-node': value((api) => api.listMetrics(), {
    kind: 'by-node',
    nodes: new Map([[solo, metrics({ 'bytes.received': 0, 'messages.retained': 0 })]]),
  }),
  'single-node/get-monitoring-nodes-single-node': value(
    (api) => api.listNodeStats(),
    [nodeStats(solo, 34.27, 21.79, 303, 0, [1.99, 1.05, 0.86])],
  ),
  'single-node/get-monitoring-stats-single-node': value(
    (api) => api.listStats(),
    new Map([
      [solo, stats({ clients: 0, retained: 0, routes: 0, sessions: 0, subscribers: 0, subscriptions: 0, topics: 0 })],
    ]),
  ),
  'single-node/get-nodes-node1-configs-single-node': value((api) => api.getSettings(solo), settings),
  'single-node/get-nodes-node1-plugin-configs-emq-retainer-after-partial-put': value(
    (api) => api.getPluginSettings(solo, 'emq_retainer'),
    [
      pluginSetting('retainer.storage_type', '', false),
      pluginSetting('retainer.max_message_num', '', false),
      pluginSetting('retainer.expiry_interval', '', false),
      pluginSetting('retainer.max_payload_size', '32KB'),
    ],
  ),
  'single-node/get-nodes-node1-plugin-configs-emq-retainer-before-partial-put': value(
    (api) => api.getPluginSettings(solo, 'emq_retainer'),
    [
      pluginSetting('retainer.storage_type', 'ram'),
      pluginSetting('retainer.max_message_num', '1000000'),
      pluginSetting('retainer.max_payload_size', '64KB'),
      pluginSetting('retainer.expiry_interval', '0'),
    ],
  ),
  'single-node/get-nodes-node1-plugins-single-node': value((api) => api.listPlugins(solo), pluginsOf1),
  'single-node/put-configs-emqttd-single-node-badvalue': done((api) =>
    api.changeSetting(undefined, { app: 'emqttd', key: 'mqtt.session.max_inflight', value: 'abc' }),
  ),
  'single-node/put-configs-emqttd-single-node-ok': done((api) =>
    api.changeSetting(undefined, { app: 'emqttd', key: 'mqtt.allow_anonymous', value: 'false' }),
  ),
  'single-node/put-configs-emqttd-single-node-unknown-key': refused(
    (api) => api.changeSetting(undefined, { app: 'emqttd', key: 'no.such.key', value: '1' }),
    102,
    undefined,
  ),
  'single-node/put-nodes-node1-plugin-configs-emq-retainer-partial': done((api) =>
    api.replacePluginSettings(solo, 'emq_retainer', { 'retainer.max_payload_size': '32KB' }),
  ),
};

/** The body of a recorded request, for sending it as it was; text that is no JSON is sent as a JSON string. */
export function recordedBody({ requestBody }: Recording): unknown {
  if (requestBody === null) return undefined;
  try {
    return JSON.parse(requestBody);
  } catch {
    return requestBody;
  }
}
