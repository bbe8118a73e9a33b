import { Fifo } from '../sessions/fifo.ts';
import type { Recorder } from '../sessions/recorder.ts';
import type { Transport } from './transport.ts';

/** A packet that waits for a change to be on disk. */
export interface HeldPacket {
  readonly packet: Buffer;
  readonly position: number;
}
/** What becomes of packets that wait for the disk. */
export interface SendBufferEvents {
  /** Some of them are on their way. */
  drained(): void;
  /** The disk took no more: what they say is not true. */
  writeFailed(): void;
}
/**
 * Collects the packets that one turn of the event loop produces for a client and hands them to the
 * transport together: one system call, or one WebSocket message, instead of one for each packet.
 * Packets that acknowledge a change wait until it is on disk, and all later ones behind them.
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
  /** What is written now waits until the change of this number is on disk. */
  #holdPosition = 0;
  #isWaiting = false;

  constructor(transport: Transport, recorder: Recorder | undefined, owner: SendBufferEvents) {
    this.#transport = transport;
    this.#recorder = recorder;
    this.#events = owner;
  }

  /** What is written from now on waits until the change of this number is on disk. */
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

  /** Nobody hears of what waits for the disk. */
  discardHeld(): void {
    while (this.#held.shift() !== undefined);
    this.#heldBytes = 0;
  }

  /** Whether more than `bound` bytes wait for the client, after the system has been given what it takes. */
  exceeds(bound: number): boolean {
    if (this.#heldBytes + this.#pendingBytes + this.#transport.unsentBytes <= bound) return false;
    this.flush();
    return this.#heldBytes + this.#transport.unsentBytes > bound;
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
