import type { Subscription } from '../../domain/subscription.ts';
import type { ScanDescription } from './scan-description.ts';

/**
 * The subscriptions of all nodes (§4.4), in the broker's hash order. A client has one subscription to a
 * filter; nothing tells which of two nodes is right while it moves, so the first seen in a scan stays.
 */
export const subscriptionScan: ScanDescription<Subscription> = {
  list: (api, node, page, options) => api.listSubscriptions(node, page, options),
  identity: subscriptionIdentity,
  isSame: (a, b) => a.node === b.node && a.qos === b.qos,
  isPreferred: () => false,
  textLength: ({ clientId, topic }) => clientId.length + topic.length,
};

/** The length keeps apart what would run together: client `a` with topic `b/c`, client `a b` with `/c`. */
export function subscriptionIdentity({ clientId, topic }: Pick<Subscription, 'clientId' | 'topic'>): string {
  return `${clientId.length} ${clientId} ${topic}`;
}
