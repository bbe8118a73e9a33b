import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../../../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../../../domain/client.ts';
import {
  type MetricName,
  metricNames,
  type Metrics,
  type Stat,
  type StatName,
  statNames,
  type Stats,
} from '../../../domain/metrics.ts';
import type { ByNode, ClusterFigures, NodeInfo, NodeName, NodeStats, NodeStatus } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import type { Page, PageRequest } from '../../management-api.ts';
import {
  FieldReader,
  known,
  knownNumber,
  type Parsed,
  parseDateTime,
  parseDecimal,
  parseListen,
  parseRecord,
  parseRecords,
  parseSizeBytes,
  parseUptimeSeconds,
  ShapeError,
  type UnusableTally,
} from '../records.ts';
import { pluginDuty } from '../plugin-duties.ts';
import { settingTraits } from './settings.ts';
import * as wire from './wire.ts';

type DomainNames<Wire, Domain> = Readonly<Record<keyof Wire, keyof Domain & string>>;

const statuses: Readonly<Record<string, NodeStatus>> = { running: 'running', stopped: 'stopped' };

function decodeStatus(statusText: string): NodeStatus {
  const lower = statusText.toLowerCase();
  return Object.hasOwn(statuses, lower) ? (statuses[lower] ?? 'other') : 'other';
}

const nodeInfoNames: DomainNames<wire.WireNodeInfo, NodeInfo> = {
  name: 'name',
  version: 'version',
  sysdescr: 'description',
  uptime: 'uptimeSeconds',
  datetime: 'clock',
  otp_release: 'otpRelease',
  node_status: 'statusText',
};

function toNodeInfo({ record, unparsed }: Parsed<wire.WireNodeInfo>, name: NodeName): NodeInfo {
  const fields = new FieldReader(unparsed, nodeInfoNames);
  const statusText = record.node_status ?? '';
  return {
    name,
    version: known(record.version),
    description: known(record.sysdescr),
    uptimeSeconds: fields.read('uptimeSeconds', record.uptime, parseUptimeSeconds),
    clock: fields.read('clock', record.datetime, parseDateTime),
    otpRelease: known(record.otp_release),
    status: decodeStatus(statusText),
    statusText,
    unparsed: fields.unparsed,
  };
}

/** Decodes `management/nodes` (§2.2). @throws ShapeError, as every `decode…` here. */
export function decodeNodes(result: unknown, tally?: UnusableTally): NodeInfo[] {
  return parseRecords(
    wire.nodeInfoSchema,
    result,
    'nodes',
    (parsed) => {
      const name = parsed.record.name;
      return name ? toNodeInfo(parsed, name) : undefined;
    },
    undefined,
    tally,
  );
}

/** Returns the names of running nodes. @throws ShapeError also if any row is unusable: it may be a running node */
export function decodeRunningNames(result: unknown): readonly NodeName[] {
  const nodes = decodeNodes(result);
  if (Array.isArray(result) && result.length !== nodes.length) throw new ShapeError('nodes: a row without a name');
  return nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
}

export function decodeNode(result: unknown, node: NodeName): NodeInfo {
  const parsed = parseRecord(wire.nodeInfoSchema, result);
  if (!parsed) throw new ShapeError('node: not an object');
  return toNodeInfo(parsed, parsed.record.name ?? node);
}

const nodeStatsNames: DomainNames<wire.WireNodeStats, NodeStats> = {
  name: 'name',
  otp_release: 'otpRelease',
  memory_total: 'memoryTotalBytes',
  memory_used: 'memoryUsedBytes',
  process_available: 'processLimit',
  process_used: 'processesUsed',
  max_fds: 'maxFileDescriptors',
  clients: 'clients',
  node_status: 'statusText',
  load1: 'load1',
  load5: 'load5',
  load15: 'load15',
};

function toNodeStats({ record, unparsed }: Parsed<wire.WireNodeStats>, name: NodeName): NodeStats {
  const fields = new FieldReader(unparsed, nodeStatsNames);
  const statusText = record.node_status ?? '';
  return {
    name,
    otpRelease: known(record.otp_release),
    memoryTotalBytes: fields.read('memoryTotalBytes', record.memory_total, parseSizeBytes),
    memoryUsedBytes: fields.read('memoryUsedBytes', record.memory_used, parseSizeBytes),
    processLimit: knownNumber(record.process_available),
    processesUsed: knownNumber(record.process_used),
    maxFileDescriptors: knownNumber(record.max_fds),
    clients: knownNumber(record.clients),
    load1: fields.read('load1', record.load1, parseDecimal),
    load5: fields.read('load5', record.load5, parseDecimal),
    load15: fields.read('load15', record.load15, parseDecimal),
    status: decodeStatus(statusText),
    statusText,
    unparsed: fields.unparsed,
  };
}

