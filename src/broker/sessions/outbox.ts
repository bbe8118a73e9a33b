import type { Qos } from '../../domain/client.ts';
import type { Message } from '../engine/message.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { DrainWaiters } from './backpressure.ts';
import { type AcknowledgedDelivery, type Delivery, maxQueueBytes, MessageQueue } from './message-queue.ts';
import type { SessionLog } from './recorder.ts';
import type { RetainedCursor } from './retained.ts';
import { RetainedReplays } from './retained.ts';

/** Where an outbox sends to while its client is connected. */
export interface OutboxConnection {
  /** Sends a PUBLISH; `packetId` is 0 with QoS 0. */
  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void;
  sendPubrel(packetId: number): void;
  /** The socket has more unsent bytes than it may have; `pump` is called when they are gone. */
  isCongested(): boolean;
}

interface Inflight extends AcknowledgedDelivery {
  /** What the client has to send next. */
  awaits: 'puback' | 'pubrec' | 'pubcomp';
}

/** All that an outbox knows, to be kept and put into another one after a restart. */
export interface OutboxState {
  readonly lastPacketId: number;
  readonly dropped: number;
  readonly delivered: number;
  readonly enqueued: number;
  /** In the order in which they were sent. */
  readonly inflight: readonly (Readonly<Inflight> & { readonly packetId: number })[];
  readonly queue: readonly AcknowledgedDelivery[];
  readonly queueQos0: readonly Delivery[];
}

type OutboxLimits = Pick<BrokerSettings, 'maxInflight' | 'maxQueueLength' | 'storeQos0' | 'maxBackpressureMs'>;

/**
 * The way from the broker to one client: a bounded window of unacknowledged QoS 1 and 2 messages
 * and, behind it, a bounded queue, so that a client that is slow or away costs no other client
 * anything and the broker a limited amount of memory. A connected client is given a moment to catch
 * up with a burst.
 */
export class Outbox {
  readonly #limits: () => OutboxLimits;
  /** Gets what comes to the window or the queue, and goes; `undefined` when nothing is kept. */
  readonly #log: SessionLog | undefined;
  #connection: OutboxConnection | undefined;
  readonly #inflight = new Map<number, Inflight>();
  #inflightBytes = 0;
  readonly #queue = new MessageQueue(() => this.#limits().maxQueueLength);
  readonly #drainWaiters = new DrainWaiters();
  readonly #replays = new RetainedReplays(() => this.#sendRetained());
  /** Replays wait for the disk. */
  #isReplayBlocked = false;
  #lastPacketId = 0;
  #dropped = 0;
  #delivered = 0;
  #enqueued = 0;

