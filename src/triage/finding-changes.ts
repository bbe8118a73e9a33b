import { type CheckResult, type Finding, verdictOf } from './check.ts';

export interface FindingChange {
  /** A finding begins again as it becomes critical for the first time. It goes on while its check cannot be made, as one of a group, and in a short absence of a session. */
  readonly kind: 'began' | 'ended';
  /** As it was last seen, at `seenMs`. */
  readonly finding: Finding;
}

/** `wasCritical`: at any time since it began. `criticalMs`: since when, if it began as a warning. */
type OpenFinding = Finding & { readonly wasCritical: boolean; readonly criticalMs: number | undefined };

export interface OpenFindings {
  /** What was found and not refuted since, by key; `foundMs` and `seenMs` are set. */
  readonly open: ReadonlyMap<string, OpenFinding>;
  readonly changes: readonly FindingChange[];
}

/** A session that is slow again so soon has not recovered. */
const maxAbsenceMs = 20_000;

/** Compares a report with what was open before it. */
export function followFindings(open: OpenFindings['open'], { results, findings }: { readonly results: readonly CheckResult[]; readonly findings: readonly Finding[] }, nowMs: number): OpenFindings {
  const next = new Map<string, OpenFinding>();
  for (const finding of findings) {
    const before = open.get(finding.key);
    const isCritical = finding.severity === 'critical';
    next.set(finding.key, {
      ...finding, foundMs: Math.min(finding.foundMs ?? nowMs, before?.foundMs ?? nowMs), seenMs: nowMs,
      wasCritical: isCritical || before?.wasCritical === true,
      criticalMs: !isCritical || before === undefined ? undefined : before.severity === 'critical' ? before.criticalMs : nowMs,
    });
  }
  const unchecked = new Set(results.filter((result) => verdictOf(result) === 'unchecked' && result.clearsFindings !== true).map(({ check }) => check));
  const grouped = new Set(findings.flatMap(({ target }) => (target.kind === 'sessions' ? target.clientIds ?? [] : [])));
  const goesOn = ({ check, target, seenMs = 0 }: Finding): boolean =>
    unchecked.has(check) || (target.kind === 'session' && (grouped.has(target.clientId) || nowMs - seenMs < maxAbsenceMs));
  const ended: FindingChange[] = [];
  for (const [key, finding] of open) {
    if (next.has(key)) continue;
    if (goesOn(finding)) next.set(key, finding);
    else ended.push({ kind: 'ended', finding });
  }
  const began = [...next.values()].filter(({ key, severity }) => {
    const before = open.get(key);
    return before === undefined || (!before.wasCritical && severity === 'critical');
  });
  return { open: next, changes: [...began.map((finding): FindingChange => ({ kind: 'began', finding })), ...ended] };
}