export function decodeNodeStatsList(result: unknown, tally?: UnusableTally): NodeStats[] {
  return parseRecords(
    wire.nodeStatsSchema,
    result,
    'node statistics',
    (parsed) => {
      const name = parsed.record.name;
      return name ? toNodeStats(parsed, name) : undefined;
    },
    undefined,
    tally,
  );
}

export function decodeNodeStats(result: unknown, node: NodeName): NodeStats {
  const parsed = parseRecord(wire.nodeStatsSchema, result);
  if (!parsed) throw new ShapeError('node statistics: not an object');
  return toNodeStats(parsed, parsed.record.name ?? node);
}

const clientNames: DomainNames<wire.WireClient, Client> = {
  client_id: 'clientId',
  username: 'username',
  ipaddress: 'ipAddress',
  port: 'port',
  clean_sess: 'cleanSession',
  proto_ver: 'protocolVersion',
  keepalive: 'keepaliveSeconds',
  connected_at: 'connectedAt',
};

function toClient({ record, unparsed }: Parsed<wire.WireClient>, node: NodeName | undefined): Client {
  const fields = new FieldReader(unparsed, clientNames);
  return {
    clientId: record.client_id,
    username: known(record.username),
    ipAddress: known(record.ipaddress),
    port: knownNumber(record.port),
    cleanSession: record.clean_sess ?? undefined,
    protocolVersion: knownNumber(record.proto_ver),
    keepaliveSeconds: knownNumber(record.keepalive),
    connectedAt: fields.read('connectedAt', record.connected_at, parseDateTime),
    node,
    unparsed: fields.unparsed,
  };
}

