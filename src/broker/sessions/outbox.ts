import type { Qos } from '../../domain/client.ts';
import type { Message } from '../engine/message.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { DrainWaiters } from './backpressure.ts';
import {
  type AcknowledgedDelivery,
  type Delivery,
  isAcknowledged,
  maxQueueBytes,
  MessageQueue,
} from './message-queue.ts';
import type { SessionLog } from './recorder.ts';
import { type RetainedCursor, RetainedReplays } from './retained.ts';

export interface OutboxConnection {
  /** Sends a PUBLISH; `packetId` is 0 with QoS 0. */
  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void;
  sendPubrel(packetId: number): void;
  /** Whether too many bytes are unsent; `pump` is called once they are sent. */
  isCongested(): boolean;
}

interface Inflight extends AcknowledgedDelivery {
  awaits: 'puback' | 'pubrec' | 'pubcomp';
}

export interface OutboxState {
  readonly lastPacketId: number;
  readonly dropped: number;
  readonly delivered: number;
  readonly enqueued: number;
  /** Messages in sending order. */
  readonly inflight: readonly (Readonly<Inflight> & { readonly packetId: number })[];
  readonly queue: readonly AcknowledgedDelivery[];
  readonly queueQos0: readonly Delivery[];
}

type OutboxLimits = Pick<BrokerSettings, 'maxInflight' | 'maxQueueLength' | 'storeQos0' | 'maxBackpressureMs'>;

/** Deliveries that took at least this long are reported. */
export const slowDeliveryMs = 500;

/** Learns what an operator wants to know of. */
export interface OutboxObserver {
  /**
   * Reports how long a delivery took, from the publish to the last acknowledgement, while the client was connected all
   * the time.
   */
  slowDelivery(topic: string, ms: number): void;
  /** Reports messages that were dropped because the queue is full. */
  dropped(count: number): void;
}

interface MessagesPage {
  readonly items: readonly Delivery[];
  /** The position where the next page begins; `undefined` on the last one. */
  readonly next: string | undefined;
}

/** An inflight window of unacknowledged QoS 1 and 2 messages, followed by a bounded queue. */
export class Outbox {
  readonly #limits: () => OutboxLimits;
  /** `undefined` when the session is not stored. */
  readonly #log: SessionLog | undefined;
  readonly #observer: OutboxObserver;
  #attachedAtMs = 0;
  #connection: OutboxConnection | undefined;
  readonly #inflight = new Map<number, Inflight>();
  #inflightBytes = 0;
  readonly #queue = new MessageQueue(() => this.#limits().maxQueueLength);
  readonly #drainWaiters = new DrainWaiters();
  readonly #replays = new RetainedReplays(() => this.#sendRetained());
  #isReplayBlocked = false;
  #lastPacketId = 0;
  #dropped = 0;
  #delivered = 0;
  #deliveredQos0 = 0;
  #deliveredQos2 = 0;
  #enqueued = 0;

  constructor(limits: () => OutboxLimits, log: SessionLog | undefined, observer: OutboxObserver) {
    this.#limits = limits;
    this.#log = log;
    this.#observer = observer;
  }

