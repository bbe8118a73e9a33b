import { Fifo } from '../sessions/fifo.ts';
import type { Recorder } from '../sessions/recorder.ts';
import type { Transport } from './transport.ts';

/** A packet that waits until a journal position is synced. */
export interface HeldPacket {
  readonly packet: Buffer;
  readonly position: number;
}
export interface SendBufferEvents {
  /** Held packets were sent. */
  drained(): void;
  /** The journal could not be written; held acknowledgements must not be sent. */
  writeFailed(): void;
}
/**
 * Collects a client's packets of one event loop iteration and writes them together: one system call or
 * WebSocket message. Packets that acknowledge a change wait, with all later ones, until it is on disk.
 */
export class SendBuffer {
  readonly #transport: Transport;
  readonly #recorder: Recorder | undefined;
  readonly #events: SendBufferEvents;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;
  readonly #held = new Fifo<HeldPacket>();
  #heldBytes = 0;
  /** New packets wait until this journal position is synced. */
  #holdPosition = 0;
  #isWaiting = false;

  constructor(transport: Transport, recorder: Recorder | undefined, owner: SendBufferEvents) {
    this.#transport = transport;
    this.#recorder = recorder;
    this.#events = owner;
  }

  /** Packets written from now on wait until this journal position is synced. */
  holdUntilSynced(position: number): void {
    this.#holdPosition = Math.max(this.#holdPosition, position);
  }

  write(packet: Buffer): void {
    if (this.#recorder !== undefined && (this.#held.length > 0 || this.#holdPosition > this.#recorder.syncedPosition)) {
      this.#held.push({ packet, position: this.#holdPosition });
      this.#heldBytes += packet.length;
      this.#waitForDisk(this.#recorder);
      return;
    }
    this.#append(packet);
  }

  /** Drops the packets that wait for the disk. */
  discardHeld(): void {
    while (this.#held.shift() !== undefined);
    this.#heldBytes = 0;
  }

  /** Whether more than `maxBytes` wait for the client, after a flush. */
  exceeds(maxBytes: number): boolean {
    if (this.#heldBytes + this.#pendingBytes + this.#transport.unsentBytes <= maxBytes) return false;
    this.flush();
    return this.#heldBytes + this.#transport.unsentBytes > maxBytes;
  }

  flush(): void {
    const [first] = this.#pending;
    if (first !== undefined) {
      this.#transport.write(this.#pending.length === 1 ? first : Buffer.concat(this.#pending, this.#pendingBytes));
      this.#pending = [];
      this.#pendingBytes = 0;
    }
  }

  flushScheduled(): void {
    this.#scheduled = false;
    this.flush();
  }

  #append(packet: Buffer): void {
    this.#pending.push(packet);
    this.#pendingBytes += packet.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  #waitForDisk(recorder: Recorder): void {
    if (this.#isWaiting) return;
    this.#isWaiting = true;
    recorder.afterSync(() => {
      this.#isWaiting = false;
      this.#release(recorder);
    });
  }

  #release(recorder: Recorder): void {
    const before = this.#held.length;
    for (let first = this.#held.peek(); first !== undefined && first.position <= recorder.syncedPosition; first = this.#held.peek()) {
      this.#held.shift();
      this.#heldBytes -= first.packet.length;
      this.#append(first.packet);
    }
    if (this.#held.length > 0 && recorder.failure !== undefined) return this.#events.writeFailed();
    if (this.#held.length > 0) this.#waitForDisk(recorder);
    if (this.#held.length < before) this.#events.drained();
  }
}

export function flush(outgoing: SendBuffer): void {
  outgoing.flushScheduled();
}
