import type { BrokerSeconds, NodeName, Unparsed } from './node.ts';

/** A connected MQTT client (§2.4). */
export interface Client {
  readonly clientId: string;
  /** `undefined` when the client gave none (the wire says the string `"undefined"`). */
  readonly username: string | undefined;
  readonly ipAddress: string | undefined;
  readonly port: number | undefined;
  readonly cleanSession: boolean | undefined;
  /** 3 is MQTT 3.1, 4 is MQTT 3.1.1, 5 is MQTT 5. */
  readonly protocolVersion: number | undefined;
  readonly keepaliveSeconds: number | undefined;
  readonly connectedAt: BrokerSeconds | undefined;
  /** The node whose list held it; `undefined` when it was read by id alone (`clients/{id}`). */
  readonly node: NodeName | undefined;
  readonly unparsed: Unparsed;
}

/**
 * An MQTT session, connected or persistent and offline (§2.5). Every count is `undefined` when the
 * broker does not know it (the wire says `"undefined"`) or when its variant has no such field.
 */
export interface Session {
  readonly clientId: string;
  readonly cleanSession: boolean | undefined;
  readonly createdAt: BrokerSeconds | undefined;
  readonly node: NodeName | undefined;
  /** Most messages of QoS 1 and 2 that may be on their way unacknowledged. */
  readonly maxInflight: number | undefined;
  /** Variant A `inflight_queue`, Variant B `inflight_len`. */
  readonly inflight: number | undefined;
  /** Messages waiting behind the inflight window. A `message_queue`, B `mqueue_len`. */
  readonly queueLength: number | undefined;
  /** Messages lost because the queue was full. A `message_dropped`, B `mqueue_dropped`. */
  readonly dropped: number | undefined;
  /** QoS 2 messages received, PUBREL outstanding. A `awaiting_rel`, B `awaiting_rel_len`. */
  readonly awaitingRel: number | undefined;
  /** QoS 1 messages sent, PUBACK outstanding. Variant A only. */
  readonly awaitingAck: number | undefined;
  /** QoS 2 messages sent, PUBCOMP outstanding. Variant A only. */
  readonly awaitingComp: number | undefined;
  /** Number of topic filters. Variant B only. */
  readonly subscriptions: number | undefined;
  /** Messages delivered since the session began. Variant B only. */
  readonly delivered: number | undefined;
  /** Messages that had to wait in the queue since the session began. Variant B only. */
  readonly enqueued: number | undefined;
  readonly unparsed: Unparsed;
}

/** Whether a node tells any of the counters that change with the traffic: it knows them of its own sessions alone (field notes, "Values"). */
export const hasCounters = ({ inflight, queueLength, dropped, unparsed }: Session): boolean =>
  inflight !== undefined || queueLength !== undefined || dropped !== undefined || Object.keys(unparsed).some((field) => /queue|inflight_len|dropped/u.test(field));

/** MQTT quality of service. */
export type Qos = 0 | 1 | 2;

/** A topic filter that a client subscribed to (§2.6). */
export interface Subscription {
  readonly clientId: string;
  /** Topic filter, may hold the wildcards `+` and `#`. */
  readonly topic: string;
  readonly qos: number | undefined;
  readonly node: NodeName | undefined;
}

/** A topic filter and one node that has subscribers for it (§2.7). */
export interface Route {
  readonly topic: string;
  readonly node: NodeName;
}
