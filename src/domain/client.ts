import type { BrokerSeconds, NodeName, Unparsed } from './node.ts';

/** A connected MQTT client. */
export interface Client {
  readonly clientId: string;
  readonly username: string | undefined;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  readonly cleanSession: boolean | undefined;
  /** 3 is MQTT 3.1, 4 is MQTT 3.1.1, 5 is MQTT 5. */
  readonly protocolVersion: number | undefined;
  readonly keepaliveSeconds: number | undefined;
  readonly connectedAt: BrokerSeconds | undefined;
  /** The node that listed the client; `undefined` if it was read by id. */
  readonly node: NodeName | undefined;
  /** Counts since the client connected; absent where lists of clients do not have them. */
  readonly traffic?: ClientTraffic | undefined;
  readonly unparsed: Unparsed;
}

/** The messages and bytes that a client sent to the broker (`received`) and got from it (`sent`). */
export interface ClientTraffic {
  readonly receivedMessages: number | undefined;
  readonly sentMessages: number | undefined;
  readonly receivedBytes: number | undefined;
  readonly sentBytes: number | undefined;
}

/** An MQTT session, connected or offline. A count is `undefined` if it is not reported. */
export interface Session {
  readonly clientId: string;
  readonly cleanSession: boolean | undefined;
  readonly createdAt: BrokerSeconds | undefined;
  readonly node: NodeName | undefined;
  readonly maxInflight: number | undefined;
  readonly inflight: number | undefined;
  readonly queueLength: number | undefined;
  /** Messages lost because the queue was full. */
  readonly dropped: number | undefined;
  /** QoS 2 messages received, PUBREL outstanding. */
  readonly awaitingRel: number | undefined;
  /** QoS 1 messages sent, PUBACK outstanding. */
  readonly awaitingAck: number | undefined;
  /** QoS 2 messages sent, PUBCOMP outstanding. */
  readonly awaitingComp: number | undefined;
  readonly subscriptions: number | undefined;
  readonly delivered: number | undefined;
  readonly enqueued: number | undefined;
  /** Deliveries with QoS 1 or 2, which clients acknowledge. Absent where the API reports one sum. */
  readonly deliveredAboveQos0?: number | undefined;
  /** Deliveries with QoS 2; only the embedded broker reports them. */
  readonly deliveredQos2?: number | undefined;
  /** Maximum of `queueLength`; absent where it is a setting of the node. */
  readonly maxQueueLength?: number | undefined;
  /** Absent where sessions do not say. Where they do, the counters of offline sessions are current. */
  readonly isConnected?: boolean | undefined;
  readonly unparsed: Unparsed;
}

/** A node may know only the counters of its own sessions. */
export const hasCounters = ({ inflight, queueLength, dropped, unparsed }: Session): boolean =>
  inflight !== undefined ||
  queueLength !== undefined ||
  dropped !== undefined ||
  ['inflight', 'queueLength', 'dropped'].some((field) => Object.hasOwn(unparsed, field));

export type Qos = 0 | 1 | 2;

/** A decision of the broker about a topic, kept for a client. */
export interface AclDecision {
  /** `publish` or `subscribe`; untrusted text. */
  readonly action: string | undefined;
  readonly topic: string;
  readonly isAllowed: boolean | undefined;
  readonly decidedAt: BrokerSeconds | undefined;
}

export interface Subscription {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: number | undefined;
  readonly node: NodeName | undefined;
}

/** A topic filter and a node with subscribers for it. */
export interface Route {
  readonly topic: string;
  readonly node: NodeName;
}

/** Whether the broker sends a session no more messages until it acknowledges some. A maximum of 0 is unlimited. */
export const isInflightFull = ({ inflight, maxInflight }: Session): boolean =>
  inflight !== undefined && maxInflight !== undefined && maxInflight > 0 && inflight >= maxInflight;

/** Who a subscription or a session belongs to, as far as it is known. */
export type Subscriber =
  | { readonly kind: 'client'; readonly client: Client }
  | { readonly kind: 'session'; readonly session: Session }
  | { readonly kind: 'id'; readonly clientId: string };

/** The target of a disconnect: a connection, or the session of one. */
export type DisconnectTarget = Exclude<Subscriber, { readonly kind: 'id' }>;

/** Whether two readings show the same connection, not just the same ID: after a reconnect the port or time differ. */
export const isSameConnection = (a: Client, b: Client): boolean =>
  a.clientId === b.clientId &&
  a.ipAddress === b.ipAddress &&
  a.port === b.port &&
  a.connectedAt === b.connectedAt &&
  a.unparsed['connectedAt'] === b.unparsed['connectedAt'];

/** Whether two sessions began at the same time, as far as the broker says. */
export const hasSameStart = (a: Session, b: Session): boolean =>
  a.createdAt === b.createdAt && a.unparsed['createdAt'] === b.unparsed['createdAt'];

/** A session that was created again, or on another node, is another one. */
export const isSameSession = (a: Session, b: Session): boolean =>
  a.clientId === b.clientId && a.node === b.node && hasSameStart(a, b);

/** Returns the client ID of a connection, a session or an ID alone. */
export const clientIdOf = (subscriber: Subscriber): string => {
  switch (subscriber.kind) {
    case 'client':
      return subscriber.client.clientId;
    case 'session':
      return subscriber.session.clientId;
    case 'id':
      return subscriber.clientId;
  }
};