  export(): OutboxState {
    return {
      lastPacketId: this.#lastPacketId,
      dropped: this.#dropped,
      delivered: this.#delivered,
      enqueued: this.#enqueued,
      inflight: [...this.#inflight].map(([packetId, inflight]) => ({ ...inflight, packetId })),
      queue: this.#queue.acknowledged.values(),
      queueQos0: this.#queue.qos0.values(),
    };
  }

  restore(state: OutboxState): void {
    this.#lastPacketId = state.lastPacketId;
    this.#dropped = state.dropped;
    this.#delivered = state.delivered;
    this.#enqueued = state.enqueued;
    for (const { packetId, ...inflight } of state.inflight) this.#addInflight(packetId, inflight);
    for (const delivery of state.queue) this.#queue.acknowledged.push(delivery);
    for (const delivery of state.queueQos0) this.#queue.qos0.push(delivery);
  }

  /**
   * Lists messages in the order in which they will be sent; QoS 0 after the others. @throws RangeError for a `from`
   * that is not from `next`
   */
  listQueue(from: string | undefined, count: number): MessagesPage {
    const position = /^([aq])(\d{1,15})$/u.exec(from ?? 'a0');
    if (position === null) throw new RangeError('no such position');
    const isQos0 = position[1] === 'q';
    const start = Number(position[2]);
    const { acknowledged, qos0 } = this.#queue;
    const first = isQos0 ? { items: [], next: undefined } : acknowledged.slice(start, count);
    if (first.next !== undefined) return { items: first.items, next: `a${first.next}` };
    const second = qos0.slice(isQos0 ? start : 0, count - first.items.length);
    return {
      items: [...first.items, ...second.items],
      next: second.next === undefined ? undefined : `q${second.next}`,
    };
  }

  /**
   * Lists messages that are sent and not acknowledged, in sending order. @throws RangeError for a `from` that is not
   * from `next`
   */
  listInflight(from: string | undefined, count: number): MessagesPage {
    if (from !== undefined && !/^\d{1,6}$/u.test(from)) throw new RangeError('no such position');
    const start = Number(from ?? 0);
    const end = start + count;
    return {
      items: [...this.#inflight.values()].slice(start, end),
      next: end < this.#inflight.size ? String(end) : undefined,
    };
  }

  /** The used share of the queue's limit, in messages or bytes: 0 to 1. */
  get queueFillLevel(): number {
    return this.#queue.fillLevel;
  }

  get inflightLength(): number {
    return this.#inflight.size;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  get dropped(): number {
    return this.#dropped;
  }

  /** Counts deliveries without redeliveries. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Counts deliveries since the broker started. */
  get deliveredQos0(): number {
    return this.#deliveredQos0;
  }

  /** Counts deliveries since the broker started. */
  get deliveredQos2(): number {
    return this.#deliveredQos2;
  }

  get enqueued(): number {
    return this.#enqueued;
  }

  countAwaiting(packet: Inflight['awaits']): number {
    let count = 0;
    for (const inflight of this.#inflight.values()) if (inflight.awaits === packet) count += 1;
    return count;
  }

  attach(connection: OutboxConnection): void {
    this.#connection = connection;
    this.#attachedAtMs = Date.now();
    for (const [packetId, inflight] of this.#inflight) {
      if (inflight.awaits === 'pubcomp') connection.sendPubrel(packetId);
      else connection.sendPublish(inflight.message, inflight.qos, packetId, true, inflight.retain);
    }
    this.pump();
  }

  detach(): void {
    this.#connection = undefined;
    this.#drainWaiters.releaseAll();
  }

  /** Whether the client is connected, its queue is over half full, and time budget is left. */
  get isFillingUp(): boolean {
    return (
      this.#connection !== undefined &&
      this.#queue.acknowledgedFillLevel > 1 / 2 &&
      this.#drainWaiters.hasTimeLeft(this.#limits().maxBackpressureMs)
    );
  }

  onceDrained(onDrained: () => void): () => void {
    return this.#drainWaiters.wait(this.#limits().maxBackpressureMs, onDrained);
  }

  /** Delivers a message, after the retained message of its topic if that is still unsent. */
  deliver(message: Message, qos: Qos, retain: boolean): void {
    for (const earlier of this.#replays.take(message.topic)) this.#sendOrQueue(earlier);
    this.#sendOrQueue({ message, qos, retain });
  }

  #sendOrQueue(delivery: Delivery): void {
    if (!isAcknowledged(delivery)) {
      if (this.#connection === undefined && !this.#limits().storeQos0) return;
      if (this.#connection === undefined || this.#queue.qos0.length > 0 || this.#connection.isCongested())
        this.#enqueueQos0(delivery);
      else this.#sendQos0(this.#connection, delivery);
      return;
    }
    if (
      this.#connection !== undefined &&
      this.#queue.acknowledged.length === 0 &&
      this.#hasRoom() &&
      !this.#connection.isCongested()
    ) {
      this.#send(this.#connection, delivery, false);
    } else {
      this.#enqueue(delivery);
    }
  }

  /**
   * Sends retained messages, which fill at most a quarter of the queue. Continues after a reconnect, but not after a
   * restart of the broker.
   */
  replay(filter: string, cursor: RetainedCursor, qos: Qos): void {
    this.#replays.set(filter, cursor, qos);
    this.#sendRetained();
  }

  endReplay(filter: string): void {
    this.#replays.delete(filter);
  }

  endReplays(): void {
    this.#replays.clear();
  }

  pump(): void {
    const connection = this.#connection;
    if (connection === undefined) return;
    const { acknowledged, qos0 } = this.#queue;
    while (acknowledged.length > 0 && this.#hasRoom() && !connection.isCongested()) {
      const delivery = acknowledged.shift();
      if (delivery !== undefined) this.#send(connection, delivery, true);
    }
    while (qos0.length > 0 && !connection.isCongested()) {
      const delivery = qos0.shift();
      this.#log?.add({ op: 'sendQos0' });
      if (delivery === undefined) continue;
      this.#sendQos0(connection, delivery);
      this.#reportIfSlow(delivery);
    }
    this.#sendRetained();
    if (acknowledged.length === 0) this.#drainWaiters.reset();
    else if (this.#queue.acknowledgedFillLevel <= 1 / 4) this.#drainWaiters.releaseAll();
  }

  applyLimits(): void {
    this.#trim();
    this.pump();
  }

  /** Returns `false` when no message waits for the packet. */
  acknowledge(packetId: number, packet: 'puback' | 'pubcomp'): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight?.awaits !== packet) return false;
    this.#inflight.delete(packetId);
    this.#inflightBytes -= inflight.message.memoryBytes;
    this.#log?.add({ op: 'finish', packetId });
    this.#reportIfSlow(inflight);
    this.pump();
    return true;
  }

  /** Notes a PUBREC, which may be repeated. Returns `false` when no QoS 2 message has this packet identifier. */
  receivePubrec(packetId: number): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight === undefined || inflight.awaits === 'puback') return false;
    inflight.awaits = 'pubcomp';
    this.#log?.add({ op: 'received', packetId });
    return true;
  }

  /** Skips retained messages and those from before the client connected: nobody was waiting for them. */
  #reportIfSlow({ message: { topic, publishedAtMs }, retain }: Delivery): void {
    if (retain || publishedAtMs < this.#attachedAtMs || this.#connection === undefined) return;
    const ms = Date.now() - publishedAtMs;
    if (ms >= slowDeliveryMs) this.#observer.slowDelivery(topic, ms);
  }

  #hasRoom(): boolean {
    const { maxInflight } = this.#limits();
    const max = maxInflight === 0 ? 65_535 : Math.min(maxInflight, 65_535);
    return this.#inflight.size < max && this.#inflightBytes < maxQueueBytes;
  }

  #sendQos0(connection: OutboxConnection, { message, retain }: Delivery): void {
    this.#delivered += 1;
    this.#deliveredQos0 += 1;
    connection.sendPublish(message, 0, 0, false, retain);
  }

