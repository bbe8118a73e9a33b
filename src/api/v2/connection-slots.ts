import type { Socket } from 'node:net';

interface Slot {
  /** Requests of it that are being answered. */
  busy: number;
}

/**
 * The connections that a listener may have at a time. When there is no room, the connection that has
 * shown no right to be there for longest makes it, so that connections which send nothing, or not
 * enough, do not shut out others.
 */
export class ConnectionSlots {
  readonly #limit: number;
  readonly #trusted = new Set<Socket>();
  /** In the order in which they came. */
  readonly #strangers = new Map<Socket, Slot>();

  constructor(limit: number) {
    this.#limit = limit;
  }

  get size(): number {
    return this.#trusted.size + this.#strangers.size;
  }

  /** A connection came. False, and it is closed, when there is no room for it. */
  add(socket: Socket): boolean {
    if (this.size >= this.#limit && !this.#evict()) {
      socket.destroy();
      return false;
    }
    this.#strangers.set(socket, { busy: 0 });
    socket.once('close', () => this.#forget(socket));
    return true;
  }

  /** Stays from now on until it ends by itself. */
  trust(socket: Socket): void {
    if (this.#strangers.delete(socket)) this.#trusted.add(socket);
  }

  /** A request of it is being judged: it has done its part, and is not turned out meanwhile. */
  begin(socket: Socket): void {
    const slot = this.#strangers.get(socket);
    if (slot !== undefined) slot.busy += 1;
  }

  /** The request of `begin` has been answered. */
  end(socket: Socket): void {
    const slot = this.#strangers.get(socket);
    if (slot !== undefined) slot.busy -= 1;
  }

  #evict(): boolean {
    for (const [socket, { busy }] of this.#strangers) {
      if (busy > 0) continue;
      // At once, because the socket says that it is closed only later.
      this.#forget(socket);
      socket.destroy();
      return true;
    }
    return false;
  }

  #forget(socket: Socket): void {
    this.#strangers.delete(socket);
    this.#trusted.delete(socket);
  }
}
