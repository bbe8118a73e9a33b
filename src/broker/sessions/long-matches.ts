/** A search for the receivers of a message. */
interface Match {
  /** Goes on for that many steps at most. True when it is done. */
  advance(maxSteps: number): boolean;
}

interface Waiting {
  readonly topic: string;
  readonly match: Match;
  readonly deliver: () => void;
}

/** Steps of one search in one turn of the event loop: some milliseconds. */
export const maxStepsPerTick = 8192;
/** Messages that wait for their receivers. Connections wait for theirs; the number of wills and presence messages has no other limit. */
const maxWaiting = 1000;

/**
 * Searches that take more than one turn of the event loop. They go on one at a time, in the order in
 * which their messages came, so that many of them take no more of a turn than one.
 */
export class LongMatches {
  readonly #waiting: Waiting[] = [];

  /** Whether a message of this topic waits, which a later one must not overtake. */
  has(topic: string): boolean {
    return this.#waiting.some((waiting) => waiting.topic === topic);
  }

  /** Resolves with what `deliver` returns, which is called when the search is done. */
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
