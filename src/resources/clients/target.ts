import type { Subscriber, Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';

/** The client that a row is about, and its subscription if the row is one. */
export interface ClientTarget {
  readonly subject: Subscriber;
  readonly subscription?: Subscription | undefined;
}

/** The node of a client, as far as its row says. */
export const nodeOfTarget = ({ subject, subscription }: ClientTarget): NodeName | undefined => {
  switch (subject.kind) {
    case 'client':
      return subject.client.node;
    case 'session':
      return subject.session.node;
    case 'id':
      return subscription?.node;
  }
};
