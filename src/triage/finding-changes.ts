import { type CheckResult, type Finding, verdictOf } from './check.ts';

export interface FindingChange {
  /** A finding begins again as it becomes critical. It goes on while its check cannot be made, or as one of a group. */
  readonly kind: 'began' | 'ended';
  /** As it was last seen, at `seenMs`. */
  readonly finding: Finding;
}

export interface OpenFindings {
  /** What was found and not refuted since, by key; `foundMs` and `seenMs` are set. */
  readonly open: ReadonlyMap<string, Finding>;
  readonly changes: readonly FindingChange[];
}

/** Compares a report with what was open before it. */
export function followFindings(open: ReadonlyMap<string, Finding>, { results, findings }: { readonly results: readonly CheckResult[]; readonly findings: readonly Finding[] }, nowMs: number): OpenFindings {
  const next = new Map<string, Finding>();
  for (const finding of findings) next.set(finding.key, { ...finding, foundMs: Math.min(finding.foundMs ?? nowMs, open.get(finding.key)?.foundMs ?? nowMs), seenMs: nowMs });
  const unchecked = new Set(results.filter((result) => verdictOf(result) === 'unchecked' && result.clearsFindings !== true).map(({ check }) => check));
  const grouped = new Set(findings.flatMap(({ target }) => (target.kind === 'sessions' ? target.clientIds ?? [] : [])));
  const goesOn = ({ check, target }: Finding): boolean => unchecked.has(check) || (target.kind === 'session' && grouped.has(target.clientId));
  const ended: FindingChange[] = [];
  for (const [key, finding] of open) {
    if (next.has(key)) continue;
    if (goesOn(finding)) next.set(key, finding);
    else ended.push({ kind: 'ended', finding });
  }
  const began = [...next.values()].filter(({ key, severity }) => {
    const before = open.get(key);
    return before === undefined || (before.severity === 'warning' && severity === 'critical');
  });
  return { open: next, changes: [...began.map((finding): FindingChange => ({ kind: 'began', finding })), ...ended] };
}
