import type { HttpMethod } from '../../dialect.ts';
import { UnusableIdError } from '../../errors.ts';
import type { Capabilities, PageRequest } from '../../management-api.ts';
import { notSentTexts } from '../../texts.ts';
import type { PathParams } from '../endpoints.ts';

export interface Endpoint<Pattern extends string = string> {
  readonly method: HttpMethod;
  /** The route in find-my-way syntax, below `basePath`: `/clients/:clientId`. */
  readonly pattern: Pattern;
  /** Further routes for the server, with the same parameters; `*` stands for the last one. */
  readonly aliases: readonly string[];
  isIn(capabilities: Capabilities): boolean;
  /** Builds the encoded path below `basePath`. @throws UnusableIdError if a parameter cannot be sent in this path */
  build(params: PathParams<Pattern>): string;
}

/** Encodes a segment, also `.` and `..`. @throws UnusableIdError for an empty id and for half of a surrogate pair */
export function encodeSegment(id: string): string {
  if (id === '') throw new UnusableIdError(notSentTexts.emptyId);
  if (id === '.') return '%2e';
  if (id === '..') return '%2e%2e';
  try {
    return encodeURIComponent(id);
  } catch (cause) {
    throw new UnusableIdError(notSentTexts.brokenId, { cause });
  }
}

/**
 * Words that brokers take for lists below `nodes/{node}/clients/`, unless a letter is encoded (field notes, "Paths").
 */
const listWords: ReadonlySet<string> = new Set([
  'clients',
  'sessions',
  'subscriptions',
  'alarms',
  'plugins',
  'configs',
]);

function encodeIdBelowNode(id: string): string {
  return listWords.has(id) ? `%${id.charCodeAt(0).toString(16)}${id.slice(1)}` : encodeSegment(id);
}

function encodeNode(name: string): string {
  return encodeSegment(name).replaceAll('%40', '@');
}

/** Encodes an id, but refuses a slash: the broker would act on the part before it (field notes, "Paths"). */
function encodeWithoutSlash(id: string): string {
  if (id.includes('/')) throw new UnusableIdError('the broker would cut it at the first "/" and act on another client');
  return encodeSegment(id);
}

interface EndpointOptions {
  readonly aliases?: readonly string[];
  readonly isIn?: (capabilities: Capabilities) => boolean;
  readonly clientId?: (id: string) => string;
}

const parameter = /:([a-zA-Z]+)/gu;

function endpoint<const Pattern extends string>(
  method: HttpMethod,
  pattern: Pattern,
  options: EndpointOptions = {},
): Endpoint<Pattern> {
  const { aliases = [], isIn = () => true, clientId = encodeSegment } = options;
  const encoders: Readonly<Record<string, (value: string) => string>> = { node: encodeNode, clientId };
  return {
    method,
    pattern,
    aliases,
    isIn,
    build: (params) => {
      const values: Readonly<Record<string, string>> = params;
      return pattern.replace(parameter, (_, name: string) => (encoders[name] ?? encodeSegment)(values[name] ?? ''));
    },
  };
}

const belowNode = { clientId: encodeIdBelowNode };
const withSettings: EndpointOptions = { isIn: ({ settings }) => settings };

/**
 * The documented paths (§4), without a trailing slash: that works everywhere. The server accepts documented slashes.
 */
