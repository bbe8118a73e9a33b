import type { Subscription } from '../../domain/client.ts';
import type { Session } from './session.ts';
import type { SortedIndex } from './sorted-index.ts';

interface SessionRange {
  readonly session: Session;
  /** Subscriptions of the sessions before it. */
  readonly start: number;
}

/**
 * The subscriptions of a node as one list, in the order of their clients. Where each session begins
 * in it is kept until a subscription comes or goes, so that a scan does not walk all sessions for every page.
 */
export class SubscriptionPages {
  readonly #sessions: SortedIndex<Session>;
  #ranges: readonly SessionRange[] | undefined;

  constructor(sessions: SortedIndex<Session>) {
    this.#sessions = sessions;
  }

  /** A subscription came or went. */
  invalidate(): void {
    this.#ranges = undefined;
  }

  /** At most `count` rows from `start` on, as they are asked for; where they are was settled with the first. */
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

/** The last part that begins at or before that row; 0 when there is none. */
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
