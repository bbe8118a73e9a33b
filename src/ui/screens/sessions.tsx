import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { DisconnectTarget } from '../../actions/bulk.ts';
import { isInflightFull, type Session } from '../../domain/client.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { createConnectionJoin, sessionRatesOf, type SessionRow, unknownRates } from '../../monitor/history/sessions.ts';
import { refreshOf } from '../../monitor/history/steps.ts';
import type { ScanState } from '../../monitor/state.ts';
import { sessionGroupings } from '../../table/grouping.ts';
import {
  formatAge,
  formatBrokerTime,
  formatCount,
  formatCountIn,
  formatDuration,
  formatRate,
  formatText,
  formatYesNo,
  loadingText,
  unknownText,
} from '../../terminal/format.ts';
import type { Span } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { type Elsewhere, selectElsewhere, selectQueueLimits } from '../../triage/slow-check.ts';
import { triageOf } from '../../triage/triage.ts';
import {
  fullWithinSeconds,
  isLosing,
  isQueueGrowing,
  isWaiting,
  lossPerSecond,
  secondsToFull,
  sessionTrouble,
} from '../../triage/trouble.ts';
import { troubleSort, withRole } from '../components/column.ts';
import { useTheme } from '../components/drawing.tsx';
import {
  selectableSessions,
  useSelectionKeys,
  useSelectionNotes,
  useSessionSelection,
} from '../dialogs/client-keys.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { useNow } from '../hooks/use-now.ts';
import { type BrokerClocks, useBrokerClocks, useStore, useWatches } from '../hooks/use-store.ts';
import { tableWidthOf } from '../list/detail.tsx';
import { GroupList, useGroupKeys } from '../list/group-list.tsx';
import { groupsOf, headingOf, isSessionInScope, type ScopedScreenProps, useBreadcrumbs } from '../list/list-scope.ts';
import { sessionKind, useScanList } from '../list/scan-list.ts';
import { useNodeNames, withShortNodes } from '../list/node-names.ts';
import { useFilteredRows } from '../list/use-filtered-rows.ts';
import { type ListColumn, ListView, type Trouble, useList } from '../list/use-list.tsx';
import { type GroupsScope, placeKey } from '../navigation.ts';
import { useClientJumps } from './clients/client-jumps.ts';
import { clientPanel } from './clients/client-panel.tsx';
import { type NumberField, orRaw } from './clients/columns.ts';
import { sessionsTexts } from './texts.ts';
import { spareBelow } from './triage/spare-panels.tsx';

const identity = ({ session }: SessionRow): string => session.clientId;
const asBulkTarget = (session: Session): DisconnectTarget => ({ kind: 'session', session });
// Only the client scan says who is connected.
const connections = [{ kind: 'clientScan' }] as const;
const connectionsEverySeconds = 30;
// The time to a full queue needs its limit.
const limits = [{ kind: 'settings' }] as const;
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

/** The sessions of a scan with what their columns show besides. */
const useSessionTable = (monitor: ScreenProps['monitor'], scan: ScanState<Session>): SessionTable => {
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
  const clients = useStore(monitor.store, (state) => state.clientScan);
  const [join] = useState(createConnectionJoin);
  const nodes = useStore(monitor.store, (state) => state.resources.nodes);
  const refresh = useStore(monitor.store, ({ capabilities }) => refreshOf(capabilities));
  return {
    rows: join(
      sessionRatesOf(monitor).update(scan, refresh),
      clients,
      nodes,
      triageOf(monitor).offline(),
      queueLimits,
      triageOf(monitor).recentTrouble(),
    ),
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
  const { rows: current, columns, columnSet } = useSessionTable(monitor, scan);
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
    onOpenId: open,
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
  const scan = useStore(monitor.store, sessionKind.select);
  const { rows: all, columns, columnSet } = useSessionTable(monitor, scan);
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
      spare={spareBelow(monitor)}
      memberOf={({ clientId, node }, by) => ({
        name: clientId,
        note: by === 'node' ? undefined : node && shortNodeName(node, nodes),
      })}
      acting={{ bulkTargetOf: asBulkTarget, markedCount: marked.size, remark: replace }}
    />
  );
};

/** All sessions, connected or not, scanned in the background (§2.5); as rows or groups. */
export const SessionsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups' ? <SessionGroups {...props} scope={scope} /> : <SessionRows {...props} scope={scope} />;

/** `readMs`: when the sessions were last read. */
export type SessionClocks = BrokerClocks & { readonly readMs?: number | undefined };

type SessionColumn = ListColumn<SessionRow, SessionClocks>;

