import type { NodeName } from '../../domain/node.ts';
import type { Plugin } from '../../domain/plugin.ts';
import { type ByNodeRows, mergeByNode } from '../by-node.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { selectNodes } from './nodes.ts';
import type { NodeRow } from './nodes.ts';
import type { MonitorState } from '../state.ts';

/** One plugin, over all nodes. */
export interface PluginRow {
  readonly name: string;
  /** As the first node that has one says. */
  readonly description: string | undefined;
  /** What each node says; a node that has been read and is missing here does not list the plugin. */
  readonly byNode: ReadonlyMap<NodeName, Plugin>;
  /** The versions that its nodes name, in natural order: more than one is worth a look. */
  readonly versions: readonly string[];
  readonly activeCount: number;
  /** Nodes that say whether it is active. */
  readonly knownCount: number;
}

const mergePlugins = memoise((nodes: readonly NodeRow[], nodePlugins: MonitorState['nodePlugins']): ByNodeRows<PluginRow> =>
  mergeByNode(nodes, (node) => nodePlugins.get(node)?.data, ({ name }) => name, (listed) => [...listed].toSorted(([a], [b]) => compareNatural(a, b)).map(([name, { byNode }]): PluginRow => {
    const plugins = [...byNode.values()];
    const versions = new Set(plugins.flatMap(({ version }) => (version === undefined ? [] : [version])));
    return {
      name,
      byNode,
      description: plugins.find(({ description }) => description !== undefined)?.description,
      versions: [...versions].toSorted(compareNatural),
      activeCount: plugins.filter(({ active }) => active === true).length,
      knownCount: plugins.filter(({ active }) => active !== undefined).length,
    };
  })));

/** The plugins of all nodes that run and have been read (§2.8), by name. */
export function selectPlugins(state: MonitorState): ByNodeRows<PluginRow> {
  return mergePlugins(selectNodes(state), state.nodePlugins);
}
