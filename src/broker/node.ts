import { performance } from 'node:perf_hooks';
import type { Listener } from '../domain/administration.ts';
import type { Qos } from '../domain/client.ts';
import type { Metrics, StatName } from '../domain/metrics.ts';
import type { NodeStats as NodeFigures, NodeInfo, NodeName } from '../domain/node.ts';
import type { Connection, ConnectionHost } from './engine/connection.ts';
import { Counters, NodeStats } from './engine/counters.ts';
import type { BrokerHooks, ClientIdentity, CloseReason, RejectedPeer } from './engine/hooks.ts';
import { type ListenerOptions, MqttListener } from './engine/listener.ts';
import type { Message } from './engine/message.ts';
import type { BrokerSettings } from './engine/settings.ts';
import { readSystemFigures, toBrokerSeconds } from './engine/system-figures.ts';
import type { Outbox } from './sessions/outbox.ts';
import type { Recorder } from './sessions/recorder.ts';
import type { Session } from './sessions/session.ts';
import { SortedIndex } from './sessions/sorted-index.ts';
import { SubscriptionPages } from './sessions/subscription-pages.ts';

/** What a node needs from its cluster. */
export interface NodeCluster {
  readonly version: string;
  readonly hooks: BrokerHooks;
  readonly recorder: Recorder | undefined;
  cannotPersist(client: ClientIdentity): boolean;
  openSession(node: BrokerNode, connection: Connection, client: ClientIdentity): { session: Session; isPresent: boolean };
  connected(client: ClientIdentity): void;
  /** A connection ended before CONNACK accepted it. */
  rejected(peer: RejectedPeer, reason: CloseReason): void;
  /** The client's connection ended. */
  disconnected(session: Session, client: ClientIdentity, reason: CloseReason): void;
  publish(message: Message, node: BrokerNode, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]>;
  mustPersist(message: Message, node: BrokerNode): boolean;
  subscribe(session: Session, filter: string, qos: Qos): void;
  subscriptionRefused(session: Session, filter: string): void;
  unsubscribe(session: Session, filter: string): void;
  deliverRetained(session: Session, filter: string, qos: Qos): void;
  countRetainedFrom(node: NodeName): number;
  /** A statistic that all nodes share. */
  sharedStat(name: 'topics' | 'routes' | 'retained'): number;
}

interface NodeOptions {
  readonly name: NodeName;
  readonly listeners: readonly ListenerOptions[];
  readonly settings: BrokerSettings;
}

/** One node: its listeners, clients and sessions, and its counters since it was last started. */
export class BrokerNode implements ConnectionHost {
  readonly name: NodeName;
  /** Read at every use, so a changed value applies at once. */
  readonly settings: BrokerSettings;
  /** Online clients by id. */
  readonly clients = new SortedIndex<Connection>();
  /** Sessions on this node by client id, including offline clients. */
  readonly sessions = new SortedIndex<Session>();
  readonly subscriptions = new SubscriptionPages(this.sessions);
  readonly #cluster: NodeCluster;
  #listenerOptions: readonly ListenerOptions[];
  #listeners: readonly MqttListener[] = [];
  readonly #otherListeners = new Set<() => Listener>();
  #counters = new Counters();
  #stats: NodeStats;
  #subscriptionCount = 0;
  #isRunning = false;
  #startedAtMs = 0;

  constructor(cluster: NodeCluster, options: NodeOptions) {
    this.#cluster = cluster;
    this.name = options.name;
    this.settings = options.settings;
    this.#listenerOptions = options.listeners;
    this.#stats = this.#makeStats();
  }

  get isRunning(): boolean {
    return this.#isRunning;
  }

  get recorder(): Recorder | undefined {
    return this.#cluster.recorder;
  }

  get hooks(): BrokerHooks {
    return this.#cluster.hooks;
  }

  get counters(): Counters {
    return this.#counters;
  }

  get stats(): NodeStats {
    return this.#stats;
  }

  /** Bound ports by protocol; they survive a restart of the node. */
  get ports(): { readonly tcp: number; readonly ws: number } {
    const port = (protocol: string) => this.#listenerOptions.find((options) => options.protocol === protocol)?.port ?? 0;
    return { tcp: port('mqtt:tcp'), ws: port('mqtt:ws') };
  }

