interface Match {
  /** Continues for at most `maxSteps`. True when done. */
  advance(maxSteps: number): boolean;
}

interface Waiting {
  readonly topic: string;
  readonly match: Match;
  readonly deliver: () => void;
}

/** Steps in one event loop iteration: some milliseconds. */
export const maxStepsPerTick = 8192;
/** Limits waiting will messages and presence messages; connections wait for their own. */
const maxWaiting = 1000;

/** Matches that take more than one event loop iteration. They continue one at a time, in the order of their messages. */
export class LongMatches {
  readonly #waiting: Waiting[] = [];

  /** Whether a message of this topic waits, which later ones must not overtake. */
  has(topic: string): boolean {
    return this.#waiting.some((waiting) => waiting.topic === topic);
  }

  /** Calls `deliver` when the match is done and resolves with its result. */
  finish<T>(topic: string, match: Match, deliver: () => T): Promise<T> {
    return new Promise((resolve) => {
      this.#waiting.push({ topic, match, deliver: () => resolve(deliver()) });
      if (this.#waiting.length === 1) setImmediate(() => this.#tick());
      else if (this.#waiting.length > maxWaiting) this.#advance(Infinity);
    });
  }

  #tick(): void {
    this.#advance(maxStepsPerTick);
    if (this.#waiting.length > 0) setImmediate(() => this.#tick());
  }

  #advance(maxSteps: number): void {
    const [first] = this.#waiting;
    if (first?.match.advance(maxSteps) !== true) return;
    first.deliver();
    this.#waiting.shift();
  }
}
