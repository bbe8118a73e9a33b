import { type ReactNode, useMemo } from 'react';
import { compareNatural } from '../../../domain/natural-order.ts';
import { selectFreshness } from '../../../monitor/select/freshness.ts';
import { type ListenerRow, selectListeners } from '../../../monitor/select/nodes.ts';
import { formatCountIn } from '../../../terminal/format.ts';
import { gaugeSpans } from '../../../terminal/graphs.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { thresholds } from '../../../triage/thresholds.ts';
import { useTheme } from '../../components/theme-context.ts';
import { useBreadcrumbs } from '../../frame/breadcrumbs.ts';
import { useFetchContext } from '../../hooks/use-broker-clocks.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useResource, useStore } from '../../hooks/use-store.ts';
import { headingOf, type ScopedScreenProps } from '../../list/list-scope.ts';
import { dataProblem, missingMessage } from '../../list/resource-notice.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { placeKey } from '../../navigation.ts';

const figure = (id: string, header: SafeText, priority: number, value: (row: ListenerRow) => number | undefined): ListColumn<ListenerRow> => ({
  id,
  header,
  value,
  format: (row, { width: room }) => formatCountIn(value(row), room),
  align: 'right',
  width: 11,
  priority,
});

/** Reasons why connections ended, most frequent first; the broker's text where it was not understood. */
const shutdownText = ({ listener }: ListenerRow): string | undefined => {
  if (listener.shutdownCountRaw !== undefined) {
    return listener.shutdownCountRaw;
  }
  const counts = Object.entries(listener.shutdownCount).toSorted(([, a], [, b]) => b - a);
  return counts.length === 0 ? undefined : counts.map(([reason, count]) => `${reason} ${count}`).join(', ');
};

/** All figures of §2.9. */
export const listenerColumns: readonly ListColumn<ListenerRow>[] = [
  {
    id: 'node',
    header: safe`NODE`,
    value: ({ node }) => node,
    format: ({ node }, { text }) => text(node),
    width: { min: 15, max: 32 },
    isSticky: true,
  },
  {
    id: 'protocol',
    header: safe`PROTOCOL`,
    value: ({ listener }) => listener.protocol,
    format: ({ listener }, { text }) => text(listener.protocol),
    width: { min: 10, max: 20, grow: 0.5 },
    isSticky: true,
  },
  {
    id: 'listen',
    header: safe`LISTEN`,
    value: ({ listener }) => listener.listen,
    format: ({ listener }, { text }) => text(listener.listen),
    width: { min: 16, max: 28, grow: 0.5 },
    priority: 1,
  },
  {
    id: 'used',
    header: safe`USED`,
    value: ({ clients }) => clients.share,
    format: ({ clients }, { width }) => joinSafe(gaugeSpans(width, clients.used, clients.limit, thresholds.listenerClients).map(({ text }) => text)),
    width: { min: 12, max: 32, grow: 2 },
    fills: true,
    priority: 1,
    sortsFrom: 'largest',
    largest: safe`fullest`,
  },
  figure('current', safe`CURRENT`, 1, ({ listener }) => listener.currentClients),
  figure('max', safe`MAX`, 2, ({ listener }) => listener.maxClients),
  figure('acceptors', safe`ACCEPTORS`, 3, ({ listener }) => listener.acceptors),
  {
    id: 'shutdown',
    header: safe`SHUTDOWN COUNTS`,
    value: shutdownText,
    format: (row, { text }) => {
      const counts = shutdownText(row);
      return counts === undefined ? safe`none` : text(counts);
    },
    width: { min: 18, max: 80 },
    priority: 4,
  },
];

const identity = ({ key }: ListenerRow): string => key;
const copyText = ({ listener }: ListenerRow): string => listener.listen;
const initialSort = { columnId: 'node', isReversed: false };
const noRows: readonly ListenerRow[] = [];

/** The listeners of all nodes (§2.9), by node and protocol. */
export const ListenersScreen = ({ monitor, width, height, notify, scope }: ScopedScreenProps): ReactNode => {
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const listeners = useResource(monitor, 'listeners');
  const listed = useStore(monitor.store, selectListeners);
  const seen = useStore(monitor.store, (state) => state.seenNodes);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const rows = useMemo(
    () =>
      // Sorting by node keeps this order within a node.
      listed?.filter(({ node }) => scope?.kind !== 'node' || node === scope.node).toSorted((a, b) => compareNatural(a.listener.protocol, b.listener.protocol) || compareNatural(a.listener.listen, b.listener.listen)) ?? noRows,
    [listed, scope],
  );
  const isStale = selectFreshness(monitor.store.getState(), nowMs).stale.includes('listeners');
  const silent = [...(seen ?? [])].filter(([node, { status }]) => status !== 'running' && listeners.data?.has(node) !== true);
  const list = useList({
    listKey: placeKey({ screen: 'listeners', scope }),
    table: 'listeners',
    heading: headingOf(theme, width, safe`Listeners`, scope, breadcrumbs),
    rows,
    columns: listenerColumns,
    data: undefined,
    getId: identity,
    initialSort,
    generation: listeners.updatedAtMs,
    noun: safe`listener`,
    message: listeners.data === undefined ? missingMessage(theme, listeners, safe`the listeners`, fetchContext) : { text: scope === undefined ? safe` The broker names no listener.` : safe` The broker names no listener of it.` },
    problem: dataProblem(theme, listeners, safe`listeners`, isStale, fetchContext),
    isStale,
    footerNote: silent.length === 0 ? undefined : safe`none of ${joinSafe(silent.map(([node]) => theme.escape(node, 24)), safe`, `)}`,
    copyText,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
