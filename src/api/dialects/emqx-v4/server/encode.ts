import type { AdminUser, Alarm, Ban, Listener, Plugin } from '../../../../domain/administration.ts';
import type { AclDecision, Subscription } from '../../../../domain/client.ts';
import { type MetricName, type Metrics, type Stat, type Stats } from '../../../../domain/metrics.ts';
import type { BrokerSeconds, NodeInfo, NodeStats } from '../../../../domain/node.ts';
import { epochMsOf } from '../../../server/epoch.ts';
import { sizeText, uptimeText, wallTimeText } from '../../../server/figures.ts';
import type { ServedClient } from '../../../server/served-clients.ts';
import { erlangUndefined } from '../../records.ts';
import { banKinds, endOfTime } from '../decode-lists.ts';
import { wireMetric } from '../decode-nodes.ts';
import type { WireRecord } from './answer.ts';

const known = <T, R>(value: T | undefined, encode: (value: T) => R): R | undefined =>
  value === undefined ? undefined : encode(value);
const orUndefinedText = (text: string | undefined): string => text ?? erlangUndefined;
/** Alarms have microseconds since 1970. */
const microsecondsOf = (seconds: BrokerSeconds): number => epochMsOf(seconds) * 1000;
const epochSecondsOf = (seconds: BrokerSeconds): number => Math.round(epochMsOf(seconds) / 1000);

export const encodeBroker = (
  { name, uptimeSeconds, clock, otpRelease, description }: NodeInfo,
  release: string,
): WireRecord => ({
  version: release,
  uptime: known(uptimeSeconds, uptimeText),
  sysdescr: description,
  otp_release: otpRelease,
  node_status: 'Running',
  node: name,
  datetime: known(clock, wallTimeText),
});

export const encodeNode = (
  stats: NodeStats,
  info: NodeInfo | undefined,
  release: string,
  sessions: number | undefined,
): WireRecord => ({
  version: release,
  uptime: known(info?.uptimeSeconds, uptimeText),
  process_used: stats.processesUsed,
  process_available: stats.processLimit,
  otp_release: stats.otpRelease,
  node_status: 'Running',
  node: stats.name,
  memory_used: known(stats.memoryUsedBytes, sizeText),
  memory_total: known(stats.memoryTotalBytes, sizeText),
  max_fds: stats.maxFileDescriptors,
  load1: known(stats.load1, (load) => load.toFixed(2)),
  load5: known(stats.load5, (load) => load.toFixed(2)),
  load15: known(stats.load15, (load) => load.toFixed(2)),
  live_connections: stats.clients,
  connections: sessions,
});

export function encodeStats(stats: Stats): WireRecord {
  const none: Stat = { count: 0, max: 0 };
  const named: Readonly<Record<string, Stat>> = {
    topics: stats.topics,
    'subscriptions.shared': none,
    subscriptions: stats.subscriptions,
    subscribers: stats.subscribers,
    suboptions: stats.subscriptions,
    sessions: stats.sessions,
    routes: stats.routes,
    retained: stats.retained,
    live_connections: stats.clients,
    connections: stats.sessions,
    channels: stats.sessions,
  };
  return Object.fromEntries(
    Object.entries(named).flatMap(([name, { count, max }]) => [
      [`${name}.count`, count],
      [`${name}.max`, max],
    ]),
  );
}

/** Counters of which the API knows nothing. */
const unknownMetrics: ReadonlySet<string> = new Set(['messages.qos2.dropped']);

export const encodeMetrics = (metrics: Metrics): WireRecord => ({
  ...Object.fromEntries(
    Object.entries(metrics).flatMap(([name, value]) =>
      unknownMetrics.has(name) ? [] : [[wireMetric(name as MetricName), value]],
    ),
  ),
  // The broker counts only messages without subscribers as dropped.
  'messages.dropped': metrics['messages.dropped'],
});

