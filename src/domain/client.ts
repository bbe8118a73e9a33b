import type { BrokerSeconds, NodeName, Unparsed } from './node.ts';

/** A connected MQTT client (§2.4). */
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
  /** The node that listed it; `undefined` when it was looked up by id. */
  readonly node: NodeName | undefined;
  readonly unparsed: Unparsed;
}

/** An MQTT session, connected or persistent and offline (§2.5). A count is `undefined` when the broker or its API does not report it. */
export interface Session {
  readonly clientId: string;
  readonly cleanSession: boolean | undefined;
  readonly createdAt: BrokerSeconds | undefined;
  readonly node: NodeName | undefined;
  /** Limit of unacknowledged QoS 1 and 2 messages. */
  readonly maxInflight: number | undefined;
  readonly inflight: number | undefined;
  /** Messages queued behind the inflight window. */
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
  /** Messages delivered since the session began. */
  readonly delivered: number | undefined;
  /** Messages queued since the session began. */
  readonly enqueued: number | undefined;
  readonly unparsed: Unparsed;
}

/** Whether any counter that changes with traffic is known: a node knows those of its own sessions only (field notes, "Values"). */
export const hasCounters = ({ inflight, queueLength, dropped, unparsed }: Session): boolean =>
  inflight !== undefined || queueLength !== undefined || dropped !== undefined || ['inflight', 'queueLength', 'dropped'].some((field) => Object.hasOwn(unparsed, field));

export type Qos = 0 | 1 | 2;

/** A client's subscription (§2.6). */
export interface Subscription {
  readonly clientId: string;
  readonly topic: string;
  readonly qos: number | undefined;
  readonly node: NodeName | undefined;
}

/** A topic filter and a node with subscribers for it (§2.7). */
export interface Route {
  readonly topic: string;
  readonly node: NodeName;
}
