import type { OfflineCounters } from '../monitor/history/offline-counters.ts';
import { sessionRatesOf, type SessionRateTracker } from '../monitor/history/session-rates.ts';
import { alarmWatches } from '../monitor/polling/alarms.ts';
import { isPollingPaused, selectLastReadMs, selectUnjudged } from '../monitor/select/freshness.ts';
import { selectNodes } from '../monitor/select/nodes.ts';
import type { Monitor, MonitorState, ResourceName, Watched } from '../monitor/state.ts';
import { baseChecks } from './base-checks.ts';
import { type CheckId, type CheckInput, type CheckResult, type Finding, pastReadingMs, verdictOf } from './check.ts';
import { createTriageMemory, outdatedNodes } from './memory.ts';
import { alarmCheck, pluginCheck, settingCheck, spreadCheck, versionCheck } from './node-checks.ts';
import { slowCheck } from './slow-check.ts';
import { suddenCheck } from './sudden-check.ts';
import { droppedCheck, fanOutCheck, reconnectCheck } from './traffic-checks.ts';

/** The results of all checks at one moment. */
export interface TriageReport {
  /** In the order in which they are shown. */
  readonly results: readonly CheckResult[];
  /** The worst first: errors before warnings, and among equals in the order of the checks. */
  readonly findings: readonly Finding[];
  /** Every check that applies to this broker was complete and found nothing. */
  readonly isAllClear: boolean;
}

/** Every check, in order. Pure. */
export function runChecks(given: Omit<CheckInput, 'unjudged'>): TriageReport {
  const input = { ...given, unjudged: selectUnjudged(given.state, given.nowMs) };
  const results = [
    ...baseChecks(input), suddenCheck(input), reconnectCheck(input), slowCheck(input), alarmCheck(input), droppedCheck(input), fanOutCheck(input),
    spreadCheck(input), versionCheck(input), pluginCheck(input), settingCheck(input),
  ];
  const all = results.flatMap(({ findings }) => findings);
  return {
    results,
    findings: [...all.filter(({ severity }) => severity === 'error'), ...all.filter(({ severity }) => severity === 'warning')],
    isAllClear: results.every((result) => result.isNotOffered === true || verdictOf(result) === 'fine'),
  };
}

/** Follows one monitor: keeps the history that checks need, and since when each finding exists. */
export interface Triage {
  /** Takes a state in without running the checks. */
  follow(state: MonitorState): void;
  /** Takes a state in and runs the checks. */
  update(state: MonitorState, nowMs: number): TriageReport;
  /** Complete readings of the sessions; two can be compared. At most 1 if a node restarted since. */
  sessionReadings(): number;
  /** Sessions whose clients are offline, by client id; the same map while no list was read. */
  offline(): ReadonlyMap<string, OfflineCounters>;
}

/** @param minBaselineSeconds as for `createTriageMemory` */
export function createTriage(rates?: SessionRateTracker, minBaselineSeconds?: number): Triage {
  const memory = createTriageMemory(rates, minBaselineSeconds);
  let foundMs = new Map<string, number>();
  let triedMs: number | undefined;
  let isOutdated = false;
  const checkOf = new Map<string, CheckId>();

  /** Keeps when each finding was first found, also while its check cannot be judged. */
  function noteFound({ results, findings }: TriageReport, nowMs: number): void {
    const next = new Map<string, number>();
    for (const finding of findings) next.set(finding.key, Math.min(finding.foundMs ?? nowMs, foundMs.get(finding.key) ?? nowMs));
    const unjudged = new Set(results.filter((result) => verdictOf(result) === 'unjudged' && result.isPartlyJudged !== true).map(({ check }) => check));
    for (const [key, atMs] of foundMs) if (!next.has(key) && unjudged.has(checkOf.get(key) ?? 'readings')) next.set(key, atMs);
    for (const { key, check } of findings) checkOf.set(key, check);
    for (const key of checkOf.keys()) if (!next.has(key)) checkOf.delete(key);
    foundMs = next;
  }

  return {
    follow(state) { memory.update(state); },
    sessionReadings: () => Math.min(memory.history().sessionReadings.complete, isOutdated ? 1 : Number.POSITIVE_INFINITY),
    offline: () => memory.history().offline,
    update(state, nowMs) {
      const history = memory.update(state);
      isOutdated = outdatedNodes(state, history).size > 0;
      const report = runChecks({ state, nowMs, history });
      noteFound(report, nowMs);
      if (!state.isFrozen) triedMs = nowMs;
      // A failing reading is current as long as it is retried.
      const seen = new Map(report.results.map((result) => [result.check, result.check === 'readings' && state.isFrozen ? triedMs : lastSeenMs(result, state, nowMs)]));
      const dated = (finding: Finding): Finding => ({ ...finding, foundMs: foundMs.get(finding.key), seenMs: seen.get(finding.check) ?? finding.seenMs });
      return {
        ...report,
        isAllClear: report.isAllClear && report.results.every((result) => pastReadingMs(result, nowMs) === undefined),
        results: report.results.map((result) => (result.findings.length === 0 ? result : { ...result, findings: result.findings.map(dated) })),
        findings: report.findings.map(dated),
      };
    },
  };
}

