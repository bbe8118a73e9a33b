import type { Qos } from '../../domain/client.ts';
import { lowerQos, type Message } from '../engine/message.ts';
import type { RetainedWalk } from './retained.ts';

/** A message on its way to one client. */
export interface Delivery {
  readonly message: Message;
  readonly qos: Qos;
  readonly retain: boolean;
}

/** A message that has to be acknowledged. */
export interface AcknowledgedDelivery extends Delivery {
  readonly qos: 1 | 2;
}

/** Most bytes of the messages that wait for one client, and most of those that it has not acknowledged, whatever their numbers. */
export const maxWaitingBytes = 16 * 1024 * 1024;

/** The messages of one kind that wait, with their bytes. */
class Line<T extends Delivery> {
  readonly #fifo = new Fifo<T>();
  bytes = 0;

  get length(): number {
    return this.#fifo.length;
  }

  values(): readonly T[] {
    return this.#fifo.values();
  }

  push(delivery: T): void {
    this.#fifo.push(delivery);
    this.bytes += delivery.message.keptBytes;
  }

  shift(): T | undefined {
    const delivery = this.#fifo.shift();
    if (delivery !== undefined) this.bytes -= delivery.message.keptBytes;
    return delivery;
  }
}

/**
 * What waits for one client, bounded in messages and in bytes. One message may wait whatever its size.
 *
 * When there is too much the oldest QoS 0 message goes, else the oldest of all; a QoS 0 message
 * never displaces one of QoS 1 or 2. Each QoS has its own order, as MQTT asks (4.6).
 */
export class WaitingMessages {
  readonly acknowledged = new Line<AcknowledgedDelivery>();
  readonly qos0 = new Line<Delivery>();
  /** Most messages; 0 is no bound. */
  readonly #maxLength: () => number;

  constructor(maxLength: () => number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.acknowledged.length + this.qos0.length;
  }

  /** How much of the bounds the QoS 1 and 2 messages take, 1 for all of it. */
  get acknowledgedShare(): number {
    return this.#share(this.acknowledged.length, this.acknowledged.bytes);
  }

  /** Whether one more message would leave three quarters of the bounds free. */
  hasMuchRoom(): boolean {
    return this.length === 0 || this.#share(this.length + 1, this.#bytes) <= 1 / 4;
  }

  /** Whether a QoS 0 message that comes now would have to displace one of QoS 1 or 2. */
  isClosedTo(message: Message): boolean {
    const { length, bytes } = this.acknowledged;
    return length > 0 && this.#share(length + 1, bytes + message.keptBytes) > 1;
  }

  /** Drops what is too much; answers with how many. */
  trim(): number {
    let dropped = 0;
    // A loop, because the bound may have become smaller since the last message.
    while (this.length > 1 && this.#share(this.length, this.#bytes) > 1) {
      if (this.qos0.shift() === undefined) this.acknowledged.shift();
      dropped += 1;
    }
    return dropped;
  }

  get #bytes(): number {
    return this.acknowledged.bytes + this.qos0.bytes;
  }

  #share(length: number, bytes: number): number {
    const maxLength = this.#maxLength();
    return Math.max(maxLength > 0 ? length / maxLength : 0, bytes / maxWaitingBytes);
  }
}

/** A first-in first-out queue whose operations take constant time, also when it is long. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  /** The items from the first to the last. */
  values(): readonly T[] {
    return this.#items.slice(this.#head).filter((item) => item !== undefined);
  }

  push(item: T): void {
    this.#items.push(item);
  }

  /** The first item, which stays. */
  peek(): T | undefined {
    return this.#items[this.#head];
  }

  shift(): T | undefined {
    if (this.#head === this.#items.length) return undefined;
    const item = this.#items[this.#head];
    this.#items[this.#head] = undefined;
    this.#head += 1;
    if (this.#head > 64 && this.#head * 2 > this.#items.length) {
      this.#items = this.#items.slice(this.#head);
      this.#head = 0;
    }
    return item;
  }
}

interface Replay {
  readonly walk: RetainedWalk;
  readonly qos: Qos;
}

const nothing: readonly never[] = [];

/** Steps in one turn of the event loop: a topic that does not match is one, a message to be sent counts more. */
const maxStepsPerTurn = 2048;
const messageSteps = 8;

/** Retained messages that new subscriptions of one client still have to get, one filter after the other. */
export class Replays {
  readonly #byFilter = new Map<string, Replay>();
  /** Called when there may be more after `next` had to stop. */
  readonly #goOn: () => void;
  #stepsLeft = maxStepsPerTurn;

  constructor(goOn: () => void) {
    this.#goOn = goOn;
  }

  /** A repeated subscription begins anew. */
  set(filter: string, walk: RetainedWalk, qos: Qos): void {
    this.#byFilter.delete(filter);
    this.#byFilter.set(filter, { walk, qos });
  }

  get isEmpty(): boolean {
    return this.#byFilter.size === 0;
  }

  delete(filter: string): void {
    this.#byFilter.delete(filter);
  }

  clear(): void {
    this.#byFilter.clear();
  }

  /** `undefined` at the end, and when enough was done in this turn. */
  next(): Delivery | undefined {
    for (const [filter, { walk, qos }] of this.#byFilter) {
      while (this.#stepsLeft > 0) {
        const message = walk.next();
        this.#spend(message === undefined || message === 'passed' ? 1 : messageSteps);
        if (message === undefined) break;
        if (message !== 'passed') return deliveryOf(message, qos);
      }
      if (this.#stepsLeft <= 0) return undefined;
      this.#byFilter.delete(filter);
    }
    return undefined;
  }

  #spend(steps: number): void {
    if (this.#stepsLeft === maxStepsPerTurn) setImmediate(() => this.#nextTurn());
    this.#stepsLeft -= steps;
  }

  #nextTurn(): void {
    const hadToStop = this.#stepsLeft <= 0;
    this.#stepsLeft = maxStepsPerTurn;
    if (hadToStop) this.#goOn();
  }

  /** What is still to be sent of one topic, because a newer message of it comes now. */
  take(topic: string): readonly Delivery[] {
    if (this.#byFilter.size === 0) return nothing;
    const deliveries: Delivery[] = [];
    for (const { walk, qos } of this.#byFilter.values()) {
      const message = walk.take(topic);
      if (message !== undefined) deliveries.push(deliveryOf(message, qos));
    }
    return deliveries;
  }
}

function deliveryOf(message: Message, qos: Qos): Delivery {
  return { message, qos: lowerQos(message.qos, qos), retain: true };
}
