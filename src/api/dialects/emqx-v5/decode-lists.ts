import type { AdminUser, Alarm, ApiKey, Ban, BanKind, Plugin } from '../../../domain/administration.ts';
import type { AclDecision, Client, ClientTraffic, Qos, Route, Session, Subscription } from '../../../domain/client.ts';
import type {
  RetainedContent,
  RetainedMessage,
  SessionMessage,
  SessionMessages,
  SlowSubscription,
} from '../../../domain/messages.ts';
import type { NodeName } from '../../../domain/node.ts';
import type { Trace, TraceKind, TraceText } from '../../../domain/traces.ts';
import { isObject } from '../../json.ts';
import type { PageRequest } from '../../management-api.ts';
import type { OpenedPage } from '../caller.ts';
import { ShapeError, type UnusableTally } from '../records.ts';
import { pluginDuty } from '../plugin-duties.ts';
import { decodeRows, Fields } from '../fields.ts';
import { backendCauseOf } from './decode-access.ts';

/** Opens a page. Without `hasnext`, the count says where the list ends. @throws ShapeError */
export function openPage(body: unknown, request: PageRequest): OpenedPage {
  const page = Fields.of(body, 'page');
  const rows = page.raw['data'];
  if (!Array.isArray(rows)) throw new ShapeError('page: no list "data"');
  const meta = page.within('meta');
  const totalItems = meta.number('count');
  const pageSize = meta.number('limit') ?? request.pageSize;
  const hasNext = meta.flag('hasnext') ?? (totalItems === undefined ? undefined : request.page * pageSize < totalItems);
  return {
    rows,
    head: { page: meta.number('page') ?? request.page, pageSize, totalItems, totalPages: undefined, hasNext },
  };
}

export const clientFields = [
  'clientid',
  'username',
  'node',
  'ip_address',
  'port',
  'clean_start',
  'proto_ver',
  'keepalive',
  'connected_at',
  'connected',
  'recv_msg',
  'send_msg',
  'recv_oct',
  'send_oct',
] as const;

export const sessionFields = [
  'clientid',
  'node',
  'clean_start',
  'created_at',
  'connected',
  'inflight_max',
  'inflight_cnt',
  'mqueue_len',
  'mqueue_max',
  'mqueue_dropped',
  'awaiting_rel_cnt',
  'subscriptions_cnt',
  'send_msg',
  'send_msg.qos1',
  'send_msg.qos2',
] as const;

/** Reads counters. Disconnected clients have none of bytes. */
function trafficOf(fields: Fields): ClientTraffic {
  return {
    receivedMessages: fields.number('recv_msg'),
    sentMessages: fields.number('send_msg'),
    receivedBytes: fields.number('recv_oct'),
    sentBytes: fields.number('send_oct'),
  };
}

export function toClient(fields: Fields): Client | undefined {
  const clientId = fields.id('clientid');
  if (clientId === undefined) return undefined;
  return {
    clientId,
    username: fields.text('username'),
    ipAddress: fields.text('ip_address', 'ipAddress'),
    port: fields.number('port'),
    cleanSession: fields.flag('clean_start', 'cleanSession'),
    protocolVersion: fields.number('proto_ver', 'protocolVersion'),
    keepaliveSeconds: fields.number('keepalive', 'keepaliveSeconds'),
    connectedAt: fields.time('connected_at', 'connectedAt'),
    node: fields.text('node'),
    traffic: trafficOf(fields),
    unparsed: fields.unparsed,
  };
}

/** Returns `undefined` where the row does not say. */
export const isConnected = (fields: Fields): boolean | undefined => fields.flag('connected', 'isConnected');

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

export function toSession(fields: Fields): Session | undefined {
  const clientId = fields.id('clientid');
  if (clientId === undefined) return undefined;
  return {
    clientId,
    cleanSession: fields.flag('clean_start', 'cleanSession'),
    createdAt: fields.time('created_at', 'createdAt'),
    node: fields.text('node'),
    maxInflight: fields.limit('inflight_max', 'maxInflight'),
    inflight: fields.number('inflight_cnt', 'inflight'),
    queueLength: fields.number('mqueue_len', 'queueLength'),
    dropped: fields.number('mqueue_dropped', 'dropped'),
    awaitingRel: fields.number('awaiting_rel_cnt', 'awaitingRel'),
    awaitingAck: undefined,
    awaitingComp: undefined,
    subscriptions: fields.number('subscriptions_cnt', 'subscriptions'),
    delivered: fields.number('send_msg', 'delivered'),
    deliveredAboveQos0: sumOf(fields.number('send_msg.qos1'), fields.number('send_msg.qos2')),
    enqueued: undefined,
    maxQueueLength: fields.limit('mqueue_max', 'maxQueueLength'),
    isConnected: isConnected(fields),
    unparsed: fields.unparsed,
  };
}

