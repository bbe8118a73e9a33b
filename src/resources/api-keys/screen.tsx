import type { ReactNode } from 'react';
import type { ApiKey } from '../../domain/administration.ts';
import { formatBrokerTime, formatEnd } from '../../terminal/format.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, longTextRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { useNotOffered } from '../view/offered.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { apiKeyActions } from './actions.ts';
import type { apiKeyFields } from './fields.ts';
import { apiKeys } from './resource.ts';
import { apiKeysTexts } from './texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { apiKeyColumns, enabledText } from './view/columns.ts';

const drawn: readonly (keyof typeof apiKeyFields)[] = ['name', 'key', 'enabled', 'expires', 'created', 'description'];

const keyPanel = (theme: Theme, key: ApiKey, width: number, height: number): ReactNode => {
  const room = detailRoom(width, height).width;
  return rowPanel(
    theme.escape(key.name, room),
    [
      {
        rows: [
          ...detailRows(room, [
            { label: apiKeysTexts.key, value: theme.escape(key.key, room) },
            { label: apiKeysTexts.enabled, value: enabledText(key) },
            { label: apiKeysTexts.expires, value: formatEnd(key.expiresAt) },
            { label: apiKeysTexts.created, value: formatBrokerTime(key.createdAt) },
          ]),
          ...restRows(theme, room, apiKeyColumns, drawn, key, undefined),
        ],
      },
      ...(key.description === undefined || key.description === ''
        ? []
        : [{ title: apiKeysTexts.description, rows: longTextRows(theme, room, key.description) }]),
    ],
    width,
    height,
  );
};

const identity = ({ name }: ApiKey): string => name;
const listKey = placeKey({ screen: 'apiKeys' });
const initialSort = { columnId: 'name', isReversed: false };
const watched = apiKeys;
const noKeys: readonly ApiKey[] = [];

/** Shows the logins of programs. */
export const ApiKeysScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'apiKeys', apiKeysTexts.notOffered);
  const isReadOnly = useStore(monitor.store, (all) => all.isReadOnly);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useReading(monitor, apiKeys);
  const keys = state.data ?? noKeys;
  const view = useFifthTickList(
    monitor,
    state,
    safe`API keys`,
    safe` ${isReadOnly ? apiKeysTexts.emptyReadOnly : apiKeysTexts.empty}`,
  );
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'api-keys',
    rows: keys,
    columns: apiKeyColumns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`API key`,
    title: safe`API keys`,
    detail: (key, ...size) => keyPanel(theme, key, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  useActions('apiKeys', apiKeyActions, { row: list.row, rows: keys, isOffered: notOffered === undefined }, { notify });
  return <ListView list={list} />;
};
