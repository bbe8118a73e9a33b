import type { HttpMethod } from '../../dialect.ts';
import { UnusableIdError } from '../../errors.ts';
import type { PageRequest } from '../../management-api.ts';
import { notSentTexts } from '../../texts.ts';
import { v5Texts } from './texts.ts';

type ParamNames<Pattern extends string> = Pattern extends `${string}:${infer Name}/${infer Rest}`
  ? Name | ParamNames<`/${Rest}`>
  : Pattern extends `${string}:${infer Name}`
    ? Name
    : never;

export type PathParams<Pattern extends string> = Readonly<Record<ParamNames<Pattern>, string>>;

export interface Endpoint<Pattern extends string = string> {
  readonly method: HttpMethod;
  /** The route in find-my-way syntax, below `basePath`. */
  readonly pattern: Pattern;
  /** Builds the encoded path below `basePath`. @throws UnusableIdError if a parameter cannot be sent in a path */
  build(params: PathParams<Pattern>): string;
}

/**
 * Whether an id cannot be sent. The broker decodes a path, then removes its dot segments: an encoded `..` reaches
 * another object, or all of them.
 */
export const isDotSegment = (id: string): boolean => id === '.' || id === '..';

/** @throws UnusableIdError for an empty id, a dot segment, and half of a surrogate pair */
export function encodeSegment(id: string): string {
  if (id === '') throw new UnusableIdError(notSentTexts.emptyId);
  if (isDotSegment(id)) throw new UnusableIdError(v5Texts.dotId);
  try {
    return encodeURIComponent(id).replaceAll('%40', '@').replaceAll('%3A', ':');
  } catch (cause) {
    throw new UnusableIdError(notSentTexts.brokenId, { cause });
  }
}

const parameter = /:([a-zA-Z]+)/gu;

const endpoint = <const Pattern extends string>(method: HttpMethod, pattern: Pattern): Endpoint<Pattern> => ({
  method,
  pattern,
  build(params) {
    const values: Readonly<Record<string, string>> = params;
    return pattern.replace(parameter, (_, name: string) => encodeSegment(values[name] ?? ''));
  },
});

export const endpoints = {
  status: endpoint('GET', '/status'),
  login: endpoint('POST', '/login'),

  listNodes: endpoint('GET', '/nodes'),
  getNode: endpoint('GET', '/nodes/:node'),
  getNodeStats: endpoint('GET', '/nodes/:node/stats'),
  getNodeMetrics: endpoint('GET', '/nodes/:node/metrics'),
  listStats: endpoint('GET', '/stats'),
  listMetrics: endpoint('GET', '/metrics'),
  listLoadHistory: endpoint('GET', '/monitor'),
  getCluster: endpoint('GET', '/cluster'),
  listListeners: endpoint('GET', '/listeners'),
  startListener: endpoint('POST', '/listeners/:id/start'),
  stopListener: endpoint('POST', '/listeners/:id/stop'),

  listClients: endpoint('GET', '/clients'),
  getClient: endpoint('GET', '/clients/:clientId'),
  disconnectClient: endpoint('DELETE', '/clients/:clientId'),
  disconnectClients: endpoint('POST', '/clients/kickout/bulk'),
  listAuthorizationCache: endpoint('GET', '/clients/:clientId/authorization/cache'),
  clearAuthorizationCache: endpoint('DELETE', '/clients/:clientId/authorization/cache'),
  listClientSubscriptions: endpoint('GET', '/clients/:clientId/subscriptions'),
  subscribe: endpoint('POST', '/clients/:clientId/subscribe'),
  unsubscribe: endpoint('POST', '/clients/:clientId/unsubscribe'),
  listQueue: endpoint('GET', '/clients/:clientId/mqueue_messages'),
  listInflight: endpoint('GET', '/clients/:clientId/inflight_messages'),

  listSubscriptions: endpoint('GET', '/subscriptions'),
  listTopics: endpoint('GET', '/topics'),
  publish: endpoint('POST', '/publish'),
  listRetained: endpoint('GET', '/mqtt/retainer/messages'),
  getRetained: endpoint('GET', '/mqtt/retainer/message/:topic'),
  deleteRetained: endpoint('DELETE', '/mqtt/retainer/message/:topic'),
  listSlowSubscriptions: endpoint('GET', '/slow_subscriptions'),
  getSlowSettings: endpoint('GET', '/slow_subscriptions/settings'),

  listPlugins: endpoint('GET', '/plugins'),
  startPlugin: endpoint('PUT', '/plugins/:plugin/start'),
  stopPlugin: endpoint('PUT', '/plugins/:plugin/stop'),
  listAlarms: endpoint('GET', '/alarms'),
  clearEndedAlarms: endpoint('DELETE', '/alarms'),
  listBans: endpoint('GET', '/banned'),
  addBan: endpoint('POST', '/banned'),
  liftBan: endpoint('DELETE', '/banned/:kind/:who'),

  listUsers: endpoint('GET', '/users'),
  addUser: endpoint('POST', '/users'),
  changeUser: endpoint('PUT', '/users/:username'),
  deleteUser: endpoint('DELETE', '/users/:username'),
  changePassword: endpoint('POST', '/users/:username/change_pwd'),
  listApiKeys: endpoint('GET', '/api_key'),
  getApiKey: endpoint('GET', '/api_key/:name'),
  addApiKey: endpoint('POST', '/api_key'),
  changeApiKey: endpoint('PUT', '/api_key/:name'),
  deleteApiKey: endpoint('DELETE', '/api_key/:name'),
} as const;

type QueryValue = string | number | boolean | undefined;

/** Builds a query without values that are `undefined`. @throws UnusableIdError for half of a surrogate pair */
export function buildQuery(values: Readonly<Record<string, QueryValue>>): string {
  const pairs = Object.entries(values).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${encodeValue(String(value))}`],
  );
  return pairs.length === 0 ? '' : `?${pairs.join('&')}`;
}

function encodeValue(value: string): string {
  try {
    return encodeURIComponent(value).replaceAll('%40', '@').replaceAll('%2C', ',');
  } catch (cause) {
    throw new UnusableIdError(notSentTexts.brokenId, { cause });
  }
}

export const pageQuery = ({ page, pageSize }: PageRequest): { readonly page: number; readonly limit: number } => ({
  page,
  limit: pageSize,
});
