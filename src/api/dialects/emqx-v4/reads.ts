import type { Alarm } from '../../../domain/administration.ts';
import type { Client, Session, Subscription } from '../../../domain/client.ts';
import type { Metrics } from '../../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats } from '../../../domain/node.ts';
import { BadAnswerError, BrokerError, NotFoundError, NotSupportedError, RefusedError } from '../../errors.ts';
import { isObject } from '../../json.ts';
import type { CallOptions, ClientSearch, Page, PageRequest, ReadApi } from '../../management-api.ts';
import type { AnswerDetails, Caller, ReadOptions } from '../caller.ts';
import type { Query } from '../endpoints.ts';
import { decodeRows, Fields } from '../fields.ts';
import { SharedReads } from '../shared-reads.ts';
import { answeredOf, type NodeAnswer, patienceMs } from '../silent-nodes.ts';
import * as lists from './decode-lists.ts';
import {
  absentInfo,
  absentStats,
  decodeByNode,
  decodeListeners,
  decodeMetrics,
  decodeStats,
  toNodeInfo,
  toNodeStats,
} from './decode-nodes.ts';
import type { KnownBroker, Offer } from './known-broker.ts';
import { endpoints } from './paths.ts';
import { v4Texts } from './texts.ts';

/** The largest page: a row has up to 55 values, and a response at most 200,000. */
const maxRows = 2_500;
const routePage: PageRequest = { page: 1, pageSize: 1_000 };

const lacks = (task: string) => (): Promise<never> => Promise.reject(new NotSupportedError(task));
const dataOf = (body: unknown): unknown => Fields.of(body, 'answer').raw['data'];

/** Limits a page. The broker would answer an empty one, with another behind it. @throws RefusedError */
function sized({ page, pageSize }: PageRequest): PageRequest {
  if (pageSize < 1) throw new RefusedError(v4Texts.emptyPage);
  return { page, pageSize: Math.min(pageSize, maxRows) };
}

/** Characters that have a meaning in a pattern, which searches take before 4.3.12. */
const special = /[$()*+.?[\\\]^{|}]/gu;
/** IDs that are the same in a path: NanoMQ decodes none. */
const plainId = /^[\w~-][\w.~-]*$/u;

