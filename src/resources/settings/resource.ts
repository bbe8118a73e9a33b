import type { CallOptions, ReadingApi } from '../../api/management-api.ts';
import type { Setting } from '../../domain/administration.ts';
import type { ByNode, NodeName } from '../../domain/node.ts';
import { disclose } from '../../domain/secret-keys.ts';
import { defineResource } from '../../monitor/query/query.ts';
import type { ResourceState } from '../../monitor/state.ts';
import { orNotAvailable } from '../offered.ts';

/** Reads the settings of all nodes. @throws ApiError; NotAvailableError where the API cannot list them all at once */
export const readSettings = (api: ReadingApi, options: CallOptions): Promise<ByNode<readonly Setting[]>> =>
  orNotAvailable('the settings of all nodes at once', api.listSettings(options));

/** Hides the values of settings that are secrets, as the screen does. Others stay the same objects. */
export const withoutSecrets = <Row extends { readonly key: string; readonly value: string | undefined }>(
  rows: readonly Row[],
): readonly Row[] =>
  rows.map((row) => {
    const value = disclose(row.key, row.value);
    return value === row.value ? row : { ...row, value };
  });

/** Settings of all nodes; a `NotAvailableError` where the API cannot list them at once (`nodeSettings` may still work). */
export const settings = defineResource<ByNode<readonly Setting[]>>({
  name: 'settings',
  source: 'settings',
  every: 'fifthTick',
  recorded: (state: ResourceState<ByNode<readonly Setting[]>>) => ({
    ...state,
    data: state.data && new Map([...state.data].map(([node, rows]) => [node, withoutSecrets(rows)])),
  }),
  read: readSettings,
});

/** Settings of one node. */
export const nodeSettings = defineResource<readonly Setting[], [node: NodeName]>({
  name: 'nodeSettings',
  source: (node) => `settings of ${node}`,
  every: 'fifthTick',
  nodeOf: (node) => node,
  maxUnwatched: 64,
  recorded: (state) => ({ ...state, data: state.data && withoutSecrets(state.data) }),
  read: (api, call, node) => orNotAvailable(`the settings of ${node}`, api.getSettings(node, call)),
});
