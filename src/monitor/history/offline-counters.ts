import type { Session } from '../../domain/client.ts';

/**
 * The counters of a session whose client is offline. Some brokers stop counting when the client leaves although the queue
 * grows: only counters that moved while it was offline are known to be live.
 */
export interface OfflineCounters {
  /** When the client was first found offline, wall clock. */
  readonly sinceMs: number;
  /** They moved while it was offline. */
  readonly isLive: boolean;
  /** From the last reading that began while the client was known to be offline. */
  readonly last: Session | undefined;
}

/** Whether counters moved without a delivery, which would mean that the client was back in between. */
const hasMoved = (before: Session, after: Session): boolean =>
  before.createdAt === after.createdAt && before.node === after.node && before.delivered === after.delivered
  && (before.queueLength !== after.queueLength || before.dropped !== after.dropped || before.enqueued !== after.enqueued);

/** Adds a reading of the session that began at `beganMs`. */
export function followOffline(counters: OfflineCounters, session: Session, beganMs: number | undefined): OfflineCounters {
  const { sinceMs, isLive, last } = counters;
  // In an earlier reading the counters may have moved with the client connected.
  if (beganMs === undefined || beganMs < sinceMs || session === last) return counters;
  return { sinceMs, isLive: isLive || (last !== undefined && hasMoved(last, session)), last: session };
}
