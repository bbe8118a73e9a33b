import { memoise } from '../domain/memoise.ts';
import { shareEqual } from '../domain/share-equal.ts';
import { isWatched, reading, withReading } from '../monitor/query/part.ts';
import type { MonitorState, ResourceState } from '../monitor/state.ts';
import type { TrafficTracker } from '../resources/clients/traffic.ts';
import { isPollingPaused, isWaitingFor, selectLastReadMs, selectNotChecked } from '../resources/freshness.ts';
import { selectUnreadNodes } from '../resources/nodes/select.ts';
import {
  isShortAbsence,
  type OfflineCounters,
  type RecentTrouble,
  type SessionRateTracker,
} from '../resources/sessions/history.ts';
import { createTriageMemory, outdatedNodes } from './memory.ts';
import { type VitalName, vitalResources } from '../resources/vital.ts';
import { type Acknowledgements, outdatedKeys } from './acknowledgements.ts';
import {
  type Check,
  type CheckInput,
  type CheckReading,
  type CheckResult,
  noneFound,
  pastReadingMs,
  type TriageState,
  verdictOf,
  type Wait,
} from './check.ts';
import { type Begin, type FindingChange, followFindings, type OpenFindings } from './finding-changes.ts';
import { absentReadings, orAbsent } from './absent.ts';
import { groupFindings, jumpOf, sortFindings, withParts } from './grouping.ts';
import { mergeNeeds, type Need, needsContext, type Pace, usualPace } from './needs.ts';
import type { Acknowledgement, Finding } from './problem.ts';
import { historyOf, type Reason, type SharedReason } from './reasons.ts';
import { type PendingCheck, type TriageReport, type TriageView, triageView } from './view.ts';

type KnownInput = Omit<CheckInput, 'unjudged' | 'found' | 'earlier'> & Partial<CheckInput>;

/**
 * Returns what each check finds, without a memory of what it found before.
 * @param keep returns the finding that was the same before, if there is one
 */
function judge(
  checks: readonly Check[],
  known: KnownInput,
  keep: (finding: Finding) => Finding = (finding) => finding,
): readonly CheckResult[] {
  const earlier: Finding[] = [];
  const input = { found: noneFound, ...known, unjudged: selectNotChecked(known.state, known.nowMs), earlier };
  const absent = absentReadings(known.state);
  return checks.map((check): CheckResult => {
    const judgement = orAbsent(check, check.judge(input), known.state, absent);
    const findings = judgement.findings.map((found) => keep({ ...found, check: check.id, jump: jumpOf(check, found) }));
    earlier.push(...findings);
    return {
      ...judgement,
      check: check.id,
      findings,
      jump: typeof check.jump === 'function' ? check.jump(known.state) : check.jump,
      settleMs: check.settleMs,
      isLogged: check.isLogged,
      toldElsewhere: 0,
    };
  });
}

/** Groups findings for display. @param shown the keys of the rows before @param rowsOf by default `groupFindings` */
function reportOf(
  checks: readonly Check[],
  judged: readonly CheckResult[],
  found: readonly Finding[],
  input: Pick<CheckInput, 'state' | 'nowMs'>,
  shown: ReadonlySet<string>,
  rowsOf: typeof groupFindings = groupFindings,
): TriageReport {
  const problems = withParts(found);
  const byCheck = Map.groupBy(problems, ({ check }) => check);
  const results = checks.flatMap((check) => {
    const result = judged.find((each) => each.check === check.id);
    if (result === undefined) return [];
    const toldElsewhere =
      check.partsText === undefined
        ? 0
        : problems.reduce(
            (sum, problem) =>
              sum +
              (problem.check === check.id ? 0 : (problem.parts ?? []).filter((part) => part.check === check.id).length),
            0,
          );
    return [{ ...result, findings: rowsOf(check, byCheck.get(check.id) ?? [], shown), toldElsewhere }];
  });
  return {
    results,
    problems: sortFindings(problems, input.nowMs),
    findings: sortFindings(
      results.flatMap(({ findings }) => findings),
      input.nowMs,
    ),
    isAllClear: results.every((result) => result.isNotOffered === true || verdictOf(result) === 'ok'),
    pending: checks.flatMap((check) => {
      const result = results.find((each) => each.check === check.id);
      return result === undefined ? [] : pendingCheck(check, result, input);
    }),
  };
}

/** Judges a state by itself. */
export function runTheseChecks(checks: readonly Check[], known: KnownInput): TriageReport {
  const judged = judge(checks, known);
  return reportOf(
    checks,
    judged,
    judged.flatMap(({ findings }) => findings),
    known,
    known.found ?? noneFound,
  );
}

