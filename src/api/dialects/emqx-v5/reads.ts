import type { Alarm } from '../../../domain/administration.ts';
import type { Client, Session, Subscription } from '../../../domain/client.ts';
import type { Integration } from '../../../domain/integrations.ts';
import type { NodeName } from '../../../domain/node.ts';
import { BadAnswerError, BrokerError, NotFoundError, NotSupportedError, RefusedError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import type { CallOptions, Page, PageRequest, ReadApi } from '../../management-api.ts';
import type { Caller, ReadOptions } from '../caller.ts';
import type { ClusterReads, KnownCluster } from './cluster.ts';
import { decodeAccessBackends } from './decode-access.ts';
import * as parts from './decode-integrations.ts';
import * as lists from './decode-lists.ts';
import { decodeClusterView, decodeListeners, decodeLoadHistory, decodeMetrics, decodeStats } from './decode-nodes.ts';
import { buildQuery, isDotSegment } from '../endpoints.ts';
import { decodeRows, Fields, parseDurationMs } from '../fields.ts';
import { endpoints, pageQuery } from './paths.ts';
import { UnusableTally } from '../records.ts';
import { SharedReads } from '../shared-reads.ts';
import { patienceMs } from '../silent-nodes.ts';
import { v5Texts } from './texts.ts';

/** The largest page of rows that have all their fields, as before 5.6. Before 5.5, larger pages are refused. */
const maxWholeRows = 1_000;

/** A list of plugins serves the reads of other nodes, which follow each other, for so long. */
const pluginsMs = 1_000;

const alarmPage: PageRequest = { page: 1, pageSize: 1_000 };
const maxAlarmPages = 10;
const maxRulePages = 10;
const maxMessagesOfPage = 100;
/** The query of a page of messages, which the broker also ends after a number of bytes. */
const messagePage = { payload: 'base64', max_payload_bytes: 65_536 } as const;

/** Reads where a page of messages begins, and for how many messages to ask. */
const pageStart = (from: string | undefined): { readonly limit: number; readonly position: string | undefined } => {
  const [, limit, position] = /^(\d+) (.*)$/su.exec(from ?? '') ?? [];
  return { limit: limit === undefined ? maxMessagesOfPage : Number(limit), position };
};

/** Limits a search by a part of the ID. */
const maxSearchPages = 20;

const lacks = (task: string) => (): Promise<never> => Promise.reject(new NotSupportedError(task));

const kindOf = (error: unknown): string | undefined => (error instanceof BrokerError ? error.kind : undefined);

/** Returns `fallback` instead of an error of these kinds, as for an object that does not exist. */
async function withFallback<T, F>(reading: Promise<T>, kinds: readonly string[], fallback: F): Promise<T | F> {
  try {
    return await reading;
  } catch (error) {
    if (kinds.includes(kindOf(error) ?? '')) return fallback;
    throw error;
  }
}

export function createReads(caller: Caller, cluster: ClusterReads, known: KnownCluster): ReadApi {
  const rows = new SharedReads<readonly unknown[]>();

  const fieldsOf = (names: readonly string[]): { readonly fields?: string } =>
    known.isAtLeast(5, 6) ? { fields: names.join(',') } : {};
  const sized = ({ page, pageSize }: PageRequest): PageRequest => ({
    page,
    pageSize: known.isAtLeast(5, 6) ? pageSize : Math.min(pageSize, maxWholeRows),
  });

  function listRows<T>(
    node: NodeName,
    names: readonly string[],
    query: Readonly<Record<string, string | undefined>>,
    page: PageRequest,
    options: CallOptions | undefined,
    decode: (fields: Fields) => T | undefined,
  ): Promise<Page<T>> {
    cluster.requireNode(node);
    return caller.readPage(
      endpoints.listClients.build({}),
      { node, ...query, ...fieldsOf(names) },
      sized(page),
      options,
      decode,
    );
  }

  const ofId =
    (clientId: string) =>
    (row: unknown): boolean =>
      isObject(row) && row['clientid'] === clientId;

  /** A client and its session are one record: both reads share a request. */
  function readClient(clientId: string, options: CallOptions | undefined): Promise<readonly unknown[]> {
    return rows.read(clientId, options, async (shared) => {
      const deadlineMs = cluster.deadlineMs;
      // These ids cannot be sent in a path.
      if (isDotSegment(clientId)) return searchClient(clientId, { ...shared, deadlineMs });
      return withFallback(
        caller.read(endpoints.getClient.build({ clientId }), { ...shared, deadlineMs }, (body): readonly unknown[] => {
          if (!ofId(clientId)(body)) throw new BadAnswerError(v5Texts.otherObject);
          return [body];
        }),
        ['not-connected'],
        [],
      );
    });
  }

  /** Searches a client. Before 5.6, `clientid` is ignored: the answer would be the first clients of the broker. */
  async function searchClient(clientId: string, options: ReadOptions): Promise<readonly unknown[]> {
    const filter = known.isAtLeast(5, 6) ? { clientid: clientId } : { like_clientid: clientId };
    for (let page = 1; page <= maxSearchPages; page += 1) {
      const request = { page, pageSize: maxWholeRows };
      const { rows: found, head } = await caller.read(
        endpoints.listClients.build({}) + buildQuery({ ...filter, ...pageQuery(request) }),
        options,
        (body) => lists.openPage(body, request),
      );
      const own = found.filter(ofId(clientId));
      if (own.length > 0 || head.hasNext !== true) return own;
    }
    throw new RefusedError(v5Texts.tooManyAlike);
  }

  async function getClient(clientId: string, options: CallOptions | undefined): Promise<readonly Client[]> {
    const found = decodeRows(await readClient(clientId, options), 'client', (fields) => ({
      client: lists.toClient(fields),
      isConnected: lists.isConnected(fields),
    }));
    return found.flatMap(({ client, isConnected }) => (client === undefined || isConnected === false ? [] : [client]));
  }

  const getSession = async (clientId: string, options: CallOptions | undefined): Promise<readonly Session[]> =>
    decodeRows(await readClient(clientId, options), 'session', lists.toSession);

  /** Keeps rows of a node: reads are by ID, as every release can, and each row names its node. */
  const onNode = <T extends { readonly node: NodeName | undefined }>(
    node: NodeName,
    items: readonly T[],
  ): readonly T[] => items.filter((item) => item.node === node);

  const withId = <T extends { readonly clientId: string }>(clientId: string, items: readonly T[]): readonly T[] =>
    items.filter((item) => item.clientId === clientId);

  async function getSubscriptions(
    clientId: string,
    options: CallOptions | undefined,
  ): Promise<readonly Subscription[]> {
    if (isDotSegment(clientId)) {
      const { items } = await caller.readPage(
        endpoints.listSubscriptions.build({}),
        { clientid: clientId },
        { page: 1, pageSize: 1_000 },
        options,
        lists.toSubscription,
      );
      return withId(clientId, items);
    }
    return withFallback(
      caller.read(
        endpoints.listClientSubscriptions.build({ clientId }),
        { ...options, deadlineMs: cluster.deadlineMs },
        (body, { tally }) => {
          const items = decodeRows(body, 'subscriptions', lists.toSubscription, tally);
          if (withId(clientId, items).length < items.length) throw new BadAnswerError(v5Texts.otherObject);
          return items;
        },
      ),
      ['not-connected'],
      [],
    );
  }

  /** Lists actions or sources, without their configuration where the release can. */
  async function listParts(
    kind: 'action' | 'source',
    connectors: readonly parts.ConnectorRow[],
    figures: parts.IntegrationFigures['actions'],
    options: ReadOptions,
  ): Promise<readonly Integration[]> {
    const read = (path: string): Promise<readonly Integration[]> =>
      caller.read(path, options, (body, { tally }) => parts.decodeParts(body, kind, connectors, figures, tally));
    const [summaries, whole] =
      kind === 'action'
        ? [endpoints.listActionSummaries, endpoints.listActions]
        : [endpoints.listSourceSummaries, endpoints.listSources];
    if (!known.lacksSummaries) {
      try {
        return await read(summaries.build({}));
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        known.lacksSummaries = true;
      }
    }
    return read(whole.build({}));
  }

  async function listRules(
    figures: parts.IntegrationFigures['rules'],
    options: ReadOptions,
  ): Promise<readonly Integration[]> {
    const rules: Integration[] = [];
    for (let page = 1; page <= maxRulePages; page += 1) {
      const { items, hasNext } = await caller.readPage(
        endpoints.listRules.build({}),
        {},
        { page, pageSize: maxWholeRows },
        options,
        parts.toRule(figures),
      );
      rules.push(...items);
      if (hasNext !== true) break;
    }
    return rules;
  }

  function requireLogin(what: string): void {
    if (!caller.hasToken) throw new NotSupportedError(what, {}, v5Texts.loginNeeded(what));
  }

  return {
    listNodes: async (options) =>
      (await cluster.rows('info', options)).filter(({ info }) => info.status !== 'stopped').map(({ info }) => info),
    getNode: async (node, options) => (await cluster.row(node, options)).info,
    listNodeStats: async (options) => (await cluster.rows('stats', options)).map(({ stats }) => stats),
    getNodeStats: async (node, options) => (await cluster.row(node, options)).stats,

    getClusterView: (options) =>
      caller.read(endpoints.getCluster.build({}), { ...options, deadlineMs: patienceMs }, decodeClusterView),

    listListeners: async (options) =>
      caller.read(endpoints.listListeners.build({}), cluster.waiting(options), (body, { tally }) =>
        decodeListeners(body, tally),
      ),
    getListeners: async (node, options) =>
      caller.read(
        endpoints.listListeners.build({}),
        cluster.waiting(options),
        (body, { tally }) => decodeListeners(body, tally).get(node) ?? [],
      ),

    listMetrics: async (options) => ({
      kind: 'by-node',
      nodes: await cluster.figures(
        { all: endpoints.listMetrics.build({}), of: (node) => endpoints.getNodeMetrics.build({ node }) },
        options,
        'metrics',
        decodeMetrics,
      ),
    }),
    async getMetrics(node, options) {
      cluster.requireNode(node);
      return caller.read(endpoints.getNodeMetrics.build({ node }), options, decodeMetrics);
    },
    listLoadHistory: (seconds, options) =>
      caller.read(
        endpoints.listLoadHistory.build({}) + buildQuery({ latest: seconds }),
        cluster.waiting(options),
        (body, { tally, sentAt }) => decodeLoadHistory(body, sentAt, tally),
      ),
    listStats: (options) =>
      cluster.figures(
        { all: endpoints.listStats.build({}), of: (node) => endpoints.getNodeStats.build({ node }) },
        options,
        'statistics',
        decodeStats,
      ),
    async getStats(node, options) {
      cluster.requireNode(node);
      return caller.read(endpoints.getNodeStats.build({ node }), options, decodeStats);
    },

    listClients: async (node, page, options) =>
      listRows(node, lists.clientFields, { conn_state: 'connected' }, page, options, lists.toClient),
    async getNodeClient(node, clientId, options) {
      cluster.requireNode(node);
      return onNode(node, await getClient(clientId, options));
    },
    getClient,
    searchClients: ({ clientId, username, wholeUsername, ipAddress, node }, page, options) =>
      caller.readPage(
        endpoints.listClients.build({}),
        {
          node,
          like_clientid: clientId,
          like_username: username,
          username: wholeUsername,
          ip_address: ipAddress,
          conn_state: 'connected',
          ...fieldsOf(lists.clientFields),
        },
        sized(page),
        { ...options, deadlineMs: cluster.deadlineMs },
        lists.toClient,
      ),

    listSessions: async (node, page, options) =>
      listRows(node, lists.sessionFields, {}, page, options, lists.toSession),
    async getNodeSession(node, clientId, options) {
      cluster.requireNode(node);
      return onNode(node, await getSession(clientId, options));
    },
    getSession,

    async listSubscriptions(node, page, options) {
      cluster.requireNode(node);
      return caller.readPage(
        endpoints.listSubscriptions.build({}),
        { node },
        sized(page),
        options,
        lists.toSubscription,
      );
    },
    async getNodeSubscriptions(node, clientId, options) {
      cluster.requireNode(node);
      const { items } = await caller.readPage(
        endpoints.listSubscriptions.build({}),
        { node, clientid: clientId },
        { page: 1, pageSize: 1_000 },
        options,
        lists.toSubscription,
      );
      return withId(clientId, items);
    },
    getSubscriptions,

    listRoutes: (page, options) =>
      caller.readPage(endpoints.listTopics.build({}), {}, sized(page), options, lists.toRoute),
    async getRoutes(topic, options) {
      const { items } = await caller.readPage(
        endpoints.listTopics.build({}),
        { topic },
        { page: 1, pageSize: 1_000 },
        options,
        lists.toRoute,
      );
      return items;
    },

    async listPlugins(node, options) {
      const waiting = cluster.waiting(options);
      const { plugins } = known;
      const list =
        plugins !== undefined && performance.now() - plugins.atMs < pluginsMs
          ? plugins.list
          : await caller.read(endpoints.listPlugins.build({}), waiting, (body) =>
              Array.isArray(body) ? body : decodeRows(body, 'plugins', () => undefined),
            );
      if (list !== plugins?.list) known.plugins = { list, atMs: performance.now() };
      const tally = new UnusableTally();
      const found = decodeRows(list, 'plugins', lists.toPlugin(node), tally);
      if (tally.rows !== undefined) options?.onUnusable?.(tally.rows);
      return found;
    },

    listSettings: lacks('read or change settings'),
    getSettings: lacks('read or change settings'),
    getPluginSettings: lacks('read or change settings of plugins'),

    async listAlarms(_, options) {
      const alarms: Alarm[] = [];
      for (let page = 1; page <= maxAlarmPages; page += 1) {
        const { items, hasNext } = await caller.readPage(
          endpoints.listAlarms.build({}),
          {},
          { ...alarmPage, page },
          cluster.waiting(options),
          lists.toAlarm,
        );
        alarms.push(...items);
        if (hasNext !== true) break;
      }
      return alarms;
    },
    listEndedAlarms: async (page, options) =>
      caller.readPage(
        endpoints.listAlarms.build({}),
        { activated: false },
        page,
        cluster.waiting(options),
        lists.toAlarm,
      ),

    listBans: (page, options) => caller.readPage(endpoints.listBans.build({}), {}, sized(page), options, lists.toBan),

    async listAccessBackends(options) {
      known.require([5, 5], 'list access backends');
      return caller.read(
        endpoints.listAccessMetrics.build({}) + buildQuery({ mode: 'all_nodes_unaggregated' }),
        cluster.waiting(options),
        (body, { tally }) => decodeAccessBackends(body, tally),
      );
    },

    async listIntegrations(options) {
      known.require([5, 5], 'list integrations');
      const waiting = cluster.waiting(options);
      const figures = await caller.read(
        endpoints.listIntegrationMetrics.build({}) + buildQuery({ mode: 'all_nodes_unaggregated' }),
        waiting,
        parts.decodeIntegrationFigures,
      );
      const { counts } = figures;
      const connectors =
        counts.connectors === 0
          ? []
          : await caller.read(endpoints.listConnectors.build({}), waiting, (body, { tally }) =>
              parts.decodeConnectors(body, tally),
            );
      const having = (kind: 'actions' | 'sources'): boolean => connectors.some((each) => each[kind].length > 0);
      return [
        ...connectors.map(parts.connectorPart),
        ...(having('actions') ? await listParts('action', connectors, figures.actions, waiting) : []),
        ...(having('sources') ? await listParts('source', connectors, new Map(), waiting) : []),
        ...(counts.rules === 0 ? [] : await listRules(figures.rules, waiting)),
      ];
    },

    async listSlowSubscriptions(options) {
      const waiting = cluster.waiting(options);
      const [items, settings] = await Promise.all([
        caller.read(endpoints.listSlowSubscriptions.build({}), waiting, (body, { tally }) =>
          decodeRows(
            Fields.of(body, 'slow subscriptions').raw['data'],
            'slow subscriptions',
            lists.toSlowSubscription,
            tally,
          ),
        ),
        caller.read(endpoints.getSlowSettings.build({}), options, (body) => Fields.of(body, 'slow subscriptions')),
      ]);
      return {
        isEnabled: settings.flag('enable'),
        setting: 'slow_subs.enable',
        thresholdMs: parseDurationMs(settings.raw['threshold']),
        items: items.toSorted((a, b) => b.latencyMs - a.latencyMs),
      };
    },

    async listRetained(topic, page, options) {
      if (topic !== undefined) known.require([5, 5], 'search retained messages');
      return caller.readPage(endpoints.listRetained.build({}), { topic }, sized(page), options, lists.toRetained);
    },
    getRetained: async (topic, options) =>
      withFallback(
        caller.read(endpoints.getRetained.build({ topic }), options, (body) => {
          const message = lists.decodeRetained(body);
          if (message.topic !== topic) throw new BadAnswerError(v5Texts.otherObject);
          return message;
        }),
        ['does-not-exist'],
        undefined,
      ),

    async listSessionMessages(clientId, which, from, options) {
      known.require([5, 6], 'list the messages of a session');
      const endpoint = which === 'queue' ? endpoints.listQueue : endpoints.listInflight;
      const start = pageStart(from);
      const readPage = (limit: number) =>
        caller.read(
          endpoint.build({ clientId }) + buildQuery({ limit, ...messagePage, position: start.position }),
          { ...options, deadlineMs: cluster.deadlineMs },
          (body, { tally }) => lists.decodeSessionMessages(body, tally),
        );
      let { limit } = start;
      let page = await readPage(limit);
      // 5.6 to 6.0.3 go on after all messages that were asked for, also after those that did not fit.
      while (page.count > 0 && page.count < limit) {
        limit = page.count;
        page = await readPage(limit);
      }
      return {
        items: page.items,
        next: page.next === undefined ? undefined : `${Math.min(maxMessagesOfPage, 2 * limit)} ${page.next}`,
      };
    },

    listTraces: async (options) =>
      caller.read(endpoints.listTraces.build({}), cluster.waiting(options), (body, { tally }) =>
        decodeRows(body, 'traces', lists.toTrace, tally),
      ),
    readTrace: async (name, node, { from, maxBytes }, options) =>
      caller.read(
        endpoints.readTrace.build({ name }) + buildQuery({ node, position: from, bytes: maxBytes }),
        options,
        (body) => lists.decodeTraceText(body, from),
      ),

    listAclCache: async (clientId, options) =>
      withFallback(
        caller.read(
          endpoints.listAuthorizationCache.build({ clientId }),
          { ...options, deadlineMs: cluster.deadlineMs },
          (body, { tally }) => decodeRows(body, 'authorization cache', lists.toAclDecision, tally),
        ),
        ['not-connected'],
        [],
      ),

    async listApiKeys(options) {
      requireLogin(v5Texts.apiKeys);
      return caller.read(endpoints.listApiKeys.build({}), options, (body, { tally }) =>
        decodeRows(body, 'API keys', lists.toApiKey, tally),
      );
    },
    async listUsers(options) {
      requireLogin(v5Texts.users);
      return caller.read(endpoints.listUsers.build({}), options, (body, { tally }) =>
        decodeRows(
          body,
          'users',
          (fields) => {
            if (fields.text('role') !== undefined) known.hasRoles = true;
            return lists.toUser(fields);
          },
          tally,
        ),
      );
    },
  };
}
