import type { Qos } from '../../domain/client.ts';
import type { Recorder } from '../data/recorder.ts';
import type { Outbox } from '../sessions/outbox.ts';
import type { Session, SessionHome } from '../sessions/session.ts';
import type { Connection } from './connection.ts';
import type { Counters } from './counters.ts';
import type { BrokerHooks, ClientIdentity, CloseReason } from './hooks.ts';
import type { Message } from './message.ts';

/** The node, as its connections see it. */
export interface ConnectionHost extends SessionHome {
  readonly counters: Counters;
  readonly hooks: BrokerHooks;
  /** `undefined` when the cluster is in memory only. */
  readonly recorder: Recorder | undefined;
  /** A whole CONNECT came, and is going to be judged. */
  asked(connection: Connection): void;
  /** The data folder cannot be written, and this client's session would have to be. */
  cannotOpen(client: ClientIdentity): boolean;
  /** Finds or makes the session of a client that was let in, ending another connection that has it. */
  openSession(connection: Connection, client: ClientIdentity): { readonly session: Session; readonly isPresent: boolean };
  /** The client has its CONNACK. */
  connected(client: ClientIdentity): void;
  /** Once for each connection, whether it got as far as a session or not. */
  ended(connection: Connection, reason: CloseReason): void;
  /**
   * Returns the receivers that the message is almost too much for, so that the publisher waits for them; a
   * promise when finding them takes long. `receive` is called in the turn in which the message is delivered:
   * what it records is on disk together with the message. When it returns false, the message is not delivered.
   */
  publish(message: Message, receive?: () => boolean): readonly Outbox[] | Promise<readonly Outbox[]>;
  /** Whether an acknowledgement of this message promises that it outlives a restart. */
  hasToBeKept(message: Message): boolean;
  subscribe(session: Session, filter: string, qos: Qos): void;
  /** The client has as many filters as it may have. */
  refusedSubscription(session: Session, filter: string): void;
  unsubscribe(session: Session, filter: string): void;
  /** Begins to send the retained messages that a subscription gets. */
  deliverRetained(session: Session, filter: string, qos: Qos): void;
}
