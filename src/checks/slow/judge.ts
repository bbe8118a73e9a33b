import { hasCounters, isInflightFull } from '../../domain/client.ts';
import { memoise } from '../../domain/memoise.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import type { NodeName } from '../../domain/node.ts';
import { wallMs } from '../../monitor/clock.ts';
import { isWatched, reading } from '../../monitor/query/part.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { refreshOf } from '../../monitor/steps.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { isPollingPaused } from '../../resources/freshness.ts';
import {
  hasRates,
  isShortAbsence,
  nodesOfClients,
  type OfflineCounters,
  reconnectedRates,
  type SessionRow,
  unknownRates,
  waitingRates,
} from '../../resources/sessions/history.ts';
import { selectElsewhere, selectQueueLimits } from '../../resources/sessions/select.ts';
import {
  isOlderThanClients,
  outdatedNodes,
  type LossSpan,
  selectSessionsUnread,
  type TriageHistory,
} from '../../triage/memory.ts';
import {
  fullWithinSeconds,
  isLosing as isLosingMessages,
  isQueueGrowing,
  lossPerSecond,
  secondsToFull,
} from '../../resources/sessions/trouble.ts';
import type { CheckInput, CheckReading, Judgement } from '../../triage/check.ts';
import type { Found, Problem } from '../../triage/problem.ts';
import type { Severity } from '../../triage/thresholds.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';

/** Rates are per second. */
export interface SlowSession {
  readonly clientId: string;
  readonly node: NodeName | undefined;
  readonly isConnected: boolean | undefined;
  /** The counters are those of the client's disconnect. */
  readonly isAsOfDisconnect: boolean;
  readonly queueLength: number | undefined;
  /** The maximum queue length; `undefined` if unknown or unlimited. */
  readonly queueLimit: number | undefined;
  readonly isQueueFull: boolean;
  readonly queuePerSecond: number;
  /** Seconds from now on, 0 if the queue should be full by now; `undefined` if it is full or does not fill. */
  readonly fullInSeconds: number | undefined;
  /** The session lost messages recently, and its queue has not emptied since. */
  readonly isLosing: boolean;
  /** `undefined` if the session does not lose messages, or at a rate that is not known yet. */
  readonly droppedPerSecond: number | undefined;
  /** `droppedPerSecond` is not exact yet. */
  readonly isLossRough?: boolean | undefined;
  readonly dropped: number;
  /** All of `dropped` was counted before its node was first read. */
  readonly isLossOld: boolean;
  /** All of `dropped` was lost between these times of day; absent unless the first loss was seen. */
  readonly lostWithin?: { readonly fromMs: number; readonly toMs: number } | undefined;
  /** The session is known to lose nothing now. */
  readonly isLossOver?: boolean | undefined;
  /** The inflight window was full in every recent reading. */
  readonly isWindowFull: boolean;
  readonly inflight: number;
  readonly maxInflight: number;
  /** `undefined` if the broker does not count deliveries. */
  readonly acknowledgedPerSecond: number | undefined;
  /**
   * How long the counters of an offline session have stood still: they may do so while it loses messages. Set once that
   * is long.
   */
  readonly countersSeconds?: number | undefined;
  /**
   * How long the session has acknowledged nothing, as of the last reading; `undefined` unless its inflight window is
   * full, too.
   */
  readonly idleSeconds?: number | undefined;
}

interface Clients {
  readonly clientIds: readonly string[];
}

export type SlowProblem =
  | Problem<'slow-consumer', SlowSession>
  | Problem<'queue-full', SlowSession>
  | Problem<'offline-queue', SlowSession>
  | Problem<'messages-lost', SlowSession>
  /** Critical sessions besides those that are findings of their own. */
  | Problem<'more-sessions', Clients>
  /** Slow clients, none of whose queues is full soon. `isMore`: besides those that are findings of their own. */
  | Problem<
      'slow-sessions',
      Clients & {
        /** There are other sessions that are findings of their own. */
        readonly isMore: boolean;
        /** The queue of none is full soon. */
        readonly isNoneFullSoon: boolean;
      }
    >;

