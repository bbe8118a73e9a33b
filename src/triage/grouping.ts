import type { Check, Row } from './check.ts';
import { beginMs, type Finding, type Found, type Problem } from './problem.ts';

/** A row that stands for several problems, with what is known of all of them. */
export function rowOf<P extends Problem>(row: Found<P>, members: readonly Finding[]): Row<P> {
  const begins = members.map(beginMs).filter((ms) => ms !== undefined);
  const seen = members.map(({ seenMs }) => seenMs).filter((ms) => ms !== undefined);
  return {
    ...row,
    members: members.map(({ key }) => key),
    foundMs: begins.length === 0 ? undefined : Math.min(...begins),
    acknowledged: members[0]?.acknowledged,
    ...(seen.length === members.length && { seenMs: Math.max(...seen) }),
  };
}

/** The same findings, critical ones first. */
export const criticalFirst = <F extends Pick<Finding, 'severity'>>(findings: readonly F[]): readonly F[] => [
  ...findings.filter(({ severity }) => severity === 'critical'),
  ...findings.filter(({ severity }) => severity === 'warning'),
];

/** Returns problems, and those that are only a part of another one as its evidence. */
export function withParts(findings: readonly Finding[]): readonly Finding[] {
  const keys = new Set(findings.map(({ key }) => key));
  const isPart = ({ partOf }: Finding): boolean => partOf !== undefined && keys.has(partOf);
  if (!findings.some(isPart)) return findings;
  const parts = Map.groupBy(findings.filter(isPart), ({ partOf }) => partOf);
  return findings
    .filter((finding) => !isPart(finding))
    .map((finding) => {
      const own = parts.get(finding.key);
      return own === undefined ? finding : { ...finding, parts: own };
    });
}

/** A change comes first for so long: it stays on screen for minutes, but what goes on now is more urgent. */
const pastAfterMs = 60_000;

const isPast = ({ atMs }: Finding, nowMs: number): boolean => atMs !== undefined && nowMs - atMs > pastAfterMs;

/**
 * Sorts findings: critical ones first, past changes last of their severity, acknowledged ones last, otherwise in their
 * order.
 */
export const sortFindings = (findings: readonly Finding[], nowMs: number): readonly Finding[] => {
  const rank = (finding: Finding): number =>
    Number(finding.acknowledged !== undefined) * 4 +
    Number(finding.severity !== 'critical') * 2 +
    Number(isPast(finding, nowMs));
  return findings.toSorted((a, b) => rank(a) - rank(b));
};

/** Returns the jump of a problem of this check. */
export const jumpOf = ({ problems }: Check, { code, evidence }: Problem): Finding['jump'] =>
  problems[code]?.jump(evidence) ?? { screen: 'log' };

/** The rows that show the problems of a check; acknowledged ones have rows of their own. @param shown the keys of the rows before */
export function groupFindings(
  check: Check,
  problems: readonly Finding[],
  shown: ReadonlySet<string>,
): readonly Finding[] {
  const { rows } = check;
  const rowsOf = (some: readonly Finding[], suffix: string): readonly Finding[] =>
    rows === undefined
      ? some
      : rows
          .call(check, some, shown, suffix)
          .map((row): Finding => ({ ...row, check: check.id, jump: jumpOf(check, row) }));
  return [
    ...rowsOf(
      problems.filter(({ acknowledged }) => acknowledged === undefined),
      '',
    ),
    ...rowsOf(
      problems.filter(({ acknowledged }) => acknowledged !== undefined),
      ', acknowledged',
    ),
  ];
}
