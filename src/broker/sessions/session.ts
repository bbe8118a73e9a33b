import type { Qos, Session as SessionRecord } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { filterCost } from '../../domain/topics.ts';
import { Outbox, type OutboxState } from './outbox.ts';
import type { Recorder, SessionChange, SessionLog } from './recorder.ts';

export interface SessionNode {
  readonly name: NodeName;
  readonly settings: BrokerSettings;
  slowDelivery?(clientId: string, topic: string, ms: number): void;
  messagesDropped?(clientId: string, count: number): void;
}

export interface SessionConnection {
  close(reason: 'taken-over' | 'kicked'): void;
  holdUntilSynced(position: number): void;
}

export interface SessionState {
  readonly clientId: string;
  readonly node: NodeName;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: Qos }[];
  readonly awaitingRel: readonly number[];
  readonly outbox: OutboxState;
}

/** A session, which outlives the connection unless it is clean. */
export class Session {
  readonly clientId: string;
  readonly cleanSession: boolean;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions = new Map<string, Qos>();
  filterCost = 0;
  /** Packet identifiers of QoS 2 messages that were delivered and wait for PUBREL. */
  readonly awaitingRel = new Set<number>();
  readonly outbox: Outbox;
  /** Changed only by the cluster, which also updates its tables. */
  node: SessionNode;
  connection: SessionConnection | undefined;
  readonly #recorder: Recorder | undefined;
  #mustSyncPosition = 0;
  #isRemoved = false;

  constructor(
    clientId: string,
    cleanSession: boolean,
    node: SessionNode,
    createdAt: BrokerSeconds,
    recorder?: Recorder,
  ) {
    this.clientId = clientId;
    this.cleanSession = cleanSession;
    this.node = node;
    this.createdAt = createdAt;
    this.#recorder = cleanSession ? undefined : recorder;
    this.outbox = new Outbox(() => this.node.settings, this.#makeLog(), {
      slowDelivery: (topic, ms) => this.node.slowDelivery?.(clientId, topic, ms),
      dropped: (count) => this.node.messagesDropped?.(clientId, count),
    });
  }

  get nodeName(): NodeName {
    return this.node.name;
  }

  /** The position in the journal that must be synced before CONNACK. */
  get mustSyncPosition(): number {
    return this.#mustSyncPosition;
  }

  record(change: SessionChange): void {
    // A removed session may still get messages, and a new one may have its client id.
    if (this.#recorder === undefined || this.#isRemoved) return;
    this.#isRemoved = change.op === 'remove';
    this.#recorder.session(this.clientId, change);
    if (!mustSyncFirst(change)) return;
    this.#mustSyncPosition = this.#recorder.position;
    this.connection?.holdUntilSynced(this.#mustSyncPosition);
  }

  export(): SessionState {
    return {
      clientId: this.clientId,
      node: this.nodeName,
      createdAt: this.createdAt,
      subscriptions: [...this.subscriptions].map(([filter, qos]) => ({ filter, qos })),
      awaitingRel: [...this.awaitingRel],
      outbox: this.outbox.export(),
    };
  }

  /** Restores a session. The caller adds the subscriptions to the cluster's table. */
  restore({ subscriptions, awaitingRel, outbox }: SessionState): void {
    for (const { filter, qos } of subscriptions) {
      this.subscriptions.set(filter, qos);
      this.filterCost += filterCost(filter);
    }
    for (const packetId of awaitingRel) this.awaitingRel.add(packetId);
    this.outbox.restore(outbox);
  }

  describe(): SessionRecord {
    const { outbox } = this;
    return {
      clientId: this.clientId,
      cleanSession: this.cleanSession,
      createdAt: this.createdAt,
      node: this.nodeName,
      maxInflight: this.node.settings.maxInflight,
      inflight: outbox.inflightLength,
      queueLength: outbox.queueLength,
      dropped: outbox.dropped,
      awaitingRel: this.awaitingRel.size,
      awaitingAck: outbox.countAwaiting('puback'),
      awaitingComp: outbox.countAwaiting('pubcomp'),
      subscriptions: this.subscriptions.size,
      delivered: outbox.delivered,
      deliveredAboveQos0: outbox.delivered - outbox.deliveredQos0,
      deliveredQos2: outbox.deliveredQos2,
      enqueued: outbox.enqueued,
      maxQueueLength: this.node.settings.maxQueueLength,
      isConnected: this.connection !== undefined,
      unparsed: {},
    };
  }

  #makeLog(): SessionLog | undefined {
    const recorder = this.#recorder;
    if (recorder === undefined) return undefined;
    return {
      accepts: (payloadBytes) => recorder.accepts(payloadBytes),
      add: (change) => this.record(change),
      afterSync: (done) => recorder.afterSync(done),
    };
  }
}

/**
 * Whether to sync before sending. After a kill, a QoS 1 message may get another packet identifier; a QoS 2 message must
 * keep its own.
 */
function mustSyncFirst(change: SessionChange): boolean {
  switch (change.op) {
    case 'open':
    case 'subscribe':
    case 'unsubscribe':
    case 'receive':
    case 'release':
    case 'received':
      return true;
    case 'send':
      return change.delivery.qos === 2;
    default:
      return false;
  }
}
