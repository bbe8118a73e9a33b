import type { Client, Session } from '../../../domain/client.ts';
import type { Metrics } from '../../../domain/metrics.ts';
import type { BrokerSeconds, ClusterFigures, NodeInfo, NodeName, NodeStats, Unparsed } from '../../../domain/node.ts';
import { NotAvailableError, NotFoundError, RefusedError, UnusableIdError } from '../../errors.ts';
import type { CallOptions, ReadApi, WriteApi } from '../../management-api.ts';
import { notSentTexts, silentNodeTexts } from '../../texts.ts';
import { answeredOf, type ClusterRead, type NodeAnswer, patienceMs, type SilentNodes } from '../silent-nodes.ts';
import { createBrokerZone } from '../broker-zone.ts';
import type { Caller, ReadOptions } from './caller.ts';
import * as decode from './decode.ts';
import { endpoints, unspecifiedEndpoints } from './paths.ts';
import type { UnusableTally } from '../records.ts';
import { evidenceOfMetrics, evidenceOfSessions, evidenceOfStats, type VariantDetector } from './variants.ts';

/** One read in two forms: over all nodes, or of one client wherever it is, and on one node. */
interface NodeReads<T, One> extends Pick<ClusterRead<T, One>, 'join'> {
  readonly all: (call: ReadOptions) => Promise<T>;
  readonly one: (node: NodeName, call: ReadOptions) => Promise<One>;
}

interface Absent {
  readonly name: NodeName;
  readonly status: 'stopped' | 'other';
  readonly statusText: string;
  readonly isSilent?: true;
  readonly otpRelease: undefined;
  readonly unparsed: Unparsed;
}

const absentInfo = (absent: Absent): NodeInfo => ({
  ...absent,
  version: undefined,
  description: undefined,
  uptimeSeconds: undefined,
  clock: undefined,
});

const absentStats = (absent: Absent): NodeStats => ({
  ...absent,
  memoryTotalBytes: undefined,
  memoryUsedBytes: undefined,
  processLimit: undefined,
  processesUsed: undefined,
  maxFileDescriptors: undefined,
  clients: undefined,
  load1: undefined,
  load5: undefined,
  load15: undefined,
});

const joinNodes = <T>(answers: ReadonlyMap<NodeName, NodeAnswer<T>>, absent: (node: Absent) => T): readonly T[] =>
  [...answers].map(([name, answer]) =>
    answer.kind === 'answered'
      ? answer.value
      : absent({
          name,
          otpRelease: undefined,
          unparsed: {},
          ...(answer.kind === 'stopped'
            ? { status: 'stopped', statusText: 'stopped' }
            : { status: 'other', statusText: silentNodeTexts.status, isSilent: true }),
        }),
  );

/**
 * A page of routes, for the names of nodes: its rows name most of them, and a frozen node does not block it, unlike the
 * other lists of the cluster.
 */
const routePage = { page: 1, pageSize: 1_000 };