type SlowReason =
  | { readonly code: 'sessions-incomplete' | 'sessions-aborted' }
  | { readonly code: 'sessions-uncompared'; readonly readings: number }
  /** The broker refreshes the counters every `stepSeconds`, and they were watched for `seconds`. */
  | { readonly code: 'counters-unrefreshed'; readonly stepSeconds: number; readonly seconds: number }
  | { readonly code: 'sessions-outdated'; readonly nodes: readonly NodeName[] }
  /** Nodes that do not run or do not respond, or were not read since. */
  | { readonly code: 'sessions-unread'; readonly nodes: readonly NodeName[] }
  | { readonly code: 'queues-unknown'; readonly count: number; readonly total: number }
  /** Nodes report the counters of their own sessions only, and none of the addresses is that of `nodes`. */
  | {
      readonly code: 'sessions-elsewhere';
      readonly count: number;
      readonly total: number;
      readonly nodes: readonly NodeName[];
    }
  | { readonly code: 'counters-frozen'; readonly clientIds: readonly string[] }
  | { readonly code: 'clients-unread'; readonly sessions: number };

/** Limits the worst sessions. The others are findings together. */
const maxFindings = 1_000;

/** A session with a slow client, a full queue or losses, over several readings. */
interface Suspect {
  readonly row: SessionRow;
  readonly isWindowFull: boolean;
  readonly isLosing: boolean;
  readonly isGrowing: boolean;
  /** The maximum queue length; `undefined` if unknown or unlimited. */
  readonly limit: number | undefined;
  readonly isQueueFull: boolean;
  /** The counters may be those of the client's disconnect. */
  readonly isFrozen: boolean;
  /** Counters that move say that the session loses nothing now. */
  readonly isLossOver: boolean;
  /** The figures may be those of before the client reconnected. */
  readonly isReconnected: boolean;
}

const isSlow = ({ row: { session, rates }, isWindowFull, isLosing, isGrowing }: Suspect): boolean =>
  isLosing || (rates.droppedPerSecond ?? 0) > 0 || isGrowing || (isWindowFull && (session.queueLength ?? 0) > 0);

const hasLost = ({ row: { session } }: Suspect): boolean => (session.dropped ?? 0) > 0;

/** Returns the same size for numbers that are about equal, so that rows keep their places while they grow. */
const sizeOf = (count = 0): number => Math.floor(Math.log2(count + 1));

/** Returns the same time for sessions whose queues are full at about the same time, so that they keep their places. */
const fullWithin = ({ row, limit }: Suspect): number =>
  fullWithinSeconds(secondsToFull(row, limit) ?? Infinity) ?? Number.MAX_VALUE;

/**
 * Sorts present problems first, then by the time to a full queue, by total losses and queue length, then by name. The
 * queue of one that loses messages is now full, now almost.
 */
const byLoss = (a: Suspect, b: Suspect): number => {
  const [one, other] = [a.row.session, b.row.session];
  const byQueue =
    a.isLosing && b.isLosing ? 0 : Number(b.isQueueFull) - Number(a.isQueueFull) || fullWithin(a) - fullWithin(b);
  return (
    Number(b.isLosing) - Number(a.isLosing) ||
    Number(isSlow(b)) - Number(isSlow(a)) ||
    byQueue ||
    sizeOf(other.dropped) - sizeOf(one.dropped) ||
    sizeOf(other.queueLength) - sizeOf(one.queueLength) ||
    compareNatural(one.clientId, other.clientId)
  );
};

