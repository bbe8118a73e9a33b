import { memoise } from '../domain/memoise.ts';
import type { MetricName } from '../domain/metrics.ts';
import { durationText, literal, pluralize, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import { selectRateSeries } from '../monitor/select/rates.ts';
import type { MonitorState } from '../monitor/state.ts';
import { doubtsAbout } from './base-checks.ts';
import { type CheckInput, type CheckResult, figure, idParts, type Jump, percent } from './check.ts';
import { severityOf, triageThresholds } from './thresholds.ts';

/** A counter over the window. */
interface Growth {
  readonly perSecond: number;
  /** Time that is covered by samples. */
  readonly seconds: number;
}

/** The cluster's average rate over the window; `undefined` if too little is known. */
export function averageRate(state: MonitorState, name: MetricName): Growth | undefined {
  const series = selectRateSeries(state, name);
  const lastMs = series.at(-1)?.atMs ?? 0;
  let sum = 0;
  let ms = 0;
  for (let index = 1; index < series.length; index += 1) {
    const point = series[index];
    const before = series[index - 1];
    if (point?.perSecond === undefined || before === undefined || point.atMs <= lastMs - triageThresholds.windowSeconds * 1_000) continue;
    sum += point.perSecond * (point.atMs - before.atMs);
    ms += point.atMs - before.atMs;
  }
  return ms < triageThresholds.minSeconds * 1_000 ? undefined : { perSecond: sum / ms, seconds: ms / 1_000 };
}

/** Growth of a counter in each step between two monotonic times; `undefined` if one step is unknown. */
function stepsBetween(state: MonitorState, name: MetricName, fromMs: number, toMs: number): readonly number[] | undefined {
  const series = selectRateSeries(state, name);
  const steps: number[] = [];
  for (let index = 1; index < series.length; index += 1) {
    const point = series[index];
    const before = series[index - 1];
    if (point === undefined || before === undefined || point.atMs <= fromMs || point.atMs > toMs) continue;
    if (point.perSecond === undefined) return undefined;
    steps.push((point.perSecond * (point.atMs - before.atMs)) / 1_000);
  }
  return steps;
}

/** When a counter was last reset, as when a node went: only later samples are comparable. */
const lastBreakMs = (state: MonitorState, name: MetricName): number =>
  selectRateSeries(state, name).findLast(({ perSecond }) => perSecond === undefined)?.atMs ?? Number.NEGATIVE_INFINITY;

const tooShort: readonly TextPart[] = [literal(`less than ${triageThresholds.minSeconds} s of metrics known`)];

/** Clients of a lost node reconnect in the step that has no rate. */
function unseenMoves(state: MonitorState, breakMs: number): readonly (readonly TextPart[])[] {
  const series = selectRateSeries(state, 'packets.connect');
  const [first, last] = [series[0], series.at(-1)];
  const agoMs = (last?.atMs ?? 0) - breakMs;
  if (first === undefined || first.atMs >= breakMs || agoMs >= triageThresholds.windowSeconds * 1_000) return [];
  return [[literal(`the counters began anew ${Math.round(agoMs / 1_000)} s ago, as when a node goes: clients that came over then are not counted`)]];
}

/** Compares connects with the change in clients: a connect that adds no client is a reconnect. */
export function reconnectCheck(input: CheckInput): CheckResult {
  const { state, history } = input;
  const jump: Jump = { screen: 'clients', sort: { columnId: 'connected', isReversed: true } };
  const breakMs = lastBreakMs(state, 'packets.connect');
  const counts = history.clientCounts.filter(({ metricsMs }) => metricsMs >= breakMs);
  const first = counts[0];
  const last = counts.at(-1);
  const base = { check: 'reconnects', findings: [], doubts: [], jump } as const;
  const doubts = doubtsAbout(input, ['metrics', 'stats']);
  if (doubts.length > 0) return { ...base, doubts, evidence: [] };
  if (first === undefined || last === undefined || last.atMs - first.atMs < triageThresholds.minSeconds * 1_000) {
    return { ...base, doubts: [[literal(`less than ${triageThresholds.minSeconds} s of counts of clients`)]], evidence: [] };
  }
  const steps = stepsBetween(state, 'packets.connect', first.metricsMs, last.metricsMs);
  const seconds = (last.metricsMs - first.metricsMs) / 1_000;
  if (steps === undefined || seconds < triageThresholds.minSeconds) return { ...base, doubts: [tooShort], evidence: [] };
  const connects = steps.reduce((sum, step) => sum + step, 0);
  const change = last.clients - first.clients;
  // Connects and clients are not read at the same moment: leave out the steps at both ends.
  const reconnects = connects - (steps[0] ?? 0) - (steps.length > 1 ? (steps.at(-1) ?? 0) : 0) - Math.max(0, change);
  const share = reconnects / Math.max(1, last.clients);
  const isMany = reconnects / seconds >= triageThresholds.reconnectsPerSecond;
  const severity = isMany ? severityOf(share, triageThresholds.reconnectShare) : undefined;
  const words = `${figure(connects / seconds)} connects/s over ${Math.round(seconds)} s, clients ${change < 0 ? '' : '+'}${withThousands(change)} to ${withThousands(last.clients)}`;
  if (severity === undefined) return { ...base, doubts: unseenMoves(state, breakMs), evidence: [literal(words)] };
  const ids = history.reconnected;
  const found = ids.length === 0 ? undefined : { name: 'connected anew', clientIds: ids };
  return {
    ...base,
    evidence: [],
    findings: [{
      check: 'reconnects', key: 'reconnects', severity, sinceMs: undefined, jump: { ...jump, found },
      parts: [
        literal(`Reconnect storm: ${words}`),
        ...(ids.length === 0 ? [literal('.')] : [literal(`; ${pluralize(ids.length, 'id')} connected anew: `), ...idParts(ids), literal('.')]),
      ],
    }],
  };
}

/** Messages without a subscriber: all that `messages.dropped` counts (§2.10). Losses of full queues are in the sessions. */
export function droppedCheck(input: CheckInput): CheckResult {
  const { state } = input;
  const jump: Jump = { screen: 'metrics', row: 'messages.dropped' };
  const doubts = doubtsAbout(input, ['metrics']);
  const dropped = averageRate(state, 'messages.dropped');
  const base = { check: 'dropped', findings: [], evidence: [], doubts, jump } as const;
  if (doubts.length > 0) return base;
  if (dropped === undefined) return { ...base, doubts: [tooShort] };
  const severity = severityOf(dropped.perSecond, triageThresholds.droppedPerSecond);
  const received = averageRate(state, 'messages.received');
  const of = received === undefined || received.perSecond <= 0 ? '' : `, ${percent(Math.min(1, dropped.perSecond / received.perSecond))} of those received`;
  const words = `${figure(dropped.perSecond)} messages/s over ${Math.round(dropped.seconds)} s${of}`;
  if (severity === undefined) return { ...base, evidence: [literal(`${figure(dropped.perSecond)} messages/s without a subscriber over ${durationText(Math.round(dropped.seconds))}`)] };
  return { ...base, findings: [{ check: 'dropped', key: 'dropped', severity, sinceMs: undefined, jump, parts: [literal(`Dropped because nobody subscribed: ${words}.`)] }] };
}

/** The topic filter with the most subscribers; `undefined` if the list is empty. */
const busiestFilter = memoise((rows: MonitorState['subscriptionScan']['rows']): { readonly topic: string; readonly subscribers: number } | undefined => {
  const counts = new Map<string, number>();
  for (const { topic } of rows) counts.set(topic, (counts.get(topic) ?? 0) + 1);
  let most: { readonly topic: string; readonly subscribers: number } | undefined;
  for (const [topic, subscribers] of counts) if (most === undefined || subscribers > most.subscribers) most = { topic, subscribers };
  return most;
});

/** Messages sent per message received. The API has no counters by topic, so a cause can only be suspected. */
export function fanOutCheck(input: CheckInput): CheckResult {
  const { state, history } = input;
  const doubts = doubtsAbout(input, ['metrics']);
  const jump: Jump = { screen: 'subscriptions' };
  const base = { check: 'fanOut', findings: [], evidence: [], doubts, jump } as const;
  if (doubts.length > 0) return base;
  const received = averageRate(state, 'messages.received');
  const sent = averageRate(state, 'messages.sent');
  if (received === undefined || sent === undefined) return { ...base, doubts: [tooShort] };
  const ratio = received.perSecond > 0 ? sent.perSecond / received.perSecond : 0;
  const words = `${figure(sent.perSecond)} messages/s out for ${figure(received.perSecond)}/s in`;
  const severity = sent.perSecond >= triageThresholds.fanOutSentPerSecond ? severityOf(ratio, triageThresholds.fanOut) : undefined;
  if (severity === undefined) return { ...base, evidence: [literal(words)] };
  // A part of the list does not show the most subscribed filter.
  const isCut = [...state.subscriptionScan.leftOut.values()].some(({ cut }) => cut !== undefined);
  const top = history.subscriptionReadings.complete > 0 && !isCut ? busiestFilter(state.subscriptionScan.rows) : undefined;
  const suspect = top === undefined
    ? [literal(`; traffic by topic is not counted, subscriptions are not ${isCut ? 'all read' : 'read yet'}.`)]
    : [literal('; traffic by topic is not counted, but most subscribed is '), untrusted(top.topic), literal(` (${state.subscriptionScan.leftOut.size > 0 ? 'at least ' : ''}${pluralize(top.subscribers, 'client')}).`)];
  return {
    ...base,
    findings: [{
      check: 'fanOut', key: 'fanOut', severity, sinceMs: undefined, jump: { ...jump, topic: top?.topic },
      parts: [literal(`High fan-out: each message goes out ${figure(ratio)} times, ${words}`), ...suspect],
    }],
  };
}
