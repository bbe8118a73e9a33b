import { type Sentence } from '../../domain/sentence.ts';
import { type Span } from '../../terminal/line.ts';
import type { Finding } from '../../triage/problem.ts';
import type { Jump } from '../../domain/jump.ts';
import { countText, severityRoles, triageTexts } from '../../resources/problems/view/texts.ts';
import { passedText, problemText, uncheckedNextToTitle } from '../../checks/words.ts';
import type { TriageReport } from '../../triage/view.ts';
import { type CheckResult, type Verdict, verdictOf } from '../../triage/check.ts';

/** A problem, or a check without one. */
export interface TriageItem {
  readonly id: string;
  readonly check: string;
  /** `note`: the check has problems, and is incomplete as well. */
  readonly kind: 'finding' | 'note' | 'pending' | 'unchecked' | 'ok' | 'absent';
  readonly text: Sentence;
  readonly finding: Finding | undefined;
  readonly jump: Jump;
}

const itemsOf = (result: CheckResult, isPending: boolean): readonly TriageItem[] => {
  const { check, unchecked, jump } = result;
  const item = { check, finding: undefined, jump };
  const verdict = verdictOf(result);
  if (verdict === 'ok') return [{ ...item, id: `${check} ok`, kind: 'ok', text: passedText(result) }];
  const kind =
    result.isNotOffered === true ? 'absent' : verdict === 'found' ? 'note' : isPending ? 'pending' : 'unchecked';
  return unchecked.length === 0 ? [] : [{ ...item, id: `${check} ?`, kind, text: uncheckedNextToTitle(unchecked) }];
};

/**
 * Returns problems, critical ones first, then incomplete checks, checks without problems, and those that are not
 * available.
 */
export const triageItems = ({ results, findings, pending = [] }: TriageReport): readonly TriageItem[] => {
  const others = results.flatMap((result) =>
    itemsOf(
      result,
      pending.some(({ check }) => check === result.check),
    ),
  );
  return [
    ...findings.map((finding): TriageItem => ({
      id: finding.key,
      check: finding.check,
      kind: 'finding',
      text: problemText(finding),
      finding,
      jump: finding.jump,
    })),
    ...others.filter(({ kind }) => kind === 'note' || kind === 'pending' || kind === 'unchecked'),
    ...others.filter(({ kind }) => kind === 'ok'),
    ...others.filter(({ kind }) => kind === 'absent'),
  ];
};

/** Writes the result of all checks in a line. `isBrief`: without the number of partly checked ones. */
export const triageSummary = (report: TriageReport, isBrief = false): readonly Span[] => {
  const offered = report.results.filter(({ isNotOffered }) => isNotOffered !== true);
  if (report.isAllClear) return [{ text: triageTexts.allOk(offered.length), role: 'ok' }];
  const count = (verdict: Verdict): number => offered.filter((result) => verdictOf(result) === verdict).length;
  const pending = offered.filter(
    (result) => verdictOf(result) === 'unchecked' && report.pending?.some(({ check }) => check === result.check),
  ).length;
  const partly = isBrief
    ? 0
    : offered.filter((result) => verdictOf(result) === 'found' && result.unchecked.length > 0).length;
  const [worst] = report.findings;
  return [
    worst === undefined
      ? {
          text: pending === 0 && count('unchecked') === offered.length ? triageTexts.unknown : triageTexts.nothingSoFar,
          role: 'warning',
        }
      : { text: countText(report.findings), role: severityRoles[worst.severity] },
    {
      text: triageTexts.results(offered.length, {
        found: count('found'),
        partly,
        ok: count('ok'),
        pending,
        unchecked: count('unchecked') - pending,
        absent: report.results.length - offered.length,
      }),
      role: 'dim',
    },
  ];
};