const findSuspects = memoise(
  (
    sessions: readonly SessionRow[],
    limits: ReadonlyMap<string, number>,
    fullSinceMs: ReadonlyMap<string, number>,
    fullOnce: ReadonlySet<string>,
    losing: TriageHistory['losing'],
    growing: TriageHistory['growing'],
    offline: TriageHistory['offline'],
    lastEndMs: number,
  ): readonly Suspect[] => {
    const suspects: Suspect[] = [];
    for (const row of sessions) {
      const { clientId, node, queueLength, maxQueueLength } = row.session;
      const limit = maxQueueLength ?? (node === undefined ? undefined : limits.get(node));
      const counters = offline.get(clientId);
      const isFrozen = counters?.isLive === false;
      const isGrowing = growing.has(clientId) && !isShortAbsence(counters, lastEndMs);
      const withLoss = { ...row, recentTrouble: { growthPerSecond: undefined, lossPerSecond: losing.get(clientId) } };
      const loss = lossPerSecond(withLoss, limit);
      const rates = {
        ...row.rates,
        queuePerSecond: growing.get(clientId) ?? row.rates.queuePerSecond,
        droppedPerSecond: loss,
      };
      // As after a gap in the readings, or a reconnect: nothing is known of it now.
      const isReconnected = row.rates === reconnectedRates;
      const isUnknownNow =
        (row.rates === waitingRates || isReconnected) && !growing.has(clientId) && !losing.has(clientId);
      const suspect: Suspect = {
        limit,
        isFrozen,
        isReconnected,
        isLossOver:
          !isFrozen &&
          row.rates.droppedPerSecond === 0 &&
          (counters === undefined || row.session.isConnected !== undefined),
        row: {
          session: row.session,
          rates: isFrozen || row.rates === unknownRates || isUnknownNow ? unknownRates : rates,
        },
        isWindowFull: !isFrozen && !fullOnce.has(clientId) && (fullSinceMs.get(clientId) ?? Infinity) < lastEndMs - 1,
        isGrowing: !isFrozen && (isGrowing || isQueueGrowing({ session: row.session, rates }, limit)),
        isLosing: !isFrozen && isLosingMessages(withLoss, limit),
        isQueueFull: limit !== undefined && queueLength !== undefined && queueLength >= limit,
      };
      if (isSlow(suspect) || suspect.isQueueFull || hasLost(suspect)) suspects.push(suspect);
    }
    return suspects.toSorted(byLoss);
  },
);

/** The key of the problem of a client's session. */
export const slowKey = (clientId: string): string => `slow ${clientId}`;

const countUnknown = memoise(
  (sessions: readonly SessionRow[]): number =>
    sessions.filter(
      ({ session }) => hasCounters(session) && (session.queueLength === undefined || session.dropped === undefined),
    ).length,
);

/** Counters of an offline session that have not moved for so long are history. */
const oldCountersSeconds = 30;

const countersSecondsOf = ({ isLive, movedMs }: Partial<OfflineCounters> = {}, nowMs: number): number | undefined => {
  const seconds = isLive !== true || movedMs === undefined ? 0 : Math.floor((nowMs - movedMs) / 1_000);
  return seconds < oldCountersSeconds ? undefined : seconds;
};

/** Returns sessions whose counters have not changed since their clients left, or for long. */
const frozenIds = memoise(
  (sessions: readonly SessionRow[], offline: TriageHistory['offline'], readMs: number): readonly string[] =>
    offline.size === 0
      ? []
      : sessions
          .map(({ session }) => session.clientId)
          .filter((id) => {
            const counters = offline.get(id);
            return (
              counters !== undefined &&
              !isShortAbsence(counters, readMs) &&
              (!counters.isLive || countersSecondsOf(counters, readMs) !== undefined)
            );
          }),
);

const countPersistent = memoise(
  (sessions: readonly SessionRow[]): number =>
    sessions.filter(({ session }) => session.cleanSession !== true && session.isConnected === undefined).length,
);

