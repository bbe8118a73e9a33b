import { EventEmitter } from 'node:events';
import { setImmediate } from 'node:timers/promises';
import type { Qos, Route } from '../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../domain/node.ts';
import type { Connection } from './engine/connection.ts';
import type {
  AclAction,
  BrokerEvents,
  BrokerHooks,
  ClientIdentity,
  CloseReason,
  RejectedPeer,
} from './engine/hooks.ts';
import { filtersPerBatch } from './engine/incoming.ts';
import type { ListenerOptions } from './engine/listener.ts';
import { lowerQos, Message } from './engine/message.ts';
import { type BrokerSettings, defaultSettings } from './engine/settings.ts';
import { toBrokerSeconds } from './engine/counters.ts';
import { filterCost } from '../domain/topics.ts';
import { BrokerNode, type NodeCluster } from './node.ts';
import { LongMatches, maxStepsPerTick, SubscriptionTable } from './sessions/subscription-table.ts';
import type { Outbox } from './sessions/outbox.ts';
import type { Recorder } from './sessions/recorder.ts';
import { type RetainedState, RetainedStore } from './sessions/retained.ts';
import { Session, type SessionState } from './sessions/session.ts';

const sharedStats = ['topics', 'routes', 'retained'] as const;

/** Broker nodes in one process that share sessions, subscriptions and retained messages. */
export class BrokerCluster implements NodeCluster {
  readonly version: string;
  readonly nodes: readonly BrokerNode[];
  /** The hooks may be changed at any time. ACL caches keep earlier decisions. */
  readonly hooks: BrokerHooks;
  readonly events = new EventEmitter<BrokerEvents>();
  readonly recorder: Recorder | undefined;
  readonly #sessions = new Map<string, Session>();
  readonly #table = new SubscriptionTable<Session>();
  readonly #longMatches = new LongMatches();
  readonly #retained = new RetainedStore();
  #lastChange: Promise<unknown> = Promise.resolve();
  /** Nodes that have lost touch with the others. */
  cutOff: ReadonlySet<NodeName> = new Set();
  #isClosing = false;

  constructor(options: ClusterOptions) {
    this.version = options.version;
    this.hooks = options.hooks ?? {};
    this.recorder = options.recorder;
    this.nodes = Array.from(
      { length: options.nodes ?? 3 },
      (_, index) =>
        new BrokerNode(this, {
          name: `broker${index + 1}@127.0.0.1`,
          settings: { ...defaultSettings, ...options.settings },
          listeners: listenersOf(options, index),
        }),
    );
  }