export function toSubscription(fields: Fields): Subscription | undefined {
  const clientId = fields.id('clientid');
  const topic = fields.id('topic');
  return clientId === undefined || topic === undefined
    ? undefined
    : { clientId, topic, qos: fields.number('qos'), node: fields.text('node') };
}

export function toRoute(fields: Fields): Route | undefined {
  const topic = fields.id('topic');
  const node = fields.text('node');
  return topic === undefined || node === undefined ? undefined : { topic, node };
}

/** Decodes a decision, whose action is a text in 5.0. */
export function toAclDecision(fields: Fields): AclDecision | undefined {
  const topic = fields.id('topic');
  if (topic === undefined) return undefined;
  const result = fields.text('result');
  return {
    topic,
    action: fields.within('access').text('action_type') ?? fields.text('access'),
    isAllowed: result === undefined ? undefined : result === 'allow',
    decidedAt: fields.time('updated_time'),
  };
}

/** Decodes a plugin, which paths name by name and version. */
export const toPlugin =
  (node: NodeName) =>
  (fields: Fields): Plugin | undefined => {
    const name = fields.text('name');
    const version = fields.text('rel_vsn');
    if (name === undefined || version === undefined) return undefined;
    const parts = decodeRows(fields.raw['running_status'] ?? [], 'plugin', (part) => ({
      node: part.text('node'),
      status: part.text('status'),
    }));
    const status = parts.find((part) => part.node === node)?.status;
    return {
      name: `${name}-${version}`,
      version,
      description: fields.text('description'),
      active: status === undefined ? undefined : status === 'running',
      duty: pluginDuty(name),
    };
  };

/**
 * Returns the connector that an action or source uses: it is named in its id, such as
 * `action:http:NAME:connector:http:NAME`.
 */
const connectorOf = (id: string): string | undefined => /(?:^|:)(connector:.+)$/u.exec(id)?.[1];

/**
 * Returns the client that an alarm names: `session_queue_full/CLIENT`, or `conn_congestion/CLIENT/USER`, where the name
 * of the user is what follows the last slash.
 */
const clientOf = (id: string): string | undefined =>
  /^session_queue_full\/(.+)$/su.exec(id)?.[1] ?? /^conn_congestion\/(.+)\/[^/]*$/su.exec(id)?.[1];

const partedFrom = ({ raw }: Fields): NodeName | undefined => {
  const details = raw['details'];
  const node = isObject(details) ? details['occurred'] : undefined;
  return typeof node === 'string' ? node : undefined;
};

export function toAlarm(fields: Fields): Alarm | undefined {
  const id = fields.text('name');
  if (id === undefined) return undefined;
  const endedAt = fields.time('deactivate_at');
  const clientId = clientOf(id);
  return {
    id,
    severity: undefined,
    title: id.replaceAll('_', ' '),
    summary: fields.text('message'),
    occurredAt: fields.time('activate_at'),
    ...(endedAt !== undefined && { endedAt }),
    node: fields.text('node'),
    causeId: connectorOf(id) ?? backendCauseOf(id),
    ...(id === 'partition' && { partedFrom: partedFrom(fields) }),
    ...(clientId !== undefined && { clientId }),
  };
}

export const banKinds = {
  'client-id': 'clientid',
  username: 'username',
  address: 'peerhost',
  'client-id-pattern': 'clientid_re',
  'username-pattern': 'username_re',
  network: 'peerhost_net',
} as const satisfies Readonly<Record<BanKind, string>>;

const isBanKind = (kind: string): kind is BanKind => Object.hasOwn(banKinds, kind);

export function toBan(fields: Fields): Ban | undefined {
  const wire = fields.text('as');
  const kind = Object.entries(banKinds).find(([, each]) => each === wire)?.[0];
  const value = fields.text('who');
  if (kind === undefined || !isBanKind(kind) || value === undefined) return undefined;
  const reason = fields.text('reason');
  return {
    kind,
    value,
    by: fields.text('by'),
    reason: reason === '' ? undefined : reason,
    since: fields.time('at'),
    until: fields.time('until'),
  };
}

export function toRetained(fields: Fields): RetainedMessage | undefined {
  const topic = fields.id('topic');
  if (topic === undefined) return undefined;
  return {
    topic,
    qos: fields.number('qos'),
    publishedAt: fields.time('publish_at'),
    fromClientId: fields.text('from_clientid'),
    fromUsername: fields.text('from_username'),
  };
}

