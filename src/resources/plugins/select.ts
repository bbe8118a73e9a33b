import type { Plugin } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { readings } from '../../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../../monitor/state.ts';
import { type ByNodeRows, mergeByNode } from '../by-node.ts';
import { type NodeRow, selectNodes } from '../nodes/select.ts';
import { plugins } from './resource.ts';

export interface PluginRow {
  readonly name: string;
  readonly description: string | undefined;
  readonly byNode: ReadonlyMap<NodeName, Plugin>;
  readonly versions: readonly string[];
  readonly activeCount: number;
  /** The number of nodes that report whether the plugin is active. */
  readonly knownCount: number;
}

const mergePlugins = memoise(
  (nodes: readonly NodeRow[], byNode: ReadonlyMap<NodeName, ResourceState<readonly Plugin[]>>): ByNodeRows<PluginRow> =>
    mergeByNode(
      nodes,
      (node) => byNode.get(node)?.data,
      ({ name }) => name,
      (listed) =>
        [...listed]
          .toSorted(([a], [b]) => compareNatural(a, b))
          .map(([name, { byNode }]): PluginRow => {
            const found = [...byNode.values()];
            const versions = new Set(found.flatMap(({ version }) => (version === undefined ? [] : [version])));
            return {
              name,
              byNode,
              description: found.find(({ description }) => description !== undefined)?.description,
              versions: [...versions].toSorted(compareNatural),
              activeCount: found.filter(({ active }) => active === true).length,
              knownCount: found.filter(({ active }) => active !== undefined).length,
            };
          }),
    ),
);

/** Plugins by name, with what each node says of them. */
export function selectPlugins(state: MonitorState): ByNodeRows<PluginRow> {
  return mergePlugins(selectNodes(state), readings(state, plugins));
}
