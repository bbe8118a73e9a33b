import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { wireMetric } from '../../../../src/api/dialects/emq-v2/decode.ts';
import { endpoints } from '../../../../src/api/dialects/emq-v2/paths.ts';
import { createHttpApi } from '../../../../src/api/dialects/index.ts';
import { NotSupportedError, RefusedError, UnusableIdError } from '../../../../src/api/errors.ts';
import type { ManagementApi } from '../../../../src/api/management-api.ts';
import { metricNames } from '../../../../src/domain/metrics.ts';
import { type RawServer, startRawServer, success } from '../../../support/raw-http-server.ts';

type Operation = Exclude<keyof ManagementApi, 'capabilities'>;
type Table = Readonly<Partial<Record<Operation, Sent>>>;

interface Sent {
  readonly call: (api: ManagementApi) => Promise<unknown>;
  readonly line: string;
  readonly body?: unknown;
  /** The broker's answer; an empty list by default. */
  readonly result?: unknown;
}

const page = { page: 3, pageSize: 500 };
const query = '?curr_page=3&page_size=500';
const emptyPage = { current_page: 3, page_size: 500, total_num: 0, total_page: 0, objects: [] };
const none = { objects: [] };
const counters = Object.fromEntries(metricNames.map((name) => [wireMetric(name), 1]));
const counts = { 'clients/count': 1, 'clients/max': 2 };

/** Section 4 of the specification, where the variants agree. */
const both: Table = {
  listNodes: { call: (api) => api.listNodes(), line: 'GET /management/nodes' },
  getNode: { call: (api) => api.getNode('n@h'), line: 'GET /management/nodes/n@h', result: { version: '2' } },
  getClusterView: { call: async (api) => api.getClusterView?.(), line: 'GET /management/nodes' },
  listNodeStats: { call: (api) => api.listNodeStats(), line: 'GET /monitoring/nodes' },
  getNodeStats: { call: (api) => api.getNodeStats('n@h'), line: 'GET /monitoring/nodes/n@h', result: { name: 'n@h' } },
  listListeners: { call: (api) => api.listListeners(), line: 'GET /monitoring/listeners', result: {} },
  getListeners: { call: (api) => api.getListeners('n@h'), line: 'GET /monitoring/listeners/n@h' },
  listMetrics: { call: (api) => api.listMetrics(), line: 'GET /monitoring/metrics', result: counters },
  getMetrics: { call: (api) => api.getMetrics('n@h'), line: 'GET /monitoring/metrics/n@h', result: counters },
  listStats: { call: (api) => api.listStats(), line: 'GET /monitoring/stats', result: [{ 'n@h': counts }] },
  getStats: { call: (api) => api.getStats('n@h'), line: 'GET /monitoring/stats/n@h', result: counts },
  listClients: {
    call: (api) => api.listClients('n@h', page),
    line: `GET /nodes/n@h/clients${query}`,
    result: emptyPage,
  },
  getNodeClient: { call: (api) => api.getNodeClient('n@h', 'c'), line: 'GET /nodes/n@h/clients/c', result: none },
  getClient: { call: (api) => api.getClient('c'), line: 'GET /clients/c', result: none },
  disconnectClient: { call: (api) => api.disconnectClient('c'), line: 'DELETE /clients/c' },
  clearAclCache: {
    call: (api) => api.clearAclCache('c', 'a/b'),
    line: 'PUT /clients/c/clean_acl_cache',
    body: { topic: 'a/b' },
  },
  listSessions: {
    call: (api) => api.listSessions('n@h', page),
    line: `GET /nodes/n@h/sessions${query}`,
    result: emptyPage,
  },
  getNodeSession: { call: (api) => api.getNodeSession('n@h', 'c'), line: 'GET /nodes/n@h/sessions/c', result: none },
  getSession: { call: (api) => api.getSession('c'), line: 'GET /sessions/c', result: none },
  listSubscriptions: {
    call: (api) => api.listSubscriptions('n@h', page),
    line: `GET /nodes/n@h/subscriptions${query}`,
    result: emptyPage,
  },
  getSubscriptions: { call: (api) => api.getSubscriptions('c'), line: 'GET /subscriptions/c', result: none },
  subscribe: {
    call: (api) => api.subscribe({ clientId: 'c', topic: 'a/#', qos: 2 }),
    line: 'POST /mqtt/subscribe',
    body: { topic: 'a/#', qos: 2, client_id: 'c' },
  },
  publish: {
    call: (api) => api.publish({ topic: 't', payload: 'p', qos: 1, retain: true, clientId: 'c' }),
    line: 'POST /mqtt/publish',
    body: { topic: 't', payload: 'p', qos: 1, retain: true, client_id: 'c' },
  },
  listRoutes: { call: (api) => api.listRoutes(page), line: `GET /routes${query}`, result: emptyPage },
  getRoutes: { call: (api) => api.getRoutes('/a/b'), line: 'GET /routes/%2Fa%2Fb', result: none },
  listPlugins: { call: (api) => api.listPlugins('n@h'), line: 'GET /nodes/n@h/plugins' },
  listAlarms: { call: async (api) => api.listAlarms?.('n@h'), line: 'GET /nodes/n@h/alarms' },
  listUsers: { call: (api) => api.listUsers(), line: 'GET /users' },
  addUser: {
    call: (api) => api.addUser({ username: 'u', password: 'p', tags: 't' }),
    line: 'POST /users',
    body: { username: 'u', password: 'p', tags: 't' },
  },
  changeUserTags: { call: (api) => api.changeUserTags('u', 't'), line: 'PUT /users/u', body: { tags: 't' } },
  deleteUser: { call: (api) => api.deleteUser('u'), line: 'DELETE /users/u' },
  checkCredentials: {
    call: (api) => api.checkCredentials('u', 'p'),
    line: 'POST /auth',
    body: { username: 'u', password: 'p' },
  },
};