  /** Starts all nodes. @throws ListenError when a port cannot be bound; then nothing listens. */
  start(): Promise<void> {
    return this.#serialize(async () => {
      this.#isClosing = false;
      try {
        for (const node of this.nodes) if (!node.isRunning) await node.start();
      } catch (error) {
        await Promise.all(this.nodes.map((node) => node.stop()));
        throw error;
      }
    });
  }

  /** Stops all nodes, without publishing will messages. */
  close(): Promise<void> {
    return this.#serialize(async () => {
      this.#isClosing = true;
      await Promise.all(this.nodes.map((node) => node.stop()));
    });
  }

  /** Whether two nodes are in touch: they count each other as running, and forward messages. */
  areInTouch(one: NodeName, other: NodeName): boolean {
    return this.cutOff.has(one) === this.cutOff.has(other);
  }

  node(name: NodeName): BrokerNode | undefined {
    return this.nodes.find((node) => node.name === name);
  }

  /** Stops a node and moves its persistent sessions to a running one. @throws RangeError for an unknown name. */
  stopNode(name: NodeName): Promise<void> {
    const node = this.#requireNode(name);
    return this.#serialize(async () => {
      if (!node.isRunning) return;
      await node.stop();
      const target = this.#runningNode();
      if (target !== undefined) this.#moveAll(node, target);
    });
  }

  /** Starts a node on its previous ports. @throws ListenError, or RangeError for an unknown name. */
  startNode(name: NodeName): Promise<void> {
    const node = this.#requireNode(name);
    return this.#serialize(async () => {
      if (node.isRunning) return;
      await node.start();
      for (const other of this.nodes) if (!other.isRunning) this.#moveAll(other, node);
    });
  }

  /** Returns `undefined` when the session is clean or removed. */
  exportSession(clientId: string): SessionState | undefined {
    const session = this.#sessions.get(clientId);
    return session === undefined || session.cleanSession ? undefined : session.export();
  }

  exportRetained(topic: string): RetainedState | undefined {
    return this.#retained.export(topic);
  }

  /** Restores stored state; must be called before the start. State of nodes that no longer exist goes to the first. */
  restore({ retained, sessions }: ClusterState): void {
    const [first] = this.nodes;
    if (first === undefined) return;
    for (const { message, node } of retained) this.#retained.store(message, (this.node(node) ?? first).name);
    for (const state of sessions) {
      const node = this.node(state.node) ?? first;
      const session = this.#makeSession(state.clientId, false, node, state.createdAt);
      session.restore(state);
      for (const [filter, qos] of session.subscriptions) this.#table.set(session, filter, qos);
      node.countSubscriptions(session.subscriptions.size);
    }
  }

  session(clientId: string): Session | undefined {
    return this.#sessions.get(clientId);
  }

  walkRoutes(start: number, count: number): Iterable<Route> {
    return this.#table.walkRoutes(start, count);
  }

  routesOf(filter: string): readonly Route[] {
    return this.#table.routesOf(filter);
  }

  /**
   * Publishes a message and returns the receivers whose queues are filling up. `receive` runs right before the delivery
   * and cancels it by returning false.
   */
  publish(
    message: Message,
    node?: BrokerNode,
    receive?: () => boolean,
  ): readonly Outbox[] | Promise<readonly Outbox[]> {
    if (this.#isClosing) return [];
    const origin = node?.isRunning === true ? node : this.#runningNode();
    if (
      message.retain &&
      origin !== undefined &&
      this.recorder?.accepts(message.payload.length) !== false &&
      this.#mayRetain(message, origin)
    ) {
      this.#retained.store(message, origin.name);
      this.recorder?.retained(message.topic);
      this.#updateSharedMax();
    }
    const match = this.#table.match(message.topic);
    const deliver = () =>
      this.#isClosing || receive?.() === false ? [] : this.#deliver(message, match.receivers, origin);
    if (!this.#longMatches.has(message.topic) && match.advance(maxStepsPerTick)) return deliver();
    return this.#longMatches.finish(message.topic, match, deliver);
  }

  mustPersist(message: Message, node: BrokerNode | undefined): boolean {
    if (this.recorder === undefined || message.qos === 0) return false;
    if (message.retain && node !== undefined && this.#mayRetain(message, node)) return true;
    const match = this.#table.match(message.topic);
    if (!match.advance(maxStepsPerTick)) return true;
    for (const [session, qos] of match.receivers ?? []) if (!session.cleanSession && qos > 0) return true;
    return false;
  }

  subscribe(session: Session, filter: string, qos: Qos): void {
    const isNew = !session.subscriptions.has(filter);
    session.subscriptions.set(filter, qos);
    if (isNew) session.filterCost += filterCost(filter);
    this.#table.set(session, filter, qos);
    if (isNew) this.node(session.nodeName)?.countSubscriptions(1);
    this.#updateSharedMax();
    session.record({ op: 'subscribe', filter, qos });
    this.events.emit('subscribed', session.clientId, filter, qos, session.nodeName);
  }

  denied(session: Session, action: AclAction, topic: string): void {
    this.events.emit('denied', session.clientId, action, topic, session.nodeName);
  }

  subscriptionRefused(session: Session, filter: string): void {
    this.events.emit('subscriptionRefused', session.clientId, filter, session.nodeName);
  }

  unsubscribe(session: Session, filter: string): void {
    if (!session.subscriptions.delete(filter)) return;
    session.filterCost -= filterCost(filter);
    session.outbox.endReplay(filter);
    this.#table.delete(session, filter);
    this.node(session.nodeName)?.countSubscriptions(-1);
    session.record({ op: 'unsubscribe', filter });
    this.events.emit('unsubscribed', session.clientId, filter, session.nodeName);
  }

  /** Whether a session is subscribed to the topic; also true if that takes long to find out. */
  hasReceivers(topic: string): boolean {
    const match = this.#table.match(topic);
    return !match.advance(maxStepsPerTick) || (match.receivers?.size ?? 0) > 0;
  }

  retainedMessage(topic: string): Message | undefined {
    return this.#retained.get(topic);
  }

  /** Lists all messages, or those whose topics match the filter; `undefined` for each that does not. */
  listRetained(filter: string | undefined): Iterable<Message | undefined> {
    return this.#retained.list(filter);
  }

  deleteRetained(topic: string): void {
    const message = new Message({ topic, payload: Buffer.alloc(0), qos: 0, retain: true, publisher: '' });
    this.#retained.store(message, this.nodes[0]?.name ?? '');
    this.recorder?.retained(topic);
  }

  restoreRetained(state: RetainedState): void {
    this.#retained.store(state.message, state.node);
  }

  /** Disconnects the session's client, and removes the session with its messages. */
  endSession(session: Session): void {
    session.connection?.close('kicked');
    if (this.#sessions.get(session.clientId) === session) this.#remove(session);
  }

  slowDelivery(node: BrokerNode, clientId: string, topic: string, ms: number): void {
    this.events.emit('slowDelivery', clientId, topic, ms, node.name);
  }

  queueFull(node: BrokerNode, clientId: string): void {
    this.events.emit('queueFull', clientId, node.name);
  }

  retained(filter: string): readonly Message[] {
    return this.#retained.match(filter);
  }

  deliverRetained(session: Session, filter: string, qos: Qos): void {
    session.outbox.replay(filter, this.#retained.walk(filter), qos);
  }

  countRetainedFrom(node: NodeName): number {
    return this.#retained.countFrom(node);
  }

  sharedStat(name: (typeof sharedStats)[number]): number {
    if (name === 'retained') return this.#retained.size;
    return name === 'topics' ? this.#table.topicCount : this.#table.routeCount;
  }

  openSession(
    node: BrokerNode,
    connection: Connection,
    client: ClientIdentity,
  ): { session: Session; isPresent: boolean } {
    const { clientId, cleanSession } = client;
    const before = this.recorder?.position ?? 0;
    this.#sessions.get(clientId)?.connection?.close('taken-over');
    // Looked up again: closing the connection removed a clean session.
    const old = this.#sessions.get(clientId);
    if (old !== undefined && !cleanSession) {
      this.#move(old, node);
      old.connection = connection;
      connection.holdUntilSynced(old.mustSyncPosition);
      return { session: old, isPresent: true };
    }
    if (old !== undefined) this.#remove(old);
    const session = this.#makeSession(clientId, cleanSession, node, toBrokerSeconds(Date.now()));
    session.connection = connection;
    session.record({ op: 'open', node: node.name, createdAt: session.createdAt });
    // The removal of a persistent session has to be on disk before CONNACK, too.
    if (this.recorder !== undefined && this.recorder.position > before)
      connection.holdUntilSynced(this.recorder.position);
    return { session, isPresent: false };
  }

  cannotPersist({ clientId, cleanSession }: ClientIdentity): boolean {
    return (
      this.recorder?.failure !== undefined && (!cleanSession || this.#sessions.get(clientId)?.cleanSession === false)
    );
  }

  connected(client: ClientIdentity): void {
    this.events.emit('connected', client);
  }

  rejected(peer: RejectedPeer, reason: CloseReason): void {
    this.events.emit('rejected', peer, reason);
  }

  disconnected(session: Session, client: ClientIdentity, reason: CloseReason): void {
    session.connection = undefined;
    session.outbox.detach();
    if (session.cleanSession) this.#remove(session);
    this.events.emit('disconnected', client, reason);
  }

  #deliver(
    message: Message,
    receivers: ReadonlyMap<Session, Qos> | undefined,
    origin: BrokerNode | undefined,
  ): readonly Outbox[] {
    const slowReceivers: Outbox[] = [];
    if (receivers === undefined) {
      if (!message.topic.startsWith('$SYS/')) origin?.counters.add('messages.dropped');
    } else {
      for (const [{ outbox, nodeName }, qos] of receivers) {
        if (origin !== undefined && !this.areInTouch(origin.name, nodeName)) continue;
        outbox.deliver(message, lowerQos(message.qos, qos), false);
        if (outbox.isFillingUp) slowReceivers.push(outbox);
      }
    }
    this.events.emit('published', message, origin?.name);
    return slowReceivers;
  }

  #mayRetain(message: Message, node: BrokerNode): boolean {
    if (!node.settings.retainAvailable) return false;
    try {
      return this.hooks.retain?.(message, node.name) ?? true;
    } catch {
      return false;
    }
  }

  #makeSession(clientId: string, cleanSession: boolean, node: BrokerNode, createdAt: BrokerSeconds): Session {
    const session = new Session(clientId, cleanSession, node, createdAt, this.recorder);
    this.#sessions.set(clientId, session);
    node.addSession(session);
    return session;
  }

  #remove(session: Session): void {
    this.#sessions.delete(session.clientId);
    session.outbox.endReplays();
    session.record({ op: 'remove' });
    this.node(session.nodeName)?.removeSession(session);
    void this.#removeSubscriptions(session);
  }

  /** Removes subscriptions in slices: a session may have tens of thousands of filters. */
  async #removeSubscriptions(session: Session): Promise<void> {
    let count = 0;
    for (const filter of session.subscriptions.keys()) {
      this.#table.delete(session, filter);
      count += 1;
      if (count % filtersPerBatch === 0) await setImmediate();
    }
  }

  #moveAll(from: BrokerNode, to: BrokerNode): void {
    for (const session of from.sessions.values()) this.#move(session, to);
  }

  #move(session: Session, to: BrokerNode): void {
    const from = this.node(session.nodeName);
    if (from === undefined || from === to) return;
    from.removeSession(session);
    session.node = to;
    this.#table.move(session.subscriptions.keys(), from.name, to.name);
    to.addSession(session);
    session.record({ op: 'move', node: to.name });
    this.#updateSharedMax();
  }

  #updateSharedMax(): void {
    for (const node of this.nodes) if (node.isRunning) node.stats.updateMax(sharedStats);
  }

  #runningNode(): BrokerNode | undefined {
    return this.nodes.find((node) => node.isRunning);
  }

  #requireNode(name: NodeName): BrokerNode {
    const node = this.node(name);
    if (node === undefined) throw new RangeError(`The cluster has no node ${name}.`);
    return node;
  }

  #serialize(operation: () => Promise<void>): Promise<void> {
    const next = this.#lastChange.then(operation);
    this.#lastChange = next.catch(() => undefined);
    return next;
  }
}