  /** Opens the listeners and resets counters and maxima. @throws ListenError; then nothing listens. */
  async start(): Promise<void> {
    this.#counters = new Counters();
    const listeners = this.#listenerOptions.map((options) => new MqttListener(this, options));
    // Set before the last one is open: the first may accept clients meanwhile.
    this.#listeners = listeners;
    try {
      for (const listener of listeners) await listener.open();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#listenerOptions = this.#listenerOptions.map((options, index) => ({ ...options, port: listeners[index]?.port ?? options.port }));
    this.#startedAtMs = performance.now();
    this.#stats = this.#makeStats();
    this.#isRunning = true;
  }

  /** Closes all connections and listeners. The cluster moves the sessions. */
  async stop(): Promise<void> {
    this.#isRunning = false;
    const listeners = this.#listeners;
    this.#listeners = [];
    await this.#closeAll(listeners);
  }

  /** Applies changed settings to present clients and sessions: queues, inflight windows and keepalive timers. */
  settingsChanged(): void {
    for (const session of this.sessions.values()) session.outbox.applyLimits();
    for (const connection of this.clients.values()) connection.settingsChanged();
  }

  /** Clears the ACL caches of all clients. */
  clearAclCaches(): void {
    for (const connection of this.clients.values()) connection.access?.cache.clearAll();
  }

  /** Lists a listener of another service, such as the management API. Returns a function that removes it. */
  addListener(describe: () => Listener): () => void {
    this.#otherListeners.add(describe);
    return () => this.#otherListeners.delete(describe);
  }

  describeListeners(): readonly Listener[] {
    return [...this.#listeners.map((listener) => listener.describe()), ...[...this.#otherListeners].map((describe) => describe())];
  }

  /** The 38 counters (§2.10). */
  readMetrics(): Metrics {
    return this.#counters.read(this.#cluster.countRetainedFrom(this.name));
  }

  /** The node's description (§2.2). `otpRelease` names the Node.js version. */
  describe(): NodeInfo {
    return {
      name: this.name,
      version: this.#cluster.version,
      description: 'brokertop embedded broker',
      uptimeSeconds: Math.floor((performance.now() - this.#startedAtMs) / 1000),
      clock: toBrokerSeconds(Date.now()),
      otpRelease: `Node.js ${process.version}`,
      status: 'running',
      statusText: 'Running',
      unparsed: {},
    };
  }

  /**
   * Figures of the node (§2.3). Memory, load and descriptors are those of the process, which all nodes share.
   * A "process" is a listener or connection; the limit is what listeners and descriptors allow.
   */
  describeFigures(): NodeFigures {
    if (!this.#isRunning) return stoppedFigures(this.name);
    const figures = readSystemFigures();
    const listeners = this.describeListeners();
    const admitted = listeners.reduce((sum, listener) => sum + 1 + (listener.maxClients ?? 0), 0);
    return {
      ...figures,
      name: this.name,
      otpRelease: `Node.js ${process.version}`,
      processLimit: Math.min(admitted, figures.maxFileDescriptors ?? admitted),
      processesUsed: listeners.reduce((sum, listener) => sum + 1 + (listener.currentClients ?? 0), 0),
      clients: this.clients.size,
      status: 'running',
      statusText: 'Running',
      unparsed: {},
    };
  }

  /** Subscriptions of the sessions on this node. */
  get subscriptionCount(): number {
    return this.#subscriptionCount;
  }

  /** Adds a session and its subscriptions to this node. */
  addSession(session: Session): void {
    this.sessions.set(session.clientId, session);
    this.countSubscriptions(session.subscriptions.size);
    this.#stats.updateMax(['sessions']);
  }

  removeSession(session: Session): void {
    this.sessions.delete(session.clientId);
    this.countSubscriptions(-session.subscriptions.size);
  }

  countSubscriptions(change: number): void {
    if (change === 0) return;
    this.#subscriptionCount += change;
    this.subscriptions.invalidate();
    if (change > 0) this.#stats.updateMax(['subscribers', 'subscriptions']);
  }

  connectReceived(connection: Connection): void {
    for (const listener of this.#listeners) listener.slots.begin(connection);
  }

  openSession(connection: Connection, client: ClientIdentity): { session: Session; isPresent: boolean } {
    const opened = this.#cluster.openSession(this, connection, client);
    this.clients.set(client.clientId, connection);
    for (const listener of this.#listeners) listener.slots.trust(connection);
    this.#stats.updateMax(['clients']);
    return opened;
  }

  connected(client: ClientIdentity): void {
    this.#cluster.connected(client);
  }

  connectionClosed(connection: Connection, reason: CloseReason): void {
    for (const listener of this.#listeners) listener.forget(connection, reason);
    const client = connection.identity;
    if (client === undefined) {
      this.#cluster.rejected({ node: this.name, ...connection.attempt }, reason);
      return;
    }
    if (this.clients.get(client.clientId) !== connection) return;
    this.clients.delete(client.clientId);
    const session = this.sessions.get(client.clientId);
    if (session !== undefined) this.#cluster.disconnected(session, client, reason);
  }

  cannotPersist(client: ClientIdentity): boolean {
    return this.#cluster.cannotPersist(client);
  }

  mustPersist(message: Message): boolean {
    return this.#cluster.mustPersist(message, this);
  }

  publish(message: Message, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]> {
    return this.#cluster.publish(message, this, receive);
  }

  subscribe(session: Session, filter: string, qos: Qos): void {
    this.#cluster.subscribe(session, filter, qos);
  }

  subscriptionRefused(session: Session, filter: string): void {
    this.#cluster.subscriptionRefused(session, filter);
  }

  unsubscribe(session: Session, filter: string): void {
    this.#cluster.unsubscribe(session, filter);
  }

  deliverRetained(session: Session, filter: string, qos: Qos): void {
    if (this.settings.retainAvailable) this.#cluster.deliverRetained(session, filter, qos);
  }

  async #closeAll(listeners: readonly MqttListener[]): Promise<void> {
    // First, so that no client can reconnect while the others are closed.
    for (const listener of listeners) listener.stopListening();
    for (const listener of listeners) {
      for (const connection of listener.slots.all()) connection.close('node-stopped');
    }
    await Promise.all(listeners.map((listener) => listener.close()));
  }

  #makeStats(): NodeStats {
    return new NodeStats((name) => this.#countStat(name));
  }

  /** `subscribers` counts pairs of filter and client, as real brokers do; it equals `subscriptions`. */
  #countStat(name: StatName): number {
    switch (name) {
      case 'clients': return this.clients.size;
      case 'sessions': return this.sessions.size;
      case 'subscribers':
      case 'subscriptions': return this.#subscriptionCount;
      default: return this.#cluster.sharedStat(name);
    }
  }
}

function stoppedFigures(name: NodeName): NodeFigures {
  return {
    name,
    otpRelease: undefined, memoryTotalBytes: undefined, memoryUsedBytes: undefined, processLimit: undefined,
    processesUsed: undefined, maxFileDescriptors: undefined, clients: undefined,
    load1: undefined, load5: undefined, load15: undefined,
    status: 'stopped', statusText: 'Stopped', unparsed: {},
  };
}

