import { type ReactNode, useMemo } from 'react';
import type { ActionState } from '../../actions/acting-monitor.ts';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import type { Setting } from '../../domain/administration.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { disclose } from '../../domain/secret-keys.ts';
import { readings, watchOf } from '../../monitor/query/part.ts';
import { formatText, unknownText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import type { EmptyMessage } from '../../tui/components/table.tsx';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { screenMenuTexts } from '../../tui/dialogs/texts.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useReading, useStore, useWatches } from '../../tui/hooks/use-store.ts';
import { changesHere } from '../../tui/list/changes-here.ts';
import { detailRoom, detailRows, rowPanel } from '../../tui/list/detail.tsx';
import { hintText } from '../../tui/list/resource-notice.ts';
import { type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import {
  type ByNodeData,
  chosenText,
  type NodeCells,
  nodeColumnsOf,
  targetColumns,
  useNodeColumnKeys,
  useNodeCursor,
  useNodeTable,
  withNodeColumns,
} from '../view/node-table.ts';
import { panelsBelow } from '../view/spare-panels.tsx';
import { acceptedValues, settingActions, settingRequest, settingText } from './actions.ts';
import { appliesToOf, meaningOf, settingFields } from './fields.ts';
import { nodeSettings, settings } from './resource.ts';
import { selectIsReadByNode, selectSettings, type SettingRow } from './select.ts';
import { settingsTexts } from './texts.ts';
import { screenTexts } from '../view/texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';

const identity = ({ id }: SettingRow): string => id;
const copyText = ({ key }: SettingRow): string => key;
const listKey = placeKey({ screen: 'settings' });
const initialSort = { columnId: 'key', isReversed: false };

/** Shows settings in rows, nodes in columns. */
export const SettingsScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const ask = useOpenDialog();
  const all = useReading(monitor, settings);
  const byNode = useStore(monitor.store, (state) => readings(state, nodeSettings));
  const capabilities = useStore(monitor.store, (state) => state.capabilities);
  const isByNode = useStore(monitor.store, selectIsReadByNode);
  const table = useStore(monitor.store, selectSettings);
  const actions = useStore(monitor.store, (state) => state.actions);
  const { nodes, running, rows } = table;
  const isOffered = capabilities?.settings !== false;
  useWatches(monitor, !isOffered ? [] : isByNode ? running.map((node) => watchOf(nodeSettings, node)) : [settings]);
  const cursor = useNodeCursor(listKey, nodes, undefined);
  const columns = useMemo(() => settingColumns(theme, nodes), [theme, nodes]);
  const { view, nowMs, states, unread, silent, silentNote } = useNodeTable(monitor, {
    table,
    byNode,
    whole: isByNode ? undefined : all,
    plural: safe`settings`,
    empty: safe` ${settingsTexts.empty}`,
  });
  const message = ((): EmptyMessage => {
    if (!isOffered)
      return {
        text: safe` ${screenTexts.notOffered(trusted(capabilities.apiName ?? 'this broker'), settingsTexts.notOffered)}`,
      };
    if (states.length > 0 && states.every((state) => state?.error?.kind === 'not-available')) {
      return { text: safe` ${screenTexts.notFound(settingsTexts.notFound)}${hintText(theme, states[0]?.error)}` };
    }
    return view.message;
  })();

  const requestOf = (row: SettingRow): DialogOrRefusal =>
    settingRequest(theme, { row, node: cursor.node, unread, stopped: silent });
  const openInFull = (row: SettingRow): void => {
    const { key, app, dataType, byNode } = row;
    const appliesTo = appliesToOf(row);
    const meaning = meaningOf(row);
    const change = requestOf(row);
    const values = nodes.map((node) => {
      const setting = byNode.get(node);
      return {
        label: safe`on ${theme.escape(node)}`,
        text: setting === undefined ? unknownText : settingText(theme, setting, setting.value),
      };
    });
    ask({
      kind: 'text',
      title: settingsTexts.settingTitle,
      parts: [
        { label: safe`key`, text: theme.escape(key) },
        ...(meaning === undefined ? [] : [{ label: settingsTexts.aboutLabel, text: trusted(meaning.about) }]),
        ...values,
        { label: settingsTexts.application, text: theme.escape(app) },
        { label: settingsTexts.type, text: formatText(dataType, theme.escape) },
        ...(appliesTo === undefined
          ? []
          : [{ label: settingsTexts.takesEffect, text: settingsTexts.effects[appliesTo] }]),
      ],
      change: 'request' in change ? change.request : undefined,
    });
  };
  const differing = rows.filter(({ isDifferent }) => isDifferent).length;
  // Settings are read less often than the header says.
  const readMs = states.map((state) => state?.updatedAtMs).filter((atMs) => atMs !== undefined);
  const notes = [
    readMs.length === 0 ? undefined : settingsTexts.fetched(Math.max(0, nowMs - Math.min(...readMs)) / 1000),
    differing === 0 ? undefined : settingsTexts.different(differing),
    silentNote,
    isByNode ? settingsTexts.nodeByNode : undefined,
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
    generation: isByNode ? nodeSettings : all.updatedAtMs,
    noun: safe`setting`,
    title: safe`Settings`,
    spare: panelsBelow(monitor),
    message,
    footerNote: notes.length === 0 ? undefined : joinSafe(notes, safe` · `),
    footerRight: isOffered ? chosenText(theme, cursor.node, nodes) : undefined,
    target: isOffered ? targetColumns(nodes, cursor, 'differs') : undefined,
    onOpen: openInFull,
    detail: (row, ...size) => settingPanel(theme, row, nodes, actions, ...size),
    copyText,
    width,
    height,
    notify,
  });
  useNodeColumnKeys(list, isOffered);
  const { row } = list;
  useActions(
    'settings',
    settingActions,
    { row, node: cursor.node, unread, stopped: silent },
    {
      notify,
      about: JSON.stringify([row?.id, cursor.node]),
      subject:
        row &&
        screenMenuTexts.onNode(
          theme.escape(row.key, 60),
          cursor.node === undefined ? undefined : theme.escapeEnds(shortNodeName(cursor.node, nodes), 40),
        ),
    },
  );
  return <ListView list={list} />;
};

