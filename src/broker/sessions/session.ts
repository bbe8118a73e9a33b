import type { Qos, Session as SessionRecord } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { filterCost } from '../engine/topics.ts';
import { Outbox, type OutboxState } from './outbox.ts';
import type { Recorder, SessionChange, SessionLog } from './recorder.ts';

/** The node of a session; its settings apply. */
export interface SessionNode {
  readonly name: NodeName;
  readonly settings: BrokerSettings;
}

/** The connection of a session whose client is online. */
export interface SessionConnection {
  /** Closes the connection after a session takeover or on an operator's request. */
  close(reason: 'taken-over' | 'kicked'): void;
  /** Packets sent from now on wait until this journal position is synced. */
  holdUntilSynced(position: number): void;
}

/** State of a persistent session that survives a restart. */
export interface SessionState {
  readonly clientId: string;
  readonly node: NodeName;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: Qos }[];
  readonly awaitingRel: readonly number[];
  readonly outbox: OutboxState;
}

/** An MQTT session: subscriptions, outgoing messages, and QoS 2 messages received. Outlives the connection unless clean. */
export class Session {
  readonly clientId: string;
  readonly cleanSession: boolean;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions = new Map<string, Qos>();
  /** Sum of `filterCost` over its filters. */
  filterCost = 0;
  /** Packet identifiers of QoS 2 messages that were delivered and wait for PUBREL. */
  readonly awaitingRel = new Set<number>();
  readonly outbox: Outbox;
  /** Changed only by the cluster, which updates its tables, too. */
  node: SessionNode;
  /** `undefined` while the client is offline. */
  connection: SessionConnection | undefined;
  readonly #recorder: Recorder | undefined;
  #mustSyncPosition = 0;
  #isRemoved = false;

  constructor(
    clientId: string,
    cleanSession: boolean,
    home: SessionNode,
    createdAt: BrokerSeconds,
    recorder?: Recorder,
  ) {
    this.clientId = clientId;
    this.cleanSession = cleanSession;
    this.node = home;
    this.createdAt = createdAt;
    this.#recorder = cleanSession ? undefined : recorder;
    this.outbox = new Outbox(() => this.node.settings, this.#makeLog());
  }

  get nodeName(): NodeName {
    return this.node.name;
  }

  /** Journal position that must be synced before the client may be told of its session. */
  get mustSyncPosition(): number {
    return this.#mustSyncPosition;
  }

  /** Records a change of the stored state, unless the session is clean. */
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

  /** Restores stored state into a new session. The caller adds its subscriptions to the cluster's table. */
  restore({ subscriptions, awaitingRel, outbox }: SessionState): void {
    for (const { filter, qos } of subscriptions) {
      this.subscriptions.set(filter, qos);
      this.filterCost += filterCost(filter);
    }
    for (const packetId of awaitingRel) this.awaitingRel.add(packetId);
    this.outbox.restore(outbox);
  }

  /** The session as the management API shows it (§2.5). */
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
      enqueued: outbox.enqueued,
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
 * Whether a change must be on disk before the client is told. After a kill, a QoS 1 message may be sent again
 * with another packet identifier; a QoS 2 message must keep its own.
 */
function mustSyncFirst(change: SessionChange): boolean {
  switch (change.op) {
    case 'open': case 'subscribe': case 'unsubscribe': case 'receive': case 'release': case 'received': return true;
    case 'send': return change.delivery.qos === 2;
    default: return false;
  }
}
