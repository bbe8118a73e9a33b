import { type ReactNode, useEffect, useMemo, useState } from 'react';
import type { RetainedContent, RetainedMessage } from '../../domain/messages.ts';
import { steadyNowMs } from '../../monitor/clock.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Monitor } from '../../monitor/state.ts';
import { formatBrokerTime, formatCount, formatText, loadingText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useOpenDialog } from '../../tui/hooks/open-dialog.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, rowPanel, useRested } from '../../tui/list/detail.tsx';
import { useNotOffered } from '../view/offered.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { messagesTexts } from '../messages/texts.ts';
import { messageDialog } from '../messages/view/message-dialog.ts';
import { payloadKind, payloadLines } from '../messages/view/payload.ts';
import { retainedActions } from './actions.ts';
import { retained, retainedContent } from './resource.ts';
import { retainedTexts } from './texts.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { retainedColumns } from './view/columns.ts';

const identity = ({ topic }: RetainedMessage): string => topic;
const listKey = placeKey({ screen: 'retained' });
const byTopic = { columnId: 'topic', isReversed: false };
const watched = retained;
const noRows: readonly RetainedMessage[] = [];

/** Shows messages that the broker keeps for new subscribers. */
export const RetainedScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const ask = useOpenDialog();
  const notOffered = useNotOffered(monitor, 'retainedMessages', retainedTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useReading(monitor, retained);
  const view = useFifthTickList(
    monitor,
    useMemo(() => ({ ...state, data: state.data?.items }), [state]),
    retainedTexts.plural,
    safe` ${retainedTexts.empty}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const [opening, setOpening] = useState<Opening>();
  const open = (topic: string): void => {
    setOpening({ topic, atMs: steadyNowMs() });
    notify(retainedTexts.reading);
  };
  useOpened(monitor, opening, setOpening, (content) => {
    if (content instanceof Error) notify(safe`! ${theme.escape(content.message, 200)}`);
    else if (content === 'none') notify(retainedTexts.none);
    else ask(messageDialog(theme, retainedTexts.message, content));
  });
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'retained',
    rows: state.data?.items ?? noRows,
    columns: retainedColumns,
    data: clocks,
    getId: identity,
    initialSort: byTopic,
    noun: safe`retained message`,
    title: safe`Retained messages`,
    footerNote: state.data?.hasMore === true ? retainedTexts.more(state.data.items.length) : undefined,
    onOpen: ({ topic }) => {
      open(topic);
    },
    unlisted: { offer: (typed) => retainedTexts.openTyped(theme.escape(typed, width)), open },
    detail: (row, ...size) => retainedPanel(monitor, row, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  useActions('retained', retainedActions, { row: list.row, rows: state.data?.items ?? noRows }, { notify });
  return <ListView list={list} />;
};

interface Opening {
  readonly topic: string;
  readonly atMs: number;
}

/** Reads a message, and hands it over once it is read. */
const useOpened = (
  monitor: Monitor,
  opening: Opening | undefined,
  setOpening: (next: undefined) => void,
  onRead: (content: RetainedContent | 'none' | Error) => void,
): void => {
  const topic = opening?.topic;
  useWatch(
    monitor,
    useMemo(() => (topic === undefined ? undefined : watchOf(retainedContent, topic)), [topic]),
  );
  const state = useReading(monitor, retainedContent, topic ?? '');
  useEffect(() => {
    if (opening === undefined || topic === undefined) return;
    // The panel may have read it before.
    const read = state.updatedAtMs !== undefined && state.updatedAtMs >= opening.atMs ? state.data : undefined;
    const answer = read ?? (state.isFetching ? undefined : state.error);
    if (answer === undefined) return;
    setOpening(undefined);
    onRead(answer);
  });
};

interface RetainedPanelProps {
  readonly monitor: Monitor;
  readonly message: RetainedMessage;
  readonly width: number;
  readonly height: number;
}

const retainedPanel = (monitor: Monitor, message: RetainedMessage, width: number, height: number): ReactNode => (
  <RetainedPanel monitor={monitor} message={message} width={width} height={height} />
);

/** Shows the message under the cursor with its payload, read once the cursor rests. */
const RetainedPanel = ({ monitor, message, width, height }: RetainedPanelProps): ReactNode => {
  const theme = useTheme();
  const { topic, qos, publishedAt, fromClientId, fromUsername } = message;
  const rested = useRested(topic);
  useWatch(
    monitor,
    useMemo(() => (rested === undefined ? undefined : watchOf(retainedContent, rested)), [rested]),
  );
  const state = useReading(monitor, retainedContent, topic ?? '');
  const room = detailRoom(width, height).width;
  const content = state.data;
  const rows: readonly SpanRow[] =
    content === undefined
      ? [[{ text: state.error === undefined ? loadingText : theme.escape(state.error.message, room), role: 'dim' }]]
      : content === 'none'
        ? [[{ text: retainedTexts.none, role: 'dim' }]]
        : payloadLines(theme, content.payload)
            .flatMap((line) => wrapWords(line, room))
            .map((text): SpanRow => [{ text }]);
  return rowPanel(
    theme.escapeEnds(topic, room),
    [
      {
        rows: detailRows(room, [
          { label: messagesTexts.published, value: formatBrokerTime(publishedAt) },
          { label: messagesTexts.from, value: formatText(fromClientId, (raw) => theme.escape(raw, room)) },
          { label: messagesTexts.user, value: formatText(fromUsername, (raw) => theme.escape(raw, room)) },
          { label: messagesTexts.qos, value: formatCount(qos) },
        ]),
      },
      {
        title: retainedTexts.payload,
        note: content === undefined || content === 'none' ? undefined : payloadKind(content.payload),
        rows,
      },
    ],
    width,
    height,
  );
};
