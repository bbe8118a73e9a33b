import type { ServedMeaning, ServedReads } from '../../api/dialect.ts';
import { BrokerError } from '../../api/errors.ts';
import { gather, lazily } from '../../api/json.ts';
import type { ClientSearch, ManagementApi } from '../../api/management-api.ts';
import type { Client, Session as SessionRecord } from '../../domain/client.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import type { BrokerCluster } from '../cluster.ts';
import { ListenError, listenerProtocols, type MqttProtocol } from '../engine/listener.ts';
import { Message } from '../engine/message.ts';
import { defaultSettings } from '../engine/settings.ts';
import { isValidFilter, isValidTopic } from '../../domain/topics.ts';
import type { BrokerNode } from '../node.ts';
import type { Session } from '../sessions/session.ts';
import { subscriptionsOf } from '../sessions/paging.ts';
import { persistChange, requireRunning, runningNodes, type StoppedListener, stoppedListenerKey } from './changes.ts';
import type { StoredMap } from './stored-map.ts';
import { pageOf, readPage } from './pages.ts';

export type BrokerApi = ServedReads &
  Pick<ManagementApi, 'disconnectClient' | 'clearAclCache' | 'subscribe' | 'unsubscribe' | 'publish'> &
  Required<Pick<ManagementApi, 'listAclCache' | 'searchClients' | 'startListener' | 'stopListener'>>;

