import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { DisconnectTarget } from '../../../actions/bulk.ts';
import { hasCounters, type Session } from '../../../domain/client.ts';
import { compareNatural } from '../../../domain/natural-order.ts';
import type { NodeName } from '../../../domain/node.ts';
import { sessionRatesOf, type SessionRow, unknownRates } from '../../../monitor/history/session-rates.ts';
import { createConnectionJoin } from '../../../monitor/scan/session-connection.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { triageOf } from '../../../triage/triage.ts';
import { useTheme } from '../../components/theme-context.ts';
import { useSelectionKeys, useSelectionNotes } from '../../dialogs/client-keys.tsx';
import { selectableSessions, useSessionSelection } from '../../dialogs/selection.ts';
import { useBreadcrumbs } from '../../frame/breadcrumbs.ts';
import { useBrokerClocks } from '../../hooks/use-broker-clocks.ts';
import { useStore, useWatches } from '../../hooks/use-store.ts';
import { headingOf, isSessionInScope, type ScopedScreenProps } from '../../list/list-scope.ts';
import { sessionKind } from '../../list/scan-view.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { useScanList } from '../../list/use-scan-list.ts';
import { placeKey } from '../../navigation.ts';
import { sessionColumns } from './columns.ts';

const identity = ({ session }: SessionRow): string => session.clientId;
const asBulkTarget = (session: Session): DisconnectTarget => ({ kind: 'session', session });
// Sessions do not say who is connected; the client scan does.
const connections = [{ kind: 'clientScan' }] as const;
const connectionsEverySeconds = 30;
const initialSort = { columnId: 'id', isReversed: false };

/** Nodes whose sessions have no counters because another node answered. */
const nodesWithoutCounters = (rows: readonly Session[]): readonly NodeName[] =>
  [...new Set(rows.flatMap((session) => (session.node === undefined || hasCounters(session) ? [] : [session.node])))].toSorted(compareNatural);

const counterNote = (theme: Theme, nodes: readonly NodeName[]): Span | undefined =>
  nodes.length === 0 ? undefined : {
    text: safe`counters of sessions on ${joinSafe(nodes.map((node) => theme.escape(node, 40)), safe`, `)} unknown: ask ${nodes.length === 1 ? safe`its own address` : safe`their own addresses`}, with --url`,
    role: 'dim',
  };

/** All sessions, connected or not, scanned in the background (§2.5). */
export const SessionsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, nowMs, changeOf, view } = useScanList({ ...props, scope }, sessionKind);
  const hasTotals = useStore(monitor.store, ({ capabilities }) => capabilities?.sessionTotals);
  const clocks = useBrokerClocks(monitor, nowMs);
  const columns = useMemo(() => sessionColumns(hasTotals), [hasTotals]);
  useWatches(monitor, connections, connectionsEverySeconds);
  const clients = useStore(monitor.store, (state) => state.clientScan);
  const [join] = useState(createConnectionJoin);
  const nodes = useStore(monitor.store, (state) => state.resources.nodes);
  const current = join(sessionRatesOf(monitor).update(scan), clients, nodes, triageOf(monitor).offline());
  const rows = useMemo(() => {
    const all = scan.gone.length === 0 ? current : [...current, ...scan.gone.map((session) => ({ session, rates: unknownRates }))];
    return scope === undefined ? all : all.filter((row) => isSessionInScope(scope, row));
  }, [current, scan.gone, scope]);
  const getChange = useCallback(({ session }: SessionRow) => changeOf(session), [changeOf]);
  const marks = useSessionSelection();
  const isMarked = useCallback(({ session }: SessionRow) => marks.isMarked(session), [marks]);
  const withoutCounters = useMemo(() => nodesWithoutCounters(scan.rows), [scan.rows]);
  const { changedCount, footerNote, problem } = useSelectionNotes(marks, scan.rows, selectableSessions, view);
  const open = (clientId: string): void => { go({ screen: 'client', clientId }); };
  const list = useList({
    ...view,
    columnSet: String(hasTotals),
    listKey: placeKey({ screen: 'sessions', scope }),
    table: 'sessions',
    heading: headingOf(theme, width, safe`Sessions`, scope, breadcrumbs),
    rows,
    columns,
    data: clocks,
    getId: identity,
    initialSort,
    getChange,
    isMarked: marks.marked.size === 0 ? undefined : isMarked,
    footerNote,
    problem: problem ?? counterNote(theme, withoutCounters),
    onOpen: ({ session }) => { open(session.clientId); },
    onOpenId: open,
    copyText: identity,
    width,
    height,
    notify,
  });
  const { row } = list;
  useSelectionKeys({
    monitor, marks, changedCount,
    row: row?.session,
    target: row === undefined ? undefined : { subject: asBulkTarget(row.session) },
    bulkTargetOf: asBulkTarget,
    shown: () => list.shown.map(({ session }) => session).filter((session) => changeOf(session) !== 'gone'),
    anchor: list.anchor,
    moveToNext: list.moveToNext,
  });
  return <ListView list={list} />;
};
