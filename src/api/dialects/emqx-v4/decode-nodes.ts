import type { Listener } from '../../../domain/administration.ts';
import { allMetricNames, type MetricName, type Metrics, type Stat, type Stats } from '../../../domain/metrics.ts';
import type { ByNode, NodeInfo, NodeName, NodeStats, NodeStatus } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import { silentNodeTexts } from '../../texts.ts';
import { decodeRows, Fields, figureOf } from '../fields.ts';
import {
  parseDateTime,
  parseDecimal,
  parseListen,
  parseUptimeSeconds,
  ShapeError,
  type UnusableTally,
} from '../records.ts';
import { v4Texts } from './texts.ts';

const stopped = 'nodedown';
const statuses: Readonly<Record<string, NodeStatus>> = { running: 'running', stopped: 'stopped', [stopped]: 'stopped' };

function statusOf(text: string): NodeStatus {
  const lower = text.toLowerCase();
  return Object.hasOwn(statuses, lower) ? (statuses[lower] ?? 'other') : 'other';
}

const uptime = (value: unknown): number | undefined =>
  typeof value === 'string' ? parseUptimeSeconds(value.toLowerCase()) : undefined;
const decimal = (value: unknown): number | undefined =>
  typeof value === 'string' || typeof value === 'number' ? parseDecimal(value) : undefined;

/** Decodes a wall-clock time without a zone. */
export const wallTime = (value: unknown): number | undefined =>
  typeof value === 'string' ? parseDateTime(value) : undefined;

interface CommonFields extends Pick<NodeInfo, 'name' | 'otpRelease' | 'status' | 'statusText' | 'isSilent'> {}

/** Reads what both lists of nodes have. A node that others cannot reach has a name and an error. */
function commonOf(fields: Fields): CommonFields | undefined {
  const name = fields.text('node') ?? (fields.raw['node_status'] === undefined ? undefined : v4Texts.nanoMqNode);
  if (name === undefined || name === '') return undefined;
  const failure = fields.text('error', 'statusText');
  const statusText = failure ?? fields.text('node_status', 'statusText') ?? '';
  const status = statusOf(statusText);
  return {
    name,
    otpRelease: fields.text('otp_release', 'otpRelease'),
    status,
    statusText,
    ...(failure !== undefined && status === 'other' && { isSilent: true as const }),
  };
}

export function toNodeInfo(fields: Fields): NodeInfo | undefined {
  const common = commonOf(fields);
  if (common === undefined) return undefined;
  const clock = fields.read('datetime', 'clock', wallTime);
  return {
    ...common,
    version: fields.text('version'),
    description: fields.text('sysdescr', 'description'),
    uptimeSeconds: fields.read('uptime', 'uptimeSeconds', uptime),
    clock: common.status === 'running' ? clock : undefined,
    unparsed: fields.unparsed,
  };
}

/**
 * Decodes the figures of a node. `connections` counts sessions, also of NanoMQ: before 4.4, and there, connected clients
 * are unknown.
 */
export function toNodeStats(fields: Fields): NodeStats | undefined {
  const common = commonOf(fields);
  if (common === undefined) return undefined;
  const stats = {
    memoryTotalBytes: fields.size('memory_total', 'memoryTotalBytes'),
    memoryUsedBytes: fields.size('memory_used', 'memoryUsedBytes'),
    processLimit: fields.number('process_available', 'processLimit'),
    processesUsed: fields.number('process_used', 'processesUsed'),
    maxFileDescriptors: fields.number('max_fds', 'maxFileDescriptors'),
    clients: fields.number('live_connections', 'clients'),
    load1: fields.read('load1', 'load1', decimal),
    load5: fields.read('load5', 'load5', decimal),
    load15: fields.read('load15', 'load15', decimal),
  };
  return { ...common, ...stats, unparsed: fields.unparsed };
}

const absent = (name: NodeName, status: 'stopped' | 'other') => ({
  name,
  status,
  statusText: status === 'stopped' ? 'stopped' : silentNodeTexts.status,
  ...(status === 'other' && { isSilent: true as const }),
  otpRelease: undefined,
  unparsed: {},
});

export const absentInfo = (name: NodeName, status: 'stopped' | 'other'): NodeInfo => ({
  ...absent(name, status),
  version: undefined,
  description: undefined,
  uptimeSeconds: undefined,
  clock: undefined,
});

