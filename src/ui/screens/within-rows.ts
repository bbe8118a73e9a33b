import type { Client } from '../../domain/client.ts';
import type { Subscription } from '../../domain/subscription.ts';
import { type Grouping, clientGroupings, subscriptionGroupings } from '../../store/grouping.ts';
import type { TopicRoutes } from '../../store/route-rows.ts';
import type { Within } from '../navigation.ts';

type Group = Extract<Within, { readonly kind: 'group' }>;

const isInGroup = <Row>(groupings: readonly Grouping<Row>[], { by, value }: Group, row: Row): boolean => {
  const grouping = groupings.find(({ id }) => id === by);
  return grouping !== undefined && grouping.valueOf(row) === value;
};

/** Whether a client belongs to what the list is narrowed to. */
export const isClientWithin = (within: Within, client: Client): boolean => {
  switch (within.kind) {
    case 'node':
      return client.node === within.node;
    case 'client':
      return client.clientId === within.clientId;
    case 'found':
      return within.clientIds.has(client.clientId);
    case 'groups':
      return within.of === undefined || isClientWithin(within.of, client);
    case 'group':
      return (within.of === undefined || isClientWithin(within.of, client)) && isInGroup(clientGroupings, within, client);
    case 'topic':
      // Nothing that is known of a client says to what it has subscribed.
      return true;
  }
};

/** Whether a subscription belongs to what the list is narrowed to. */
export const isSubscriptionWithin = (within: Within, subscription: Subscription): boolean => {
  switch (within.kind) {
    case 'node':
      return subscription.node === within.node;
    case 'client':
      return subscription.clientId === within.clientId;
    case 'topic':
      return subscription.topic === within.topic;
    case 'found':
      return within.clientIds.has(subscription.clientId);
    case 'groups':
      return within.of === undefined || isSubscriptionWithin(within.of, subscription);
    case 'group':
      return (within.of === undefined || isSubscriptionWithin(within.of, subscription)) && isInGroup(subscriptionGroupings, within, subscription);
  }
};

/** Whether a topic filter belongs to what the list is narrowed to; of a route nothing is known but this and its nodes. */
export const isTopicWithin = (within: Within, { topic, nodes }: TopicRoutes): boolean => {
  switch (within.kind) {
    case 'node':
      return nodes.includes(within.node);
    case 'topic':
      return topic === within.topic;
    case 'client':
    case 'found':
    case 'groups':
    case 'group':
      return true;
  }
};
