import type { CheckResult } from './check.ts';
import { beginMs, type Finding } from './problem.ts';

export interface FindingChange {
  /** `worsened` to critical, or `eased` to a warning; `joined` by problems that are now parts of it; `acknowledged`, or no longer, by the operator. A problem goes on while it cannot be checked, and in a short absence of a session. */
  readonly kind: 'began' | 'worsened' | 'eased' | 'ended' | 'joined' | 'acknowledged';
  /** The finding as it was last seen. */
  readonly finding: Finding;
  /** The problem's beginning, the first reading that shows it is over, or when another change was found; absent for now. */
  readonly atMs?: number | undefined;
  /** The change needs no alert: the problem was critical before, or a part of it is known as a problem. */
  readonly isQuiet: boolean;
  /** Problems that were told by themselves, and go on as this one, which began or was joined by them. */
  readonly replaces?: readonly Finding[] | undefined;
}

/**
 * `active`: the last reading shows it. `unknown`: that reading cannot tell. `ending`: a complete reading no longer shows it, but
 * a session may be slow again at once.
 */
type Status = 'active' | 'unknown' | 'ending';

/** A problem from its beginning to its end. `sinceMs` or `foundMs` is its beginning and stays; `lastMs`: when it was last seen. */
export type OpenFinding = Finding & {
  readonly status: Status;
  readonly lastMs: number;
  /** When the problem was first known to be over, while it is `ending`. */
  readonly overMs?: number | undefined;
  readonly wasCritical: boolean;
  readonly isReported: boolean;
};

/** When a problem began that an earlier run of the program has seen. */
export type Begin = Pick<Finding, 'sinceMs' | 'foundMs'>;

export interface OpenFindings {
  /** Problems that were found and not refuted since, by key. */
  readonly open: ReadonlyMap<string, OpenFinding>;
  readonly changes: readonly FindingChange[];
}

/** Whether a reading that does not show a problem proves that it is over. */
const isRefuted = (finding: Finding, result: CheckResult | undefined): boolean =>
  result !== undefined && (result.refutes === undefined ? result.unchecked.length === 0 : result.refutes(finding));

/** Returns when the parts of a problem began, the earliest time: by then it was there, at the latest. */
function foundWith(parts: readonly OpenFinding[]): Pick<Finding, 'foundMs'> {
  const begins = parts.map(beginMs).filter((ms) => ms !== undefined);
  return begins.length === 0 ? {} : { foundMs: Math.min(...begins) };
}

const readMsOf = (finding: Finding, result: CheckResult | undefined): number | undefined =>
  result?.readMsOf?.(finding) ?? result?.reading?.atMs;

/** Returns when a problem began, which the first reading decides. */
function beginningOf(
  finding: Finding,
  before: Pick<Finding, 'sinceMs' | 'foundMs'> | undefined,
  nowMs: number,
): Pick<Finding, 'sinceMs' | 'foundMs'> {
  if (before !== undefined) return { sinceMs: before.sinceMs, foundMs: before.foundMs };
  return finding.sinceMs === undefined
    ? { sinceMs: undefined, foundMs: Math.min(finding.foundMs ?? nowMs, nowMs) }
    : { sinceMs: Math.min(finding.sinceMs, nowMs), foundMs: undefined };
}

/** Returns when a problem ended that a reading at `overMs` shows to be over. */
const endOf = (finding: Finding, overMs: number): number =>
  Math.max(beginMs(finding) ?? Number.NEGATIVE_INFINITY, Math.min(overMs, finding.happenedMs ?? overMs));

/** Returns the problem as it was, the same object, if the reading says nothing new of it. */
function keepSame(before: OpenFinding | undefined, current: OpenFinding): OpenFinding {
  const names = Object.keys(current) as (keyof OpenFinding)[];
  return before !== undefined &&
    names.length === Object.keys(before).length &&
    names.every((name) => Object.is(before[name], current[name]))
    ? before
    : current;
}

/** Readings of one change may date it a little differently. */
const sameMomentMs = 60_000;

