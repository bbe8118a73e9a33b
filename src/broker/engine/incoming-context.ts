import type { Access } from './access.ts';
import type { ConnectionHost } from './connection-host.ts';
import type { Counters } from './counters.ts';
import type { IncomingContext } from './incoming.ts';
import type { Outbox } from '../sessions/outbox.ts';
import type { Session } from '../sessions/session.ts';

/** A connection with its session, and what only the connection can do. */
interface ConnectionParts extends Pick<IncomingContext, 'send' | 'disconnectUnstored' | 'disconnect'> {
  readonly host: ConnectionHost;
  readonly session: Session;
  readonly access: Access;
  readonly counters: Counters;
  isOver(): boolean;
  /** What is sent from now on waits until the change of this number is on disk. */
  hold(position: number): void;
  /** Its last message was almost too much for these receivers. */
  strained(outboxes: readonly Outbox[]): void;
  /** Its last message takes long. */
  publishing(): void;
}

/** What the packets of a connection act on, once its client has been let in. */
export function createIncomingContext(parts: ConnectionParts): IncomingContext {
  const { host, session, access, counters, isOver, hold, strained, publishing, send, disconnectUnstored, disconnect } = parts;
  const { recorder } = host;
  // Told once: who is refused one is refused thousands.
  let hasRefused = false;
  return {
    session,
    access,
    counters,
    settings: host.settings,
    accepts: (message) => {
      if (recorder === undefined || recorder.accepts(message.payload.length)) return true;
      return !(message.qos === 2 && !session.cleanSession) && !host.hasToBeKept(message);
    },
    maySubscribe: () => recorder?.failure === undefined || session.cleanSession,
    publish: (message, receive) => {
      const before = recorder?.position ?? 0;
      const published = (outboxes: readonly Outbox[]): void => {
        if (recorder !== undefined && message.qos > 0 && recorder.position > before) hold(recorder.position);
        // Its own acknowledgements come behind its messages: to wait for them would help nobody.
        strained(outboxes.filter((outbox) => outbox !== session.outbox));
      };
      const receivers = host.publish(message, receive);
      if (!(receivers instanceof Promise)) return published(receivers);
      publishing();
      return receivers.then(published);
    },
    // A hook may answer after the connection is gone, and with it a clean session.
    subscribe: (filter, qos) => { if (!isOver()) host.subscribe(session, filter, qos); },
    refuse: (filter) => {
      if (!hasRefused) host.refusedSubscription(session, filter);
      hasRefused = true;
    },
    unsubscribe: (filter) => { if (!isOver()) host.unsubscribe(session, filter); },
    deliverRetained: (filter, qos) => { if (!isOver()) host.deliverRetained(session, filter, qos); },
    send,
    disconnectUnstored,
    disconnect,
  };
}
