import { type ReactNode, useMemo } from 'react';
import type { AdminUser, UserAttribute } from '../../domain/administration.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { useNotOffered } from '../view/offered.ts';
import { type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import { noAddresses, userActions, type UserAddresses } from './actions.ts';
import { ownUserText, userFields, type UserRow } from './fields.ts';
import { users } from './resource.ts';
import { usersTexts } from './texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';

const columns = columnsOf(userFields, {
  name: { width: { min: 24, max: 60 }, isSticky: true },
  tags: { width: { min: 16, max: 80 }, priority: 1 },
  own: { format: ({ isOwn }) => (isOwn ? trusted(ownUserText) : safe``), width: 12, priority: 2 },
});

/** @param attribute what the broker calls the tags */
export const userColumnsOf = (attribute: UserAttribute = 'tags'): readonly ListColumn<UserRow>[] =>
  columns.map((column) => (column.id === 'tags' ? { ...column, header: usersTexts.attribute[attribute] } : column));

const identity = ({ username }: UserRow): string => username;
const listKey = placeKey({ screen: 'users' });
const initialSort = { columnId: 'name', isReversed: false };
const watched = users;
const noUsers: readonly AdminUser[] = [];
const noUrls: readonly string[] = [];

/** Shows the users of the management API. */
export const UsersScreen = ({ monitor, ownUser, width, height, notify }: ScreenProps): ReactNode => {
  const notOffered = useNotOffered(monitor, 'users', usersTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const theme = useTheme();
  const urls = useStore(monitor.store, (all) => all.urls) ?? noUrls;
  const servingUrl = useStore(monitor.store, (all) => all.failover?.url);
  const isOfCluster = useStore(monitor.store, (all) => all.capabilities?.clusterUsers === true);
  const state = useReading(monitor, users);
  const view = useFifthTickList(monitor, state, safe`users`, safe` ${usersTexts.empty}`);
  const listed = state.data ?? noUsers;
  const rows = useMemo(
    () => listed.map((user): UserRow => ({ ...user, isOwn: user.username === ownUser })),
    [listed, ownUser],
  );
  const attribute = listed[0]?.attribute;
  const shown = useMemo(() => userColumnsOf(attribute), [attribute]);
  const shownUrl = isOfCluster ? undefined : (listed[0]?.url ?? servingUrl ?? urls[0]);
  const addresses = useMemo(
    (): UserAddresses => (shownUrl === undefined ? noAddresses : { shown: shownUrl, all: urls }),
    [shownUrl, urls],
  );
  const heading =
    urls.length < 2 || shownUrl === undefined
      ? undefined
      : composeLine(theme, width, [
          { text: safe` ${usersTexts.title(theme.escape(shownUrl, width))}`, role: 'title' },
          { text: safe`  ${usersTexts.titleNote}`, role: 'dim' },
        ]);
  const list = useList({
    heading,
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'users',
    rows,
    columns: shown,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`user`,
    title: safe`Users`,
    copyText: identity,
    width,
    height,
    notify,
  });
  useActions(
    'users',
    userActions,
    { row: list.row, rows: listed, isOffered: notOffered === undefined, ownUser, addresses },
    { notify },
  );
  return <ListView list={list} />;
};
