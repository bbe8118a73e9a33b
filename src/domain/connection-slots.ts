interface UntrustedConnection {
  pending: number;
  hasBegun: boolean;
  hasFailed: boolean;
  readonly sinceMs: number;
}

/**
 * Limits connections. A full listener evicts one that is not signed in, so that silent connections cannot block others.
 */
export class ConnectionSlots<T> {
  readonly #limit: number;
  readonly #graceMs: number | undefined;
  readonly #evict: (connection: T) => void;
  readonly #trusted = new Set<T>();
  readonly #untrusted = new Map<T, UntrustedConnection>();

  /**
   * @param evict closes an idle connection older than `graceMs`, else the first one that is signing in (never without
   * `graceMs`)
   */
  constructor(limit: number, evict: (connection: T) => void, graceMs?: number) {
    this.#limit = limit;
    this.#evict = evict;
    this.#graceMs = graceMs;
  }

  get size(): number {
    return this.#trusted.size + this.#untrusted.size;
  }

  all(): readonly T[] {
    return [...this.#trusted, ...this.#untrusted.keys()];
  }

  makeRoom(): boolean {
    if (this.size < this.#limit) return true;
    const untrusted = [...this.#untrusted];
    const idleSinceMs = performance.now() - (this.#graceMs ?? 0);
    // Failed logins must not fill the slots either.
    const [connection] =
      untrusted.find(([, { hasFailed }]) => hasFailed) ??
      untrusted.find(([, { pending, sinceMs }]) => pending === 0 && sinceMs <= idleSinceMs) ??
      (this.#graceMs === undefined ? undefined : untrusted[0]) ??
      [];
    if (connection === undefined) return false;
    // Now, because its close event comes later.
    this.remove(connection);
    this.#evict(connection);
    return true;
  }

  add(connection: T): void {
    this.#untrusted.set(connection, { pending: 0, hasBegun: false, hasFailed: false, sinceMs: performance.now() });
  }

  trust(connection: T): void {
    if (this.#untrusted.delete(connection)) this.#trusted.add(connection);
  }

  begin(connection: T): void {
    const untrusted = this.#untrusted.get(connection);
    if (untrusted === undefined) return;
    untrusted.pending += 1;
    if (untrusted.hasBegun) return;
    untrusted.hasBegun = true;
    this.#untrusted.delete(connection);
    this.#untrusted.set(connection, untrusted);
  }

  fail(connection: T): void {
    const untrusted = this.#untrusted.get(connection);
    if (untrusted !== undefined) untrusted.hasFailed = true;
  }

  end(connection: T): void {
    const untrusted = this.#untrusted.get(connection);
    if (untrusted !== undefined) untrusted.pending -= 1;
  }

  remove(connection: T): boolean {
    return this.#untrusted.delete(connection) || this.#trusted.delete(connection);
  }
}