export const endpoints = {
  listNodes: endpoint('GET', '/management/nodes'),
  getNode: endpoint('GET', '/management/nodes/:node'),
  listNodeStats: endpoint('GET', '/monitoring/nodes'),
  getNodeStats: endpoint('GET', '/monitoring/nodes/:node'),
  listListeners: endpoint('GET', '/monitoring/listeners'),
  getListeners: endpoint('GET', '/monitoring/listeners/:node'),
  listMetrics: endpoint('GET', '/monitoring/metrics', { aliases: ['/monitoring/metrics/'] }),
  getMetrics: endpoint('GET', '/monitoring/metrics/:node'),
  listStats: endpoint('GET', '/monitoring/stats'),
  getStats: endpoint('GET', '/monitoring/stats/:node'),

  listClients: endpoint('GET', '/nodes/:node/clients'),
  getNodeClient: endpoint('GET', '/nodes/:node/clients/:clientId', belowNode),
  getClient: endpoint('GET', '/clients/:clientId'),
  disconnectClient: endpoint('DELETE', '/clients/:clientId'),
  clearAclCache: endpoint('PUT', '/clients/:clientId/clean_acl_cache', { clientId: encodeWithoutSlash }),

  /** The specification has both `node/` and `nodes/`; real brokers have `nodes/`. */
  listSessions: endpoint('GET', '/nodes/:node/sessions', { aliases: ['/node/:node/sessions'] }),
  getNodeSession: endpoint('GET', '/nodes/:node/sessions/:clientId', belowNode),
  getSession: endpoint('GET', '/sessions/:clientId'),

  listSubscriptions: endpoint('GET', '/nodes/:node/subscriptions'),
  getNodeSubscriptions: endpoint('GET', '/nodes/:node/subscriptions/:clientId', {
    ...belowNode,
    isIn: ({ nodeSubscriptionsOfClient }) => nodeSubscriptionsOfClient,
  }),
  getSubscriptions: endpoint('GET', '/subscriptions/:clientId'),
  subscribe: endpoint('POST', '/mqtt/subscribe'),
  unsubscribe: endpoint('POST', '/mqtt/unsubscribe', { isIn: ({ unsubscribe }) => unsubscribe }),
  publish: endpoint('POST', '/mqtt/publish'),

  listRoutes: endpoint('GET', '/routes'),
  /** The alias accepts unencoded slashes, with the first one doubled (§4.5). */
  getRoutes: endpoint('GET', '/routes/:topic', { aliases: ['/routes/*'] }),

  listPlugins: endpoint('GET', '/nodes/:node/plugins', { aliases: ['/nodes/:node/plugins/'] }),
  setPlugin: endpoint('PUT', '/nodes/plugins/:plugin', { isIn: ({ pluginPerNode }) => !pluginPerNode }),
  setNodePlugin: endpoint('PUT', '/nodes/:node/plugins/:plugin', { isIn: ({ pluginPerNode }) => pluginPerNode }),

  listSettings: endpoint('GET', '/configs', withSettings),
  getSettings: endpoint('GET', '/nodes/:node/configs', withSettings),
  changeSetting: endpoint('PUT', '/configs/:app', withSettings),
  changeNodeSetting: endpoint('PUT', '/nodes/:node/configs/:app', withSettings),
  getPluginSettings: endpoint('GET', '/nodes/:node/plugin_configs/:plugin', withSettings),
  replacePluginSettings: endpoint('PUT', '/nodes/:node/plugin_configs/:plugin', withSettings),

  listUsers: endpoint('GET', '/users'),
  addUser: endpoint('POST', '/users'),
  changeUserTags: endpoint('PUT', '/users/:username'),
  deleteUser: endpoint('DELETE', '/users/:username'),
  checkCredentials: endpoint('POST', '/auth'),
  changePassword: endpoint('PUT', '/change_pwd/:username'),
} as const;

/** Undocumented paths of real brokers (field notes, "Actions"). */
export const unspecifiedEndpoints = {
  /** Served with a profile only. */
  listAlarms: endpoint('GET', '/nodes/:node/alarms'),
  /** The client never uses it. */
  getUser: endpoint('GET', '/users/:username'),
} as const;

export type EndpointName = keyof typeof endpoints;

export const pageQueryNames = { page: 'curr_page', pageSize: 'page_size' } as const;

export const defaultPage: PageRequest = { page: 1, pageSize: 20 };

export function buildPageQuery({ page, pageSize }: PageRequest): string {
  return `?${pageQueryNames.page}=${page}&${pageQueryNames.pageSize}=${pageSize}`;
}
