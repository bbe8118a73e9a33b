import type { BrokerSeconds, NodeName } from '../domain/node.ts';
import type { Session as SessionRecord } from '../domain/session.ts';
import type { Qos } from '../domain/subscription.ts';
import { Outbox } from './outbox.ts';
import type { BrokerSettings } from './settings.ts';

/** The node that a session is on: its bounds apply. */
export interface SessionHome {
  readonly name: NodeName;
  readonly settings: BrokerSettings;
}

/** The connection that a session has while its client is online. */
export interface SessionLink {
  /** Ends the connection because another one took its session, or because an operator wants it. */
  close(reason: 'taken-over' | 'kicked'): void;
}

/** What a client has at the broker: subscriptions, messages for it, QoS 2 messages from it. Outlives the connection unless clean. */
export class Session {
  readonly clientId: string;
  readonly cleanSession: boolean;
  readonly createdAt: BrokerSeconds;
  readonly subscriptions = new Map<string, Qos>();
  /** Packet ids of QoS 2 messages received and passed on, PUBREL outstanding. */
  readonly awaitingRel = new Set<number>();
  readonly outbox: Outbox;
  /** Changed by the cluster alone, which keeps the directories and routes right. */
  home: SessionHome;
  /** `undefined` while the client is offline. */
  link: SessionLink | undefined;

  constructor(clientId: string, cleanSession: boolean, home: SessionHome, createdAt: BrokerSeconds) {
    this.clientId = clientId;
    this.cleanSession = cleanSession;
    this.home = home;
    this.createdAt = createdAt;
    this.outbox = new Outbox(() => this.home.settings);
  }

  get nodeName(): NodeName {
    return this.home.name;
  }

  /** The session as the management interface shows it (§2.5), with the fields of both variants. */
  describe(): SessionRecord {
    const { outbox } = this;
    return {
      clientId: this.clientId,
      cleanSession: this.cleanSession,
      createdAt: this.createdAt,
      node: this.nodeName,
      maxInflight: this.home.settings.maxInflight,
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
}
