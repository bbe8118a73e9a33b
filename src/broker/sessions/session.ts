import type { Qos, Session as SessionRecord } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { filterCost } from '../engine/topics.ts';
import { Outbox, type OutboxState } from './outbox.ts';
import type { Recorder, SessionChange, SessionLog } from './recorder.ts';

/** The node that a session is on: its bounds apply. */
export interface SessionNode {
  readonly name: NodeName;
  readonly settings: BrokerSettings;
}

/** The connection that a session has while its client is online. */
export interface SessionConnection {
  /** Ends the connection because another one took its session, or because an operator wants it. */
  close(reason: 'taken-over' | 'kicked'): void;
  /** What is sent from now on waits until the change of this number is on disk. */
  holdUntilSynced(position: number): void;
}

/** All that a session knows, to be kept and restored after a restart. Clean sessions are never kept. */
export interface SessionState {
  readonly clientId: string;
  readonly node: NodeName;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions: readonly { readonly filter: string; readonly qos: Qos }[];
  readonly awaitingRel: readonly number[];
  readonly outbox: OutboxState;
}

/** What a client has at the broker: subscriptions, messages for it, QoS 2 messages from it. Outlives the connection unless clean. */
export class Session {
  readonly clientId: string;
  readonly cleanSession: boolean;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions = new Map<string, Qos>();
  /** The sum of what its filters cost. */
  filterCost = 0;
  /** Packet ids of QoS 2 messages received and passed on, PUBREL outstanding. */
  readonly awaitingRel = new Set<number>();
  readonly outbox: Outbox;
  /** Changed by the cluster alone, which keeps the directories and routes right. */
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

  /** Number of the last change that the client may only hear of once it is on disk. */
  get mustSyncPosition(): number {
    return this.#mustSyncPosition;
  }

  /** Keeps a change of what `export` gives, unless the session is clean. The outbox does so itself. */
  record(change: SessionChange): void {
    // A message may still come to a session that is gone, and another one may have its client id by now.
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

  /** Takes over what another session knew. For a new one; its subscriptions still have to be made known to the cluster. */
  restore({ subscriptions, awaitingRel, outbox }: SessionState): void {
    for (const { filter, qos } of subscriptions) {
      this.subscriptions.set(filter, qos);
      this.filterCost += filterCost(filter);
    }
    for (const packetId of awaitingRel) this.awaitingRel.add(packetId);
    this.outbox.restore(outbox);
  }

  /** The session as the management interface shows it (§2.5), with the fields of both variants. */
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
 * Whether the client must not hear of a change before it is on disk. After a kill a QoS 1 message may go
 * out again, under another packet id; one of QoS 2 must keep its id, else another could be taken for it.
 */
function mustSyncFirst(change: SessionChange): boolean {
  switch (change.op) {
    case 'open': case 'subscribe': case 'unsubscribe': case 'receive': case 'release': case 'received': return true;
    case 'send': return change.delivery.qos === 2;
    default: return false;
  }
}
