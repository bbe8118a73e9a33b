import type { Qos } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { AcknowledgedDelivery, Delivery } from './message-queue.ts';

/** A change of a persistent session. Applied in order they give its present state. */
export type SessionChange =
  | { readonly op: 'open'; readonly node: NodeName; readonly createdAt: BrokerSeconds }
  | { readonly op: 'remove' }
  | { readonly op: 'move'; readonly node: NodeName }
  | { readonly op: 'subscribe'; readonly filter: string; readonly qos: Qos }
  | { readonly op: 'unsubscribe'; readonly filter: string }
  /** The client sent a QoS 2 message; the client sent its PUBREL. */
  | { readonly op: 'receive' | 'release'; readonly packetId: number }
  | { readonly op: 'queue'; readonly delivery: Delivery }
  /** A QoS 1 or 2 message is sent, from the head of the queue or directly. */
  | { readonly op: 'send'; readonly packetId: number; readonly delivery: AcknowledgedDelivery; readonly isQueued: boolean }
  /** The first queued QoS 0 message is sent. */
  | { readonly op: 'sendQos0' }
  /** The oldest queued messages are dropped. */
  | { readonly op: 'drop'; readonly acknowledged: number; readonly qos0: number }
  /** The client sent PUBREC; the client sent PUBACK or PUBCOMP. */
  | { readonly op: 'received' | 'finish'; readonly packetId: number };

/** A session's view of the recorder. */
export interface SessionLog {
  /** Whether a message with a payload of this size can be stored now. */
  accepts(payloadBytes: number): boolean;
  add(change: SessionChange): void;
  /** Calls back once, after the next attempt to write. */
  afterSync(done: () => void): void;
}

/**
 * Records changes on disk. They are numbered, written in groups (group commit) and synced up to
 * `syncedPosition`; an acknowledgement waits for that. A cluster without a recorder is in memory only.
 */
export interface Recorder {
  /** Number of the last change. */
  readonly position: number;
  /** Number of the last change that is on disk. */
  readonly syncedPosition: number;
  /** Why nothing can be written now, if so. Changes that would have to be stored are refused meanwhile. */
  readonly failure: Error | undefined;
  /** So much waits to be written that no more packets should be read before the next attempt. */
  readonly isFull: boolean;
  /** Whether a message with a payload of this size can be stored now. */
  accepts(payloadBytes: number): boolean;
  session(clientId: string, change: SessionChange): void;
  /** The retained message of this topic changed. */
  retained(topic: string): void;
  /** Calls back once, after the next attempt to write, successful or not. */
  afterSync(done: () => void): void;
}
