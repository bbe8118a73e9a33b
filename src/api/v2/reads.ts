import type { NodeName } from '../../domain/node.ts';
import type { Session } from '../../domain/session.ts';
import type { ManagementApi } from '../management-api.ts';
import type { Caller } from './caller.ts';
import * as decode from './decode.ts';
import { decodeByNode, decodeClusterMetrics, decodeMetrics, decodeStats } from './decode-figures.ts';
import { endpoints } from './paths.ts';
import { evidenceOfMetrics, evidenceOfSessions, evidenceOfStats } from './variant-detector.ts';
import type { VariantDetector } from './variant-detector.ts';

/** The operations of the port that only read. */
export type Reads = Pick<ManagementApi, Extract<keyof ManagementApi, `list${string}` | `get${string}`>>;

/** The reading half of the port; answers that tell the variant are shown to `detector`. */
export function createReads(caller: Caller, detector: VariantDetector): Reads {
  const sessions = (records: unknown, node: NodeName | undefined): Session[] => {
    const decoded = decode.decodeSessions(records, node);
    if (Array.isArray(records)) detector.observe(evidenceOfSessions(records));
    return decoded;
  };

  return {
    listNodes: (options) => caller.read({ endpoint: endpoints.listNodes, params: {}, ...options }, decode.decodeNodes),
    getNode: (node, options) =>
      caller.read({ endpoint: endpoints.getNode, params: { node }, ...options }, (result) => decode.decodeNode(result, node)),
    listNodeStats: (options) =>
      caller.read({ endpoint: endpoints.listNodeStats, params: {}, ...options }, decode.decodeNodeStatsList),
    getNodeStats: (node, options) =>
      caller.read({ endpoint: endpoints.getNodeStats, params: { node }, ...options }, (result) =>
        decode.decodeNodeStats(result, node)),

    listListeners: (options) =>
      caller.read({ endpoint: endpoints.listListeners, params: {}, ...options }, (result) =>
        decodeByNode(result, 'listeners', decode.decodeListeners)),
    getListeners: (node, options) =>
      caller.read({ endpoint: endpoints.getListeners, params: { node }, ...options }, decode.decodeListeners),
    listMetrics: (options) =>
      caller.read({ endpoint: endpoints.listMetrics, params: {}, ...options }, (result) => {
        const metrics = decodeClusterMetrics(result);
        detector.observe(evidenceOfMetrics(result));
        return metrics;
      }),
    getMetrics: (node, options) =>
      caller.read({ endpoint: endpoints.getMetrics, params: { node }, ...options }, decodeMetrics),
    listStats: (options) =>
      caller.read({ endpoint: endpoints.listStats, params: {}, ...options }, (result) => {
        const stats = decodeByNode(result, 'statistics', decodeStats);
        detector.observe(evidenceOfStats(result));
        return stats;
      }),
    getStats: (node, options) => caller.read({ endpoint: endpoints.getStats, params: { node }, ...options }, decodeStats),

    listClients: (node, page, options) =>
      caller.readPage({ endpoint: endpoints.listClients, params: { node }, ...options }, page, (list) => decode.decodeClients(list, node)),
    getNodeClient: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeClient, params: { node, clientId }, ...options }, (result) =>
        decode.decodeClients(decode.decodeObjects(result), node)),
    getClient: (clientId, options) =>
      caller.read({ endpoint: endpoints.getClient, params: { clientId }, ...options }, (result) =>
        decode.decodeClients(decode.decodeObjects(result), undefined)),

    listSessions: (node, page, options) =>
      caller.readPage({ endpoint: endpoints.listSessions, params: { node }, ...options }, page, (list) => sessions(list, node)),
    getNodeSession: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeSession, params: { node, clientId }, ...options }, (result) =>
        sessions(decode.decodeObjects(result), node)),
    getSession: (clientId, options) =>
      caller.read({ endpoint: endpoints.getSession, params: { clientId }, ...options }, (result) =>
        sessions(decode.decodeObjects(result), undefined)),

    listSubscriptions: (node, page, options) =>
      caller.readPage({ endpoint: endpoints.listSubscriptions, params: { node }, ...options }, page, (list) => decode.decodeSubscriptions(list, node)),
    async getNodeSubscriptions(node, clientId, options = {}) {
      await caller.require('nodeSubscriptionsOfClient', options);
      return caller.read({ endpoint: endpoints.getNodeSubscriptions, params: { node, clientId }, ...options }, (result) =>
        decode.decodeSubscriptions(decode.decodeObjects(result), node));
    },
    getSubscriptions: (clientId, options) =>
      caller.read({ endpoint: endpoints.getSubscriptions, params: { clientId }, ...options }, (result) =>
        decode.decodeSubscriptions(decode.decodeObjects(result), undefined)),

    listRoutes: (page, options) =>
      caller.readPage({ endpoint: endpoints.listRoutes, params: {}, ...options }, page, decode.decodeRoutes),
    getRoutes: (topic, options) =>
      caller.read({ endpoint: endpoints.getRoutes, params: { topic }, ...options }, (result) =>
        decode.decodeRoutes(decode.decodeObjects(result))),

    listPlugins: (node, options) =>
      caller.read({ endpoint: endpoints.listPlugins, params: { node }, ...options }, decode.decodePlugins),

    async listSettings(options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.listSettings, params: {}, ...options }, (result) =>
        decodeByNode(result, 'settings', decode.decodeSettings));
    },
    async getSettings(node, options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.getSettings, params: { node }, ...options }, decode.decodeSettings);
    },
    async getPluginSettings(node, plugin, options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.getPluginSettings, params: { node, plugin }, ...options }, decode.decodePluginSettings);
    },

    listUsers: (options) => caller.read({ endpoint: endpoints.listUsers, params: {}, ...options }, decode.decodeUsers),
  };
}