/** Decodes a message, whose payload is Base64. @throws ShapeError */
export function decodeRetained(body: unknown): RetainedContent {
  const fields = Fields.of(body, 'retained message');
  const message = toRetained(fields);
  if (message === undefined) throw new ShapeError('retained message: without a topic');
  return { ...message, payload: Buffer.from(fields.text('payload') ?? '', 'base64') };
}

const isQos = (qos: number | undefined): qos is Qos => qos === 0 || qos === 1 || qos === 2;

function toSessionMessage(fields: Fields): SessionMessage | undefined {
  const message = toRetained(fields);
  if (message === undefined) return undefined;
  const payload = fields.text('payload');
  return {
    ...message,
    qos: isQos(message.qos) ? message.qos : undefined,
    payload: payload === undefined ? undefined : Buffer.from(payload, 'base64'),
  };
}

/** Texts that stand for a position where the list ends; the second one since 6.0.4. */
const endPositions: ReadonlySet<string | undefined> = new Set(['none', 'end_of_data']);

/**
 * Decodes a page of messages. The list ends with an empty page, or where the broker says so. `count` includes unusable
 * rows.
 */
export function decodeSessionMessages(
  body: unknown,
  tally?: UnusableTally,
): SessionMessages & { readonly count: number } {
  const page = Fields.of(body, 'messages');
  const rows = page.raw['data'];
  const items = decodeRows(rows, 'messages', toSessionMessage, tally);
  const count = Array.isArray(rows) ? rows.length : 0;
  const position = page.within('meta').text('position');
  return { items, count, next: count === 0 || endPositions.has(position) ? undefined : position };
}

export function toSlowSubscription(fields: Fields): SlowSubscription | undefined {
  const route = { clientId: fields.id('clientid'), topic: fields.id('topic') };
  const latencyMs = fields.number('timespan');
  if (route.clientId === undefined || route.topic === undefined || latencyMs === undefined) return undefined;
  return {
    clientId: route.clientId,
    topic: route.topic,
    node: fields.text('node'),
    latencyMs,
    updatedAt: fields.time('last_update_time'),
  };
}

/** Decodes a user. Releases with roles have them as `role`; before, there is a description only. */
export function toUser(fields: Fields): AdminUser | undefined {
  const username = fields.text('username');
  const role = fields.text('role');
  return username === undefined
    ? undefined
    : {
        username,
        tags: role ?? fields.text('description') ?? '',
        attribute: role === undefined ? 'description' : 'role',
      };
}

export function toApiKey(fields: Fields): ApiKey | undefined {
  const name = fields.text('name');
  if (name === undefined) return undefined;
  return {
    name,
    key: fields.text('api_key') ?? '',
    description: fields.text('desc'),
    isEnabled: fields.flag('enable'),
    createdAt: fields.time('created_at'),
    expiresAt: fields.time('expired_at'),
  };
}

/** The kinds of traces, and the fields of what they follow. */
export const traceTypes = {
  'client-id': 'clientid',
  topic: 'topic',
  address: 'ip_address',
  rule: 'ruleid',
} as const satisfies Readonly<Record<TraceKind, string>>;

const traceKinds = Object.entries(traceTypes) as readonly (readonly [TraceKind, string])[];

const traceStatuses: ReadonlySet<string> = new Set(['running', 'stopped', 'waiting']);

export function toTrace(fields: Fields): Trace | undefined {
  const name = fields.id('name');
  if (name === undefined) return undefined;
  const type = fields.text('type') ?? '';
  const status = fields.text('status') ?? '';
  const sizes = fields.raw['log_size'];
  return {
    name,
    kind: traceKinds.find(([, each]) => each === type)?.[0],
    value: fields.id(type) ?? '',
    status: traceStatuses.has(status) ? (status as NonNullable<Trace['status']>) : undefined,
    startAt: fields.time('start_at', 'startAt'),
    endAt: fields.time('end_at', 'endAt'),
    logBytes: new Map(
      Object.entries(isObject(sizes) ? sizes : {}).flatMap(([node, size]) =>
        typeof size === 'number' ? [[node, size] as const] : [],
      ),
    ),
    unparsed: fields.unparsed,
  };
}

/** Reads a piece of a log. At the end of the log it is empty. @throws ShapeError */
export function decodeTraceText(body: unknown, from: number): TraceText {
  const fields = Fields.of(body, 'trace log');
  const text = fields.text('items') ?? '';
  const { meta } = fields.raw;
  const position = isObject(meta) && typeof meta['position'] === 'number' ? meta['position'] : undefined;
  return { text, next: text === '' ? from : (position ?? from + Buffer.byteLength(text)) };
}
