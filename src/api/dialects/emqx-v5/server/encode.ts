import type { AdminUser, Alarm, ApiKey, Ban, Listener, Plugin } from '../../../../domain/administration.ts';
import type { AclDecision, Subscription } from '../../../../domain/client.ts';
import type { RetainedMessage, SessionMessage, SlowSubscription } from '../../../../domain/messages.ts';
import type { MetricName, Metrics, Stat, Stats } from '../../../../domain/metrics.ts';
import type { BrokerSeconds, NodeInfo, NodeName, NodeStats } from '../../../../domain/node.ts';
import { sizeText } from '../../../server/figures.ts';
import type { ServedClient } from '../../../server/served-clients.ts';
import { banKinds } from '../decode-lists.ts';
import type { WireRecord } from './answer.ts';
import { epochMsOf } from '../../../server/epoch.ts';
import { exactTime, plainTime } from './times.ts';

const known = <T, R>(value: T | undefined, encode: (value: T) => R): R | undefined =>
  value === undefined ? undefined : encode(value);
/** Writes "not set" as records of messages do. */
const orUndefinedText = (text: string | undefined): string => text ?? 'undefined';

export interface NodeFigures {
  readonly info: NodeInfo | undefined;
  readonly stats: NodeStats;
  readonly sessions: number;
  readonly clusterSessions: number;
}

/** Encodes a node. A stopped one has three fields. */
export function encodeNode(
  { info, stats, sessions, clusterSessions }: NodeFigures,
  releaseOf: (version: string | undefined) => string,
): WireRecord {
  const { name } = stats;
  if (stats.status === 'stopped') return { node: name, node_status: 'stopped', role: 'core' };
  return {
    node: name,
    node_status: 'running',
    version: releaseOf(info?.version),
    edition: 'Opensource',
    role: 'core',
    uptime: known(info?.uptimeSeconds, (seconds) => Math.round(seconds * 1000)),
    connections: sessions,
    live_connections: stats.clients,
    cluster_sessions: clusterSessions,
    load1: stats.load1,
    load5: stats.load5,
    load15: stats.load15,
    process_used: stats.processesUsed,
    process_available: stats.processLimit,
    max_fds: stats.maxFileDescriptors,
    memory_total: known(stats.memoryTotalBytes, sizeText),
    memory_used: known(stats.memoryUsedBytes, sizeText),
    otp_release: stats.otpRelease,
  };
}

/** Counts of all nodes, with the highest values seen. */
export interface ClusterSessions {
  readonly count: number;
  readonly max: number;
}

export function encodeStats(stats: Stats, clusterSessions: ClusterSessions): WireRecord {
  const none: Stat = { count: 0, max: 0 };
  const named: Readonly<Record<string, Stat>> = {
    channels: stats.sessions,
    connections: stats.sessions,
    live_connections: stats.clients,
    sessions: stats.sessions,
    cluster_sessions: clusterSessions,
    subscribers: stats.subscribers,
    suboptions: stats.subscriptions,
    subscriptions: stats.subscriptions,
    'subscriptions.shared': none,
    topics: stats.routes,
    retained: stats.retained,
    delayed: none,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, { count, max }]) => [
      [`${name}.count`, count],
      [`${name}.max`, max],
    ]),
  );
}

/** Figures that are the same on every node, and so not added up. */
const sharedStats: ReadonlySet<string> = new Set(['topics', 'retained', 'subscriptions.shared']);

/** Adds up statistics, also `cluster_sessions`, as real brokers do by mistake. */
export function sumStats(nodes: readonly WireRecord[]): WireRecord {
  return sumRecords(nodes, (name) => sharedStats.has(name.replace(/\.(count|max)$/u, '')));
}

export function sumRecords(
  records: readonly WireRecord[],
  isShared: (name: string) => boolean = () => false,
): WireRecord {
  const sums: Record<string, number> = {};
  for (const record of records) {
    for (const [name, value] of Object.entries(record)) {
      if (typeof value === 'number') sums[name] = isShared(name) ? value : (sums[name] ?? 0) + value;
    }
  }
  return sums;
}

