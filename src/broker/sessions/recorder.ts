import type { Qos } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { AcknowledgedDelivery, Delivery } from './message-queue.ts';

/** A change of a persistent session. In this order they give its state of now. */
export type SessionChange =
  | { readonly op: 'open'; readonly node: NodeName; readonly createdAt: BrokerSeconds }
  | { readonly op: 'remove' }
  | { readonly op: 'move'; readonly node: NodeName }
  | { readonly op: 'subscribe'; readonly filter: string; readonly qos: Qos }
  | { readonly op: 'unsubscribe'; readonly filter: string }
  /** A QoS 2 message came from the client; its PUBREL came. */
  | { readonly op: 'receive' | 'release'; readonly packetId: number }
  | { readonly op: 'queue'; readonly delivery: Delivery }
  /** A QoS 1 or 2 message goes out, from the head of the queue or past it. */
  | { readonly op: 'send'; readonly packetId: number; readonly delivery: AcknowledgedDelivery; readonly isQueued: boolean }
  /** The first QoS 0 message of the queue goes out. */
  | { readonly op: 'sendQos0' }
  /** So many of the oldest messages in the queue are dropped. */
  | { readonly op: 'drop'; readonly acknowledged: number; readonly qos0: number }
  /** The client sent PUBREC; the client sent PUBACK or PUBCOMP. */
  | { readonly op: 'received' | 'finish'; readonly packetId: number };

/** A session's view of the recorder. */
export interface SessionLog {
  /** Whether a message with a payload of that size can be kept now. */
  accepts(payloadBytes: number): boolean;
  add(change: SessionChange): void;
  /** Calls back once, after the next attempt to write. */
  afterSync(done: () => void): void;
}

/**
 * Keeps changes on disk. They are numbered, written in groups, and safe up to `kept`. Whoever
 * acknowledges a change waits for that. A cluster without a recorder is in memory only.
 */
export interface Recorder {
  /** Number of the last change. */
  readonly position: number;
  /** All changes up to this number are on disk. */
  readonly syncedPosition: number;
  /** Why nothing can be written now; `undefined` when all is well. Whatever would have to be kept is refused meanwhile. */
  readonly failure: Error | undefined;
  /** So much waits to be written that nobody should be read until the next attempt is over. */
  readonly isFull: boolean;
  /** Whether a message with a payload of that size can be kept now. */
  accepts(payloadBytes: number): boolean;
  session(clientId: string, change: SessionChange): void;
  /** What is retained of this topic changed. */
  retained(topic: string): void;
  /** Calls back once, after the next attempt to write all changes up to now, or a failed one. */
  afterSync(done: () => void): void;
}