const start = (api: ManagementApi) => api.startPlugin('n@h', 'p');
const stop = (api: ManagementApi) => api.stopPlugin('n@h', 'p');
const changePassword = (api: ManagementApi) => api.changePassword('u', 'old', 'new');
const setting = { app: 'app', key: 'k', value: 'v' };

const onlyB: Table = {
  getNodeSubscriptions: {
    call: (api) => api.getNodeSubscriptions('n@h', 'c'),
    line: 'GET /nodes/n@h/subscriptions/c',
    result: none,
  },
  unsubscribe: {
    call: (api) => api.unsubscribe({ clientId: 'c', topic: 't' }),
    line: 'POST /mqtt/unsubscribe',
    body: { topic: 't', client_id: 'c' },
  },
  listSettings: { call: (api) => api.listSettings(), line: 'GET /configs', result: {} },
  getSettings: { call: (api) => api.getSettings('n@h'), line: 'GET /nodes/n@h/configs' },
  changeSetting: {
    call: (api) => api.changeSetting('n@h', setting),
    line: 'PUT /nodes/n@h/configs/app',
    body: { key: 'k', value: 'v' },
  },
  getPluginSettings: { call: (api) => api.getPluginSettings('n@h', 'p'), line: 'GET /nodes/n@h/plugin_configs/p' },
  replacePluginSettings: {
    call: (api) => api.replacePluginSettings('n@h', 'p', { 'a.b': '1', 'a.c': '' }),
    line: 'PUT /nodes/n@h/plugin_configs/p',
    body: { 'a.b': '1', 'a.c': '' },
  },
};

const table: Readonly<Record<'a' | 'b', Table>> = {
  a: {
    ...both,
    startPlugin: { call: start, line: 'PUT /nodes/plugins/p', body: { active: true } },
    stopPlugin: { call: stop, line: 'PUT /nodes/plugins/p', body: { active: false } },
    changePassword: { call: changePassword, line: 'PUT /change_pwd/u', body: { password: 'new', oldpassword: 'old' } },
  },
  b: {
    ...both,
    ...onlyB,
    startPlugin: { call: start, line: 'PUT /nodes/n@h/plugins/p', body: { active: true } },
    stopPlugin: { call: stop, line: 'PUT /nodes/n@h/plugins/p', body: { active: false } },
    changePassword: { call: changePassword, line: 'PUT /change_pwd/u', body: { new_pwd: 'new', old_pwd: 'old' } },
  },
};

let server: RawServer;
let result: unknown = [];
const apis = { a: undefined as ManagementApi | undefined, b: undefined as ManagementApi | undefined };
const closing: (() => Promise<void>)[] = [];