/** Growth per second with its sign: `+3/s`, `-0.4/s`, `0/s`. */
export const formatGrowth = (perSecond: number | undefined): SafeText => {
  if (perSecond === undefined || perSecond === 0) {
    return formatRate(perSecond);
  }
  return perSecond > 0 ? safe`+${formatRate(perSecond)}` : safe`-${formatRate(-perSecond)}`;
};

/** Marks a counter as of the disconnect: its current value is unknown. */
const markFrozen = (figure: SafeText, { isFrozen }: SessionRow): SafeText =>
  isFrozen === true && figure !== unknownText ? safe`${figure} ?` : figure;

const count = (
  id: string,
  header: SafeText,
  field: NumberField<Session>,
  width: number,
  priority: number,
): SessionColumn => ({
  id,
  header,
  value: ({ session }) => session[field],
  format: (row, { text, width: room }) =>
    markFrozen(
      orRaw(
        formatCountIn(row.session[field], row.isFrozen === true ? room - 2 : room),
        row.session.unparsed[field],
        text,
      ),
      row,
    ),
  align: 'right',
  width,
  priority,
});

const rate = (
  id: string,
  header: SafeText,
  valueOf: (row: SessionRow) => number | undefined,
  width: number,
  priority: number,
  format = formatRate,
): SessionColumn => ({
  id,
  header,
  value: valueOf,
  unit: 'perSecond',
  format: (row) => format(valueOf(row)),
  align: 'right',
  width,
  priority,
  highlightsChanges: false,
});

/** Frozen counters are of the past. */
const warnIf =
  (is: (row: SessionRow) => boolean, role: Role = 'warning') =>
  (row: SessionRow): Role | undefined =>
    row.isFrozen !== true && is(row) ? role : undefined;

const isQueueFull = ({ session: { queueLength }, queueLimit }: SessionRow): boolean =>
  queueLength !== undefined && queueLimit !== undefined && queueLength >= queueLimit;

const formatInflight = (session: Session, text: (raw: string) => SafeText): SafeText => {
  const inflight = orRaw(formatCount(session.inflight), session.unparsed['inflight'], text);
  const maxInflight = orRaw(formatCount(session.maxInflight), session.unparsed['maxInflight'], text);
  return inflight === unknownText && maxInflight === unknownText
    ? unknownText
    : safe`${isInflightFull(session) ? safe`! ` : safe``}${inflight}/${maxInflight}`;
};

const countersOf = ({ isConnected, isFrozen }: SessionRow): SafeText | undefined =>
  isConnected === undefined ? undefined : isFrozen === true ? sessionsTexts.atDisconnect : sessionsTexts.live;

/** Sessions are read every 30 s, and take a moment. */
const oldSeconds = 35;

/** How old counters are that are not live any more. */
const oldCounters = ({ movedMs }: SessionRow, { nowMs, readMs }: SessionClocks): SafeText | undefined => {
  const fromMs = movedMs ?? readMs;
  const seconds = fromMs === undefined || nowMs === undefined ? 0 : (nowMs - fromMs) / 1_000;
  return seconds > oldSeconds ? sessionsTexts.old(seconds) : undefined;
};

/** What puts a session at the top of the list, in words. */
const problemOf = (row: SessionRow): SafeText => {
  const {
    session: { queueLength },
    isFrozen,
    rates,
    lately,
  } = row;
  const loss = lossPerSecond(row);
  if (isFrozen === true || (queueLength === undefined && !isLosing(row))) return unknownText;
  if (isLosing(row)) return sessionsTexts.losing(loss === undefined ? undefined : formatRate(loss));
  if (isQueueFull(row)) return sessionsTexts.queueFull;
  // A new session has no rates before its second reading.
  if (rates.queuePerSecond === undefined && lately === undefined && queueLength !== 0) return loadingText;
  if (!isQueueGrowing(row)) return isWaiting(row) ? sessionsTexts.slow : sessionsTexts.noProblem;
  const seconds = secondsToFull(row);
  return seconds === undefined ? sessionsTexts.growing : sessionsTexts.fullIn(fullWithinSeconds(seconds));
};

/** `undefined` if it is not known whether there is one. */
const problemInWords = (row: SessionRow): string | undefined => {
  const problem = problemOf(row);
  return problem === unknownText || problem === loadingText ? undefined : problem;
};

const troubleRole = (row: SessionRow): Role | undefined => {
  const problem = problemOf(row);
  if (problem === unknownText || problem === loadingText || problem === sessionsTexts.noProblem) return undefined;
  return isLosing(row) ? 'error' : 'warning';
};

