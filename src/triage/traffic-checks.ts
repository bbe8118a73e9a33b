import { memoise } from '../domain/memoise.ts';
import { compareNatural } from '../domain/natural-order.ts';
import { averageRate, averageSeconds, countsBetween, lastUnknownMs, minAverageSeconds } from '../domain/rates.ts';
import { selectNodes } from '../monitor/select/nodes.ts';
import { selectRateSeries } from '../monitor/select/rates.ts';
import type { MonitorState } from '../monitor/state.ts';
import { unreadReasons } from './base-checks.ts';
import type {
  CheckInput,
  CheckResult,
  Finding,
  NodeChange,
  SubjectChange,
  Target,
  TriageState,
  UncheckedReason,
} from './check.ts';
import { countWith, patternOf } from './common-trait.ts';
import { minRepeats } from './memory.ts';
import type { LevelChange, SuddenChanges, SuddenSubject } from './sudden-memory.ts';
import { reaches, type Severity, severityOf, suddenThresholds, triageThresholds } from './thresholds.ts';

export const shortMetrics: UncheckedReason = {
  code: 'history-short',
  of: 'metrics',
  minSeconds: minAverageSeconds,
};

/** Clients of a lost node reconnect in the step that has no rate. */
function uncountedReconnects(state: MonitorState, breakMs: number): readonly UncheckedReason[] {
  const series = selectRateSeries(state, connectMetric(state));
  const [first, last] = [series[0], series.at(-1)];
  const agoMs = (last?.atMs ?? 0) - breakMs;
  if (first === undefined || first.atMs >= breakMs || agoMs >= averageSeconds * 1_000) return [];
  return [{ code: 'counters-restarted', agoSeconds: Math.round(agoMs / 1_000) }];
}

const lostNodeMs = 120_000;
/** Rates are averages of a window: so long after a bulk action they still count its clients. */
const afterBulkMs = 2_000 * averageSeconds;

/** Whether most reconnects are of clients that were disconnected from here. */
const areOwnReconnects = ({ bulk }: TriageState, reconnects: number, nowMs: number): boolean =>
  bulk !== undefined &&
  bulk.disconnectedIds.length > reconnects / 2 &&
  nowMs - (bulk.finishedAtMs ?? nowMs) < afterBulkMs;

/** More of them are a storm. */
const maxRepeaters = 3;
/** Of the reconnects, those of other clients that were seen. */
const maxOtherShare = 0.5;

/** The few clients that make most of the reconnects, and the rate of these; `undefined` if there are many. */
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

/** Successful connects, where the broker counts them; else with those that it refuses. */
const connectMetric = (state: MonitorState): 'client.connected' | 'packets.connect' =>
  selectRateSeries(state, 'client.connected').at(-1)?.perSecond === undefined ? 'packets.connect' : 'client.connected';