export const absentStats = (name: NodeName, status: 'stopped' | 'other'): NodeStats => ({
  ...absent(name, status),
  memoryTotalBytes: undefined,
  memoryUsedBytes: undefined,
  processLimit: undefined,
  processesUsed: undefined,
  maxFileDescriptors: undefined,
  clients: undefined,
  load1: undefined,
  load5: undefined,
  load15: undefined,
});

/** @throws ShapeError if no row can be decoded */
export function decodeByNode<T>(
  list: unknown,
  what: string,
  part: string,
  decode: (part: unknown) => T,
  tally?: UnusableTally,
): ByNode<T> {
  return new Map(
    decodeRows(
      list,
      what,
      (fields): readonly [NodeName, T] | undefined => {
        const node = fields.text('node');
        const value = fields.raw[part];
        // A node that cannot be reached has an error here.
        return node === undefined || (!isObject(value) && !Array.isArray(value)) ? undefined : [node, decode(value)];
      },
      tally,
    ),
  );
}

/** The API's names where they differ, also for another meaning. */
const wireNames: Readonly<Partial<Record<MetricName, string>>> = {
  'packets.connect': 'packets.connect.received',
  'packets.connack': 'packets.connack.sent',
  'packets.disconnect': 'packets.disconnect.received',
  'packets.subscribe': 'packets.subscribe.received',
  'packets.suback': 'packets.suback.sent',
  'packets.unsubscribe': 'packets.unsubscribe.received',
  'packets.unsuback': 'packets.unsuback.sent',
  'packets.pingreq': 'packets.pingreq.received',
  'packets.pingresp': 'packets.pingresp.sent',
  // `messages.dropped` also counts messages that had subscribers.
  'messages.dropped': 'messages.dropped.no_subscribers',
  'session.takenover': 'session.takeovered',
  'authentication.success': 'client.auth.success',
  'authentication.failure': 'client.auth.failure',
  'authorization.allow': 'client.acl.allow',
  'authorization.deny': 'client.acl.deny',
};

export const wireMetric = (name: MetricName): string => wireNames[name] ?? name;

export function decodeMetrics(body: unknown): Metrics {
  const { raw } = Fields.of(body, 'metrics');
  const metrics: Partial<Record<MetricName, number>> = {};
  for (const name of allMetricNames) {
    const value = figureOf(raw[wireMetric(name)]);
    if (value !== undefined) metrics[name] = value;
  }
  if (Object.keys(metrics).length === 0) throw new ShapeError('metrics: none of the known counters');
  return metrics;
}

/** Decodes statistics. Connected clients have a name of their own since 4.4: before, they are not counted apart. */
export function decodeStats(body: unknown): Stats {
  const { raw } = Fields.of(body, 'statistics');
  if (raw['sessions.count'] === undefined && raw['connections.count'] === undefined)
    throw new ShapeError('statistics: none of the known counts');
  const read = (name: string): Stat => ({ count: figureOf(raw[`${name}.count`]), max: figureOf(raw[`${name}.max`]) });
  return {
    clients: read('live_connections'),
    sessions: read('sessions'),
    subscribers: read('subscribers'),
    subscriptions: read('subscriptions'),
    topics: read('topics'),
    routes: read('routes'),
    retained: read('retained'),
  };
}

const numbersOf = (value: unknown): Readonly<Record<string, number>> | undefined => {
  if (Array.isArray(value) && value.length === 0) return {};
  if (!isObject(value)) return undefined;
  const entries = Object.entries(value).flatMap(([name, count]) => (typeof count === 'number' ? [[name, count]] : []));
  return entries.length === Object.keys(value).length ? Object.fromEntries(entries) : undefined;
};

function toListener(fields: Fields): Listener | undefined {
  const protocol = fields.text('protocol');
  if (protocol === undefined) return undefined;
  const listen = String(fields.raw['listen_on'] ?? '');
  const counts = fields.raw['shutdown_count'];
  const shutdownCount = numbersOf(counts);
  return {
    // A WebSocket listener has its port here, too.
    protocol: protocol.replace(/:\d+$/u, ''),
    listen,
    ...parseListen(listen),
    acceptors: fields.number('acceptors'),
    maxClients: fields.number('max_conns', 'maxClients'),
    currentClients: fields.number('current_conns', 'currentClients'),
    shutdownCount: shutdownCount ?? {},
    shutdownCountRaw: shutdownCount === undefined && counts !== undefined ? JSON.stringify(counts) : undefined,
  };
}

export const decodeListeners = (list: unknown, tally?: UnusableTally): readonly Listener[] =>
  decodeRows(list, 'listeners', toListener, tally);
