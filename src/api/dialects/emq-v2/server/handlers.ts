import type { Setting } from '../../../../domain/administration.ts';
import type { Qos, Session } from '../../../../domain/client.ts';
import type { ByNode } from '../../../../domain/node.ts';
import type { ServedApi, ServerOptions } from '../../../dialect.ts';
import { BrokerError, NoAnswerError, NotFoundError, NotSupportedError } from '../../../errors.ts';
import type { CallOptions, OperationName, Page } from '../../../management-api.ts';
import type { JsonObject } from '../../../server/request.ts';
import { type EndpointName, endpoints, type unspecifiedEndpoints } from '../paths.ts';
import type { VariantRules } from '../variants.ts';
import { LongResult } from './answer.ts';
import {
  encodeAlarm,
  encodeByNode,
  encodeClient,
  encodeClusterStats,
  encodeListedNode,
  encodeListener,
  encodeMetrics,
  encodeNodeInfo,
  encodeNodeStats,
  encodeObjects,
  encodePage,
  encodePlugin,
  encodePluginSetting,
  encodeRoute,
  encodeSession,
  encodeSetting,
  encodeStats,
  encodeSubscription,
  encodeUser,
  sumMetrics,
  type WireRecord,
} from './encode.ts';
import type { V2Profile } from './profiles.ts';
import {
  type RequestedPage,
  readAllStrings,
  readField,
  readPage,
  readString,
  requireFields,
  type ServedRequest,
} from './request.ts';
import { withTemplateSettings } from './template-settings.ts';

/** Handles a request. Returns a `LongResult` if the result may be long. Rejects with an `ApiError`. */
export type Handler = (request: ServedRequest) => Promise<unknown>;

export interface ServedBy extends Pick<ServerOptions, 'self' | 'faults'> {
  readonly profile: V2Profile;
}

const operationsOf: Partial<Record<EndpointName, readonly OperationName[]>> = {
  setPlugin: ['startPlugin', 'stopPlugin'],
  setNodePlugin: ['startPlugin', 'stopPlugin'],
  changeNodeSetting: ['changeSetting'],
};

const noResult: readonly never[] = [];

function unsupported(operation: OperationName): Promise<never> {
  return Promise.reject(new NotSupportedError(operation));
}

/** @throws BrokerError 108 unless it is an integer; NotFoundError outside 0 to 2, where real brokers crash */
function readQos(body: JsonObject): Qos | undefined {
  const qos = readField(body, 'qos', 'integer', undefined);
  if (qos === undefined || qos === 0 || qos === 1 || qos === 2) return qos;
  throw new NotFoundError();
}

async function servePage<T>(
  { query }: ServedRequest,
  list: (page: RequestedPage) => Promise<Page<T>>,
  encode: (item: T) => WireRecord,
): Promise<LongResult> {
  const page = readPage(query);
  return new LongResult(encodePage(await list(page), page.requestedPage, encode));
}

function listRecords<T, R>(encode: (item: T) => R): (items: readonly T[]) => readonly R[] {
  return (items) => items.map(encode);
}