/** Whether this is another change than that of before, which has the same key. */
const isAnotherMoment = (finding: Finding, before: OpenFinding | undefined): boolean =>
  finding.atMs !== undefined && before?.atMs !== undefined && Math.abs(finding.atMs - before.atMs) > sameMomentMs;

/** Compares the results of all checks with what was open before them. */
export function followFindings(
  open: OpenFindings['open'],
  results: readonly CheckResult[],
  nowMs: number,
  earlier: ReadonlyMap<string, Begin> = new Map(),
): OpenFindings {
  const next = new Map<string, OpenFinding>();
  const changes: FindingChange[] = [];
  const byCheck = new Map(results.map((result) => [result.check, result]));
  const all = results.flatMap(({ findings }) => findings);
  const isOver = (finding: OpenFinding): boolean => {
    const result = byCheck.get(finding.check);
    return isRefuted(finding, result) && nowMs - finding.lastMs >= (result?.settleMs ?? 0);
  };
  // A problem that cannot be checked now, or may come back at once, still has its parts.
  const kept = [...open.values()].filter((finding) => !isOver(finding));
  const keys = new Set([...all, ...kept].map(({ key }) => key));
  /** Severities of reported problems that are now a part of another one, by its key. */
  const parts = Map.groupBy(
    all.filter(({ key, partOf }) => partOf !== undefined && open.get(key)?.isReported === true),
    ({ partOf }) => partOf,
  );
  /** Those of them that no events of their own tell of: the whole replaces them. */
  const replacedBy = (key: string): readonly OpenFinding[] =>
    (parts.get(key) ?? []).flatMap((part) =>
      byCheck.get(part.check)?.isLogged === true ? [] : (open.get(part.key) ?? []),
    );
  for (const finding of all) {
    const known = open.get(finding.key);
    const before = isAnotherMoment(finding, known) ? undefined : known;
    if (finding.isUndecided === true && before === undefined) continue;
    const isCritical = finding.severity === 'critical';
    const isPart = finding.partOf !== undefined && keys.has(finding.partOf);
    const replaced = isPart ? [] : replacedBy(finding.key);
    const found = finding.sinceMs === undefined ? { ...finding, ...foundWith(replaced) } : finding;
    const current = keepSame(before, {
      ...finding,
      ...beginningOf(found, before ?? earlier.get(finding.key), nowMs),
      status: 'active',
      lastMs: Math.min(nowMs, readMsOf(finding, byCheck.get(finding.check)) ?? nowMs),
      wasCritical: isCritical || before?.wasCritical === true,
      isReported: isPart ? before?.isReported === true && byCheck.get(finding.check)?.isLogged === true : true,
    });
    next.set(finding.key, current);
    if (isPart) continue;
    const replaces = replaced.length === 0 ? undefined : replaced;
    if (before?.isReported === true && replaces !== undefined)
      changes.push({ kind: 'joined', finding: current, atMs: nowMs, isQuiet: true, replaces });
    if (before?.isReported !== true)
      changes.push({
        kind: 'began',
        finding: current,
        atMs: replaces === undefined ? (beginMs(current) ?? nowMs) : nowMs,
        replaces,
        isQuiet: parts.get(finding.key)?.some(({ severity }) => severity === 'critical' || !isCritical) === true,
      });
    else if (before.severity !== finding.severity)
      changes.push({
        kind: isCritical ? 'worsened' : 'eased',
        finding: current,
        atMs: nowMs,
        isQuiet: !isCritical || before.wasCritical,
      });
  }
  for (const [key, finding] of open) {
    if (next.has(key)) continue;
    const { overMs = nowMs, ...rest } = finding;
    if (!isRefuted(finding, byCheck.get(finding.check)))
      next.set(key, finding.status === 'active' ? { ...finding, status: 'unknown' } : finding);
    else if (!isOver(finding))
      next.set(key, finding.status === 'ending' ? finding : { ...finding, status: 'ending', overMs });
    else if (finding.isReported)
      changes.push({ kind: 'ended', finding: rest, atMs: endOf(finding, overMs), isQuiet: true });
  }
  return { open: next, changes };
}
