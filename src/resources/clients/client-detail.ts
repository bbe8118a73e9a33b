import type { ApiError } from '../../api/errors.ts';
import type { Client, Session, Subscription } from '../../domain/client.ts';

export interface OfflineSession {
  /** The time when the client was first found offline. */
  readonly sinceMs: number;
  /** The counters moved while the client was offline. */
  readonly isLive: boolean;
}

/** A reading of a client's session; `undefined` is unknown. */
export interface TrendPoint {
  /** The arrival of the answer, monotonic. */
  readonly atMs: number;
  readonly queueLength: number | undefined;
  readonly deliveredPerSecond: number | undefined;
  readonly droppedPerSecond: number | undefined;
  /** The client reconnected, or its session was created again. */
  readonly isGap?: boolean | undefined;
}

export interface ClientDetail {
  readonly clients: readonly Client[] | ApiError;
  readonly sessions: readonly Session[] | ApiError;
  readonly subscriptions: readonly Subscription[] | ApiError;
  readonly offline?: OfflineSession | undefined;
  /** The trend since the client is watched, also of earlier connections; oldest first. */
  readonly trend?: readonly TrendPoint[] | undefined;
}
