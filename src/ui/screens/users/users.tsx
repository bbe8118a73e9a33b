import { type ReactNode, useMemo } from 'react';
import type { AdminUser } from '../../../domain/administration.ts';
import { composeLine } from '../../../terminal/line.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../components/theme-context.ts';
import { useAsk, useAskOrNotify } from '../../dialogs/ask.ts';
import { askForDeletion, askForNewUser, askForPassword, askForTags, askToCheck, type UserAddresses } from '../../dialogs/user-requests.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useStore, useWatch } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { useSlowList } from '../../list/use-node-table.ts';
import { placeKey } from '../../navigation.ts';

interface UserRow extends AdminUser {
  readonly isOwn: boolean;
}

const columns: readonly ListColumn<UserRow>[] = [
  { id: 'name', header: safe`NAME`, value: ({ username }) => username, format: ({ username }, { ends }) => ends(username), width: { min: 24, max: 60 }, isSticky: true },
  { id: 'tags', header: safe`TAGS`, value: ({ tags }) => tags, format: ({ tags }, { text }) => text(tags), width: { min: 16, max: 80 }, priority: 1 },
  { id: 'own', header: safe`WHO`, value: ({ isOwn }) => (isOwn ? 'this program' : ''), format: ({ isOwn }) => (isOwn ? safe`this program` : safe``), width: 12, priority: 2 },
];

const identity = ({ username }: UserRow): string => username;
const listKey = placeKey({ screen: 'users' });
const initialSort = { columnId: 'name', isReversed: false };
const watched = { kind: 'users' } as const;
const noUsers: readonly AdminUser[] = [];
const noUrls: readonly string[] = [];

export interface UsersScreenProps extends ScreenProps {
  /** The user that this program signs in as. */
  readonly ownUser?: string | undefined;
}

/** The users of the management API (§2.14); they can be added, changed and deleted. */
export const UsersScreen = ({ monitor, ownUser, width, height, notify }: UsersScreenProps): ReactNode => {
  useWatch(monitor, watched);
  const theme = useTheme();
  const ask = useAsk();
  const askOrSay = useAskOrNotify(notify);
  const urls = useStore(monitor.store, (all) => all.urls) ?? noUrls;
  const servingUrl = useStore(monitor.store, (all) => all.takeover?.url);
  const state = useStore(monitor.store, (all) => all.users);
  const view = useSlowList(monitor, state, safe`users`, safe` The broker names no user.`);
  const users = state.data ?? noUsers;
  const rows = useMemo(() => users.map((user): UserRow => ({ ...user, isOwn: user.username === ownUser })), [users, ownUser]);
  const shownUrl = users[0]?.url ?? servingUrl ?? urls[0];
  const addresses = useMemo((): UserAddresses => ({ shown: shownUrl, all: urls }), [shownUrl, urls]);
  const heading = urls.length < 2 || shownUrl === undefined
    ? undefined
    : composeLine(theme, width, [{ text: safe` Users at ${theme.escape(shownUrl, width)}`, role: 'title' }, { text: safe`  some brokers keep users per node`, role: 'dim' }]);
  const list = useList({
    heading,
    ...view,
    listKey,
    table: 'users',
    rows,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`user`,
    copyText: identity,
    width,
    height,
    notify,
  });
  const user = list.row;
  useKeys('users', {
    addUser: () => { ask(askForNewUser(theme, users, addresses)); },
    checkPassword: () => { ask(askToCheck(theme, user?.username, addresses)); },
    changeTags: user === undefined ? undefined : () => { ask(askForTags(theme, user, ownUser, addresses)); },
    changePassword: user === undefined ? undefined : () => { ask(askForPassword(theme, user, ownUser, addresses)); },
    deleteUser: user === undefined ? undefined : () => { askOrSay(askForDeletion(theme, user, ownUser, addresses)); },
  });
  return <ListView list={list} />;
};
