import type { ReactNode } from 'react';
import type { Trace } from '../../domain/traces.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import type { ScreenProps } from '../../tui/screen.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import { useFifthTickList } from '../view/node-table.ts';
import { useNotOffered } from '../view/offered.ts';
import { traceActions } from './actions.ts';
import { traces } from './resource.ts';
import { tracesTexts } from './texts.ts';
import { traceColumns } from './view/columns.ts';

const identity = ({ name }: Trace): string => name;
const listKey = placeKey({ screen: 'traces' });
const latestFirst = { columnId: 'started', isReversed: true };
const noTraces: readonly Trace[] = [];

/** Shows the logs that the broker keeps of single clients, topics or addresses, whoever started them. */
export const TracesScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const notOffered = useNotOffered(monitor, 'traces', tracesTexts.notOffered);
  const isReadOnly = useStore(monitor.store, (all) => all.isReadOnly);
  useWatch(monitor, notOffered === undefined ? traces : undefined);
  const state = useReading(monitor, traces);
  const view = useFifthTickList(
    monitor,
    state,
    safe`the traces`,
    safe` ${isReadOnly ? tracesTexts.emptyReadOnly : tracesTexts.empty}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const rows = state.data ?? noTraces;
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'traces',
    rows,
    columns: traceColumns,
    data: clocks,
    getId: identity,
    initialSort: latestFirst,
    noun: safe`trace`,
    title: safe`Traces`,
    onOpen: ({ name }) => {
      go({ screen: 'trace', name });
    },
    copyText: identity,
    width,
    height,
    notify,
  });
  useActions('traces', traceActions, { row: list.row, rows, isOffered: notOffered === undefined }, { notify });
  return <ListView list={list} />;
};
