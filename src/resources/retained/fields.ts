import type { RetainedMessage } from '../../domain/messages.ts';
import { ageOf, type BrokerClocks } from '../../domain/node.ts';
import { defineFields } from '../../table/field.ts';

export const retainedFields = defineFields<RetainedMessage, BrokerClocks>()({
  topic: { label: 'TOPIC', type: 'name', get: ({ topic }) => topic },
  qos: { label: 'QOS', type: 'count', get: ({ qos }) => qos },
  published: {
    label: 'PUBLISHED',
    type: 'time',
    get: ({ publishedAt }) => publishedAt,
    age: ({ publishedAt }, clocks) => ageOf(publishedAt, clocks),
  },
  from: { label: 'FROM', type: 'text', get: ({ fromClientId }) => fromClientId },
  user: { label: 'USERNAME', type: 'text', get: ({ fromUsername }) => fromUsername },
});
