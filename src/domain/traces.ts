import type { BrokerSeconds, NodeName, Unparsed } from './node.ts';

/** The kinds of things that a trace can follow. */
export type TraceKind = 'client-id' | 'topic' | 'address' | 'rule';

/** A log that the broker keeps of one client, topic, address or rule while it runs. */
export interface Trace {
  readonly name: string;
  /** `undefined` for a kind that is not known here. */
  readonly kind: TraceKind | undefined;
  readonly value: string;
  /** `waiting`: its start is in the future. `undefined`: not reported. */
  readonly status: 'running' | 'stopped' | 'waiting' | undefined;
  readonly startAt: BrokerSeconds | undefined;
  /** The broker stops it then by itself. */
  readonly endAt: BrokerSeconds | undefined;
  /** The length of the log on each node, in bytes. */
  readonly logBytes: ReadonlyMap<NodeName, number>;
  readonly unparsed: Unparsed;
}

export interface NewTrace {
  readonly name: string;
  readonly kind: Exclude<TraceKind, 'rule'>;
  readonly value: string;
  readonly endAt: BrokerSeconds;
}

/** A piece of the log of a trace. */
export interface TraceText {
  readonly text: string;
  /** The position, in bytes, of what comes after it. */
  readonly next: number;
}
