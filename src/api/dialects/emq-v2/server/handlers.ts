import type { Qos } from '../../../../domain/client.ts';
import { NotFoundError, UnsupportedError } from '../../../errors.ts';
import type { ManagementApi, Page } from '../../../management-api.ts';
import { type EndpointName, endpoints } from '../paths.ts';
import type { VariantRules } from '../variants.ts';
import { LongResult } from './answer.ts';
import { encodeByNode, encodeClient, encodeClusterStats, encodeListedNode, encodeListener, encodeMetrics, encodeNodeInfo, encodeNodeStats, encodeObjects, encodePage, encodePlugin, encodePluginSetting, encodeRoute, encodeSession, encodeSetting, encodeStats, encodeSubscription, encodeUser, sumMetrics, type WireRecord } from './encode.ts';
import { type AskedPage, type JsonObject, readAllStrings, readField, readPage, readString, requireFields, type ServedRequest } from './request.ts';

/** What every implementation that is served must be able to do: sections 4.1 to 4.5, reading. */
export type ReadingOperation =
  | 'listNodes' | 'getNode' | 'listNodeStats' | 'getNodeStats' | 'listListeners' | 'getListeners'
  | 'listMetrics' | 'getMetrics' | 'listStats' | 'getStats'
  | 'listClients' | 'getNodeClient' | 'getClient'
  | 'listSessions' | 'getNodeSession' | 'getSession'
  | 'listSubscriptions' | 'getNodeSubscriptions' | 'getSubscriptions'
  | 'listRoutes' | 'getRoutes';

/** An implementation to serve. An operation that it lacks is answered with 404, like an unknown path. */
export type ServedApi =
  & Pick<ManagementApi, ReadingOperation>
  & Partial<Omit<ManagementApi, ReadingOperation | 'capabilities'>>;

/** Answers one endpoint: the `result` of the envelope, a `LongResult` for one that may be of any length. Rejects with an `ApiError`. */
export type Handler = (request: ServedRequest) => Promise<unknown>;

type Operation = Exclude<keyof ServedApi, ReadingOperation>;

/** Operations behind the endpoints that have another name. */
const operationsOf: Partial<Record<EndpointName, readonly Operation[]>> = {
  setPlugin: ['startPlugin', 'stopPlugin'],
  setNodePlugin: ['startPlugin', 'stopPlugin'],
  changeNodeSetting: ['changeSetting'],
};

/** What operations that only act answer with (§2.1). */
const nothing: readonly never[] = [];

function lacks(operation: Operation): Promise<never> {
  return Promise.reject(new UnsupportedError(operation));
}

/** @throws BrokerError 108 for no integer; NotFoundError outside 0 to 2, where real brokers crash. */
function readQos(body: JsonObject): Qos | undefined {
  const qos = readField(body, 'qos', 'integer', undefined);
  if (qos === undefined || qos === 0 || qos === 1 || qos === 2) return qos;
  throw new NotFoundError();
}

/** Reads the page that was asked for and writes it as the specification says. */
async function servePage<T>(
  { query }: ServedRequest,
  list: (page: AskedPage) => Promise<Page<T>>,
  encode: (item: T) => WireRecord,
): Promise<LongResult> {
  const asked = readPage(query);
  return new LongResult(encodePage(await list(asked), asked.askedPage, encode));
}

function listRecords<T, R>(encode: (item: T) => R): (items: readonly T[]) => readonly R[] {
  return (items) => items.map(encode);
}

