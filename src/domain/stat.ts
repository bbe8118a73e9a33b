/** What a node counts (§2.11): each has a present value and the highest since the node started. */
export const statNames = ['clients', 'sessions', 'subscribers', 'subscriptions', 'topics', 'routes', 'retained'] as const;

export type StatName = (typeof statNames)[number];

/**
 * What every node counts for the whole cluster, where the others are each node's own: on a recorded
 * cluster of two nodes both say 391 routes. Of these the cluster has as many as a node says, not the sum.
 */
export const clusterWideStats: ReadonlySet<StatName> = new Set(['topics', 'routes', 'retained']);

export interface Stat {
  /** Present value (`…/count`). */
  readonly count: number | undefined;
  /** Highest value since the node started (`…/max`). */
  readonly max: number | undefined;
}

/** Every name is present; a figure that the broker did not give is `undefined`. */
export type Stats = Readonly<Record<StatName, Stat>>;
