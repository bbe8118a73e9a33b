import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { areAllNodesRead } from '../../triage/reasons.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import { slowSubscriptions } from '../../resources/slow-subscriptions/resource.ts';

interface SlowSubscriptions {
  readonly count: number;
  /** The slowest one. */
  readonly clientId: string;
  readonly topic: string;
  readonly latencyMs: number;
  readonly thresholdMs: number | undefined;
}

interface Passed {
  readonly thresholdMs: number | undefined;
  /** Slow ones of clients that have just reconnected. */
  readonly leftOut: number;
}

type SlowReason =
  | { readonly code: 'slow-unavailable' | 'slow-unread' }
  | { readonly code: 'slow-disabled'; readonly setting: string | undefined };

/** Finds subscriptions that the broker itself calls slow. */
export function judgeSlowSubscriptions({
  state,
  history,
}: CheckInput): Judgement<Problem<'slow-subscriptions', SlowSubscriptions>, Passed, SlowReason> {
  if (state.capabilities?.slowSubscriptions !== true)
    return { findings: [], unchecked: [{ code: 'slow-unavailable' }], isNotOffered: true };
  const { data, updatedAtMs } = reading(state, slowSubscriptions);
  if (data?.isEnabled === false)
    return { findings: [], unchecked: [{ code: 'slow-disabled', setting: data.setting }], isNotOffered: true };
  // What was queued while a client was away is late, but the client is not slow.
  const items = (data?.items ?? []).filter(({ clientId }) => !history.reconnected.includes(clientId));
  const [slowest] = items;
  return {
    passed: { thresholdMs: data?.thresholdMs, leftOut: (data?.items.length ?? 0) - items.length },
    findings:
      data === undefined || slowest === undefined
        ? []
        : [
            {
              key: 'slow subscriptions',
              severity: 'warning',
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
    refutes: () => data !== undefined && areAllNodesRead(state, reading(state, slowSubscriptions)),
    reading: {
      noun: 'slow subscriptions',
      atMs: updatedAtMs,
      isWatched: isWatched(state, slowSubscriptions),
    },
  };
}
