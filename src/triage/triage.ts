import type { Client } from '../domain/client.ts';
import { createTriageMemory, outdatedNodes } from './memory.ts';
import { memoise } from '../domain/memoise.ts';
import { clientTrafficOf, type TrafficTracker } from '../monitor/history/client-traffic.ts';
import type { QueueDrops } from '../monitor/history/queue-drops.ts';
import {
  type OfflineCounters,
  type RecentTrouble,
  sessionRatesOf,
  type SessionRateTracker,
} from '../monitor/history/sessions.ts';
import { freshForSeconds } from '../monitor/polling/intervals.ts';
import { alarmWatches } from '../monitor/select/administration.ts';
import { isPollingPaused, isWaitingFor, selectLastReadMs, selectNotChecked } from '../monitor/select/freshness.ts';
import { selectNodes, selectUnreadNodes } from '../monitor/select/nodes.ts';
import { selectTotals } from '../monitor/select/totals.ts';
import type { Monitor, MonitorState, ResourceName, ScanName, Watched } from '../monitor/state.ts';
import { type Acknowledgement, type Acknowledgements, outdatedKeys } from './acknowledgements.ts';
import { baseChecks } from './base-checks.ts';
import {
  type CheckId,
  type CheckInput,
  type CheckReading,
  type CheckResult,
  type Finding,
  noneFound,
  pastReadingMs,
  type TriageState,
  type UncheckedReason,
  verdictOf,
} from './check.ts';
import { type FindingChange, followFindings, type OpenFindings } from './finding-changes.ts';
import { groupFindings, sortFindings, withParts } from './grouping.ts';
import { dropCheck, refusalCheck, slowSubscriptionCheck } from './newer-checks.ts';
import { alarmCheck, pluginCheck, settingCheck, balanceCheck, versionCheck } from './node-checks.ts';
import { isShortAbsence, slowCheck } from './slow-check.ts';
import { fanOutCheck, reconnectCheck, suddenCheck, unroutedCheck } from './traffic-checks.ts';

export interface TriageReport {
  /** With the rows of each check. */
  readonly results: readonly CheckResult[];
  /** Each problem by itself, in the order of the rows: what counts, alerts and scripts read. */
  readonly problems: readonly Finding[];
  /** The rows that show them: critical ones first, changes of more than a minute ago last of their severity, otherwise in the order of the checks; acknowledged ones last. */
  readonly findings: readonly Finding[];
  /** All checks were complete and found nothing. */
  readonly isAllClear: boolean;
  /** Checks that will be complete without a key; none unless given. */
  readonly pending?: readonly PendingCheck[];
  /** There is a slow session, or one that may be, or was a minute ago: its figures change, and show what an action led to. */
  readonly hasSlowSessions?: boolean;
}

export interface PendingCheck {
  readonly check: CheckId;
  /** Until it can be made: a number, `soon`, or `undefined` while it depends on the length of a list. */
  readonly wait: number | 'soon' | undefined;
}

type KnownInput = Omit<CheckInput, 'unjudged' | 'found'> & Partial<CheckInput>;

/** What each check finds, without a memory of what it found before. */
function judge(known: KnownInput): readonly CheckResult[] {
  const input = { found: noneFound, ...known, unjudged: selectNotChecked(known.state, known.nowMs) };
  return withConsequences([
    ...baseChecks(input),
    suddenCheck(input),
    reconnectCheck(input),
    slowCheck(input),
    alarmCheck(input),
    dropCheck(input),
    refusalCheck(input),
    slowSubscriptionCheck(input),
    unroutedCheck(input),
    fanOutCheck(input),
    balanceCheck(input),
    versionCheck(input),
    pluginCheck(input),
    settingCheck(input),
  ]);
}

/** Alarms of clients that are findings of their own, by the parts of their ids (`session_queue_full/CLIENT on NODE`, `conn_congestion/CLIENT/USER`), are a part of these. */
function withConsequences(results: readonly CheckResult[]): readonly CheckResult[] {
  const slowKeys = new Map(
    results.flatMap(({ check, findings }) =>
      check === 'slow'
        ? findings.flatMap(({ key, target }) => (target.kind === 'session' ? [[target.clientId, key] as const] : []))
        : [],
    ),
  );
  if (slowKeys.size === 0) return results;
  const causeOf = (finding: Finding): string | undefined => {
    if (finding.code === 'queue-alarm') return slowKeys.get(finding.evidence.clientId);
    const clientId =
      finding.code === 'alarm' ? finding.evidence.id.split(/[/@ ]/u).find((part) => slowKeys.has(part)) : undefined;
    return clientId === undefined ? undefined : slowKeys.get(clientId);
  };
  return results.map((result) =>
    result.check === 'alarms'
      ? {
          ...result,
          findings: result.findings.map((finding) => ({ ...finding, partOf: causeOf(finding) ?? finding.partOf })),
        }
      : result,
  );
}

