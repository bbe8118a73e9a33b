import type { Message } from '../engine/message.ts';
import { isValidFilter } from '../engine/topics.ts';
import { Fifo } from '../sessions/fifo.ts';
import type { AcknowledgedDelivery, Delivery } from '../sessions/message-queue.ts';
import type { OutboxState } from '../sessions/outbox.ts';
import type { SessionChange } from '../sessions/recorder.ts';
import type { SessionState } from '../sessions/session.ts';
import { type Fields, FormatError } from './fields.ts';
import type { SessionRecord } from './record-kinds.ts';

const maxPacketId = 65_535;

/** Writes a message once for all its sessions and returns its journal position. */
type NumberOf = (message: Message) => number;

/** Encodes a change for the journal. */
export function encodeSessionChange(id: string, change: SessionChange, numberOf: NumberOf): object {
  switch (change.op) {
    case 'queue': return { id, op: change.op, ...encodeDelivery(change.delivery, numberOf) };
    case 'send': {
      const { op, packetId, delivery, isQueued } = change;
      return isQueued ? { id, op: 'sendQueued', packetId } : { id, op, packetId, ...encodeDelivery(delivery, numberOf) };
    }
    default: return { id, ...change };
  }
}

function encodeDelivery({ message, qos, retain }: Delivery, numberOf: NumberOf): object {
  return { message: numberOf(message), qos, retain };
}

/** A persistent session while its changes are replayed. */
export class ReplayedSession {
  readonly #clientId: string;
  readonly #createdAt: number;
  #node: string;
  /** Journal position of the last applied change. */
  position: number;
  readonly #subscriptions: Map<string, 0 | 1 | 2>;
  readonly #awaitingRel: Set<number>;
  readonly #inflight: Map<number, Omit<OutboxState['inflight'][number], 'packetId'>>;
  readonly #queue = new Fifo<AcknowledgedDelivery>();
  readonly #queueQos0 = new Fifo<Delivery>();
  #lastPacketId: number;
  #dropped: number;
  #delivered: number;
  #enqueued: number;

  constructor({ clientId, createdAt, node, position, subscriptions, awaitingRel, outbox }: SessionRecord) {
    this.#clientId = clientId;
    this.#createdAt = createdAt;
    this.#node = node;
    this.position = position;
    this.#subscriptions = new Map(subscriptions.map(({ filter, qos }) => [filter, qos]));
    this.#awaitingRel = new Set(awaitingRel);
    this.#inflight = new Map(outbox.inflight.map(({ packetId, ...inflight }) => [packetId, inflight]));
    for (const delivery of outbox.queue) this.#queue.push(delivery);
    for (const delivery of outbox.queueQos0) this.#queueQos0.push(delivery);
    this.#lastPacketId = outbox.lastPacketId;
    this.#dropped = outbox.dropped;
    this.#delivered = outbox.delivered;
    this.#enqueued = outbox.enqueued;
  }

  /** Creates a session from an `open` change. */
  static open(clientId: string, change: Fields): ReplayedSession {
    return new ReplayedSession({
      clientId,
      node: change.text('node'),
      createdAt: change.integer('createdAt', 0, Number.MAX_SAFE_INTEGER),
      position: 0,
      subscriptions: [],
      awaitingRel: [],
      outbox: { lastPacketId: 0, dropped: 0, delivered: 0, enqueued: 0, inflight: [], queue: [], queueQos0: [] },
    });
  }

