import { useMemo, type ReactNode } from 'react';
import type { NodeName } from '../../domain/node.ts';
import { type PluginRow, selectPlugins } from '../../store/select-plugins.ts';
import { isSlowDataStale } from '../../store/intervals.ts';
import type { Watched } from '../../store/state.ts';
import { useAsk } from '../actions/ask.ts';
import { askForPlugin } from '../actions/plugin-requests.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useNodeCursor } from '../hooks/use-node-cursor.ts';
import { useNow } from '../hooks/use-now.ts';
import { useResource } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { useWatches } from '../hooks/use-watches.ts';
import { placeKey, type Within } from '../navigation.ts';
import { type SafeText, safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { useFetchMood } from './broker-clocks.ts';
import { type ByNodeData, chosenText, shortNodeName } from './by-node-columns.ts';
import { ListScreen } from './list-screen.tsx';
import { pluginColumns } from './plugin-columns.ts';
import { dataProblem, missingMessage } from './resource-notice.ts';
import type { ScreenProps } from './screen.ts';

const identity = ({ name }: PluginRow): string => name;
const listKey = placeKey({ screen: 'plugins' });
const initialSort = { columnId: 'plugin', isReversed: false };

interface PluginKeysProps {
  readonly onChange: ((active: boolean) => void) | undefined;
  readonly onStep: ((by: 1 | -1) => void) | undefined;
}

const PluginKeys = ({ onChange, onStep }: PluginKeysProps): ReactNode => {
  useKeys('plugins', {
    ...(onStep === undefined ? {} : { pluginNode: () => { onStep(1); }, pluginNodeBack: () => { onStep(-1); } }),
    ...(onChange === undefined ? {} : { startPlugin: () => { onChange(true); }, stopPlugin: () => { onChange(false); } }),
  });
  return null;
};

export interface PluginsScreenProps extends ScreenProps {
  /** The node that the cursor begins on. */
  readonly within?: Within | undefined;
}

/** Plugins in rows, nodes in columns (§2.8), to be started and stopped. */
export const PluginsScreen = ({ monitor, within, width, height, go, notify }: PluginsScreenProps): ReactNode => {
  const theme = useTheme();
  const ask = useAsk();
  const stats = useResource(monitor, 'nodeStats');
  const plugins = useStore(monitor.store, selectPlugins);
  const nodePlugins = useStore(monitor.store, (state) => state.nodePlugins);
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const { nodes, running, read, rows } = plugins;
  useWatches(monitor, running.map((node): Watched => ({ kind: 'nodePlugins', node })));
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const cursor = useNodeCursor(placeKey({ screen: 'plugins', within }), nodes, within?.kind === 'node' ? within.node : undefined);

  const data = useMemo(
    (): ByNodeData => ({ read, loading: new Set(running.filter((node) => !read.has(node) && nodePlugins.get(node)?.error === undefined)) }),
    [read, running, nodePlugins],
  );
  const columns = useMemo(() => pluginColumns(theme, nodes, cursor.node), [theme, nodes, cursor.node]);
  const asked = running.map((node) => ({ node, state: nodePlugins.get(node) }));
  const isOld = (node: NodeName): boolean => {
    const state = nodePlugins.get(node);
    return state !== undefined && isSlowDataStale(state, monitor.store.getState(), nowMs);
  };
  const failed = asked.find(({ state, node }) => state?.error !== undefined || isOld(node));
  const what = (node: NodeName): SafeText => safe`plugins of ${theme.escape(shortNodeName(node, nodes), 40)}`;
  const failure = failed?.state === undefined ? undefined
    : dataProblem(theme, failed.state, what(failed.node), isOld(failed.node), mood) ?? missingMessage(theme, failed.state, what(failed.node), mood);
  const silent = nodes.filter((node) => !running.includes(node));
  const message = ((): ReturnType<typeof missingMessage> => {
    if (failure !== undefined) return failure;
    if (running.length === 0) {
      return stats.data === undefined ? missingMessage(theme, stats, safe`the nodes`, mood) : { text: safe` No node runs that could be asked.` };
    }
    return read.size === 0 ? missingMessage(theme, { ...stats, error: undefined }, safe`the plugins`, mood) : { text: safe` The nodes list no plugin.` };
  })();

  const change = (row: PluginRow, active: boolean): void => {
    if (capabilities === undefined) return;
    const asking = askForPlugin(theme, { row, active, node: cursor.node, unread: running.filter((node) => !read.has(node)), stopped: silent, capabilities });
    if ('request' in asking) ask(asking.request);
    else notify(asking.refused);
  };
  const openSettings = ({ name, byNode }: PluginRow): void => {
    const node = cursor.node ?? nodes.find((each) => byNode.has(each));
    if (node !== undefined && silent.includes(node)) notify(safe`not opened: ${theme.escape(node, 40)} is stopped`);
    else if (node === undefined || !byNode.has(node)) notify(safe`not opened: the plugin is not listed on ${node === undefined ? safe`any node` : theme.escape(node, 40)}`);
    else go({ screen: 'plugin-settings', node, plugin: name });
  };
  return (
    <ListScreen
      // Other columns are another table.
      key={JSON.stringify(nodes)}
      listKey={listKey}
      table="plugins"
      rows={rows}
      columns={columns}
      data={data}
      getId={identity}
      initialSort={initialSort}
      generation={nodePlugins}
      noun={safe`plugin`}
      message={message}
      problem={rows.length === 0 ? undefined : failure}
      isStale={running.length > 0 && running.every(isOld)}
      footerNote={silent.length === 0 ? undefined : safe`${silent.length} of ${nodes.length} nodes not running`}
      footerRight={capabilities?.pluginPerNode === false ? safe`always on all nodes ` : chosenText(theme, cursor.node)}
      onOpen={capabilities?.settings === false ? undefined : openSettings}
      renderKeys={(row) => <PluginKeys onStep={capabilities?.pluginPerNode === false ? undefined : cursor.step} onChange={row === undefined || capabilities === undefined ? undefined : (active) => { change(row, active); }} />}
      copyText={identity}
      width={width}
      height={height}
      notify={notify}
    />
  );
};
