interface Stranger {
  /** What it has asked for and was not answered yet. */
  pending: number;
}

/**
 * The connections that a listener may have at a time. When there is no room, the one that has shown no
 * right to be there for longest makes it, so that connections which send nothing, or not enough, do
 * not shut out others.
 */
export class ConnectionSlots<T> {
  readonly #limit: number;
  readonly #evict: (connection: T) => void;
  readonly #trusted = new Set<T>();
  /** In the order in which they came. */
  readonly #strangers = new Map<T, Stranger>();

  /** `evict` has to close the connection. */
  constructor(limit: number, evict: (connection: T) => void) {
    this.#limit = limit;
    this.#evict = evict;
  }

  get size(): number {
    return this.#trusted.size + this.#strangers.size;
  }

  all(): readonly T[] {
    return [...this.#trusted, ...this.#strangers.keys()];
  }

  /** False when one more has to be turned away. */
  makeRoom(): boolean {
    if (this.size < this.#limit) return true;
    const strangers = [...this.#strangers];
    // Where all are being judged the first one goes: logins that are checked in vain must not fill the place either.
    const [connection] = strangers.find(([, { pending }]) => pending === 0) ?? strangers[0] ?? [];
    if (connection === undefined) return false;
    // At once, because it says that it is closed only later.
    this.remove(connection);
    this.#evict(connection);
    return true;
  }

  add(connection: T): void {
    this.#strangers.set(connection, { pending: 0 });
  }

  /** It stays from now on until it ends by itself. */
  trust(connection: T): void {
    if (this.#strangers.delete(connection)) this.#trusted.add(connection);
  }

  /** It has asked to be let in, and stays while that is being judged, unless all others are, too, and came later. */
  begin(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.pending += 1;
  }

  /** What `begin` was called for has been answered. */
  end(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.pending -= 1;
  }

  /** The connection is over. False when it is not known. */
  remove(connection: T): boolean {
    return this.#strangers.delete(connection) || this.#trusted.delete(connection);
  }
}
