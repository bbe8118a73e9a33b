import type { Dialect, DialectSession, HttpMethod, HttpResponse, Transport } from '../../../src/api/dialect.ts';
import {
  BadAnswerError,
  BrokerError,
  NotFoundError,
  NotSupportedError,
  type RefusalKind,
  UnusableIdError,
} from '../../../src/api/errors.ts';
import { isObject } from '../../../src/api/json.ts';
import type { ApiOperations, CallOptions, Capabilities, Page, PageRequest } from '../../../src/api/management-api.ts';
import { basicAuth } from '../../../src/api/login.ts';
import type { Client, Route, Subscription } from '../../../src/domain/client.ts';
import { metricNames, type Metrics, statNames, type Stats } from '../../../src/domain/metrics.ts';
import type { ByNode, NodeInfo, NodeStats } from '../../../src/domain/node.ts';

/*
 * A dialect that shares nothing with emq-v2, to prove that nothing above a dialect depends on one: other paths, no envelope,
 * pages with `hasnext`, 204, string codes, RFC 3339 times, and no list of sessions.
 */

type Row = Readonly<Record<string, unknown>>;

const kinds: Readonly<Record<string, RefusalKind>> = {
  CLIENT_GONE: 'not-connected',
  BAD_VALUE: 'invalid',
  NODE_SILENT: 'node-unreachable',
};

function openAnswer({ status, json, request, hide }: HttpResponse): unknown {
  if (status < 300) return json;
  if (!isObject(json) || typeof json['code'] !== 'string') throw new BadAnswerError('no string "code"', { request });
  const { code, message } = json;
  if (code === 'NO_SUCH_THING') throw new NotFoundError({ request });
  throw new BrokerError(kinds[code] ?? 'failed', typeof message === 'string' ? hide(message) : undefined, {
    code,
    request,
  });
}

const text = (value: unknown): string | undefined => (typeof value === 'string' ? value : undefined);
const number = (value: unknown): number | undefined => (typeof value === 'number' ? value : undefined);
const time = (value: unknown): number | undefined => (typeof value === 'string' ? Date.parse(value) / 1000 : undefined);
const required = (value: unknown): string => {
  if (typeof value !== 'string') throw new BadAnswerError('a row without a name');
  return value;
};

function rowsOf(answer: unknown): readonly Row[] {
  if (!isObject(answer) || !Array.isArray(answer['data'])) throw new BadAnswerError('no "data"');
  return answer['data'].filter(isObject);
}

function rowOf(answer: unknown): Row {
  if (!isObject(answer)) throw new BadAnswerError('not an object');
  return answer;
}

function segment(id: string): string {
  if (id === '') throw new UnusableIdError('it is empty');
  if (!id.isWellFormed()) throw new UnusableIdError('it holds half of a surrogate pair');
  return encodeURIComponent(id).replace(/^\.{1,2}$/u, (dots) => '%2e'.repeat(dots.length));
}

const toClient = (row: Row, node?: string): Client => ({
  clientId: required(row['id']),
  username: text(row['user']),
  ipAddress: text(row['ip']),
  port: number(row['port']),
  cleanSession: row['clean'] === true,
  protocolVersion: number(row['level']),
  keepaliveSeconds: number(row['keepalive']),
  connectedAt: time(row['since']),
  node,
  unparsed: {},
});

const toSubscription = (row: Row, node?: string): Subscription => ({
  clientId: required(row['client']),
  topic: required(row['filter']),
  qos: number(row['qos']),
  node,
});
const toRoute = (row: Row): Route => ({ topic: required(row['filter']), node: required(row['at']) });

const toInfo = (row: Row): NodeInfo => ({
  name: required(row['id']),
  version: text(row['release']),
  description: undefined,
  uptimeSeconds: number(row['up']),
  clock: time(row['time']),
  otpRelease: undefined,
  status: row['alive'] === true ? 'running' : 'stopped',
  statusText: row['alive'] === true ? 'alive' : 'gone',
  unparsed: {},
});

const toNodeStats = (row: Row): NodeStats => {
  const { name, status, statusText, unparsed } = toInfo(row);
  return {
    name,
    status,
    statusText,
    unparsed,
    otpRelease: undefined,
    memoryTotalBytes: number(row['ram']),
    memoryUsedBytes: number(row['ramUsed']),
    processLimit: undefined,
    processesUsed: undefined,
    maxFileDescriptors: undefined,
    clients: number(row['clients']),
    load1: undefined,
    load5: undefined,
    load15: undefined,
  };
};

const toMetrics = (row: Row): Metrics =>
  Object.fromEntries(metricNames.flatMap((name) => (typeof row[name] === 'number' ? [[name, row[name]]] : [])));
const toStats = (row: Row): Stats => {
  const figure = (name: string): Stats['clients'] => ({ count: number(row[name]), max: number(row[`${name}Peak`]) });
  const [clients, sessions, subscribers, subscriptions, topics, routes, retained] = statNames.map(figure);
  const none = { count: undefined, max: undefined };
  return {
    clients: clients ?? none,
    sessions: sessions ?? none,
    subscribers: subscribers ?? none,
    subscriptions: subscriptions ?? none,
    topics: topics ?? none,
    routes: routes ?? none,
    retained: retained ?? none,
  };
};

const capabilities: Capabilities = {
  unsubscribe: true,
  settings: false,
  nodeSubscriptionsOfClient: false,
  pluginPerNode: false,
  sessionTotals: false,
  metricsByNode: true,
};

