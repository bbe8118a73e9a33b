import type { ActingState } from '../../actions/acting-monitor.ts';
import type { Subscriber, Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';

/** The client that a row is about, and its subscription if the row is one. */
export interface ClientTarget {
  readonly subject: Subscriber;
  readonly subscription?: Subscription | undefined;
}

/** What the actions in the menu of a client's row act on. */
export interface ClientRow {
  readonly target: ClientTarget;
  /** The current state of the monitor. */
  readonly state: () => ActingState;
}

/** The node of a client, as far as its row says. */
export const nodeOf = ({ subject, subscription }: ClientTarget): NodeName | undefined => {
  switch (subject.kind) {
    case 'client':
      return subject.client.node;
    case 'session':
      return subject.session.node;
    case 'id':
      return subscription?.node;
  }
};
