import type { ReactNode } from 'react';
import type { Ban } from '../../domain/administration.ts';
import { type BrokerClocks } from '../../domain/node.ts';
import { formatBrokerTime, formatEnd, formatText } from '../../terminal/format.ts';
import { escapeText, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, longTextRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { useNotOffered } from '../view/offered.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { maxListedNote, useFifthTickList } from '../view/node-table.ts';
import { banActions, banKnowledge } from './actions.ts';
import { type banFields, banKindNames } from './fields.ts';
import { bans } from './resource.ts';
import { bansTexts } from './texts.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { banColumns } from './view/columns.ts';

const banKindText = ({ kind }: Pick<Ban, 'kind'>): SafeText => escapeText(banKindNames[kind]);

const drawn: readonly (keyof typeof banFields)[] = ['who', 'kind', 'added', 'ends', 'reason', 'by', 'since', 'until'];

const banPanel = (theme: Theme, ban: Ban, clocks: BrokerClocks, width: number, height: number): ReactNode => {
  const room = detailRoom(width, height).width;
  const { value, reason, by, since, until } = ban;
  return rowPanel(
    theme.escape(value, room),
    [
      {
        rows: [
          ...detailRows(room, [
            { label: bansTexts.kind, value: banKindText(ban) },
            { label: bansTexts.since, value: formatBrokerTime(since) },
            { label: bansTexts.until, value: formatEnd(until) },
            { label: bansTexts.by, value: formatText(by, (raw) => theme.escape(raw, room)) },
          ]),
          ...restRows(theme, room, banColumns, drawn, ban, clocks),
        ],
      },
      ...(reason === undefined || reason === ''
        ? []
        : [{ title: bansTexts.reason, rows: longTextRows(theme, room, reason) }]),
    ],
    width,
    height,
  );
};

const identity = ({ kind, value }: Ban): string => `${kind} ${value}`;
const copyText = ({ value }: Ban): string => value;
const listKey = placeKey({ screen: 'bans' });
const latestFirst = { columnId: 'added', isReversed: true };
const watched = bans;
const noBans: readonly Ban[] = [];

/** Shows clients that the broker refuses. */
export const BansScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'bans', bansTexts.notOffered);
  const isReadOnly = useStore(monitor.store, (all) => all.isReadOnly);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useReading(monitor, bans);
  const view = useFifthTickList(
    monitor,
    state,
    safe`bans`,
    safe` ${isReadOnly ? bansTexts.emptyReadOnly : bansTexts.empty}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'bans',
    rows: state.data ?? noBans,
    columns: banColumns,
    data: clocks,
    getId: identity,
    initialSort: latestFirst,
    noun: safe`ban`,
    title: safe`Bans`,
    footerNote: maxListedNote(state.data),
    detail: (ban, ...size) => banPanel(theme, ban, clocks, ...size),
    copyText,
    width,
    height,
    notify,
  });
  useActions(
    'bans',
    banActions,
    {
      row: list.row,
      rows: state.data ?? noBans,
      isOffered: notOffered === undefined,
      known: () => banKnowledge(monitor.store.getState()),
    },
    { notify },
  );
  return <ListView list={list} />;
};
