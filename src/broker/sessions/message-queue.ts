import type { Qos } from '../../domain/client.ts';
import type { Message } from '../engine/message.ts';
import { Fifo } from './fifo.ts';

/** A message for one client. */
export interface Delivery {
  readonly message: Message;
  readonly qos: Qos;
  readonly retain: boolean;
}

/** A message that the client has to acknowledge. */
export interface AcknowledgedDelivery extends Delivery {
  readonly qos: 1 | 2;
}

/** Bytes of a client's queue, and of its inflight window. */
export const maxQueueBytes = 16 * 1024 * 1024;

/** A FIFO of messages that knows their size. */
class SizedFifo<T extends Delivery> {
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
    this.bytes += delivery.message.memoryBytes;
  }

  shift(): T | undefined {
    const delivery = this.#fifo.shift();
    if (delivery !== undefined) this.bytes -= delivery.message.memoryBytes;
    return delivery;
  }
}

/**
 * The queue of one client, limited in messages and bytes; a single message may have any size. When it is full,
 * the oldest QoS 0 message is dropped, else the oldest of all. QoS 0 and QoS 1/2 are ordered separately (4.6).
 */
export class MessageQueue {
  readonly acknowledged = new SizedFifo<AcknowledgedDelivery>();
  readonly qos0 = new SizedFifo<Delivery>();
  /** 0 is unlimited. */
  readonly #maxLength: () => number;

  constructor(maxLength: () => number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.acknowledged.length + this.qos0.length;
  }

  /** Share of the limits that QoS 1 and 2 messages take, 0 to 1. */
  get acknowledgedFillLevel(): number {
    return this.#fillLevel(this.acknowledged.length, this.acknowledged.bytes);
  }

  /** Whether three quarters of the queue stay free with one more message. */
  hasRoomForReplay(): boolean {
    return this.length === 0 || this.#fillLevel(this.length + 1, this.#bytes) <= 1 / 4;
  }

  /** Whether queueing this QoS 0 message would drop one of QoS 1 or 2. */
  wouldDisplaceAcknowledged(message: Message): boolean {
    const { length, bytes } = this.acknowledged;
    return length > 0 && this.#fillLevel(length + 1, bytes + message.memoryBytes) > 1;
  }

  /** Drops messages beyond the limits and returns their number. */
  trim(): number {
    let dropped = 0;
    // A loop, because the limit may have been lowered.
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

