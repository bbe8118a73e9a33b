/** The 38 counters of one node (§2.10), in reading order. They only grow while the node runs, except `messages.retained`. */
export const metricNames = [
  'bytes.received', 'bytes.sent',
  'packets.received', 'packets.sent',
  'packets.connect', 'packets.connack', 'packets.disconnect',
  'packets.publish.received', 'packets.publish.sent',
  'packets.puback.received', 'packets.puback.sent', 'packets.puback.missed',
  'packets.pubrec.received', 'packets.pubrec.sent', 'packets.pubrec.missed',
  'packets.pubrel.received', 'packets.pubrel.sent', 'packets.pubrel.missed',
  'packets.pubcomp.received', 'packets.pubcomp.sent', 'packets.pubcomp.missed',
  'packets.subscribe', 'packets.suback', 'packets.unsubscribe', 'packets.unsuback',
  'packets.pingreq', 'packets.pingresp',
  'messages.received', 'messages.sent', 'messages.dropped', 'messages.retained',
  'messages.qos0.received', 'messages.qos0.sent',
  'messages.qos1.received', 'messages.qos1.sent',
  'messages.qos2.received', 'messages.qos2.sent', 'messages.qos2.dropped',
] as const;

export type MetricName = (typeof metricNames)[number];

/** Counters by name; a counter that the broker did not give is `undefined`. */
export type Metrics = Readonly<Partial<Record<MetricName, number>>>;

/** What a node counts (§2.11): each has a present value and the highest since the node started. */
export const statNames = ['clients', 'sessions', 'subscribers', 'subscriptions', 'topics', 'routes', 'retained'] as const;

export type StatName = (typeof statNames)[number];

/**
 * What every node counts for the whole cluster, where the others are each node's own: on a recorded
 * cluster of two nodes both say 391 routes. Of these the cluster has as many as a node says, not the sum.
 */
export const clusterWideStats: ReadonlySet<StatName> = new Set(['topics', 'routes', 'retained']);

export interface Stat {
  /** Present value (`…/count`). */
  readonly count: number | undefined;
  /** Highest value since the node started (`…/max`). */
  readonly max: number | undefined;
}

/** Every name is present; a figure that the broker did not give is `undefined`. */
export type Stats = Readonly<Record<StatName, Stat>>;