/** Compares connects with the change in clients: a connect that adds no client is a reconnect. */
export function reconnectCheck(input: CheckInput): CheckResult {
  const { state, history, found } = input;
  const wasFound = found.has('reconnects');
  const base = {
    check: 'reconnects',
    findings: [],
    unchecked: unreadReasons(input, ['metrics', 'stats']),
    target: { kind: 'clients' },
  } as const;
  if (base.unchecked.length > 0) return base;
  const metric = connectMetric(state);
  const breakMs = lastUnknownMs(selectRateSeries(state, metric));
  const counts = history.clientCounts.filter(({ metricsMs }) => metricsMs >= breakMs);
  const first = counts[0];
  const last = counts.at(-1);
  const minSeconds = minAverageSeconds;
  if (first === undefined || last === undefined || last.atMs - first.atMs < minSeconds * 1_000) {
    return { ...base, unchecked: [{ code: 'history-short', of: 'client counts', minSeconds }] };
  }
  const steps = countsBetween(selectRateSeries(state, metric), first.metricsMs, last.metricsMs);
  const seconds = (last.metricsMs - first.metricsMs) / 1_000;
  if (steps === undefined || seconds < minSeconds) return { ...base, unchecked: [shortMetrics] };
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
  if (severity === undefined)
    return { ...base, unchecked: uncountedReconnects(state, breakMs), passed: { check: 'reconnects', ...figures } };
  const clientIds = history.reconnected;
  // While clients arrive, their number lags behind the connects: only a client that was seen before has reconnected.
  if (clientIds.length === 0 && change >= reconnects / 2)
    return { ...base, unchecked: [{ code: 'clients-arriving', change, seconds: Math.round(seconds) }] };
  // Clients of a lost node are expected to reconnect, and so are those disconnected from here.
  const lostNode = selectNodes(state).find(
    ({ status, sinceMs }) =>
      (status === 'stopped' || status === 'unknown') && sinceMs !== undefined && input.nowMs - sinceMs < lostNodeMs,
  )?.name;
  const isExpected = lostNode !== undefined || areOwnReconnects(state, reconnects, input.nowMs);
  const repeaters = isExpected ? undefined : repeatersIn(history, reconnects);
  if (repeaters !== undefined) {
    return {
      ...base,
      findings: [
        {
          check: 'reconnects',
          key: 'reconnects',
          severity: 'warning',
          target: { kind: 'clients', clientIds: repeaters.clientIds },
          code: 'clients-reconnecting',
          evidence: { clientIds: repeaters.clientIds, perSecond: repeaters.total / seconds, seconds },
        },
      ],
    };
  }
  // Whole readings of the clients since the storm began would show who reconnects.
  const isAttempts =
    metric === 'packets.connect' &&
    clientIds.length === 0 &&
    history.clientReadings.last === 'complete' &&
    (history.clientReadings.beforeMs ?? Number.NEGATIVE_INFINITY) >= first.atMs;
  return {
    ...base,
    findings: [
      {
        check: 'reconnects',
        key: 'reconnects',
        severity: isExpected || isAttempts ? 'warning' : severity,
        target: { kind: 'clients', clientIds: clientIds.length === 0 ? undefined : clientIds },
        code: 'reconnect-storm',
        evidence: {
          ...figures,
          known: Math.max(clients, countWith(state.clientScan.rows, clientIds)),
          clientIds,
          lostNode,
          pattern: patternOf(state.clientScan.rows, history.reconnectedClients),
          ...(isAttempts && { isAttempts }),
        },
      },
    ],
  };
}

/** Messages without a subscriber, counted by `messages.dropped` (§2.10). Losses of full queues are in the sessions. */
export function unroutedCheck(input: CheckInput): CheckResult {
  const { state, found } = input;
  const target = { kind: 'metrics', name: 'messages.dropped' } as const;
  const base = { check: 'unrouted', findings: [], unchecked: unreadReasons(input, ['metrics']), target } as const;
  if (base.unchecked.length > 0) return base;
  const unrouted = averageRate(selectRateSeries(state, 'messages.dropped'));
  if (unrouted === undefined) return { ...base, unchecked: [shortMetrics] };
  const { perSecond, seconds } = unrouted;
  const severity = severityOf(perSecond, triageThresholds.unroutedPerSecond, found.has('unrouted'));
  const received = averageRate(selectRateSeries(state, 'messages.received'))?.perSecond ?? 0;
  const share = received <= 0 ? undefined : Math.min(1, perSecond / received);
  if (severity === undefined || (share !== undefined && share < triageThresholds.minUnroutedShare))
    return { ...base, passed: { check: 'unrouted', perSecond, seconds } };
  return {
    ...base,
    findings: [
      {
        check: 'unrouted',
        key: 'unrouted',
        severity,
        target,
        code: 'unrouted-messages',
        evidence: { perSecond, seconds, share },
      },
    ],
  };
}

