import type { Qos } from '../../domain/client.ts';
import { type Message } from '../engine/message.ts';
import { Fifo } from './fifo.ts';

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
export const maxQueueBytes = 16 * 1024 * 1024;

/** The messages of one kind that wait, with their bytes. */
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
 * What waits for one client, bounded in messages and in bytes. One message may wait whatever its size.
 *
 * When there is too much the oldest QoS 0 message goes, else the oldest of all; a QoS 0 message
 * never displaces one of QoS 1 or 2. Each QoS has its own order, as MQTT asks (4.6).
 */
export class MessageQueue {
  readonly acknowledged = new SizedFifo<AcknowledgedDelivery>();
  readonly qos0 = new SizedFifo<Delivery>();
  /** Most messages; 0 is no bound. */
  readonly #maxLength: () => number;

  constructor(maxLength: () => number) {
    this.#maxLength = maxLength;
  }

  get length(): number {
    return this.acknowledged.length + this.qos0.length;
  }

  /** How much of the bounds the QoS 1 and 2 messages take, 1 for all of it. */
  get acknowledgedFillLevel(): number {
    return this.#fillLevel(this.acknowledged.length, this.acknowledged.bytes);
  }

  /** Whether one more message would leave three quarters of the bounds free. */
  hasRoomForReplay(): boolean {
    return this.length === 0 || this.#fillLevel(this.length + 1, this.#bytes) <= 1 / 4;
  }

  /** Whether a QoS 0 message that comes now would have to displace one of QoS 1 or 2. */
  wouldDisplaceAcknowledged(message: Message): boolean {
    const { length, bytes } = this.acknowledged;
    return length > 0 && this.#fillLevel(length + 1, bytes + message.memoryBytes) > 1;
  }

  /** Drops what is too much; answers with how many. */
  trim(): number {
    let dropped = 0;
    // A loop, because the bound may have become smaller since the last message.
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

