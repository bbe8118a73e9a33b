import type { Qos } from '../../domain/client.ts';
import type { SessionLog } from '../data/recorder.ts';
import type { Message } from '../engine/message.ts';
import type { BrokerSettings } from '../management/settings.ts';
import type { RetainedWalk } from './retained.ts';
import { type AcknowledgedDelivery, type Delivery, maxWaitingBytes, Replays, WaitingMessages } from './waiting-messages.ts';

/** Where an outbox sends to while its client is connected. */
export interface Outlet {
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

type Bounds = Pick<BrokerSettings, 'maxInflight' | 'maxQueueLength' | 'storeQos0' | 'burstPatienceMs'>;

/**
 * The way from the broker to one client: a bounded window of unacknowledged QoS 1 and 2 messages
 * and, behind it, a bounded queue, so that a client that is slow or away costs no other client
 * anything and the broker a limited amount of memory. A connected client is given a moment to catch
 * up with a burst.
 */
export class Outbox {
  readonly #bounds: () => Bounds;
  /** Gets what comes to the window or the queue, and goes; `undefined` when nothing is kept. */
  readonly #log: SessionLog | undefined;
  #outlet: Outlet | undefined;
  readonly #inflight = new Map<number, Inflight>();
  #inflightBytes = 0;
  readonly #waiting = new WaitingMessages(() => this.#bounds().maxQueueLength);
  readonly #relief = new Relief();
  readonly #replays = new Replays(() => this.#feed());
  /** Replays wait for the disk. */
  #isFeedLate = false;
  #lastPacketId = 0;
  #dropped = 0;
  #delivered = 0;
  #enqueued = 0;

  constructor(bounds: () => Bounds, log: SessionLog | undefined) {
    this.#bounds = bounds;
    this.#log = log;
  }

  export(): OutboxState {
    return {
      lastPacketId: this.#lastPacketId,
      dropped: this.#dropped,
      delivered: this.#delivered,
      enqueued: this.#enqueued,
      inflight: [...this.#inflight].map(([packetId, inflight]) => ({ ...inflight, packetId })),
      queue: this.#waiting.acknowledged.values(),
      queueQos0: this.#waiting.qos0.values(),
    };
  }

  /** Takes over what another outbox knew. For a new one that is not attached. */
  restore(state: OutboxState): void {
    this.#lastPacketId = state.lastPacketId;
    this.#dropped = state.dropped;
    this.#delivered = state.delivered;
    this.#enqueued = state.enqueued;
    for (const { packetId, ...inflight } of state.inflight) this.#begin(packetId, inflight);
    for (const delivery of state.queue) this.#waiting.acknowledged.push(delivery);
    for (const delivery of state.queueQos0) this.#waiting.qos0.push(delivery);
  }

  get inflightLength(): number {
    return this.#inflight.size;
  }

  get queueLength(): number {
    return this.#waiting.length;
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
  attach(outlet: Outlet): void {
    this.#outlet = outlet;
    for (const [packetId, inflight] of this.#inflight) {
      if (inflight.awaits === 'pubcomp') outlet.sendPubrel(packetId);
      else outlet.sendPublish(inflight.message, inflight.qos, packetId, true, inflight.retain);
    }
    this.pump();
  }

  detach(): void {
    this.#outlet = undefined;
    this.#relief.end();
  }

  /** The queue of a connected client is over half full: who publishes should wait, or it will overflow. */
  get isStrained(): boolean {
    return this.#outlet !== undefined && this.#waiting.acknowledgedShare > 1 / 2 && this.#relief.hasPatience(this.#bounds().burstPatienceMs);
  }

  /**
   * Calls back once, when the queue is short again, the client is gone, or there has been waiting enough.
   * The returned function cancels the wait.
   */
  whenRelieved(relieved: () => void): () => void {
    return this.#relief.wait(this.#bounds().burstPatienceMs, relieved);
  }

  /** Sends a message that was published just now, or puts it into the queue; before it what is retained of its topic and was still to come. */
  deliver(message: Message, qos: Qos, retain: boolean): void {
    for (const earlier of this.#replays.take(message.topic)) this.#put(earlier);
    this.#put({ message, qos, retain });
  }

  #put({ message, qos, retain }: Delivery): void {
    if (qos === 0) {
      const delivery: Delivery = { message, qos, retain };
      if (this.#outlet === undefined && !this.#bounds().storeQos0) return;
      if (this.#outlet === undefined || this.#waiting.qos0.length > 0 || this.#outlet.isCongested()) this.#enqueueQos0(delivery);
      else this.#sendQos0(this.#outlet, delivery);
      return;
    }
    const delivery = { message, qos, retain };
    if (this.#outlet !== undefined && this.#waiting.acknowledged.length === 0 && this.#hasRoom() && !this.#outlet.isCongested()) {
      this.#send(this.#outlet, delivery, false);
    } else {
      this.#enqueue(delivery);
    }
  }

  /**
   * Delivers the retained messages of a subscription bit by bit, as the window and a quarter of the
   * queue have room. It goes on after the client has come back, but not after the broker has: what
   * is not yet in the queue is not kept.
   */
  replay(filter: string, walk: RetainedWalk, qos: Qos): void {
    this.#replays.set(filter, walk, qos);
    this.#feed();
  }

  endReplay(filter: string): void {
    this.#replays.delete(filter);
  }

  endReplays(): void {
    this.#replays.clear();
  }

  /** Sends what waits, as far as window and socket allow. */
  pump(): void {
    const outlet = this.#outlet;
    if (outlet === undefined) return;
    const { acknowledged, qos0 } = this.#waiting;
    while (acknowledged.length > 0 && this.#hasRoom() && !outlet.isCongested()) {
      const delivery = acknowledged.shift();
      if (delivery !== undefined) this.#send(outlet, delivery, true);
    }
    while (qos0.length > 0 && !outlet.isCongested()) {
      const delivery = qos0.shift();
      this.#log?.add({ op: 'sendQos0' });
      if (delivery !== undefined) this.#sendQos0(outlet, delivery);
    }
    this.#feed();
    if (acknowledged.length === 0) this.#relief.reset();
    else if (this.#waiting.acknowledgedShare <= 1 / 4) this.#relief.end();
  }

  /** The bounds may have changed: drops what is too much and sends what may go. */
  applyBounds(): void {
    this.#trim();
    this.pump();
  }

  /** Takes a PUBACK or PUBCOMP. False when no message waits for it. */
  finish(packetId: number, packet: 'puback' | 'pubcomp'): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight?.awaits !== packet) return false;
    this.#inflight.delete(packetId);
    this.#inflightBytes -= inflight.message.keptBytes;
    this.#log?.add({ op: 'finish', packetId });
    this.pump();
    return true;
  }

  /** Takes a PUBREC. True also when it repeats one; false when no QoS 2 message has this id. */
  received(packetId: number): boolean {
    const inflight = this.#inflight.get(packetId);
    if (inflight === undefined || inflight.awaits === 'puback') return false;
    inflight.awaits = 'pubcomp';
    this.#log?.add({ op: 'received', packetId });
    return true;
  }

  #hasRoom(): boolean {
    const { maxInflight } = this.#bounds();
    const bound = maxInflight === 0 ? 65_535 : Math.min(maxInflight, 65_535);
    return this.#inflight.size < bound && this.#inflightBytes < maxWaitingBytes;
  }

  #sendQos0(outlet: Outlet, { message, retain }: Delivery): void {
    this.#delivered += 1;
    outlet.sendPublish(message, 0, 0, false, retain);
  }

  #send(outlet: Outlet, delivery: AcknowledgedDelivery, isQueued: boolean): void {
    const packetId = this.#nextPacketId();
    this.#begin(packetId, { ...delivery, awaits: delivery.qos === 1 ? 'puback' : 'pubrec' });
    this.#delivered += 1;
    this.#log?.add({ op: 'send', packetId, delivery, isQueued });
    outlet.sendPublish(delivery.message, delivery.qos, packetId, false, delivery.retain);
  }

