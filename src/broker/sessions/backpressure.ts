/** A receiver whose queue fills up. */
interface Receiver {
  readonly isStrained: boolean;
  /** Calls back once, when the publisher may go on. The returned function cancels the wait. */
  whenRelieved(relieved: () => void): () => void;
}

/** A publisher regains its patience in this many times the time it was held. */
const recoveryFactor = 10;

/**
 * Holds one publisher until slow receivers have caught up. All holds share one patience, whatever the
 * number of receivers; when it is used up, the publisher is held for a tenth of the time at most.
 */
export class Backpressure {
  readonly #patienceMs: () => number;
  #spentMs = 0;
  #atMs = performance.now();

  constructor(patienceMs: () => number) {
    this.#patienceMs = patienceMs;
  }

  get hasPatience(): boolean {
    return this.#leftMs() > 0;
  }

  /** Calls back once: when no receiver is strained any more, or the patience is used up. */
  hold(receivers: readonly Receiver[], release: () => void): void {
    const leftMs = this.#leftMs();
    const strained = receivers.filter((receiver) => receiver.isStrained);
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
    const cancels = strained.map((receiver) => receiver.whenRelieved(() => {
      waitingFor -= 1;
      if (waitingFor === 0) end();
    }));
  }

  #leftMs(): number {
    const nowMs = performance.now();
    this.#spentMs = Math.max(0, this.#spentMs - (nowMs - this.#atMs) / recoveryFactor);
    this.#atMs = nowMs;
    return this.#patienceMs() - this.#spentMs;
  }
}
