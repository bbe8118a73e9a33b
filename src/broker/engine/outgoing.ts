import { Fifo } from '../sessions/fifo.ts';
import type { Recorder } from '../data/recorder.ts';
import type { Transport } from './transport.ts';

/** A packet that waits for a change to be on disk. */
interface Held {
  readonly packet: Buffer;
  readonly position: number;
}

/** What becomes of packets that wait for the disk. */
interface HeldOwner {
  /** Some of them are on their way. */
  released(): void;
  /** The disk took no more: what they say is not true. */
  refused(): void;
}

/**
 * Collects the packets that one turn of the event loop produces for a client and hands them to the
 * transport together: one system call, or one WebSocket message, instead of one for each packet.
 * Packets that acknowledge a change wait until it is on disk, and all later ones behind them.
 */
export class Outgoing {
  readonly #transport: Transport;
  readonly #recorder: Recorder | undefined;
  readonly #owner: HeldOwner;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;
  readonly #held = new Fifo<Held>();
  #heldBytes = 0;
  /** What is written now waits until the change of this number is on disk. */
  #holdPosition = 0;
  #isWaiting = false;

  constructor(transport: Transport, recorder: Recorder | undefined, owner: HeldOwner) {
    this.#transport = transport;
    this.#recorder = recorder;
    this.#owner = owner;
  }

  /** What is written from now on waits until the change of this number is on disk. */
  hold(position: number): void {
    this.#holdPosition = Math.max(this.#holdPosition, position);
  }

  write(packet: Buffer): void {
    if (this.#recorder !== undefined && (this.#held.length > 0 || this.#holdPosition > this.#recorder.kept)) {
      this.#held.push({ packet, position: this.#holdPosition });
      this.#heldBytes += packet.length;
      this.#waitForDisk(this.#recorder);
      return;
    }
    this.#put(packet);
  }

  /** Nobody hears of what waits for the disk. */
  dropHeld(): void {
    while (this.#held.shift() !== undefined);
    this.#heldBytes = 0;
  }

  /** Whether more than `bound` bytes wait for the client, after the system has been given what it takes. */
  isOver(bound: number): boolean {
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

  #put(packet: Buffer): void {
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
    for (let first = this.#held.peek(); first !== undefined && first.position <= recorder.kept; first = this.#held.peek()) {
      this.#held.shift();
      this.#heldBytes -= first.packet.length;
      this.#put(first.packet);
    }
    if (this.#held.length > 0 && recorder.failure !== undefined) return this.#owner.refused();
    if (this.#held.length > 0) this.#waitForDisk(recorder);
    if (this.#held.length < before) this.#owner.released();
  }
}

function flush(outgoing: Outgoing): void {
  outgoing.flushScheduled();
}
