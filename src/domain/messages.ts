import type { Qos } from './client.ts';
import type { BrokerSeconds, NodeName } from './node.ts';

export interface RetainedMessage {
  readonly topic: string;
  readonly qos: number | undefined;
  readonly publishedAt: BrokerSeconds | undefined;
  readonly fromClientId: string | undefined;
  readonly fromUsername: string | undefined;
}

export interface RetainedContent extends RetainedMessage {
  readonly payload: Uint8Array;
}

/** A message that waits in a session: in its queue, or sent and not acknowledged. */
export interface SessionMessage {
  readonly topic: string;
  readonly qos: Qos | undefined;
  readonly publishedAt: BrokerSeconds | undefined;
  readonly fromClientId: string | undefined;
  readonly fromUsername: string | undefined;
  /** The API may cut it. `undefined` if it was not requested. */
  readonly payload: Uint8Array | undefined;
}

export type SessionMessageKind = 'queue' | 'inflight';

/** One page of the messages of a session. Pages have no numbers: each says where the next begins. */
export interface SessionMessages {
  readonly items: readonly SessionMessage[];
  /** `undefined` on the last page. */
  readonly next: string | undefined;
}

/** A subscription whose messages take long to arrive. */
export interface SlowSubscription {
  readonly clientId: string;
  readonly topic: string;
  readonly node: NodeName | undefined;
  readonly latencyMs: number;
  readonly updatedAt: BrokerSeconds | undefined;
}

export interface SlowSubscriptions {
  /** Whether the broker measures how long messages take. */
  readonly isEnabled: boolean | undefined;
  /** The setting that makes the broker do so, in its own words. */
  readonly setting?: string | undefined;
  readonly thresholdMs: number | undefined;
  /** Slowest first; the broker keeps a limited number. */
  readonly items: readonly SlowSubscription[];
}
