import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { Setting } from '../../domain/administration.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { defineResource } from '../../monitor/query/query.ts';
import { orNotAvailable } from '../offered.ts';

/** Reads the settings of all nodes. @throws ApiError; NotAvailableError where the API cannot list them all at once */
export const readSettings = (api: ReadingApi, options: CallOptions): Promise<ByNode<readonly Setting[]>> =>
  orNotAvailable('the settings of all nodes at once', api.listSettings(options));

/** Settings of all nodes; a `NotAvailableError` where the API cannot list them at once (`nodeSettings` may still work). */
export const settings = defineResource<ByNode<readonly Setting[]>>({
  name: 'settings',
  source: 'settings',
  every: 'fifthTick',
  read: readSettings,
});

/** Settings of one node. */
export const nodeSettings = defineResource<readonly Setting[], [node: NodeName]>({
  name: 'nodeSettings',
  source: (node) => `settings of ${node}`,
  every: 'fifthTick',
  nodeOf: (node) => node,
  maxUnwatched: 64,
  read: (api, call, node) => orNotAvailable(`the settings of ${node}`, api.getSettings(node, call)),
});
