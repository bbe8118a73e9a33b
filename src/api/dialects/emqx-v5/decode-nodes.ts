import type { Listener } from '../../../domain/administration.ts';
import {
  allMetricNames,
  type LoadSample,
  type MetricName,
  type Metrics,
  type Stat,
  type Stats,
} from '../../../domain/metrics.ts';
import type { ByNode, ClusterView, NodeInfo, NodeName, NodeStats, NodeStatus } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import { parseListen, ShapeError, type UnusableTally } from '../records.ts';
import { decodeRows, Fields, figureOf } from '../fields.ts';
import { v5Texts } from './texts.ts';

/** A node, as `NodeInfo` and as `NodeStats`. */
export interface DecodedNode {
  readonly info: NodeInfo;
  readonly stats: NodeStats;
}

const statuses: Readonly<Record<string, NodeStatus>> = { running: 'running', stopped: 'stopped' };

function statusOf(text: string): NodeStatus {
  const lower = text.toLowerCase();
  return Object.hasOwn(statuses, lower) ? (statuses[lower] ?? 'other') : 'other';
}

/** Decodes a node. A stopped one has three fields only. The memory is the machine's. @throws ShapeError */
export function toNodeRow(fields: Fields, clock: number | undefined): DecodedNode | undefined {
  const name = fields.text('node');
  if (name === undefined || name === '') return undefined;
  const statusText = fields.text('node_status', 'statusText') ?? '';
  const status = statusOf(statusText);
  const uptimeMs = fields.number('uptime', 'uptimeSeconds');
  const otpRelease = fields.text('otp_release', 'otpRelease')?.trim();
  const edition = fields.text('edition');
  const role = fields.text('role');
  const common = { name, otpRelease, status, statusText };
  const stats = {
    ...common,
    memoryTotalBytes: fields.size('memory_total', 'memoryTotalBytes'),
    memoryUsedBytes: fields.size('memory_used', 'memoryUsedBytes'),
    processLimit: fields.number('process_available', 'processLimit'),
    processesUsed: fields.number('process_used', 'processesUsed'),
    maxFileDescriptors: fields.number('max_fds', 'maxFileDescriptors'),
    // `connections` counts sessions. 5.0 has the clients only in its statistics.
    clients: fields.number('live_connections', 'clients'),
    load1: fields.number('load1'),
    load5: fields.number('load5'),
    load15: fields.number('load15'),
  };
  return {
    info: {
      ...common,
      version: fields.text('version'),
      description:
        edition === undefined ? undefined : ['EMQX', edition, ...(role === 'replicant' ? [role] : [])].join(' '),
      uptimeSeconds: uptimeMs === undefined ? undefined : uptimeMs / 1000,
      clock: status === 'running' ? clock : undefined,
      unparsed: fields.unparsed,
    },
    stats: { ...stats, unparsed: fields.unparsed },
  };
}

const nothing = { otpRelease: undefined, unparsed: {} };

/** Returns a node that was seen before, and is not listed now. */
export function absentNode(name: NodeName, status: 'stopped' | 'other'): DecodedNode {
  const common = {
    ...nothing,
    name,
    status,
    statusText: status === 'stopped' ? 'stopped' : v5Texts.statusSilent,
    ...(status === 'other' && { isSilent: true as const }),
  };
  return {
    info: { ...common, version: undefined, description: undefined, uptimeSeconds: undefined, clock: undefined },
    stats: {
      ...common,
      memoryTotalBytes: undefined,
      memoryUsedBytes: undefined,
      processLimit: undefined,
      processesUsed: undefined,
      maxFileDescriptors: undefined,
      clients: undefined,
      load1: undefined,
      load5: undefined,
      load15: undefined,
    },
  };
}

export const decodeNodes = (list: unknown, clock: number | undefined, tally?: UnusableTally): DecodedNode[] =>
  decodeRows(list, 'nodes', (fields) => toNodeRow(fields, clock), tally);

export function decodeNode(body: unknown, clock: number | undefined): DecodedNode {
  const row = toNodeRow(Fields.of(body, 'node'), clock);
  if (row === undefined) throw new ShapeError('node: without a name');
  return row;
}

/** Returns the node's name, which is in the rows of a list. */
export const nodeOf = (row: unknown): NodeName | undefined =>
  isObject(row) && typeof row['node'] === 'string' ? row['node'] : undefined;

/** @throws ShapeError if no row can be decoded */
export function decodeByNode<T>(
  list: unknown,
  what: string,
  decode: (row: unknown) => T,
  tally?: UnusableTally,
): ByNode<T> {
  return new Map(
    decodeRows(
      list,
      what,
      (fields): readonly [NodeName, T] | undefined => {
        const node = nodeOf(fields.raw);
        return node === undefined ? undefined : [node, decode(fields.raw)];
      },
      tally,
    ),
  );
}

/**
 * The API's names where they differ, also for another meaning: its `messages.dropped` also counts messages that had
 * subscribers.
 */
const wireNames: Readonly<Partial<Record<MetricName, string | undefined>>> = {
  'packets.connect': 'packets.connect.received',
  'packets.connack': 'packets.connack.sent',
  'packets.disconnect': 'packets.disconnect.received',
  'packets.subscribe': 'packets.subscribe.received',
  'packets.suback': 'packets.suback.sent',
  'packets.unsubscribe': 'packets.unsubscribe.received',
  'packets.unsuback': 'packets.unsuback.sent',
  'packets.pingreq': 'packets.pingreq.received',
  'packets.pingresp': 'packets.pingresp.sent',
  'messages.dropped': 'messages.dropped.no_subscribers',
};

