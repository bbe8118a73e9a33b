import type { Qos } from '../../domain/client.ts';
import type { Message } from '../engine/message.ts';
import type { BrokerSettings } from '../engine/settings.ts';
import { DrainWaiters } from './backpressure.ts';
import { type AcknowledgedDelivery, type Delivery, maxQueueBytes, MessageQueue } from './message-queue.ts';
import type { SessionLog } from './recorder.ts';
import { type RetainedCursor, RetainedReplays } from './retained.ts';

/** What an outbox needs from the client's connection. */
export interface OutboxConnection {
  /** Sends a PUBLISH; `packetId` is 0 with QoS 0. */
  sendPublish(message: Message, qos: Qos, packetId: number, dup: boolean, retain: boolean): void;
  sendPubrel(packetId: number): void;
  /** Whether too many bytes are unsent; `pump` is called once they are sent. */
  isCongested(): boolean;
}

interface Inflight extends AcknowledgedDelivery {
  /** The packet that the client has to send next. */
  awaits: 'puback' | 'pubrec' | 'pubcomp';
}

/** State of an outbox that survives a restart. */
export interface OutboxState {
  readonly lastPacketId: number;
  readonly dropped: number;
  readonly delivered: number;
  readonly enqueued: number;
  /** In sending order. */
  readonly inflight: readonly (Readonly<Inflight> & { readonly packetId: number })[];
  readonly queue: readonly AcknowledgedDelivery[];
  readonly queueQos0: readonly Delivery[];
}

type OutboxLimits = Pick<BrokerSettings, 'maxInflight' | 'maxQueueLength' | 'storeQos0' | 'maxBackpressureMs'>;

/**
 * Messages from the broker to one client: an inflight window of unacknowledged QoS 1 and 2 messages, and behind
 * it a bounded queue. Publishers wait a moment for a connected client that has to catch up with a burst.
 */
export class Outbox {
  readonly #limits: () => OutboxLimits;
  /** Records changes of window and queue; `undefined` when the session is not stored. */
  readonly #log: SessionLog | undefined;
  #connection: OutboxConnection | undefined;
  readonly #inflight = new Map<number, Inflight>();
  #inflightBytes = 0;
  readonly #queue = new MessageQueue(() => this.#limits().maxQueueLength);
  readonly #drainWaiters = new DrainWaiters();
  readonly #replays = new RetainedReplays(() => this.#sendRetained());
  /** Retained messages wait for the disk. */
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

  /** Restores stored state into a new outbox that is not attached. */
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

  /** Messages sent, without redeliveries. */
  get delivered(): number {
    return this.#delivered;
  }

  /** Messages that went through the queue. */
  get enqueued(): number {
    return this.#enqueued;
  }

  /** Number of inflight messages that wait for this packet. */
  countAwaiting(packet: Inflight['awaits']): number {
    let count = 0;
    for (const inflight of this.#inflight.values()) if (inflight.awaits === packet) count += 1;
    return count;
  }

  /** The client connected: resends unacknowledged messages in their order, then the queue. */
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

  /** Whether publishers should wait: the queue of a connected client is over half full and time for waiting is left. */
  get isFillingUp(): boolean {
    return this.#connection !== undefined && this.#queue.acknowledgedFillLevel > 1 / 2 && this.#drainWaiters.hasTimeLeft(this.#limits().maxBackpressureMs);
  }

  /** Calls back once: when the queue has drained, the client is gone, or the time is used up. Returns a function that cancels the wait. */
  onceDrained(onDrained: () => void): () => void {
    return this.#drainWaiters.wait(this.#limits().maxBackpressureMs, onDrained);
  }

  /** Sends or queues a published message, after a retained message of its topic that is still to be sent. */
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
   * Delivers the retained messages of a subscription while a quarter of the queue has room. Continues after a
   * reconnect of the client, but not after a restart of the broker.
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

  /** Sends queued messages as far as the inflight window and the socket allow. */
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

  /** Applies changed limits: drops and sends messages accordingly. */
  applyLimits(): void {
    this.#trim();
    this.pump();
  }

  /** Handles PUBACK or PUBCOMP. False when no message waits for it. */
  acknowledge(packetId: number, packet: 'puback' | 'pubcomp'): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight?.awaits !== packet) return false;
    this.#inflight.delete(packetId);
    this.#inflightBytes -= inflight.message.memoryBytes;
    this.#log?.add({ op: 'finish', packetId });
    this.pump();
    return true;
  }

  /** Handles PUBREC, also a repeated one. False when no QoS 2 message has this packet identifier. */
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

