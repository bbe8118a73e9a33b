import type { Listener } from '../../domain/administration.ts';
import type { ByNode } from '../../domain/node.ts';
import { defineResource } from '../../monitor/query/query.ts';

/** Listeners of all nodes. */
export const listeners = defineResource<ByNode<readonly Listener[]>>({
  name: 'listeners',
  source: 'listeners',
  every: 'fifthTick',
  isVital: true,
  read: (api, call) => api.listListeners(call),
});