/** The API's names where they differ. The broker counts only messages without subscribers as dropped. */
const metricNames: Readonly<Partial<Record<MetricName, readonly string[]>>> = {
  'packets.connect': ['packets.connect.received'],
  'packets.connack': ['packets.connack.sent'],
  'packets.disconnect': ['packets.disconnect.received'],
  'packets.subscribe': ['packets.subscribe.received'],
  'packets.suback': ['packets.suback.sent'],
  'packets.unsubscribe': ['packets.unsubscribe.received'],
  'packets.unsuback': ['packets.unsuback.sent'],
  'packets.pingreq': ['packets.pingreq.received'],
  'packets.pingresp': ['packets.pingresp.sent'],
  'messages.dropped': ['messages.dropped', 'messages.dropped.no_subscribers'],
  // Another figure of the statistics.
  'messages.retained': [],
  // Not known by this API.
  'messages.qos2.dropped': [],
};

export function encodeMetrics(metrics: Metrics): WireRecord {
  return Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]) =>
      (metricNames[name as MetricName] ?? [name]).map((wire) => [wire, value]),
    ),
  );
}

const encodeByQos = (qos0: number, above: number, qos2: number): WireRecord => ({
  'send_msg.qos0': qos0,
  'send_msg.qos1': above - qos2,
  'send_msg.qos2': qos2,
});

/** The largest value: sessions without a client never expire. */
const neverExpires = 0xffff_ffff;

/** Encodes a row without what the broker does not know, such as the address of an offline client. */
export function encodeClient({ session, client }: ServedClient): WireRecord {
  const { traffic } = client ?? {};
  return {
    clientid: session.clientId,
    username: client?.username ?? null,
    node: session.node,
    ip_address: client?.ipAddress,
    port: client?.port,
    proto_name: known(client?.protocolVersion, (version) => (version === 3 ? 'MQIsdp' : 'MQTT')),
    proto_ver: client?.protocolVersion,
    peersni: null,
    client_attrs: {},
    mountpoint: null,
    is_bridge: false,
    connected: client !== undefined,
    connected_at: known(client?.connectedAt, exactTime),
    created_at: known(session.createdAt, exactTime),
    keepalive: client?.keepaliveSeconds,
    expiry_interval: session.cleanSession === false ? neverExpires : 0,
    clean_start: session.cleanSession,
    is_persistent: session.cleanSession === false,
    durable: false,
    is_expired: false,
    auth_expire_at: null,
    enable_authn: true,
    mqueue_len: session.queueLength,
    mqueue_max: session.maxQueueLength,
    mqueue_dropped: session.dropped,
    inflight_cnt: session.inflight,
    inflight_max: session.maxInflight,
    awaiting_rel_cnt: session.awaitingRel,
    subscriptions_cnt: session.subscriptions,
    subscriptions_max: 'infinity',
    recv_msg: traffic?.receivedMessages ?? 0,
    send_msg: session.delivered,
    ...known(session.deliveredAboveQos0, (above) =>
      encodeByQos((session.delivered ?? 0) - above, above, session.deliveredQos2 ?? 0),
    ),
    'send_msg.dropped': session.dropped,
    'send_msg.dropped.queue_full': session.dropped,
    recv_oct: traffic?.receivedBytes,
    send_oct: traffic?.sentBytes,
  };
}

/** The defaults of MQTT 5 options, which this broker does not have. */
const options = { nl: 0, rap: 0, rh: 0 };

export const encodeSubscribed = ({ clientId, topic, qos, node }: Subscription): WireRecord => ({
  clientid: clientId,
  topic,
  qos,
  node,
  ...options,
});
/** Encodes a decision, which does not depend on QoS and retain here. */
export const encodeAclDecision = ({ action, topic, isAllowed, decidedAt }: AclDecision): WireRecord => ({
  access: { action_type: action, qos: 0, retain: false },
  topic,
  result: isAllowed === true ? 'allow' : 'deny',
  updated_time: known(decidedAt, epochMsOf),
});

export const encodeSubscription = (subscription: Subscription): WireRecord => ({
  ...encodeSubscribed(subscription),
  durable: false,
});

export function encodeSessionMessage(
  { topic, qos, publishedAt, fromClientId, fromUsername }: SessionMessage,
  payload: string | undefined,
  id: string,
): WireRecord {
  return {
    msgid: id,
    topic,
    qos,
    publish_at: known(publishedAt, epochMsOf),
    from_clientid: fromClientId,
    from_username: orUndefinedText(fromUsername),
    payload,
  };
}

