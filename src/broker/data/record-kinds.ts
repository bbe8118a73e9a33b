import { lazily } from '../../api/json.ts';
import type { Ban } from '../../domain/administration.ts';
import { Message } from '../engine/message.ts';
import { isValidFilter, isValidTopic } from '../../domain/topics.ts';
import type { StoredKey } from '../management/api-keys.ts';
import { type StoppedListener, stoppedListenerKey } from '../management/changes.ts';
import type { UserState } from '../management/users.ts';
import type { AcknowledgedDelivery, Delivery } from '../sessions/message-queue.ts';
import type { OutboxState } from '../sessions/outbox.ts';
import type { RetainedState } from '../sessions/retained.ts';
import type { SessionState } from '../sessions/session.ts';
import { checkInteger, Fields, FormatError } from './fields.ts';
import type { NodeState } from '../management/changes.ts';

export interface RecordKind<T> {
  readonly name: string;
  /** Increased when the shape changes; files of other versions are refused. */
  readonly version: number;
  keyOf(record: T): string;
  /** Returns plain JSON, with long lists by `lazily`; a snapshot of the source. */
  encode(record: T): object;
  /** @throws FormatError when `encode` cannot have written the value */
  decode(value: unknown): T;
}

/** Settings and plugins of a node. Keys and values are checked when they are applied. */
export type NodeRecord = NodeState & { readonly node: string };

export const nodeKind: RecordKind<NodeRecord> = {
  name: 'nodes',
  version: 1,
  keyOf: ({ node }) => node,
  encode: ({ node, settings, plugins }) => ({ node, settings, plugins }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      node: fields.text('node'),
      settings: fields.fields('settings').texts(),
      plugins: fields.fields('plugins').map((plugin) => ({
        active: plugin.flag('active'),
        settings: plugin.fields('settings').texts(),
      })),
    };
  },
};

export function encodeMessage({ topic, payload, qos, retain, publisher, publishedAtMs }: Message): object {
  return { topic, payload: payload.toString('base64'), qos, retain, publisher, publishedAtMs };
}

export function decodeMessage(fields: Fields): Message {
  const topic = fields.text('topic');
  if (!isValidTopic(topic, Infinity)) throw new FormatError('topic is invalid');
  return new Message({
    topic,
    payload: fields.bytes('payload'),
    qos: fields.choice('qos', [0, 1, 2]),
    retain: fields.flag('retain'),
    publisher: fields.text('publisher'),
    // Missing in older folders.
    publishedAtMs: fields.has('publishedAtMs') ? fields.integer('publishedAtMs', 0, Number.MAX_SAFE_INTEGER) : 0,
  });
}

export const retainedKind: RecordKind<RetainedState> = {
  name: 'retained',
  version: 1,
  keyOf: ({ message }) => message.topic,
  encode: ({ message, node }) => ({ node, ...encodeMessage(message) }),
  decode: (value) => {
    const fields = new Fields(value);
    return { node: fields.text('node'), message: decodeMessage(fields) };
  },
};

/**
 * Users with their hashes: scrypt (N = 2^14, r = 8, p = 1) of the password's SHA-512 in version 2, of the password
 * itself in version 1.
 */
export const userKind: RecordKind<UserState> = {
  name: 'users',
  version: 2,
  keyOf: ({ username }) => username,
  encode: ({ username, tags, salt, hash }) => ({
    username,
    tags,
    salt: salt.toString('base64'),
    hash: hash.toString('base64'),
  }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      username: fields.text('username'),
      tags: fields.text('tags'),
      salt: fields.bytes('salt', 16),
      hash: fields.bytes('hash', 32),
    };
  },
};

export interface SessionRecord extends SessionState {
  readonly position: number;
}

export const sessionKind: RecordKind<SessionRecord> = {
  name: 'sessions',
  version: 1,
  keyOf: ({ clientId }) => clientId,
  encode: ({ clientId, node, createdAt, position, subscriptions, awaitingRel, outbox }) => ({
    clientId,
    node,
    createdAt,
    position,
    subscriptions,
    awaitingRel,
    ...outbox,
    inflight: lazily(outbox.inflight, ({ packetId, awaits, ...delivery }) => ({
      packetId,
      awaits,
      ...encodeDelivery(delivery),
    })),
    queue: lazily(outbox.queue, encodeDelivery),
    queueQos0: lazily(outbox.queueQos0, encodeDelivery),
  }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      clientId: fields.text('clientId'),
      node: fields.text('node'),
      createdAt: fields.integer('createdAt', 0, Number.MAX_SAFE_INTEGER),
      // Missing in folders written before the journal existed.
      position: fields.has('position') ? fields.integer('position', 0, Number.MAX_SAFE_INTEGER) : 0,
      subscriptions: fields.list('subscriptions', decodeSubscription),
      awaitingRel: fields.list('awaitingRel', (item) => checkInteger(item, 'awaitingRel', 1, maxPacketId)),
      outbox: decodeOutbox(fields),
    };
  },
};

