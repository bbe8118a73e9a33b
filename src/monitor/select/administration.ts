import type { Plugin, Setting } from '../../domain/administration.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import type { MonitorState } from '../state.ts';
import { type NodeRow, selectNodes } from './nodes.ts';

export interface PluginRow {
  readonly name: string;
  /** From the first node that has one. */
  readonly description: string | undefined;
  /** A node that has been read and is missing here does not list the plugin. */
  readonly byNode: ReadonlyMap<NodeName, Plugin>;
  /** Distinct versions, in natural order. */
  readonly versions: readonly string[];
  readonly activeCount: number;
  /** Number of nodes that report whether it is active. */
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

/** The plugins of all running nodes that have been read (§2.8), by name. */
export function selectPlugins(state: MonitorState): ByNodeRows<PluginRow> {
  return mergePlugins(selectNodes(state), state.nodePlugins);
}

export interface SettingRow {
  /** Of application and key: unique. */
  readonly id: string;
  readonly app: string;
  readonly key: string;
  readonly dataType: string | undefined;
  /** A node that has been read and is missing here has no such setting. */
  readonly byNode: ReadonlyMap<NodeName, Setting>;
  readonly isDifferent: boolean;
}

const mergeSettings = memoise((
  nodes: readonly NodeRow[], settings: MonitorState['settings']['data'], isOneByOne: boolean, nodeSettings: MonitorState['nodeSettings'], isUnderstood: boolean,
): ByNodeRows<SettingRow> =>
  mergeByNode(
    nodes,
    (node) => (isOneByOne ? nodeSettings.get(node)?.data : settings?.get(node)),
    ({ app, key }) => JSON.stringify([app, key]),
    (listed, read) => [...listed].map(([id, { first: { app, key, dataType }, byNode }]): SettingRow => ({
      id, app, key, dataType, byNode,
      isDifferent: (isUnderstood && byNode.size < read.size) || new Set([...byNode.values()].map(({ value }) => value)).size > 1,
    })).toSorted((a, b) => compareNatural(a.key, b.key) || compareNatural(a.app, b.app)),
  ));

/** This broker cannot list the settings of all nodes at once: they are read by node. */
export function selectIsReadByNode({ settings, nodeSettings }: MonitorState): boolean {
  return settings.data === undefined && (settings.error?.kind === 'not-available' || nodeSettings.size > 0);
}

/** The settings of all running nodes that have been read (§2.12), by key. */
export function selectSettings(state: MonitorState): ByNodeRows<SettingRow> {
  // A missing setting may be one that was not decoded.
  const isUnderstood = [state.settings, ...state.nodeSettings.values()].every(({ unusable }) => unusable === undefined);
  return mergeSettings(selectNodes(state), state.settings.data, selectIsReadByNode(state), state.nodeSettings, isUnderstood);
}

export interface ByNodeRows<Row> {
  /** All nodes ever seen. */
  readonly nodes: readonly NodeName[];
  readonly running: readonly NodeName[];
  /** Running nodes that have been read. */
  readonly read: ReadonlySet<NodeName>;
  readonly rows: readonly Row[];
}

export interface OnNodes<Item> {
  /** From the first node that has it. */
  readonly first: Item;
  /** A node that has been read and is missing here does not have it. */
  readonly byNode: ReadonlyMap<NodeName, Item>;
}

/** Merges the items of all running nodes by key; `rowsOf` makes rows of them. */
export function mergeByNode<Item, Row>(
  nodes: readonly NodeRow[],
  itemsOf: (node: NodeName) => readonly Item[] | undefined,
  keyOf: (item: Item) => string,
  rowsOf: (listed: ReadonlyMap<string, OnNodes<Item>>, read: ReadonlySet<NodeName>) => readonly Row[],
): ByNodeRows<Row> {
  const running = nodes.filter(({ status }) => status === 'running').map(({ name }) => name);
  const read = new Set<NodeName>();
  const listed = new Map<string, { readonly first: Item; readonly byNode: Map<NodeName, Item> }>();
  // Items of stopped nodes are outdated.
  for (const node of running) {
    const items = itemsOf(node);
    if (items === undefined) continue;
    read.add(node);
    for (const item of items) {
      const key = keyOf(item);
      const known = listed.get(key);
      if (known === undefined) listed.set(key, { first: item, byNode: new Map([[node, item]]) });
      else known.byNode.set(node, item);
    }
  }
  return { nodes: nodes.map(({ name }) => name), running, read, rows: rowsOf(listed, read) };
}
