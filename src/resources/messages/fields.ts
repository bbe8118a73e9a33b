import type { SessionMessage } from '../../domain/messages.ts';
import { ageOf, type BrokerClocks } from '../../domain/node.ts';
import { defineFields } from '../../table/field.ts';

/** A message with its place in the queue, from 1. */
export interface MessageRow extends SessionMessage {
  readonly place: number;
}

export const messageFields = defineFields<MessageRow, BrokerClocks>()({
  place: { label: '#', type: 'count', get: ({ place }) => place },
  topic: { label: 'TOPIC', type: 'name', get: ({ topic }) => topic },
  qos: { label: 'QOS', type: 'count', get: ({ qos }) => qos },
  published: {
    label: 'PUBLISHED',
    type: 'time',
    get: ({ publishedAt }) => publishedAt,
    age: ({ publishedAt }, clocks) => ageOf(publishedAt, clocks),
  },
  from: { label: 'FROM', type: 'text', get: ({ fromClientId }) => fromClientId },
  // Payloads are drawn, and neither sorted nor exported.
  payload: { label: 'PAYLOAD', type: 'text', get: () => undefined },
});
