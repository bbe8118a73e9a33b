import type { Route } from '../../domain/client.ts';
import { reading } from '../../monitor/query/part.ts';
import { defineResource, defineScan } from '../../monitor/query/query.ts';
import { stats } from '../statistics/resource.ts';

/** The length separates node `a` with topic `b/c` from node `a b` with `/c`. */
export function routeIdentity({ topic, node }: Route): string {
  return `${node.length} ${node} ${topic}`;
}

/** Routes of the cluster, unique by topic and node: any node lists those of all nodes. */
export const routeScan = defineScan<Route>({
  name: 'routeScan',
  noun: 'routes',
  isOfCluster: true,
  expected: (state) =>
    [...(reading(state, stats).data?.values() ?? [])]
      .map(({ routes }) => routes.count)
      .reduce<number | undefined>((max, count) => (count === undefined ? max : Math.max(max ?? 0, count)), undefined),
  list: (api, _, page, options) => api.listRoutes(page, options),
  identity: routeIdentity,
  isPreferred: () => false,
});

/** Routes of one topic filter. */
export const topicRoutes = defineResource<readonly Route[], [topic: string]>({
  name: 'topicRoutes',
  source: (topic) => `routes of ${topic}`,
  every: 'tick',
  read: (api, call, topic) => api.getRoutes(topic, call),
});
