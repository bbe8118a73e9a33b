import { type ReactNode, useMemo } from 'react';
import type { Listener } from '../../domain/administration.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { shortNodeName } from '../../domain/node.ts';
import { formatCount, formatCountIn, formatPercent, unknownText } from '../../terminal/format.ts';
import { gaugeSpans } from '../../terminal/gauge.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { fit } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { thresholds } from '../../triage/thresholds.ts';
import { endsRow, type SpanRow } from '../../tui/components/blocks.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useFetchContext, useReading, useResource, useStore } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { headingOf, type ScopedScreenProps, useBreadcrumbs } from '../view/list-scope.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { dataProblem, missingMessage } from '../../tui/list/resource-notice.ts';
import { type ListColumn, ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import { panelsBelow } from '../view/spare-panels.tsx';
import { selectFreshness } from '../freshness.ts';
import { seenNodes } from '../nodes/resource.ts';
import { gaugeColumn } from '../nodes/view/columns.ts';
import { listenerActions } from './actions.ts';
import { listenerFields, listenerStates, shutdownText } from './fields.ts';
import { listeners } from './resource.ts';
import { type ListenerRow, selectListeners } from './select.ts';
import { listenersTexts } from './texts.ts';
import { listenerTrouble } from './trouble.ts';
import { placeKey } from '../../tui/list/list-state.ts';

const limitText = ({ isUnlimited, maxClients }: Listener, format: (value: number | undefined) => SafeText): SafeText =>
  isUnlimited === true ? listenersTexts.unlimited : format(maxClients);

const usedGauge = gaugeColumn<ListenerRow, undefined>(({ clients }) => clients, thresholds.listenerClients);

/** Draws no gauge without a limit. */
const usedCells: typeof usedGauge = {
  ...usedGauge,
  spans: (row, context) =>
    row.listener.isUnlimited === true
      ? [{ text: fit(listenersTexts.unlimited, context.width, 'right'), role: 'dim' }]
      : usedGauge.spans?.(row, context),
  format: (row, context) =>
    row.listener.isUnlimited === true ? listenersTexts.unlimited : usedGauge.format(row, context),
};

const runningRoles = { yes: 'ok', partly: 'warning', no: 'error' } as const;
const runningSigns = { yes: glyphs.running, partly: safe`!`, no: glyphs.stopped } as const;

const runningText = ({ running }: Listener): SafeText =>
  running === undefined ? unknownText : safe`${runningSigns[running]} ${trusted(listenerStates[running])}`;

const runningRole = ({ running }: Listener): Role | undefined =>
  running === undefined || running === 'yes' ? undefined : runningRoles[running];

const listenerColumns: readonly ListColumn<ListenerRow>[] = columnsOf(listenerFields, {
  node: { role: 'dim', width: { min: 17, max: 32 }, isSticky: true },
  protocol: { width: { min: 10, max: 20, grow: 0.5 }, isSticky: true },
  listen: { width: { min: 16, max: 28, grow: 0.5 }, priority: 1 },
  running: {
    format: ({ listener }) => runningText(listener),
    roleOf: ({ listener }) => runningRole(listener),
    width: 10,
    priority: 1,
  },
  used: { ...usedCells, priority: 1, highlightsChanges: true },
  current: { width: 11, priority: 1 },
  max: {
    format: ({ listener }, { width: room }) => limitText(listener, (value) => formatCountIn(value, room)),
    width: 11,
    priority: 2,
  },
  acceptors: { width: 11, priority: 3 },
  shutdown: {
    format: (row, { text }) => {
      const counts = shutdownText(row);
      return counts === undefined ? safe`none` : text(counts);
    },
    width: { min: 18, max: 80 },
    priority: 4,
  },
});

/** The columns of listeners, with their state where the broker tells it. @param hasLimits the gauge says something */
export const listenerColumnsOf = (hasRunning: boolean, hasLimits: boolean): readonly ListColumn<ListenerRow>[] =>
  listenerColumns
    .filter(({ id }) => hasRunning || id !== 'running')
    .map((column) => (column.id === 'used' && !hasLimits ? { ...column, priority: 3 } : column));

const drawn: readonly (keyof typeof listenerFields)[] = [
  'node',
  'protocol',
  'listen',
  'running',
  'used',
  'current',
  'max',
  'acceptors',
  'shutdown',
];

/** Draws fields in full, and how often connections ended for which reason. */
const listenerPanel = (theme: Theme, row: ListenerRow, width: number, height: number): ReactNode => {
  const { node, listener, clients } = row;
  const { id, protocol, listen, running, acceptors, currentClients, shutdownCount, shutdownCountRaw } = listener;
  const room = detailRoom(width, height).width;
  const reasons = Object.entries(shutdownCount).toSorted(([, a], [, b]) => b - a);
  const shutdowns: readonly SpanRow[] =
    shutdownCountRaw === undefined
      ? reasons.map(([reason, count]) =>
          endsRow(room, [{ text: theme.escape(reason, room) }], [{ text: formatCount(count), role: 'title' }]),
        )
      : wrapWords(theme.escape(shutdownCountRaw), room).map((text) => [{ text }]);
  return rowPanel(
    theme.escape(listen, room),
    [
      {
        rows: [
          ...detailRows(room, [
            { label: safe`node`, value: theme.escape(node, room) },
            { label: safe`protocol`, value: theme.escape(protocol, room) },
            ...(id === undefined ? [] : [{ label: listenersTexts.id, value: theme.escape(id, room) }]),
            ...(running === undefined
              ? []
              : [{ label: listenersTexts.running, value: runningText(listener), role: runningRole(listener) }]),
            ...(listener.isUnlimited === true
              ? []
              : [
                  {
                    label: listenersTexts.used,
                    value: formatPercent(clients.share),
                    draw: (columns: number) =>
                      gaugeSpans(columns, clients.used, clients.limit, thresholds.listenerClients),
                  },
                ]),
            { label: listenersTexts.connections, value: formatCount(currentClients) },
            { label: listenersTexts.limit, value: limitText(listener, formatCount) },
            { label: listenersTexts.acceptors, value: formatCount(acceptors) },
          ]),
          ...restRows(theme, room, listenerColumns, drawn, row, undefined),
        ],
      },
      {
        title: listenersTexts.shutdownCounts,
        rows: shutdowns.length === 0 ? [[{ text: listenersTexts.none }]] : shutdowns,
      },
    ],
    width,
    height,
  );
};

const identity = ({ key }: ListenerRow): string => key;
const copyText = ({ listener }: ListenerRow): string => listener.listen;
const trouble: Trouble<ListenerRow> = { value: listenerTrouble, tieBreak: ({ node }) => node };
const noRows: readonly ListenerRow[] = [];

export const ListenersScreen = ({ monitor, width, height, notify, scope }: ScopedScreenProps): ReactNode => {
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const isControlled = useStore(monitor.store, ({ capabilities }) => capabilities?.listenerControl === true);
  const read = useResource(monitor, listeners);
  const listed = useStore(monitor.store, selectListeners);
  const seen = useReading(monitor, seenNodes);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const rows = useMemo(
    () =>
      // Sorting is stable: listeners of a node that are equally full keep this order.
      listed
        ?.filter(({ node }) => scope?.kind !== 'node' || node === scope.node)
        .toSorted(
          (a, b) =>
            compareNatural(a.listener.protocol, b.listener.protocol) ||
            compareNatural(a.listener.listen, b.listener.listen),
        ) ?? noRows,
    [listed, scope],
  );
  const isStale = selectFreshness(monitor.store.getState(), nowMs).stale.includes('listeners');
  const nodesWithoutData = [...seen].filter(
    ([node, { status }]) => status !== 'running' && read.data?.has(node) !== true,
  );
  const hasLimits = rows.length === 0 || rows.some(({ listener }) => listener.isUnlimited !== true);
  const nodeNames = useNodeNames(monitor);
  const columns = useMemo(
    () => withShortNodes(listenerColumnsOf(isControlled, hasLimits), ({ node }) => node, nodeNames),
    [isControlled, hasLimits, nodeNames],
  );
  const list = useList({
    listKey: placeKey({ screen: 'listeners', scope }),
    table: 'listeners',
    columnSet: isControlled ? 'with state' : 'without',
    heading: headingOf(theme, width, safe`Listeners`, scope, breadcrumbs),
    rows,
    columns,
    data: undefined,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    generation: read.updatedAtMs,
    noun: safe`listener`,
    title: safe`Listeners`,
    spare: panelsBelow(monitor),
    detailHeight: 14,
    message:
      read.data === undefined
        ? missingMessage(theme, read, safe`the listeners`, fetchContext)
        : { text: safe` ${scope === undefined ? listenersTexts.empty : listenersTexts.emptyInScope}` },
    problem: dataProblem(theme, read, safe`listeners`, isStale, fetchContext),
    isStale,
    footerNote:
      nodesWithoutData.length === 0
        ? undefined
        : listenersTexts.noDataFrom(
            nodesWithoutData.map(([node]) => theme.escapeEnds(shortNodeName(node, nodeNames), 24)),
          ),
    detail: (row, ...size) => listenerPanel(theme, row, ...size),
    detailBelow: 'narrow',
    copyText,
    width,
    height,
    notify,
  });
  const { row } = list;
  useActions(
    'listeners',
    listenerActions,
    { row: isControlled ? row?.listener : undefined, rows: listed ?? noRows },
    { notify },
  );
  return <ListView list={list} />;
};
