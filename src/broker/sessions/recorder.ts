import type { Qos } from '../../domain/client.ts';
import type { BrokerSeconds, NodeName } from '../../domain/node.ts';
import type { AcknowledgedDelivery, Delivery } from './message-queue.ts';

/** A change of a session. Applied in order, changes give its current state. */
export type SessionChange =
  | { readonly op: 'open'; readonly node: NodeName; readonly createdAt: BrokerSeconds }
  | { readonly op: 'remove' }
  | { readonly op: 'move'; readonly node: NodeName }
  | { readonly op: 'subscribe'; readonly filter: string; readonly qos: Qos }
  | { readonly op: 'unsubscribe'; readonly filter: string }
  /** The client sent a QoS 2 message, or its PUBREL. */
  | { readonly op: 'receive' | 'release'; readonly packetId: number }
  | { readonly op: 'queue'; readonly delivery: Delivery }
  /** A QoS 1 or 2 message is sent, from the head of the queue or directly. */
  | {
      readonly op: 'send';
      readonly packetId: number;
      readonly delivery: AcknowledgedDelivery;
      readonly isQueued: boolean;
    }
  | { readonly op: 'sendQos0' }
  | { readonly op: 'drop'; readonly acknowledged: number; readonly qos0: number }
  /** The client sent PUBREC, or PUBACK or PUBCOMP. */
  | { readonly op: 'received' | 'finish'; readonly packetId: number };

export interface SessionLog {
  accepts(payloadBytes: number): boolean;
  add(change: SessionChange): void;
  afterSync(done: () => void): void;
}

/**
 * Stores changes: they are numbered and written in groups (group commit); an acknowledgement waits until its change is
 * synced.
 */
export interface Recorder {
  readonly position: number;
  readonly syncedPosition: number;
  /** While set, changes that have to be stored are refused. */
  readonly failure: Error | undefined;
  /** No more packets should be read before the next sync. */
  readonly isFull: boolean;
  accepts(payloadBytes: number): boolean;
  session(clientId: string, change: SessionChange): void;
  retained(topic: string): void;
  /** Calls `done` once, after the next attempt to write, successful or not. */
  afterSync(done: () => void): void;
}
