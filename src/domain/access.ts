import type { ByNode } from './node.ts';

/** The decisions of a backend of access control on a node since its counters began. */
export interface AccessCounters {
  readonly asked: number | undefined;
  readonly accepted: number | undefined;
  readonly refused: number | undefined;
  /** It did not know, or did not answer. */
  readonly undecided: number | undefined;
}

export interface AccessBackendOnNode {
  readonly isEnabled: boolean | undefined;
  readonly isConnected: boolean | undefined;
  readonly counters: AccessCounters;
}

/** A backend that decides who may connect (authentication), or publish and subscribe (authorization). */
export interface AccessBackend {
  readonly purpose: 'authentication' | 'authorization';
  /** Unique among those of a purpose. */
  readonly id: string;
  /** Nodes that are down are missing. */
  readonly nodes: ByNode<AccessBackendOnNode>;
  /** The cause that alarms about it have. */
  readonly alarmCause?: string | undefined;
}
