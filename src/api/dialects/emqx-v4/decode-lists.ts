import type { AdminUser, Alarm, Ban, BanKind, Plugin } from '../../../domain/administration.ts';
import type { AclDecision, Client, Route, Session, Subscription } from '../../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../../domain/node.ts';
import type { PageRequest } from '../../management-api.ts';
import type { BrokerZone } from '../broker-zone.ts';
import type { OpenedPage } from '../caller.ts';
import { Fields } from '../fields.ts';
import { pluginDuty } from '../plugin-duties.ts';
import { ShapeError } from '../records.ts';
import { wallTime } from './decode-nodes.ts';

/** Converts the two kinds of times that the API has. */
export type Times = Pick<BrokerZone, 'toBroker' | 'fromEpoch'>;

export interface RowContext {
  readonly times: Times;
  /** The node of rows that name none. */
  readonly onlyNode: NodeName | undefined;
}

/** Opens a page. With a filter the count is -1; without `hasnext`, the count says where the list ends. */
export function openPage(body: unknown, request: PageRequest): OpenedPage {
  const page = Fields.of(body, 'page');
  const rows = page.raw['data'];
  if (!Array.isArray(rows)) throw new ShapeError('page: no list "data"');
  const meta = page.within('meta');
  const totalItems = meta.number('count');
  const pageSize = meta.number('limit') ?? request.pageSize;
  const hasNext = meta.flag('hasnext') ?? (totalItems === undefined ? false : request.page * pageSize < totalItems);
  return {
    rows,
    head: { page: meta.number('page') ?? request.page, pageSize, totalItems, totalPages: undefined, hasNext },
  };
}

const local = (fields: Fields, key: string, name: string, times: Times): BrokerSeconds | undefined => {
  const time = fields.read(key, name, wallTime);
  return time === undefined ? undefined : times.toBroker(time);
};

const epoch = (fields: Fields, key: string, perSecond: number, times: Times): BrokerSeconds | undefined => {
  const time = fields.number(key);
  return time === undefined ? undefined : times.fromEpoch(time / perSecond);
};

/** Reads the ID, which NanoMQ calls `client_id`. */
export const clientIdOf = (fields: Fields): string | undefined => fields.id('clientid') ?? fields.id('client_id');

const textOf = (fields: Fields, key: string): string | undefined => {
  const text = fields.text(key);
  // NanoMQ writes "not set" like this.
  return text === '' && fields.raw['client_id'] !== undefined ? undefined : text;
};

/** Returns whether the client is connected; `undefined` where the row does not say. */
export function isConnected(fields: Fields): boolean | undefined {
  const state = fields.text('conn_state', 'isConnected');
  return fields.flag('connected', 'isConnected') ?? (state === undefined ? undefined : state === 'connected');
}

/** Reads whether the session ends with the connection. NanoMQ says so of every offline client, by mistake. */
const cleanSessionOf = (fields: Fields): boolean | undefined =>
  fields.raw['connected'] === undefined && isConnected(fields) === false
    ? undefined
    : fields.flag('clean_start', 'cleanSession');

export const toClient =
  ({ times, onlyNode }: RowContext) =>
  (fields: Fields): Client | undefined => {
    const clientId = clientIdOf(fields);
    if (clientId === undefined) return undefined;
    return {
      clientId,
      username: textOf(fields, 'username'),
      ipAddress: fields.text('ip_address', 'ipAddress'),
      port: fields.number('port'),
      cleanSession: cleanSessionOf(fields),
      protocolVersion: fields.number('proto_ver', 'protocolVersion'),
      keepaliveSeconds: fields.number('keepalive', 'keepaliveSeconds'),
      connectedAt: local(fields, 'connected_at', 'connectedAt', times),
      node: fields.text('node') ?? onlyNode,
      // NanoMQ counts nothing.
      ...(fields.raw['client_id'] === undefined && {
        traffic: {
          receivedMessages: fields.number('recv_msg'),
          sentMessages: fields.number('send_msg'),
          receivedBytes: fields.number('recv_oct'),
          sentBytes: fields.number('send_oct'),
        },
      }),
      unparsed: fields.unparsed,
    };
  };

const sumOf = (a: number | undefined, b: number | undefined): number | undefined =>
  a === undefined || b === undefined ? undefined : a + b;

