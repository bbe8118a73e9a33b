import type { Session } from '../../../domain/client.ts';
import type { NodeName } from '../../../domain/node.ts';
import { NotAvailableError, NotFoundError } from '../../errors.ts';
import type { ManagementApi } from '../../management-api.ts';
import type { Caller } from './caller.ts';
import { decodeByNode, decodeClusterMetrics, decodeMetrics, decodeStats } from './decode-figures.ts';
import * as decode from './decode.ts';
import { endpoints, unspecifiedEndpoints } from './paths.ts';
import type { UnusableTally } from './records.ts';
import { evidenceOfMetrics, evidenceOfSessions, evidenceOfStats, type VariantDetector } from './variants.ts';

/** The operations of the port that only read. */
export type Reads = Pick<ManagementApi, Extract<keyof ManagementApi, `list${string}` | `get${string}`>>;

/** The reading half of the port; answers that tell the variant are shown to `detector`. */
export function createReads(caller: Caller, detector: VariantDetector): Reads {
  const sessions = (records: unknown, node: NodeName | undefined, tally: UnusableTally): Session[] => {
    const decoded = decode.decodeSessions(records, node, tally);
    if (Array.isArray(records)) detector.observe(evidenceOfSessions(records));
    return decoded;
  };

  /** A broker that has no alarms is not asked for them again. */
  let withoutAlarms: NotAvailableError | undefined;

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
      caller.read({ endpoint: endpoints.listListeners, params: {}, ...options }, (result, tally) =>
        decodeByNode(result, 'listeners', (part) => decode.decodeListeners(part, tally))),
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
      caller.readPage({ endpoint: endpoints.listClients, params: { node }, ...options }, page, (list, tally) => decode.decodeClients(list, node, tally)),
    getNodeClient: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeClient, params: { node, clientId }, ...options }, (result, tally) =>
        decode.decodeClients(decode.decodeObjects(result), node, tally)),
    getClient: (clientId, options) =>
      caller.read({ endpoint: endpoints.getClient, params: { clientId }, ...options }, (result, tally) =>
        decode.decodeClients(decode.decodeObjects(result), undefined, tally)),

    listSessions: (node, page, options) =>
      caller.readPage({ endpoint: endpoints.listSessions, params: { node }, ...options }, page, (list, tally) => sessions(list, node, tally)),
    getNodeSession: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeSession, params: { node, clientId }, ...options }, (result, tally) =>
        sessions(decode.decodeObjects(result), node, tally)),
    getSession: (clientId, options) =>
      caller.read({ endpoint: endpoints.getSession, params: { clientId }, ...options }, (result, tally) =>
        sessions(decode.decodeObjects(result), undefined, tally)),

    listSubscriptions: (node, page, options) =>
      caller.readPage({ endpoint: endpoints.listSubscriptions, params: { node }, ...options }, page, (list, tally) => decode.decodeSubscriptions(list, node, tally)),
    async getNodeSubscriptions(node, clientId, options = {}) {
      await caller.require('nodeSubscriptionsOfClient', options);
      return caller.read({ endpoint: endpoints.getNodeSubscriptions, params: { node, clientId }, ...options }, (result, tally) =>
        decode.decodeSubscriptions(decode.decodeObjects(result), node, tally));
    },
    getSubscriptions: (clientId, options) =>
      caller.read({ endpoint: endpoints.getSubscriptions, params: { clientId }, ...options }, (result, tally) =>
        decode.decodeSubscriptions(decode.decodeObjects(result), undefined, tally)),

    listRoutes: (page, options) =>
      caller.readPage({ endpoint: endpoints.listRoutes, params: {}, ...options }, page, decode.decodeRoutes),
    getRoutes: (topic, options) =>
      caller.read({ endpoint: endpoints.getRoutes, params: { topic }, ...options }, (result, tally) =>
        decode.decodeRoutes(decode.decodeObjects(result), tally)),

    listPlugins: (node, options) =>
      caller.read({ endpoint: endpoints.listPlugins, params: { node }, ...options }, decode.decodePlugins),

    async listSettings(options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.listSettings, params: {}, ...options }, (result, tally) =>
        decodeByNode(result, 'settings', (part) => decode.decodeSettings(part, tally)));
    },
    async getSettings(node, options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.getSettings, params: { node }, ...options }, decode.decodeSettings);
    },
    async getPluginSettings(node, plugin, options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.getPluginSettings, params: { node, plugin }, ...options }, decode.decodePluginSettings);
    },

    async listAlarms(node, options) {
      if (withoutAlarms !== undefined) throw withoutAlarms;
      try {
        return await caller.read({ endpoint: unspecifiedEndpoints.listAlarms, params: { node }, ...options }, decode.decodeAlarms);
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        withoutAlarms = new NotAvailableError('alarms', { request: error.request, cause: error });
        throw withoutAlarms;
      }
    },

    listUsers: (options) => caller.read({ endpoint: endpoints.listUsers, params: {}, ...options }, decode.decodeUsers),
  };
}