const isShared = (reason: Reason): reason is SharedReason =>
  reason.code === 'reading-missing' || reason.code === 'reading-old' || reason.code === 'history-short';

/**
 * Returns what a check waits for, if it lacks only what is being read: on a screen that does not read it, it would stay
 * incomplete.
 */
function pendingCheck(
  check: Check,
  result: CheckResult,
  { state, nowMs }: Pick<CheckInput, 'state' | 'nowMs'>,
): readonly PendingCheck[] {
  const { unchecked, reading, passed, isNotOffered } = result;
  if (isNotOffered === true || verdictOf(result) !== 'unchecked' || isPollingPaused(state)) return [];
  const areRead = (names: readonly VitalName[]): boolean =>
    names.every((name) => isWatched(state, vitalResources[name]));
  const waits = unchecked.map((reason): Wait | undefined => {
    const wait = check.waitFor?.(reason, { state, nowMs, passed, reading, areRead });
    if (wait !== undefined || !isShared(reason)) return wait;
    const isComing =
      reason.code === 'reading-missing'
        ? areRead([reason.resource]) && isWaitingFor(state, reason.resource)
        : reason.code === 'history-short' && areRead(historyOf[reason.of]);
    return isComing ? { wait: 'soon' } : undefined;
  });
  const [first] = waits;
  return first !== undefined && waits.every((wait) => wait !== undefined)
    ? [{ check: check.id, wait: first.wait }]
    : [];
}

export interface Triage {
  /** Takes note of a state that is not judged. */
  follow(state: MonitorState): void;
  /** Returns the same report for the same state and time. */
  update(state: TriageState, nowMs: number): TriageReport;
  /** Returns the state with what the checks say of it: the same state if that is known. */
  derive<S extends TriageState>(state: S, nowMs: number): S;
  /** Counts complete session scans; two are needed for rates. At most 1 if a node restarted since. */
  sessionReadings(): number;
  /** Returns what `update` found to begin and to end since the last call. */
  takeChanges(): readonly FindingChange[];
  /** Takes on problems that an earlier run of the program has seen: found again, they go on since then. */
  takeOn(begins: ReadonlyMap<string, Begin>): void;
  /** Marks a problem by its key, or takes that back. */
  acknowledge(key: string, acknowledgement: Acknowledgement | undefined): void;
  /**
   * Begins with what was acknowledged before, and calls `onChange` with what is acknowledged, taken back or outdated.
   */
  keepAcknowledgements(
    known: Acknowledgements,
    onChange: (key: string, acknowledgement: Acknowledgement | undefined) => void,
  ): void;
}

/** Reports of more problems are not compared with the one before: comparing takes longer, and they hardly ever are equal. */
const maxCompared = 20;

/** A report is not made again so soon where only lists are being read. */
const keepReportMs = 1_000;

const isRunning = (value: unknown): boolean =>
  typeof value === 'object' && value !== null && 'phase' in value && value.phase === 'running';

/** Whether a resource is only being read again: nothing is known that was not. */
const isAskedAgain = (before: unknown, next: unknown): boolean => {
  const [old, now] = [before, next] as readonly (Partial<ResourceState<unknown>> | undefined)[];
  return (
    old !== undefined &&
    now?.isFetching !== undefined &&
    old.data === now.data &&
    old.error === now.error &&
    old.updatedAtMs === now.updatedAtMs &&
    old.unusable === now.unusable
  );
};

/** Whether more than the pages of lists that are being read came since. */
function isMoreThanPages(before: TriageState, next: TriageState): boolean {
  const { readings: old, causedLoad: _, ...oldRest } = before;
  const { readings: parts, causedLoad: __, ...rest } = next;
  return (
    Object.keys({ ...oldRest, ...rest }).some(
      (name) => !Object.is(oldRest[name as keyof typeof oldRest], rest[name as keyof typeof rest]),
    ) ||
    Object.keys({ ...old, ...parts }).some(
      (name) =>
        old[name] !== parts[name] &&
        ![...(parts[name] ?? [])].every(([key, value]) => {
          const known = old[name]?.get(key);
          return value === known || isRunning(value) || isAskedAgain(known, value);
        }),
    )
  );
}

/** A check stays urgent so long. */
const keepUrgentMs = 60_000;

const areSame = (before: readonly unknown[], next: readonly unknown[]): boolean =>
  before.length === next.length && next.every((value, index) => value === before[index]);