/** @param ageSeconds since the reading: the time to a full queue goes on */
function evidenceOf(
  suspect: Suspect,
  isConnected: boolean | undefined,
  lostBefore: number,
  lossSpan: LossSpan | undefined,
  idleMs: number | undefined,
  ageSeconds: number,
  countersSeconds: number | undefined,
): SlowSession {
  const { row, limit, isQueueFull, isFrozen, isLosing, isLossOver, isWindowFull } = suspect;
  const { session, rates } = row;
  const { clientId, node, queueLength, dropped = 0 } = session;
  const seconds = isQueueFull ? undefined : secondsToFull(row, limit);
  return {
    clientId,
    node,
    isConnected,
    isAsOfDisconnect: isFrozen,
    queueLength,
    queueLimit: limit,
    isQueueFull,
    queuePerSecond: rates.queuePerSecond ?? 0,
    fullInSeconds: seconds === undefined ? undefined : Math.max(0, Math.ceil(seconds) - ageSeconds),
    countersSeconds,
    isLosing,
    droppedPerSecond: rates.droppedPerSecond,
    ...(suspect.row.rates.isLossRough === true && { isLossRough: true }),
    dropped,
    isLossOld: dropped <= lostBefore,
    ...(lossSpan !== undefined && {
      lostWithin: { fromMs: wallMs(lossSpan.afterMs), toMs: wallMs(lossSpan.untilMs) },
    }),
    isLossOver,
    isWindowFull,
    inflight: session.inflight ?? 0,
    maxInflight: session.maxInflight ?? 0,
    acknowledgedPerSecond: rates.acknowledgedPerSecond,
    idleSeconds: idleMs === undefined ? undefined : Math.round(idleMs / 1_000),
  };
}

/**
 * Marks a session as stuck. With a full inflight window and a full queue, a connected client loses what is published to
 * it: one reading is enough.
 */
const atItsLimits = (suspect: Suspect, isConnected: boolean | undefined): Suspect =>
  isConnected === true && !suspect.isReconnected && suspect.isQueueFull && isInflightFull(suspect.row.session)
    ? { ...suspect, isWindowFull: true }
    : suspect;

function codeOf(
  suspect: Suspect,
  isConnected: boolean | undefined,
): 'slow-consumer' | 'queue-full' | 'offline-queue' | 'messages-lost' {
  if (!isSlow(suspect) && !suspect.isQueueFull) return 'messages-lost';
  if (isConnected === false) return 'offline-queue';
  return isSlow(suspect) ? 'slow-consumer' : 'queue-full';
}

const severityOfSession = (suspect: Suspect, isConnected: boolean | undefined): Severity =>
  suspect.isLosing || (suspect.isQueueFull && isSlow(suspect) && isConnected !== false) ? 'critical' : 'warning';

type ClientNodes = ReturnType<typeof nodesOfClients>;

/** @param connected `undefined` if the list of clients is not known completely */
function connectionOf(
  { isFrozen, row }: Suspect,
  connected: ClientNodes | undefined,
  readings: Pick<TriageHistory, 'clientReadings' | 'sessionReadings'>,
): boolean | undefined {
  if (row.session.isConnected !== undefined) return row.session.isConnected;
  if (connected?.has(row.session.clientId) === true) return true;
  // A session that is newer than the client scan is not known to be offline.
  return isFrozen || (connected !== undefined && isOlderThanClients(row, readings)) ? false : undefined;
}