const shared: readonly SessionColumn[] = [
  {
    id: 'id',
    header: safe`CLIENT ID`,
    value: ({ session }) => session.clientId,
    format: ({ session }, { ends }) => ends(session.clientId),
    width: { min: 14, max: 60, grow: 2 },
    isSticky: true,
    nameRole: (row) => troubleRole(row),
  },
  {
    id: 'node',
    role: 'dim',
    header: safe`NODE`,
    value: ({ session }) => session.node,
    format: ({ session }, { text }) => formatText(session.node, text),
    width: { min: 8, max: 24 },
    isReadFirst: true,
    priority: 1,
  },
  {
    id: 'connected',
    header: safe`CONN`,
    value: ({ isConnected }) => isConnected,
    type: 'boolean',
    format: ({ isConnected }) => formatYesNo(isConnected),
    width: 6,
    priority: 1.3,
  },
  withRole(
    {
      id: 'problem',
      header: safe`PROBLEM`,
      value: sessionTrouble,
      raw: problemInWords,
      format: problemOf,
      sortsFrom: 'largest',
      largest: safe`worst`,
      width: 14,
      priority: 1.2,
    },
    (row) => troubleRole(row) ?? 'dim',
  ),
  withRole(
    {
      id: 'inflight',
      header: safe`INFLIGHT`,
      value: ({ session }) => session.inflight,
      format: (row, { text }) => markFrozen(formatInflight(row.session, text), row),
      align: 'right',
      width: 10,
      priority: 1,
    },
    warnIf(({ session }) => isInflightFull(session)),
  ),
  withRole(count('queue', safe`QUEUE`, 'queueLength', 8, 1), warnIf(isQueueFull, 'error')),
  // Averaged as in PROBLEM: else they would contradict it.
  rate(
    'growth',
    safe`QUEUE/S`,
    (row) => (isQueueFull(row) ? undefined : row.lately?.growthPerSecond) ?? row.rates.queuePerSecond,
    9,
    2,
    formatGrowth,
  ),
  withRole(
    {
      ...count('dropped', safe`DROPPED`, 'dropped', 9, 1.4),
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
    },
    warnIf(isLosing, 'error'),
  ),
  withRole(
    rate('drop', safe`DROP/S`, (row) => lossPerSecond(row) ?? row.rates.droppedPerSecond, 8, 3),
    warnIf(isLosing, 'error'),
  ),
];

const ends: readonly SessionColumn[] = [count('rel', safe`AWAIT PUBREL`, 'awaitingRel', 13, 6)];

const totals: readonly SessionColumn[] = [
  rate('deliver', safe`DELIVER/S`, ({ rates }) => rates.deliveredPerSecond, 11, 2),
  rate('enqueue', safe`ENQUEUE/S`, ({ rates }) => rates.enqueuedPerSecond, 11, 3.1),
  count('delivered', safe`DELIVERED`, 'delivered', 11, 5),
  count('enqueued', safe`ENQUEUED`, 'enqueued', 10, 5),
  count('subscriptions', safe`SUBS`, 'subscriptions', 6, 3),
];

const awaited: readonly SessionColumn[] = [
  count('ack', safe`AWAIT PUBACK`, 'awaitingAck', 13, 6),
  count('comp', safe`AWAIT PUBCOMP`, 'awaitingComp', 14, 6),
];

const createdSeconds = ({ session: { createdAt, node } }: SessionRow, clocks: BrokerClocks): number | undefined => {
  const now = clocks.clockOf(node);
  return createdAt === undefined || now === undefined ? undefined : now - createdAt;
};

const times: readonly SessionColumn[] = [
  {
    id: 'counters',
    header: safe`COUNTERS`,
    value: (row) => countersOf(row),
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
  {
    id: 'clean',
    header: safe`CLEAN`,
    value: ({ session }) => session.cleanSession,
    type: 'boolean',
    format: ({ session }, { text }) => orRaw(formatYesNo(session.cleanSession), session.unparsed['cleanSession'], text),
    width: 7,
    priority: 4,
  },
  {
    id: 'created',
    header: safe`CREATED`,
    value: ({ session }) => session.createdAt,
    type: 'time',
    age: createdSeconds,
    unit: 'seconds',
    format: (row, { data, text }) =>
      orRaw(formatAge(createdSeconds(row, data)), row.session.unparsed['createdAt'], text),
    align: 'right',
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 11,
    priority: 3.2,
  },
  {
    id: 'since',
    header: safe`CREATED AT`,
    value: ({ session }) => session.createdAt,
    type: 'time',
    format: ({ session }, { text }) => orRaw(formatBrokerTime(session.createdAt), session.unparsed['createdAt'], text),
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 19,
    priority: 7,
  },
];

/** The columns of sessions (§2.5). `hasTotals`: the API counts deliveries; `undefined` gives all columns. */
export const sessionColumns = (hasTotals: boolean | undefined): readonly SessionColumn[] => [
  ...shared,
  ...(hasTotals === false ? [] : totals),
  ...ends,
  ...(hasTotals === true ? [] : awaited),
  ...times,
];