export function encodeRetained({ topic, qos, publishedAt, fromClientId, fromUsername }: RetainedMessage): WireRecord {
  return {
    topic,
    qos,
    publish_at: known(publishedAt, exactTime),
    from_clientid: fromClientId,
    from_username: orUndefinedText(fromUsername),
  };
}

export function encodeSlow({ clientId, topic, node, latencyMs, updatedAt }: SlowSubscription): WireRecord {
  return { clientid: clientId, topic, node, timespan: latencyMs, last_update_time: known(updatedAt, epochMsOf) };
}

export interface NodeListener {
  readonly node: NodeName;
  readonly listener: Listener;
}

const runningOf = (parts: readonly NodeListener[]): boolean | 'inconsistent' => {
  const states = new Set(parts.map(({ listener }) => listener.running !== 'no'));
  return states.size > 1 ? 'inconsistent' : states.has(true);
};

const sumOf = (numbers: readonly (number | undefined)[]): number =>
  numbers.reduce<number>((sum, value) => sum + (value ?? 0), 0);
const limitOf = (parts: readonly NodeListener[]): number | 'infinity' =>
  parts.some(({ listener }) => listener.isUnlimited === true)
    ? 'infinity'
    : sumOf(parts.map(({ listener }) => listener.maxClients));

const statusOf = (parts: readonly NodeListener[]): WireRecord => ({
  running: runningOf(parts),
  current_connections: sumOf(parts.map(({ listener }) => listener.currentClients)),
  max_connections: limitOf(parts),
});

/** Encodes the listeners with one id; the address is that of the first node. */
export function encodeListener(id: string, parts: readonly NodeListener[]): WireRecord {
  const [type, name] = id.split(':');
  const first = parts[0]?.listener;
  return {
    id,
    type,
    name,
    bind: first?.listen,
    enable: runningOf(parts) !== false,
    acceptors: first?.acceptors,
    number: parts.length,
    status: statusOf(parts),
    node_status: parts.map((part) => ({ node: part.node, status: statusOf([part]) })),
  };
}

export function encodeListenerSettings(id: string, parts: readonly NodeListener[]): WireRecord {
  const { type, bind, enable, acceptors } = encodeListener(id, parts);
  return { id, type, bind, enable, acceptors, ...statusOf(parts) };
}

export function encodeAlarm(
  { id, title, summary, occurredAt, endedAt, node, queueOf, partedFrom }: Alarm,
  now: BrokerSeconds,
): WireRecord {
  return {
    name: id,
    node,
    message: summary ?? title,
    details: {
      ...(queueOf !== undefined && { clientid: queueOf }),
      ...(partedFrom !== undefined && { occurred: partedFrom }),
    },
    activate_at: known(occurredAt, exactTime),
    deactivate_at: known(endedAt, exactTime),
    duration: known(occurredAt, (since) => Math.max(0, Math.round(((endedAt ?? now) - since) * 1000))),
  };
}

export function encodeBan({ kind, value, by, reason, since, until }: Ban): WireRecord {
  return {
    as: banKinds[kind],
    who: value,
    by: by ?? 'mgmt_api',
    reason: reason ?? '',
    at: known(since, plainTime),
    until: until === undefined ? 'infinity' : plainTime(until),
  };
}

export interface NodePlugin {
  readonly node: NodeName;
  readonly plugin: Plugin;
}

export const pluginId = ({ name, version }: Plugin): string => `${name}-${version ?? ''}`;

export function encodePlugin(parts: readonly NodePlugin[]): WireRecord {
  const { name, version = '', description = '' } = parts[0]?.plugin ?? {};
  return {
    name,
    rel_vsn: version,
    description,
    running_status: parts.map(({ node, plugin }) => ({ node, status: plugin.active === true ? 'running' : 'stopped' })),
  };
}

export const encodeUser = ({ username, tags }: AdminUser): WireRecord => ({ username, description: tags });

export function encodeApiKey(
  { name, key, description, isEnabled, createdAt, expiresAt }: ApiKey,
  now: BrokerSeconds,
): WireRecord {
  return {
    name,
    api_key: key,
    desc: description ?? '',
    enable: isEnabled,
    expired: expiresAt !== undefined && expiresAt <= now,
    expired_at: expiresAt === undefined ? 'infinity' : plainTime(expiresAt),
    created_at: known(createdAt, plainTime),
  };
}