/** Finds sessions whose queue grows or is full, that lose messages, or whose inflight window stays full. */
export function judgeSlow({
  state,
  history,
  nowMs,
  found,
}: CheckInput): Judgement<SlowProblem, { readonly sessions: number }, SlowReason> {
  const {
    sessionReadings,
    fullSinceMs,
    fullOnce,
    fullAtLeast,
    idleSinceMs,
    losing,
    growing,
    lostBefore,
    lossSpans,
    offline,
    clientReadings,
  } = history;
  const { complete, last, completeMs } = sessionReadings;
  const outdated = outdatedNodes(state, history);
  const sessions =
    outdated.size === 0
      ? history.sessions
      : history.sessions.filter(({ session: { node } }) => node === undefined || !outdated.has(node));
  const limits = selectQueueLimits(state);
  const isRead = isWatched(state, sessionScan);
  // Figures of the past are shown with their age, and as they were.
  const ageSecondsOf = (node: NodeName | undefined): number => {
    const readMs = (node === undefined ? undefined : history.nodeReadMs?.get(node)) ?? completeMs;
    return readMs === undefined || !isRead || isPollingPaused(state)
      ? 0
      : Math.max(0, Math.floor((nowMs - readMs) / 1_000));
  };
  const all =
    complete === 0
      ? []
      : findSuspects(
          sessions,
          limits,
          fullSinceMs,
          fullOnce,
          losing,
          growing,
          offline,
          completeMs ?? reading(state, sessionScan).finishedAtMs ?? 0,
        );
  const connected =
    all.length > 0 && clientReadings.last === 'complete' && reading(state, clientScan).leftOut.size === 0
      ? nodesOfClients(reading(state, clientScan).rows)
      : undefined;
  // A first reading, as that of a node that runs again, shows what a session has lost, but not whether that goes on. Nor does one of a
  // client that is back, but it is no longer offline.
  const suspects = all.filter(
    (suspect) =>
      suspect.row.rates !== unknownRates ||
      suspect.isFrozen ||
      history.returned.has(suspect.row.session.clientId) ||
      !found.has(slowKey(suspect.row.session.clientId)) ||
      isSlow(atItsLimits(suspect, connectionOf(suspect, connected, history))),
  );
  const findings = suspects.slice(0, maxFindings).map((each): Found<SlowProblem> => {
    const { clientId } = each.row.session;
    const isConnected = connectionOf(each, connected, history);
    const suspect = atItsLimits(each, isConnected);
    const fullMs = suspect.isWindowFull ? fullSinceMs.get(clientId) : undefined;
    const idleMs = idleSinceMs.get(clientId);
    const isExact = fullMs !== undefined && !fullAtLeast.has(clientId);
    return {
      key: slowKey(suspect.row.session.clientId),
      severity: severityOfSession(suspect, isConnected),
      sinceMs: isConnected === false ? offline.get(clientId)?.sinceMs : isExact ? fullMs : undefined,
      foundMs: isExact ? undefined : fullMs,
      code: codeOf(suspect, isConnected),
      evidence: evidenceOf(
        suspect,
        isConnected,
        lostBefore.get(clientId) ?? 0,
        lossSpans.get(clientId),
        idleMs === undefined || completeMs === undefined ? undefined : completeMs - idleMs,
        ageSecondsOf(each.row.session.node),
        countersSecondsOf(offline.get(clientId), nowMs),
      ),
    };
  });
  const others = Map.groupBy(suspects.slice(maxFindings), (suspect) => {
    const isConnected = connectionOf(suspect, connected, history);
    return severityOfSession(atItsLimits(suspect, isConnected), isConnected);
  });
  const rest = [...others].map(([severity, of]): Found<SlowProblem> => {
    const clientIds = of.map(({ row }) => row.session.clientId);
    return {
      key: `slow, rest ${severity}`,
      severity,
      code: 'more-sessions',
      evidence: { clientIds },
    };
  });
  const elsewhere = selectElsewhere(state);
  const unread = selectSessionsUnread(state, history);
  const isGone = ({ evidence }: SlowProblem): boolean => {
    const node = 'node' in evidence ? evidence.node : undefined;
    return node === undefined ? unread.length === 0 : !unread.includes(node);
  };
  const isListed = ({ evidence }: SlowProblem): boolean =>
    'clientId' in evidence && rowsByClient(sessions).has(evidence.clientId);
  return {
    findings: [...findings, ...rest],
    passed: { sessions: sessions.length },
    unchecked: [
      ...uncheckedSessions(sessions, sessionReadings, state),
      ...(elsewhere.count === 0 ? [] : [{ code: 'sessions-elsewhere', ...elsewhere } as const]),
      ...(complete < 2 ? [] : uncheckedOffline(sessions, history)),
      ...(complete < 2 || unread.length === 0 ? [] : [{ code: 'sessions-unread', nodes: unread } as const]),
      ...(outdated.size === 0 ? [] : [{ code: 'sessions-outdated', nodes: [...outdated] } as const]),
    ],
    reading: { noun: 'sessions', atMs: completeMs, isWatched: isRead, partial: partialReading(state, history) },
    // While a node is not read, the sessions of the others are.
    readMsOf: ({ evidence }) =>
      'node' in evidence && evidence.node !== undefined ? history.nodeReadMs?.get(evidence.node) : undefined,
    refutes: (finding) =>
      complete >= 2 &&
      last === 'complete' &&
      outdated.size === 0 &&
      rest.length === 0 &&
      (isListed(finding) || isGone(finding)) &&
      !('clientId' in finding.evidence && isUnmeasured(sessions, offline, finding.evidence.clientId)),
  };
}

