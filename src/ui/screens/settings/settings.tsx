import { type ReactNode, useMemo } from 'react';
import { disclose } from '../../../actions/secret.ts';
import type { Setting } from '../../../domain/administration.ts';
import type { NodeName } from '../../../domain/node.ts';
import { selectIsReadByNode, selectSettings, type SettingRow } from '../../../monitor/select/administration.ts';
import type { Watched } from '../../../monitor/state.ts';
import { formatAge, formatText, unknownText } from '../../../terminal/format.ts';
import { joinSafe, safe, trusted } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import type { EmptyMessage } from '../../components/table-lines.ts';
import { useTheme } from '../../components/theme-context.ts';
import { askForSetting, shownValue } from '../../dialogs/administration-requests.ts';
import { useAsk, useAskOrNotify } from '../../dialogs/ask.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore, useWatches } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { hintText } from '../../list/resource-notice.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { type ByNodeData, chosenText, type NodeCells, nodeColumnsOf, useNodeCursor, useNodeTable } from '../../list/use-node-table.ts';
import { placeKey } from '../../navigation.ts';

const identity = ({ id }: SettingRow): string => id;
const copyText = ({ key }: SettingRow): string => key;
const listKey = placeKey({ screen: 'settings' });
const initialSort = { columnId: 'key', isReversed: false };

/**
 * Hot settings in rows, nodes in columns (§2.12); settings can be changed. Read node by node where the broker cannot return
 * them at once.
 */
export const SettingsScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const ask = useAsk();
  const askOrSay = useAskOrNotify(notify);
  const all = useStore(monitor.store, (state) => state.settings);
  const nodeSettings = useStore(monitor.store, (state) => state.nodeSettings);
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const isOneByOne = useStore(monitor.store, selectIsReadByNode);
  const table = useStore(monitor.store, selectSettings);
  const { nodes, running, rows } = table;
  const isOffered = capabilities?.settings !== false;
  // Not requested from a broker without settings.
  useWatches(monitor, !isOffered ? [] : isOneByOne ? running.map((node): Watched => ({ kind: 'nodeSettings', node })) : [{ kind: 'settings' }]);
  const cursor = useNodeCursor(listKey, nodes, undefined);
  const columns = useMemo(() => settingColumns(theme, nodes, cursor.node), [theme, nodes, cursor.node]);
  const { view, nowMs, states, unread, silent, silentNote } = useNodeTable(monitor, {
    table, byNode: nodeSettings, whole: isOneByOne ? undefined : all, plural: safe`settings`, empty: safe` The nodes list no setting.`,
  });
  const message = ((): EmptyMessage => {
    if (!isOffered) return { text: safe` Not available on this broker: ${trusted(capabilities.apiName ?? 'its interface')} has no settings.` };
    if (states.length > 0 && states.every((state) => state?.error?.kind === 'not-available')) {
      return { text: safe` Not available on this broker: it answers 404 to the settings of all nodes and of each node.${hintText(theme, states[0]?.error)}` };
    }
    return view.message;
  })();

  const edit = (row: SettingRow): void => { askOrSay(askForSetting(theme, { row, node: cursor.node, unread, stopped: silent })); };
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
  // Settings are read less often than the data whose age is in the header.
  const readMs = states.map((state) => state?.updatedAtMs).filter((atMs) => atMs !== undefined);
  const notes = [
    readMs.length === 0 ? undefined : safe`read ${formatAge(Math.max(0, nowMs - Math.min(...readMs)) / 1000)}`,
    differing === 0 ? undefined : safe`! ${differing} differ between nodes`,
    silentNote,
    isOneByOne ? safe`all at once: not available on this broker, read node by node` : undefined,
  ].filter((note) => note !== undefined);
  const list = useList({
    ...view,
    columnSet: JSON.stringify(nodes),
    listKey,
    table: 'settings',
    rows,
    columns,
    getId: identity,
    initialSort,
    generation: isOneByOne ? nodeSettings : all.updatedAtMs,
    noun: safe`setting`,
    message,
    footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `),
    footerRight: isOffered ? chosenText(theme, cursor.node) : undefined,
    onOpen: openInFull,
    copyText,
    width,
    height,
    notify,
  });
  const { row } = list;
  useKeys('settings', {
    settingNode: isOffered ? () => { cursor.step(1); } : undefined,
    settingNodeBack: isOffered ? () => { cursor.step(-1); } : undefined,
    editSetting: row === undefined ? undefined : () => { edit(row); },
  });
  return <ListView list={list} />;
};

type SettingColumn = ListColumn<SettingRow, ByNodeData>;

const cells: NodeCells<SettingRow, Setting> = {
  value: ({ value }, { key }) => disclose(key, value),
  format: ({ value }, { key }, { theme, width }) => shownValue(theme, key, value, width),
  width: { min: 9, max: 30 },
};

/** Columns of the settings (§2.12); new when the nodes change. */
export const settingColumns = (theme: Theme, nodes: readonly NodeName[], chosen: NodeName | undefined): readonly SettingColumn[] => [
  {
    id: 'key',
    header: safe`KEY`,
    value: ({ key }) => key,
    format: ({ key }, { ends }) => ends(key),
    width: { min: 29, max: 48, grow: 2 },
    isSticky: true,
  },
  {
    id: 'differs',
    header: safe`SAME`,
    value: ({ isDifferent }) => isDifferent,
    text: ({ isDifferent }) => (isDifferent ? 'differs' : 'same'),
    // The settings of a node that is not running are unknown.
    format: ({ isDifferent, byNode }) => (isDifferent ? safe`! no` : byNode.size < 2 ? unknownText : byNode.size < nodes.length ? safe`${byNode.size} of ${nodes.length}` : safe`yes`),
    width: { min: 6, max: 10 },
    // Always visible, however many nodes there are.
    isSticky: true,
    sortsFrom: 'largest',
  },
  ...nodeColumnsOf(theme, nodes, chosen, cells),
  {
    id: 'type',
    header: safe`TYPE`,
    value: ({ dataType }) => dataType,
    format: ({ dataType }, { text }) => formatText(dataType, text),
    width: { min: 8, max: 12, grow: 0.2 },
    priority: 3,
  },
  {
    id: 'app',
    header: safe`APPLICATION`,
    value: ({ app }) => app,
    format: ({ app }, { text }) => text(app),
    width: { min: 11, max: 24, grow: 0.2 },
    priority: 4,
  },
];
