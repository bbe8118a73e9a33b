import type { Route } from '../../domain/route.ts';
import type { ScanDescription } from './scan-description.ts';

/** The routes of the cluster (§4.5): one list, not one a node, and no two rows with the same topic and node. */
export const routeScan: ScanDescription<Route> = {
  list: (api, _, page, options) => api.listRoutes(page, options),
  identity: routeIdentity,
  isSame: () => true,
  isPreferred: () => false,
  textLength: ({ topic, node }) => topic.length + node.length,
};

export function routeIdentity({ topic, node }: Route): string {
  return `${node.length} ${node} ${topic}`;
}
