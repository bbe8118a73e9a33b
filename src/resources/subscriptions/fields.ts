import type { Subscription } from '../../domain/client.ts';
import { defineFields } from '../../table/field.ts';
import { type Grouping, topicPrefixOf } from '../../table/grouping.ts';

export const subscriptionFields = defineFields<Subscription>()({
  id: { label: 'CLIENT ID', type: 'name', get: ({ clientId }) => clientId },
  topic: { label: 'TOPIC FILTER', type: 'name', get: ({ topic }) => topic },
  qos: { label: 'QOS', type: 'count', get: ({ qos }) => qos },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
});

export type SubscriptionGroupingId = 'filter' | 'topic' | 'client' | 'qos' | 'node';

const { id, topic, qos, node } = subscriptionFields;

export const subscriptionGroupings: readonly Grouping<Subscription, SubscriptionGroupingId>[] = [
  { id: 'filter', valueOf: topic.get },
  { id: 'topic', valueOf: (row) => topicPrefixOf(row.topic) },
  { id: 'client', valueOf: id.get },
  { id: 'qos', valueOf: (row) => qos.get(row)?.toString() },
  { id: 'node', valueOf: node.get },
];
