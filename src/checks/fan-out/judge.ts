import { memoise } from '../../domain/memoise.ts';
import { averageRate } from '../../domain/rates.ts';
import { reading } from '../../monitor/query/part.ts';
import { selectRateSeries } from '../../resources/metrics/rates.ts';
import { subscriptionScan } from '../../resources/subscriptions/resource.ts';
import type { CheckInput, Judgement } from '../../triage/check.ts';
import type { Problem } from '../../triage/problem.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { reaches, severityOf, triageThresholds } from '../../triage/thresholds.ts';
import type { Subscription } from '../../domain/client.ts';

interface Rates {
  readonly sentPerSecond: number;
  readonly receivedPerSecond: number;
}

interface FanOut extends Rates {
  readonly ratio: number;
  readonly suspect:
    | { readonly topic: string; readonly subscribers: number; readonly isMin: boolean }
    | 'not-read'
    | 'list-cut';
  /** The API has the traffic of each client. */
  readonly hasTalkers: boolean;
}

const busiestFilter = memoise(
  (rows: readonly Subscription[]): { readonly topic: string; readonly subscribers: number } | undefined => {
    const counts = new Map<string, number>();
    for (const { topic } of rows) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    let busiest: { readonly topic: string; readonly subscribers: number } | undefined;
    for (const [topic, subscribers] of counts)
      if (busiest === undefined || subscribers > busiest.subscribers) busiest = { topic, subscribers };
    return busiest;
  },
);

/** Finds many deliveries for each message. The API has no counters by topic, so a cause can only be suspected. */
export function judgeFanOut({
  state,
  history,
  found,
  unjudged,
}: CheckInput): Judgement<Problem<'fan-out', FanOut>, Rates, SharedReason> {
  const wasFound = found.has('fanOut');
  const unread = unreadReasons({ unjudged }, ['metrics']);
  if (unread.length > 0) return { findings: [], unchecked: unread };
  const received = averageRate(selectRateSeries(state, 'messages.received'));
  const sent = averageRate(selectRateSeries(state, 'messages.sent'));
  if (received === undefined || sent === undefined) return { findings: [], unchecked: [shortMetrics] };
  const ratio = received.perSecond > 0 ? sent.perSecond / received.perSecond : 0;
  const rates = { sentPerSecond: sent.perSecond, receivedPerSecond: received.perSecond };
  const severity = reaches(sent.perSecond, triageThresholds.fanOutSentPerSecond, wasFound)
    ? severityOf(ratio, triageThresholds.fanOut, wasFound)
    : undefined;
  if (severity === undefined) return { findings: [], unchecked: [], passed: rates };
  const { rows, leftOut } = reading(state, subscriptionScan);
  // The busiest filter of a part of the list may not be the busiest of all.
  const isCut = [...leftOut.values()].some(({ cut }) => cut !== undefined);
  const busiest = history.subscriptionReadings.complete > 0 && !isCut ? busiestFilter(rows) : undefined;
  const suspect = busiest === undefined ? (isCut ? 'list-cut' : 'not-read') : { ...busiest, isMin: leftOut.size > 0 };
  return {
    findings: [
      {
        key: 'fanOut',
        severity,
        code: 'fan-out',
        evidence: { ratio, ...rates, suspect, hasTalkers: state.capabilities?.clientTraffic === true },
      },
    ],
    unchecked: [],
  };
}