/** Creates and starts a cluster. @throws ListenError when a port cannot be bound. */
export async function startCluster(options: ClusterOptions): Promise<BrokerCluster> {
  const cluster = new BrokerCluster(options);
  await cluster.start();
  return cluster;
}

export interface ClusterOptions {
  readonly version: string;
  readonly nodes?: number | undefined;
  readonly host?: string | undefined;
  /** The port of the first node; node n listens n − 1 above it. 0 takes free ports (defaults 1883 and 8083). */
  readonly mqttPort?: number | undefined;
  readonly wsPort?: number | undefined;
  readonly maxTcpClients?: number | undefined;
  readonly maxWsClients?: number | undefined;
  readonly settings?: Partial<BrokerSettings> | undefined;
  readonly hooks?: BrokerHooks | undefined;
  readonly recorder?: Recorder | undefined;
}

interface ClusterState {
  readonly retained: readonly RetainedState[];
  readonly sessions: readonly SessionState[];
}

function listenersOf(options: ClusterOptions, index: number): readonly ListenerOptions[] {
  const address = options.host ?? '127.0.0.1';
  return [
    {
      protocol: 'mqtt:tcp',
      address,
      port: portOf(options.mqttPort ?? 1883, index),
      maxClients: options.maxTcpClients ?? 102_400,
    },
    {
      protocol: 'mqtt:ws',
      address,
      port: portOf(options.wsPort ?? 8083, index),
      maxClients: options.maxWsClients ?? 102_400,
    },
  ];
}

function portOf(first: number, index: number): number {
  return first === 0 ? 0 : first + index;
}
