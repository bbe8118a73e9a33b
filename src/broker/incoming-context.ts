import type { Access } from './access.ts';
import type { ConnectionHost } from './connection-host.ts';
import type { Counters } from './counters.ts';
import type { IncomingContext } from './incoming.ts';
import type { Outbox } from './outbox.ts';
import type { Session } from './session.ts';

/** A connection with its session, and what only the connection can do. */
interface ConnectionParts extends Pick<IncomingContext, 'send' | 'disconnect'> {
  readonly host: ConnectionHost;
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  isOver(): boolean;
  /** Its last message was almost too much for these receivers. */
  strained(outboxes: readonly Outbox[]): void;
}

/** What the packets of a connection act on, once its client has been let in. */
export function createIncomingContext(parts: ConnectionParts): IncomingContext {
  const { host, session, access, counters, isOver, strained, send, disconnect } = parts;
  return {
    session,
    access,
    counters,
    settings: host.settings,
    publish: (message) => {
      // Its own acknowledgements come behind its messages: to wait for them would help nobody.
      strained(host.publish(message).filter((outbox) => outbox !== session.outbox));
    },
    // A hook may answer after the connection is gone, and with it a clean session.
    subscribe: (filter, qos) => { if (!isOver()) host.subscribe(session, filter, qos); },
    unsubscribe: (filter) => { if (!isOver()) host.unsubscribe(session, filter); },
    deliverRetained: (filter, qos) => { if (!isOver()) host.deliverRetained(session, filter, qos); },
    send,
    disconnect,
  };
}
