import { selectNodes } from '../select-nodes.ts';
import type { Monitor, MonitorState, Watched } from '../state.ts';
import { baseChecks } from './base-checks.ts';
import { verdictOf } from './check.ts';
import type { CheckId, CheckInput, CheckResult, Finding } from './check.ts';
import { createTriageMemory } from './memory.ts';
import { pluginCheck, settingCheck, spreadCheck, versionCheck } from './node-checks.ts';
import { slowCheck } from './slow-check.ts';
import { droppedCheck, fanOutCheck, reconnectCheck } from './traffic-checks.ts';

/** What all checks say at one moment. */
export interface TriageReport {
  /** In the order in which they are shown. */
  readonly results: readonly CheckResult[];
  /** The worst first: errors before warnings, and among equals in the order of the checks. */
  readonly findings: readonly Finding[];
  /** Every check was judged, wholly, and found nothing: only then all is well. */
  readonly isAllClear: boolean;
}

/** Every check, in order. Pure. */
export function runChecks(input: CheckInput): TriageReport {
  const results = [
    ...baseChecks(input), reconnectCheck(input), slowCheck(input), droppedCheck(input), fanOutCheck(input),
    spreadCheck(input), versionCheck(input), pluginCheck(input), settingCheck(input),
  ];
  const all = results.flatMap(({ findings }) => findings);
  return {
    results,
    findings: [...all.filter(({ severity }) => severity === 'error'), ...all.filter(({ severity }) => severity === 'warning')],
    isAllClear: results.every((result) => verdictOf(result) === 'fine'),
  };
}

/** Follows one monitor: keeps what the checks compare with, and since when each finding is there. */
export interface Triage {
  /** Takes a state in and judges it. */
  update(state: MonitorState, nowMs: number): TriageReport;
}

export function createTriage(): Triage {
  const memory = createTriageMemory();
  let foundSinceMs = new Map<string, number>();
  return {
    update(state, nowMs) {
      const report = runChecks({ state, nowMs, history: memory.update(state, nowMs) });
      foundSinceMs = new Map(report.findings.map(({ key }) => [key, foundSinceMs.get(key) ?? nowMs]));
      const dated = (finding: Finding): Finding => ({ ...finding, foundMs: foundSinceMs.get(finding.key) });
      return {
        ...report,
        results: report.results.map((result) => (result.findings.length === 0 ? result : { ...result, findings: result.findings.map(dated) })),
        findings: report.findings.map(dated),
      };
    },
  };
}

const triages = new WeakMap<Monitor, Triage>();

/** The one of a monitor, so that what one screen has seen the other knows. */
export function triageOf(monitor: Monitor): Triage {
  const known = triages.get(monitor) ?? createTriage();
  triages.set(monitor, known);
  return known;
}

/** Judged from the Overview's rules and the figures that are polled anyway; the other checks need lists that only Triage reads. */
const polledChecks: ReadonlySet<CheckId> = new Set(['reconnects', 'dropped', 'fanOut', 'spread', 'versions']);

/** Findings beside the Overview's own rules that can be judged without reading a list. */
export function polledFindings({ findings }: TriageReport): readonly Finding[] {
  return findings.filter(({ check }) => polledChecks.has(check));
}

/** What has to be read for all checks, as far as this broker has it. */
export function triageWatches(state: MonitorState): readonly Watched[] {
  const running = selectNodes(state).filter(({ status }) => status === 'running');
  return [
    ...(['nodes', 'nodeStats', 'stats', 'metrics', 'listeners'] as const).map((name): Watched => ({ kind: 'resource', name })),
    { kind: 'clientScan' }, { kind: 'sessionScan' }, { kind: 'subscriptionScan' },
    ...(state.capabilities?.settings === true ? [{ kind: 'settings' } as const] : []),
    ...running.map(({ name }): Watched => ({ kind: 'nodePlugins', node: name })),
  ];
}
