import type { Stats } from '../../domain/metrics.ts';
import type { ByNode } from '../../domain/node.ts';
import { definePart } from '../../monitor/query/part.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { TotalsSample } from './history.ts';

/** Counts of clients, sessions, subscriptions and the like, by node. */
export const stats = defineResource<ByNode<Stats>>({
  name: 'stats',
  source: 'statistics',
  every: 'tick',
  isVital: true,
  read: (api, call) => api.listStats(call),
});

/** Totals of the last five minutes, oldest first. */
export const totalsHistory = definePart<readonly TotalsSample[]>('totalsHistory', []);
