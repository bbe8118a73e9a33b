import type { Client } from '../../../../domain/client.ts';
import type { ByNode } from '../../../../domain/cluster.ts';
import type { Listener } from '../../../../domain/listener.ts';
import { metricNames, type Metrics } from '../../../../domain/metric.ts';
import type { NodeInfo, NodeStats } from '../../../../domain/node.ts';
import type { Plugin } from '../../../../domain/plugin.ts';
import type { Route } from '../../../../domain/route.ts';
import type { Session } from '../../../../domain/session.ts';
import type { PluginSetting, Setting } from '../../../../domain/setting.ts';
import { statNames, type Stats } from '../../../../domain/stat.ts';
import type { Subscription } from '../../../../domain/subscription.ts';
import type { AdminUser } from '../../../../domain/user.ts';
import type { Page } from '../../../management-api.ts';
import { encodeKnown, encodeLoad, encodeSize, encodeTime, encodeUptime } from './encode-values.ts';
import { lazily } from '../../../json-pieces.ts';
import { unknownText } from '../records.ts';
import type { VariantRules } from '../variants.ts';

/** A record of the wire. A field that is `undefined` is absent from the JSON. */
export type WireRecord = Readonly<Record<string, unknown>>;

/** §2.2, for the single read; the list adds `name`. */
export function encodeNodeInfo(node: NodeInfo): WireRecord {
  return {
    version: node.version,
    sysdescr: node.description,
    uptime: encodeKnown(node.uptimeSeconds, encodeUptime),
    datetime: encodeKnown(node.clock, encodeTime),
    otp_release: node.otpRelease,
    node_status: node.statusText,
  };
}

/** §2.2, as an element of the list. */
export function encodeListedNode(node: NodeInfo): WireRecord {
  return { name: node.name, ...encodeNodeInfo(node) };
}

/** §2.3. A stopped node says its name and status alone (field notes, "Values"). */
export function encodeNodeStats(node: NodeStats): WireRecord {
  if (node.status === 'stopped') return { name: node.name, node_status: node.statusText };
  return {
    name: node.name,
    otp_release: node.otpRelease,
    memory_total: encodeKnown(node.memoryTotalBytes, encodeSize),
    memory_used: encodeKnown(node.memoryUsedBytes, encodeSize),
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

/** §2.4 */
export function encodeClient(client: Client): WireRecord {
  return {
    client_id: client.clientId,
    username: client.username ?? unknownText,
    ipaddress: client.ipAddress,
    port: client.port,
    clean_sess: client.cleanSession,
    proto_ver: client.protocolVersion,
    keepalive: client.keepaliveSeconds,
    connected_at: encodeKnown(client.connectedAt, encodeTime),
  };
}

/** §2.5. Which counters there are depends on the variant; Variant A says `"undefined"` for an unknown one. */
export function encodeSession(session: Session, rules: VariantRules): WireRecord {
  const common = {
    client_id: session.clientId,
    clean_sess: session.cleanSession,
    created_at: encodeKnown(session.createdAt, encodeTime),
  };
  if (rules.sessionFields === 'a') {
    return {
      ...common,
      max_inflight: session.maxInflight ?? unknownText,
      inflight_queue: session.inflight ?? unknownText,
      message_queue: session.queueLength ?? unknownText,
      message_dropped: session.dropped ?? unknownText,
      awaiting_rel: session.awaitingRel ?? unknownText,
      awaiting_ack: session.awaitingAck ?? unknownText,
      awaiting_comp: session.awaitingComp ?? unknownText,
    };
  }
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

/** §2.6 */
export function encodeSubscription({ clientId, topic, qos }: Subscription): WireRecord {
  return { client_id: clientId, topic, qos };
}

/** §2.7 */
export function encodeRoute({ topic, node }: Route): WireRecord {
  return { topic, node };
}

/** §2.8 */
export function encodePlugin({ name, version, description, active }: Plugin): WireRecord {
  return { name, version, description, active };
}

/** §2.9 */
export function encodeListener(listener: Listener): WireRecord {
  return {
    protocol: listener.protocol,
    listen: listener.listen,
    acceptors: listener.acceptors,
    max_clients: listener.maxClients,
    current_clients: listener.currentClients,
    shutdown_count: Object.entries(listener.shutdownCount).map(([reason, count]) => ({ [reason]: count })),
  };
}

/** §2.10 */
export function encodeMetrics(metrics: Metrics): WireRecord {
  return Object.fromEntries(metricNames.map((name) => [name, metrics[name]]));
}

/** Sum of the nodes' counters; one that no node knows stays unknown. */
export function sumMetrics(nodes: Iterable<Metrics>): Metrics {
  const total: Partial<Record<(typeof metricNames)[number], number>> = {};
  for (const metrics of nodes) {
    for (const name of metricNames) {
      const value = metrics[name];
      if (value !== undefined) total[name] = (total[name] ?? 0) + value;
    }
  }
  return total;
}

/** §2.11 */
export function encodeStats(stats: Stats): WireRecord {
  return Object.fromEntries(statNames.flatMap((name) => [
    [`${name}/count`, stats[name].count],
    [`${name}/max`, stats[name].max],
  ]));
}

/** Cluster-wide statistics in the shape of the variant (§4.1). */
export function encodeClusterStats(nodes: ByNode<Stats>, rules: VariantRules): WireRecord | readonly WireRecord[] {
  if (rules.statsShape === 'object-by-node') return encodeByNode(nodes, encodeStats);
  return [...nodes].map(([node, stats]) => encodeByNode(new Map([[node, stats]]), encodeStats));
}

/** §2.12. The field is spelled `datatpye`. */
export function encodeSetting({ key, value, dataType, app }: Setting): WireRecord {
  return { key, value: value ?? unknownText, datatpye: dataType, app };
}

/** §2.13 */
export function encodePluginSetting({ key, value, description, required }: PluginSetting): WireRecord {
  return { key, value, desc: description, required };
}

/** §2.14, without the password. */
export function encodeUser({ username, tags }: AdminUser): WireRecord {
  return { username, tags };
}

/** An object keyed by node name. Names such as `__proto__` are keys like any other. */
export function encodeByNode<T>(nodes: ByNode<T>, encode: (value: T) => unknown): WireRecord {
  return Object.fromEntries([...nodes].map(([node, value]) => [node, encode(value)]));
}

/**
 * A paged list (§2.1). `askedPage` is echoed as it was asked, below 1 too (field notes, "Lists"). A page may
 * be as long as its reader likes, so its records are made as they are written, once.
 */
export function encodePage<T>(page: Page<T>, askedPage: number, encode: (item: T) => WireRecord): WireRecord {
  const { totalItems, totalPages, pageSize } = page;
  return {
    current_page: askedPage,
    page_size: pageSize,
    total_num: totalItems,
    total_page: totalPages ?? (totalItems === undefined ? undefined : Math.ceil(totalItems / pageSize)),
    objects: lazily(page.items, encode),
  };
}

/** A read by id (§2.1): an object with `objects` alone. */
export function encodeObjects<T>(items: readonly T[], encode: (item: T) => WireRecord): WireRecord {
  return { objects: items.map(encode) };
}
