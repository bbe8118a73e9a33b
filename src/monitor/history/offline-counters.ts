import type { Session } from '../../domain/client.ts';

/**
 * The counters of a session whose client is offline. Some brokers stop counting when the client leaves although its queue
 * fills on, others go on, and no answer says which: only counters that moved while it was offline are known to be live.
 */
export interface OfflineCounters {
  /** When the client was first found offline, wall clock: it left at that time or before. */
  readonly sinceMs: number;
  /** They moved while it was offline. Until then they are as of the disconnect or later, and nothing is concluded from them. */
  readonly isLive: boolean;
  /** As of the last reading that began with the client known to be offline; `undefined` before. */
  readonly last: Session | undefined;
}

/** What only a broker that counts for offline clients changes. A client that was back in between would have been delivered something. */
const hasMoved = (before: Session, after: Session): boolean =>
  before.createdAt === after.createdAt && before.node === after.node && before.delivered === after.delivered
  && (before.queueLength !== after.queueLength || before.dropped !== after.dropped || before.enqueued !== after.enqueued);

/** Takes in a reading of the session that began at `beganMs`. */
export function followOffline(counters: OfflineCounters, session: Session, beganMs: number | undefined): OfflineCounters {
  const { sinceMs, isLive, last } = counters;
  // Read before the client was found offline: the counters may still have moved with it connected.
  if (beganMs === undefined || beganMs < sinceMs || session === last) return counters;
  return { sinceMs, isLive: isLive || (last !== undefined && hasMoved(last, session)), last: session };
}
