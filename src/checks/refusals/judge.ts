import { averageRate, type AverageRate } from '../../domain/rates.ts';
import { selectRateSeries } from '../../resources/metrics/rates.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { severityOf, triageThresholds } from '../../triage/thresholds.ts';

interface Refused extends AverageRate {
  /** Those with a wrong or missing login. */
  readonly loginPerSecond: number | undefined;
}

type RefusalProblem = Problem<'connections-refused', Refused> | Problem<'access-denied', AverageRate>;

interface Uncounted {
  readonly code: 'refusals-uncounted';
}

/** Finds connections that the broker refuses, and requests that it denies. It does not say whose they are. */
export function judgeRefusals({
  state,
  found,
  unjudged,
}: CheckInput): Judgement<RefusalProblem, Pick<AverageRate, 'seconds'>, SharedReason | Uncounted> {
  if (state.capabilities?.reasonCounters !== true)
    return { findings: [], unchecked: [{ code: 'refusals-uncounted' }], isNotOffered: true };
  const unread = unreadReasons({ unjudged }, ['metrics']);
  if (unread.length > 0) return { findings: [], unchecked: unread };
  const login = averageRate(selectRateSeries(state, 'packets.connack.auth_error'));
  const refused = averageRate(selectRateSeries(state, 'packets.connack.error')) ?? login;
  const denied = averageRate(selectRateSeries(state, 'authorization.deny'));
  // Releases differ in what they count.
  if (refused === undefined && denied === undefined)
    return averageRate(selectRateSeries(state, 'messages.received')) === undefined
      ? { findings: [], unchecked: [shortMetrics] }
      : { findings: [], unchecked: [{ code: 'refusals-uncounted' }], isNotOffered: true };
  const refusedSeverity = severityOf(refused?.perSecond, triageThresholds.refusalsPerSecond, found.has('refused'));
  const deniedSeverity = severityOf(denied?.perSecond, triageThresholds.denialsPerSecond, found.has('denied'));
  const findings: Found<RefusalProblem>[] = [];
  if (refused !== undefined && refusedSeverity !== undefined)
    findings.push({
      key: 'refused',
      severity: refusedSeverity,
      code: 'connections-refused',
      evidence: { ...refused, loginPerSecond: login?.perSecond },
    });
  if (denied !== undefined && deniedSeverity !== undefined)
    findings.push({ key: 'denied', severity: deniedSeverity, code: 'access-denied', evidence: denied });
  return { findings, unchecked: [], passed: { seconds: (refused ?? denied)?.seconds ?? 0 } };
}