const maxPacketId = 65_535;

/** Encodes a delivery, whose `qos` may be lower than the message's. */
function encodeDelivery({ message, qos, retain }: Delivery): object {
  return { qos, retain, message: encodeMessage(message) };
}

function decodeSubscription(item: unknown): SessionState['subscriptions'][number] {
  const fields = new Fields(item);
  const filter = fields.text('filter');
  if (!isValidFilter(filter, Infinity)) throw new FormatError('filter is invalid');
  return { filter, qos: fields.choice('qos', [0, 1, 2]) };
}

function decodeOutbox(fields: Fields): OutboxState {
  const count = (name: string): number => fields.integer(name, 0, Number.MAX_SAFE_INTEGER);
  const inflight = fields.list('inflight', decodeInflight);
  if (new Set(inflight.map(({ packetId }) => packetId)).size < inflight.length)
    throw new FormatError('packetId must be unique');
  return {
    lastPacketId: fields.integer('lastPacketId', 0, maxPacketId),
    dropped: count('dropped'),
    delivered: count('delivered'),
    enqueued: count('enqueued'),
    inflight,
    queue: fields.list('queue', decodeAcknowledged),
    queueQos0: fields.list('queueQos0', decodeQos0),
  };
}

function decodeQos0(item: unknown): Delivery {
  const fields = new Fields(item);
  return {
    qos: fields.choice('qos', [0]),
    retain: fields.flag('retain'),
    message: decodeMessage(fields.fields('message')),
  };
}

function decodeAcknowledged(item: unknown): AcknowledgedDelivery {
  const fields = new Fields(item);
  return {
    qos: fields.choice('qos', [1, 2]),
    retain: fields.flag('retain'),
    message: decodeMessage(fields.fields('message')),
  };
}

function decodeInflight(item: unknown): OutboxState['inflight'][number] {
  const fields = new Fields(item);
  const delivery = decodeAcknowledged(item);
  const awaits = fields.choice('awaits', delivery.qos === 1 ? ['puback'] : ['pubrec', 'pubcomp']);
  return { ...delivery, awaits, packetId: fields.integer('packetId', 1, maxPacketId) };
}

const optional = <T>(fields: Fields, name: string, read: () => T): T | undefined =>
  fields.has(name) ? read() : undefined;
const optionalTime = (fields: Fields, name: string): number | undefined =>
  optional(fields, name, () => fields.integer(name, 0, Number.MAX_SAFE_INTEGER));

export const banKind: RecordKind<Ban> = {
  name: 'bans',
  version: 1,
  keyOf: ({ kind, value }) => `${kind} ${value}`,
  encode: ({ kind, value, reason, since, until }) => ({ kind, value, reason, since, until }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      kind: fields.choice('kind', ['client-id', 'username', 'address']),
      value: fields.text('value'),
      by: undefined,
      reason: optional(fields, 'reason', () => fields.text('reason')),
      since: optionalTime(fields, 'since'),
      until: optionalTime(fields, 'until'),
    };
  },
};

/** API keys with the SHA-256 of their random secret. */
export const apiKeyKind: RecordKind<StoredKey> = {
  name: 'keys',
  version: 1,
  keyOf: ({ record }) => record.name,
  encode: ({ record, digest }) => ({ ...record, digest: digest.toString('base64') }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      record: {
        name: fields.text('name'),
        key: fields.text('key'),
        description: optional(fields, 'description', () => fields.text('description')),
        isEnabled: fields.flag('isEnabled'),
        createdAt: optionalTime(fields, 'createdAt'),
        expiresAt: optionalTime(fields, 'expiresAt'),
      },
      digest: fields.bytes('digest', 32),
    };
  },
};

export const stoppedListenerKind: RecordKind<StoppedListener> = {
  name: 'listeners',
  version: 1,
  keyOf: stoppedListenerKey,
  encode: ({ node, protocol }) => ({ node, protocol }),
  decode: (value) => {
    const fields = new Fields(value);
    return { node: fields.text('node'), protocol: fields.choice('protocol', ['mqtt:tcp', 'mqtt:ws']) };
  },
};
