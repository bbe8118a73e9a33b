import type { NodeName } from '../domain/node.ts';
import type { Plugin } from '../domain/plugin.ts';
import { memoise } from './memoise.ts';
import { compareNatural } from './natural-order.ts';
import { selectNodes } from './select-nodes.ts';
import type { NodeRow } from './select-nodes.ts';
import type { MonitorState } from './state.ts';

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

export interface PluginRows {
  /** All nodes ever seen; the columns. */
  readonly nodes: readonly NodeName[];
  /** Nodes that run: those that can be asked. */
  readonly running: readonly NodeName[];
  /** Nodes that run and whose plugins have been read. */
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly PluginRow[];
}

const merge = memoise((nodes: readonly NodeRow[], nodePlugins: MonitorState['nodePlugins']): PluginRows => {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const listed = new Map<string, Map<NodeName, Plugin>>();
  const read = new Set<NodeName>();
  // What a node said before it stopped is not so any more.
  for (const node of running) {
    const plugins = nodePlugins.get(node)?.data;
    if (plugins === undefined) continue;
    read.add(node);
    for (const plugin of plugins) {
      const byNode = listed.get(plugin.name) ?? new Map<NodeName, Plugin>();
      listed.set(plugin.name, byNode.set(node, plugin));
    }
  }
  const rows = [...listed].toSorted(([a], [b]) => compareNatural(a, b)).map(([name, byNode]): PluginRow => {
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
  });
  return { nodes: nodes.map(({ name }) => name), running, read, rows };
});

/** The plugins of all nodes that run and have been read (§2.8), by name. */
export function selectPlugins(state: MonitorState): PluginRows {
  return merge(selectNodes(state), state.nodePlugins);
}
