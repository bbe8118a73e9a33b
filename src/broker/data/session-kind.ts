import { lazily } from '../../api/json-pieces.ts';
import type { OutboxState } from '../sessions/outbox.ts';
import type { SessionState } from '../sessions/session.ts';
import { isValidFilter } from '../engine/topics.ts';
import type { AcknowledgedDelivery, Delivery } from '../sessions/waiting-messages.ts';
import { checkInteger, Fields, FormatError } from './fields.ts';
import { decodeMessage, encodeMessage } from './message-codec.ts';
import type { RecordKind } from './record-kind.ts';

/** A session as it was after a change of this number. */
export interface KeptSession extends SessionState {
  readonly position: number;
}

/** Persistent sessions, each with what waits for its client and what its client has not acknowledged. */
export const sessionKind: RecordKind<KeptSession> = {
  name: 'sessions',
  version: 1,
  keyOf: ({ clientId }) => clientId,
  encode: ({ clientId, node, createdAt, position, subscriptions, awaitingRel, outbox }) => ({
    clientId, node, createdAt, position, subscriptions, awaitingRel,
    ...outbox,
    inflight: lazily(outbox.inflight, ({ packetId, awaits, ...delivery }) => ({ packetId, awaits, ...encodeDelivery(delivery) })),
    queue: lazily(outbox.queue, encodeDelivery),
    queueQos0: lazily(outbox.queueQos0, encodeDelivery),
  }),
  decode: (value) => {
    const fields = new Fields(value);
    return {
      clientId: fields.text('clientId'),
      node: fields.text('node'),
      createdAt: fields.integer('createdAt', 0, Number.MAX_SAFE_INTEGER),
      // Folders from before there was a journal have none.
      position: fields.has('position') ? fields.integer('position', 0, Number.MAX_SAFE_INTEGER) : 0,
      subscriptions: fields.list('subscriptions', decodeSubscription),
      awaitingRel: fields.list('awaitingRel', (item) => checkInteger(item, 'awaitingRel', 1, maxPacketId)),
      outbox: decodeOutbox(fields),
    };
  },
};

const maxPacketId = 65_535;

/** `qos` is that of the delivery, which may be lower than that of the message. */
function encodeDelivery({ message, qos, retain }: Delivery): object {
  return { qos, retain, message: encodeMessage(message) };
}

function decodeSubscription(item: unknown): SessionState['subscriptions'][number] {
  const fields = new Fields(item);
  const filter = fields.text('filter');
  if (!isValidFilter(filter, Infinity)) throw new FormatError('filter must be one that can be subscribed to');
  return { filter, qos: fields.choice('qos', [0, 1, 2]) };
}

function decodeOutbox(fields: Fields): OutboxState {
  const count = (name: string): number => fields.integer(name, 0, Number.MAX_SAFE_INTEGER);
  const inflight = fields.list('inflight', decodeInflight);
  if (new Set(inflight.map(({ packetId }) => packetId)).size < inflight.length) throw new FormatError('packetId must be unique');
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
  return { qos: fields.choice('qos', [0]), retain: fields.flag('retain'), message: decodeMessage(fields.fields('message')) };
}

function decodeAcknowledged(item: unknown): AcknowledgedDelivery {
  const fields = new Fields(item);
  return { qos: fields.choice('qos', [1, 2]), retain: fields.flag('retain'), message: decodeMessage(fields.fields('message')) };
}

function decodeInflight(item: unknown): OutboxState['inflight'][number] {
  const fields = new Fields(item);
  const delivery = decodeAcknowledged(item);
  const awaits = fields.choice('awaits', delivery.qos === 1 ? ['puback'] : ['pubrec', 'pubcomp']);
  return { ...delivery, awaits, packetId: fields.integer('packetId', 1, maxPacketId) };
}