/** Handlers of §4.1 to §4.5. */
function readingHandlers(api: ServedApi, rules: VariantRules, { profile, self }: ServedBy) {
  const encodeOne = (session: Session): WireRecord =>
    encodeSession(session, rules, profile.knowsOwnNodeOnly && session.node !== self?.name);
  const byNode = <T>(nodes: ByNode<T>, encode: (value: T) => unknown): unknown => {
    const record = encodeByNode(nodes, encode);
    return profile.hasListsOfOne ? [record] : record;
  };
  /** Ends the connection for an unknown node, as real brokers do. */
  const ofNode = async <T>(reading: Promise<T>): Promise<T> => {
    try {
      return await reading;
    } catch (error) {
      throw error instanceof NotFoundError && profile.closesForUnknownNode ? new NoAnswerError() : error;
    }
  };
  return {
    listNodes: async ({ options }) => (await api.listNodes(options)).map(encodeListedNode),
    getNode: async ({ param, options }) => encodeNodeInfo(await api.getNode(param('node'), options)),
    listNodeStats: async ({ options }) => (await api.listNodeStats(options)).map(encodeNodeStats),
    getNodeStats: async ({ param, options }) => encodeNodeStats(await ofNode(api.getNodeStats(param('node'), options))),
    listListeners: async ({ options }) => byNode(await api.listListeners(options), listRecords(encodeListener)),
    getListeners: async ({ param, options }) =>
      (await ofNode(api.getListeners(param('node'), options))).map(encodeListener),
    listMetrics: async ({ options }) => {
      const figures = await api.listMetrics(options);
      if (rules.capabilities.metricsByNode || profile.hasListsOfOne) {
        if (figures.kind === 'total') throw new NotSupportedError('give metrics by node');
        return byNode(figures.nodes, encodeMetrics);
      }
      return encodeMetrics(figures.kind === 'total' ? figures.total : sumMetrics(figures.nodes.values()));
    },
    getMetrics: async ({ param, options }) => encodeMetrics(await ofNode(api.getMetrics(param('node'), options))),
    listStats: async ({ options }) => {
      const nodes = await api.listStats(options);
      return profile.hasListsOfOne ? byNode(nodes, encodeStats) : encodeClusterStats(nodes, rules);
    },
    getStats: async ({ param, options }) => encodeStats(await ofNode(api.getStats(param('node'), options))),

    listClients: (request) =>
      servePage(request, (page) => api.listClients(request.param('node'), page, request.options), encodeClient),
    getNodeClient: async ({ param, options }) =>
      encodeObjects(await api.getNodeClient(param('node'), param('clientId'), options), encodeClient),
    getClient: async ({ param, options }) =>
      encodeObjects(await api.getClient(param('clientId'), options), encodeClient),

    listSessions: (request) =>
      servePage(request, (page) => api.listSessions(request.param('node'), page, request.options), encodeOne),
    getNodeSession: async ({ param, options }) =>
      encodeObjects(await api.getNodeSession(param('node'), param('clientId'), options), encodeOne),
    getSession: async ({ param, options }) =>
      encodeObjects(await api.getSession(param('clientId'), options), encodeOne),

    listSubscriptions: (request) =>
      servePage(
        request,
        (page) => api.listSubscriptions(request.param('node'), page, request.options),
        encodeSubscription,
      ),
    getNodeSubscriptions: async ({ param, options }) =>
      encodeObjects(await api.getNodeSubscriptions(param('node'), param('clientId'), options), encodeSubscription),
    getSubscriptions: async ({ param, options }) =>
      encodeObjects(await api.getSubscriptions(param('clientId'), options), encodeSubscription),

    listRoutes: (request) => servePage(request, (page) => api.listRoutes(page, request.options), encodeRoute),
    getRoutes: async ({ param, options }) => encodeObjects(await api.getRoutes(param('topic'), options), encodeRoute),
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Handlers of §4.2, §4.4, §4.6. */
function actionHandlers(api: ServedApi, { profile }: ServedBy) {
  const setPlugin = async (
    { body, options }: ServedRequest,
    node: string | undefined,
    plugin: string,
  ): Promise<unknown> => {
    requireFields(body, 'active');
    const active = readField(body, 'active', 'boolean', false);
    await (active
      ? (api.startPlugin?.(node, plugin, options) ?? unsupported('startPlugin'))
      : (api.stopPlugin?.(node, plugin, options) ?? unsupported('stopPlugin')));
    return noResult;
  };
  return {
    disconnectClient: async ({ param, options }) => {
      await (api.disconnectClient?.(param('clientId'), options) ?? unsupported('disconnectClient'));
      return noResult;
    },
    clearAclCache: async ({ param, body, options }) => {
      requireFields(body, 'topic');
      await (api.clearAclCache?.(param('clientId'), readString(body, 'topic'), options) ??
        unsupported('clearAclCache'));
      return noResult;
    },
    subscribe: async ({ body, options }) => {
      requireFields(body, 'topic', 'qos', 'client_id');
      const [topic, clientId] = [readString(body, 'topic'), readString(body, 'client_id')];
      const qos = readQos(body) ?? 0;
      if (!profile.subscribesToWildcards && /[+#]/u.test(topic))
        throw new BrokerError('failed', `validate topic: ${topic} fail`);
      await (api.subscribe?.({ clientId, topic, qos }, options) ?? unsupported('subscribe'));
      return noResult;
    },
    unsubscribe: async ({ body, options }) => {
      requireFields(body, 'topic', 'client_id');
      const [topic, clientId] = [readString(body, 'topic'), readString(body, 'client_id')];
      await (api.unsubscribe?.({ clientId, topic }, options) ?? unsupported('unsubscribe'));
      return noResult;
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
      await (api.publish?.(request, options) ?? unsupported('publish'));
      return noResult;
    },
    listPlugins: async ({ param, options }) =>
      (await (api.listPlugins?.(param('node'), options) ?? unsupported('listPlugins'))).map(encodePlugin),
    setPlugin: (request) => setPlugin(request, undefined, request.param('plugin')),
    setNodePlugin: (request) => setPlugin(request, request.param('node'), request.param('plugin')),
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Handlers of §4.7. */
function settingHandlers(api: ServedApi, { profile, faults }: ServedBy) {
  const templates = withTemplateSettings(api, profile.templates, faults);
  const requireReadable = async (options: CallOptions): Promise<void> => {
    if (profile.hasSettingsOfOneNodeOnly && (await api.listNodes(options)).length > 1) throw new NotFoundError();
  };
  const withUnreadable = (settings: readonly Setting[]): readonly WireRecord[] =>
    [
      ...settings,
      ...profile.unreadableSettings.map((key): Setting => ({
        key,
        value: undefined,
        dataType: 'string',
        app: settings[0]?.app ?? '',
      })),
    ].map(encodeSetting);
  const change = async ({ param, body, options }: ServedRequest, node: string | undefined): Promise<unknown> => {
    requireFields(body, 'key', 'value');
    const setting = { app: param('app'), key: readString(body, 'key'), value: readString(body, 'value') };
    if (profile.unreadableSettings.includes(setting.key)) return noResult;
    await (api.changeSetting?.(node, setting, options) ?? unsupported('changeSetting'));
    return noResult;
  };
  return {
    listSettings: async ({ options }) => {
      await requireReadable(options);
      return encodeByNode(await (api.listSettings?.(options) ?? unsupported('listSettings')), withUnreadable);
    },
    getSettings: async ({ param, options }) => {
      await requireReadable(options);
      return withUnreadable(await (api.getSettings?.(param('node'), options) ?? unsupported('getSettings')));
    },
    changeSetting: (request) => change(request, undefined),
    changeNodeSetting: (request) => change(request, request.param('node')),
    getPluginSettings: async ({ param, options }) => {
      const settings =
        templates.getPluginSettings?.(param('node'), param('plugin'), options) ?? unsupported('getPluginSettings');
      return (await settings).map(encodePluginSetting);
    },
    replacePluginSettings: async ({ param, body, options }) => {
      const settings = readAllStrings(body);
      await (templates.replacePluginSettings?.(param('node'), param('plugin'), settings, options) ??
        unsupported('replacePluginSettings'));
      return noResult;
    },
  } satisfies Partial<Record<EndpointName, Handler>>;
}

/** Handlers of §4.8. */
function userHandlers(api: ServedApi, rules: VariantRules) {
  return {
    listUsers: async ({ options }) => (await (api.listUsers?.(options) ?? unsupported('listUsers'))).map(encodeUser),
    addUser: async ({ body, options }) => {
      requireFields(body, 'username', 'password', 'tags');
      const user = {
        username: readString(body, 'username'),
        password: readString(body, 'password'),
        tags: readString(body, 'tags'),
      };
      await (api.addUser?.(user, options) ?? unsupported('addUser'));
      return noResult;
    },
    changeUserTags: async ({ param, body, options }) => {
      requireFields(body, 'tags');
      await (api.changeUserTags?.(param('username'), readString(body, 'tags'), options) ??
        unsupported('changeUserTags'));
      return noResult;
    },
    deleteUser: async ({ param, options }) => {
      await (api.deleteUser?.(param('username'), options) ?? unsupported('deleteUser'));
      return noResult;
    },
    checkCredentials: async ({ body, options }) => {
      requireFields(body, 'username', 'password');
      const [username, password] = [readString(body, 'username'), readString(body, 'password')];
      await (api.checkCredentials?.(username, password, options) ?? unsupported('checkCredentials'));
      return noResult;
    },
    changePassword: async ({ param, body, options }) => {
      const fields = rules.passwordFields;
      requireFields(body, fields.oldPassword, fields.newPassword);
      const [oldPassword, newPassword] = [readString(body, fields.oldPassword), readString(body, fields.newPassword)];
      await (api.changePassword?.(param('username'), oldPassword, newPassword, options) ??
        unsupported('changePassword'));
      return noResult;
    },
  } satisfies Partial<Record<EndpointName, Handler>>;
}

function isEndpointName(name: string): name is EndpointName {
  return Object.hasOwn(endpoints, name);
}

export function createHandlers(api: ServedApi, rules: VariantRules, by: ServedBy): ReadonlyMap<EndpointName, Handler> {
  const all: Record<EndpointName, Handler> = {
    ...readingHandlers(api, rules, by),
    ...actionHandlers(api, by),
    ...settingHandlers(api, by),
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

/** Handlers of undocumented paths that real brokers have. */
export function unspecifiedHandlers(
  api: ServedApi,
  { profile, self }: ServedBy,
): Partial<Record<keyof typeof unspecifiedEndpoints, Handler>> {
  const { listAlarms, listUsers } = api;
  return {
    // The same for whichever node is named.
    ...(profile.knowsOwnNodeOnly &&
      self !== undefined &&
      listAlarms !== undefined && {
        listAlarms: async ({ options }: ServedRequest) => (await listAlarms(self.name, options)).map(encodeAlarm),
      }),
    ...(listUsers !== undefined && {
      getUser: async ({ param, options }: ServedRequest) => {
        const found = (await listUsers(options)).find(({ username }) => username === param('username'));
        return found === undefined ? noResult : encodeUser(found);
      },
    }),
  };
}