  constructor(bounds: () => OutboxLimits, log: SessionLog | undefined) {
    this.#limits = bounds;
    this.#log = log;
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

  /** Takes over what another outbox knew. For a new one that is not attached. */
  restore(state: OutboxState): void {
    this.#lastPacketId = state.lastPacketId;
    this.#dropped = state.dropped;
    this.#delivered = state.delivered;
    this.#enqueued = state.enqueued;
    for (const { packetId, ...inflight } of state.inflight) this.#addInflight(packetId, inflight);
    for (const delivery of state.queue) this.#queue.acknowledged.push(delivery);
    for (const delivery of state.queueQos0) this.#queue.qos0.push(delivery);
  }

  get inflightLength(): number {
    return this.#inflight.size;
  }

  get queueLength(): number {
    return this.#queue.length;
  }

  /** Messages lost because the queue was full. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Messages sent to the client, redeliveries not counted. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Messages that had to wait in the queue. */
  get enqueued(): number {
    return this.#enqueued;
  }

  /** Messages of the window by the packet that they wait for. */
  countAwaiting(packet: Inflight['awaits']): number {
    let count = 0;
    for (const inflight of this.#inflight.values()) if (inflight.awaits === packet) count += 1;
    return count;
  }

  /** The client is connected: sends again what it has not acknowledged, in the old order, then what waits. */
  attach(outlet: OutboxConnection): void {
    this.#connection = outlet;
    for (const [packetId, inflight] of this.#inflight) {
      if (inflight.awaits === 'pubcomp') outlet.sendPubrel(packetId);
      else outlet.sendPublish(inflight.message, inflight.qos, packetId, true, inflight.retain);
    }
    this.pump();
  }

  detach(): void {
    this.#connection = undefined;
    this.#drainWaiters.releaseAll();
  }

  /** The queue of a connected client is over half full: who publishes should wait, or it will overflow. */
  get isFillingUp(): boolean {
    return this.#connection !== undefined && this.#queue.acknowledgedFillLevel > 1 / 2 && this.#drainWaiters.hasTimeLeft(this.#limits().maxBackpressureMs);
  }

  /**
   * Calls back once, when the queue is short again, the client is gone, or there has been waiting enough.
   * The returned function cancels the wait.
   */
  onceDrained(relieved: () => void): () => void {
    return this.#drainWaiters.wait(this.#limits().maxBackpressureMs, relieved);
  }

  /** Sends a message that was published just now, or puts it into the queue; before it what is retained of its topic and was still to come. */
  deliver(message: Message, qos: Qos, retain: boolean): void {
    for (const earlier of this.#replays.take(message.topic)) this.#sendOrQueue(earlier);
    this.#sendOrQueue({ message, qos, retain });
  }

  #sendOrQueue({ message, qos, retain }: Delivery): void {
    if (qos === 0) {
      const delivery: Delivery = { message, qos, retain };
      if (this.#connection === undefined && !this.#limits().storeQos0) return;
      if (this.#connection === undefined || this.#queue.qos0.length > 0 || this.#connection.isCongested()) this.#enqueueQos0(delivery);
      else this.#sendQos0(this.#connection, delivery);
      return;
    }
    const delivery = { message, qos, retain };
    if (this.#connection !== undefined && this.#queue.acknowledged.length === 0 && this.#hasRoom() && !this.#connection.isCongested()) {
      this.#send(this.#connection, delivery, false);
    } else {
      this.#enqueue(delivery);
    }
  }

  /**
   * Delivers the retained messages of a subscription bit by bit, as the window and a quarter of the
   * queue have room. It goes on after the client has come back, but not after the broker has: what
   * is not yet in the queue is not kept.
   */
  replay(filter: string, walk: RetainedCursor, qos: Qos): void {
    this.#replays.set(filter, walk, qos);
    this.#sendRetained();
  }

  endReplay(filter: string): void {
    this.#replays.delete(filter);
  }

  endReplays(): void {
    this.#replays.clear();
  }

  /** Sends what waits, as far as window and socket allow. */
  pump(): void {
    const outlet = this.#connection;
    if (outlet === undefined) return;
    const { acknowledged, qos0 } = this.#queue;
    while (acknowledged.length > 0 && this.#hasRoom() && !outlet.isCongested()) {
      const delivery = acknowledged.shift();
      if (delivery !== undefined) this.#send(outlet, delivery, true);
    }
    while (qos0.length > 0 && !outlet.isCongested()) {
      const delivery = qos0.shift();
      this.#log?.add({ op: 'sendQos0' });
      if (delivery !== undefined) this.#sendQos0(outlet, delivery);
    }
    this.#sendRetained();
    if (acknowledged.length === 0) this.#drainWaiters.reset();
    else if (this.#queue.acknowledgedFillLevel <= 1 / 4) this.#drainWaiters.releaseAll();
  }

  /** The bounds may have changed: drops what is too much and sends what may go. */
  applyLimits(): void {
    this.#trim();
    this.pump();
  }

  /** Takes a PUBACK or PUBCOMP. False when no message waits for it. */
  acknowledge(packetId: number, packet: 'puback' | 'pubcomp'): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight?.awaits !== packet) return false;
    this.#inflight.delete(packetId);
    this.#inflightBytes -= inflight.message.memoryBytes;
    this.#log?.add({ op: 'finish', packetId });
    this.pump();
    return true;
  }

  /** Takes a PUBREC. True also when it repeats one; false when no QoS 2 message has this id. */
  receivePubrec(packetId: number): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight === undefined || inflight.awaits === 'puback') return false;
    inflight.awaits = 'pubcomp';
    this.#log?.add({ op: 'received', packetId });
    return true;
  }

  #hasRoom(): boolean {
    const { maxInflight } = this.#limits();
    const bound = maxInflight === 0 ? 65_535 : Math.min(maxInflight, 65_535);
    return this.#inflight.size < bound && this.#inflightBytes < maxQueueBytes;
  }

  #sendQos0(outlet: OutboxConnection, { message, retain }: Delivery): void {
    this.#delivered += 1;
    outlet.sendPublish(message, 0, 0, false, retain);
  }

  #send(outlet: OutboxConnection, delivery: AcknowledgedDelivery, isQueued: boolean): void {
    const packetId = this.#nextPacketId();
    this.#addInflight(packetId, { ...delivery, awaits: delivery.qos === 1 ? 'puback' : 'pubrec' });
    this.#delivered += 1;
    this.#log?.add({ op: 'send', packetId, delivery, isQueued });
    outlet.sendPublish(delivery.message, delivery.qos, packetId, false, delivery.retain);
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
    // What a failing disk cannot take would pile up in memory.
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
    if (this.#queue.wouldDisplaceAcknowledged(delivery.message) || this.#log?.accepts(delivery.message.payload.length) === false) {
      this.#dropped += 1;
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
    this.#log?.add({ op: 'drop', acknowledged: before.acknowledged - acknowledged.length, qos0: before.qos0 - qos0.length });
  }
}