export function createReads(caller: Caller, known: KnownBroker): ReadApi {
  const rows = new SharedReads<readonly unknown[]>();
  const context = (): lists.RowContext => ({
    times: known.zone,
    onlyNode: known.isNanoMq ? v4Texts.nanoMqNode : undefined,
  });

  /** Returns what the broker offers. @throws NotSupportedError for NanoMQ */
  async function ofEmqx(task: string, options: CallOptions | undefined): Promise<Offer> {
    const offer = await known.offer(caller, options);
    if (offer.isNanoMq) throw new NotSupportedError(task);
    return offer;
  }

  const withClock = (info: NodeInfo): NodeInfo =>
    info.clock === undefined ? info : { ...info, clock: known.zone.toBroker(info.clock) };

  function decodeInfos(body: unknown, { tally, sentAt }: AnswerDetails): readonly NodeInfo[] {
    const infos = decodeRows(dataOf(body), 'nodes', toNodeInfo, tally);
    known.zone.note(infos.find(({ clock }) => clock !== undefined)?.clock, sentAt);
    known.noteNodes(infos);
    return infos.map(withClock);
  }

  /** Decodes the node of a path. @throws BadAnswerError for another one */
  function decodeOne<T extends { readonly name: NodeName }>(
    node: NodeName,
    body: unknown,
    decode: (fields: Fields) => T | undefined,
  ): T {
    const row = decode(Fields.of(dataOf(body), 'node'));
    if (row?.name !== node) throw new BadAnswerError(v4Texts.otherObject);
    return row;
  }

  const namesFromRoutes = async (options: CallOptions | undefined): Promise<readonly NodeName[]> => {
    const { items } = await caller.readPage(
      endpoints.listRoutes.build({}),
      {},
      routePage,
      { signal: options?.signal, deadlineMs: patienceMs },
      lists.toRoute,
    );
    return [...new Set(items.map(({ node }) => node))];
  };

  /** Reads from all nodes, or node by node while one of them does not answer. */
  const ofAll = <T, One>(
    options: CallOptions | undefined,
    paths: { readonly all: string; readonly one: (node: NodeName) => string },
    decode: {
      readonly all: (body: unknown, details: AnswerDetails) => T;
      readonly one: (node: NodeName, body: unknown, details: AnswerDetails) => One;
      readonly join: (answers: ReadonlyMap<NodeName, NodeAnswer<One>>) => T;
    },
  ): Promise<T> =>
    known.read<T, One>({
      all: (deadlineMs) => caller.read(paths.all, { ...options, waitsForNodes: true, deadlineMs }, decode.all),
      one: (node, deadlineMs) =>
        caller.read(paths.one(node), { ...options, deadlineMs }, (body, details) => decode.one(node, body, details)),
      join: decode.join,
      names: () => namesFromRoutes(options),
    });

  async function noting<T extends NodeInfo | NodeStats>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
    const nodes = await reading;
    known.note(nodes.filter(({ status }) => status !== 'stopped').map(({ name }) => name));
    return nodes;
  }

  const joinNodes =
    <T>(absent: (name: NodeName, status: 'stopped' | 'other') => T) =>
    (answers: ReadonlyMap<NodeName, NodeAnswer<T>>): readonly T[] =>
      [...answers].map(([name, answer]) =>
        answer.kind === 'answered' ? answer.value : absent(name, answer.kind === 'stopped' ? 'stopped' : 'other'),
      );

  const figures = <T>(
    options: CallOptions | undefined,
    paths: { readonly all: string; readonly one: (node: NodeName) => string },
    [what, part]: readonly [what: string, part: string],
    decode: (value: unknown, details: AnswerDetails) => T,
  ): Promise<ByNode<T>> =>
    ofAll<ByNode<T>, T>(options, paths, {
      all: (body, details) => decodeByNode(dataOf(body), what, part, (value) => decode(value, details), details.tally),
      one: (_, body, details) => decode(dataOf(body), details),
      join: answeredOf,
    });

  /** Makes sure that epoch times can be converted: the first clock is read with the nodes. */
  async function requireClock(options: CallOptions | undefined): Promise<void> {
    if (known.zone.fromEpoch(0) === undefined) await reads.listNodes(options);
  }

  /** Reads all clients of NanoMQ, which has no pages. */
  async function readNanoMq(path: string, options: ReadOptions | undefined): Promise<readonly unknown[]> {
    return caller.read(path, options, (body) => {
      const list = dataOf(body);
      return Array.isArray(list) ? list : decodeRows(list, 'list', () => undefined);
    });
  }

  const ofId =
    (clientId: string) =>
    (row: unknown): boolean =>
      isObject(row) && lists.clientIdOf(new Fields(row)) === clientId;

  /** Reads the rows of an ID. @throws BadAnswerError for another object */
  const rowsOfId = (path: string, clientId: string, options: ReadOptions): Promise<readonly unknown[]> =>
    caller.read(path, options, (body) => {
      const list = dataOf(body);
      if (!Array.isArray(list)) throw new BadAnswerError(v4Texts.otherObject);
      if (!list.every(ofId(clientId))) throw new BadAnswerError(v4Texts.otherObject);
      return list;
    });

  /** Reads about one client: from the cluster, or node by node while one does not answer. */
  async function ofClient(
    clientId: string,
    options: CallOptions,
    paths: { readonly list: string; readonly all: string; readonly one: (node: NodeName) => string },
  ): Promise<readonly unknown[]> {
    const { isNanoMq } = await known.offer(caller, options);
    if (isNanoMq && !plainId.test(clientId)) return (await readNanoMq(paths.list, options)).filter(ofId(clientId));
    if (known.silentUntilMs.size === 0) return rowsOfId(paths.all, clientId, options);
    const answers = await known.askEach([...known.running], (node, deadlineMs) =>
      rowsOfId(paths.one(node), clientId, { ...options, deadlineMs }),
    );
    const found = [...answeredOf(answers).values()].flat();
    if (found.length === 0) known.requireAll();
    return found;
  }

  /** A client and its session are one row: both reads share a request. */
  const readClient = (clientId: string, options: CallOptions | undefined): Promise<readonly unknown[]> =>
    rows.read(clientId, options, (shared) =>
      ofClient(clientId, shared, {
        list: endpoints.searchClients.build({}),
        all: endpoints.getClient.build({ clientId }),
        one: (node) => endpoints.getNodeClient.build({ node, clientId }),
      }),
    );

  const readNodeClient = async (
    node: NodeName,
    clientId: string,
    options: CallOptions | undefined,
  ): Promise<readonly unknown[]> => {
    known.requireAnswering(node);
    const { isNanoMq } = await known.offer(caller, options);
    return isNanoMq
      ? readClient(clientId, options)
      : rowsOfId(endpoints.getNodeClient.build({ node, clientId }), clientId, { ...options });
  };

  const connectedOf = (found: readonly unknown[]): readonly Client[] =>
    decodeRows(found, 'client', (fields) => ({
      client: lists.toClient(context())(fields),
      isConnected: lists.isConnected(fields),
    })).flatMap(({ client, isConnected }) => (client === undefined || isConnected === false ? [] : [client]));

  const sessionsOf = (found: readonly unknown[]): readonly Session[] =>
    decodeRows(found, 'session', lists.toSession(context()));

  const subscriptionsOf = (found: readonly unknown[]): readonly Subscription[] =>
    decodeRows(found, 'subscriptions', lists.toSubscription(context()));

  async function listRows<T>(
    node: NodeName,
    filter: Query,
    page: PageRequest,
    options: CallOptions | undefined,
    decode: (fields: Fields) => T | undefined,
  ): Promise<Page<T>> {
    known.requireAnswering(node);
    return caller.readPage(endpoints.listClients.build({ node }), filter, sized(page), options, decode);
  }

  /** Keeps connected clients: NanoMQ lists offline ones, too. */
  const toConnected = (fields: Fields): Client | { readonly isOffline: true } | undefined =>
    lists.isConnected(fields) === false ? { isOffline: true } : lists.toClient(context())(fields);

  const literal = (text: string | undefined): string | undefined =>
    known.isAtLeast(4, 3, 12) ? text : text?.replaceAll(special, String.raw`\$&`);

  async function searchClients(
    { clientId, username, wholeUsername, ipAddress, node }: ClientSearch,
    page: PageRequest,
    options: CallOptions | undefined,
  ): Promise<Page<Client>> {
    await ofEmqx('search clients', options);
    const query = {
      _like_clientid: literal(clientId),
      _like_username: literal(username),
      username: wholeUsername,
      ip_address: ipAddress,
      conn_state: 'connected',
    };
    if (node !== undefined) return listRows(node, query, page, options, lists.toClient(context()));
    known.requireAll();
    return caller.readPage(
      endpoints.searchClients.build({}),
      query,
      sized(page),
      { ...options, waitsForNodes: true },
      lists.toClient(context()),
    );
  }

  /** Reads ended alarms of all nodes, newest first: the API has no pages of them. */
  async function readEndedAlarms(offer: Offer, options: CallOptions | undefined): Promise<readonly Alarm[]> {
    await requireClock(options);
    known.requireAll();
    const endpoint = offer.alarms === 'present' ? endpoints.listAlarmHistory : endpoints.listEndedAlarms;
    const byNode = await caller.read(endpoint.build({}), { ...options, waitsForNodes: true }, (body, { tally }) =>
      decodeRows(
        dataOf(body),
        'alarms',
        (fields) => {
          const node = fields.text('node');
          return Array.isArray(fields.raw['alarms'])
            ? decodeRows(fields.raw['alarms'], 'alarms', lists.toAlarm(node, known.zone), tally)
            : undefined;
        },
        tally,
      ),
    );
    return byNode.flat().toSorted((a, b) => (b.endedAt ?? 0) - (a.endedAt ?? 0));
  }

  const reads: ReadApi = {
    async listNodes(options) {
      await known.offer(caller, options);
      return noting(
        ofAll<readonly NodeInfo[], NodeInfo>(
          options,
          { all: endpoints.listNodes.build({}), one: (node) => endpoints.getNode.build({ node }) },
          {
            all: decodeInfos,
            one: (node, body) => withClock(decodeOne(node, body, toNodeInfo)),
            join: joinNodes(absentInfo),
          },
        ),
      );
    },
    async getClusterView(options) {
      if ((await known.offer(caller, options)).isNanoMq) throw new NotSupportedError('compare what the nodes see');
      return caller.read(endpoints.listNodes.build({}), { ...options, deadlineMs: patienceMs }, (body) => {
        const rows = dataOf(body);
        const nodes = decodeRows(rows, 'nodes', toNodeInfo);
        // A row that cannot be used may be a running node.
        if (Array.isArray(rows) && rows.length !== nodes.length) throw new BadAnswerError('a node without a name');
        return {
          self: undefined,
          nodes: nodes.filter(({ status }) => status === 'running').map(({ name }) => name),
        };
      });
    },
    async getNode(node, options) {
      const { isNanoMq } = await known.offer(caller, options);
      if (isNanoMq) return onlyOne(node, await reads.listNodes(options));
      known.requireAnswering(node);
      return caller.read(endpoints.getNode.build({ node }), options, (body) =>
        withClock(decodeOne(node, body, toNodeInfo)),
      );
    },
    async listNodeStats(options) {
      await known.offer(caller, options);
      return noting(
        ofAll<readonly NodeStats[], NodeStats>(
          options,
          { all: endpoints.listNodeStats.build({}), one: (node) => endpoints.getNodeStats.build({ node }) },
          {
            all: (body, { tally }) => decodeRows(dataOf(body), 'nodes', toNodeStats, tally),
            one: (node, body) => decodeOne(node, body, toNodeStats),
            join: joinNodes(absentStats),
          },
        ),
      );
    },
    async getNodeStats(node, options) {
      const { isNanoMq } = await known.offer(caller, options);
      if (isNanoMq) return onlyOne(node, await reads.listNodeStats(options));
      known.requireAnswering(node);
      return caller.read(endpoints.getNodeStats.build({ node }), options, (body) => decodeOne(node, body, toNodeStats));
    },

    async listListeners(options) {
      await ofEmqx('list listeners', options);
      return figures(
        options,
        { all: endpoints.listListeners.build({}), one: (node) => endpoints.getListeners.build({ node }) },
        ['listeners', 'listeners'],
        (list, { tally }) => decodeListeners(list, tally),
      );
    },
    async getListeners(node, options) {
      await ofEmqx('list listeners', options);
      known.requireAnswering(node);
      return caller.read(endpoints.getListeners.build({ node }), options, (body, { tally }) =>
        decodeListeners(dataOf(body), tally),
      );
    },
    async listMetrics(options): Promise<ClusterFigures<Metrics>> {
      await ofEmqx('read metrics', options);
      return {
        kind: 'by-node',
        nodes: await figures(
          options,
          { all: endpoints.listMetrics.build({}), one: (node) => endpoints.getMetrics.build({ node }) },
          ['metrics', 'metrics'],
          decodeMetrics,
        ),
      };
    },
    async getMetrics(node, options) {
      await ofEmqx('read metrics', options);
      known.requireAnswering(node);
      return caller.read(endpoints.getMetrics.build({ node }), options, (body) => decodeMetrics(dataOf(body)));
    },
    async listStats(options) {
      await ofEmqx('read statistics', options);
      return figures(
        options,
        { all: endpoints.listStats.build({}), one: (node) => endpoints.getStats.build({ node }) },
        ['statistics', 'stats'],
        decodeStats,
      );
    },
    async getStats(node, options) {
      await ofEmqx('read statistics', options);
      known.requireAnswering(node);
      return caller.read(endpoints.getStats.build({ node }), options, (body) => decodeStats(dataOf(body)));
    },

    async listClients(node, page, options) {
      const { isNanoMq } = await known.offer(caller, options);
      if (!isNanoMq) return listRows(node, { conn_state: 'connected' }, page, options, lists.toClient(context()));
      const whole = await caller.readPage(endpoints.searchClients.build({}), {}, 'whole', options, toConnected);
      return { ...whole, items: whole.items.flatMap((row) => ('isOffline' in row ? [] : [row])) };
    },
    getNodeClient: async (node, clientId, options) => connectedOf(await readNodeClient(node, clientId, options)),
    getClient: async (clientId, options) => connectedOf(await readClient(clientId, options)),
    searchClients,

    async listSessions(node, page, options) {
      await ofEmqx('list sessions', options);
      return listRows(node, {}, page, options, lists.toSession(context()));
    },
    async getNodeSession(node, clientId, options) {
      await ofEmqx('read a session', options);
      return sessionsOf(await readNodeClient(node, clientId, options));
    },
    async getSession(clientId, options) {
      await ofEmqx('read a session', options);
      return sessionsOf(await readClient(clientId, options));
    },

    async listSubscriptions(node, page, options) {
      const { isNanoMq } = await known.offer(caller, options);
      known.requireAnswering(node);
      return caller.readPage(
        isNanoMq ? endpoints.listAllSubscriptions.build({}) : endpoints.listSubscriptions.build({ node }),
        {},
        isNanoMq ? 'whole' : sized(page),
        options,
        lists.toSubscription(context()),
      );
    },
    async getNodeSubscriptions(node, clientId, options) {
      await ofEmqx('list the subscriptions of one client on one node', options);
      known.requireAnswering(node);
      return subscriptionsOf(
        await rowsOfId(endpoints.getNodeSubscriptions.build({ node, clientId }), clientId, { ...options }),
      );
    },
    getSubscriptions: async (clientId, options) =>
      subscriptionsOf(
        await ofClient(
          clientId,
          { ...options },
          {
            list: endpoints.listAllSubscriptions.build({}),
            all: endpoints.getSubscriptions.build({ clientId }),
            one: (node) => endpoints.getNodeSubscriptions.build({ node, clientId }),
          },
        ),
      ),

    async listRoutes(page, options) {
      await ofEmqx('list routes', options);
      return caller.readPage(endpoints.listRoutes.build({}), {}, sized(page), options, lists.toRoute);
    },
    async getRoutes(topic, options) {
      await ofEmqx('list routes', options);
      return caller.read(endpoints.getRoutes.build({ topic }), options, (body, { tally }) =>
        decodeRows(dataOf(body), 'routes', lists.toRoute, tally),
      );
    },

    async listAclCache(clientId, options) {
      await ofEmqx('read an ACL cache', options);
      await requireClock(options);
      try {
        return await caller.read(endpoints.listAclCache.build({ clientId }), options, (body, { tally }) =>
          decodeRows(dataOf(body), 'ACL cache', lists.toAclDecision(known.zone), tally),
        );
      } catch (error) {
        if (error instanceof BrokerError && error.kind === 'not-connected') return [];
        throw error;
      }
    },

    async listPlugins(node, options) {
      await ofEmqx('list plugins', options);
      known.requireAnswering(node);
      return caller.read(endpoints.listPlugins.build({ node }), options, (body, { tally }) =>
        decodeRows(dataOf(body), 'plugins', lists.toPlugin, tally),
      );
    },

    listSettings: lacks('read or change settings'),
    getSettings: lacks('read or change settings'),
    getPluginSettings: lacks('read or change settings of plugins'),

    async listAlarms(node, options) {
      const offer = await ofEmqx('list alarms', options);
      await requireClock(options);
      known.requireAnswering(node);
      const endpoint = offer.alarms === 'present' ? endpoints.listPresentAlarms : endpoints.listAlarms;
      return caller.read(endpoint.build({ node }), options, (body, { tally }) =>
        decodeRows(dataOf(body), 'alarms', lists.toAlarm(undefined, known.zone), tally),
      );
    },
    async listEndedAlarms({ page, pageSize }, options) {
      const offer = await ofEmqx('list ended alarms', options);
      const alarms = await readEndedAlarms(offer, options);
      return {
        items: alarms.slice((page - 1) * pageSize, page * pageSize),
        page,
        pageSize,
        totalItems: alarms.length,
        totalPages: undefined,
        hasNext: page * pageSize < alarms.length,
      };
    },

    async listBans(page, options) {
      await ofEmqx('list bans', options);
      await requireClock(options);
      return caller.readPage(endpoints.listBans.build({}), {}, sized(page), options, lists.toBan(known.zone));
    },

    async listUsers(options) {
      known.requireUsers(await known.offer(caller, options), 'list users');
      return caller.read(endpoints.listUsers.build({}), options, (body, { tally }) =>
        decodeRows(dataOf(body), 'users', lists.toUser, tally),
      );
    },
  };
  return reads;
}

/** Returns the row of a node. @throws NotFoundError */
function onlyOne<T extends { readonly name: NodeName }>(node: NodeName, list: readonly T[]): T {
  const row = list.find(({ name }) => name === node);
  if (row === undefined) throw new NotFoundError();
  return row;
}
