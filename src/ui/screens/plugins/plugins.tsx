import { type ReactNode, useMemo } from 'react';
import type { Plugin } from '../../../domain/administration.ts';
import type { NodeName } from '../../../domain/node.ts';
import { type PluginRow, selectPlugins } from '../../../monitor/select/administration.ts';
import type { Watched } from '../../../monitor/state.ts';
import { formatText, unknownText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { widestFitting } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { CellContext } from '../../components/column.ts';
import { useTheme } from '../../components/theme-context.ts';
import { askForPlugin } from '../../dialogs/administration-requests.ts';
import { useAskOrSay } from '../../dialogs/ask.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore, useWatches } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { type ByNodeData, chosenText, type NodeCells, nodeColumnsOf, useNodeCursor, useNodeTable } from '../../list/use-node-table.ts';
import { placeKey, type Within } from '../../navigation.ts';

const identity = ({ name }: PluginRow): string => name;
const listKey = placeKey({ screen: 'plugins' });
const initialSort = { columnId: 'plugin', isReversed: false };

export interface PluginsScreenProps extends ScreenProps {
  /** The node that the cursor begins on. */
  readonly within?: Within | undefined;
}

/** Plugins in rows, nodes in columns (§2.8), to be started and stopped. */
export const PluginsScreen = ({ monitor, within, width, height, go, notify }: PluginsScreenProps): ReactNode => {
  const theme = useTheme();
  const askOrSay = useAskOrSay(notify);
  const table = useStore(monitor.store, selectPlugins);
  const nodePlugins = useStore(monitor.store, (state) => state.nodePlugins);
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const { nodes, running, rows } = table;
  useWatches(monitor, running.map((node): Watched => ({ kind: 'nodePlugins', node })));
  const cursor = useNodeCursor(placeKey({ screen: 'plugins', within }), nodes, within?.kind === 'node' ? within.node : undefined);
  const columns = useMemo(() => pluginColumns(theme, nodes, cursor.node), [theme, nodes, cursor.node]);
  const { view, unread, silent, silentNote } = useNodeTable(monitor, { table, byNode: nodePlugins, plural: safe`plugins`, empty: safe` The nodes list no plugin.` });

  const change = (row: PluginRow, active: boolean): void => {
    if (capabilities !== undefined) askOrSay(askForPlugin(theme, { row, active, node: cursor.node, unread, stopped: silent, capabilities }));
  };
  const openSettings = ({ name, byNode }: PluginRow): void => {
    const node = cursor.node ?? nodes.find((each) => byNode.has(each));
    if (node !== undefined && silent.includes(node)) notify(safe`not opened: ${theme.escape(node, 40)} is stopped`);
    else if (node === undefined || !byNode.has(node)) notify(safe`not opened: the plugin is not listed on ${node === undefined ? safe`any node` : theme.escape(node, 40)}`);
    else go({ screen: 'plugin-settings', node, plugin: name });
  };
  const list = useList({
    ...view,
    // Other columns are another table.
    columnSet: JSON.stringify(nodes),
    listKey,
    table: 'plugins',
    rows,
    columns,
    getId: identity,
    initialSort,
    generation: nodePlugins,
    noun: safe`plugin`,
    footerNote: silentNote,
    footerRight: capabilities?.pluginPerNode === false ? safe`always on all nodes ` : chosenText(theme, cursor.node),
    onOpen: capabilities?.settings === false ? undefined : openSettings,
    copyText: identity,
    width,
    height,
    notify,
  });
  const { row } = list;
  const onChange = row === undefined || capabilities === undefined ? undefined : (active: boolean) => (): void => { change(row, active); };
  const onStep = capabilities?.pluginPerNode === false ? undefined : (by: 1 | -1) => (): void => { cursor.step(by); };
  useKeys('plugins', { pluginNode: onStep?.(1), pluginNodeBack: onStep?.(-1), startPlugin: onChange?.(true), stopPlugin: onChange?.(false) });
  return <ListView list={list} />;
};

type PluginColumn = ListColumn<PluginRow, ByNodeData>;
type Context = CellContext<ByNodeData>;

/** The roomiest form that fits; the sign of a difference is never lost. */
const stateText = (row: PluginRow, plugin: Plugin, { width, text }: Context): SafeText => {
  const sign = activitySign(plugin.active);
  const long = safe`${sign} ${activityText(plugin.active)}`;
  if (row.versions.length <= 1) {
    return widestFitting([long], width) ?? sign;
  }
  const version = formatText(plugin.version, text);
  const forms = [safe`${long} ! ${version}`, safe`${sign} ! ${version}`, safe`${sign} !`];
  return widestFitting(forms, width) ?? safe`${sign}!`;
};

const cells: NodeCells<PluginRow, Plugin> = {
  value: ({ active, version }) => `${activityText(active)} ${version ?? ''}`,
  format: (plugin, row, context) => stateText(row, plugin, context),
  width: { min: 12, max: 24 },
};

/** A plugin in a row, a node in a column (§2.8). Built anew when the nodes change. */
export const pluginColumns = (theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined): readonly PluginColumn[] => [
  {
    id: 'plugin',
    header: safe`PLUGIN`,
    value: ({ name }) => name,
    format: ({ name }, { ends }) => ends(name),
    width: { min: 20, max: 34 },
    isSticky: true,
  },
  {
    id: 'active',
    header: safe`ACTIVE`,
    value: ({ activeCount, byNode }) => (byNode.size === 0 ? undefined : activeCount / byNode.size),
    format: ({ activeCount, knownCount, byNode }) => {
      const text = safe`${activeCount}/${byNode.size}`;
      return knownCount === byNode.size && (activeCount === 0 || activeCount === byNode.size) ? text : safe`! ${text}`;
    },
    width: 8,
    // In sight however many nodes stand to the right of it.
    isSticky: true,
  },
  ...nodeColumnsOf(theme, nodes, chosen, cells),
  {
    id: 'version',
    header: safe`VERSION`,
    value: ({ versions }) => (versions.length === 0 ? undefined : versions.join(' ')),
    format: ({ versions }, { text }) => {
      const [first] = versions;
      if (first === undefined) {
        return unknownText;
      }
      return versions.length === 1 ? text(first) : safe`! ${versions.length} versions`;
    },
    width: { min: 12, max: 20, grow: 0.3 },
    priority: 3,
  },
  {
    id: 'description',
    header: safe`DESCRIPTION`,
    value: ({ description }) => description,
    format: ({ description }, { text }) => formatText(description, text),
    width: { min: 20, max: 80 },
    priority: 4,
  },
];

/** Whether a plugin is active (§2.8), in a word; `undefined`: its node does not say. */
export const activityText = (active: boolean | undefined): SafeText => (active === undefined ? safe`not told` : active ? safe`active` : safe`inactive`);

/** The same in one column, where it must be seen without its colour. */
export const activitySign = (active: boolean | undefined): SafeText => (active === undefined ? safe`?` : active ? glyphs.running : glyphs.stopped);
