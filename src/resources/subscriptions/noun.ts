import type { Subscription } from '../../domain/client.ts';
import { comparedBy, comparedFields, defineNoun, scanRows } from '../noun.ts';
import { subscriptionFields } from './fields.ts';
import { subscriptionScan } from './resource.ts';

export const subscriptionNoun = defineNoun({
  watches: () => [subscriptionScan],
  onDemand: [],
  recorded: 'everyMinute',
  compared: comparedBy<Subscription>({
    noun: { one: 'subscription', many: 'subscriptions' },
    nameOf: ({ clientId, topic }) => `${topic} of ${clientId}`,
    identity: subscriptionScan.identity,
    fields: [...comparedFields(subscriptionFields), { name: 'qos', label: 'QOS', get: ({ qos }) => qos }],
    clientId: ({ clientId }) => clientId,
    node: ({ node }) => node,
    read: scanRows(subscriptionScan),
  }),
});