  /** @throws FormatError for a change that does not fit this session. */
  apply(op: string, change: Fields, messages: ReadonlyMap<number, Message>): void {
    const packetId = (): number => change.integer('packetId', 1, maxPacketId);
    switch (op) {
      case 'move':
        this.#node = change.text('node');
        return;
      case 'subscribe':
        this.#subscribe(change.text('filter'), change.choice('qos', [0, 1, 2]));
        return;
      case 'unsubscribe':
        this.#subscriptions.delete(change.text('filter'));
        return;
      case 'receive':
        this.#awaitingRel.add(packetId());
        return;
      case 'release':
        this.#awaitingRel.delete(packetId());
        return;
      case 'queue':
        this.#enqueue(readDelivery(change, messages));
        return;
      case 'send':
        this.#send(packetId(), requireAcknowledged(readDelivery(change, messages)));
        return;
      case 'sendQueued':
        this.#send(packetId(), this.#shift(this.#queue));
        return;
      case 'sendQos0':
        this.#shift(this.#queueQos0);
        this.#delivered += 1;
        return;
      case 'drop':
        this.#drop(change.integer('acknowledged', 0, Number.MAX_SAFE_INTEGER), change.integer('qos0', 0, Number.MAX_SAFE_INTEGER));
        return;
      case 'received':
        this.#received(packetId());
        return;
      case 'finish':
        this.#inflight.delete(packetId());
        return;
      default:
        throw new FormatError(`there is no change ${JSON.stringify(op)}`);
    }
  }

  export(): SessionState {
    return {
      clientId: this.#clientId,
      node: this.#node,
      createdAt: this.#createdAt,
      subscriptions: [...this.#subscriptions].map(([filter, qos]) => ({ filter, qos })),
      awaitingRel: [...this.#awaitingRel],
      outbox: {
        lastPacketId: this.#lastPacketId,
        dropped: this.#dropped,
        delivered: this.#delivered,
        enqueued: this.#enqueued,
        inflight: [...this.#inflight].map(([packetId, inflight]) => ({ ...inflight, packetId })),
        queue: this.#queue.values(),
        queueQos0: this.#queueQos0.values(),
      },
    };
  }

  #subscribe(filter: string, qos: 0 | 1 | 2): void {
    if (!isValidFilter(filter, Infinity)) throw new FormatError('filter must be one that can be subscribed to');
    this.#subscriptions.set(filter, qos);
  }

  #enqueue(delivery: Delivery): void {
    this.#enqueued += 1;
    if (isAcknowledged(delivery)) this.#queue.push(delivery);
    else this.#queueQos0.push(delivery);
  }

  #send(packetId: number, delivery: AcknowledgedDelivery): void {
    if (this.#inflight.has(packetId)) throw new FormatError('packetId must be unique');
    this.#inflight.set(packetId, { ...delivery, awaits: delivery.qos === 1 ? 'puback' : 'pubrec' });
    this.#lastPacketId = packetId;
    this.#delivered += 1;
  }

  #received(packetId: number): void {
    const inflight = this.#inflight.get(packetId);
    if (inflight === undefined) throw new FormatError('packetId must be one that is on its way');
    this.#inflight.set(packetId, { ...inflight, awaits: 'pubcomp' });
  }

  #drop(acknowledged: number, qos0: number): void {
    for (let left = acknowledged; left > 0; left -= 1) this.#shift(this.#queue);
    for (let left = qos0; left > 0; left -= 1) this.#shift(this.#queueQos0);
    this.#dropped += acknowledged + qos0;
  }

  #shift<T>(queue: Fifo<T>): T {
    const first = queue.shift();
    if (first === undefined) throw new FormatError('a message leaves a queue that is empty');
    return first;
  }
}

function isAcknowledged(delivery: Delivery): delivery is AcknowledgedDelivery {
  return delivery.qos > 0;
}

function requireAcknowledged(delivery: Delivery): AcknowledgedDelivery {
  if (!isAcknowledged(delivery)) throw new FormatError('qos must be one of 1, 2');
  return delivery;
}

function readDelivery(change: Fields, messages: ReadonlyMap<number, Message>): Delivery {
  const message = messages.get(change.integer('message', 0, Number.MAX_SAFE_INTEGER));
  if (message === undefined) throw new FormatError('message must be the number of one in the same group');
  return { message, qos: change.choice('qos', [0, 1, 2]), retain: change.flag('retain') };
}
