/**
 * Those who wait for the queue of one client to become short. Their patience is used up by waiting,
 * all waits together, so that a client that stays slow holds nobody up for long.
 */
export class Relief {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #spentMs = 0;

  /** Whether there is patience left of this many milliseconds. */
  hasPatience(patienceMs: number): boolean {
    return this.#spentMs < patienceMs;
  }

  /** Calls back once: at `end`, or when the patience is used up. The returned function cancels the wait. */
  wait(patienceMs: number, relieved: () => void): () => void {
    this.#waiting.add(relieved);
    if (this.#timer === undefined) {
      this.#sinceMs = performance.now();
      this.#timer = setTimeout(() => this.end(), Math.max(1, Math.ceil(patienceMs - this.#spentMs)));
    }
    return () => {
      if (this.#waiting.delete(relieved) && this.#waiting.size === 0) this.end();
    };
  }

  /** Lets all go on that wait. */
  end(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#sinceMs;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const relieved of waiting) relieved();
  }

  /** The client has caught up: the patience is whole again. */
  reset(): void {
    this.end();
    this.#spentMs = 0;
  }
}
