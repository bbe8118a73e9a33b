import type { BrokerSeconds, NodeName } from '../domain/node.ts';
import type { Session as SessionRecord } from '../domain/session.ts';
import type { Qos } from '../domain/subscription.ts';
import { Outbox, type OutboxState } from './outbox.ts';
import type { BrokerSettings } from './settings.ts';
import { filterCost } from './topics.ts';

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
  home: SessionHome;
  /** `undefined` while the client is offline. */
  link: SessionLink | undefined;
  /** To be called after a change of what `export` gives, except by the outbox, which does it itself. */
  readonly changed: () => void;

  constructor(
    clientId: string,
    cleanSession: boolean,
    home: SessionHome,
    createdAt: BrokerSeconds,
    changed: (clientId: string) => void = () => undefined,
  ) {
    this.clientId = clientId;
    this.cleanSession = cleanSession;
    this.home = home;
    this.createdAt = createdAt;
    this.changed = () => changed(clientId);
    this.outbox = new Outbox(() => this.home.settings, this.changed);
  }

  get nodeName(): NodeName {
    return this.home.name;
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
