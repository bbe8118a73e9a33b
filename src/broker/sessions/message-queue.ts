import type { Qos } from '../../domain/client.ts';
import type { Message } from '../engine/message.ts';

export interface Delivery {
  readonly message: Message;
  readonly qos: Qos;
  readonly retain: boolean;
}

export interface AcknowledgedDelivery extends Delivery {
  readonly qos: 1 | 2;
}

export function isAcknowledged(delivery: Delivery): delivery is AcknowledgedDelivery {
  return delivery.qos > 0;
}

export const maxQueueBytes = 16 * 1024 * 1024;

class SizedFifo<T extends Delivery> {
  readonly #fifo = new Fifo<T>();
  bytes = 0;

  get length(): number {
    return this.#fifo.length;
  }

  values(): readonly T[] {
    return this.#fifo.values();
  }

  /** Works like `Fifo.slice`. */
  slice(from: number, count: number): FifoSlice<T> {
    return this.#fifo.slice(from, count);
  }

  push(delivery: T): void {
    this.#fifo.push(delivery);
    this.bytes += delivery.message.memoryBytes;
  }

  shift(): T | undefined {
    const delivery = this.#fifo.shift();
    if (delivery !== undefined) this.bytes -= delivery.message.memoryBytes;
    return delivery;
  }
}

/**
 * The queue of a session. A single message may have any size. The oldest QoS 0 message is dropped first. QoS 0 and QoS
 * 1/2 are ordered separately (MQTT 3.1.1, 4.6).
 */
export class MessageQueue {
  readonly acknowledged = new SizedFifo<AcknowledgedDelivery>();
  readonly qos0 = new SizedFifo<Delivery>();
  readonly #maxLength: () => number;

  constructor(maxLength: () => number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.acknowledged.length + this.qos0.length;
  }

  get acknowledgedFillLevel(): number {
    return this.#fillLevel(this.acknowledged.length, this.acknowledged.bytes);
  }

  get fillLevel(): number {
    return this.#fillLevel(this.length, this.#bytes);
  }

  /** Whether three quarters remain free after one more message. */
  hasRoomForReplay(): boolean {
    return this.length === 0 || this.#fillLevel(this.length + 1, this.#bytes) <= 1 / 4;
  }

  wouldDisplaceAcknowledged(message: Message): boolean {
    const { length, bytes } = this.acknowledged;
    return length > 0 && this.#fillLevel(length + 1, bytes + message.memoryBytes) > 1;
  }

  trim(): number {
    let dropped = 0;
    // More than one, if the limit was lowered.
    while (this.length > 1 && this.#fillLevel(this.length, this.#bytes) > 1) {
      if (this.qos0.shift() === undefined) this.acknowledged.shift();
      dropped += 1;
    }
    return dropped;
  }

  get #bytes(): number {
    return this.acknowledged.bytes + this.qos0.bytes;
  }

  #fillLevel(length: number, bytes: number): number {
    const maxLength = this.#maxLength();
    return Math.max(maxLength > 0 ? length / maxLength : 0, bytes / maxQueueBytes);
  }
}

export interface FifoSlice<T> {
  readonly items: readonly T[];
  /** The number of the first item after these; `undefined` at the end. */
  readonly next: number | undefined;
}

/** A queue of which all operations but the lists take constant time. */
export class Fifo<T> {
  #items: (T | undefined)[] = [];
  #head = 0;
  /** Counts items taken before those of `#items`. */
  #taken = 0;

  get length(): number {
    return this.#items.length - this.#head;
  }

  values(): readonly T[] {
    return this.#items.slice(this.#head).filter((item) => item !== undefined);
  }

  /** Lists items, which keep their numbers, counted from 0, until they are taken. */
  slice(from: number, count: number): FifoSlice<T> {
    const start = Math.max(this.#head, from - this.#taken);
    const end = Math.min(this.#items.length, start + count);
    return {
      items: this.#items.slice(start, end).filter((item) => item !== undefined),
      next: end < this.#items.length ? this.#taken + end : undefined,
    };
  }

  push(item: T): void {
    this.#items.push(item);
  }

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
      this.#taken += this.#head;
      this.#head = 0;
    }
    return item;
  }
}