/** Groups findings for display. @param shown the keys of the rows before */
function reportOf(
  judged: readonly CheckResult[],
  found: readonly Finding[],
  input: Pick<CheckInput, 'state' | 'nowMs'>,
  shown: ReadonlySet<string>,
): TriageReport {
  const problems = withParts(found);
  const leftOut = problems.reduce(
    (sum, { check, parts = [] }) =>
      sum + (check === 'slow' ? parts.filter((part) => part.check === 'alarms').length : 0),
    0,
  );
  const byCheck = Map.groupBy(problems, ({ check }) => check);
  const results = judged.map((result): CheckResult => ({
    ...result,
    findings: groupFindings(result.check, byCheck.get(result.check) ?? [], shown),
    ...(result.check === 'alarms' && result.passed !== undefined && { passed: { check: 'alarms', leftOut } }),
  }));
  return {
    results,
    problems: sortFindings(problems, input.nowMs),
    findings: sortFindings(
      results.flatMap(({ findings }) => findings),
      input.nowMs,
    ),
    isAllClear: results.every((result) => result.isNotOffered === true || verdictOf(result) === 'ok'),
    pending: results.flatMap((result) => pendingCheck(result, input)),
  };
}

/** Judges a state by itself. */
export function runChecks(known: KnownInput): TriageReport {
  const judged = judge(known);
  return reportOf(
    judged,
    judged.flatMap(({ findings }) => findings),
    known,
    known.found ?? noneFound,
  );
}

const historyOf = {
  totals: ['nodeStats', 'stats', 'metrics'],
  metrics: ['metrics'],
  'client counts': ['metrics', 'stats'],
} as const satisfies Record<string, readonly ResourceName[]>;

/** Whether a check lacks only what is being read: on a screen that does not read it, it would stay incomplete. */
function pendingCheck(
  result: CheckResult,
  { state, nowMs }: Pick<CheckInput, 'state' | 'nowMs'>,
): readonly PendingCheck[] {
  const { check, unchecked, reading, passed, isNotOffered } = result;
  if (isNotOffered === true || verdictOf(result) !== 'unchecked' || isPollingPaused(state)) return [];
  const isRead = (name: ResourceName): boolean =>
    state.watched?.some((watched) => watched.kind === 'resource' && watched.name === name) === true;
  const waits = unchecked.map((reason): { readonly wait: PendingCheck['wait'] } | undefined => {
    switch (reason.code) {
      case 'reading-missing':
        return isRead(reason.resource) && isWaitingFor(state, reason.resource) ? { wait: 'soon' } : undefined;
      case 'history-short': {
        if (!historyOf[reason.of].every(isRead)) return undefined;
        return {
          wait: passed?.check === 'sudden' ? Math.max(1, Math.ceil(reason.minSeconds - passed.seconds)) : 'soon',
        };
      }
      case 'clients-arriving':
        return historyOf['client counts'].every(isRead) ? { wait: undefined } : undefined;
      case 'sessions-uncompared': {
        const { phase, error, nextScanAtMs } = state.sessionScan;
        if (reading?.isWatched !== true || phase === 'aborted' || error !== undefined) return undefined;
        return {
          wait: nextScanAtMs === undefined ? undefined : Math.max(1, Math.ceil((nextScanAtMs - nowMs) / 1_000)),
        };
      }
      case 'counters-unrefreshed':
        return reading?.isWatched === true
          ? {
              wait: Math.max(
                1,
                Math.ceil(reason.stepSeconds - reason.seconds - (nowMs - (reading.atMs ?? nowMs)) / 1_000),
              ),
            }
          : undefined;
      default:
        return undefined;
    }
  });
  const [first] = waits;
  return first !== undefined && waits.every((wait) => wait !== undefined) ? [{ check, wait: first.wait }] : [];
}