/** The management API of a cluster. Stopped nodes appear only in `listNodeStats`. Lists are ordered by client id. */
export function createBrokerApi(
  cluster: BrokerCluster,
  { disconnectEndsSession = false, clearsWholeAclCache = false }: ServedMeaning = {},
  stoppedListeners: Pick<StoredMap<StoppedListener>, 'put'> | undefined = undefined,
): BrokerApi {
  const running = (): readonly BrokerNode[] => runningNodes(cluster);
  const byNode = <T>(read: (node: BrokerNode) => T): ByNode<T> =>
    new Map(running().map((node) => [node.name, read(node)]));
  const requireNode = (name: NodeName): BrokerNode => requireRunning(cluster, name);
  const requireSession = (clientId: string): Session => {
    const session = cluster.session(clientId);
    if (session === undefined) throw new BrokerError('failed', `Clientid: ${clientId} not found`);
    return session;
  };
  const persistFor = (session: Session, make: () => () => void): Promise<void> =>
    persistChange(session.cleanSession ? undefined : cluster.recorder, make);
  const disconnect = (clientId: string): boolean => {
    const session = cluster.session(clientId);
    if (session === undefined || (session.connection === undefined && !disconnectEndsSession)) return false;
    if (disconnectEndsSession) cluster.endSession(session);
    else session.connection?.close('kicked');
    return true;
  };
  const onListeners = async (
    id: string,
    change: (node: BrokerNode, protocol: MqttProtocol) => Promise<void>,
  ): Promise<void> => {
    const protocol = Object.hasOwn(listenerProtocols, id) ? listenerProtocols[id] : undefined;
    if (protocol === undefined) throw new BrokerError('does-not-exist');
    try {
      // Stopped nodes remember it.
      for (const node of cluster.nodes) await change(node, protocol);
    } catch (error) {
      if (error instanceof ListenError) throw new BrokerError('failed', error.message, { cause: error });
      throw error;
    }
  };
  const isSessionOf = (session: Session | undefined, node: BrokerNode): session is Session =>
    session?.nodeName === node.name;

  return {
    async listNodes() {
      return running().map((node) => node.describe());
    },
    async getNode(node) {
      return requireNode(node).describe();
    },
    async listNodeStats() {
      return cluster.nodes.map((node) => node.describeFigures());
    },
    async getNodeStats(node) {
      return requireNode(node).describeFigures();
    },
    async listListeners() {
      return byNode((node) => node.describeListeners());
    },
    async getListeners(node) {
      return requireNode(node).describeListeners();
    },
    async listMetrics() {
      return { kind: 'by-node', nodes: byNode((node) => node.readMetrics()) };
    },
    async getMetrics(node) {
      return requireNode(node).readMetrics();
    },
    async listStats() {
      return byNode((node) => node.stats.read());
    },
    async getStats(node) {
      return requireNode(node).stats.read();
    },

    async listClients(node, page, options) {
      const { clients } = requireNode(node);
      return readPage(page, clients.size, (start, count) => describeAll(clients.slice(start, count)), options);
    },
    async getNodeClient(node, clientId) {
      return findClient(requireNode(node), clientId);
    },
    async getClient(clientId) {
      return running().flatMap((node) => findClient(node, clientId));
    },
    async disconnectClient(clientId) {
      if (!disconnect(clientId)) throw new BrokerError('not-connected');
    },
    async searchClients(search, page, options) {
      const nodes = search.node === undefined ? running() : [requireNode(search.node)];
      const all = nodes.map((node) => describeAll(node.clients.inOrder()));
      const found = await gather(matching(all, search), options?.signal);
      return pageOf(found, page);
    },
    startListener: (id) =>
      onListeners(id, async (node, protocol) => {
        await node.startListener(protocol);
        await stoppedListeners?.put(stoppedListenerKey({ node: node.name, protocol }), undefined);
      }),
    stopListener: (id) =>
      onListeners(id, async (node, protocol) => {
        const stopped = { node: node.name, protocol };
        await stoppedListeners?.put(stoppedListenerKey(stopped), stopped);
        await node.stopListener(protocol);
      }),
    async clearAclCache(clientId, topic) {
      const access = running().flatMap((node) => node.clients.get(clientId)?.access ?? []);
      if (access.length === 0) throw new BrokerError('not-connected');
      for (const { cache } of access) {
        if (clearsWholeAclCache || topic === undefined) cache.clearAll();
        else cache.clear(topic);
      }
    },
    async listAclCache(clientId) {
      const access = running().flatMap((node) => node.clients.get(clientId)?.access ?? []);
      return access
        .flatMap((each) => each.decisions())
        .map(({ atMs, ...decision }) => ({ ...decision, decidedAt: atMs / 1_000 }));
    },

    async listSessions(node, page, options) {
      const { sessions } = requireNode(node);
      return readPage(
        page,
        sessions.size,
        (start, count) => lazily(sessions.slice(start, count), (session) => session.describe()),
        options,
      );
    },
    async getNodeSession(node, clientId) {
      const found = requireNode(node);
      const session = cluster.session(clientId);
      return isSessionOf(session, found) ? [session.describe()] : [];
    },
    async getSession(clientId): Promise<readonly SessionRecord[]> {
      const session = cluster.session(clientId);
      return session === undefined ? [] : [session.describe()];
    },

    async listSubscriptions(node, page, options) {
      const found = requireNode(node);
      return readPage(page, found.subscriptionCount, (start, count) => found.subscriptions.walk(start, count), options);
    },
    async getNodeSubscriptions(node, clientId) {
      const found = requireNode(node);
      const session = cluster.session(clientId);
      return isSessionOf(session, found) ? subscriptionsOf(session) : [];
    },
    async getSubscriptions(clientId) {
      const session = cluster.session(clientId);
      return session === undefined ? [] : subscriptionsOf(session);
    },
    async subscribe({ clientId, topic, qos }) {
      const session = requireSession(clientId);
      requireValid(topic, isValidFilter(topic, session.node.settings.maxTopicLevels));
      await persistFor(session, () => {
        const before = session.subscriptions.get(topic);
        cluster.subscribe(session, topic, qos);
        cluster.node(session.nodeName)?.deliverRetained(session, topic, qos);
        return () =>
          before === undefined ? cluster.unsubscribe(session, topic) : cluster.subscribe(session, topic, before);
      });
    },
    async unsubscribe({ clientId, topic }) {
      const session = requireSession(clientId);
      requireValid(topic, isValidFilter(topic, session.node.settings.maxTopicLevels));
      const before = session.subscriptions.get(topic);
      if (before === undefined) return;
      await persistFor(session, () => {
        cluster.unsubscribe(session, topic);
        return () => cluster.subscribe(session, topic, before);
      });
    },
    async publish({ topic, payload = '', qos = 0, retain = false, clientId = 'http' }, options) {
      const [node] = running();
      const { maxTopicLevels, maxPacketSize } = node?.settings ?? defaultSettings;
      requireValid(topic, isValidTopic(topic, maxTopicLevels));
      const message = new Message({ topic, payload: Buffer.from(payload), qos, retain, publisher: clientId });
      if (message.packetBytes > maxPacketSize)
        throw new BrokerError('failed', `The message is too large: its packet has more than ${maxPacketSize} bytes.`);
      const { recorder } = cluster;
      const mustPersist =
        retain || (qos > 0 && (recorder?.failure === undefined || cluster.mustPersist(message, node)));
      await persistChange(mustPersist ? recorder : undefined, async () => {
        if (!cluster.hasReceivers(topic)) options?.onNoReceiver?.();
        await cluster.publish(message, node);
        // A delivered message cannot be undone; publishing it again may deliver it twice, as QoS 1 allows.
        return () => undefined;
      });
    },

    async listRoutes(page, options) {
      return readPage(page, cluster.sharedStat('routes'), (start, count) => cluster.walkRoutes(start, count), options);
    },
    async getRoutes(topic) {
      return cluster.routesOf(topic);
    },
  };
}

function* matching(
  clients: Iterable<Iterable<Client>>,
  { clientId = '', username = '', wholeUsername, ipAddress = '' }: ClientSearch,
): Generator<Client, void> {
  for (const some of clients) {
    for (const client of some) {
      if (
        client.clientId.includes(clientId) &&
        (client.username ?? '').includes(username) &&
        (wholeUsername === undefined || client.username === wholeUsername) &&
        (client.ipAddress ?? '').includes(ipAddress)
      )
        yield client;
    }
  }
}

const maxShownLength = 200;

function requireValid(topic: string, isValid: boolean): void {
  if (isValid) return;
  const shown = topic.length <= maxShownLength ? topic : `${topic.slice(0, maxShownLength)}...`;
  throw new BrokerError('failed', `validate topic: ${shown.toWellFormed()} fail`);
}

function findClient(node: BrokerNode, clientId: string): readonly Client[] {
  const connection = node.clients.get(clientId);
  return connection === undefined ? [] : [...describeAll([connection])];
}

function* describeAll(connections: Iterable<{ describe(): Client | undefined }>): Generator<Client, void> {
  for (const connection of connections) {
    const client = connection.describe();
    if (client !== undefined) yield client;
  }
}
