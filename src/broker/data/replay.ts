import type { Message } from '../engine/message.ts';
import { isValidFilter } from '../../domain/topics.ts';
import { type AcknowledgedDelivery, type Delivery, Fifo, isAcknowledged } from '../sessions/message-queue.ts';
import type { OutboxState } from '../sessions/outbox.ts';
import type { SessionState } from '../sessions/session.ts';
import { damagedFile, Fields, FormatError } from './fields.ts';
import type { DataError } from './files.ts';
import { listSegments, readSegment, type SegmentFile } from './journal-file.ts';
import { decodeMessage, type RecordKind, type SessionRecord } from './record-kinds.ts';

export class ReplayedRecords<T> {
  readonly kind: RecordKind<T>;
  readonly byKey: Map<string, T>;

  constructor(kind: RecordKind<T>, records: readonly T[]) {
    this.kind = kind;
    this.byKey = new Map(records.map((record) => [kind.keyOf(record), record]));
  }

  put(value: unknown): void {
    const record = this.kind.decode(value);
    this.byKey.set(this.kind.keyOf(record), record);
  }
}

export interface ReplayedJournal {
  readonly segments: readonly SegmentFile[];
  readonly position: number;
  readonly torn: { readonly path: string; readonly wholeBytes: number } | undefined;
}

export class Replay {
  readonly #records: ReadonlyMap<string, ReplayedRecords<unknown>>;
  readonly sessions: Map<string, ReplayedSession>;

  constructor(records: readonly ReplayedRecords<unknown>[], sessions: readonly SessionRecord[]) {
    this.#records = new Map(records.map((one) => [one.kind.name, one]));
    this.sessions = new Map(sessions.map((session) => [session.clientId, new ReplayedSession(session)]));
  }

  /** Applies the journal without changing the folder. @throws DataError when the journal is damaged or incomplete. */
  async run(folder: string): Promise<ReplayedJournal> {
    const segments = await listSegments(folder);
    let position = [...this.sessions.values()].reduce((last, session) => Math.max(last, session.position), 0);
    let next = segments[0]?.first ?? 0;
    let torn: ReplayedJournal['torn'];
    for (const segment of segments) {
      const isLast = segment === segments.at(-1);
      if (segment.first !== next)
        throw damagedFile(segment.path, 1, new FormatError('the previous segment is missing or truncated'));
      const { groups, wholeBytes, isTorn } = await readSegment(segment, isLast);
      for (const [index, { first, changes }] of groups.entries()) {
        this.#applyAll(first, changes, (error) => damagedFile(segment.path, index + 2, error));
        next = first + changes.length;
      }
      if (isTorn) torn = { path: segment.path, wholeBytes };
      position = Math.max(position, next - 1);
    }
    return { segments, position, torn };
  }

  #applyAll(first: number, changes: readonly unknown[], broken: (error: FormatError) => DataError): void {
    const messages = new Map<number, Message>();
    try {
      for (const [index, change] of changes.entries()) this.#apply(first + index, new Fields(change), messages);
    } catch (error) {
      throw error instanceof FormatError ? broken(error) : error;
    }
  }

  #apply(position: number, change: Fields, messages: Map<number, Message>): void {
    const op = change.text('op');
    if (op === 'message') messages.set(position, decodeMessage(change));
    else if (op === 'put') this.#recordsOf(change).put(change.value('record'));
    else if (op === 'delete') this.#recordsOf(change).byKey.delete(change.text('key'));
    else this.#applyToSession(position, op, change, messages);
  }

  #recordsOf(change: Fields): ReplayedRecords<unknown> {
    const records = this.#records.get(change.text('file'));
    if (records === undefined) throw new FormatError('unknown file');
    return records;
  }

  #applyToSession(position: number, op: string, change: Fields, messages: ReadonlyMap<number, Message>): void {
    const id = change.text('id');
    const known = this.sessions.get(id);
    // The record file already has this change.
    if (known !== undefined && position <= known.position) return;
    if (op === 'open') this.sessions.set(id, ReplayedSession.open(id, change));
    else if (op === 'remove') this.sessions.delete(id);
    // Without a session, the record file was written after its removal, which comes later in the journal.
    else known?.apply(op, change, messages);
    const session = this.sessions.get(id);
    if (session !== undefined) session.position = position;
  }
}

const maxPacketId = 65_535;

export class ReplayedSession {
  readonly #clientId: string;
  readonly #createdAt: number;
  #node: string;
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
        this.#drop(
          change.integer('acknowledged', 0, Number.MAX_SAFE_INTEGER),
          change.integer('qos0', 0, Number.MAX_SAFE_INTEGER),
        );
        return;
      case 'received':
        this.#received(packetId());
        return;
      case 'finish':
        this.#inflight.delete(packetId());
        return;
      default:
        throw new FormatError(`unknown change ${JSON.stringify(op)}`);
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
    if (!isValidFilter(filter, Infinity)) throw new FormatError('filter is invalid');
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
    if (inflight === undefined) throw new FormatError('packetId is not in flight');
    this.#inflight.set(packetId, { ...inflight, awaits: 'pubcomp' });
  }

  #drop(acknowledged: number, qos0: number): void {
    for (let left = acknowledged; left > 0; left -= 1) this.#shift(this.#queue);
    for (let left = qos0; left > 0; left -= 1) this.#shift(this.#queueQos0);
    this.#dropped += acknowledged + qos0;
  }

  #shift<T>(queue: Fifo<T>): T {
    const first = queue.shift();
    if (first === undefined) throw new FormatError('the queue is empty');
    return first;
  }
}

function requireAcknowledged(delivery: Delivery): AcknowledgedDelivery {
  if (!isAcknowledged(delivery)) throw new FormatError('qos must be one of 1, 2');
  return delivery;
}

function readDelivery(change: Fields, messages: ReadonlyMap<number, Message>): Delivery {
  const message = messages.get(change.integer('message', 0, Number.MAX_SAFE_INTEGER));
  if (message === undefined) throw new FormatError('message is not in the same group');
  return { message, qos: change.choice('qos', [0, 1, 2]), retain: change.flag('retain') };
}
