import { type ApiError, asApiError, isForbidden, isNotOffered } from '../../api/errors.ts';
import type { CallOptions, PageRequest, ReadApi } from '../../api/management-api.ts';
import type { NodeName } from '../../domain/node.ts';
import type { nouns } from '../../resources/nouns.ts';

/** One row is enough to know that the list may be read. */
const firstRow: PageRequest = { page: 1, pageSize: 1 };

type Probe = (api: ReadApi, node: NodeName, options: CallOptions) => Promise<unknown> | undefined;

/** The cheapest request for each noun. Without a result, the API does not offer it. */
const probes: Readonly<Record<keyof typeof nouns, Probe>> = {
  nodes: (api, _, options) => api.listNodeStats(options),
  listeners: (api, node, options) => api.getListeners(node, options),
  clients: (api, node, options) => api.listClients(node, firstRow, options),
  sessions: (api, node, options) => api.listSessions(node, firstRow, options),
  subscriptions: (api, node, options) => api.listSubscriptions(node, firstRow, options),
  routes: (api, _, options) => api.listRoutes(firstRow, options),
  plugins: (api, node, options) => api.listPlugins(node, options),
  settings: (api, node, options) => api.getSettings(node, options),
  bans: (api, _, options) => api.listBans?.(firstRow, options),
  users: (api, _, options) => api.listUsers(options),
  'api-keys': (api, _, options) => api.listApiKeys?.(options),
  alarms: (api, node, options) => api.listAlarms?.(node, options),
  'ended-alarms': (api, _, options) => api.listEndedAlarms?.(firstRow, options),
  retained: (api, _, options) => api.listRetained?.(undefined, firstRow, options),
  'slow-subscriptions': (api, _, options) => api.listSlowSubscriptions?.(options),
  'access-backends': (api, _, options) => api.listAccessBackends?.(options),
  integrations: (api, _, options) => api.listIntegrations?.(options),
  traces: (api, _, options) => api.listTraces?.(options),
  statistics: (api, node, options) => api.getStats(node, options),
  'cluster-views': (api, _, options) => api.getClusterView?.(options),
  metrics: (api, _, options) => api.listMetrics(options),
  'node-metrics': (api, node, options) => api.getMetrics(node, options),
};

export interface AllowedReads {
  readonly allowed: readonly string[];
  readonly forbidden: readonly string[];
  readonly failed: readonly { readonly what: string; readonly error: ApiError }[];
}

/** Asks for each noun once, and tells what the login may read. What the API does not offer is left out. */
export async function findAllowedReads(api: ReadApi, node: NodeName, options: CallOptions): Promise<AllowedReads> {
  const allowed: string[] = [];
  const forbidden: string[] = [];
  const failed: { readonly what: string; readonly error: ApiError }[] = [];
  for (const [id, probe] of Object.entries(probes)) {
    const what = id.replaceAll('-', ' ');
    try {
      const answer = probe(api, node, options);
      if (answer === undefined) continue;
      await answer;
      allowed.push(what);
    } catch (thrown) {
      const error = asApiError(thrown);
      if (isForbidden(error)) forbidden.push(what);
      else if (!isNotOffered(error)) failed.push({ what, error });
    }
  }
  return { allowed, forbidden, failed };
}
