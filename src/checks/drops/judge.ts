import type { MetricName } from '../../domain/metrics.ts';
import { averageRate, type AverageRate } from '../../domain/rates.ts';
import { selectLastGrowthMs, selectRateSeries } from '../../resources/metrics/rates.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { slowKey } from '../slow/judge.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { leaveAt, severityOf, triageThresholds } from '../../triage/thresholds.ts';

const dropReasons = ['queue_full', 'too_large', 'expired', 'qos0_msg'] as const;

/** A reason why a message was not delivered, as the broker counts it. */
export type DropReason = (typeof dropReasons)[number];

export const dropMetric = (reason: DropReason): MetricName => `delivery.dropped.${reason}`;

interface MessagesDropped extends AverageRate {
  readonly reason: DropReason;
  /** How often the broker refreshes the counters of sessions, which then show whose queue it is. */
  readonly countersSeconds?: number | undefined;
}

type DropProblem = Problem<'messages-dropped', MessagesDropped>;

interface Uncounted {
  readonly code: 'reasons-uncounted';
}

/**
 * The share of the messages that sessions lose which explains the loss: both rates are averages, of different times.
 */
const explainedShare = 0.5;

/** Returns the key of the session that loses most, if the sessions that lose messages explain the rate, or their own rates are not known yet. */
function loserOf({ losing, sessions }: CheckInput['history'], perSecond: number): string | undefined {
  const [first] = [...losing].toSorted(([, a], [, b]) => b - a);
  const sum = [...losing.values()].reduce((total, rate) => total + rate, 0);
  const loser =
    first !== undefined && sum >= explainedShare * perSecond
      ? first[0]
      : sessions.find(({ rates: { hasDropped } }) => hasDropped === true)?.session.clientId;
  return loser === undefined ? undefined : slowKey(loser);
}

/** Finds messages that were not delivered to a subscriber, by reason. Those without a subscriber are another check. */
export function judgeDrops({
  state,
  history,
  found,
  unjudged,
}: CheckInput): Judgement<DropProblem, Pick<AverageRate, 'seconds'>, SharedReason | Uncounted> {
  if (state.capabilities?.reasonCounters !== true)
    return { findings: [], unchecked: [{ code: 'reasons-uncounted' }], isNotOffered: true };
  const unread = unreadReasons({ unjudged }, ['metrics']);
  if (unread.length > 0) return { findings: [], unchecked: unread };
  const rates = dropReasons.flatMap((reason) => {
    const rate = averageRate(selectRateSeries(state, dropMetric(reason)));
    return rate === undefined ? [] : [{ reason, ...rate }];
  });
  const [first] = rates;
  // Releases differ in what they count.
  if (first === undefined)
    return averageRate(selectRateSeries(state, 'messages.received')) === undefined
      ? { findings: [], unchecked: [shortMetrics] }
      : { findings: [], unchecked: [{ code: 'reasons-uncounted' }], isNotOffered: true };
  const findings = rates.flatMap(({ reason, perSecond, seconds }): readonly Found<DropProblem>[] => {
    const key = `drops ${reason}`;
    const reached = severityOf(perSecond, triageThresholds.dropsPerSecond, found.has(key));
    // As for a session that loses them.
    const severity = reached !== undefined && reason === 'queue_full' ? 'critical' : reached;
    return severity === undefined
      ? []
      : [
          {
            key,
            severity,
            code: 'messages-dropped',
            happenedMs: selectLastGrowthMs(state, dropMetric(reason), leaveAt(triageThresholds.dropsPerSecond.warning)),
            evidence: { reason, perSecond, seconds, countersSeconds: state.capabilities?.sessionCountersSeconds },
            partOf: reason === 'queue_full' ? loserOf(history, perSecond) : undefined,
          },
        ];
  });
  return { findings, unchecked: [], passed: { seconds: first.seconds } };
}