export function decodeClients(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Client[] {
  return parseRecords(wire.clientSchema, list, 'clients', (parsed) => toClient(parsed, node), wire.isWireClient, tally);
}

const sessionNames: DomainNames<wire.WireSession, Session> = {
  client_id: 'clientId',
  clean_sess: 'cleanSession',
  created_at: 'createdAt',
  max_inflight: 'maxInflight',
  inflight_queue: 'inflight',
  inflight_len: 'inflight',
  message_queue: 'queueLength',
  mqueue_len: 'queueLength',
  message_dropped: 'dropped',
  mqueue_dropped: 'dropped',
  awaiting_rel: 'awaitingRel',
  awaiting_rel_len: 'awaitingRel',
  awaiting_ack: 'awaitingAck',
  awaiting_comp: 'awaitingComp',
  subscriptions: 'subscriptions',
  deliver_msg: 'delivered',
  enqueue_msg: 'enqueued',
};

function toSession({ record, unparsed }: Parsed<wire.WireSession>, node: NodeName | undefined): Session {
  const fields = new FieldReader(unparsed, sessionNames);
  return {
    clientId: record.client_id,
    cleanSession: record.clean_sess ?? undefined,
    createdAt: fields.read('createdAt', record.created_at, parseDateTime),
    node,
    maxInflight: knownNumber(record.max_inflight),
    inflight: knownNumber(record.inflight_len ?? record.inflight_queue),
    queueLength: knownNumber(record.mqueue_len ?? record.message_queue),
    dropped: knownNumber(record.mqueue_dropped ?? record.message_dropped),
    awaitingRel: knownNumber(record.awaiting_rel_len ?? record.awaiting_rel),
    awaitingAck: knownNumber(record.awaiting_ack),
    awaitingComp: knownNumber(record.awaiting_comp),
    subscriptions: knownNumber(record.subscriptions),
    delivered: knownNumber(record.deliver_msg),
    enqueued: knownNumber(record.enqueue_msg),
    unparsed: fields.unparsed,
  };
}

export function decodeSessions(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Session[] {
  return parseRecords(
    wire.sessionSchema,
    list,
    'sessions',
    (parsed) => toSession(parsed, node),
    wire.isWireSession,
    tally,
  );
}

export function decodeSubscriptions(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Subscription[] {
  return parseRecords(
    wire.subscriptionSchema,
    list,
    'subscriptions',
    ({ record }) => ({
      clientId: record.client_id,
      topic: record.topic,
      qos: knownNumber(record.qos),
      node,
    }),
    wire.isWireSubscription,
    tally,
  );
}

export function decodeRoutes(list: unknown, tally?: UnusableTally): Route[] {
  return parseRecords(
    wire.routeSchema,
    list,
    'routes',
    ({ record: { topic, node } }): Route => ({ topic, node }),
    wire.isWireRoute,
    tally,
  );
}

export function decodePlugins(result: unknown, tally?: UnusableTally): Plugin[] {
  return parseRecords(
    wire.pluginSchema,
    result,
    'plugins',
    ({ record }) => ({
      name: record.name,
      version: known(record.version),
      description: known(record.description),
      active: record.active ?? undefined,
      duty: pluginDuty(record.name),
    }),
    undefined,
    tally,
  );
}

/** Decodes a list of objects unless it repeats a reason; anything else is kept as JSON. */
function decodeShutdownCount(raw: unknown): Pick<Listener, 'shutdownCount' | 'shutdownCountRaw'> {
  const counts = new Map<string, number>();
  const keepRaw = { shutdownCount: {}, shutdownCountRaw: JSON.stringify(raw) };
  for (const part of Array.isArray(raw) ? raw : [raw ?? {}]) {
    if (!isObject(part)) return keepRaw;
    for (const [reason, count] of Object.entries(part)) {
      if (typeof count !== 'number' || counts.has(reason)) return keepRaw;
      counts.set(reason, count);
    }
  }
  return { shutdownCount: Object.fromEntries(counts), shutdownCountRaw: undefined };
}

function toListener({ record }: Parsed<wire.WireListener>): Listener {
  const listen = String(record.listen ?? '');
  return {
    protocol: record.protocol,
    listen,
    ...parseListen(listen),
    acceptors: knownNumber(record.acceptors),
    maxClients: knownNumber(record.max_clients),
    currentClients: knownNumber(record.current_clients),
    ...decodeShutdownCount(record.shutdown_count),
  };
}

export function decodeListeners(result: unknown, tally?: UnusableTally): Listener[] {
  return parseRecords(wire.listenerSchema, result, 'listeners', toListener, undefined, tally);
}

export function decodeSettings(result: unknown, tally?: UnusableTally): Setting[] {
  return parseRecords(
    wire.settingSchema,
    result,
    'settings',
    ({ record, unparsed }) => {
      const value =
        unparsed['value'] ?? (typeof record.value === 'number' ? String(record.value) : known(record.value));
      return {
        key: record.key,
        value,
        dataType: known(record.datatpye),
        app: record.app,
        ...settingTraits(record.app, record.key),
        // Some settings always read `undefined`.
        ...(value === undefined && { mayReadBackUnchanged: true as const }),
      };
    },
    undefined,
    tally,
  );
}

/** Decodes settings (§2.13) and keeps every text, even `undefined`: it is sent back when another key changes. */
export function decodePluginSettings(result: unknown, tally?: UnusableTally): PluginSetting[] {
  return parseRecords(
    wire.pluginSettingSchema,
    result,
    'plugin settings',
    ({ record, unparsed }) => ({
      key: record.key,
      value: unparsed['value'] ?? String(record.value ?? ''),
      description: record.desc ?? '',
      required: record.required ?? false,
      ...(templateKey.test(record.key) && { isTemplate: true as const }),
    }),
    undefined,
    tally,
  );
}

/** Matches a template: `access.$id` stands for `access.1`, `access.2` … */
const templateKey = /(?:^|\.)\$(?:id|name)(?:\.|$)/u;

const queueAlarm = 'queue_high_watermark.';

const queueOf = (alarmId: string): string | undefined =>
  alarmId.startsWith(queueAlarm) && alarmId.length > queueAlarm.length ? alarmId.slice(queueAlarm.length) : undefined;

export function decodeAlarms(result: unknown): Alarm[] {
  return parseRecords(wire.alarmSchema, result, 'alarms', ({ record, unparsed }) => ({
    id: record.id,
    severity: known(record.severity),
    title: known(record.title),
    summary: known(record.summary),
    occurredAt: new FieldReader(unparsed, {}).read('occurredAt', record.occurred_at, parseDateTime),
    queueOf: queueOf(record.id),
  }));
}

export function decodeUsers(result: unknown, tally?: UnusableTally): AdminUser[] {
  return parseRecords(
    wire.userSchema,
    result,
    'users',
    ({ record }) => ({ username: record.username, tags: record.tags ?? '' }),
    undefined,
    tally,
  );
}

export function decodePage<T>(
  result: unknown,
  request: PageRequest,
  decodeItems: (list: unknown) => readonly T[],
): Page<T> {
  const page = wire.pageSchema.safeParse(result);
  if (!page.success) throw new ShapeError('page: no list of objects');
  return {
    page: knownNumber(page.data.current_page) ?? request.page,
    pageSize: knownNumber(page.data.page_size) ?? request.pageSize,
    totalItems: knownNumber(page.data.total_num),
    totalPages: knownNumber(page.data.total_page),
    items: decodeItems(page.data.objects),
  };
}

export function decodeObjects(result: unknown): readonly unknown[] {
  const parsed = wire.objectsSchema.safeParse(result);
  if (!parsed.success) throw new ShapeError('record: no list of objects');
  return parsed.data.objects;
}

/** Returns a counter of at most 64 bits; anything else is unknown. */
function figure(value: unknown): number | undefined {
  return typeof value === 'number' && value >= 0 && value < 2 ** 64 ? value : undefined;
}

export const wireMetric = (name: MetricName): string => name.replaceAll('.', '/');

export function decodeMetrics(result: unknown): Metrics {
  if (!isObject(result)) throw new ShapeError('metrics: not an object');
  const metrics: Partial<Record<MetricName, number>> = {};
  for (const name of metricNames) {
    const value = figure(result[wireMetric(name)]);
    if (value !== undefined) metrics[name] = value;
  }
  if (Object.keys(metrics).length === 0) throw new ShapeError('metrics: none of the known counters');
  return metrics;
}

function isStatName(name: string): name is StatName {
  return statNames.some((known) => known === name);
}

export function decodeStats(result: unknown): Stats {
  if (!isObject(result)) throw new ShapeError('statistics: not an object');
  if (!Object.keys(result).some((key) => isStatName(key.split('/')[0] ?? ''))) {
    throw new ShapeError('statistics: none of the known counts');
  }
  const read = (name: StatName): Stat => ({
    count: figure(result[`${name}/count`]),
    max: figure(result[`${name}/max`]),
  });
  return {
    clients: read('clients'),
    sessions: read('sessions'),
    subscribers: read('subscribers'),
    subscriptions: read('subscriptions'),
    topics: read('topics'),
    routes: read('routes'),
    retained: read('retained'),
  };
}

/** Takes an object or an array of objects (field notes, "Values"). @throws ShapeError */
export function entriesOf(result: unknown, what: string): readonly (readonly [string, unknown])[] {
  const objects: readonly unknown[] = Array.isArray(result) ? result : [result];
  return objects.flatMap((part) => {
    if (!isObject(part)) throw new ShapeError(`${what}: neither an object by node nor a list of them`);
    return Object.entries(part);
  });
}

/** Decodes by node, leaving out nodes that cannot be decoded. @throws ShapeError if none can */
export function decodeByNode<T>(result: unknown, what: string, decode: (part: unknown) => T): ByNode<T> {
  const entries = entriesOf(result, what);
  const nodes = new Map<string, T>();
  let failure: ShapeError | undefined;
  for (const [node, part] of entries) {
    try {
      nodes.set(node, decode(part));
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      failure = error;
    }
  }
  if (nodes.size === 0 && failure) throw failure;
  return nodes;
}

export function isFlatMetrics(result: unknown): boolean {
  const names: ReadonlySet<string> = new Set(metricNames.map(wireMetric));
  return entriesOf(result, 'metrics').some(([key, value]) => names.has(key) && !isObject(value));
}

/** Decodes `monitoring/metrics` in every shape (§4.1). @throws ShapeError */
export function decodeClusterMetrics(result: unknown): ClusterFigures<Metrics> {
  if (isFlatMetrics(result)) {
    return { kind: 'total', total: decodeMetrics(Object.fromEntries(entriesOf(result, 'metrics'))) };
  }
  return { kind: 'by-node', nodes: decodeByNode(result, 'metrics', decodeMetrics) };
}