  #begin(packetId: number, inflight: Inflight): void {
    this.#inflight.set(packetId, inflight);
    this.#inflightBytes += inflight.message.keptBytes;
  }

  #nextPacketId(): number {
    do this.#lastPacketId = (this.#lastPacketId % 65_535) + 1;
    while (this.#inflight.has(this.#lastPacketId));
    return this.#lastPacketId;
  }

  #feed(): void {
    // What a failing disk cannot take would pile up in memory.
    if (this.#log?.accepts(0) === false) {
      if (this.#replays.isEmpty || this.#isFeedLate) return;
      this.#isFeedLate = true;
      this.#log.afterSync(() => {
        this.#isFeedLate = false;
        this.pump();
      });
      return;
    }
    while (this.#waiting.hasMuchRoom()) {
      const delivery = this.#replays.next();
      if (delivery === undefined) return;
      this.#put(delivery);
    }
  }

  #enqueue(delivery: AcknowledgedDelivery): void {
    this.#log?.add({ op: 'queue', delivery });
    this.#enqueued += 1;
    this.#waiting.acknowledged.push(delivery);
    this.#trim();
  }

  #enqueueQos0(delivery: Delivery): void {
    if (this.#waiting.isClosedTo(delivery.message) || this.#log?.accepts(delivery.message.payload.length) === false) {
      this.#dropped += 1;
      return;
    }
    this.#log?.add({ op: 'queue', delivery });
    this.#enqueued += 1;
    this.#waiting.qos0.push(delivery);
    this.#trim();
  }

  #trim(): void {
    const { acknowledged, qos0 } = this.#waiting;
    const before = { acknowledged: acknowledged.length, qos0: qos0.length };
    const dropped = this.#waiting.trim();
    if (dropped === 0) return;
    this.#dropped += dropped;
    this.#log?.add({ op: 'drop', acknowledged: before.acknowledged - acknowledged.length, qos0: before.qos0 - qos0.length });
  }
}

/**
 * Those who wait for the queue of one client to become short. Their patience is used up by waiting,
 * all waits together, so that a client that stays slow holds nobody up for long.
 */
export class Relief {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #spentMs = 0;

  /** Whether there is patience left of this many milliseconds. */
  hasPatience(patienceMs: number): boolean {
    return this.#spentMs < patienceMs;
  }

  /** Calls back once: at `end`, or when the patience is used up. The returned function cancels the wait. */
  wait(patienceMs: number, relieved: () => void): () => void {
    this.#waiting.add(relieved);
    if (this.#timer === undefined) {
      this.#sinceMs = performance.now();
      this.#timer = setTimeout(() => this.end(), Math.max(1, Math.ceil(patienceMs - this.#spentMs)));
    }
    return () => {
      if (this.#waiting.delete(relieved) && this.#waiting.size === 0) this.end();
    };
  }

  /** Lets all go on that wait. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#sinceMs;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const relieved of waiting) relieved();
  }

  /** The client has caught up: the patience is whole again. */
  reset(): void {
    this.end();
    this.#spentMs = 0;
  }
}
