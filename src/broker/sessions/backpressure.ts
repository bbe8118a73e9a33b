/** A receiver whose queue fills up. */
interface Receiver {
  readonly isFillingUp: boolean;
  /** Calls back once, when the publisher may go on. The returned function cancels the wait. */
  onceDrained(relieved: () => void): () => void;
}

/** A publisher regains its patience in this many times the time it was held. */
const recoveryFactor = 10;

/**
 * Holds one publisher until slow receivers have caught up. All holds share one patience, whatever the
 * number of receivers; when it is used up, the publisher is held for a tenth of the time at most.
 */
export class Backpressure {
  readonly #maxMs: () => number;
  #spentMs = 0;
  #atMs = performance.now();

  constructor(patienceMs: () => number) {
    this.#maxMs = patienceMs;
  }

  get hasTimeLeft(): boolean {
    return this.#leftMs() > 0;
  }

  /** Calls back once: when no receiver is strained any more, or the patience is used up. */
  waitFor(receivers: readonly Receiver[], release: () => void): void {
    const leftMs = this.#leftMs();
    const strained = receivers.filter((receiver) => receiver.isFillingUp);
    if (strained.length === 0 || leftMs <= 0) return release();
    const fromMs = performance.now();
    let waitingFor = strained.length;
    const end = (): void => {
      clearTimeout(timer);
      for (const cancel of cancels) cancel();
      this.#atMs = performance.now();
      this.#spentMs += this.#atMs - fromMs;
      release();
    };
    const timer = setTimeout(end, Math.ceil(leftMs));
    const cancels = strained.map((receiver) => receiver.onceDrained(() => {
      waitingFor -= 1;
      if (waitingFor === 0) end();
    }));
  }

  #leftMs(): number {
    const nowMs = performance.now();
    this.#spentMs = Math.max(0, this.#spentMs - (nowMs - this.#atMs) / recoveryFactor);
    this.#atMs = nowMs;
    return this.#maxMs() - this.#spentMs;
  }
}

/**
 * Those who wait for the queue of one client to become short. Their patience is used up by waiting,
 * all waits together, so that a client that stays slow holds nobody up for long.
 */
export class DrainWaiters {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #spentMs = 0;

  /** Whether there is patience left of this many milliseconds. */
  hasTimeLeft(patienceMs: number): boolean {
    return this.#spentMs < patienceMs;
  }

  /** Calls back once: at `end`, or when the patience is used up. The returned function cancels the wait. */
  wait(patienceMs: number, relieved: () => void): () => void {
    this.#waiting.add(relieved);
    if (this.#timer === undefined) {
      this.#sinceMs = performance.now();
      this.#timer = setTimeout(() => this.releaseAll(), Math.max(1, Math.ceil(patienceMs - this.#spentMs)));
    }
    return () => {
      if (this.#waiting.delete(relieved) && this.#waiting.size === 0) this.releaseAll();
    };
  }

  /** Lets all go on that wait. */
  releaseAll(): void {
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
    this.releaseAll();
    this.#spentMs = 0;
  }
}
