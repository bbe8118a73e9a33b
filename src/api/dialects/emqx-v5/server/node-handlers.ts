import type { ServedApi } from '../../../dialect.ts';
import type { CallOptions } from '../../../management-api.ts';
import type { Metrics } from '../../../../domain/metrics.ts';
import type { NodeName } from '../../../../domain/node.ts';
import { invalid, nodeNotFound, ok, RefusalError, type WireRecord, emptyOk } from './answer.ts';
import { required, runningNodes } from '../../../server/served-calls.ts';
import { ofNode } from './context.ts';
import {
  encodeListener,
  encodeListenerSettings,
  encodeMetrics,
  encodeNode,
  encodeStats,
  type NodeListener,
  sumRecords,
  sumStats,
} from './encode.ts';
import { type Handler, readBoolean, readInteger, type ServedRequest } from './query.ts';
import type { V5Profile } from './profiles.ts';
import { createRates } from './rates.ts';
import type { Route } from '../../../server/router.ts';

export interface NodeRoutes {
  readonly routes: readonly Route<Handler>[];
  close(): void;
}

/** Serves nodes, figures and listeners. */
export function nodeRoutes(
  api: ServedApi,
  { releaseOf }: Pick<V5Profile, 'releaseOf'>,
  self: NodeName | undefined,
): NodeRoutes {
  let maxSessions = 0;
  const clusterSessions = async (options: CallOptions): Promise<{ readonly count: number; readonly max: number }> => {
    const nodes = await api.listStats(options);
    const count = [...nodes.values()].reduce((sum, { sessions }) => sum + (sessions.count ?? 0), 0);
    maxSessions = Math.max(maxSessions, count);
    return { count, max: maxSessions };
  };

  const nodeRows = async (options: CallOptions): Promise<readonly WireRecord[]> => {
    const [infos, all, stats, sessions] = await Promise.all([
      api.listNodes(options),
      api.listNodeStats(options),
      api.listStats(options),
      clusterSessions(options),
    ]);
    return all.map((figures) =>
      encodeNode(
        {
          info: infos.find(({ name }) => name === figures.name),
          stats: figures,
          sessions: stats.get(figures.name)?.sessions.count ?? 0,
          clusterSessions: sessions.count,
        },
        releaseOf,
      ),
    );
  };

  const nodeRow: Handler = async ({ param, options }) => {
    const node = param('node');
    const found = (await nodeRows(options)).find((row) => row['node'] === node && row['node_status'] === 'running');
    if (found === undefined) throw nodeNotFound(node);
    return ok(found);
  };

  const statsOf: Handler = async ({ param, options }) => {
    const node = param('node');
    return ok(encodeStats(await ofNode(node, api.getStats(node, options)), await clusterSessions(options)));
  };

  const stats: Handler = async ({ query, options }) => {
    const isAggregate = readBoolean(query, 'aggregate') === true;
    const sessions = await clusterSessions(options);
    const rows = [...(await api.listStats(options))].map(([node, figures]) => ({
      node,
      record: encodeStats(figures, sessions),
    }));
    return ok(
      isAggregate ? sumStats(rows.map(({ record }) => record)) : rows.map(({ node, record }) => ({ ...record, node })),
    );
  };

  const metricsByNode = async (options: CallOptions): Promise<ReadonlyMap<string, Metrics>> => {
    const figures = await api.listMetrics(options);
    return figures.kind === 'by-node' ? figures.nodes : new Map();
  };

  const metrics: Handler = async ({ query, options }) => {
    const isAggregate = readBoolean(query, 'aggregate') === true;
    const wanted = query.get('node');
    const rows = [...(await metricsByNode(options))].filter(([node]) => wanted === null || node === wanted);
    if (wanted !== null && rows.length === 0) throw nodeNotFound(wanted);
    return ok(
      isAggregate
        ? sumRecords(rows.map(([, figures]) => encodeMetrics(figures)))
        : rows.map(([node, figures]) => ({ ...encodeMetrics(figures), node })),
    );
  };

  const metricsOf: Handler = async ({ param, options }) => {
    const node = param('node');
    return ok(encodeMetrics(await ofNode(node, api.getMetrics(node, options))));
  };

  const gauges = (rows: readonly WireRecord[]): WireRecord => {
    const total = sumStats(rows);
    return {
      connections: total['connections.count'] ?? 0,
      live_connections: total['live_connections.count'] ?? 0,
      subscriptions: total['subscriptions.count'] ?? 0,
      topics: total['topics.count'] ?? 0,
      retained_msg_count: total['retained.count'] ?? 0,
      shared_subscriptions: total['subscriptions.shared.count'] ?? 0,
    };
  };
  const rates = createRates({
    readMetrics: () => metricsByNode({}),
    async readGauges() {
      const sessions = await clusterSessions({});
      return new Map([...(await api.listStats({}))].map(([node, figures]) => [node, encodeStats(figures, sessions)]));
    },
    sum: gauges,
  });
  const history =
    (nodeIn: (request: ServedRequest) => string | undefined): Handler =>
    async (request) => {
      const node = nodeIn(request);
      if (node !== undefined) await ofNode(node, api.getNode(node, request.options));
      return ok(rates.history(node, readInteger(request.query, 'latest', 3_600, 604_800, '1..604800')));
    };
  const monitorCurrent: Handler = async ({ options }) => {
    const sessions = await clusterSessions(options);
    const rows = [...(await api.listStats(options)).values()].map((figures) => encodeStats(figures, sessions));
    return ok({ ...rates.read(undefined), ...gauges(rows) });
  };
  const monitorCurrentOf: Handler = async ({ param, options }) => {
    const node = param('node');
    const [figures, info, sessions] = await Promise.all([
      ofNode(node, api.getStats(node, options)),
      ofNode(node, api.getNode(node, options)),
      clusterSessions(options),
    ]);
    return ok({
      ...rates.read(node),
      ...gauges([encodeStats(figures, sessions)]),
      node_uptime: Math.round((info.uptimeSeconds ?? 0) * 1000),
    });
  };

  const cluster: Handler = async ({ options }) => {
    const nodes = await runningNodes(api, options);
    return ok({ name: 'brokertop', nodes, self: self ?? nodes[0] });
  };

  const listenersById = async (options: CallOptions): Promise<ReadonlyMap<string, readonly NodeListener[]>> => {
    const byId = new Map<string, NodeListener[]>();
    for (const [node, listeners] of await api.listListeners(options)) {
      // Those without an id are not for clients.
      for (const listener of listeners)
        if (listener.id !== undefined) byId.set(listener.id, [...(byId.get(listener.id) ?? []), { node, listener }]);
    }
    return byId;
  };
  const listenerOf = async (id: string, options: CallOptions): Promise<readonly NodeListener[]> => {
    if (!/^[a-z]+:.+$/u.test(id)) throw invalid('id', `{invalid_listener_id,${id}}`, id);
    const parts = (await listenersById(options)).get(id);
    if (parts === undefined) throw new RefusalError(404, 'BAD_LISTENER_ID', 'Listener id not found');
    return parts;
  };
  const listeners: Handler = async ({ query, options }) => {
    const type = query.get('type');
    const all = [...(await listenersById(options))].filter(([id]) => type === null || id.startsWith(`${type}:`));
    return ok(all.map(([id, parts]) => encodeListener(id, parts)));
  };
  const setListener =
    (isStopped: boolean, isStarted: boolean): Handler =>
    async ({ param, options }) => {
      const id = param('id');
      await listenerOf(id, options);
      if (isStopped) await required(api.stopListener, 'stopListener')(id, options);
      if (isStarted) await required(api.startListener, 'startListener')(id, options);
      return emptyOk;
    };

  return {
    close: rates.close,
    routes: [
      { method: 'GET', pattern: '/nodes', handler: async ({ options }) => ok(await nodeRows(options)) },
      { method: 'GET', pattern: '/nodes/:node', handler: nodeRow },
      { method: 'GET', pattern: '/nodes/:node/stats', handler: statsOf },
      { method: 'GET', pattern: '/nodes/:node/metrics', handler: metricsOf },
      { method: 'GET', pattern: '/stats', handler: stats },
      { method: 'GET', pattern: '/metrics', handler: metrics },
      { method: 'GET', pattern: '/monitor_current', handler: monitorCurrent },
      { method: 'GET', pattern: '/monitor_current/nodes/:node', handler: monitorCurrentOf },
      { method: 'GET', pattern: '/monitor', handler: history(() => undefined) },
      { method: 'GET', pattern: '/monitor/nodes/:node', handler: history(({ param }) => param('node')) },
      { method: 'GET', pattern: '/cluster', handler: cluster },
      { method: 'GET', pattern: '/listeners', handler: listeners },
      {
        method: 'GET',
        pattern: '/listeners/:id',
        handler: async ({ param, options }) =>
          ok(encodeListenerSettings(param('id'), await listenerOf(param('id'), options))),
      },
      { method: 'POST', pattern: '/listeners/:id/start', handler: setListener(false, true) },
      { method: 'POST', pattern: '/listeners/:id/stop', handler: setListener(true, false) },
      { method: 'POST', pattern: '/listeners/:id/restart', handler: setListener(true, true) },
    ],
  };
}
