interface Receiver {
  readonly isFillingUp: boolean;
  onceDrained(onDrained: () => void): () => void;
}

/** Waiting time is regained this many times slower than it is spent. */
const recoveryFactor = 10;

/**
 * Slows a publisher down. All waits share one time budget; once it is used up, the publisher waits for at most a tenth
 * of the time.
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
    const cancels = slow.map((receiver) =>
      receiver.onceDrained(() => {
        waitingFor -= 1;
        if (waitingFor === 0) end();
      }),
    );
  }

  #leftMs(): number {
    const nowMs = performance.now();
    this.#spentMs = Math.max(0, this.#spentMs - (nowMs - this.#atMs) / recoveryFactor);
    this.#atMs = nowMs;
    return this.#maxMs() - this.#spentMs;
  }
}

export class DrainWaiters {
  readonly #waiting = new Set<() => void>();
  #timer: NodeJS.Timeout | undefined;
  #sinceMs = 0;
  #spentMs = 0;

  hasTimeLeft(maxMs: number): boolean {
    return this.#spentMs < maxMs;
  }

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

  releaseAll(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    this.#spentMs += performance.now() - this.#sinceMs;
    const waiting = [...this.#waiting];
    this.#waiting.clear();
    for (const onDrained of waiting) onDrained();
  }

  reset(): void {
    this.releaseAll();
    this.#spentMs = 0;
  }
}
