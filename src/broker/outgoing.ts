import type { Transport } from './transport.ts';

/**
 * Collects the packets that one turn of the event loop produces for a client and hands them to the
 * transport together: one system call, or one WebSocket message, instead of one for each packet.
 */
export class Outgoing {
  readonly #transport: Transport;
  #pending: Buffer[] = [];
  #pendingBytes = 0;
  #scheduled = false;

  constructor(transport: Transport) {
    this.#transport = transport;
  }

  write(packet: Buffer): void {
    this.#pending.push(packet);
    this.#pendingBytes += packet.length;
    if (this.#scheduled) return;
    this.#scheduled = true;
    process.nextTick(flush, this);
  }

  /** Whether more than `bound` bytes wait for the client, after the system has been given what it takes. */
  isOver(bound: number): boolean {
    if (this.#pendingBytes + this.#transport.unsentBytes <= bound) return false;
    this.flush();
    return this.#transport.unsentBytes > bound;
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
}

function flush(outgoing: Outgoing): void {
  outgoing.flushScheduled();
}
