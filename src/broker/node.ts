import { performance } from 'node:perf_hooks';
import type { Listener } from '../domain/administration.ts';
import type { Qos } from '../domain/client.ts';
import type { Metrics, StatName } from '../domain/metrics.ts';
import type { NodeStats as NodeFigures, NodeInfo, NodeName } from '../domain/node.ts';
import type { Connection, ConnectionHost } from './engine/connection.ts';
import { Counters, NodeStats, readSystemFigures, toBrokerSeconds } from './engine/counters.ts';
import type { AclAction, BrokerHooks, ClientIdentity, CloseReason, RejectedPeer } from './engine/hooks.ts';
import { describeListener, type ListenerOptions, MqttListener, type MqttProtocol } from './engine/listener.ts';
import type { Message } from './engine/message.ts';
import type { BrokerSettings } from './engine/settings.ts';
import type { Outbox } from './sessions/outbox.ts';
import type { Recorder } from './sessions/recorder.ts';
import type { Session } from './sessions/session.ts';
import { SortedIndex, SubscriptionPages } from './sessions/paging.ts';

export interface NodeCluster {
  readonly version: string;
  readonly hooks: BrokerHooks;
  readonly recorder: Recorder | undefined;
  cannotPersist(client: ClientIdentity): boolean;
  openSession(
    node: BrokerNode,
    connection: Connection,
    client: ClientIdentity,
  ): { session: Session; isPresent: boolean };
  connected(client: ClientIdentity): void;
  rejected(peer: RejectedPeer, reason: CloseReason): void;
  disconnected(session: Session, client: ClientIdentity, reason: CloseReason): void;
  publish(message: Message, node: BrokerNode, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]>;
  mustPersist(message: Message, node: BrokerNode): boolean;
  subscribe(session: Session, filter: string, qos: Qos): void;
  denied(session: Session, action: AclAction, topic: string): void;
  subscriptionRefused(session: Session, filter: string): void;
  unsubscribe(session: Session, filter: string): void;
  deliverRetained(session: Session, filter: string, qos: Qos): void;
  countRetainedFrom(node: NodeName): number;
  sharedStat(name: 'topics' | 'routes' | 'retained'): number;
  slowDelivery(node: BrokerNode, clientId: string, topic: string, ms: number): void;
  queueFull(node: BrokerNode, clientId: string): void;
}

interface NodeOptions {
  readonly name: NodeName;
  readonly listeners: readonly ListenerOptions[];
  readonly settings: BrokerSettings;
}

export class BrokerNode implements ConnectionHost {
  readonly name: NodeName;
  /** Settings are read at every use, so that a changed value applies immediately. */
  readonly settings: BrokerSettings;
  readonly clients = new SortedIndex<Connection>();
  readonly sessions = new SortedIndex<Session>();
  readonly subscriptions = new SubscriptionPages(this.sessions);
  readonly #cluster: NodeCluster;
  #listenerOptions: readonly ListenerOptions[];
  #listeners: readonly MqttListener[] = [];
  readonly #stoppedListeners = new Set<MqttProtocol>();
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

  get ports(): { readonly tcp: number; readonly ws: number } {
    const port = (protocol: string) =>
      this.#listenerOptions.find((options) => options.protocol === protocol)?.port ?? 0;
    return { tcp: port('mqtt:tcp'), ws: port('mqtt:ws') };
  }

