import type { AccessBackend, AccessBackendOnNode } from '../../../../domain/access.ts';
import {
  type Integration,
  type IntegrationCounters,
  lostOf,
  type StartableKind,
} from '../../../../domain/integrations.ts';
import type { NodeName } from '../../../../domain/node.ts';
import type { ServedApi } from '../../../dialect.ts';
import { BrokerError } from '../../../errors.ts';
import type { CallOptions } from '../../../management-api.ts';
import { noContent, ok, RefusalError, type WireRecord } from './answer.ts';
import { required } from '../../../server/served-calls.ts';
import { pageAnswer } from './pages.ts';
import { bodyOf, type Handler, optionalFlag, readPage } from './query.ts';
import type { Route } from '../../../server/router.ts';

const split = (id: string): { readonly type: string; readonly name: string } => {
  const [type = '', ...name] = id.split(':');
  return { type, name: name.join(':') };
};

const actionMetrics = ({ lost, ...counters }: IntegrationCounters): WireRecord => {
  const { failed = 0, ...dropped } = lost;
  return {
    emqx_action_matched: counters.matched,
    emqx_action_success: counters.succeeded,
    emqx_action_failed: failed,
    emqx_action_dropped: lostOf({ lost: dropped }) ?? 0,
    emqx_action_dropped_expired: lost.expired ?? 0,
    emqx_action_dropped_queue_full: lost['queue-full'] ?? 0,
    emqx_action_dropped_resource_stopped: lost.stopped ?? 0,
    emqx_action_dropped_resource_not_found: lost['not-found'] ?? 0,
    emqx_action_dropped_other: lost.other ?? 0,
    emqx_action_retried: counters.retried,
    emqx_action_queuing: counters.queued,
    emqx_action_inflight: counters.inflight,
  };
};

const ruleMetrics = ({ matched, succeeded, lost: { exception = 0 } }: IntegrationCounters): WireRecord => ({
  emqx_rule_matched: matched,
  emqx_rule_passed: succeeded,
  emqx_rule_failed: exception,
  emqx_rule_failed_exception: exception,
  emqx_rule_failed_no_result: 0,
});

/** Encodes counters as for a scraper: a row for each part and node. */
const encodeMetrics = (
  parts: readonly Integration[],
  encode: (counters: IntegrationCounters) => WireRecord,
): readonly WireRecord[] =>
  parts.flatMap(({ id, nodes }) =>
    [...nodes].flatMap(([node, { counters }]) => (counters === undefined ? [] : [{ id, node, ...encode(counters) }])),
  );

function encodeStates({ nodes }: Integration): WireRecord {
  const states = [...nodes].map(([node, { status, reason }]) => ({ node, status, status_reason: reason }));
  const statuses = new Set(states.map(({ status }) => status));
  const down = states.find(({ status }) => status !== 'connected');
  return {
    node_status: states,
    status: statuses.size === 1 ? states[0]?.status : 'inconsistent',
    status_reason: down?.status_reason,
  };
}

const encodePart = (part: Integration, rules: readonly Integration[]): WireRecord => ({
  ...split(part.id),
  enable: part.isEnabled,
  ...encodeStates(part),
  rules: rules.filter(({ actions = [] }) => actions.includes(part.id)).map(({ id }) => id),
});

const encodeConnector = (connector: Integration, parts: readonly Integration[]): WireRecord => {
  const namesOf = (kind: Integration['kind']): readonly string[] =>
    parts.filter((part) => part.kind === kind && part.connector === connector.id).map(({ id }) => split(id).name);
  return {
    ...split(connector.id),
    enable: connector.isEnabled,
    ...encodeStates(connector),
    actions: namesOf('action'),
    sources: namesOf('source'),
  };
};

const encodeRule = ({ id, name, sql, actions, isEnabled }: Integration): WireRecord => ({
  id,
  name,
  sql,
  actions,
  enable: isEnabled,
  from: [...(sql ?? '').matchAll(/"([^"]+)"/gu)].map(([, topic]) => topic),
});

function requireAllNodes(query: URLSearchParams): void {
  if (query.get('mode') !== 'all_nodes_unaggregated')
    throw new RefusalError(400, 'BAD_REQUEST', 'This broker serves mode=all_nodes_unaggregated only');
}

/** The names of plugins, as the broker that has them would call what they do. */
const backendIds: Readonly<Record<string, string>> = { auth_http: 'http', auth_username: 'built_in_database' };

const encodeAuthn = (id: string, { isEnabled, isConnected, counters }: AccessBackendOnNode): WireRecord => ({
  id: `password_based:${backendIds[id] ?? id}`,
  emqx_authn_enable: isEnabled === true ? 1 : 0,
  emqx_authn_status: isConnected === true ? 1 : 0,
  emqx_authn_total: counters.asked,
  emqx_authn_success: counters.accepted,
  emqx_authn_failed: counters.refused,
  emqx_authn_nomatch: counters.undecided,
});

const encodeAuthz = (id: string, { isEnabled, isConnected, counters }: AccessBackendOnNode): WireRecord => ({
  type: backendIds[id] ?? id,
  emqx_authz_enable: isEnabled === true ? 1 : 0,
  emqx_authz_status: isConnected === true ? 1 : 0,
  emqx_authz_total: counters.asked,
  emqx_authz_allow: counters.accepted,
  emqx_authz_deny: counters.refused,
  emqx_authz_nomatch: counters.undecided,
});

