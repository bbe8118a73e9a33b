interface Stranger {
  /** What it has asked for and was not answered yet. */
  pending: number;
  hasAsked: boolean;
  /** It was turned away once. */
  isRefused: boolean;
  readonly sinceMs: number;
}

/**
 * The connections that a listener may have at a time. When there is no room, the one that has shown no
 * right to be there for longest makes it, so that connections which send nothing, or not enough, do
 * not shut out others.
 */
export class ConnectionSlots<T> {
  readonly #limit: number;
  readonly #graceMs: number | undefined;
  readonly #evict: (connection: T) => void;
  readonly #trusted = new Set<T>();
  /** In the order in which they came, or first asked. */
  readonly #strangers = new Map<T, Stranger>();

  /**
   * `evict` has to close the connection. One that came less than `graceMs` ago has not had the time to ask, and does not
   * count as idle; where none is, the first one goes that is being judged. Without `graceMs`, those stay.
   */
  constructor(limit: number, evict: (connection: T) => void, graceMs?: number) {
    this.#limit = limit;
    this.#evict = evict;
    this.#graceMs = graceMs;
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
    const idleSinceMs = performance.now() - (this.#graceMs ?? 0);
    // Logins that are checked in vain must not fill the place either.
    const [connection] = strangers.find(([, { isRefused }]) => isRefused)
      ?? strangers.find(([, { pending, sinceMs }]) => pending === 0 && sinceMs <= idleSinceMs)
      ?? (this.#graceMs === undefined ? undefined : strangers[0]) ?? [];
    if (connection === undefined) return false;
    // At once, because it says that it is closed only later.
    this.remove(connection);
    this.#evict(connection);
    return true;
  }

  add(connection: T): void {
    this.#strangers.set(connection, { pending: 0, hasAsked: false, isRefused: false, sinceMs: performance.now() });
  }

  /** It stays from now on until it ends by itself. */
  trust(connection: T): void {
    if (this.#strangers.delete(connection)) this.#trusted.add(connection);
  }

  /** It has asked to be let in, and stays while that is being judged, unless there is a grace and no other is idle. */
  begin(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger === undefined) return;
    stranger.pending += 1;
    if (stranger.hasAsked) return;
    stranger.hasAsked = true;
    this.#strangers.delete(connection);
    this.#strangers.set(connection, stranger);
  }

  /** It has no right to be there: it is the first to make room. */
  refuse(connection: T): void {
    const stranger = this.#strangers.get(connection);
    if (stranger !== undefined) stranger.isRefused = true;
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