export function createReads(caller: Caller, detector: VariantDetector, nodes: SilentNodes): ReadApi {
  const namesFromRoutes = async (options: CallOptions | undefined): Promise<readonly NodeName[]> => {
    const { items } = await caller.readPage(
      { endpoint: endpoints.listRoutes, params: {}, signal: options?.signal, deadlineMs: patienceMs },
      routePage,
      decode.decodeRoutes,
    );
    return [...new Set(items.map(({ node }) => node).filter((node) => node !== undefined))];
  };

  const ofAll = <T, One>(options: CallOptions | undefined, { all, one, join }: NodeReads<T, One>): Promise<T> =>
    nodes.read<T, One>({
      all: (deadlineMs) => all({ ...options, waitsForNodes: true, deadlineMs }),
      one: (node, deadlineMs) => one(node, { ...options, deadlineMs }),
      join,
      names: () => namesFromRoutes(options),
    });

  async function noting<T extends NodeInfo | NodeStats>(reading: Promise<readonly T[]>): Promise<readonly T[]> {
    const rows = await reading;
    nodes.note(rows.filter(({ status }) => status !== 'stopped').map(({ name }) => name));
    return rows;
  }

  /** Reads about one client. @throws SilentNodeError if it is not known whether a silent node has the client */
  async function ofClient<T>(
    options: CallOptions | undefined,
    { all, one }: Pick<NodeReads<readonly T[], readonly T[]>, 'all' | 'one'>,
  ): Promise<readonly T[]> {
    if (nodes.silentUntilMs.size === 0) return all({ ...options });
    const answers = await nodes.askEach([...nodes.running], (node, deadlineMs) =>
      one(node, { ...options, deadlineMs }),
    );
    const found = [...answeredOf(answers).values()].flat();
    if (found.length === 0) nodes.requireAll();
    return found;
  }

  const answering = (node: NodeName): NodeName => {
    nodes.requireAnswering(node);
    return node;
  };

  const zone = createBrokerZone();

  /** Corrects a time for changes of the broker's clock. A time that no change affects stays as it is. */
  const withZone =
    <Field extends 'clock' | 'connectedAt' | 'createdAt' | 'occurredAt'>(field: Field) =>
    <Row extends { readonly [Name in Field]: BrokerSeconds | undefined }>(row: Row): Row => {
      const time = row[field];
      const moved = time === undefined ? undefined : zone.toBroker(time);
      return moved === time ? row : { ...row, [field]: moved };
    };

  const nodeInfos = (rows: readonly NodeInfo[]): readonly NodeInfo[] => {
    zone.note(rows.find(({ clock }) => clock !== undefined)?.clock);
    return rows.map(withZone('clock'));
  };

  const nodeInfo = (row: NodeInfo): NodeInfo => {
    zone.note(row.clock);
    return withZone('clock')(row);
  };

  const clients = (records: unknown, node: NodeName | undefined, tally: UnusableTally): Client[] =>
    decode.decodeClients(records, node, tally).map(withZone('connectedAt'));

  const sessions = (records: unknown, node: NodeName | undefined, tally: UnusableTally): Session[] => {
    const decoded = decode.decodeSessions(records, node, tally).map(withZone('createdAt'));
    if (Array.isArray(records)) detector.observe(evidenceOfSessions(records));
    return decoded;
  };

  /** Set once the broker is known to have no alarms. They are not requested again. */
  let withoutAlarms: NotAvailableError | undefined;

  return {
    listNodes: (options) =>
      noting(
        ofAll(options, {
          all: (call) =>
            caller.read({ endpoint: endpoints.listNodes, params: {}, ...call }, (result, tally) =>
              nodeInfos(decode.decodeNodes(result, tally)),
            ),
          one: (node, call) =>
            caller.read({ endpoint: endpoints.getNode, params: { node }, ...call }, (result) =>
              nodeInfo(decode.decodeNode(result, node)),
            ),
          join: (answers) => joinNodes(answers, absentInfo),
        }),
      ),
    getNode: (node, options) =>
      caller.read({ endpoint: endpoints.getNode, params: { node }, ...options }, (result) =>
        nodeInfo(decode.decodeNode(result, node)),
      ),
    listNodeStats: (options) =>
      noting(
        ofAll(options, {
          all: (call) =>
            caller.read({ endpoint: endpoints.listNodeStats, params: {}, ...call }, decode.decodeNodeStatsList),
          one: (node, call) =>
            caller.read({ endpoint: endpoints.getNodeStats, params: { node }, ...call }, (result) =>
              decode.decodeNodeStats(result, node),
            ),
          join: (answers) => joinNodes(answers, absentStats),
        }),
      ),
    getNodeStats: (node, options) =>
      caller.read({ endpoint: endpoints.getNodeStats, params: { node }, ...options }, (result) =>
        decode.decodeNodeStats(result, node),
      ),

    getClusterView: (options) =>
      caller.read({ endpoint: endpoints.listNodes, params: {}, ...options, deadlineMs: patienceMs }, (result) => ({
        self: undefined,
        nodes: decode.decodeRunningNames(result),
      })),

    listListeners: (options) =>
      ofAll(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.listListeners, params: {}, ...call }, (result, tally) =>
            decode.decodeByNode(result, 'listeners', (part) => decode.decodeListeners(part, tally)),
          ),
        one: (node, call) =>
          caller.read({ endpoint: endpoints.getListeners, params: { node }, ...call }, decode.decodeListeners),
        join: answeredOf,
      }),
    getListeners: (node, options) =>
      caller.read({ endpoint: endpoints.getListeners, params: { node }, ...options }, decode.decodeListeners),
    listMetrics: (options) =>
      ofAll<ClusterFigures<Metrics>, Metrics>(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.listMetrics, params: {}, ...call }, (result) => {
            const metrics = decode.decodeClusterMetrics(result);
            detector.observe(evidenceOfMetrics(result));
            return metrics;
          }),
        one: (node, call) =>
          caller.read({ endpoint: endpoints.getMetrics, params: { node }, ...call }, decode.decodeMetrics),
        join: (answers) => ({ kind: 'by-node', nodes: answeredOf(answers) }),
      }),
    getMetrics: (node, options) =>
      caller.read({ endpoint: endpoints.getMetrics, params: { node }, ...options }, decode.decodeMetrics),
    listStats: (options) =>
      ofAll(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.listStats, params: {}, ...call }, (result) => {
            const stats = decode.decodeByNode(result, 'statistics', decode.decodeStats);
            detector.observe(evidenceOfStats(result));
            return stats;
          }),
        one: (node, call) =>
          caller.read({ endpoint: endpoints.getStats, params: { node }, ...call }, decode.decodeStats),
        join: answeredOf,
      }),
    getStats: (node, options) =>
      caller.read({ endpoint: endpoints.getStats, params: { node }, ...options }, decode.decodeStats),

    listClients: async (node, page, options) =>
      caller.readPage(
        { endpoint: endpoints.listClients, params: { node: answering(node) }, ...options },
        page,
        (list, tally) => clients(list, node, tally),
      ),
    getNodeClient: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeClient, params: { node, clientId }, ...options }, (result, tally) =>
        clients(decode.decodeObjects(result), node, tally),
      ),
    getClient: (clientId, options) =>
      ofClient(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.getClient, params: { clientId }, ...call }, (result, tally) =>
            clients(decode.decodeObjects(result), undefined, tally),
          ),
        one: (node, call) =>
          caller.read({ endpoint: endpoints.getNodeClient, params: { node, clientId }, ...call }, (result, tally) =>
            clients(decode.decodeObjects(result), node, tally),
          ),
      }),

    listSessions: async (node, page, options) =>
      caller.readPage(
        { endpoint: endpoints.listSessions, params: { node: answering(node) }, ...options },
        page,
        (list, tally) => sessions(list, node, tally),
      ),
    getNodeSession: (node, clientId, options) =>
      caller.read({ endpoint: endpoints.getNodeSession, params: { node, clientId }, ...options }, (result, tally) =>
        sessions(decode.decodeObjects(result), node, tally),
      ),
    getSession: (clientId, options) =>
      ofClient(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.getSession, params: { clientId }, ...call }, (result, tally) =>
            sessions(decode.decodeObjects(result), undefined, tally),
          ),
        one: (node, call) =>
          caller.read({ endpoint: endpoints.getNodeSession, params: { node, clientId }, ...call }, (result, tally) =>
            sessions(decode.decodeObjects(result), node, tally),
          ),
      }),

    listSubscriptions: async (node, page, options) =>
      caller.readPage(
        { endpoint: endpoints.listSubscriptions, params: { node: answering(node) }, ...options },
        page,
        (list, tally) => decode.decodeSubscriptions(list, node, tally),
      ),
    async getNodeSubscriptions(node, clientId, options = {}) {
      await caller.require('nodeSubscriptionsOfClient', options);
      return caller.read(
        { endpoint: endpoints.getNodeSubscriptions, params: { node, clientId }, ...options },
        (result, tally) => decode.decodeSubscriptions(decode.decodeObjects(result), node, tally),
      );
    },
    getSubscriptions: (clientId, options) =>
      ofClient(options, {
        all: (call) =>
          caller.read({ endpoint: endpoints.getSubscriptions, params: { clientId }, ...call }, (result, tally) =>
            decode.decodeSubscriptions(decode.decodeObjects(result), undefined, tally),
          ),
        one: (node, call) =>
          caller.read(
            { endpoint: endpoints.getNodeSubscriptions, params: { node, clientId }, ...call },
            (result, tally) => decode.decodeSubscriptions(decode.decodeObjects(result), node, tally),
          ),
      }),

    listRoutes: (page, options) =>
      caller.readPage({ endpoint: endpoints.listRoutes, params: {}, ...options }, page, decode.decodeRoutes),
    getRoutes: (topic, options) =>
      caller.read({ endpoint: endpoints.getRoutes, params: { topic }, ...options }, (result, tally) =>
        decode.decodeRoutes(decode.decodeObjects(result), tally),
      ),

    listPlugins: async (node, options) =>
      caller.read(
        { endpoint: endpoints.listPlugins, params: { node: answering(node) }, ...options },
        decode.decodePlugins,
      ),

    async listSettings(options = {}) {
      await caller.require('settings', options);
      return caller.read({ endpoint: endpoints.listSettings, params: {}, ...options }, (result, tally) =>
        decode.decodeByNode(result, 'settings', (part) => decode.decodeSettings(part, tally)),
      );
    },
    async getSettings(node, options = {}) {
      await caller.require('settings', options);
      return caller.read(
        { endpoint: endpoints.getSettings, params: { node: answering(node) }, ...options },
        decode.decodeSettings,
      );
    },
    async getPluginSettings(node, plugin, options = {}) {
      await caller.require('settings', options);
      return caller.read(
        { endpoint: endpoints.getPluginSettings, params: { node: answering(node), plugin }, ...options },
        decode.decodePluginSettings,
      );
    },

    async listAlarms(node, options) {
      if (withoutAlarms !== undefined) throw withoutAlarms;
      try {
        return await caller.read(
          { endpoint: unspecifiedEndpoints.listAlarms, params: { node }, ...options },
          (result) => decode.decodeAlarms(result).map(withZone('occurredAt')),
        );
      } catch (error) {
        if (!(error instanceof NotFoundError)) throw error;
        withoutAlarms = new NotAvailableError('alarms', { request: error.request, cause: error });
        throw withoutAlarms;
      }
    },

    listUsers: (options) => caller.read({ endpoint: endpoints.listUsers, params: {}, ...options }, decode.decodeUsers),
  };
}

