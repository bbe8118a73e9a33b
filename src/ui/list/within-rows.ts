import type { Client } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { type Grouping, clientGroupings, subscriptionGroupings } from '../../table/grouping.ts';
import type { TopicRoutes } from '../screens/routes/rows.ts';
import type { SessionRow } from '../../monitor/history/session-rates.ts';
import type { Within } from '../navigation.ts';

/** What is known of a kind of row that a list can be narrowed to; what is not known of it narrows nothing. */
interface Belonging<Row> {
  readonly isOn: (row: Row, node: NodeName) => boolean;
  readonly clientIdOf?: (row: Row) => string;
  readonly topicOf?: (row: Row) => string;
  readonly groupings?: readonly Grouping<Row>[];
}

const withinBy = <Row>({ isOn, clientIdOf, topicOf, groupings }: Belonging<Row>) => {
  const isWithin = (within: Within, row: Row): boolean => {
    switch (within.kind) {
      case 'node':
        return isOn(row, within.node);
      case 'client':
        return clientIdOf === undefined || clientIdOf(row) === within.clientId;
      case 'topic':
        return topicOf === undefined || topicOf(row) === within.topic;
      case 'found':
        return clientIdOf === undefined || within.clientIds.has(clientIdOf(row));
      case 'groups':
        return within.of === undefined || isWithin(within.of, row);
      case 'group':
        return (within.of === undefined || isWithin(within.of, row))
          && (groupings === undefined || groupings.some(({ id, valueOf }) => id === within.by && valueOf(row) === within.value));
    }
  };
  return isWithin;
};

/** Whether a client belongs to what the list is narrowed to. */
export const isClientWithin = withinBy<Client>({ isOn: (client, node) => client.node === node, clientIdOf: ({ clientId }) => clientId, groupings: clientGroupings });

/** Whether a session belongs to what the list is narrowed to. */
export const isSessionWithin = withinBy<SessionRow>({ isOn: ({ session }, node) => session.node === node, clientIdOf: ({ session }) => session.clientId });

/** Whether a subscription belongs to what the list is narrowed to. */
export const isSubscriptionWithin = withinBy<Subscription>({
  isOn: (subscription, node) => subscription.node === node, clientIdOf: ({ clientId }) => clientId, topicOf: ({ topic }) => topic, groupings: subscriptionGroupings,
});

/** Whether a topic filter belongs to what the list is narrowed to; of a route nothing is known but this and its nodes. */
export const isTopicWithin = withinBy<TopicRoutes>({ isOn: ({ nodes }, node) => nodes.includes(node), topicOf: ({ topic }) => topic });