function partialReading(
  state: MonitorState,
  { nodeReadMs = new Map(), sessionReadings: { completeMs } }: TriageHistory,
): CheckReading['partial'] {
  const { coverage } = reading(state, sessionScan);
  const times = [...nodeReadMs.values()];
  const atMs = Math.max(...times);
  const nodes = times.filter((readMs) => readMs === atMs).length;
  return nodes > 0 && nodes < coverage.size && atMs > (completeMs ?? Number.NEGATIVE_INFINITY)
    ? { atMs, nodes, total: coverage.size }
    : undefined;
}

/** Finds rows by client: many problems may be unknown at once, on a long list. */
const rowsByClient = memoise(
  (rows: readonly SessionRow[]): ReadonlyMap<string, SessionRow> =>
    new Map(rows.map((row) => [row.session.clientId, row])),
);

/**
 * Whether a problem may go on unseen: the counters of an offline session may stand still, and a reading without rates
 * shows none.
 */
function isUnmeasured(sessions: readonly SessionRow[], offline: TriageHistory['offline'], clientId: string): boolean {
  const row = rowsByClient(sessions).get(clientId);
  return row !== undefined && (offline.get(clientId)?.isLive === false || !hasRates(row.rates));
}

function uncheckedOffline(
  sessions: readonly SessionRow[],
  { offline, clientReadings, sessionReadings: { completeMs } }: TriageHistory,
): readonly SlowReason[] {
  const clientIds = frozenIds(sessions, offline, completeMs ?? 0);
  const persistent = clientReadings.last === 'complete' ? 0 : countPersistent(sessions);
  return [
    ...(clientIds.length === 0 ? [] : [{ code: 'counters-frozen', clientIds } as const]),
    ...(persistent === 0 ? [] : [{ code: 'clients-unread', sessions: persistent } as const]),
  ];
}

function uncheckedSessions(
  sessions: readonly SessionRow[],
  { complete, last, completeMs = 0, firstMs = 0, isAfterGap = false }: TriageHistory['sessionReadings'],
  state: MonitorState,
): readonly SlowReason[] {
  const { leftOut } = reading(state, sessionScan);
  if (leftOut.size > 0) return [{ code: 'sessions-incomplete' }];
  if (complete < 2 || isAfterGap) return [{ code: 'sessions-uncompared', readings: Math.min(complete, 1) }];
  const { maxMs } = refreshOf(state.capabilities);
  // Without queue and losses there was nothing wrong at the last refresh.
  const isOpen = ({ session: { queueLength, dropped }, rates }: SessionRow): boolean =>
    !hasRates(rates) && (queueLength !== 0 || dropped !== 0);
  if (completeMs - firstMs < maxMs && sessions.some(isOpen))
    return [{ code: 'counters-unrefreshed', stepSeconds: maxMs / 1_000, seconds: (completeMs - firstMs) / 1_000 }];
  const unknown = countUnknown(sessions);
  return [
    ...(last === 'complete' ? [] : [{ code: 'sessions-aborted' } as const]),
    ...(unknown === 0 ? [] : [{ code: 'queues-unknown', count: unknown, total: sessions.length } as const]),
  ];
}