/** Returns the name in earlier releases, which have `olp.` for `overload_protection.`. */
const formerName = (name: string): string => name.replace(/^overload_protection\./u, 'olp.');

export const wireMetric = (name: MetricName): string => wireNames[name] ?? name;

export function decodeMetrics(body: unknown): Metrics {
  const { raw } = Fields.of(body, 'metrics');
  const metrics: Partial<Record<MetricName, number>> = {};
  for (const name of allMetricNames) {
    const value = figureOf(raw[wireMetric(name)] ?? raw[formerName(name)]);
    if (value !== undefined) metrics[name] = value;
  }
  if (Object.keys(metrics).length === 0) throw new ShapeError('metrics: none of the known counters');
  return metrics;
}

/** The counts of messages in a sample of the broker. */
const sampledCounts = {
  'messages.received': 'received',
  'messages.sent': 'sent',
  'messages.dropped': 'dropped',
} as const satisfies Partial<Record<MetricName, string>>;

/**
 * Reads samples with the messages since the one before; those from before the broker's start have a time only. After a
 * gap the rate is unknown: the sample counts less than all of it.
 * @param clock the broker's, in seconds; without it, the last sample counts as new
 */
export function decodeLoadHistory(
  body: unknown,
  clock: number | undefined,
  tally?: UnusableTally,
): readonly LoadSample[] {
  const samples = decodeRows(
    body,
    'history',
    (fields) => {
      const at = fields.time('time_stamp');
      return at === undefined ? undefined : { at, fields };
    },
    tally,
  ).toSorted((a, b) => a.at - b.at);
  const now = clock ?? samples.at(-1)?.at ?? 0;
  const gaps = samples.map(({ at }, index) => at - (samples[index - 1]?.at ?? at));
  const usual = Math.min(...gaps.filter((seconds) => seconds > 0));
  return samples.map(({ at, fields }, index): LoadSample => {
    const seconds = gaps[index] ?? 0;
    const rates = Object.entries(sampledCounts).flatMap(([name, key]) => {
      const count = fields.number(key);
      return count === undefined || seconds <= 0 || seconds > 1.5 * usual ? [] : [[name, count / seconds] as const];
    });
    return { secondsAgo: Math.max(0, now - at), rates: Object.fromEntries(rates) };
  });
}

export function decodeStats(body: unknown): Stats {
  const { raw } = Fields.of(body, 'statistics');
  if (raw['sessions.count'] === undefined && raw['connections.count'] === undefined)
    throw new ShapeError('statistics: none of the known counts');
  const read = (name: string): Stat => ({ count: figureOf(raw[`${name}.count`]), max: figureOf(raw[`${name}.max`]) });
  // A topic here is a route: a filter and a node.
  const routes = read('topics');
  return {
    clients: read('live_connections'),
    sessions: read('sessions'),
    subscribers: read('subscribers'),
    subscriptions: read('subscriptions'),
    topics: routes,
    routes,
    retained: read('retained'),
  };
}

const runningOf = (running: unknown): Listener['running'] =>
  running === true ? 'yes' : running === false ? 'no' : running === 'inconsistent' ? 'partly' : undefined;

function toListener(fields: Fields, status: Fields): Listener | undefined {
  const protocol = fields.text('type');
  if (protocol === undefined) return undefined;
  const listen = String(fields.raw['bind'] ?? '');
  const running = runningOf(status.raw['running']);
  const isEnabled = fields.flag('enable');
  return {
    id: fields.text('id'),
    ...(running !== undefined && { running }),
    ...(isEnabled !== undefined && { isEnabled }),
    ...(status.isInfinite('max_connections') && { isUnlimited: true as const }),
    protocol,
    listen,
    ...parseListen(listen),
    acceptors: fields.number('acceptors'),
    maxClients: status.limit('max_connections'),
    currentClients: status.number('current_connections'),
    shutdownCount: {},
    shutdownCountRaw: undefined,
  };
}

/** Decodes listeners, each of which lists its nodes. @throws ShapeError */
export function decodeListeners(list: unknown, tally?: UnusableTally): ByNode<readonly Listener[]> {
  const byNode = new Map<NodeName, Listener[]>();
  decodeRows(
    list,
    'listeners',
    (fields) => {
      const parts = fields.raw['node_status'];
      if (!Array.isArray(parts)) return undefined;
      let count = 0;
      for (const part of parts) {
        const node = nodeOf(part);
        const listener =
          node === undefined ? undefined : toListener(fields, Fields.of(part, 'listener').within('status'));
        if (node === undefined || listener === undefined) continue;
        byNode.set(node, [...(byNode.get(node) ?? []), listener]);
        count += 1;
      }
      return count === 0 ? undefined : count;
    },
    tally,
  );
  return byNode;
}

/** Decodes what one node knows of the cluster. @throws ShapeError: of a list with an unusable name, nothing can be said */
export function decodeClusterView(body: unknown): ClusterView {
  const fields = Fields.of(body, 'cluster');
  const nodes: unknown = fields.raw['nodes'];
  if (!Array.isArray(nodes) || !nodes.every((name): name is NodeName => typeof name === 'string'))
    throw new ShapeError('cluster: no list of nodes');
  return { self: fields.text('self'), nodes };
}
