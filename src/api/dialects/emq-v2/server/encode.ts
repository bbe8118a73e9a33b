import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../../../../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../../../../domain/client.ts';
import { type MetricName, metricNames, type Metrics, statNames, type Stats } from '../../../../domain/metrics.ts';
import type { ByNode, NodeInfo, NodeStats } from '../../../../domain/node.ts';
import { lazily } from '../../../json.ts';
import type { Page } from '../../../management-api.ts';
import { sizeText, uptimeText, wallTimeText } from '../../../server/figures.ts';
import { wireMetric } from '../decode.ts';
import { erlangUndefined } from '../../records.ts';
import type { VariantRules } from '../variants.ts';
import { sessionFieldsOfB } from '../wire.ts';

/** A JSON object. Fields that are `undefined` are left out. */
export type WireRecord = Readonly<Record<string, unknown>>;

export function encodeNodeInfo(node: NodeInfo): WireRecord {
  return {
    version: node.version,
    sysdescr: node.description,
    uptime: encodeKnown(node.uptimeSeconds, uptimeText),
    datetime: encodeKnown(node.clock, wallTimeText),
    otp_release: node.otpRelease,
    node_status: node.statusText,
  };
}

export function encodeListedNode(node: NodeInfo): WireRecord {
  return { name: node.name, ...encodeNodeInfo(node) };
}

/** Encodes §2.3. A stopped node has only name and status (field notes, "Values"). */
export function encodeNodeStats(node: NodeStats): WireRecord {
  if (node.status === 'stopped') return { name: node.name, node_status: node.statusText };
  return {
    name: node.name,
    otp_release: node.otpRelease,
    memory_total: encodeKnown(node.memoryTotalBytes, sizeText),
    memory_used: encodeKnown(node.memoryUsedBytes, sizeText),
    process_available: node.processLimit,
    process_used: node.processesUsed,
    max_fds: node.maxFileDescriptors,
    clients: node.clients,
    node_status: node.statusText,
    load1: encodeKnown(node.load1, encodeLoad),
    load5: encodeKnown(node.load5, encodeLoad),
    load15: encodeKnown(node.load15, encodeLoad),
  };
}

export function encodeClient(client: Client): WireRecord {
  return {
    client_id: client.clientId,
    username: client.username ?? erlangUndefined,
    ipaddress: client.ipAddress,
    port: client.port,
    clean_sess: client.cleanSession,
    proto_ver: client.protocolVersion,
    keepalive: client.keepaliveSeconds,
    connected_at: encodeKnown(client.connectedAt, wallTimeText),
  };
}

/**
 * Encodes §2.5. The counters depend on the variant; Variant A writes `"undefined"` for an unknown value, and B with
 * `isElsewhere` for all.
 */
export function encodeSession(session: Session, rules: VariantRules, isElsewhere = false): WireRecord {
  const common = {
    client_id: session.clientId,
    clean_sess: session.cleanSession,
    created_at: encodeKnown(session.createdAt, wallTimeText),
  };
  if (rules.sessionFields === 'a') {
    return {
      ...common,
      max_inflight: session.maxInflight ?? erlangUndefined,
      inflight_queue: session.inflight ?? erlangUndefined,
      message_queue: session.queueLength ?? erlangUndefined,
      message_dropped: session.dropped ?? erlangUndefined,
      awaiting_rel: session.awaitingRel ?? erlangUndefined,
      awaiting_ack: session.awaitingAck ?? erlangUndefined,
      awaiting_comp: session.awaitingComp ?? erlangUndefined,
    };
  }
  if (isElsewhere)
    return {
      ...common,
      ...Object.fromEntries(['max_inflight', ...sessionFieldsOfB].map((field) => [field, erlangUndefined])),
    };
  return {
    ...common,
    subscriptions: session.subscriptions,
    max_inflight: session.maxInflight,
    inflight_len: session.inflight,
    mqueue_len: session.queueLength,
    mqueue_dropped: session.dropped,
    awaiting_rel_len: session.awaitingRel,
    deliver_msg: session.delivered,
    enqueue_msg: session.enqueued,
  };
}

export function encodeSubscription({ clientId, topic, qos }: Subscription): WireRecord {
  return { client_id: clientId, topic, qos };
}

export function encodeRoute({ topic, node }: Route): WireRecord {
  return { topic, node };
}