const busiestFilter = memoise(
  (
    rows: MonitorState['subscriptionScan']['rows'],
  ): { readonly topic: string; readonly subscribers: number } | undefined => {
    const counts = new Map<string, number>();
    for (const { topic } of rows) counts.set(topic, (counts.get(topic) ?? 0) + 1);
    let busiest: { readonly topic: string; readonly subscribers: number } | undefined;
    for (const [topic, subscribers] of counts)
      if (busiest === undefined || subscribers > busiest.subscribers) busiest = { topic, subscribers };
    return busiest;
  },
);

/** The API has no counters by topic, so a cause can only be suspected. */
export function fanOutCheck(input: CheckInput): CheckResult {
  const { state, history, found } = input;
  const wasFound = found.has('fanOut');
  const base = {
    check: 'fanOut',
    findings: [],
    unchecked: unreadReasons(input, ['metrics']),
    target: { kind: 'subscriptions' },
  } as const;
  if (base.unchecked.length > 0) return base;
  const received = averageRate(selectRateSeries(state, 'messages.received'));
  const sent = averageRate(selectRateSeries(state, 'messages.sent'));
  if (received === undefined || sent === undefined) return { ...base, unchecked: [shortMetrics] };
  const ratio = received.perSecond > 0 ? sent.perSecond / received.perSecond : 0;
  const rates = { sentPerSecond: sent.perSecond, receivedPerSecond: received.perSecond };
  const severity = reaches(sent.perSecond, triageThresholds.fanOutSentPerSecond, wasFound)
    ? severityOf(ratio, triageThresholds.fanOut, wasFound)
    : undefined;
  if (severity === undefined) return { ...base, passed: { check: 'fanOut', ...rates } };
  const { rows, leftOut } = state.subscriptionScan;
  // The busiest filter of a part of the list may not be the busiest of all.
  const isCut = [...leftOut.values()].some(({ cut }) => cut !== undefined);
  const busiest = history.subscriptionReadings.complete > 0 && !isCut ? busiestFilter(rows) : undefined;
  const suspect = busiest === undefined ? (isCut ? 'list-cut' : 'not-read') : { ...busiest, isMin: leftOut.size > 0 };
  return {
    ...base,
    findings: [
      {
        check: 'fanOut',
        key: 'fanOut',
        severity,
        target: { kind: 'subscriptions', topic: busiest?.topic },
        code: 'fan-out',
        evidence: { ratio, ...rates, suspect, hasTalkers: state.capabilities?.clientTraffic === true },
      },
    ],
  };
}

type ClusterChange = SuddenChanges['ofCluster'][number];
type ShareChange = SuddenChanges['ofShares'][number];

const minNodeShare = 0.1;
const minReturn = 0.1;

const isTraffic = (subject: SuddenSubject): boolean => subject === 'messages.received' || subject === 'messages.sent';

const targetOfSubject = (subject: SuddenSubject): Target =>
  subject === 'messages.received' || subject === 'messages.sent'
    ? { kind: 'metrics', name: subject }
    : { kind: subject };

function severityOfChange({ subject, direction, before, after }: ClusterChange): Severity {
  const critical = isTraffic(subject) ? suddenThresholds.trafficCritical : suddenThresholds.countsCritical;
  return direction === 'fall' && Math.abs(after - before) / Math.max(1, before) >= critical ? 'critical' : 'warning';
}

function changedNodes({ before, after, beforeByNode, afterByNode }: LevelChange): readonly NodeChange[] {
  if (beforeByNode === undefined || afterByNode === undefined) return [];
  return byExtent(
    [...beforeByNode]
      .map(([node, had]) => ({ node, before: had, after: afterByNode.get(node) ?? 0 }))
      .filter((change) => extentOf(change) >= minNodeShare * Math.abs(before - after)),
  );
}

const extentOf = ({ before, after }: Pick<NodeChange, 'before' | 'after'>): number => Math.abs(after - before);

const byExtent = <Change extends Pick<NodeChange, 'before' | 'after'>>(changes: readonly Change[]): readonly Change[] =>
  changes.toSorted((a, b) => extentOf(b) - extentOf(a));

