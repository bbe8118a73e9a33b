import type { OfflineCounters } from '../monitor/history/offline-counters.ts';
import { sessionRatesOf, type SessionRateTracker } from '../monitor/history/session-rates.ts';
import { alarmWatches } from '../monitor/polling/alarms.ts';
import { isAtRest, selectLastReadMs, selectUnjudged } from '../monitor/select/freshness.ts';
import { selectNodes } from '../monitor/select/nodes.ts';
import type { Monitor, MonitorState, ResourceName, Watched } from '../monitor/state.ts';
import { alarmCheck, pluginCheck, settingCheck, spreadCheck, versionCheck } from './node-checks.ts';
import { baseChecks } from './base-checks.ts';
import { type CheckId, type CheckInput, type CheckResult, type Finding, pastReadingMs, verdictOf } from './check.ts';
import { createTriageMemory, outdatedNodes } from './memory.ts';
import { slowCheck } from './slow-check.ts';
import { suddenCheck } from './sudden-check.ts';
import { droppedCheck, fanOutCheck, reconnectCheck } from './traffic-checks.ts';

/** What all checks say at one moment. */
export interface TriageReport {
  /** In the order in which they are shown. */
  readonly results: readonly CheckResult[];
  /** The worst first: errors before warnings, and among equals in the order of the checks. */
  readonly findings: readonly Finding[];
  /** Every check that this broker offers anything for was judged, wholly, and found nothing: only then all is well. */
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

/** Follows one monitor: keeps what the checks compare with, and since when each finding is there. The one place that knows it. */
export interface Triage {
  /** Takes a state in, so that nothing is missed while no screen shows findings. */
  follow(state: MonitorState): void;
  /** Takes a state in and judges it. */
  update(state: MonitorState, nowMs: number): TriageReport;
  /** Readings of the sessions so far that reached the end: two can be compared. Not more than one while a node has begun anew since. */
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

  /** Since when each is there at least: as the check says, or as it was first found; one whose check cannot be judged now is not forgotten. */
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
      // That a reading fails is seen as long as it is tried.
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

/** What is polled always and a check rests on. */
const restsOn: Readonly<Partial<Record<CheckId, readonly ResourceName[]>>> = {
  nodes: ['nodeStats'], limits: ['nodeStats'], listeners: ['listeners'], reconnects: ['metrics', 'stats'],
  dropped: ['metrics'], fanOut: ['metrics'], spread: ['nodeStats'], versions: ['nodes'],
};

/** When what a check found was last seen, where that is past: the oldest of what it rests on. */
function lastSeenMs(result: CheckResult, state: MonitorState, nowMs: number): number | undefined {
  const { check, reading } = result;
  if (reading !== undefined) return isAtRest(state) ? reading.atMs : pastReadingMs(result, nowMs);
  const reads = (restsOn[check] ?? []).map((name) => selectLastReadMs(state, name, nowMs)).filter((atMs) => atMs !== undefined);
  return reads.length === 0 ? undefined : Math.min(...reads);
}

const triages = new WeakMap<Monitor, Triage>();

/** The one of a monitor, so that what one screen has seen the other knows; it follows the monitor from the first time on. */
export function triageOf(monitor: Monitor): Triage {
  const known = triages.get(monitor);
  if (known !== undefined) return known;
  const triage = createTriage(sessionRatesOf(monitor));
  triages.set(monitor, triage);
  monitor.store.subscribe((state) => { triage.follow(state); });
  return triage;
}

/** Something to be read, and how long it may be between two readings at least. */
export interface TriageWatch {
  readonly watched: Watched;
  readonly everySeconds: number | undefined;
}

/** How often Triage has lists read, in seconds. */
export interface TriagePace {
  /** Until sessions can be compared. */
  readonly first: number;
  readonly lists: number;
  readonly administration: number;
}

/** Whoever looks at Triage waits for a verdict, not for each figure; the broker has other things to do. */
const usualPace: TriagePace = { first: 5, lists: 30, administration: 60 };

/**
 * What has to be read for all checks, as far as this broker has it. Subscriptions are read only once
 * messages fan out, to name a suspect.
 */
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
