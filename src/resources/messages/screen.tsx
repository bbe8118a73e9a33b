import { type ReactNode, useMemo, useState } from 'react';
import type { SessionMessageKind } from '../../domain/messages.ts';
import { watchOf } from '../../monitor/query/part.ts';
import { unknownText } from '../../terminal/format.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { useNotOffered } from '../view/offered.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { sessionMessages } from '../sessions/messages.ts';
import { messageFields, type MessageRow } from './fields.ts';
import { messagesTexts } from './texts.ts';
import { messageDialog } from './view/message-dialog.ts';
import { payloadLine } from './view/payload.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';

const columns = columnsOf(messageFields, {
  place: { sortsFrom: 'smallest', width: 6, priority: 1 },
  topic: { width: { min: 14, max: 60, grow: 2 }, isSticky: true },
  qos: { width: 4, priority: 2 },
  published: { sortsFrom: 'smallest', width: 12, priority: 1, highlightsChanges: false },
  from: { width: { min: 10, max: 30 }, priority: 1 },
  payload: {
    format: ({ payload }, { theme, width }) =>
      payload === undefined ? unknownText : payloadLine(theme, payload, width),
    width: { min: 12, max: 200, grow: 3 },
    priority: 2,
  },
});

const identity = ({ place }: MessageRow): string => String(place);
const copyText = ({ topic }: MessageRow): string => topic;
const oldestFirst = { columnId: 'place', isReversed: false };
const noRows: readonly MessageRow[] = [];

/** Returns the value that most rows have, and how many. */
const mostCommon = (
  rows: readonly MessageRow[],
  valueOf: (row: MessageRow) => string | undefined,
): readonly [string, number] | undefined => {
  const groups = [...Map.groupBy(rows, valueOf)].flatMap(([value, { length }]) =>
    value === undefined ? [] : [[value, length] as const],
  );
  return groups.toSorted(([, a], [, b]) => b - a)[0];
};

const summaryOf = (theme: Theme, rows: readonly MessageRow[]): SafeText => {
  const [topic, from] = [mostCommon(rows, (row) => row.topic), mostCommon(rows, (row) => row.fromClientId)];
  return rows.length < 2
    ? safe``
    : messagesTexts.summary(
        topic && { name: theme.escapeEnds(topic[0], 40), count: topic[1] },
        from && { name: theme.escapeEnds(from[0], 30), count: from[1] },
      );
};

/** Shows messages that wait in a session: in its queue, or sent and not acknowledged. */
export const SessionMessagesScreen = (props: ScreenProps & { readonly clientId: string }): ReactNode => {
  const [which, setWhich] = useState<SessionMessageKind>('queue');
  useKeys('session-messages', {
    toggleInflight: () => {
      setWhich(which === 'queue' ? 'inflight' : 'queue');
    },
  });
  return <MessageList key={which} {...props} which={which} />;
};

const MessageList = ({
  monitor,
  clientId,
  which,
  width,
  height,
  notify,
}: ScreenProps & { readonly clientId: string; readonly which: SessionMessageKind }): ReactNode => {
  const theme = useTheme();
  const ask = useOpenDialog();
  const notOffered = useNotOffered(monitor, 'sessionMessages', messagesTexts.notOffered);
  const watched = useMemo(() => watchOf(sessionMessages, clientId, which), [clientId, which]);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useReading(monitor, sessionMessages, clientId, which);
  const rows = useMemo(
    () => state.data?.items.map((message, index): MessageRow => ({ ...message, place: index + 1 })) ?? noRows,
    [state.data],
  );
  const view = useFifthTickList(
    monitor,
    useMemo(() => ({ ...state, data: state.data?.items }), [state]),
    messagesTexts.plural,
    safe` ${messagesTexts.empty[which]}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    heading: composeLine(theme, width, [
      { text: safe` ${messagesTexts.title[which]} ${theme.escape(clientId, width)}`, role: 'title' },
      { text: safe`  ${messagesTexts.toggle[which]}  `, role: 'dim' },
      { text: summaryOf(theme, rows), role: 'dim' },
    ]),
    listKey: `${placeKey({ screen: 'session-messages', clientId })} ${which}`,
    table: 'session messages',
    rows,
    columns,
    data: clocks,
    getId: identity,
    initialSort: oldestFirst,
    noun: safe`message`,
    title: safe`Messages`,
    footerNote: state.data?.hasMore === true ? messagesTexts.more(rows.length) : undefined,
    onOpen: (message) => {
      ask(messageDialog(theme, messagesTexts.message, message));
    },
    copyText,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
