import { defineFields } from '../../table/field.ts';
import type { TrafficRates, TrafficRow } from '../clients/traffic.ts';

const total = ({ receivedMessages, sentMessages }: TrafficRates): number | undefined =>
  receivedMessages === undefined || sentMessages === undefined ? undefined : receivedMessages + sentMessages;

export const trafficFields = defineFields<TrafficRow>()({
  id: { label: 'CLIENT ID', type: 'name', get: ({ client }) => client.clientId },
  node: { label: 'NODE', type: 'text', get: ({ client }) => client.node },
  user: { label: 'USERNAME', type: 'text', get: ({ client }) => client.username },
  total: {
    label: 'MSG/S',
    type: 'rate',
    get: ({ rates }) => total(rates),
    // Most messages so far first, where rates are unknown or equal.
    tieBreak: ({ client: { traffic } }) => -((traffic?.receivedMessages ?? 0) + (traffic?.sentMessages ?? 0)),
  },
  in: { label: 'MSG IN/S', type: 'rate', get: ({ rates }) => rates.receivedMessages },
  out: { label: 'MSG OUT/S', type: 'rate', get: ({ rates }) => rates.sentMessages },
  'bytes-in': { label: 'BYTES IN/S', type: 'bytesRate', get: ({ rates }) => rates.receivedBytes },
  'bytes-out': { label: 'BYTES OUT/S', type: 'bytesRate', get: ({ rates }) => rates.sentBytes },
  'messages-in': { label: 'MSG IN', type: 'count', get: ({ client }) => client.traffic?.receivedMessages },
  'messages-out': { label: 'MSG OUT', type: 'count', get: ({ client }) => client.traffic?.sentMessages },
  received: { label: 'BYTES IN', type: 'bytes', get: ({ client }) => client.traffic?.receivedBytes },
  sent: { label: 'BYTES OUT', type: 'bytes', get: ({ client }) => client.traffic?.sentBytes },
});