  #send(connection: OutboxConnection, delivery: AcknowledgedDelivery, isQueued: boolean): void {
    const packetId = this.#nextPacketId();
    this.#addInflight(packetId, { ...delivery, awaits: delivery.qos === 1 ? 'puback' : 'pubrec' });
    this.#delivered += 1;
    if (delivery.qos === 2) this.#deliveredQos2 += 1;
    this.#log?.add({ op: 'send', packetId, delivery, isQueued });
    connection.sendPublish(delivery.message, delivery.qos, packetId, false, delivery.retain);
  }

  #addInflight(packetId: number, inflight: Inflight): void {
    this.#inflight.set(packetId, inflight);
    this.#inflightBytes += inflight.message.memoryBytes;
  }

  #nextPacketId(): number {
    do this.#lastPacketId = (this.#lastPacketId % 65_535) + 1;
    while (this.#inflight.has(this.#lastPacketId));
    return this.#lastPacketId;
  }

  #sendRetained(): void {
    // While the disk fails, messages would pile up in memory.
    if (this.#log?.accepts(0) === false) {
      if (this.#replays.isEmpty || this.#isReplayBlocked) return;
      this.#isReplayBlocked = true;
      this.#log.afterSync(() => {
        this.#isReplayBlocked = false;
        this.pump();
      });
      return;
    }
    while (this.#queue.hasRoomForReplay()) {
      const delivery = this.#replays.next();
      if (delivery === undefined) return;
      this.#sendOrQueue(delivery);
    }
  }

  #enqueue(delivery: AcknowledgedDelivery): void {
    this.#log?.add({ op: 'queue', delivery });
    this.#enqueued += 1;
    this.#queue.acknowledged.push(delivery);
    this.#trim();
  }

  #enqueueQos0(delivery: Delivery): void {
    if (
      this.#queue.wouldDisplaceAcknowledged(delivery.message) ||
      this.#log?.accepts(delivery.message.payload.length) === false
    ) {
      this.#dropped += 1;
      this.#observer.dropped(1);
      return;
    }
    this.#log?.add({ op: 'queue', delivery });
    this.#enqueued += 1;
    this.#queue.qos0.push(delivery);
    this.#trim();
  }

  #trim(): void {
    const { acknowledged, qos0 } = this.#queue;
    const before = { acknowledged: acknowledged.length, qos0: qos0.length };
    const dropped = this.#queue.trim();
    if (dropped === 0) return;
    this.#dropped += dropped;
    this.#observer.dropped(dropped);
    this.#log?.add({
      op: 'drop',
      acknowledged: before.acknowledged - acknowledged.length,
      qos0: before.qos0 - qos0.length,
    });
  }
}
