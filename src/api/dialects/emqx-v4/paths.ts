import type { PageRequest } from '../../management-api.ts';
import { encodeSegment, endpointsWith, isDotSegment } from '../endpoints.ts';

/** Encodes the dots of dot segments, which the broker keeps in both forms: programs on the way may remove them. */
const endpoint = endpointsWith((segment) =>
  isDotSegment(segment) ? segment.replaceAll('.', '%2E') : encodeSegment(segment),
);

export const endpoints = {
  listEndpoints: endpoint('GET', '/'),

  listNodes: endpoint('GET', '/brokers'),
  getNode: endpoint('GET', '/brokers/:node'),
  listNodeStats: endpoint('GET', '/nodes'),
  getNodeStats: endpoint('GET', '/nodes/:node'),
  listStats: endpoint('GET', '/stats'),
  getStats: endpoint('GET', '/nodes/:node/stats'),
  listMetrics: endpoint('GET', '/metrics'),
  getMetrics: endpoint('GET', '/nodes/:node/metrics'),
  listListeners: endpoint('GET', '/listeners'),
  getListeners: endpoint('GET', '/nodes/:node/listeners'),

  searchClients: endpoint('GET', '/clients'),
  listClients: endpoint('GET', '/nodes/:node/clients'),
  getClient: endpoint('GET', '/clients/:clientId'),
  getNodeClient: endpoint('GET', '/nodes/:node/clients/:clientId'),
  disconnectClient: endpoint('DELETE', '/clients/:clientId'),
  listAclCache: endpoint('GET', '/clients/:clientId/acl_cache'),
  clearAclCache: endpoint('DELETE', '/clients/:clientId/acl_cache'),

  listAllSubscriptions: endpoint('GET', '/subscriptions'),
  listSubscriptions: endpoint('GET', '/nodes/:node/subscriptions'),
  getSubscriptions: endpoint('GET', '/subscriptions/:clientId'),
  getNodeSubscriptions: endpoint('GET', '/nodes/:node/subscriptions/:clientId'),
  subscribe: endpoint('POST', '/mqtt/subscribe'),
  unsubscribe: endpoint('POST', '/mqtt/unsubscribe'),
  publish: endpoint('POST', '/mqtt/publish'),
  listRoutes: endpoint('GET', '/routes'),
  getRoutes: endpoint('GET', '/routes/:topic'),

  listPlugins: endpoint('GET', '/nodes/:node/plugins'),
  startPlugin: endpoint('PUT', '/nodes/:node/plugins/:plugin/load'),
  stopPlugin: endpoint('PUT', '/nodes/:node/plugins/:plugin/unload'),

  listAlarms: endpoint('GET', '/nodes/:node/alarms/activated'),
  listEndedAlarms: endpoint('GET', '/alarms/deactivated'),
  clearEndedAlarms: endpoint('DELETE', '/alarms/deactivated'),
  /** The names in 4.0 and 4.1. */
  listPresentAlarms: endpoint('GET', '/alarms/present/:node'),
  listAlarmHistory: endpoint('GET', '/alarms/history'),

  listBans: endpoint('GET', '/banned'),
  addBan: endpoint('POST', '/banned'),
  liftBan: endpoint('DELETE', '/banned/:kind/:who'),

  listUsers: endpoint('GET', '/users'),
  addUser: endpoint('POST', '/users'),
  changeUser: endpoint('PUT', '/users/:username'),
  deleteUser: endpoint('DELETE', '/users/:username'),
  changePassword: endpoint('PUT', '/change_pwd/:username'),
  checkCredentials: endpoint('POST', '/auth'),
} as const;

export const pageQuery = ({ page, pageSize }: PageRequest): { readonly _page: number; readonly _limit: number } => ({
  _page: page,
  _limit: pageSize,
});
