import type { ByNode } from './node.ts';

/** The parts of a broker's data integration: rules send messages to actions, and connectors reach other systems. */
export const integrationKinds = ['connector', 'action', 'source', 'rule'] as const;
export type IntegrationKind = (typeof integrationKinds)[number];

/** `stopped`: the part is disabled, or its connector is. */
export type IntegrationStatus = 'connected' | 'connecting' | 'disconnected' | 'stopped';

/** Why messages were lost. `exception`: the SQL of a rule failed; `action`: an action that is part of the rule. */
export const lossReasons = [
  'expired',
  'queue-full',
  'failed',
  'exception',
  'action',
  'stopped',
  'not-found',
  'other',
] as const;
export type LossReason = (typeof lossReasons)[number];

/** The counters of a part on a node, which restart with the node or when an operator resets them. */
export interface IntegrationCounters {
  /** Messages that came to the part. */
  readonly matched: number | undefined;
  readonly succeeded: number | undefined;
  readonly lost: Readonly<Partial<Record<LossReason, number>>>;
  readonly retried?: number | undefined;
  /** Messages that wait now, and those that were sent and not answered yet. */
  readonly queued?: number | undefined;
  readonly inflight?: number | undefined;
}

export interface IntegrationOnNode {
  /** Absent for rules, which have none, and where the broker has a word of its own for it. */
  readonly status?: IntegrationStatus | undefined;
  /** The broker's words for why it is not connected. */
  readonly reason?: string | undefined;
  /** Absent where nothing is counted, as for connectors. */
  readonly counters?: IntegrationCounters | undefined;
}

export interface Integration {
  readonly kind: IntegrationKind;
  /** Unique among parts of a kind. */
  readonly id: string;
  readonly isEnabled: boolean | undefined;
  /** The ID of the connector of an action or source, if it is known. */
  readonly connector?: string | undefined;
  /** The IDs of the actions of a rule, and the names of its functions. */
  readonly actions?: readonly string[] | undefined;
  /** Further texts of a rule, by which its operator knows it. */
  readonly name?: string | undefined;
  readonly sql?: string | undefined;
  /** Nodes that are down are missing. */
  readonly nodes: ByNode<IntegrationOnNode>;
  /** The cause or the ID that alarms about the part have. */
  readonly alarmCause?: string | undefined;
}

/** Parts that can be started: the broker then connects again at once. */
export type StartableKind = Exclude<IntegrationKind, 'rule'>;

/** Adds up what was lost; `undefined` where nothing is counted. */
export const lostOf = ({ lost }: Pick<IntegrationCounters, 'lost'>): number | undefined => {
  const counts = Object.values(lost);
  return counts.length === 0 ? undefined : counts.reduce((sum, count) => sum + count, 0);
};
