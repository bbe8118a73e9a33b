import { type ReactNode, useMemo } from 'react';
import { type PluginRow, selectPlugins } from '../../../monitor/select/administration.ts';
import type { Watched } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../components/theme-context.ts';
import { askForPlugin } from '../../dialogs/administration-requests.ts';
import { useAskOrNotify } from '../../dialogs/ask.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore, useWatches } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { chosenText, useNodeCursor, useNodeTable } from '../../list/use-node-table.ts';
import { type ListScope, placeKey } from '../../navigation.ts';
import { pluginColumns } from './columns.ts';

const identity = ({ name }: PluginRow): string => name;
const listKey = placeKey({ screen: 'plugins' });
const initialSort = { columnId: 'plugin', isReversed: false };

export interface PluginsScreenProps extends ScreenProps {
  /** The node to begin with. */
  readonly scope?: ListScope | undefined;
}

/** Plugins in rows, nodes in columns (§2.8); plugins can be started and stopped. */
export const PluginsScreen = ({ monitor, scope, width, height, go, notify }: PluginsScreenProps): ReactNode => {
  const theme = useTheme();
  const askOrSay = useAskOrNotify(notify);
  const table = useStore(monitor.store, selectPlugins);
  const nodePlugins = useStore(monitor.store, (state) => state.nodePlugins);
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const { nodes, running, rows } = table;
  useWatches(monitor, running.map((node): Watched => ({ kind: 'nodePlugins', node })));
  const cursor = useNodeCursor(placeKey({ screen: 'plugins', scope }), nodes, scope?.kind === 'node' ? scope.node : undefined);
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