export interface Triage {
  follow(state: MonitorState): void;
  /** Returns the same report for the same state and time. */
  update(state: TriageState, nowMs: number): TriageReport;
  /** What `update` found to begin and to end since the last call. */
  takeChanges(): readonly FindingChange[];
  /** Problems that began and have not ended, as last found, by key. */
  openFindings(): ReadonlyMap<string, Finding>;
  /** Marks a problem by its key, or takes that back. */
  acknowledge(key: string, acknowledgement: Acknowledgement | undefined): void;
  /** Begins with what was acknowledged before, and tells `onChange` what is acknowledged, taken back or outdated. */
  keepAcknowledgements(
    known: Acknowledgements,
    onChange: (key: string, acknowledgement: Acknowledgement | undefined) => void,
  ): void;
  /** Complete session scans; two are needed for rates. Max 1 if a node restarted since. */
  sessionReadings(): number;
  /** What full queues lose, with how old that is. */
  queueDrops(state: MonitorState, nowMs: number): QueueDropsView;
  /** The same map until a list is read. */
  offline(): ReadonlyMap<string, OfflineCounters>;
  /** The last rows of clients that reconnected, by id: during a storm many of them are away. */
  reconnectedRows(): ReadonlyMap<string, Client>;
  /** Sessions that lately lost messages or grew, by client; the same map until they are read. */
  recentTrouble(): ReadonlyMap<string, RecentTrouble>;
}

export interface QueueDropsView {
  /** Oldest first. */
  readonly readings: readonly QueueDrops[];
  /** The last one, unless it is too old. */
  readonly current: QueueDrops | undefined;
  /** None yet, but there will be. */
  readonly isLoading: boolean;
  readonly silentSeconds: number;
}

const keepOftenMs = 60_000;

/** The same set while nothing changes, for memoised checks. */
const keepEqual = (before: ReadonlySet<string>, next: ReadonlySet<string>): ReadonlySet<string> =>
  next.size === before.size && [...next].every((key) => before.has(key)) ? before : next;

const recentOf = memoise(
  (
    growing: ReadonlyMap<string, number>,
    losing: ReadonlyMap<string, number>,
    offline: ReadonlyMap<string, OfflineCounters>,
    readMs: number,
  ): ReadonlyMap<string, RecentTrouble> => {
    const growthOf = (id: string): number | undefined =>
      isShortAbsence(offline.get(id), readMs) ? undefined : growing.get(id);
    return new Map(
      [...growing.keys(), ...losing.keys()].map((id) => [
        id,
        { growthPerSecond: growthOf(id), lossPerSecond: losing.get(id) },
      ]),
    );
  },
);