const toSubjectChange = ({ subject, before, after }: ClusterChange): SubjectChange => ({ subject, before, after });

function changeFinding(
  [first, ...others]: readonly [ClusterChange, ...ClusterChange[]],
  talker: CheckInput['history']['talker'],
): Finding {
  const { subject, direction, atMs, now } = first;
  const hasReturned = Math.abs(now - first.after) > minReturn * extentOf(first);
  return {
    check: 'sudden',
    key: `sudden ${direction} ${subject}`,
    severity: [first, ...others].some((change) => severityOfChange(change) === 'critical') ? 'critical' : 'warning',
    atMs,
    target: targetOfSubject(subject),
    code: 'sudden-change',
    evidence: {
      direction,
      atMs,
      changes: [toSubjectChange(first), ...others.map(toSubjectChange)],
      nodes: changedNodes(first),
      now: hasReturned ? now : undefined,
      ...(talker !== undefined &&
        [first, ...others].some(
          (change) =>
            change.subject === 'messages.received' && change.direction === 'rise' && change.atMs === talker.roseAtMs,
        ) && { talker: { clientId: talker.clientId, perSecond: talker.perSecond } }),
    },
  };
}

const isTogether = (a: LevelChange, b: LevelChange): boolean =>
  Math.abs(a.atMs - b.atMs) <= suddenThresholds.togetherSeconds * 1_000;

/** Clients take their sessions and messages along, so changes are grouped by time and direction. */
function grouped(changes: readonly ClusterChange[]): readonly (readonly [ClusterChange, ...ClusterChange[]])[] {
  const groups: [ClusterChange, ...ClusterChange[]][] = [];
  for (const change of changes) {
    const group = groups.find(([first]) => first.direction === change.direction && isTogether(first, change));
    if (group === undefined) groups.push([change]);
    else group.push(change);
  }
  return groups;
}

function moveFinding(shares: readonly ShareChange[], clients: number | undefined): readonly Finding[] {
  const [latest] = shares.toSorted((a, b) => b.atMs - a.atMs);
  if (latest === undefined) return [];
  const moved = byExtent(shares.filter((change) => isTogether(change, latest)));
  const atMs = Math.min(...moved.map((change) => change.atMs));
  return [
    {
      check: 'sudden',
      key: 'sudden move',
      severity: 'warning',
      atMs,
      target: { kind: 'nodes' },
      code: 'clients-moved',
      evidence: { atMs, clients, nodes: moved.map(({ node, before, after }) => ({ node, before, after })) },
    },
  ];
}

export function suddenCheck(input: CheckInput): CheckResult {
  const {
    history: {
      talker,
      sudden: { ofCluster, ofShares, clients, knownSinceMs, readAtMs, minSeconds },
    },
    nowMs,
  } = input;
  const isRecent = ({ atMs }: LevelChange): boolean => nowMs - atMs <= suddenThresholds.shownSeconds * 1_000;
  const changes = ofCluster.filter(isRecent);
  const counts = changes.filter(({ subject }) => subject === 'clients');
  // When clients leave one node, the shares of all others change too.
  const shares = ofShares.filter(isRecent).filter((share) => !counts.some((change) => isTogether(change, share)));
  const unread = unreadReasons(input, ['nodeStats', 'stats', 'metrics']);
  const seconds = knownSinceMs === undefined || readAtMs === undefined ? 0 : (readAtMs - knownSinceMs) / 1_000;
  return {
    check: 'sudden',
    target: { kind: 'metrics' },
    passed: { check: 'sudden', seconds },
    findings: [...grouped(changes).map((group) => changeFinding(group, talker)), ...moveFinding(shares, clients)],
    unchecked:
      unread.length > 0 || seconds >= minSeconds ? unread : [{ code: 'history-short', of: 'totals', minSeconds }],
  };
}
