import type { AdminUser, Alarm, Listener, Plugin, PluginSetting, Setting } from '../../../domain/administration.ts';
import type { Client, Route, Session, Subscription } from '../../../domain/client.ts';
import type { NodeInfo, NodeName, NodeStats, NodeStatus } from '../../../domain/node.ts';
import { isObject } from '../../json.ts';
import type { Page, PageRequest } from '../../management-api.ts';
import { FieldReader, ShapeError, known, knownNumber, parseRecord, parseRecords } from './records.ts';
import type { Parsed, UnusableTally } from './records.ts';
import { parseDateTime, parseDecimal, parseListen, parseSizeBytes, parseUptimeSeconds } from './units.ts';
import * as guards from './wire.ts';
import * as wire from './wire.ts';

/** What the domain calls each field of a wire record. */
type DomainNames<Wire, Domain> = Readonly<Record<keyof Wire, keyof Domain & string>>;

const statuses: Readonly<Record<string, NodeStatus>> = { running: 'running', stopped: 'stopped' };

function decodeStatus(statusText: string): NodeStatus {
  const lower = statusText.toLowerCase();
  return Object.hasOwn(statuses, lower) ? (statuses[lower] ?? 'other') : 'other';
}

const nodeInfoNames: DomainNames<wire.WireNodeInfo, NodeInfo> = {
  name: 'name', version: 'version', sysdescr: 'description', uptime: 'uptimeSeconds', datetime: 'clock', otp_release: 'otpRelease', node_status: 'statusText',
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

/** `management/nodes` (§2.2). @throws ShapeError, as every `decode…` here. */
export function decodeNodes(result: unknown, tally?: UnusableTally): NodeInfo[] {
  return parseRecords(wire.nodeInfoSchema, result, 'nodes', (parsed) => {
    const name = parsed.record.name;
    return name ? toNodeInfo(parsed, name) : undefined;
  }, undefined, tally);
}

/** `management/nodes/{node}`; the answer does not repeat the name. */
export function decodeNode(result: unknown, node: NodeName): NodeInfo {
  const parsed = parseRecord(wire.nodeInfoSchema, result);
  if (!parsed) throw new ShapeError('node: not an object');
  return toNodeInfo(parsed, parsed.record.name ?? node);
}

const nodeStatsNames: DomainNames<wire.WireNodeStats, NodeStats> = {
  name: 'name', otp_release: 'otpRelease', memory_total: 'memoryTotalBytes', memory_used: 'memoryUsedBytes', process_available: 'processLimit',
  process_used: 'processesUsed', max_fds: 'maxFileDescriptors', clients: 'clients', node_status: 'statusText', load1: 'load1', load5: 'load5', load15: 'load15',
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

/** `monitoring/nodes` (§2.3). */
export function decodeNodeStatsList(result: unknown, tally?: UnusableTally): NodeStats[] {
  return parseRecords(wire.nodeStatsSchema, result, 'node statistics', (parsed) => {
    const name = parsed.record.name;
    return name ? toNodeStats(parsed, name) : undefined;
  }, undefined, tally);
}

/** `monitoring/nodes/{node}`. */
export function decodeNodeStats(result: unknown, node: NodeName): NodeStats {
  const parsed = parseRecord(wire.nodeStatsSchema, result);
  if (!parsed) throw new ShapeError('node statistics: not an object');
  return toNodeStats(parsed, parsed.record.name ?? node);
}

const clientNames: DomainNames<wire.WireClient, Client> = {
  client_id: 'clientId', username: 'username', ipaddress: 'ipAddress', port: 'port', clean_sess: 'cleanSession', proto_ver: 'protocolVersion',
  keepalive: 'keepaliveSeconds', connected_at: 'connectedAt',
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

/** Client records (§2.4). */
export function decodeClients(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Client[] {
  return parseRecords(wire.clientSchema, list, 'clients', (parsed) => toClient(parsed, node), guards.isWireClient, tally);
}

const sessionNames: DomainNames<wire.WireSession, Session> = {
  client_id: 'clientId', clean_sess: 'cleanSession', created_at: 'createdAt', max_inflight: 'maxInflight',
  inflight_queue: 'inflight', inflight_len: 'inflight', message_queue: 'queueLength', mqueue_len: 'queueLength', message_dropped: 'dropped', mqueue_dropped: 'dropped',
  awaiting_rel: 'awaitingRel', awaiting_rel_len: 'awaitingRel', awaiting_ack: 'awaitingAck', awaiting_comp: 'awaitingComp',
  subscriptions: 'subscriptions', deliver_msg: 'delivered', enqueue_msg: 'enqueued',
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

/** Session records of either variant (§2.5); the field names tell which. */
export function decodeSessions(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Session[] {
  return parseRecords(wire.sessionSchema, list, 'sessions', (parsed) => toSession(parsed, node), guards.isWireSession, tally);
}

/** Subscription records (§2.6). */
export function decodeSubscriptions(list: unknown, node: NodeName | undefined, tally?: UnusableTally): Subscription[] {
  return parseRecords(wire.subscriptionSchema, list, 'subscriptions', ({ record }) => ({
    clientId: record.client_id,
    topic: record.topic,
    qos: knownNumber(record.qos),
    node,
  }), guards.isWireSubscription, tally);
}

/** Route records (§2.7). */
export function decodeRoutes(list: unknown, tally?: UnusableTally): Route[] {
  return parseRecords(wire.routeSchema, list, 'routes', ({ record: { topic, node } }): Route => ({ topic, node }), guards.isWireRoute, tally);
}

/** `nodes/{node}/plugins/` (§2.8). */
export function decodePlugins(result: unknown, tally?: UnusableTally): Plugin[] {
  return parseRecords(wire.pluginSchema, result, 'plugins', ({ record }) => ({
    name: record.name,
    version: known(record.version),
    description: known(record.description),
    active: record.active ?? undefined,
  }), undefined, tally);
}

/** An object of numbers, or a list of such objects that name each reason once; anything else stays text. */
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

/** The listeners of one node (§2.9). */
export function decodeListeners(result: unknown, tally?: UnusableTally): Listener[] {
  return parseRecords(wire.listenerSchema, result, 'listeners', toListener, undefined, tally);
}

/** The hot settings of one node (§2.12). */
export function decodeSettings(result: unknown, tally?: UnusableTally): Setting[] {
  return parseRecords(wire.settingSchema, result, 'settings', ({ record, unparsed }) => ({
    key: record.key,
    value: unparsed['value'] ?? (typeof record.value === 'number' ? String(record.value) : known(record.value)),
    dataType: known(record.datatpye),
    app: record.app,
  }), undefined, tally);
}

/** The settings of one plugin (§2.13). The text stays as it is, also `undefined`: it is sent back when another key changes. */
export function decodePluginSettings(result: unknown, tally?: UnusableTally): PluginSetting[] {
  return parseRecords(wire.pluginSettingSchema, result, 'plugin settings', ({ record, unparsed }) => ({
    key: record.key,
    value: unparsed['value'] ?? String(record.value ?? ''),
    description: record.desc ?? '',
    required: record.required ?? false,
  }), undefined, tally);
}

const queueAlarm = 'queue_high_watermark.';

const queueOf = (alarmId: string): string | undefined =>
  (alarmId.startsWith(queueAlarm) && alarmId.length > queueAlarm.length ? alarmId.slice(queueAlarm.length) : undefined);

/** `nodes/{node}/alarms`, which is in no specification. */
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

/** `users` (§2.14). */
export function decodeUsers(result: unknown, tally?: UnusableTally): AdminUser[] {
  return parseRecords(wire.userSchema, result, 'users', ({ record }) => ({ username: record.username, tags: record.tags ?? '' }), undefined, tally);
}

/** A page of any list (§2.1). Where the broker does not repeat the request, the request stands. */
export function decodePage<T>(result: unknown, request: PageRequest, decodeItems: (list: unknown) => readonly T[]): Page<T> {
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

/** The records of a single read (§2.1): none, one, or some. */
export function decodeObjects(result: unknown): readonly unknown[] {
  const parsed = wire.objectsSchema.safeParse(result);
  if (!parsed.success) throw new ShapeError('record: no list of objects');
  return parsed.data.objects;
}