export function createTriage(
  rates?: SessionRateTracker,
  minBaselineSeconds?: number,
  traffic?: TrafficTracker,
): Triage {
  const memory = createTriageMemory(rates, minBaselineSeconds, traffic);
  let open: OpenFindings['open'] = new Map();
  let changes: FindingChange[] = [];
  let found = noneFound;
  let shown = noneFound;
  let liveMs: number | undefined;
  let slowMs = Number.NEGATIVE_INFINITY;
  let isOutdated = false;
  let acknowledged: Acknowledgements = new Map();
  let onAcknowledged: Parameters<Triage['keepAcknowledgements']>[1] = () => {};
  let last: { readonly state: MonitorState; readonly nowMs: number; readonly report: TriageReport } | undefined;

  function acknowledge(key: string, acknowledgement: Acknowledgement | undefined): void {
    const next = new Map(acknowledged);
    if (acknowledgement === undefined) next.delete(key);
    else next.set(key, acknowledgement);
    acknowledged = next;
    last = undefined;
    onAcknowledged(key, acknowledgement);
  }

  return {
    follow(state) {
      memory.update(state);
    },
    takeChanges() {
      const taken = changes;
      changes = [];
      return taken;
    },
    openFindings: () => open,
    acknowledge(key, acknowledgement) {
      acknowledge(key, acknowledgement);
      const finding = open.get(key);
      if (finding !== undefined)
        changes.push({ kind: 'acknowledged', finding: { ...finding, acknowledged: acknowledgement }, isQuiet: true });
    },
    keepAcknowledgements(known, onChange) {
      acknowledged = known;
      onAcknowledged = onChange;
    },
    sessionReadings: () =>
      Math.min(memory.history().sessionReadings.complete, isOutdated ? 1 : Number.POSITIVE_INFINITY),
    offline: () => memory.history().offline,
    reconnectedRows: memory.reconnectedRows,
    recentTrouble() {
      const {
        growing,
        losing,
        offline,
        sessionReadings: { completeMs = 0 },
      } = memory.history();
      return recentOf(growing, losing, offline, completeMs);
    },
    queueDrops(state, nowMs) {
      const {
        queueDrops: readings,
        sessionReadings: { completeMs },
      } = memory.history();
      const ageSeconds = completeMs === undefined ? 0 : Math.max(0, nowMs - completeMs) / 1_000;
      const silentSeconds = ageSeconds > freshForSeconds(queueDropSeconds(state)) ? ageSeconds : 0;
      const isRead = state.watched?.some(({ kind }) => kind === 'sessionScan') === true && !isPollingPaused(state);
      return {
        readings,
        current: silentSeconds > 0 ? undefined : readings.at(-1),
        isLoading: readings.length === 0 && isRead && state.sessionScan.error === undefined,
        silentSeconds,
      };
    },
    update(state, calledMs) {
      // While paused, the time of the checks stands still, too.
      if (!state.isFrozen) liveMs = calledMs;
      const nowMs = liveMs ?? calledMs;
      if (last?.state === state && last.nowMs === nowMs) return last.report;
      const history = memory.update(state);
      isOutdated = outdatedNodes(state, history).size > 0;
      const judged = judge({ state, nowMs, history, found });
      const followed = followFindings(open, judged, nowMs);
      ({ open } = followed);
      found = keepEqual(found, new Set(open.keys()));
      // Of a node that does not run, no check knows that it finds nothing.
      const areAllRead = selectUnreadNodes(state, nowMs).length === 0;
      for (const key of outdatedKeys(acknowledged, areAllRead ? judged : [], followed.changes, open))
        acknowledge(key, undefined);
      changes.push(
        ...followed.changes.map((change) => ({
          ...change,
          finding: { ...change.finding, acknowledged: acknowledged.get(change.finding.key) },
        })),
      );
      if (
        history.hasQueues ||
        judged.some(({ check, findings }) => check === 'slow' && findings.some(({ code }) => code !== 'messages-lost'))
      )
        slowMs = nowMs;
      const byCheck = new Map(judged.map((result) => [result.check, result]));
      const seen = new Map(judged.map((result) => [result.check, lastSeenMs(result, state, nowMs)]));
      const seenMsOf = (finding: Finding): number | undefined => {
        const result = byCheck.get(finding.check);
        const atMs = result?.readMsOf?.(finding);
        return atMs === undefined || result?.reading === undefined
          ? seen.get(finding.check)
          : lastSeenMs({ ...result, reading: { ...result.reading, atMs } }, state, nowMs);
      };
      const current = [...open.values()]
        .filter(({ status }) => status !== 'ending')
        .map(({ status, lastMs, ...finding }): Finding => ({
          ...finding,
          acknowledged: acknowledged.get(finding.key),
          seenMs:
            status === 'unknown' ? Math.min(lastMs, finding.seenMs ?? lastMs) : (seenMsOf(finding) ?? finding.seenMs),
        }));
      const report = reportOf(judged, current, { state, nowMs }, shown);
      shown = keepEqual(shown, new Set(report.findings.map(({ key }) => key)));
      const dated: TriageReport = {
        ...report,
        hasSlowSessions: nowMs - slowMs <= keepOftenMs,
        isAllClear: report.isAllClear && report.results.every((result) => pastReadingMs(result, nowMs) === undefined),
      };
      last = { state, nowMs, report: dated };
      return dated;
    },
  };
}

const resourcesOf: Readonly<Partial<Record<CheckId, readonly ResourceName[]>>> = {
  nodes: ['nodeStats'],
  limits: ['nodeStats'],
  listeners: ['listeners'],
  reconnects: ['metrics', 'stats'],
  drops: ['metrics'],
  refusals: ['metrics'],
  unrouted: ['metrics'],
  fanOut: ['metrics'],
  balance: ['nodeStats'],
  versions: ['nodes'],
};

/** While paused, time stands still: a finding is as current as it was. */
function lastSeenMs(result: CheckResult, shown: MonitorState, nowMs: number): number | undefined {
  const state = { ...shown, isFrozen: false };
  const { check, reading } = result;
  if (reading !== undefined) return state.isUnauthorized ? reading.atMs : pastReadingMs(result, nowMs);
  const reads = (resourcesOf[check] ?? [])
    .map((name) => selectLastReadMs(state, name, nowMs))
    .filter((atMs) => atMs !== undefined);
  return reads.length === 0 ? undefined : Math.min(...reads);
}