  /** Starts the node and resets counters and maxima. @throws ListenError; then nothing listens. */
  async start(): Promise<void> {
    this.#counters = new Counters();
    const listeners = this.#listenerOptions
      .filter(({ protocol }) => !this.#stoppedListeners.has(protocol))
      .map((options) => new MqttListener(this, options));
    // Before the last listener is open: the first may already accept clients.
    this.#listeners = listeners;
    try {
      for (const listener of listeners) await listener.open();
    } catch (error) {
      await this.stop();
      throw error;
    }
    this.#keepPorts();
    this.#startedAtMs = performance.now();
    this.#stats = this.#makeStats();
    this.#isRunning = true;
  }

  async stop(): Promise<void> {
    this.#isRunning = false;
    const listeners = this.#listeners;
    this.#listeners = [];
    await this.#closeAll(listeners, 'node-stopped');
  }

  /** Stops a listener and disconnects its clients. It stays stopped when the node restarts. */
  async stopListener(protocol: MqttProtocol): Promise<void> {
    this.#stoppedListeners.add(protocol);
    const stopped = this.#listeners.filter((listener) => listener.protocol === protocol);
    await this.#closeAll(stopped, 'listener-stopped');
    this.#listeners = this.#listeners.filter((listener) => !stopped.includes(listener));
  }

  /** Starts a listener on its previous port. @throws ListenError */
  async startListener(protocol: MqttProtocol): Promise<void> {
    this.#stoppedListeners.delete(protocol);
    if (!this.#isRunning || this.#listeners.some((listener) => listener.protocol === protocol)) return;
    const opened = this.#listenerOptions
      .filter((options) => options.protocol === protocol)
      .map((options) => new MqttListener(this, options));
    const before = this.#listeners;
    this.#listeners = [...before, ...opened];
    try {
      for (const listener of opened) await listener.open();
    } catch (error) {
      this.#stoppedListeners.add(protocol);
      this.#listeners = before;
      throw error;
    }
    this.#keepPorts();
  }

  settingsChanged(): void {
    for (const session of this.sessions.values()) session.outbox.applyLimits();
    for (const connection of this.clients.values()) connection.settingsChanged();
  }

  clearAclCaches(): void {
    for (const connection of this.clients.values()) connection.access?.cache.clearAll();
  }

  addListener(describe: () => Listener): () => void {
    this.#otherListeners.add(describe);
    return () => this.#otherListeners.delete(describe);
  }

  describeListeners(): readonly Listener[] {
    const listeners = this.#listenerOptions.map(
      (options) =>
        this.#listeners.find(({ protocol }) => protocol === options.protocol)?.describe() ??
        describeListener(options, 'no', 0, {}),
    );
    return [...listeners, ...[...this.#otherListeners].map((describe) => describe())];
  }

  readMetrics(): Metrics {
    return this.#counters.read(this.#cluster.countRetainedFrom(this.name));
  }

  /** Describes the node. `otpRelease` is the Node.js version. */
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
   * Describes the figures of a node. Memory, load and file descriptors are the process's, shared by all nodes. A
   * "process" is a listener or connection.
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

  get subscriptionCount(): number {
    return this.#subscriptionCount;
  }

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

  denied(session: Session, action: AclAction, topic: string): void {
    this.#cluster.denied(session, action, topic);
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

  slowDelivery(clientId: string, topic: string, ms: number): void {
    this.#cluster.slowDelivery(this, clientId, topic, ms);
  }

  messagesDropped(clientId: string, count: number): void {
    this.#counters.add('delivery.dropped', count);
    this.#counters.add('delivery.dropped.queue_full', count);
    this.#cluster.queueFull(this, clientId);
  }

  #keepPorts(): void {
    this.#listenerOptions = this.#listenerOptions.map((options) => ({
      ...options,
      port: this.#listeners.find(({ protocol }) => protocol === options.protocol)?.port ?? options.port,
    }));
  }

  async #closeAll(listeners: readonly MqttListener[], reason: 'node-stopped' | 'listener-stopped'): Promise<void> {
    // First, so that no client can reconnect while the others are closed.
    for (const listener of listeners) listener.stopListening();
    for (const listener of listeners) {
      for (const connection of listener.slots.all()) connection.close(reason);
    }
    await Promise.all(listeners.map((listener) => listener.close()));
  }

  #makeStats(): NodeStats {
    return new NodeStats((name) => this.#countStat(name));
  }

  /** Counts a statistic. `subscribers` equals `subscriptions`, as on real brokers. */
  #countStat(name: StatName): number {
    switch (name) {
      case 'clients':
        return this.clients.size;
      case 'sessions':
        return this.sessions.size;
      case 'subscribers':
      case 'subscriptions':
        return this.#subscriptionCount;
      default:
        return this.#cluster.sharedStat(name);
    }
  }
}

export function stoppedFigures(name: NodeName): NodeFigures {
  return {
    name,
    otpRelease: undefined,
    memoryTotalBytes: undefined,
    memoryUsedBytes: undefined,
    processLimit: undefined,
    processesUsed: undefined,
    maxFileDescriptors: undefined,
    clients: undefined,
    load1: undefined,
    load5: undefined,
    load15: undefined,
    status: 'stopped',
    statusText: 'Stopped',
    unparsed: {},
  };
}
