import type { Subscription } from '../../domain/client.ts';
import type { Session } from './session.ts';
import type { SortedIndex } from './sorted-index.ts';

interface SessionRange {
  readonly session: Session;
  /** Row of its first subscription. */
  readonly start: number;
}

/**
 * The subscriptions of a node as one list, in the order of their clients. The rows of each session are cached
 * until a subscription changes, so that a scan does not walk all sessions for every page.
 */
export class SubscriptionPages {
  readonly #sessions: SortedIndex<Session>;
  #ranges: readonly SessionRange[] | undefined;

  constructor(sessions: SortedIndex<Session>) {
    this.#sessions = sessions;
  }

  /** Drops the cache after a change. */
  invalidate(): void {
    this.#ranges = undefined;
  }

  /** At most `count` rows from `start`; positions are fixed with the first row. */
  *walk(start: number, count: number): Generator<Subscription, void> {
    const parts = (this.#ranges ??= this.#computeRanges());
    let left = count;
    for (let at = findRange(parts, start); left > 0; at += 1) {
      const part = parts[at];
      if (part === undefined) return;
      const skip = Math.max(0, start - part.start);
      for (const subscription of subscriptionsOf(part.session).slice(skip, skip + left)) {
        left -= 1;
        yield subscription;
      }
    }
  }

  #computeRanges(): readonly SessionRange[] {
    const parts: SessionRange[] = [];
    let start = 0;
    for (const session of this.#sessions.inOrder()) {
      if (session.subscriptions.size === 0) continue;
      parts.push({ session, start });
      start += session.subscriptions.size;
    }
    return parts;
  }
}

/** Index of the last range that starts at or before this row. */
function findRange(parts: readonly SessionRange[], row: number): number {
  let low = 0;
  let high = parts.length;
  while (high - low > 1) {
    const middle = (low + high) >> 1;
    if ((parts[middle]?.start ?? Infinity) <= row) low = middle;
    else high = middle;
  }
  return low;
}

export function subscriptionsOf(session: Session): readonly Subscription[] {
  const { clientId, nodeName: node } = session;
  return [...session.subscriptions].map(([topic, qos]) => ({ clientId, topic, qos, node }));
}
