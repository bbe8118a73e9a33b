import { averageRate, type AverageRate } from '../../domain/rates.ts';
import { selectLastGrowthMs, selectRateSeries } from '../../resources/metrics/rates.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { leaveAt, severityOf, triageThresholds } from '../../triage/thresholds.ts';

interface Unrouted extends AverageRate {
  /** The share of the messages received. */
  readonly share: number | undefined;
}

/** Finds messages without a subscriber. Losses of full queues are not counted here: they are in the sessions. */
export function judgeUnrouted({
  state,
  found,
  unjudged,
}: CheckInput): Judgement<Problem<'unrouted-messages', Unrouted>, AverageRate, SharedReason> {
  const unread = unreadReasons({ unjudged }, ['metrics']);
  if (unread.length > 0) return { findings: [], unchecked: unread };
  const unrouted = averageRate(selectRateSeries(state, 'messages.dropped'));
  if (unrouted === undefined) return { findings: [], unchecked: [shortMetrics] };
  const { perSecond, seconds } = unrouted;
  const severity = severityOf(perSecond, triageThresholds.unroutedPerSecond, found.has('unrouted'));
  const received = averageRate(selectRateSeries(state, 'messages.received'))?.perSecond ?? 0;
  const share = received <= 0 ? undefined : Math.min(1, perSecond / received);
  if (severity === undefined || (share !== undefined && share < triageThresholds.minUnroutedShare))
    return { findings: [], unchecked: [], passed: unrouted };
  return {
    findings: [
      {
        key: 'unrouted',
        severity,
        code: 'unrouted-messages',
        happenedMs: selectLastGrowthMs(state, 'messages.dropped', leaveAt(triageThresholds.unroutedPerSecond.warning)),
        evidence: { perSecond, seconds, share },
      },
    ],
    unchecked: [],
  };
}