/** Real brokers reset the connection for larger bodies (field notes, "Transport"). */
const maxBodyBytes = 1_048_576;

/** Guards the password, because brokers accept empty ones (field notes, "Actions"). */
function refuseEmptyPassword(password: string): void {
  if (password === '') throw new RefusedError(notSentTexts.emptyPassword);
}

/** Guards ids in a body; `encodeSegment` refuses those in a path. */
function refuseEmptyId(clientId: string | undefined): void {
  if (clientId === '') throw new UnusableIdError(notSentTexts.emptyId);
}

function refuseEmptyTopic(topic: string): void {
  if (topic === '') throw new RefusedError(notSentTexts.emptyTopic);
}

function refuseTopic(topic: string): void {
  refuseEmptyTopic(topic);
  if (/[+#]/u.test(topic)) throw new RefusedError(notSentTexts.wildcard);
}

/** Creates the actions. Each sends its request once, without retrying. */
export function createActions(caller: Caller): WriteApi {
  async function setPlugin(
    node: NodeName | undefined,
    plugin: string,
    active: boolean,
    options: CallOptions,
  ): Promise<void> {
    const { capabilities } = await caller.rules('start or stop a plugin', options);
    const body = { active };
    if (!capabilities.pluginPerNode)
      return caller.act({ endpoint: endpoints.setPlugin, params: { plugin }, body, ...options });
    if (node === undefined) throw new RefusedError(notSentTexts.noNode);
    return caller.act({ endpoint: endpoints.setNodePlugin, params: { node, plugin }, body, ...options });
  }

  return {
    disconnectClient: (clientId, options) =>
      caller.act({ endpoint: endpoints.disconnectClient, params: { clientId }, ...options }),
    async clearAclCache(clientId, topic, options) {
      if (topic === undefined) throw new RefusedError(notSentTexts.emptyTopic);
      await caller.act({ endpoint: endpoints.clearAclCache, params: { clientId }, body: { topic }, ...options });
    },

    async subscribe({ clientId, topic, qos }, options) {
      refuseEmptyId(clientId);
      refuseEmptyTopic(topic);
      await caller.act({
        endpoint: endpoints.subscribe,
        params: {},
        body: { topic, qos, client_id: clientId },
        ...options,
      });
    },
    async unsubscribe({ clientId, topic }, options = {}) {
      refuseEmptyId(clientId);
      await caller.require('unsubscribe', options);
      await caller.act({
        endpoint: endpoints.unsubscribe,
        params: {},
        body: { topic, client_id: clientId },
        ...options,
      });
    },
    async publish({ topic, payload, qos, retain, clientId }, options) {
      refuseTopic(topic);
      refuseEmptyId(clientId);
      // Undefined fields are not sent: the broker has defaults (§4.4).
      const body = { topic, payload, qos, retain, client_id: clientId };
      if (Buffer.byteLength(JSON.stringify(body)) > maxBodyBytes) throw new RefusedError(notSentTexts.messageTooLarge);
      await caller.act({ endpoint: endpoints.publish, params: {}, body, ...options });
    },

    startPlugin: (node, plugin, options = {}) => setPlugin(node, plugin, true, options),
    stopPlugin: (node, plugin, options = {}) => setPlugin(node, plugin, false, options),

    async changeSetting(node, { app, key, value }, options = {}) {
      await caller.require('settings', options);
      const body = { key, value };
      if (node === undefined)
        return caller.act({ endpoint: endpoints.changeSetting, params: { app }, body, ...options });
      return caller.act({ endpoint: endpoints.changeNodeSetting, params: { node, app }, body, ...options });
    },
    async replacePluginSettings(node, plugin, settings, options = {}) {
      await caller.require('settings', options);
      await caller.act({
        endpoint: endpoints.replacePluginSettings,
        params: { node, plugin },
        body: settings,
        ...options,
      });
    },

    async addUser({ username, password, tags }, options) {
      if (username === '') throw new RefusedError(notSentTexts.emptyUsername);
      refuseEmptyPassword(password);
      await caller.act({ endpoint: endpoints.addUser, params: {}, body: { username, password, tags }, ...options });
    },
    changeUserTags: (username, tags, options) =>
      caller.act({ endpoint: endpoints.changeUserTags, params: { username }, body: { tags }, ...options }),
    deleteUser: (username, options) => caller.act({ endpoint: endpoints.deleteUser, params: { username }, ...options }),
    checkCredentials: (username, password, options) =>
      caller.act({ endpoint: endpoints.checkCredentials, params: {}, body: { username, password }, ...options }),
    async changePassword(username, oldPassword, newPassword, options = {}) {
      refuseEmptyPassword(newPassword);
      const { passwordFields } = await caller.rules('change a password', options);
      const body = { [passwordFields.oldPassword]: oldPassword, [passwordFields.newPassword]: newPassword };
      await caller.act({ endpoint: endpoints.changePassword, params: { username }, body, ...options });
    },
  };
}