/** Encodes a listener. Its protocol has the kind of traffic in front, and for WebSocket the port behind it. */
export function encodeListener({
  protocol,
  listen,
  port,
  acceptors,
  maxClients,
  currentClients,
  shutdownCount,
}: Listener): WireRecord {
  const transport = protocol.replace(/^mqtt:/u, '');
  const isManagement = transport === 'api';
  const isWebSocket = transport === 'ws' || transport === 'wss';
  return {
    shutdown_count: Object.keys(shutdownCount).length === 0 ? [] : shutdownCount,
    protocol: isManagement ? 'http:management' : `mqtt:${transport}${isWebSocket ? `:${port ?? ''}` : ''}`,
    max_conns: maxClients,
    listen_on: listen,
    ...(!isManagement && !isWebSocket && { identifier: `mqtt:${transport}:external` }),
    current_conns: currentClients,
    acceptors,
  };
}

/** Encodes a row without what the broker does not know, such as the address of an offline client. */
export function encodeClient({ session, client }: ServedClient): WireRecord {
  const { traffic } = client ?? {};
  const above = session.deliveredAboveQos0;
  return {
    clientid: session.clientId,
    username: orUndefinedText(client?.username),
    node: session.node,
    ip_address: client?.ipAddress,
    port: client?.port,
    proto_name: known(client?.protocolVersion, (version) => (version === 3 ? 'MQIsdp' : 'MQTT')),
    proto_ver: client?.protocolVersion,
    keepalive: client?.keepaliveSeconds,
    connected: client !== undefined,
    connected_at: known(client?.connectedAt, wallTimeText),
    created_at: known(session.createdAt, wallTimeText),
    clean_start: session.cleanSession,
    expiry_interval: session.cleanSession === false ? 7_200 : 0,
    is_bridge: false,
    zone: 'external',
    mountpoint: erlangUndefined,
    subscriptions_cnt: session.subscriptions,
    max_subscriptions: 0,
    inflight: session.inflight,
    max_inflight: session.maxInflight,
    mqueue_len: session.queueLength,
    max_mqueue: session.maxQueueLength,
    mqueue_dropped: session.dropped,
    awaiting_rel: session.awaitingRel,
    recv_msg: traffic?.receivedMessages ?? 0,
    send_msg: session.delivered,
    ...(above !== undefined && {
      'send_msg.qos0': (session.delivered ?? 0) - above,
      'send_msg.qos1': above - (session.deliveredQos2 ?? 0),
      'send_msg.qos2': session.deliveredQos2 ?? 0,
    }),
    'send_msg.dropped': session.dropped,
    'send_msg.dropped.queue_full': session.dropped,
    recv_oct: traffic?.receivedBytes,
    send_oct: traffic?.sentBytes,
  };
}

export const encodeAclDecision = ({ action, topic, isAllowed, decidedAt }: AclDecision): WireRecord => ({
  access: action,
  topic,
  result: isAllowed === true ? 'allow' : 'deny',
  updated_time: known(decidedAt, epochMsOf),
});

export const encodeSubscription = ({ clientId, topic, qos, node }: Subscription): WireRecord => ({
  clientid: clientId,
  topic: topic.startsWith('$queue/') ? `$share/${topic}` : topic,
  qos,
  node,
});

export function encodeAlarm({ id, title, summary, occurredAt, endedAt }: Alarm, now: BrokerSeconds): WireRecord {
  return {
    name: id,
    message: summary ?? title,
    details: {},
    duration: known(occurredAt, (since) => Math.max(0, Math.round(((endedAt ?? now) - since) * 1_000_000))),
    activated: endedAt === undefined,
    activate_at: known(occurredAt, microsecondsOf),
    deactivate_at: endedAt === undefined ? 'infinity' : microsecondsOf(endedAt),
  };
}

export const encodeBan = ({ kind, value, reason, since, until }: Ban): WireRecord => ({
  who: value,
  as: banKinds[kind],
  by: 'user',
  reason: reason ?? '',
  at: known(since, epochSecondsOf),
  until: until === undefined ? endOfTime : epochSecondsOf(until),
});

export const encodePlugin = ({ name, description, active }: Plugin): WireRecord => ({
  name,
  description,
  type: 'feature',
  active: active === true,
});

export const encodeUser = ({ username, tags }: AdminUser): WireRecord => ({ username, tags });