export function encodePlugin({ name, version, description, active }: Plugin): WireRecord {
  return { name, version, description, active };
}

export function encodeListener(listener: Listener): WireRecord {
  return {
    protocol: listener.protocol,
    listen: listener.listen,
    acceptors: listener.acceptors,
    max_clients: listener.maxClients,
    current_clients: listener.currentClients,
    shutdown_count: encodeShutdowns(listener.shutdownCount),
  };
}

/**
 * Encodes counts as real brokers do: an object, such as `{"kick": 19}`. Without counts it is an empty list, as in §2.9.
 */
function encodeShutdowns(counts: Listener['shutdownCount']): WireRecord | readonly never[] {
  const named = Object.entries(counts).map(([reason, count]): [string, number] => [
    reasonNames[reason] ?? reason.replaceAll('-', '_'),
    count,
  ]);
  return named.length === 0 ? [] : Object.fromEntries(named);
}

/** Real brokers' words for reasons. */
const reasonNames: Readonly<Record<string, string>> = { kicked: 'kick', 'taken-over': 'conflict' };

export function encodeMetrics(metrics: Metrics): WireRecord {
  return Object.fromEntries(metricNames.map((name) => [wireMetric(name), metrics[name]]));
}

/** Adds up metrics. A counter that one node lacks is absent. */
export function sumMetrics(nodes: Iterable<Metrics>): Metrics {
  const total = new Map<MetricName, number | undefined>(metricNames.map((name) => [name, 0]));
  for (const metrics of nodes) {
    for (const [name, sum] of total) {
      const value = metrics[name];
      total.set(name, sum === undefined || value === undefined ? undefined : sum + value);
    }
  }
  return Object.fromEntries([...total].filter(([, sum]) => sum !== undefined));
}

export function encodeStats(stats: Stats): WireRecord {
  return Object.fromEntries(
    statNames.flatMap((name) => [
      [`${name}/count`, stats[name].count],
      [`${name}/max`, stats[name].max],
    ]),
  );
}

export function encodeClusterStats(nodes: ByNode<Stats>, rules: VariantRules): WireRecord | readonly WireRecord[] {
  if (rules.statsShape === 'object-by-node') return encodeByNode(nodes, encodeStats);
  return [...nodes].map(([node, stats]) => encodeByNode(new Map([[node, stats]]), encodeStats));
}

/** Encodes §2.12, where the field is spelled `datatpye`. */
export function encodeSetting({ key, value, dataType, app }: Setting): WireRecord {
  return { key, value: value ?? erlangUndefined, datatpye: dataType, app };
}

export function encodePluginSetting({ key, value, description, required }: PluginSetting): WireRecord {
  return { key, value, desc: description, required };
}

export function encodeAlarm({ id, severity = 'warning', title, summary, occurredAt }: Alarm): WireRecord {
  return { id, severity, title, summary, occurred_at: encodeKnown(occurredAt, wallTimeText) };
}

/** Encodes §2.14, without the password. */
export function encodeUser({ username, tags }: AdminUser): WireRecord {
  return { username, tags };
}

/** Encodes by node, where names such as `__proto__` are ordinary keys. */
export function encodeByNode<T>(nodes: ByNode<T>, encode: (value: T) => unknown): WireRecord {
  return Object.fromEntries([...nodes].map(([node, value]) => [node, encode(value)]));
}

/** Encodes §2.1. `requestedPage` is echoed even below 1 (field notes, "Lists"). Lazy: a page may be very long. */
export function encodePage<T>(page: Page<T>, requestedPage: number, encode: (item: T) => WireRecord): WireRecord {
  const { totalItems, totalPages, pageSize } = page;
  return {
    current_page: requestedPage,
    page_size: pageSize,
    total_num: totalItems,
    total_page: totalPages ?? (totalItems === undefined ? undefined : Math.ceil(totalItems / pageSize)),
    objects: lazily(page.items, encode),
  };
}

export function encodeObjects<T>(items: readonly T[], encode: (item: T) => WireRecord): WireRecord {
  return { objects: items.map(encode) };
}

function encodeLoad(load: number): string {
  return load.toFixed(2);
}

function encodeKnown<T>(value: T | undefined, encode: (value: T) => string): string | undefined {
  return value === undefined ? undefined : encode(value);
}
