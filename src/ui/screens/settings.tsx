import { useMemo, type ReactNode } from 'react';
import { selectIsOneByOne, selectSettings, type SettingRow } from '../../store/select-settings.ts';
import { isSlowDataStale } from '../../store/intervals.ts';
import type { Watched } from '../../store/state.ts';
import { useAsk } from '../actions/ask.ts';
import { askForSetting } from '../actions/setting-requests.ts';
import { shownValue } from '../actions/shown-value.ts';
import { useKeys } from '../hooks/use-keys.ts';
import { useNodeCursor } from '../hooks/use-node-cursor.ts';
import { useNow } from '../hooks/use-now.ts';
import { useResource } from '../hooks/use-resource.ts';
import { useStore } from '../hooks/use-store.ts';
import { useWatches } from '../hooks/use-watches.ts';
import { formatAge, formatText, unknownText } from '../format.ts';
import { placeKey } from '../navigation.ts';
import { joinSafe, safe } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import type { Span } from '../widgets/line.ts';
import { useFetchMood } from './broker-clocks.ts';
import { type ByNodeData, chosenText, shortNodeName } from './by-node-columns.ts';
import { ListScreen } from './list-screen.tsx';
import { dataProblem, hintText, missingMessage } from './resource-notice.ts';
import type { ScreenProps } from './screen.ts';
import { settingColumns } from './setting-columns.ts';

const identity = ({ id }: SettingRow): string => id;
const copyText = ({ key }: SettingRow): string => key;
const listKey = placeKey({ screen: 'settings' });
const initialSort = { columnId: 'key', isReversed: false };

interface SettingKeysProps {
  readonly onEdit: (() => void) | undefined;
  readonly onStep: ((by: 1 | -1) => void) | undefined;
}

const SettingKeys = ({ onEdit, onStep }: SettingKeysProps): ReactNode => {
  useKeys('settings', {
    ...(onStep === undefined ? {} : { settingNode: () => { onStep(1); }, settingNodeBack: () => { onStep(-1); } }),
    ...(onEdit === undefined ? {} : { editSetting: onEdit }),
  });
  return null;
};

/** Hot settings in rows, nodes in columns (§2.12), to be changed. Read node by node where the broker cannot tell them at once. */
export const SettingsScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const ask = useAsk();
  const stats = useResource(monitor, 'nodeStats');
  const all = useStore(monitor.store, (state) => state.settings);
  const nodeSettings = useStore(monitor.store, (state) => state.nodeSettings);
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const isOneByOne = useStore(monitor.store, selectIsOneByOne);
  const { nodes, running, read, rows } = useStore(monitor.store, selectSettings);
  const isOffered = capabilities?.settings !== false;
  // What the broker does not have is not asked for again and again.
  useWatches(monitor, !isOffered ? [] : isOneByOne ? running.map((node): Watched => ({ kind: 'nodeSettings', node })) : [{ kind: 'settings' }]);
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const cursor = useNodeCursor(listKey, nodes, undefined);

  const sources = isOneByOne
    ? running.map((node) => ({ what: safe`settings of ${theme.escape(shortNodeName(node, nodes), 40)}`, state: nodeSettings.get(node) }))
    : [{ what: safe`settings`, state: all }];
  const data = useMemo(
    (): ByNodeData => ({
      read,
      loading: new Set(running.filter((node) => !read.has(node) && (isOneByOne ? nodeSettings.get(node)?.error === undefined : all.data === undefined && all.error === undefined))),
    }),
    [read, running, isOneByOne, nodeSettings, all],
  );
  const columns = useMemo(() => settingColumns(theme, nodes, cursor.node), [theme, nodes, cursor.node]);
  const state = monitor.store.getState();
  const isOld = (source: (typeof sources)[number]): boolean => source.state !== undefined && isSlowDataStale(source.state, state, nowMs);
  const failed = sources.find((source) => source.state?.error !== undefined || isOld(source));
  const failure: Span | undefined = failed?.state === undefined ? undefined
    : dataProblem(theme, failed.state, failed.what, isOld(failed), mood) ?? missingMessage(theme, failed.state, failed.what, mood);
  const message = ((): Span => {
    if (!isOffered) return { text: safe` Not available on this broker: variant A of the interface has no settings.` };
    if (sources.length > 0 && sources.every((source) => source.state?.error?.kind === 'not-available')) {
      return { text: safe` Not available on this broker: it answers 404 to the settings of all nodes and of each node.${hintText(theme, sources[0]?.state?.error)}` };
    }
    if (failure !== undefined) return failure;
    if (isOneByOne && running.length === 0) {
      return stats.data === undefined ? missingMessage(theme, stats, safe`the nodes`, mood) : { text: safe` No node runs that could be asked.` };
    }
    return read.size === 0 && (isOneByOne || all.data === undefined)
      ? missingMessage(theme, { ...all, error: undefined }, safe`the settings`, mood)
      : { text: safe` The nodes list no setting.` };
  })();

  const silent = nodes.filter((node) => !running.includes(node));
  const edit = (row: SettingRow): void => {
    const asking = askForSetting(theme, { row, node: cursor.node, unread: running.filter((node) => !read.has(node)), stopped: silent });
    if ('request' in asking) ask(asking.request);
    else notify(asking.refused);
  };
  const openInFull = ({ key, app, dataType, byNode }: SettingRow): void => {
    const values = nodes.map((node) => {
      const setting = byNode.get(node);
      return { label: safe`on ${theme.escape(node)}`, text: setting === undefined ? unknownText : shownValue(theme, key, setting.value) };
    });
    ask({
      kind: 'text', title: safe`A setting`,
      parts: [
        { label: safe`key`, text: theme.escape(key) },
        ...values,
        { label: safe`application`, text: theme.escape(app) },
        { label: safe`type`, text: formatText(dataType, theme.escape) },
      ],
    });
  };
  const differing = rows.filter(({ isDifferent }) => isDifferent).length;
  // They are read more rarely than what the header's age is about.
  const readMs = sources.map(({ state: source }) => source?.updatedAtMs).filter((atMs) => atMs !== undefined);
  const notes = [
    readMs.length === 0 ? undefined : safe`read ${formatAge(Math.max(0, nowMs - Math.min(...readMs)) / 1000)}`,
    differing === 0 ? undefined : safe`! ${differing} differ between nodes`,
    silent.length === 0 ? undefined : safe`${silent.length} of ${nodes.length} nodes not running`,
    isOneByOne ? safe`all at once: not available on this broker, read node by node` : undefined,
  ].filter((note) => note !== undefined);
  return (
    <ListScreen
      // Other columns are another table.
      key={JSON.stringify(nodes)}
      listKey={listKey}
      table="settings"
      rows={rows}
      columns={columns}
      data={data}
      getId={identity}
      initialSort={initialSort}
      generation={isOneByOne ? nodeSettings : all.updatedAtMs}
      noun={safe`setting`}
      message={message}
      problem={rows.length === 0 ? undefined : failure}
      isStale={sources.length > 0 && sources.every(isOld)}
      footerNote={notes.length === 0 ? undefined : joinSafe(notes, safe` · `)}
      footerRight={isOffered ? chosenText(theme, cursor.node) : undefined}
      onOpen={openInFull}
      renderKeys={(row) => <SettingKeys onStep={isOffered ? cursor.step : undefined} onEdit={row === undefined ? undefined : () => { edit(row); }} />}
      copyText={copyText}
      width={width}
      height={height}
      notify={notify}
    />
  );
};