/** Sections 4.1 to 4.5, reading. */
function readingHandlers(api: ServedApi, rules: VariantRules) {
  const encodeOneSession = (session: Parameters<typeof encodeSession>[0]): WireRecord => encodeSession(session, rules);
  return {
    listNodes: async ({ options }) => (await api.listNodes(options)).map(encodeListedNode),
    getNode: async ({ param, options }) => encodeNodeInfo(await api.getNode(param('node'), options)),
    listNodeStats: async ({ options }) => (await api.listNodeStats(options)).map(encodeNodeStats),
    getNodeStats: async ({ param, options }) => encodeNodeStats(await api.getNodeStats(param('node'), options)),
    listListeners: async ({ options }) => encodeByNode(await api.listListeners(options), listRecords(encodeListener)),
    getListeners: async ({ param, options }) => (await api.getListeners(param('node'), options)).map(encodeListener),
    listMetrics: async ({ options }) => {
      const figures = await api.listMetrics(options);
      if (rules.capabilities.metricsByNode) {
        if (figures.kind === 'total') throw new UnsupportedError('give metrics by node');
        return encodeByNode(figures.nodes, encodeMetrics);
      }
      return encodeMetrics(figures.kind === 'total' ? figures.total : sumMetrics(figures.nodes.values()));
    },
    getMetrics: async ({ param, options }) => encodeMetrics(await api.getMetrics(param('node'), options)),
    listStats: async ({ options }) => encodeClusterStats(await api.listStats(options), rules),
    getStats: async ({ param, options }) => encodeStats(await api.getStats(param('node'), options)),

    listClients: (request) =>
      servePage(request, (page) => api.listClients(request.param('node'), page, request.options), encodeClient),
    getNodeClient: async ({ param, options }) =>
      encodeObjects(await api.getNodeClient(param('node'), param('clientId'), options), encodeClient),
    getClient: async ({ param, options }) => encodeObjects(await api.getClient(param('clientId'), options), encodeClient),

    listSessions: (request) =>
      servePage(request, (page) => api.listSessions(request.param('node'), page, request.options), encodeOneSession),
    getNodeSession: async ({ param, options }) =>
      encodeObjects(await api.getNodeSession(param('node'), param('clientId'), options), encodeOneSession),
    getSession: async ({ param, options }) => encodeObjects(await api.getSession(param('clientId'), options), encodeOneSession),

    listSubscriptions: (request) =>
      servePage(request, (page) => api.listSubscriptions(request.param('node'), page, request.options), encodeSubscription),
    getNodeSubscriptions: async ({ param, options }) =>
      encodeObjects(await api.getNodeSubscriptions(param('node'), param('clientId'), options), encodeSubscription),
    getSubscriptions: async ({ param, options }) =>
      encodeObjects(await api.getSubscriptions(param('clientId'), options), encodeSubscription),

    listRoutes: (request) => servePage(request, (page) => api.listRoutes(page, request.options), encodeRoute),
    getRoutes: async ({ param, options }) => encodeObjects(await api.getRoutes(param('topic'), options), encodeRoute),
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Actions on clients, subscriptions and messages (4.2, 4.4) and plugins (4.6). */
function actionHandlers(api: ServedApi) {
  const setPlugin = async ({ body, options }: ServedRequest, node: string | undefined, plugin: string): Promise<unknown> => {
    requireFields(body, 'active');
    const active = readField(body, 'active', 'boolean', false);
    await (active
      ? api.startPlugin?.(node, plugin, options) ?? lacks('startPlugin')
      : api.stopPlugin?.(node, plugin, options) ?? lacks('stopPlugin'));
    return nothing;
  };
  return {
    disconnectClient: async ({ param, options }) => {
      await (api.disconnectClient?.(param('clientId'), options) ?? lacks('disconnectClient'));
      return nothing;
    },
    clearAclCache: async ({ param, body, options }) => {
      requireFields(body, 'topic');
      await (api.clearAclCache?.(param('clientId'), readString(body, 'topic'), options) ?? lacks('clearAclCache'));
      return nothing;
    },
    subscribe: async ({ body, options }) => {
      requireFields(body, 'topic', 'qos', 'client_id');
      const [topic, clientId] = [readString(body, 'topic'), readString(body, 'client_id')];
      await (api.subscribe?.({ clientId, topic, qos: readQos(body) ?? 0 }, options) ?? lacks('subscribe'));
      return nothing;
    },
    unsubscribe: async ({ body, options }) => {
      requireFields(body, 'topic', 'client_id');
      const [topic, clientId] = [readString(body, 'topic'), readString(body, 'client_id')];
      await (api.unsubscribe?.({ clientId, topic }, options) ?? lacks('unsubscribe'));
      return nothing;
    },
    publish: async ({ body, options }) => {
      requireFields(body, 'topic');
      const request = {
        topic: readString(body, 'topic'),
        payload: readField(body, 'payload', 'string', ''),
        retain: readField(body, 'retain', 'boolean', false),
        clientId: readField(body, 'client_id', 'string', 'http'),
        qos: readQos(body) ?? 0,
      };
      await (api.publish?.(request, options) ?? lacks('publish'));
      return nothing;
    },
    listPlugins: async ({ param, options }) =>
      (await (api.listPlugins?.(param('node'), options) ?? lacks('listPlugins'))).map(encodePlugin),
    setPlugin: (request) => setPlugin(request, undefined, request.param('plugin')),
    setNodePlugin: (request) => setPlugin(request, request.param('node'), request.param('plugin')),
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Section 4.7. */
function settingHandlers(api: ServedApi) {
  const change = async ({ param, body, options }: ServedRequest, node: string | undefined): Promise<unknown> => {
    requireFields(body, 'key', 'value');
    const setting = { app: param('app'), key: readString(body, 'key'), value: readString(body, 'value') };
    await (api.changeSetting?.(node, setting, options) ?? lacks('changeSetting'));
    return nothing;
  };
  return {
    listSettings: async ({ options }) =>
      encodeByNode(await (api.listSettings?.(options) ?? lacks('listSettings')), listRecords(encodeSetting)),
    getSettings: async ({ param, options }) =>
      (await (api.getSettings?.(param('node'), options) ?? lacks('getSettings'))).map(encodeSetting),
    changeSetting: (request) => change(request, undefined),
    changeNodeSetting: (request) => change(request, request.param('node')),
    getPluginSettings: async ({ param, options }) => {
      const settings = api.getPluginSettings?.(param('node'), param('plugin'), options) ?? lacks('getPluginSettings');
      return (await settings).map(encodePluginSetting);
    },
    replacePluginSettings: async ({ param, body, options }) => {
      const settings = readAllStrings(body);
      await (api.replacePluginSettings?.(param('node'), param('plugin'), settings, options) ?? lacks('replacePluginSettings'));
      return nothing;
    },
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Section 4.8. */
function userHandlers(api: ServedApi, rules: VariantRules) {
  return {
    listUsers: async ({ options }) => (await (api.listUsers?.(options) ?? lacks('listUsers'))).map(encodeUser),
    addUser: async ({ body, options }) => {
      requireFields(body, 'username', 'password', 'tags');
      const user = { username: readString(body, 'username'), password: readString(body, 'password'), tags: readString(body, 'tags') };
      await (api.addUser?.(user, options) ?? lacks('addUser'));
      return nothing;
    },
    changeUserTags: async ({ param, body, options }) => {
      requireFields(body, 'tags');
      await (api.changeUserTags?.(param('username'), readString(body, 'tags'), options) ?? lacks('changeUserTags'));
      return nothing;
    },
    deleteUser: async ({ param, options }) => {
      await (api.deleteUser?.(param('username'), options) ?? lacks('deleteUser'));
      return nothing;
    },
    checkCredentials: async ({ body, options }) => {
      requireFields(body, 'username', 'password');
      const [username, password] = [readString(body, 'username'), readString(body, 'password')];
      await (api.checkCredentials?.(username, password, options) ?? lacks('checkCredentials'));
      return nothing;
    },
    changePassword: async ({ param, body, options }) => {
      const fields = rules.passwordFields;
      requireFields(body, fields.oldPassword, fields.newPassword);
      const [before, after] = [readString(body, fields.oldPassword), readString(body, fields.newPassword)];
      await (api.changePassword?.(param('username'), before, after, options) ?? lacks('changePassword'));
      return nothing;
    },
  } satisfies Partial<Record<EndpointName, Handler>>;
}

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

/** The endpoints that this implementation has in this variant, each with its handler. */
export function createHandlers(api: ServedApi, rules: VariantRules): ReadonlyMap<EndpointName, Handler> {
  const all: Record<EndpointName, Handler> = {
    ...readingHandlers(api, rules),
    ...actionHandlers(api),
    ...settingHandlers(api),
    ...userHandlers(api, rules),
  };
  const has = (operation: string): boolean => operation in api && Reflect.get(api, operation) !== undefined;
  const served = new Map<EndpointName, Handler>();
  for (const name of Object.keys(endpoints).filter(isEndpointName)) {
    const operations = operationsOf[name] ?? [name];
    if (endpoints[name].isIn(rules.capabilities) && operations.every(has)) served.set(name, all[name]);
  }
  return served;
}
