/** The counters of a node, in display order. All but `messages.retained` only grow while the node runs. */
export const metricNames = [
  'bytes.received',
  'bytes.sent',
  'packets.received',
  'packets.sent',
  'packets.connect',
  'packets.connack',
  'packets.disconnect',
  'packets.publish.received',
  'packets.publish.sent',
  'packets.puback.received',
  'packets.puback.sent',
  'packets.puback.missed',
  'packets.pubrec.received',
  'packets.pubrec.sent',
  'packets.pubrec.missed',
  'packets.pubrel.received',
  'packets.pubrel.sent',
  'packets.pubrel.missed',
  'packets.pubcomp.received',
  'packets.pubcomp.sent',
  'packets.pubcomp.missed',
  'packets.subscribe',
  'packets.suback',
  'packets.unsubscribe',
  'packets.unsuback',
  'packets.pingreq',
  'packets.pingresp',
  'messages.received',
  'messages.sent',
  'messages.dropped',
  'messages.retained',
  'messages.qos0.received',
  'messages.qos0.sent',
  'messages.qos1.received',
  'messages.qos1.sent',
  'messages.qos2.received',
  'messages.qos2.sent',
  'messages.qos2.dropped',
] as const;

/** Counters that only some brokers have. They only grow while the node runs. */
export const optionalMetricNames = [
  'delivery.dropped',
  'delivery.dropped.queue_full',
  'delivery.dropped.expired',
  'delivery.dropped.too_large',
  'delivery.dropped.qos0_msg',
  'delivery.dropped.no_local',
  'messages.dropped.await_pubrel_timeout',
  'messages.delivered',
  'messages.acked',
  'packets.publish.dropped',
  'packets.publish.error',
  'packets.publish.auth_error',
  'packets.subscribe.auth_error',
  'packets.connack.error',
  'packets.connack.auth_error',
  'client.connected',
  'client.disconnected',
  'session.takenover',
  'session.discarded',
  'authentication.success',
  'authentication.failure',
  'authorization.allow',
  'authorization.deny',
  'overload_protection.delay.ok',
  'overload_protection.delay.timeout',
  'overload_protection.hibernation',
  'overload_protection.gc',
  'overload_protection.new_conn',
] as const;

export const allMetricNames = [...metricNames, ...optionalMetricNames] as const;

export type CommonMetricName = (typeof metricNames)[number];
export type MetricName = (typeof allMetricNames)[number];

export type Metrics = Readonly<Partial<Record<MetricName, number>>>;

export const statNames = [
  'clients',
  'sessions',
  'subscribers',
  'subscriptions',
  'topics',
  'routes',
  'retained',
] as const;

export type StatName = (typeof statNames)[number];

/** Statistics that every node reports for the whole cluster. Never add them up. */
export const clusterWideStats: ReadonlySet<StatName> = new Set(['topics', 'routes', 'retained']);

export interface Stat {
  readonly count: number | undefined;
  /** Highest value since the node started. */
  readonly max: number | undefined;
}

export type Stats = Readonly<Record<StatName, Stat>>;

/** The traffic in one of the broker's own sampling intervals, as the broker has kept it. */
export interface LoadSample {
  /** Seconds from the end of the interval to the answer. */
  readonly secondsAgo: number;
  /** Events per second, averaged over the interval. Those that the broker does not keep are absent. */
  readonly rates: Readonly<Partial<Record<MetricName, number>>>;
}