/** Draws what the setting is for, and its value on each node in full. */
const settingPanel = (
  theme: Theme,
  row: SettingRow,
  nodes: readonly NodeName[],
  actions: ActionState['actions'],
  width: number,
  height: number,
): ReactNode => {
  const room = detailRoom(width, height).width;
  const { key, app, dataType, byNode } = row;
  const appliesTo = appliesToOf(row);
  const meaning = meaningOf(row);
  const accepted = acceptedValues(theme, row);
  const wrapped = (text: SafeText): readonly SpanRow[] => wrapWords(text, room).map((line) => [{ text: line }]);
  return rowPanel(
    theme.escapeEnds(key, room),
    [
      ...(meaning === undefined ? [] : [{ rows: wrapped(trusted(meaning.about)) }]),
      {
        title: settingsTexts.values,
        note: settingsTexts.sameness(row.isDifferent, byNode.size, nodes.length),
        rows: detailRows(
          room,
          nodes.map((node) => {
            const setting = byNode.get(node);
            return {
              label: theme.escapeEnds(shortNodeName(node, nodes), maxNodeWidth),
              value: setting === undefined ? unknownText : settingText(theme, setting, setting.value, room),
              role: differenceRole(row),
            };
          }),
        ),
      },
      ...(accepted === undefined ? [] : [{ title: settingsTexts.accepts, rows: wrapped(accepted) }]),
      ...(appliesTo === undefined
        ? []
        : [{ title: settingsTexts.takesEffectTitle, rows: wrapped(settingsTexts.effects[appliesTo]) }]),
      {
        rows: detailRows(room, [
          { label: settingsTexts.type, value: formatText(dataType, theme.escape) },
          { label: settingsTexts.application, value: theme.escape(app, room) },
        ]),
      },
      ...changesHere(theme, room, { actions }, (target) => target['key'] === key && target['app'] === app),
    ],
    width,
    height,
  );
};

const maxNodeWidth = 24;

type SettingColumn = ListColumn<SettingRow, ByNodeData>;

const differenceRole = ({ isDifferent }: SettingRow): Role | undefined => (isDifferent ? 'warning' : undefined);

const cells: NodeCells<SettingRow, Setting> = {
  type: 'text',
  get: ({ value }, { key }) => disclose(key, value),
  format: (setting, _, { theme, width }) => settingText(theme, setting, setting.value, width),
  role: (_, row) => differenceRole(row),
  width: { min: 9, max: 30 },
};

/** The columns of settings, one of them for each node. */
export const settingColumns = (theme: Theme, nodes: readonly NodeName[]): readonly SettingColumn[] =>
  withNodeColumns(
    columnsOf(settingFields, {
      key: { width: { min: 29, max: 48, grow: 2 }, isSticky: true },
      differs: {
        format: ({ isDifferent, byNode }) => settingsTexts.sameness(isDifferent, byNode.size, nodes.length),
        roleOf: differenceRole,
        // No wider, so that three nodes fit on 80 columns.
        width: 10,
        isSticky: true,
        sortsFrom: 'largest',
      },
      type: { role: 'dim', width: { min: 8, max: 12, grow: 0.2 }, priority: 3 },
      effect: {
        role: 'dim',
        format: (row) => settingsTexts.appliesTo[appliesToOf(row) ?? 'unknown'],
        width: 19,
        priority: 5,
      },
      app: { role: 'dim', width: { min: 11, max: 24, grow: 0.2 }, priority: 4 },
    }),
    nodeColumnsOf(theme, nodes, cells),
  );