/** Serves connectors, actions, sources and rules, without their configuration, and what decides about access. */
export function integrationRoutes(api: ServedApi): readonly Route<Handler>[] {
  const list = (options: CallOptions): Promise<readonly Integration[]> =>
    required(api.listIntegrations, 'listIntegrations')(options);
  const ofKind = async (kind: Integration['kind'], options: CallOptions): Promise<readonly Integration[]> =>
    (await list(options)).filter((part) => part.kind === kind);

  const metrics: Handler = async ({ query, options }) => {
    const all = await list(options);
    const wanted = (kind: Integration['kind']): readonly Integration[] => all.filter((part) => part.kind === kind);
    requireAllNodes(query);
    const isConnected = (part: Integration, node: NodeName): number =>
      part.nodes.get(node)?.status === 'connected' ? 1 : 0;
    return ok({
      actions: encodeMetrics(wanted('action'), actionMetrics),
      rules: encodeMetrics(wanted('rule'), ruleMetrics),
      connectors: wanted('connector').flatMap((part) =>
        [...part.nodes.keys()].map((node) => ({
          id: part.id,
          node,
          emqx_connector_enable: part.isEnabled === true ? 1 : 0,
          emqx_connector_status: isConnected(part, node),
        })),
      ),
      data_integration_overview: {
        emqx_rules_count: wanted('rule').length,
        emqx_actions_count: wanted('action').length + wanted('source').length,
        emqx_connectors_count: wanted('connector').length,
      },
    });
  };
  const connectors: Handler = async ({ options }) => {
    const all = await list(options);
    return ok(all.filter(({ kind }) => kind === 'connector').map((part) => encodeConnector(part, all)));
  };
  const parts =
    (kind: 'action' | 'source'): Handler =>
    async ({ options }) => {
      const rules = await ofKind('rule', options);
      return ok((await ofKind(kind, options)).map((part) => encodePart(part, rules)));
    };
  const rules: Handler = async ({ query, options }) => {
    const page = readPage(query);
    const all = await ofKind('rule', options);
    const start = (page.page - 1) * page.pageSize;
    const items = all.slice(start, start + page.pageSize);
    return pageAnswer({ items, count: all.length, hasNext: start + items.length < all.length }, page, encodeRule);
  };
  const start =
    (kind: StartableKind, what: string): Handler =>
    async ({ param, options }) => {
      const { type, name } = split(param('id'));
      try {
        await required(api.startIntegration, 'startIntegration')(kind, param('id'), options);
      } catch (error) {
        if (!(error instanceof BrokerError) || error.kind !== 'does-not-exist') throw error;
        const noun = what.toLowerCase();
        throw new RefusalError(
          404,
          'NOT_FOUND',
          `${what} lookup failed: ${noun} named '${name}' of type ${type} does not exist.`,
        );
      }
      return noContent;
    };
  const changeRule: Handler = async ({ param, body, options }) => {
    const isEnabled = optionalFlag(bodyOf({ body }), 'enable');
    if (isEnabled !== undefined) await required(api.setRuleEnabled, 'setRuleEnabled')(param('id'), isEnabled, options);
    const rule = (await ofKind('rule', options)).find(({ id }) => id === param('id'));
    if (rule === undefined) throw new RefusalError(404, 'NOT_FOUND', 'Rule Id Not Found');
    return ok(encodeRule(rule));
  };

  const access: Handler = async ({ query, options }) => {
    requireAllNodes(query);
    const all = await required(api.listAccessBackends, 'listAccessBackends')(options);
    const rowsOf = (purpose: AccessBackend['purpose'], encode: typeof encodeAuthn): readonly WireRecord[] =>
      all
        .filter((backend) => backend.purpose === purpose)
        .flatMap(({ id, nodes }) => [...nodes].map(([node, state]) => ({ node, ...encode(id, state) })));
    return ok({
      emqx_authn: rowsOf('authentication', encodeAuthn),
      emqx_authz: rowsOf('authorization', encodeAuthz),
    });
  };

  return [
    { method: 'GET', pattern: '/prometheus/auth', handler: access },
    { method: 'GET', pattern: '/prometheus/data_integration', handler: metrics },
    { method: 'GET', pattern: '/connectors', handler: connectors },
    { method: 'GET', pattern: '/actions', handler: parts('action') },
    { method: 'GET', pattern: '/actions_summary', handler: parts('action') },
    { method: 'GET', pattern: '/sources', handler: parts('source') },
    { method: 'GET', pattern: '/sources_summary', handler: parts('source') },
    { method: 'GET', pattern: '/rules', handler: rules },
    { method: 'POST', pattern: '/connectors/:id/start', handler: start('connector', 'Connector') },
    { method: 'POST', pattern: '/actions/:id/start', handler: start('action', 'Bridge') },
    { method: 'POST', pattern: '/sources/:id/start', handler: start('source', 'Bridge') },
    { method: 'PUT', pattern: '/rules/:id', handler: changeRule },
  ];
}
