/** What a node counts (§2.11): each has a present value and the highest since the node started. */
export const statNames = ['clients', 'sessions', 'subscribers', 'subscriptions', 'topics', 'routes', 'retained'] as const;

export type StatName = (typeof statNames)[number];

export interface Stat {
  /** Present value (`…/count`). */
  readonly count: number | undefined;
  /** Highest value since the node started (`…/max`). */
  readonly max: number | undefined;
}

/** Every name is present; a figure that the broker did not give is `undefined`. */
export type Stats = Readonly<Record<StatName, Stat>>;
