import { compareNatural } from '../../domain/natural-order.ts';
import type { Row } from '../../triage/check.ts';
import type { Finding } from '../../triage/problem.ts';
import { rowOf } from '../../triage/grouping.ts';
import type { SlowProblem } from './judge.ts';

/** More sessions share a row. */
const maxRows = 5;
/** Clients whose queues are full later are one row. */
const nearSeconds = 300;
/** The same limit for clients that have a row of their own already. */
const leaveNearSeconds = 600;

type SlowFinding = Finding<SlowProblem>;

/**
 * Whether a session can wait: it is slow, but has lost nothing while it was watched, and its queue will not be full
 * soon.
 */
function canWait(finding: SlowFinding, maxSeconds: number): boolean {
  if (finding.code !== 'slow-consumer' && finding.code !== 'offline-queue') return false;
  const { isLosing, isQueueFull, isLossOld, queueLimit, fullInSeconds = Infinity } = finding.evidence;
  return !isLosing && !isQueueFull && isLossOld && queueLimit !== undefined && fullInSeconds > maxSeconds;
}

const idsOf = (findings: readonly SlowFinding[]): readonly string[] =>
  findings
    .flatMap(({ evidence }) => ('clientId' in evidence ? [evidence.clientId] : evidence.clientIds))
    .toSorted(compareNatural);

/** The rows of slow sessions: the worst have one each; the others share one for each severity, with those whose queues are full much later. */
export function slowRows(
  findings: readonly SlowFinding[],
  shown: ReadonlySet<string>,
  suffix: string,
): readonly Row<SlowProblem>[] {
  const single = findings.filter(({ evidence }) => 'clientId' in evidence);
  const allWaiting = single.filter((finding) =>
    canWait(finding, shown.has(finding.key) ? leaveNearSeconds : nearSeconds),
  );
  const waiting = new Set(allWaiting.length > 1 ? allWaiting : []);
  const urgent = single.filter((finding) => !waiting.has(finding));
  const rest = [...urgent.slice(maxRows), ...findings.filter(({ evidence }) => !('clientId' in evidence))];
  const critical = rest.filter(({ severity }) => severity === 'critical');
  const warnings = [...rest.filter(({ severity }) => severity === 'warning'), ...waiting];
  return [
    ...urgent.slice(0, maxRows),
    ...(critical.length === 0
      ? []
      : [
          rowOf<SlowProblem>(
            {
              key: `slow, more critical${suffix}`,
              severity: 'critical',
              code: 'more-sessions',
              evidence: { clientIds: idsOf(critical) },
            },
            critical,
          ),
        ]),
    ...(warnings.length === 0
      ? []
      : [
          rowOf<SlowProblem>(
            {
              key: `slow, more warning${suffix}`,
              severity: 'warning',
              code: 'slow-sessions',
              evidence: {
                clientIds: idsOf(warnings),
                isMore: urgent.some(({ code }) => code === 'slow-consumer' || code === 'offline-queue'),
                isNoneFullSoon: warnings.length === waiting.size,
              },
            },
            warnings,
          ),
        ]),
  ];
}