const triages = new WeakMap<Monitor, Triage>();

export function triageOf(monitor: Monitor): Triage {
  const known = triages.get(monitor);
  if (known !== undefined) return known;
  const triage = createTriage(sessionRatesOf(monitor), undefined, clientTrafficOf(monitor));
  triages.set(monitor, triage);
  monitor.store.subscribe((state) => {
    triage.follow(state);
  });
  return triage;
}

export interface TriageWatch {
  readonly watched: Watched;
  readonly everySeconds: number | undefined;
}

export interface TriagePace {
  /** Until there are `firstReadings`. */
  readonly first: number;
  readonly lists: number;
  /** Of sessions, if the list is short: who becomes slow is named soon. */
  readonly sessions: number;
  /** Of sessions and clients while there are slow consumers, if the lists are short. */
  readonly slow: number;
  /** Of clients, during a reconnect storm, if the list is short or nobody is named yet. */
  readonly storm: number;
  readonly administration: number;
}

/** A queue that grows slowly, or only begins to, shows in later ones than the second. */
export const firstReadings = 4;

/** Rows that are read often. */
const maxOftenRows = 2_000;

/** Between two readings of the sessions at most. */
export const queueDropSeconds = ({ intervalSeconds }: Pick<MonitorState, 'intervalSeconds'>): number =>
  Math.max(usualPace.lists, intervalSeconds);

const usualPace: TriagePace = {
  first: 5,
  lists: 30,
  sessions: 15,
  slow: 5,
  // Clients that reconnect every 5 or 10 s would be away in each reading of a list that is read every 5 s.
  storm: 3,
  administration: 60,
};

/** What present findings need to name their cause. */
export interface TriageNeeds {
  readonly isFanOut: boolean;
  readonly isStorm: boolean;
  /** A reconnect storm of clients that are not known yet. */
  readonly isStormUnnamed: boolean;
  readonly isSlow: boolean;
  /** Messages rose, and it is not known who publishes them. */
  readonly isRise?: boolean;
}

export const needsOf = ({
  findings,
  hasSlowSessions = false,
}: Pick<TriageReport, 'findings' | 'hasSlowSessions'>): TriageNeeds => ({
  isSlow: hasSlowSessions,
  isFanOut: findings.some(({ check }) => check === 'fanOut'),
  isRise: findings.some(
    (finding) =>
      finding.code === 'sudden-change' &&
      finding.evidence.direction === 'rise' &&
      finding.evidence.talker === undefined &&
      finding.evidence.changes.some(({ subject }) => subject === 'messages.received'),
  ),
  isStorm: findings.some(({ code }) => code === 'reconnect-storm' || code === 'clients-reconnecting'),
  isStormUnnamed: findings.some(
    (finding) =>
      finding.code === 'reconnect-storm' &&
      finding.evidence.clientIds.length === 0 &&
      finding.evidence.isAttempts !== true,
  ),
});

/** Longer lists are read by Triage, but not in the background of the Overview. */
export const maxBackgroundRows = 20_000;

type CountedList = 'clients' | 'sessions' | 'subscriptions';

/** A list that is read already may grow so much longer, so that reading does not start and stop while its length changes. */
const readMargin = 1.1;

const scanOf = {
  clients: 'clientScan',
  sessions: 'sessionScan',
  subscriptions: 'subscriptionScan',
} as const satisfies Record<CountedList, ScanName>;

const rowLimit = ({ watched }: MonitorState, list: CountedList, maxRows: number): number =>
  watched?.some(({ kind }) => kind === scanOf[list]) === true ? maxRows * readMargin : maxRows;

/** The length of a list that is longer than `maxRows`; `undefined` if it is not, or not known yet. */
export function selectTooMany(state: MonitorState, list: CountedList, maxRows: number): number | undefined {
  const { value } = selectTotals(state)[list];
  return value !== undefined && value > rowLimit(state, list, maxRows) ? value : undefined;
}

/**
 * What to watch for all checks that this broker offers. Subscriptions only during a fan-out, to find a suspect; clients
 * more often during a reconnect storm, to find who reconnects; short lists of sessions more often while some are slow.
 * `maxRows`: longer lists, and those of unknown length, are left out.
 */
