import type { MetricName } from '../domain/metrics.ts';
import { averageRate } from '../domain/rates.ts';
import { selectRateSeries } from '../monitor/select/rates.ts';
import { areAllNodesRead, unreadReasons } from './base-checks.ts';
import type { CheckInput, CheckResult, DropReason, Finding } from './check.ts';
import { severityOf, triageThresholds } from './thresholds.ts';
import { shortMetrics } from './traffic-checks.ts';

const dropReasons = ['queue_full', 'too_large', 'expired', 'qos0_msg'] as const satisfies readonly DropReason[];

const dropMetric = (reason: DropReason): MetricName => `delivery.dropped.${reason}`;

/** Releases differ in what they count. */
const uncounted = (
  state: CheckInput['state'],
  code: 'reasons-uncounted' | 'refusals-uncounted',
): Pick<CheckResult, 'unchecked' | 'isNotOffered'> =>
  averageRate(selectRateSeries(state, 'messages.received')) === undefined
    ? { unchecked: [shortMetrics] }
    : { unchecked: [{ code }], isNotOffered: true };

/** Sessions that lose so much of the messages explain the loss: both rates are averages, of different times. */
const explainedShare = 0.5;

/** The key of the session that loses most, if the sessions that lose messages explain the rate, or their own rates are not known yet. */
function loserOf({ losing, sessions }: CheckInput['history'], perSecond: number): string | undefined {
  const [first] = [...losing].toSorted(([, a], [, b]) => b - a);
  const sum = [...losing.values()].reduce((total, rate) => total + rate, 0);
  const loser =
    first !== undefined && sum >= explainedShare * perSecond
      ? first[0]
      : sessions.find(({ rates: { hasDropped } }) => hasDropped === true)?.session.clientId;
  return loser === undefined ? undefined : `slow ${loser}`;
}

/** Messages that were not delivered to a subscriber, by reason. Those without a subscriber are another check. */
export function dropCheck(input: CheckInput): CheckResult {
  const { state, history, found } = input;
  const base = { check: 'drops', findings: [], target: { kind: 'metrics', name: 'delivery.dropped' } } as const;
  if (state.capabilities?.reasonCounters !== true)
    return { ...base, unchecked: [{ code: 'reasons-uncounted' }], isNotOffered: true };
  const unchecked = unreadReasons(input, ['metrics']);
  if (unchecked.length > 0) return { ...base, unchecked };
  const rates = dropReasons.flatMap((reason) => {
    const rate = averageRate(selectRateSeries(state, dropMetric(reason)));
    return rate === undefined ? [] : [{ reason, ...rate }];
  });
  const [first] = rates;
  if (first === undefined) return { ...base, ...uncounted(state, 'reasons-uncounted') };
  const findings = rates.flatMap(({ reason, perSecond, seconds }): readonly Finding[] => {
    const key = `drops ${reason}`;
    const reached = severityOf(perSecond, triageThresholds.dropsPerSecond, found.has(key));
    // As for a session that loses them.
    const severity = reached !== undefined && reason === 'queue_full' ? 'critical' : reached;
    return severity === undefined
      ? []
      : [
          {
            check: 'drops',
            key,
            severity,
            target: { kind: 'metrics', name: dropMetric(reason) },
            code: 'messages-dropped',
            evidence: { reason, perSecond, seconds, countersSeconds: state.capabilities?.sessionCountersSeconds },
            partOf: reason === 'queue_full' ? loserOf(history, perSecond) : undefined,
          },
        ];
  });
  return { ...base, findings, unchecked: [], passed: { check: 'drops', seconds: first.seconds } };
}

/** Connections that the broker refuses, and what it does not allow its clients. It does not say which ones. */
export function refusalCheck(input: CheckInput): CheckResult {
  const { state, found } = input;
  const base = { check: 'refusals', findings: [], target: { kind: 'metrics', name: 'packets.connack.error' } } as const;
  if (state.capabilities?.reasonCounters !== true)
    return { ...base, unchecked: [{ code: 'refusals-uncounted' }], isNotOffered: true };
  const unchecked = unreadReasons(input, ['metrics']);
  if (unchecked.length > 0) return { ...base, unchecked };
  const login = averageRate(selectRateSeries(state, 'packets.connack.auth_error'));
  const refused = averageRate(selectRateSeries(state, 'packets.connack.error')) ?? login;
  const denied = averageRate(selectRateSeries(state, 'authorization.deny'));
  if (refused === undefined && denied === undefined) return { ...base, ...uncounted(state, 'refusals-uncounted') };
  const refusedSeverity = severityOf(refused?.perSecond, triageThresholds.refusalsPerSecond, found.has('refused'));
  const deniedSeverity = severityOf(denied?.perSecond, triageThresholds.denialsPerSecond, found.has('denied'));
  const findings: readonly Finding[] = [
    ...(refused === undefined || refusedSeverity === undefined
      ? []
      : [
          {
            check: 'refusals',
            key: 'refused',
            severity: refusedSeverity,
            target: base.target,
            code: 'connections-refused',
            evidence: { ...refused, loginPerSecond: login?.perSecond },
          } as const,
        ]),
    ...(denied === undefined || deniedSeverity === undefined
      ? []
      : [
          {
            check: 'refusals',
            key: 'denied',
            severity: deniedSeverity,
            target: { kind: 'metrics', name: 'authorization.deny' },
            code: 'access-denied',
            evidence: denied,
          } as const,
        ]),
  ];
  return {
    ...base,
    findings,
    unchecked: [],
    passed: { check: 'refusals', seconds: (refused ?? denied)?.seconds ?? 0 },
  };
}

/** Subscriptions that the broker itself calls slow. */
export function slowSubscriptionCheck({ state, history }: CheckInput): CheckResult {
  const base = { check: 'slowSubscriptions', findings: [], target: { kind: 'slowSubscriptions' } } as const;
  if (state.capabilities?.slowSubscriptions !== true)
    return { ...base, unchecked: [{ code: 'slow-unavailable' }], isNotOffered: true };
  const { data, updatedAtMs } = state.slowSubscriptions;
  if (data?.isEnabled === false) return { ...base, unchecked: [{ code: 'slow-disabled' }], isNotOffered: true };
  // What was queued while a client was away is late, but the client is not slow.
  const items = (data?.items ?? []).filter(({ clientId }) => !history.reconnected.includes(clientId));
  const [slowest] = items;
  return {
    ...base,
    passed: {
      check: 'slowSubscriptions',
      thresholdMs: data?.thresholdMs,
      leftOut: (data?.items.length ?? 0) - items.length,
    },
    findings:
      data === undefined || slowest === undefined
        ? []
        : [
            {
              check: 'slowSubscriptions',
              key: 'slow subscriptions',
              severity: 'warning',
              target: base.target,
              code: 'slow-subscriptions',
              evidence: {
                count: items.length,
                clientId: slowest.clientId,
                topic: slowest.topic,
                latencyMs: slowest.latencyMs,
                thresholdMs: data.thresholdMs,
              },
            },
          ],
    unchecked: data === undefined ? [{ code: 'slow-unread' }] : [],
    refutes: () => data !== undefined && areAllNodesRead(state, state.slowSubscriptions),
    reading: {
      noun: 'slow subscriptions',
      atMs: updatedAtMs,
      isWatched: state.watched?.some(({ kind }) => kind === 'slowSubscriptions') === true,
    },
  };
}
