import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { type DisconnectTarget, isInflightFull, type Session } from '../../domain/client.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import type { NumberField } from '../../table/field.ts';
import {
  formatCount,
  formatCountIn,
  formatDuration,
  formatRate,
  loadingText,
  unknownText,
} from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf, orRaw } from '../../tui/components/field-columns.ts';
import {
  selectableSessions,
  useSelectionKeys,
  useSelectionNotes,
  useSessionSelection,
} from '../clients/view/client-keys.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useStore, useWatches } from '../../tui/hooks/use-store.ts';
import { tableWidthOf } from '../../tui/list/detail.tsx';
import { GroupList, useGroupKeys } from '../view/group-list.tsx';
import { groupsOf, headingOf, isSessionInScope, type ScopedScreenProps, useBreadcrumbs } from '../view/list-scope.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { sessionKind, useScanList } from '../view/scan-list.ts';
import { useFilteredRows } from '../../tui/list/use-filtered-rows.ts';
import { type ListColumn, ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import { panelsBelow } from '../view/spare-panels.tsx';
import { triageView } from '../../triage/view.ts';
import { clientPanel } from '../clients/panel.tsx';
import { clientScan } from '../clients/resource.ts';
import { useClientJumps } from '../clients/view/client-jumps.ts';
import { nodes } from '../nodes/resource.ts';
import { settings } from '../settings/resource.ts';
import { sessionFields, sessionGroupings } from './fields.ts';
import { createConnectionJoin, type SessionRow, sessionRows, unknownRates } from './history.ts';
import { countersOf, isQueueFull, sessionProblemText, sessionWords } from './problem.ts';
import { type Elsewhere, selectElsewhere, selectQueueLimits } from './select.ts';
import { sessionsTexts } from './texts.ts';
import { isLosing, sessionTrouble } from './trouble.ts';
import { type BrokerClocks, useBrokerClocks } from '../view/broker-clocks.ts';
import type { GroupsScope } from '../view/scope.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { clientTexts } from '../clients/texts.ts';

const identity = ({ session }: SessionRow): string => session.clientId;
const asBulkTarget = (session: Session): DisconnectTarget => ({ kind: 'session', session });
// Only the client scan says who is connected.
const connections = [clientScan] as const;
const connectionsEverySeconds = 30;
// The time to a full queue needs its limit.
const limits = [settings] as const;
const limitsEverySeconds = 60;
const noWatches = [] as const;
const trouble: Trouble<SessionRow> = { value: sessionTrouble, tieBreak: identity };

const counterNote = (theme: Theme, { count, total, nodes }: Elsewhere, all: readonly NodeName[]): Span | undefined =>
  count === 0
    ? undefined
    : {
        text: sessionsTexts.countersUnknown(
          count,
          total,
          nodes.map((node) => theme.escapeEnds(shortNodeName(node, all), 40)),
        ),
        role: 'dim',
      };

interface SessionTable {
  readonly rows: readonly SessionRow[];
  readonly columns: readonly SessionColumn[];
  readonly columnSet: string;
}

const selectOffline = (state: MonitorState) => reading(state, triageView).offline;
const selectRecentTrouble = (state: MonitorState) => reading(state, triageView).recentTrouble;

/** Returns the sessions with what their columns show besides. */
const useSessionTable = (monitor: ScreenProps['monitor']): SessionTable => {
  const hasTotals = useStore(monitor.store, ({ capabilities }) => capabilities?.sessionTotals);
  const nodeNames = useNodeNames(monitor);
  const columns = useMemo(
    () => withShortNodes(sessionColumns(hasTotals), ({ session }) => session.node, nodeNames),
    [hasTotals, nodeNames],
  );
  useWatches(monitor, connections, connectionsEverySeconds);
  const hasLimits = useStore(
    monitor.store,
    ({ capabilities }) => capabilities?.settings === true && capabilities.queueLimitSetting !== undefined,
  );
  useWatches(monitor, hasLimits ? limits : noWatches, limitsEverySeconds);
  const queueLimits = useStore(monitor.store, selectQueueLimits);
  const clients = useReading(monitor, clientScan);
  const offline = useStore(monitor.store, selectOffline);
  const recentTrouble = useStore(monitor.store, selectRecentTrouble);
  const [join] = useState(createConnectionJoin);
  const listedNodes = useReading(monitor, nodes);
  const withRates = useReading(monitor, sessionRows);
  return {
    rows: join(withRates, clients, listedNodes, offline, queueLimits, recentTrouble),
    columns,
    columnSet: String(hasTotals),
  };
};

const SessionRows = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, nowMs, changeOf, view } = useScanList({ ...props, width: tableWidthOf(width), scope }, sessionKind);
  const brokerClocks = useBrokerClocks(monitor, nowMs);
  const clocks = useMemo(
    (): SessionClocks => ({ ...brokerClocks, readMs: scan.finishedAtMs }),
    [brokerClocks, scan.finishedAtMs],
  );
  const { rows: current, columns, columnSet } = useSessionTable(monitor);
  const nodeNames = useNodeNames(monitor);
  const rows = useMemo(() => {
    const all =
      scan.gone.length === 0
        ? current
        : [...current, ...scan.gone.map((session) => ({ session, rates: unknownRates }))];
    return scope === undefined ? all : all.filter(({ session }) => isSessionInScope(scope, session));
  }, [current, scan.gone, scope]);
  const getChange = useCallback(({ session }: SessionRow) => changeOf(session), [changeOf]);
  const marks = useSessionSelection();
  const isMarked = useCallback(({ session }: SessionRow) => marks.isSelected(session), [marks]);
  const withoutCounters = useStore(monitor.store, selectElsewhere);
  const { changedIds, footerNote, problem } = useSelectionNotes(marks, scan.rows, selectableSessions, view);
  const open = (clientId: string): void => {
    go({ screen: 'client', clientId });
  };
  const list = useList({
    ...view,
    columnSet,
    listKey: placeKey({ screen: 'sessions', scope }),
    table: 'sessions',
    heading: headingOf(theme, width, safe`Sessions`, scope, breadcrumbs),
    rows,
    columns,
    data: clocks,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    getChange,
    isMarked: marks.rows.size === 0 ? undefined : isMarked,
    footerNote,
    problem: problem ?? counterNote(theme, withoutCounters, nodeNames),
    onOpen: ({ session }) => {
      open(session.clientId);
    },
    unlisted: { offer: (id) => clientTexts.openTyped(theme.escape(id, width)), open },
    detail: ({ session }, ...size) =>
      clientPanel(monitor, { clientId: session.clientId, session, isGone: changeOf(session) === 'gone' }, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  const { row } = list;
  const present = (): readonly Session[] =>
    list.shown.map(({ session }) => session).filter((session) => changeOf(session) !== 'gone');
  useGroupKeys({
    kind: sessionKind,
    rows: present,
    groupings: sessionGroupings,
    onGroupBy: (by) => {
      go({ screen: 'sessions', scope: groupsOf(by, scope, list.filter) });
    },
    notify,
  });
  useClientJumps({ monitor, clientId: row?.session.clientId, go, isSession: true });
  useSelectionKeys({
    monitor,
    marks,
    changedIds,
    row: row?.session,
    target: row === undefined ? undefined : { subject: asBulkTarget(row.session) },
    bulkTargetOf: asBulkTarget,
    shown: present,
    anchor: list.anchor,
    moveToNext: list.moveToNext,
  });
  return <ListView list={list} />;
};

const SessionGroups = ({ scope, ...props }: ScreenProps & { readonly scope: GroupsScope }): ReactNode => {
  const { rows: marked, replace } = useSessionSelection();
  const { monitor } = props;
  const { rows: all, columns, columnSet } = useSessionTable(monitor);
  const data = useBrokerClocks(monitor, useNow(1000));
  const nodes = useNodeNames(monitor);
  const rows = useMemo(() => all.filter(({ session }) => isSessionInScope(scope, session)), [all, scope]);
  const found = useFilteredRows({ rows, columns, data, columnSet, filter: scope.filter });
  const sessions = useMemo(() => found.rows.map(({ session }) => session), [found.rows]);
  return (
    <GroupList
      {...props}
      screen="sessions"
      title={safe`Sessions`}
      kind={sessionKind}
      groupings={sessionGroupings}
      scope={scope}
      rows={sessions}
      outcome={{ ...found, matching: sessions.length }}
      spare={panelsBelow(monitor)}
      memberOf={({ clientId, node }, by) => ({
        name: clientId,
        note: by === 'node' ? undefined : node && shortNodeName(node, nodes),
      })}
      acting={{ bulkTargetOf: asBulkTarget, markedCount: marked.size, remark: replace }}
    />
  );
};

/** Shows all sessions, connected or not, scanned in the background; as rows or groups. */
export const SessionsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups' ? <SessionGroups {...props} scope={scope} /> : <SessionRows {...props} scope={scope} />;

/** The clocks that cells need. `readMs`: when the sessions were last read. */
export type SessionClocks = BrokerClocks & { readonly readMs?: number | undefined };

type SessionColumn = ListColumn<SessionRow, SessionClocks>;

/** Writes the growth per second with its sign: `+3/s`, `-0.4/s`, `0/s`. */
export const formatGrowth = (perSecond: number | undefined): SafeText => {
  if (perSecond === undefined || perSecond === 0) {
    return formatRate(perSecond);
  }
  return perSecond > 0 ? safe`+${formatRate(perSecond)}` : safe`-${formatRate(-perSecond)}`;
};

/** Marks a counter as of the disconnect: its current value is unknown. */
const markFrozen = (figure: SafeText, { isFrozen }: SessionRow): SafeText =>
  isFrozen === true && figure !== unknownText ? safe`${figure} ?` : figure;

/** Warns unless the counter is frozen: then it is of the past. */
const warnIf =
  (is: (row: SessionRow) => boolean, role: Role = 'warning') =>
  (row: SessionRow): Role | undefined =>
    row.isFrozen !== true && is(row) ? role : undefined;

const formatInflight = (session: Session, text: (raw: string) => SafeText): SafeText => {
  const inflight = orRaw(formatCount(session.inflight), session.unparsed['inflight'], text);
  const maxInflight = orRaw(formatCount(session.maxInflight), session.unparsed['maxInflight'], text);
  return inflight === unknownText && maxInflight === unknownText
    ? unknownText
    : safe`${isInflightFull(session) ? safe`! ` : safe``}${inflight}/${maxInflight}`;
};

/** Older counters are marked. Sessions are read every 30 s, and take a moment. */
const oldSeconds = 35;

/** Says how old counters are that are not live any more. */
const oldCounters = ({ movedMs }: SessionRow, { nowMs, readMs }: SessionClocks): SafeText | undefined => {
  const fromMs = movedMs ?? readMs;
  const seconds = fromMs === undefined || nowMs === undefined ? 0 : (nowMs - fromMs) / 1_000;
  return seconds > oldSeconds ? sessionsTexts.old(seconds) : undefined;
};

const troubleRole = (row: SessionRow): Role | undefined => {
  const problem = sessionProblemText(row);
  if (problem === unknownText || problem === loadingText || problem === sessionWords.noProblem) return undefined;
  return isLosing(row) ? 'error' : 'warning';
};

const counted =
  (name: NumberField<Session>): SessionColumn['format'] =>
  (row, { text, width }) =>
    markFrozen(
      orRaw(
        formatCountIn(row.session[name], row.isFrozen === true ? width - 2 : width),
        row.session.unparsed[name],
        text,
      ),
      row,
    );

const columns = columnsOf<SessionRow, SessionClocks, typeof sessionFields>(sessionFields, {
  id: { width: { min: 14, max: 60, grow: 2 }, isSticky: true, nameRole: (row) => troubleRole(row) },
  node: { role: 'dim', width: { min: 8, max: 24 }, isReadFirst: true, priority: 1 },
  connected: { width: 6, priority: 1.3 },
  problem: {
    format: sessionProblemText,
    roleOf: (row) => troubleRole(row) ?? 'dim',
    sortsFrom: 'largest',
    largest: safe`worst`,
    width: 14,
    priority: 1.2,
  },
  inflight: {
    format: (row, { text }) => markFrozen(formatInflight(row.session, text), row),
    roleOf: warnIf(({ session }) => isInflightFull(session)),
    width: 10,
    priority: 1,
  },
  queue: { format: counted('queueLength'), roleOf: warnIf(isQueueFull, 'error'), width: 8, priority: 1 },
  growth: { format: (row) => formatGrowth(sessionFields.growth.get(row)), width: 9, priority: 2 },
  dropped: {
    format: (row, { text }) => {
      const { dropped } = row.session;
      return markFrozen(
        orRaw(
          safe`${(dropped ?? 0) > 0 ? safe`! ` : safe``}${formatCount(dropped)}`,
          row.session.unparsed['dropped'],
          text,
        ),
        row,
      );
    },
    roleOf: warnIf(isLosing, 'error'),
    width: 9,
    priority: 1.4,
  },
  drop: { roleOf: warnIf(isLosing, 'error'), width: 8, priority: 3 },
  deliver: { width: 11, priority: 2 },
  enqueue: { width: 11, priority: 3.1 },
  delivered: { format: counted('delivered'), width: 11, priority: 5 },
  enqueued: { format: counted('enqueued'), width: 10, priority: 5 },
  subscriptions: { format: counted('subscriptions'), width: 6, priority: 3 },
  rel: { format: counted('awaitingRel'), width: 13, priority: 6 },
  ack: { format: counted('awaitingAck'), width: 13, priority: 6 },
  comp: { format: counted('awaitingComp'), width: 14, priority: 6 },
  counters: {
    format: (row, { data }) => {
      const { offlineSinceMs } = row;
      const of = countersOf(row);
      if (of === undefined) return unknownText;
      if (row.isFrozen !== true) return oldCounters(row, data) ?? of;
      if (offlineSinceMs === undefined || data.nowMs === undefined) return of;
      return safe`${of} ≥${formatDuration(Math.max(0, data.nowMs - offlineSinceMs) / 1000)}`;
    },
    width: { min: 10, max: 20, grow: 0.5 },
    isSnug: true,
    priority: 2.5,
  },
  clean: { width: 7, priority: 4 },
  created: { width: 11, priority: 3.2 },
  since: { width: 19, priority: 7 },
});

type SessionField = keyof typeof sessionFields;

const totals: ReadonlySet<string> = new Set<SessionField>([
  'deliver',
  'enqueue',
  'delivered',
  'enqueued',
  'subscriptions',
]);
const awaited: ReadonlySet<string> = new Set<SessionField>(['ack', 'comp']);

/** The columns of sessions. `hasTotals`: the API counts deliveries; `undefined` gives all columns. */
export const sessionColumns = (hasTotals: boolean | undefined): readonly SessionColumn[] =>
  hasTotals === undefined ? columns : columns.filter(({ id }) => !(hasTotals ? awaited : totals).has(id));