/** Always polled resources that a check needs. */
const restsOn: Readonly<Partial<Record<CheckId, readonly ResourceName[]>>> = {
  nodes: ['nodeStats'], limits: ['nodeStats'], listeners: ['listeners'], reconnects: ['metrics', 'stats'],
  dropped: ['metrics'], fanOut: ['metrics'], spread: ['nodeStats'], versions: ['nodes'],
};

/** When a check's findings were last seen, if its data is not current: the oldest of its resources. */
function lastSeenMs(result: CheckResult, state: MonitorState, nowMs: number): number | undefined {
  const { check, reading } = result;
  if (reading !== undefined) return isPollingPaused(state) ? reading.atMs : pastReadingMs(result, nowMs);
  const reads = (restsOn[check] ?? []).map((name) => selectLastReadMs(state, name, nowMs)).filter((atMs) => atMs !== undefined);
  return reads.length === 0 ? undefined : Math.min(...reads);
}

const triages = new WeakMap<Monitor, Triage>();

/** The `Triage` of a monitor, shared by all screens; follows the monitor from the first call on. */
export function triageOf(monitor: Monitor): Triage {
  const known = triages.get(monitor);
  if (known !== undefined) return known;
  const triage = createTriage(sessionRatesOf(monitor));
  triages.set(monitor, triage);
  monitor.store.subscribe((state) => { triage.follow(state); });
  return triage;
}

export interface TriageWatch {
  readonly watched: Watched;
  readonly everySeconds: number | undefined;
}

/** Intervals of Triage's readings, in seconds. */
export interface TriagePace {
  /** Until sessions can be compared. */
  readonly first: number;
  readonly lists: number;
  readonly administration: number;
}

const usualPace: TriagePace = { first: 5, lists: 30, administration: 60 };

/** What to watch for all checks, as far as this broker has it. Subscriptions only during a fan-out, to name a suspect. */
export function triageWatches(state: MonitorState, sessionReadings: number, isFanOut: boolean, pace: TriagePace = usualPace): readonly TriageWatch[] {
  const running = selectNodes(state).filter(({ status }) => status === 'running');
  return [
    ...(['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const).map((name): TriageWatch => ({ watched: { kind: 'resource', name }, everySeconds: undefined })),
    { watched: { kind: 'sessionScan' }, everySeconds: sessionReadings < 2 ? pace.first : pace.lists },
    { watched: { kind: 'clientScan' }, everySeconds: pace.lists },
    ...alarmWatches(state).map((watched): TriageWatch => ({ watched, everySeconds: pace.lists })),
    ...(isFanOut ? [{ watched: { kind: 'subscriptionScan' }, everySeconds: pace.lists } as const] : []),
    ...(state.capabilities?.settings === true ? [{ watched: { kind: 'settings' }, everySeconds: pace.administration } as const] : []),
    ...running.map(({ name }): TriageWatch => ({ watched: { kind: 'nodePlugins', node: name }, everySeconds: pace.administration })),
  ];
}
