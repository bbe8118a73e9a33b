import { compareNatural } from '../domain/natural-order.ts';
import { beginMs, type CheckId, type Finding } from './check.ts';

/** Rows of a check. */
const maxShown = 5;
/** Clients whose queues are full later are one row. */
const nearSeconds = 300;
/** For those that have a row of their own already. */
const leaveNearSeconds = 600;

const isSession = ({ code }: Finding): boolean =>
  code === 'slow-consumer' || code === 'offline-queue' || code === 'queue-full' || code === 'messages-lost';

/** It is slow, but has lost nothing while it was watched, and its queue will not be full soon. */
function isFar(finding: Finding, maxSeconds: number): boolean {
  if (finding.code !== 'slow-consumer' && finding.code !== 'offline-queue') return false;
  const { isLosing, isQueueFull, isLossOld, queueLimit, fullInSeconds = Infinity } = finding.evidence;
  return !isLosing && !isQueueFull && isLossOld && queueLimit !== undefined && fullInSeconds > maxSeconds;
}

/** What a row says of the findings that it stands for. */
function factsOf(
  members: readonly Finding[],
): Pick<Finding, 'members' | 'sinceMs' | 'foundMs' | 'seenMs' | 'acknowledged'> {
  const begins = members.map(beginMs).filter((ms) => ms !== undefined);
  const seen = members.map(({ seenMs }) => seenMs).filter((ms) => ms !== undefined);
  return {
    members: members.map(({ key }) => key),
    foundMs: begins.length === 0 ? undefined : Math.min(...begins),
    acknowledged: members[0]?.acknowledged,
    ...(seen.length === members.length && { seenMs: Math.max(...seen) }),
  };
}

const idsOf = (findings: readonly Finding[]): readonly string[] =>
  findings
    .flatMap(({ target }) =>
      target.kind === 'session' ? [target.clientId] : target.kind === 'sessions' ? (target.clientIds ?? []) : [],
    )
    .toSorted(compareNatural);

function sessionRows(findings: readonly Finding[], shown: ReadonlySet<string>, suffix: string): readonly Finding[] {
  const single = findings.filter(isSession);
  const allFar = single.filter((finding) => isFar(finding, shown.has(finding.key) ? leaveNearSeconds : nearSeconds));
  const far = new Set(allFar.length > 1 ? allFar : []);
  const near = single.filter((finding) => !far.has(finding));
  const rest = [...near.slice(maxShown), ...findings.filter((finding) => !isSession(finding))];
  const critical = rest.filter(({ severity }) => severity === 'critical');
  const warnings = [...rest.filter(({ severity }) => severity === 'warning'), ...far];
  const [criticalIds, warningIds] = [idsOf(critical), idsOf(warnings)];
  return [
    ...near.slice(0, maxShown),
    ...(critical.length === 0
      ? []
      : [
          {
            check: 'slow',
            key: `slow, more critical${suffix}`,
            severity: 'critical',
            target: { kind: 'sessions', clientIds: criticalIds },
            code: 'more-sessions',
            evidence: { clientIds: criticalIds },
            ...factsOf(critical),
          } as const,
        ]),
    ...(warnings.length === 0
      ? []
      : [
          {
            check: 'slow',
            key: `slow, more warning${suffix}`,
            severity: 'warning',
            target: { kind: 'sessions', clientIds: warningIds },
            code: 'slow-sessions',
            evidence: {
              clientIds: warningIds,
              isMore: near.some(({ code }) => code === 'slow-consumer' || code === 'offline-queue'),
              areFar: warnings.length === far.size,
            },
            ...factsOf(warnings),
          } as const,
        ]),
  ];
}

function alarmRows(findings: readonly Finding[], suffix: string): readonly Finding[] {
  const sorted = [
    ...findings.filter(({ severity }) => severity === 'critical'),
    ...findings.filter(({ severity }) => severity === 'warning'),
  ];
  const rest = Map.groupBy(sorted.slice(maxShown), ({ severity }) => severity);
  return [
    ...sorted.slice(0, maxShown),
    ...[...rest].map(([severity, members]): Finding => ({
      check: 'alarms',
      key: `alarms, more ${severity}${suffix}`,
      severity,
      target: { kind: members[0]?.target.kind === 'log' ? 'log' : 'alarms' },
      code: 'more-alarms',
      evidence: { count: members.length },
      ...factsOf(members),
    })),
  ];
}

function differenceRows(
  what: 'plugins' | 'settings',
  findings: readonly Finding[],
  suffix: string,
): readonly Finding[] {
  const rest = findings.slice(maxShown);
  return [
    ...findings.slice(0, maxShown),
    ...(rest.length === 0
      ? []
      : [
          {
            check: what,
            key: `${what}, more${suffix}`,
            severity: 'warning',
            target: { kind: what },
            code: 'more-differences',
            evidence: { what, count: rest.length },
            ...factsOf(rest),
          } as const,
        ]),
  ];
}

function rowsOf(
  check: CheckId,
  findings: readonly Finding[],
  shown: ReadonlySet<string>,
  suffix = '',
): readonly Finding[] {
  switch (check) {
    case 'slow':
      return sessionRows(findings, shown, suffix);
    case 'alarms':
      return alarmRows(findings, suffix);
    case 'plugins':
    case 'settings':
      return differenceRows(check, findings, suffix);
    default:
      return findings;
  }
}

/** Problems, and those that are only a part of another one as its evidence. */
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

/** A change stays on screen for minutes, but what goes on now comes first. */
const pastAfterMs = 60_000;

const isPast = ({ atMs }: Finding, nowMs: number): boolean => atMs !== undefined && nowMs - atMs > pastAfterMs;

/** Critical ones first, past changes last of their severity, acknowledged ones last, otherwise in their order. */
export const sortFindings = (findings: readonly Finding[], nowMs: number): readonly Finding[] => {
  const rank = (finding: Finding): number =>
    Number(finding.acknowledged !== undefined) * 4 +
    Number(finding.severity !== 'critical') * 2 +
    Number(isPast(finding, nowMs));
  return findings.toSorted((a, b) => rank(a) - rank(b));
};

/** The rows that show the problems of a check: where there are many, the first have one each, and the others one together. @param shown the keys of the rows before */
export const groupFindings = (
  check: CheckId,
  problems: readonly Finding[],
  shown: ReadonlySet<string>,
): readonly Finding[] => [
  ...rowsOf(
    check,
    problems.filter(({ acknowledged }) => acknowledged === undefined),
    shown,
  ),
  ...rowsOf(
    check,
    problems.filter(({ acknowledged }) => acknowledged !== undefined),
    shown,
    ', acknowledged',
  ),
];
