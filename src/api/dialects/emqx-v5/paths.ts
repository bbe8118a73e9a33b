import { UnusableIdError } from '../../errors.ts';
import type { PageRequest } from '../../management-api.ts';
import { encodeSegment, endpointsWith, isDotSegment } from '../endpoints.ts';
import { v5Texts } from './texts.ts';

/**
 * Refuses dot segments. The broker decodes a path, then removes them: an encoded `..` reaches another object, or all of
 * them.
 */
const endpoint = endpointsWith((segment) => {
  if (isDotSegment(segment)) throw new UnusableIdError(v5Texts.dotId);
  return encodeSegment(segment);
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

  listAccessMetrics: endpoint('GET', '/prometheus/auth'),
  listIntegrationMetrics: endpoint('GET', '/prometheus/data_integration'),
  listConnectors: endpoint('GET', '/connectors'),
  listActions: endpoint('GET', '/actions'),
  listActionSummaries: endpoint('GET', '/actions_summary'),
  listSources: endpoint('GET', '/sources'),
  listSourceSummaries: endpoint('GET', '/sources_summary'),
  listRules: endpoint('GET', '/rules'),
  startConnector: endpoint('POST', '/connectors/:id/start'),
  startAction: endpoint('POST', '/actions/:id/start'),
  startSource: endpoint('POST', '/sources/:id/start'),
  changeRule: endpoint('PUT', '/rules/:id'),
  listTraces: endpoint('GET', '/trace'),
  startTrace: endpoint('POST', '/trace'),
  readTrace: endpoint('GET', '/trace/:name/log'),
  stopTrace: endpoint('PUT', '/trace/:name/stop'),
  deleteTrace: endpoint('DELETE', '/trace/:name'),

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

export const pageQuery = ({ page, pageSize }: PageRequest): { readonly page: number; readonly limit: number } => ({
  page,
  limit: pageSize,
});