/** Makes rows of problems only where there are other problems, or other rows, than at the last call. */
function createGrouping(): typeof groupFindings {
  const made = new Map<
    string,
    { readonly problems: readonly Finding[]; readonly shown: ReadonlySet<string>; readonly rows: readonly Finding[] }
  >();
  return (check, problems, shown) => {
    const before = made.get(check.id);
    if (before !== undefined && before.shown === shown && areSame(before.problems, problems)) return before.rows;
    const grouped = groupFindings(check, problems, shown);
    const shared = shareEqual(before?.rows, grouped);
    const alone = new Set(problems);
    // A row that is one problem is the same object as that problem.
    const rows =
      shared === before?.rows ? shared : grouped.map((row, index) => (alone.has(row) ? row : (shared[index] ?? row)));
    made.set(check.id, { problems, shown, rows });
    return rows;
  };
}

/** Returns the same set while nothing changes, for memoised checks. */
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

export function createTriageOf(
  checks: readonly Check[],
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
  const urgentMs = new Map<string, number>();
  let isOutdated = false;
  let earlier: ReadonlyMap<string, Begin> = new Map();
  let acknowledged: Acknowledgements = new Map();
  let onAcknowledged: Parameters<Triage['keepAcknowledgements']>[1] = () => {};
  let derived: TriageState | undefined;
  let derivedMs = 0;
  let last: { readonly state: MonitorState; readonly nowMs: number; readonly report: TriageReport } | undefined;
  const rowsOf = createGrouping();
  /** The findings of the last report by key. While they are equal, they stay the same objects, and so does what is made of them. */
  let judgedBefore: ReadonlyMap<string, Finding> = new Map();
  /** What is shown of the open problems, by key. */
  let current: ReadonlyMap<string, Finding> = new Map();

  function acknowledge(key: string, acknowledgement: Acknowledgement | undefined): void {
    const next = new Map(acknowledged);
    if (acknowledgement === undefined) next.delete(key);
    else next.set(key, acknowledgement);
    acknowledged = next;
    last = undefined;
    onAcknowledged(key, acknowledgement);
  }

  const sessionReadings = (): number =>
    Math.min(memory.history().sessionReadings.complete, isOutdated ? 1 : Number.POSITIVE_INFINITY);

  function view(report: TriageReport): TriageView {
    const { growing, losing, offline, queueDrops, sessionReadings: read } = memory.history();
    return {
      report: {
        ...report,
        results: report.results.map((result) => ({ ...result, refutes: undefined, readMsOf: undefined })),
      },
      open,
      sessionReadings: sessionReadings(),
      sessionsReadMs: read.completeMs,
      queueDrops,
      offline,
      reconnectedRows: memory.reconnectedRows(),
      recentTrouble: recentOf(growing, losing, offline, read.completeMs ?? 0),
    };
  }

  return {
    follow(state) {
      memory.update(state);
    },
    sessionReadings,
    derive(state, calledMs) {
      const isRecent = state.isFrozen || calledMs - derivedMs < keepReportMs;
      if (derived !== undefined && last !== undefined && isRecent && !isMoreThanPages(derived, state)) {
        memory.update(state);
        derived = state;
        return state;
      }
      const report = this.update(state, calledMs);
      const known = reading(state, triageView);
      const next = report.problems.length > maxCompared ? view(report) : shareEqual(known, view(report));
      derived = next === known ? state : { ...state, ...withReading(state, triageView, next) };
      derivedMs = calledMs;
      return derived as typeof state;
    },
    takeChanges() {
      const taken = changes;
      changes = [];
      return taken;
    },
    acknowledge(key, acknowledgement) {
      acknowledge(key, acknowledgement);
      const finding = open.get(key);
      if (finding !== undefined)
        changes.push({ kind: 'acknowledged', finding: { ...finding, acknowledged: acknowledgement }, isQuiet: true });
    },
    takeOn(begins) {
      earlier = begins;
    },
    keepAcknowledgements(known, onChange) {
      acknowledged = known;
      onAcknowledged = onChange;
    },
    update(state, calledMs) {
      // While paused, the time of the checks stands still, too.
      if (!state.isFrozen) liveMs = calledMs;
      const nowMs = liveMs ?? calledMs;
      if (last?.state === state && last.nowMs === nowMs) return last.report;
      const history = memory.update(state);
      isOutdated = outdatedNodes(state, history).size > 0;
      const judgedNow = new Map<string, Finding>();
      const judged = judge(checks, { state, nowMs, history, found }, (finding) => {
        const same = shareEqual(judgedBefore.get(finding.key), finding);
        judgedNow.set(finding.key, same);
        return same;
      });
      judgedBefore = judgedNow;
      const followed = followFindings(open, judged, nowMs, earlier);
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
      const results = new Map(judged.map((result) => [result.check, result]));
      for (const check of checks)
        if (check.isUrgent?.(results.get(check.id)?.findings ?? [], history) === true) urgentMs.set(check.id, nowMs);
      const seen = new Map(
        checks.map((check) => {
          const result = results.get(check.id);
          return [check.id, result && lastSeenMs(check, result, state, nowMs)];
        }),
      );
      const byId = new Map(checks.map((check) => [check.id, check]));
      const seenMsOf = (finding: Finding): number | undefined => {
        const check = byId.get(finding.check);
        const result = results.get(finding.check);
        const atMs = result?.readMsOf?.(finding);
        return check === undefined || atMs === undefined || result?.reading === undefined
          ? seen.get(finding.check)
          : lastSeenMs(check, { ...result, reading: { ...result.reading, atMs } }, state, nowMs);
      };
      current = new Map(
        [...open.values()]
          .filter(({ status }) => status !== 'ending')
          .map(({ status, lastMs, ...finding }) => {
            const seenMs =
              status === 'unknown' ? Math.min(lastMs, finding.seenMs ?? lastMs) : (seenMsOf(finding) ?? finding.seenMs);
            const shownFinding: Finding = { ...finding, acknowledged: acknowledged.get(finding.key), seenMs };
            return [finding.key, shareEqual(current.get(finding.key), shownFinding)];
          }),
      );
      const report = reportOf(checks, judged, [...current.values()], { state, nowMs }, shown, rowsOf);
      shown = keepEqual(shown, new Set(report.findings.map(({ key }) => key)));
      const dated: TriageReport = {
        ...report,
        urgent: new Set([...urgentMs].flatMap(([id, atMs]) => (nowMs - atMs <= keepUrgentMs ? [id] : []))),
        isAllClear: report.isAllClear && report.results.every((result) => pastReadingMs(result, nowMs) === undefined),
      };
      last = { state, nowMs, report: dated };
      return dated;
    },
  };
}

