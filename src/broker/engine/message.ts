import type { Qos } from '../../domain/client.ts';
import { encodePublish } from './codec.ts';

interface MessageInit {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly publisher: string;
  readonly publishedAtMs?: number | undefined;
}

const overheadBytes = 128;

export class Message {
  readonly topic: string;
  readonly payload: Buffer;
  readonly qos: Qos;
  readonly retain: boolean;
  readonly publisher: string;
  /** Epoch milliseconds; 0 if unknown. */
  readonly publishedAtMs: number;
  #qos0Frame: Buffer | undefined;

  constructor(init: MessageInit) {
    this.topic = init.topic;
    this.payload = init.payload;
    this.qos = init.qos;
    this.retain = init.retain;
    this.publisher = init.publisher;
    this.publishedAtMs = init.publishedAtMs ?? Date.now();
  }

  get memoryBytes(): number {
    return this.payload.length + 2 * this.topic.length + overheadBytes;
  }

  get packetBytes(): number {
    return this.#encode(this.qos, 1, false, this.retain).length;
  }

  encodeQos0(retain: boolean): Buffer {
    if (retain) return this.#encode(0, 0, false, true);
    this.#qos0Frame ??= this.#encode(0, 0, false, false);
    return this.#qos0Frame;
  }

  encode(qos: 1 | 2, packetId: number, dup: boolean, retain: boolean): Buffer {
    return this.#encode(qos, packetId, dup, retain);
  }

  #encode(qos: Qos, packetId: number, dup: boolean, retain: boolean): Buffer {
    const { topic, payload } = this;
    return encodePublish({ topic, payload, qos, dup, retain, packetId });
  }
}

export function lowerQos(a: Qos, b: Qos): Qos {
  return a < b ? a : b;
}