function createOperations(transport: Transport): ApiOperations {
  const call = (method: HttpMethod, path: string, { signal }: CallOptions = {}, body?: unknown): Promise<unknown> =>
    transport.send({ method, path, body, signal });
  const get = (path: string, options?: CallOptions): Promise<unknown> => call('GET', path, options);
  const act = async (
    method: HttpMethod,
    path: string,
    options: CallOptions | undefined,
    body?: unknown,
  ): Promise<void> => {
    await call(method, path, options, body);
  };
  const query = (values: Readonly<Record<string, string | number>>): string =>
    `?${new URLSearchParams(Object.entries(values).map(([key, value]): [string, string] => [key, String(value)]))}`;
  async function page<T>(
    path: string,
    where: Readonly<Record<string, string>>,
    request: PageRequest,
    toItem: (row: Row) => T,
    options?: CallOptions,
  ): Promise<Page<T>> {
    const answer = rowOf(await get(path + query({ ...where, page: request.page, limit: request.pageSize }), options));
    const hasNext = isObject(answer['meta']) && answer['meta']['hasnext'] === true;
    return { ...request, items: rowsOf(answer).map(toItem), totalItems: undefined, totalPages: undefined, hasNext };
  }
  const lacks = (task: string) => (): Promise<never> => Promise.reject(new NotSupportedError(task));
  const running = async (options?: CallOptions): Promise<readonly Row[]> =>
    rowsOf(await get('/machines', options)).filter(({ alive }) => alive === true);
  async function each<T>(path: string, decode: (row: Row) => T, options?: CallOptions): Promise<ByNode<T>> {
    const names = (await running(options)).map(({ id }) => required(id));
    return new Map(
      await Promise.all(
        names.map(
          async (name) => [name, decode(rowOf(await get(`/machines/${segment(name)}/${path}`, options)))] as const,
        ),
      ),
    );
  }

  return {
    listNodes: async (options) => (await running(options)).map(toInfo),
    getNode: async (node, options) => toInfo(rowOf(await get(`/machines/${segment(node)}`, options))),
    listNodeStats: async (options) => rowsOf(await get('/machines', options)).map(toNodeStats),
    getNodeStats: async (node, options) => toNodeStats(rowOf(await get(`/machines/${segment(node)}`, options))),
    listMetrics: async (options) => ({ kind: 'by-node', nodes: await each('counters', toMetrics, options) }),
    getMetrics: async (node, options) => toMetrics(rowOf(await get(`/machines/${segment(node)}/counters`, options))),
    listStats: (options) => each('gauges', toStats, options),
    getStats: async (node, options) => toStats(rowOf(await get(`/machines/${segment(node)}/gauges`, options))),

    listClients: (node, request, options) =>
      page('/connections', { machine: node }, request, (row) => toClient(row, node), options),
    getNodeClient: async (node, id, options) =>
      rowsOf(await get(`/connections/${segment(id)}${query({ machine: node })}`, options)).map((row) =>
        toClient(row, node),
      ),
    getClient: async (id, options) =>
      rowsOf(await get(`/connections/${segment(id)}`, options)).map((row) => toClient(row)),
    disconnectClient: (id, options) => act('DELETE', `/connections/${segment(id)}`, options),
    listSubscriptions: (node, request, options) =>
      page('/filters', { machine: node }, request, (row) => toSubscription(row, node), options),
    getSubscriptions: async (id, options) =>
      rowsOf(await get(`/connections/${segment(id)}/filters`, options)).map((row) => toSubscription(row)),
    subscribe: ({ clientId, topic, qos }, options) =>
      act('POST', `/connections/${segment(clientId)}/filters`, options, { filter: topic, qos }),
    unsubscribe: ({ clientId, topic }, options) =>
      act('PUT', `/connections/${segment(clientId)}/filters`, options, { filter: topic }),
    publish: (request, options) => act('POST', '/messages', options, request),
    listRoutes: (request, options) => page('/routes', {}, request, toRoute, options),
    getRoutes: async (topic, options) => rowsOf(await get(`/routes/${segment(topic)}`, options)).map(toRoute),

    listListeners: lacks('list listeners'),
    getListeners: lacks('list listeners'),
    clearAclCache: lacks('clear an ACL cache'),
    listSessions: lacks('list sessions'),
    getNodeSession: lacks('show a session'),
    getSession: lacks('show a session'),
    getNodeSubscriptions: lacks('list the subscriptions of one client on one node'),
    listPlugins: lacks('list plugins'),
    startPlugin: lacks('start a plugin'),
    stopPlugin: lacks('stop a plugin'),
    listSettings: lacks('read settings'),
    getSettings: lacks('read settings'),
    changeSetting: lacks('change a setting'),
    getPluginSettings: lacks('read settings'),
    replacePluginSettings: lacks('change settings'),
    listUsers: lacks('list users'),
    addUser: lacks('add a user'),
    changeUserTags: lacks('change a user'),
    deleteUser: lacks('delete a user'),
    checkCredentials: lacks('check a password'),
    changePassword: lacks('change a password'),
  };
}

export const smallDialect: Dialect = {
  http: {
    basePath: '/admin/v9',
    authorization: basicAuth,
    bodyOf: (status) =>
      status === 204 ? 'none' : status === 200 || status === 400 || status === 404 ? 'json' : 'unexpected',
    openAnswer,
  },
  createSession: (): DialectSession => ({
    info: { version: '9', label: 'v9' },
    capabilities,
    apiDoubt: undefined,
    operations: createOperations,
  }),
};
