/** A receiver that publishers may wait for. */
interface Receiver {
  readonly isFillingUp: boolean;
  /** Calls back once, when the publisher may continue. Returns a function that cancels the wait. */
  onceDrained(onDrained: () => void): () => void;
}

/** Waiting time is regained this many times slower than it was spent. */
const recoveryFactor = 10;

/**
 * Makes one publisher wait until slow receivers have caught up. All waits share one time budget; when it is
 * used up, the publisher waits for a tenth of the time at most.
 */
export class Backpressure {
  readonly #maxMs: () => number;
  #spentMs = 0;
  #atMs = performance.now();

  constructor(maxMs: () => number) {
    this.#maxMs = maxMs;
  }

  get hasTimeLeft(): boolean {
    return this.#leftMs() > 0;
  }

  /** Calls `release` once: when no receiver is filling up any more, or the time budget is used up. */
  waitFor(receivers: readonly Receiver[], release: () => void): void {
    const leftMs = this.#leftMs();
    const slow = receivers.filter((receiver) => receiver.isFillingUp);
    if (slow.length === 0 || leftMs <= 0) return release();
    const fromMs = performance.now();
    let waitingFor = slow.length;
    const end = (): void => {
      clearTimeout(timer);
      for (const cancel of cancels) cancel();
      this.#atMs = performance.now();
      this.#spentMs += this.#atMs - fromMs;
      release();
    };
    const timer = setTimeout(end, Math.ceil(leftMs));
    const cancels = slow.map((receiver) => receiver.onceDrained(() => {
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
 * Publishers that wait for one client's queue to drain. All waits share one time budget, so that a client
 * that stays slow delays nobody for long.
 */
export class DrainWaiters {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #spentMs = 0;

  /** Whether less than `maxMs` has been spent waiting. */
  hasTimeLeft(maxMs: number): boolean {
    return this.#spentMs < maxMs;
  }

  /** Calls back once: at `releaseAll`, or when the time budget is used up. Returns a function that cancels the wait. */
  wait(maxMs: number, onDrained: () => void): () => void {
    this.#waiting.add(onDrained);
    if (this.#timer === undefined) {
      this.#sinceMs = performance.now();
      this.#timer = setTimeout(() => this.releaseAll(), Math.max(1, Math.ceil(maxMs - this.#spentMs)));
    }
    return () => {
      if (this.#waiting.delete(onDrained) && this.#waiting.size === 0) this.releaseAll();
    };
  }

  /** Releases all waiting publishers. */
  releaseAll(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#sinceMs;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onDrained of waiting) onDrained();
  }

  /** The client has caught up; the time budget starts over. */
  reset(): void {
    this.releaseAll();
    this.#spentMs = 0;
  }
}
