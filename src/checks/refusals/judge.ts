import type { AccessBackend } from '../../domain/access.ts';
import { averageRate, type AverageRate } from '../../domain/rates.ts';
import { selectAccessBackends } from '../../resources/access-backends/select.ts';
import { selectLastGrowthMs, selectRateSeries } from '../../resources/metrics/rates.ts';
import { type CheckInput, isProblem, type Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { access } from '../access/check.ts';
import { leaveAt, severityOf, triageThresholds } from '../../triage/thresholds.ts';

interface Refuser {
  readonly id: string;
  readonly perSecond: number;
}

interface Refused extends AverageRate {
  /** Those with a wrong or missing login. */
  readonly loginPerSecond: number | undefined;
  /** The backend that refuses most, if the broker tells. */
  readonly by?: Refuser | undefined;
}

type RefusalProblem =
  | Problem<'connections-refused', Refused>
  | Problem<'access-denied', AverageRate & { readonly by?: Refuser | undefined }>;

interface Uncounted {
  readonly code: 'refusals-uncounted';
}

/** The share of the refusals that explains them: rates are averages, of different times. */
const explainedShare = 0.5;

/** Returns the key of the backend that is down, if it leaves as many without an answer as are refused. */
function causeOf(
  earlier: CheckInput['earlier'],
  purpose: AccessBackend['purpose'],
  perSecond: number | undefined,
): string | undefined {
  return earlier
    .filter((finding) => isProblem(finding, access, 'backend-down'))
    .find(
      ({ evidence }) =>
        evidence.purpose === purpose && (evidence.unansweredPerSecond ?? 0) >= explainedShare * (perSecond ?? Infinity),
    )?.key;
}

/** Returns the backend that refuses most. */
function refuserOf(state: CheckInput['state'], purpose: AccessBackend['purpose']): Refuser | undefined {
  const [first] = (selectAccessBackends(state) ?? [])
    .filter(({ backend }) => backend.purpose === purpose)
    .map(({ backend, perSecond }) => ({ id: backend.id, perSecond: perSecond.refused ?? 0 }))
    .toSorted((a, b) => b.perSecond - a.perSecond);
  return first !== undefined && first.perSecond > 0 ? first : undefined;
}

/** Finds connections that the broker refuses, and requests that it denies. It does not say whose they are. */
export function judgeRefusals({
  state,
  found,
  unjudged,
  earlier,
}: CheckInput): Judgement<RefusalProblem, Pick<AverageRate, 'seconds'>, SharedReason | Uncounted> {
  if (state.capabilities?.reasonCounters !== true)
    return { findings: [], unchecked: [{ code: 'refusals-uncounted' }], isNotOffered: true };
  const unread = unreadReasons({ unjudged }, ['metrics']);
  if (unread.length > 0) return { findings: [], unchecked: unread };
  const login = averageRate(selectRateSeries(state, 'packets.connack.auth_error'));
  const all = averageRate(selectRateSeries(state, 'packets.connack.error'));
  const refused = all ?? login;
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
      happenedMs: selectLastGrowthMs(
        state,
        all === undefined ? 'packets.connack.auth_error' : 'packets.connack.error',
        leaveAt(triageThresholds.refusalsPerSecond.warning),
      ),
      evidence: { ...refused, loginPerSecond: login?.perSecond, by: refuserOf(state, 'authentication') },
      partOf: causeOf(earlier, 'authentication', refused.perSecond),
    });
  if (denied !== undefined && deniedSeverity !== undefined)
    findings.push({
      key: 'denied',
      severity: deniedSeverity,
      code: 'access-denied',
      happenedMs: selectLastGrowthMs(state, 'authorization.deny', leaveAt(triageThresholds.denialsPerSecond.warning)),
      evidence: { ...denied, by: refuserOf(state, 'authorization') },
      partOf: causeOf(earlier, 'authorization', denied.perSecond),
    });
  return { findings, unchecked: [], passed: { seconds: (refused ?? denied)?.seconds ?? 0 } };
}