export function triageWatches(
  state: MonitorState,
  sessionReadings: number,
  { isFanOut, isStorm, isStormUnnamed, isSlow, isRise }: TriageNeeds,
  pace: TriagePace = usualPace,
  maxRows = Number.POSITIVE_INFINITY,
): readonly TriageWatch[] {
  const totals = selectTotals(state);
  const isShort = (list: CountedList): boolean =>
    (totals[list].value ?? Number.POSITIVE_INFINITY) <= rowLimit(state, list, maxRows);
  const isOften = (list: 'sessions' | 'clients'): boolean =>
    (totals[list].value ?? Number.POSITIVE_INFINITY) <= maxOftenRows;
  const listPace = (list: 'sessions' | 'clients'): number => {
    // Clients that reconnect together are all away in some readings.
    if (list === 'clients' && (isStormUnnamed || (isStorm && isOften(list)))) return pace.storm;
    if (sessionReadings < firstReadings) return pace.first;
    return (isSlow || (list === 'clients' && isRise === true && state.capabilities?.clientTraffic === true)) &&
      isOften(list)
      ? pace.slow
      : list === 'sessions' && isOften(list)
        ? Math.min(pace.sessions, pace.lists)
        : pace.lists;
  };
  const running = selectNodes(state).filter(({ status }) => status === 'running');
  return [
    ...(['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const).map((name): TriageWatch => ({
      watched: { kind: 'resource', name },
      everySeconds: undefined,
    })),
    ...(isShort('sessions') ? [{ watched: { kind: 'sessionScan' }, everySeconds: listPace('sessions') } as const] : []),
    ...(isShort('clients') ? [{ watched: { kind: 'clientScan' }, everySeconds: listPace('clients') } as const] : []),
    ...alarmWatches(state).map((watched): TriageWatch => ({ watched, everySeconds: pace.lists })),
    ...(state.capabilities?.slowSubscriptions === true
      ? [{ watched: { kind: 'slowSubscriptions' }, everySeconds: pace.lists } as const]
      : []),
    ...(isFanOut && isShort('subscriptions')
      ? [{ watched: { kind: 'subscriptionScan' }, everySeconds: pace.lists } as const]
      : []),
    ...(state.capabilities?.settings === true
      ? [{ watched: { kind: 'settings' }, everySeconds: pace.administration } as const]
      : []),
    ...running.map(({ name }): TriageWatch => ({
      watched: { kind: 'nodePlugins', node: name },
      everySeconds: pace.administration,
    })),
  ];
}

export interface TriageSummary {
  readonly total: number;
  readonly ok: readonly CheckId[];
  readonly unread: readonly CheckReading['noun'][];
  /** Lists that were fine when last read. */
  readonly past: readonly { readonly noun: CheckReading['noun']; readonly atMs: number }[];
  /** Without those of `pending` checks. */
  readonly unchecked: readonly UncheckedReason[];
  readonly pending: readonly PendingCheck[];
}

/** @param pending what to list as being checked, and not as unchecked */
export function summarizeTriage(
  { results }: Pick<TriageReport, 'results'>,
  nowMs: number,
  pending: readonly PendingCheck[] = [],
): TriageSummary {
  const ok: CheckId[] = [];
  const unread: CheckReading['noun'][] = [];
  const past: { noun: CheckReading['noun']; atMs: number }[] = [];
  const reasons = new Map<string, UncheckedReason>();
  const offered = results.filter(({ isNotOffered }) => isNotOffered !== true);
  for (const result of offered) {
    if (pending.some(({ check }) => check === result.check)) continue;
    const { check, reading } = result;
    const verdict = verdictOf(result);
    const pastMs = pastReadingMs(result, nowMs);
    if (reading !== undefined && reading.atMs === undefined && !reading.isWatched && verdict === 'unchecked')
      unread.push(reading.noun);
    else if (verdict !== 'ok') for (const reason of result.unchecked) reasons.set(JSON.stringify(reason), reason);
    else if (reading !== undefined && pastMs !== undefined) past.push({ noun: reading.noun, atMs: pastMs });
    else if (result.passed?.check !== 'alarms' || result.passed.leftOut === 0) ok.push(check);
  }
  return { total: offered.length, ok, unread, past, unchecked: [...reasons.values()], pending };
}
