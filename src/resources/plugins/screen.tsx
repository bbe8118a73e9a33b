import { type ReactNode, useMemo } from 'react';
import { shortNodeName } from '../../domain/node.ts';
import { readings, watchOf } from '../../monitor/query/part.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { screenMenuTexts } from '../../tui/dialogs/texts.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useStore, useWatches } from '../../tui/hooks/use-store.ts';
import type { ScopedScreenProps } from '../view/list-scope.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { chosenText, targetColumns, useNodeColumnKeys, useNodeCursor, useNodeTable } from '../view/node-table.ts';
import { panelsBelow } from '../view/spare-panels.tsx';
import { pluginActions } from './actions.ts';
import { pluginPanel } from './panel.tsx';
import { plugins } from './resource.ts';
import { type PluginRow, selectPlugins } from './select.ts';
import { pluginsTexts } from './texts.ts';
import { pluginColumns } from './view/columns.ts';
import { placeKey } from '../../tui/list/list-state.ts';

const identity = ({ name }: PluginRow): string => name;
const listKey = placeKey({ screen: 'plugins' });
const initialSort = { columnId: 'plugin', isReversed: false };

/** Shows plugins in rows, nodes in columns; plugins can be started and stopped. */
export const PluginsScreen = ({ monitor, scope, width, height, go, notify }: ScopedScreenProps): ReactNode => {
  const theme = useTheme();
  const table = useStore(monitor.store, selectPlugins);
  const nodePlugins = useStore(monitor.store, (state) => readings(state, plugins));
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const { nodes, running, rows } = table;
  useWatches(
    monitor,
    running.map((node) => watchOf(plugins, node)),
  );
  const cursor = useNodeCursor(
    placeKey({ screen: 'plugins', scope }),
    nodes,
    scope?.kind === 'node' ? scope.node : undefined,
  );
  const columns = useMemo(() => pluginColumns(theme, nodes), [theme, nodes]);
  const { view, unread, silent, silentNote } = useNodeTable(monitor, {
    table,
    byNode: nodePlugins,
    plural: safe`plugins`,
    empty: safe` ${pluginsTexts.empty}`,
  });

  const openSettings = ({ name, byNode }: PluginRow): void => {
    const node = cursor.node ?? nodes.find((each) => byNode.has(each));
    if (node !== undefined && silent.includes(node)) notify(pluginsTexts.stopped(theme.escape(node, 40)));
    else if (node === undefined || !byNode.has(node))
      notify(pluginsTexts.notListed(node === undefined ? undefined : theme.escape(node, 40)));
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
    title: safe`Plugins`,
    spare: panelsBelow(monitor),
    footerNote: silentNote,
    footerRight:
      capabilities?.pluginPerNode === false ? safe`${pluginsTexts.allNodes} ` : chosenText(theme, cursor.node, nodes),
    target: capabilities?.pluginPerNode === false ? undefined : targetColumns(nodes, cursor, 'active'),
    onOpen: capabilities?.settings === false ? undefined : openSettings,
    detail: (row, ...size) => pluginPanel(monitor, row, cursor.node, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  useNodeColumnKeys(list, capabilities?.pluginPerNode !== false);
  const { row } = list;
  useActions(
    'plugins',
    pluginActions,
    { row, node: cursor.node, unread, stopped: silent, capabilities },
    {
      notify,
      about: JSON.stringify([row?.name, cursor.node]),
      subject:
        row &&
        screenMenuTexts.onNode(
          theme.escape(row.name, 40),
          cursor.node === undefined ? undefined : theme.escapeEnds(shortNodeName(cursor.node, nodes), 40),
        ),
    },
  );
  return <ListView list={list} />;
};
