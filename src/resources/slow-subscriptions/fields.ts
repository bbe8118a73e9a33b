import type { SlowSubscription } from '../../domain/messages.ts';
import { ageOf, type BrokerClocks } from '../../domain/node.ts';
import { defineFields } from '../../table/field.ts';

export const slowSubscriptionFields = defineFields<SlowSubscription, BrokerClocks>()({
  client: { label: 'CLIENT ID', type: 'name', get: ({ clientId }) => clientId },
  latency: { label: 'LATENCY', type: 'seconds', get: ({ latencyMs }) => latencyMs / 1_000 },
  topic: { label: 'TOPIC FILTER', type: 'name', get: ({ topic }) => topic },
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  updated: {
    label: 'MEASURED',
    type: 'time',
    get: ({ updatedAt }) => updatedAt,
    age: ({ updatedAt, node }, clocks) => ageOf(updatedAt, clocks, node),
  },
});
