import type { Subscription } from '../../domain/client.ts';
import { reading } from '../../monitor/query/part.ts';
import { defineScan } from '../../monitor/query/query.ts';
import { stats } from '../statistics/resource.ts';

/** Returns an identity that begins with a length: client `a` with topic `b/c` is not client `a b` with `/c`. */
export function subscriptionIdentity({ clientId, topic }: Pick<Subscription, 'clientId' | 'topic'>): string {
  return `${clientId.length} ${clientId} ${topic}`;
}

/** Subscriptions, in hash order. Of one that is listed by two nodes, the first stays. */
export const subscriptionScan = defineScan<Subscription>({
  name: 'subscriptionScan',
  noun: 'subscriptions',
  expected: (state, node) => reading(state, stats).data?.get(node)?.subscriptions.count,
  list: (api, node, page, options) => api.listSubscriptions(node, page, options),
  identity: subscriptionIdentity,
  isPreferred: () => false,
});
