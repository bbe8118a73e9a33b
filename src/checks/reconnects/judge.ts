import { compareNatural } from '../../domain/natural-order.ts';
import type { Client } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { averageSeconds, countsBetween, lastUnknownMs, minAverageSeconds } from '../../domain/rates.ts';
import { reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { selectLastGrowthMs, selectRateSeries } from '../../resources/metrics/rates.ts';
import { selectBrokerClock, selectNodes } from '../../resources/nodes/select.ts';
import type { CheckInput, Judgement, TriageState } from '../../triage/check.ts';
import { minRepeats } from '../../triage/memory.ts';
import type { Problem } from '../../triage/problem.ts';
import { type SharedReason, shortMetrics, unreadReasons } from '../../triage/reasons.ts';
import { leaveAt, reaches, severityOf, triageThresholds } from '../../triage/thresholds.ts';
import { sharedIdKey } from '../shared-ids/judge.ts';
import { type ClientPattern, countWith, patternOf } from './common-trait.ts';

interface ConnectFigures {
  readonly connectsPerSecond: number;
  readonly seconds: number;
  readonly change: number;
  readonly clients: number;
}

export interface ReconnectStorm extends ConnectFigures {
  /** All clients, with those that are away. */
  readonly known: number;
  readonly clientIds: readonly string[];
  readonly lostNode?: NodeName | undefined;
  readonly pattern?: ClientPattern | undefined;
  /** Refused logins may be counted, and no client is seen to reconnect. */
  readonly isAttempts?: true | undefined;
}

/** Only a few clients reconnect, again and again. */
interface ClientsReconnecting {
  readonly clientIds: readonly [string, ...string[]];
  /** The rate of all these clients. */
  readonly perSecond: number;
  readonly seconds: number;
}

export type ReconnectProblem =
  | Problem<'reconnect-storm', ReconnectStorm>
  | Problem<'clients-reconnecting', ClientsReconnecting>;

type Passed = ConnectFigures;

type ReconnectReason =
  | SharedReason
  | { readonly code: 'counters-restarted'; readonly agoSeconds: number }
  | { readonly code: 'clients-arriving'; readonly change: number; readonly seconds: number };

/** Returns reconnects that are not counted: clients of a lost node reconnect in the step that has no rate. */
function uncountedReconnects(state: MonitorState, breakMs: number): readonly ReconnectReason[] {
  const series = selectRateSeries(state, connectMetric(state));
  const [first, last] = [series[0], series.at(-1)];
  const agoMs = (last?.atMs ?? 0) - breakMs;
  if (first === undefined || first.atMs >= breakMs || agoMs >= averageSeconds * 1_000) return [];
  return [{ code: 'counters-restarted', agoSeconds: Math.round(agoMs / 1_000) }];
}

const lostNodeMs = 120_000;
/** Rates count the clients of a bulk action for so long after it: they are averages of a window. */
const afterBulkMs = 2_000 * averageSeconds;

/** Whether most reconnects are of clients that were disconnected from here. */
const areOwnReconnects = ({ bulk }: TriageState, reconnects: number, nowMs: number): boolean =>
  bulk !== undefined &&
  bulk.disconnectedIds.length > reconnects / 2 &&
  nowMs - (bulk.finishedAtMs ?? nowMs) < afterBulkMs;

/** More clients that reconnect are a storm. */
const maxRepeaters = 3;
/** The share of the reconnects that other clients may have. */
const maxOtherShare = 0.5;

/** Returns the few clients that make most of the reconnects, and the rate of these; `undefined` if there are many. */
function repeatersIn(
  { reconnects = new Map(), reconnected }: Pick<CheckInput['history'], 'reconnects' | 'reconnected'>,
  total: number,
): { readonly clientIds: readonly [string, ...string[]]; readonly total: number } | undefined {
  const [first, ...others] = [...reconnects]
    .filter(([, times]) => times >= minRepeats)
    .toSorted(([a, one], [b, other]) => other - one || compareNatural(a, b))
    .map(([clientId]) => clientId);
  if (first === undefined || others.length >= maxRepeaters) return undefined;
  const own = new Set([first, ...others]);
  const ofOthers = reconnected
    .filter((clientId) => !own.has(clientId))
    .reduce((sum, clientId) => sum + (reconnects.get(clientId) ?? 1), 0);
  return ofOthers > total * maxOtherShare ? undefined : { clientIds: [first, ...others], total: total - ofOthers };
}

/** The key of the problem that devices fight for these IDs, if that is why all of them reconnect. */
function contestedKey({ earlier }: CheckInput, clientIds: readonly [string, ...string[]]): string | undefined {
  const open = new Set(earlier.map(({ key }) => key));
  return clientIds.every((clientId) => open.has(sharedIdKey(clientId))) ? sharedIdKey(clientIds[0]) : undefined;
}

/** Returns the counter of successful connects, where the broker has it; else that which includes refused ones. */
const connectMetric = (state: MonitorState): 'client.connected' | 'packets.connect' =>
  selectRateSeries(state, 'client.connected').at(-1)?.perSecond === undefined ? 'packets.connect' : 'client.connected';

/** The clocks of brokers are read to the second. */
const clockToleranceSeconds = 2;

/**
 * Returns the clients that reconnected in the time that the rate is of, or between the last two readings of the
 * clients: one that came back before has no part in it.
 */
function reconnectedSince(
  { state, history: { reconnected, reconnectedClients, clientReadings }, nowMs }: CheckInput,
  fromMs: number,
): Pick<CheckInput['history'], 'reconnected' | 'reconnectedClients'> {
  const maxAge = (nowMs - Math.min(fromMs, clientReadings.beforeMs ?? fromMs)) / 1_000 + clockToleranceSeconds;
  const isEarlier = ({ node, connectedAt }: Client): boolean => {
    const clock = selectBrokerClock(state, node, nowMs);
    return clock !== undefined && connectedAt !== undefined && clock - connectedAt > maxAge;
  };
  const earlier = new Set(reconnectedClients.filter(isEarlier).map(({ clientId }) => clientId));
  return {
    reconnected: reconnected.filter((clientId) => !earlier.has(clientId)),
    reconnectedClients: reconnectedClients.filter(({ clientId }) => !earlier.has(clientId)),
  };
}

/** Finds clients that reconnect: a connect that adds no client is one. */
export function judgeReconnects(input: CheckInput): Judgement<ReconnectProblem, Passed, ReconnectReason> {
  const { state, history, found } = input;
  const wasFound = found.has('reconnects');
  const nothing = { findings: [] } as const;
  const unread = unreadReasons(input, ['metrics', 'stats']);
  if (unread.length > 0) return { ...nothing, unchecked: unread };
  const metric = connectMetric(state);
  const breakMs = lastUnknownMs(selectRateSeries(state, metric));
  const counts = history.clientCounts.filter(({ metricsMs }) => metricsMs >= breakMs);
  const first = counts[0];
  const last = counts.at(-1);
  const minSeconds = minAverageSeconds;
  if (first === undefined || last === undefined || last.atMs - first.atMs < minSeconds * 1_000) {
    return { ...nothing, unchecked: [{ code: 'history-short', of: 'client counts', minSeconds }] };
  }
  const steps = countsBetween(selectRateSeries(state, metric), first.metricsMs, last.metricsMs);
  const seconds = (last.metricsMs - first.metricsMs) / 1_000;
  if (steps === undefined || seconds < minSeconds) return { ...nothing, unchecked: [shortMetrics] };
  const connects = steps.reduce((sum, step) => sum + step, 0);
  const { clients } = last;
  const change = clients - first.clients;
  // Connects and clients are not read at the same moment: leave out the steps at both ends.
  const reconnects = connects - (steps[0] ?? 0) - (steps.length > 1 ? (steps.at(-1) ?? 0) : 0) - Math.max(0, change);
  const isMany = reaches(reconnects / seconds, triageThresholds.reconnectsPerSecond, wasFound);
  const severity = isMany
    ? severityOf(reconnects / Math.max(1, clients), triageThresholds.reconnectShare, wasFound)
    : undefined;
  const figures = { connectsPerSecond: connects / seconds, seconds, change, clients };
  if (severity === undefined) return { ...nothing, unchecked: uncountedReconnects(state, breakMs), passed: figures };
  const { reconnected: clientIds, reconnectedClients } = reconnectedSince(input, first.atMs);
  // While clients arrive, their number lags behind the connects: only a client that was seen before has reconnected.
  if (clientIds.length === 0 && change >= reconnects / 2)
    return { ...nothing, unchecked: [{ code: 'clients-arriving', change, seconds: Math.round(seconds) }] };
  // Clients of a lost node are expected to reconnect, and so are those disconnected from here.
  const lostNode = selectNodes(state).find(
    ({ status, sinceMs }) =>
      (status === 'stopped' || status === 'unknown') && sinceMs !== undefined && input.nowMs - sinceMs < lostNodeMs,
  )?.name;
  const happenedMs = selectLastGrowthMs(state, metric, leaveAt(triageThresholds.reconnectsPerSecond));
  const isExpected = lostNode !== undefined || areOwnReconnects(state, reconnects, input.nowMs);
  const repeaters = isExpected ? undefined : repeatersIn(history, reconnects);
  if (repeaters !== undefined) {
    return {
      findings: [
        {
          key: 'reconnects',
          severity: 'warning',
          partOf: contestedKey(input, repeaters.clientIds),
          code: 'clients-reconnecting',
          happenedMs,
          evidence: { clientIds: repeaters.clientIds, perSecond: repeaters.total / seconds, seconds },
        },
      ],
      unchecked: [],
    };
  }
  // Whole readings of the clients since the storm began would show who reconnects.
  const isAttempts =
    metric === 'packets.connect' &&
    clientIds.length === 0 &&
    history.clientReadings.last === 'complete' &&
    (history.clientReadings.beforeMs ?? Number.NEGATIVE_INFINITY) >= first.atMs;
  return {
    findings: [
      {
        key: 'reconnects',
        severity: isExpected || isAttempts ? 'warning' : severity,
        code: 'reconnect-storm',
        happenedMs,
        evidence: {
          ...figures,
          known: Math.max(clients, countWith(reading(state, clientScan).rows, clientIds)),
          clientIds,
          lostNode,
          pattern: patternOf(reading(state, clientScan).rows, reconnectedClients),
          ...(isAttempts && { isAttempts }),
        },
      },
    ],
    unchecked: [],
  };
}
