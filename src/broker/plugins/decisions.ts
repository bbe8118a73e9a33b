import type { AccessBackend, AccessCounters } from '../../domain/access.ts';
import type { Counters } from '../engine/counters.ts';

type Decision = 'accepted' | 'refused' | 'undecided';
type Purpose = AccessBackend['purpose'];

/** Counts what decides about access on a node, since the node started. */
export class Decisions {
  readonly #countersOfNode: () => Counters;
  readonly #counts = new Map<string, Record<Decision, number>>();
  /** Those of the node, which are new when it starts again. */
  #since: Counters;

  constructor(countersOfNode: () => Counters) {
    this.#countersOfNode = countersOfNode;
    this.#since = countersOfNode();
  }

  count(purpose: Purpose, id: string, decision: Decision): void {
    this.#beginAgain();
    const key = `${purpose} ${id}`;
    const counts = this.#counts.get(key) ?? { accepted: 0, refused: 0, undecided: 0 };
    counts[decision] += 1;
    this.#counts.set(key, counts);
  }

  read(purpose: Purpose, id: string): AccessCounters {
    this.#beginAgain();
    const { accepted, refused, undecided } = this.#counts.get(`${purpose} ${id}`) ?? {
      accepted: 0,
      refused: 0,
      undecided: 0,
    };
    return { asked: accepted + refused + undecided, accepted, refused, undecided };
  }

  #beginAgain(): void {
    const now = this.#countersOfNode();
    if (now === this.#since) return;
    this.#since = now;
    this.#counts.clear();
  }
}