beforeAll(async () => {
  server = await startRawServer(() => success(result));
  closing.push(() => server.close());
  for (const variant of ['a', 'b'] as const) {
    const api = createHttpApi({ url: server.url, user: 'admin', password: 'public', variant });
    apis[variant] = api;
    closing.unshift(() => api.close());
  }
});
beforeEach(() => {
  result = [];
});
afterAll(async () => {
  for (const close of closing) await close();
});

function api(variant: 'a' | 'b'): ManagementApi {
  const found = apis[variant];
  if (!found) throw new Error('not started');
  return found;
}

describe.each(['a', 'b'] as const)('variant %s', (variant) => {
  test.each(Object.entries(table[variant]))('%s', async (_, sent) => {
    result = sent.result ?? [];
    await sent.call(api(variant));
    const request = server.requests.at(-1);
    expect(`${request?.method} ${request?.path.replace('/api/v2', '')}`).toBe(sent.line);
    expect(request?.body ? JSON.parse(request.body) : undefined).toEqual(sent.body);
    expect(request?.headers.get('authorization')).toBe('Basic YWRtaW46cHVibGlj');
    expect(request?.headers.get('content-type')).toBe(sent.body === undefined ? undefined : 'application/json');
  });

  test('the table has every operation of the port', () => {
    const operations = Object.keys(api(variant)).filter(
      (name) =>
        ![
          'capabilities',
          'apiDoubt',
          'info',
          'urls',
          'servingUrl',
          'whyLost',
          'at',
          'onServingChange',
          'onAddressSkipped',
          'setPassword',
          'hide',
          'receivedBytes',
          'openConnections',
          'close',
        ].includes(name),
    );
    const missing = variant === 'a' ? Object.keys(onlyB) : [];
    expect(operations.toSorted()).toEqual([...Object.keys(table[variant]), ...missing].toSorted());
  });
});

test('every endpoint is used by an operation of the table', () => {
  const asked = [...Object.values(table.a), ...Object.values(table.b)].map(({ line }) => line);
  const params = { node: 'n@h', clientId: 'c', topic: '/a/b', plugin: 'p', app: 'app', username: 'u' };
  const unasked = Object.entries(endpoints).filter(
    ([, { method, build }]) => !asked.some((line) => line.split('?')[0] === `${method} ${build(params)}`),
  );
  expect(unasked.map(([name]) => name)).toEqual(['changeSetting']);
});

test('a setting for all nodes names no node', async () => {
  await api('b').changeSetting(undefined, setting);
  expect(server.requests.at(-1)).toMatchObject({
    method: 'PUT',
    path: '/api/v2/configs/app',
    body: '{"key":"k","value":"v"}',
  });
});

test.each(Object.entries(onlyB))('variant a rejects %s before sending', async (_, { call }) => {
  const before = server.requests.length;
  await expect(call(api('a'))).rejects.toBeInstanceOf(NotSupportedError);
  expect(server.requests.length).toBe(before);
});

test('an id that the broker would truncate is refused before sending', async () => {
  const before = server.requests.length;
  await expect(api('b').clearAclCache('a/b', 't')).rejects.toBeInstanceOf(UnusableIdError);
  expect(server.requests.length).toBe(before);
});

test('omitted fields of a publish are not sent', async () => {
  await api('b').publish({ topic: 't' });
  expect(server.requests.at(-1)?.body).toBe('{"topic":"t"}');
});

test.each<[string, (api: ManagementApi) => Promise<unknown>]>([
  ['an empty password for a new user', (a) => a.addUser({ username: 'u', password: '', tags: 't' })],
  ['an empty name for a new user', (a) => a.addUser({ username: '', password: 'p', tags: 't' })],
  ['an empty new password', (a) => a.changePassword('u', 'old', '')],
  ['a publish to +', (a) => a.publish({ topic: 'a/+/b' })],
  ['a publish to #', (a) => a.publish({ topic: '#' })],
  ['a publish to nothing', (a) => a.publish({ topic: '' })],
  ['a plugin without a node, where one is needed', (a) => a.startPlugin(undefined, 'p')],
])('%s is refused before sending', async (_, call) => {
  const before = server.requests.length;
  await expect(call(api('b'))).rejects.toBeInstanceOf(RefusedError);
  expect(server.requests.length).toBe(before);
});