/** Returns when a finding was last seen. While paused, time stands still: it is as current as it was. */
function lastSeenMs(
  { datedBy = [] }: Check,
  result: CheckResult,
  shown: MonitorState,
  nowMs: number,
): number | undefined {
  const state = { ...shown, isFrozen: false };
  const { reading } = result;
  if (reading !== undefined) return state.isUnauthorized ? reading.atMs : pastReadingMs(result, nowMs);
  const reads = datedBy.map((name) => selectLastReadMs(state, name, nowMs)).filter((atMs) => atMs !== undefined);
  return reads.length === 0 ? undefined : Math.min(...reads);
}

/**
 * What has to be read for all checks that this broker offers, and for what the last report found.
 * @param sessionReadings how often the sessions were read
 * @param maxRows longer lists, and those of unknown length, are left out
 */
export function neededReadsOf(
  checks: readonly Check[],
  state: MonitorState,
  { findings, urgent }: Pick<TriageReport, 'findings' | 'urgent'>,
  sessionReadings: number,
  pace: Pace = usualPace,
  maxRows = Number.POSITIVE_INFINITY,
): readonly Need[] {
  const context = needsContext(state, sessionReadings, pace, maxRows);
  return mergeNeeds(
    checks.flatMap((check) =>
      check.needs({
        ...context,
        findings: findings.filter((finding) => finding.check === check.id),
        isUrgent: urgent?.has(check.id) === true,
      }),
    ),
  );
}

export interface TriageSummary {
  readonly total: number;
  /** The checks that passed. */
  readonly ok: readonly string[];
  readonly unread: readonly CheckReading['noun'][];
  /** Lists that were fine when last read. */
  readonly past: readonly { readonly noun: CheckReading['noun']; readonly atMs: number }[];
  /** Reasons without those of `pending` checks. */
  readonly unchecked: readonly Reason[];
  readonly pending: readonly PendingCheck[];
}

/** @param pending what to list as being checked, and not as unchecked */
export function summarizeTriage(
  { results }: Pick<TriageReport, 'results'>,
  nowMs: number,
  pending: readonly PendingCheck[] = [],
): TriageSummary {
  const ok: string[] = [];
  const unread: CheckReading['noun'][] = [];
  const past: { noun: CheckReading['noun']; atMs: number }[] = [];
  const reasons = new Map<string, Reason>();
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
    else if (result.toldElsewhere === 0) ok.push(check);
  }
  return { total: offered.length, ok, unread, past, unchecked: [...reasons.values()], pending };
}