export const toSession =
  ({ times, onlyNode }: RowContext) =>
  (fields: Fields): Session | undefined => {
    const clientId = clientIdOf(fields);
    if (clientId === undefined) return undefined;
    return {
      clientId,
      cleanSession: cleanSessionOf(fields),
      createdAt: local(fields, 'created_at', 'createdAt', times),
      node: fields.text('node') ?? onlyNode,
      maxInflight: fields.number('max_inflight', 'maxInflight'),
      inflight: fields.number('inflight'),
      queueLength: fields.number('mqueue_len', 'queueLength'),
      dropped: fields.number('mqueue_dropped', 'dropped'),
      awaitingRel: fields.number('awaiting_rel', 'awaitingRel'),
      awaitingAck: undefined,
      awaitingComp: undefined,
      subscriptions: fields.number('subscriptions_cnt', 'subscriptions'),
      delivered: fields.number('send_msg', 'delivered'),
      deliveredAboveQos0: sumOf(fields.number('send_msg.qos1'), fields.number('send_msg.qos2')),
      enqueued: undefined,
      maxQueueLength: fields.number('max_mqueue', 'maxQueueLength'),
      isConnected: isConnected(fields),
      unparsed: fields.unparsed,
    };
  };

export const toSubscription =
  ({ onlyNode }: RowContext) =>
  (fields: Fields): Subscription | undefined => {
    const clientId = clientIdOf(fields);
    const topic = fields.id('topic');
    return clientId === undefined || topic === undefined
      ? undefined
      : { clientId, topic: plainQueue(topic), qos: fields.number('qos'), node: fields.text('node') ?? onlyNode };
  };

/** Returns the filter as the client sent it: the broker lists `$queue/x` as `$share/$queue/x`. */
const plainQueue = (topic: string): string => topic.replace(/^\$share\/(?=\$queue\/)/u, '');

export function toRoute(fields: Fields): Route | undefined {
  const topic = fields.id('topic');
  const node = fields.text('node');
  return topic === undefined || node === undefined ? undefined : { topic, node };
}

export const toAclDecision =
  (times: Times) =>
  (fields: Fields): AclDecision | undefined => {
    const topic = fields.id('topic');
    if (topic === undefined) return undefined;
    const result = fields.text('result');
    return {
      topic,
      action: fields.text('access'),
      isAllowed: result === undefined ? undefined : result === 'allow',
      decidedAt: epoch(fields, 'updated_time', 1_000, times),
    };
  };

export function toPlugin(fields: Fields): Plugin | undefined {
  const name = fields.text('name');
  if (name === undefined) return undefined;
  return {
    name,
    version: fields.text('version'),
    description: fields.text('description'),
    active: fields.flag('active'),
    duty: pluginDuty(name),
  };
}

/** Returns the client of an alarm about a slow connection, `conn_congestion/CLIENT/USER`. */
const clientOf = (id: string): string | undefined => /^conn_congestion\/(.+)\/[^/]*$/su.exec(id)?.[1];

/** Decodes an alarm. 4.0 and 4.1 have other names, and times as texts. */
export const toAlarm =
  (node: NodeName | undefined, times: Times) =>
  (fields: Fields): Alarm | undefined => {
    const id = fields.text('name') ?? fields.text('id');
    if (id === undefined) return undefined;
    const description = fields.within('desc');
    const endedAt =
      fields.raw['deactivate_at'] === 'infinity'
        ? undefined
        : (epoch(fields, 'deactivate_at', 1_000_000, times) ?? local(fields, 'clear_at', 'endedAt', times));
    const clientId = clientOf(id);
    return {
      id,
      severity: description.text('severity'),
      title: description.text('title') ?? id.replaceAll('_', ' '),
      summary: fields.text('message') ?? description.text('summary'),
      occurredAt: epoch(fields, 'activate_at', 1_000_000, times) ?? local(fields, 'create_at', 'occurredAt', times),
      endedAt,
      node: fields.text('node') ?? node,
      ...(id === 'partition' && { partedFrom: fields.within('details').text('occurred') }),
      ...(clientId !== undefined && { clientId }),
    };
  };

/** The kinds of bans that the API has. */
export const banKinds: Readonly<Partial<Record<BanKind, string>>> = {
  'client-id': 'clientid',
  username: 'username',
  address: 'peerhost',
};

/** The end of a ban that never ends: the year 9999, in seconds since 1970. Without an end, a ban lasts five minutes. */
export const endOfTime = 253_402_300_799;

const isBanKind = (kind: string): kind is BanKind => Object.hasOwn(banKinds, kind);

export const toBan =
  (times: Times) =>
  (fields: Fields): Ban | undefined => {
    const wire = fields.text('as');
    const kind = Object.entries(banKinds).find(([, each]) => each === wire)?.[0];
    const value = fields.id('who');
    if (kind === undefined || !isBanKind(kind) || value === undefined) return undefined;
    const reason = fields.text('reason');
    const { until } = fields.raw;
    return {
      kind,
      value,
      by: fields.text('by'),
      reason: reason === '' ? undefined : reason,
      since: epoch(fields, 'at', 1, times),
      // A text never ends for the broker, which compares it with a number.
      until: typeof until !== 'number' || until >= endOfTime ? undefined : epoch(fields, 'until', 1, times),
    };
  };

export function toUser(fields: Fields): AdminUser | undefined {
  const username = fields.text('username');
  return username === undefined ? undefined : { username, tags: fields.text('tags') ?? '' };
}
