import { defineFields } from '../../table/field.ts';
import type { ListenerRow } from './select.ts';

export const listenerStates = { yes: 'running', no: 'stopped', partly: 'partly' } as const;

/** Writes shutdown reasons, most frequent first; the broker's text if it could not be parsed. */
export function shutdownText({ listener }: ListenerRow): string | undefined {
  if (listener.shutdownCountRaw !== undefined) return listener.shutdownCountRaw;
  const counts = Object.entries(listener.shutdownCount).toSorted(([, a], [, b]) => b - a);
  return counts.length === 0 ? undefined : counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
}

export const listenerFields = defineFields<ListenerRow>()({
  node: { label: 'NODE', type: 'text', get: ({ node }) => node },
  protocol: { label: 'PROTOCOL', type: 'text', get: ({ listener }) => listener.protocol },
  listen: { label: 'LISTEN', type: 'text', get: ({ listener }) => listener.listen },
  running: {
    label: 'RUNNING',
    type: 'text',
    get: ({ listener: { running } }) => (running === undefined ? undefined : listenerStates[running]),
  },
  used: { label: 'USED', type: 'share', get: ({ clients }) => clients.share },
  current: { label: 'CURRENT', type: 'count', get: ({ listener }) => listener.currentClients },
  max: {
    label: 'MAX',
    type: 'count',
    get: ({ listener }) => listener.maxClients,
    order: ({ listener }) => (listener.isUnlimited === true ? Number.MAX_SAFE_INTEGER : listener.maxClients),
  },
  acceptors: { label: 'ACCEPTORS', type: 'count', get: ({ listener }) => listener.acceptors },
  shutdown: { label: 'SHUTDOWN COUNTS', type: 'text', get: shutdownText },
});
