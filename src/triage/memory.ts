import { type Client, hasSameStart, isInflightFull, type Session } from '../domain/client.ts';
import { createRowFinder } from '../domain/memoise.ts';
import type { NodeName } from '../domain/node.ts';
import { averageSeconds } from '../domain/rates.ts';
import { isWatched, reading } from '../monitor/query/part.ts';
import { forgetOldest } from '../monitor/scan/scan-rows.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import { atAnyTime, type Refresh, refreshOf } from '../monitor/steps.ts';
import { clientScan } from '../resources/clients/resource.ts';
import { createTrafficTracker, maxTrafficRows, type TrafficTracker } from '../resources/clients/traffic.ts';
import { selectRateSeries } from '../resources/metrics/rates.ts';
import { metricHistory } from '../resources/metrics/resource.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import {
  createSessionRateTracker,
  followOffline,
  hasRates,
  isSameFigures,
  nodesOfClients,
  type OfflineCounters,
  offlineRates,
  reconnectedRates,
  type SessionRates,
  type SessionRateTracker,
  type SessionRow,
  unknownRates,
  waitingRates,
} from '../resources/sessions/history.ts';
import { appendQueueDrops, type QueueDrops, sumQueueDrops } from '../resources/sessions/queue-drops.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import { minQueueLength } from '../resources/sessions/trouble.ts';
import { stats } from '../resources/statistics/resource.ts';
import { selectTotals } from '../resources/statistics/select.ts';
import { subscriptionScan } from '../resources/subscriptions/resource.ts';
import { type AddressMoves, createAddressMemory } from './address-moves.ts';
import { createSuddenMemory, noSuddenChanges, type SuddenChanges } from './sudden-memory.ts';
import { suddenThresholds } from './thresholds.ts';

export interface ReadingCount {
  /** Counts the complete readings. `beforeMs` is the time of the one before the last, `firstMs` that of the first. */
  readonly complete: number;
  readonly last: 'complete' | 'partial' | 'aborted' | 'idle' | undefined;
  readonly completeMs?: number | undefined;
  readonly beforeMs?: number | undefined;
  readonly firstMs?: number | undefined;
  /** Some readings cannot be compared with earlier ones. */
  readonly isAfterGap?: boolean | undefined;
}

interface ClientCount {
  readonly atMs: number;
  /** Monotonic time. */
  readonly metricsMs: number;
  readonly clients: number;
}

export interface Talker {
  readonly clientId: string;
  readonly perSecond: number;
  /** The messages rose at this time. */
  readonly roseAtMs: number;
}

/** A session lost its first message after `afterMs`, and the last one until `untilMs`. */
export interface LossSpan {
  readonly afterMs: number;
  readonly untilMs: number;
}

export interface TriageHistory {
  /** Counts of clients, oldest first, without answers in which a node is missing. */
  readonly clientCounts: readonly ClientCount[];
  /** The clients when all nodes last ran. */
  readonly clientsOfAllNodes?: number | undefined;
  readonly sessions: readonly SessionRow[];
  readonly sessionReadings: ReadingCount;
  /** Losses in the complete readings that follow another one, oldest first. */
  readonly queueDrops: readonly QueueDrops[];
  readonly sessionsReadAtMs: ReadonlyMap<NodeName, number>;
  /** The time when the last reading ended that has all sessions of a node, also without those of others. */
  readonly nodeReadMs?: ReadonlyMap<NodeName, number> | undefined;
  /** Since when the inflight windows of sessions are full. */
  readonly fullSinceMs: ReadonlyMap<string, number>;
  readonly fullAtLeast: ReadonlySet<string>;
  /** Those of `fullAtLeast` whose counters the broker has not refreshed since. */
  readonly fullOnce: ReadonlySet<string>;
  /** Since when sessions with full inflight windows have acknowledged nothing. */
  readonly idleSinceMs: ReadonlyMap<string, number>;
  /** Messages wait for a connected client, which may be slow. */
  readonly hasQueues: boolean;
  /** Sessions that lose messages: messages/s over the last half minute. */
  readonly losing: ReadonlyMap<string, number>;
  /** Sessions whose queues grew in several readings lately, and still hold messages: messages/s over the last half minute. */
  readonly growing: ReadonlyMap<string, number>;
  /** Messages that sessions had lost when their nodes were first read, if any. */
  readonly lostBefore: ReadonlyMap<string, number>;
  /** The times at which sessions lost messages that were seen without a loss before. */
  readonly lossSpans: ReadonlyMap<string, LossSpan>;
  readonly offline: ReadonlyMap<string, OfflineCounters>;
  /** Clients that are back after an absence, until their sessions are measured again. */
  readonly returned: ReadonlySet<string>;
  readonly clientReadings: ReadingCount;
  readonly subscriptionReadings: ReadingCount;
  /** Clients that reconnected, the latest first. */
  readonly reconnected: readonly string[];
  /**
   * How often each of these was seen with another connection in the last minute, or in the last such minute of those
   * that keep reconnecting; absent for once.
   */
  readonly reconnects?: ReadonlyMap<string, number> | undefined;
  /** Client IDs that connected from another address in the last minutes. */
  readonly addressMoves: AddressMoves;
  /** Last rows of these, of at most `maxReconnectedRows`: many of them are away at any time. */
  readonly reconnectedClients: readonly Client[];
  readonly sudden: SuddenChanges;
  /** Who publishes most of it since the last rise of the messages received. */
  readonly talker?: Talker | undefined;
}

export const emptyHistory: TriageHistory = {
  clientCounts: [],
  sessions: [],
  sessionReadings: { complete: 0, last: undefined },
  queueDrops: [],
  sessionsReadAtMs: new Map(),
  fullSinceMs: new Map(),
  fullAtLeast: new Set(),
  fullOnce: new Set(),
  idleSinceMs: new Map(),
  hasQueues: false,
  losing: new Map(),
  growing: new Map(),
  lostBefore: new Map(),
  lossSpans: new Map(),
  offline: new Map(),
  returned: new Set(),
  clientReadings: { complete: 0, last: undefined },
  subscriptionReadings: { complete: 0, last: undefined },
  reconnected: [],
  reconnectedClients: [],
  addressMoves: new Map(),
  sudden: noSuddenChanges,
};

/** All sessions have shown a whole step of their counters after so many steps. */
const stepsOfAll = 2;

const keepReconnectedMs = 60_000;
/** Clients that were seen so often with another connection within a minute keep reconnecting. */
export const minRepeats = 3;
/**
 * How long such clients are still known: who reconnects in step with the readings is away in all of them for a while.
 */
const keepRepeatsMs = 3 * keepReconnectedMs;
const maxReconnectedRows = 10_000;
/** The smallest share of a rise: who publishes less is not its cause alone. */
const minTalkerShare = 0.5;
/** A loss is remembered so long: a full queue does not lose messages in every reading. */
const keepLosingMs = 120_000;
/** Growth is remembered so long: a queue that grows slowly does not grow in every reading. */
const keepGrowingMs = 45_000;
/** A queue that grew only once may be that of a short absence. */
const minGrowths = 2;
/** The share that a queue that grew or lost messages still has: with less it is emptying. */
const keptShare = 0.75;

/** Messages per second over a step of the counters. */
interface TroublePart {
  readonly atMs: number;
  readonly ms: number;
  readonly perSecond: number;
}

/** The last trouble of a queue that grows or loses messages. */
interface LastTrouble {
  readonly atMs: number;
  readonly queueLength: number;
  /** So many steps showed the trouble. */
  readonly readings: number;
  readonly readMs: number;
  /** Rates of the last step: the same object until the next one. */
  readonly rates: SessionRates;
  readonly parts: readonly TroublePart[];
  /** The rate over the last half minute: between two readings it may be many times as high as between the next two. */
  readonly perSecond: number;
}

const averageMs = averageSeconds * 1_000;

const rateOf = (troubles: ReadonlyMap<string, LastTrouble>, minReadings: number): ReadonlyMap<string, number> =>
  new Map(
    [...troubles]
      .filter(([, { readings, perSecond }]) => readings >= minReadings && perSecond > 0)
      .map(([clientId, { perSecond }]) => [clientId, perSecond]),
  );

const growingIn = (growths: ReadonlyMap<string, LastTrouble>): ReadonlyMap<string, number> =>
  rateOf(growths, minGrowths);

const averageOf = (parts: readonly TroublePart[]): number =>
  parts.reduce((sum, { ms, perSecond }) => sum + ms * perSecond, 0) /
  Math.max(
    1,
    parts.reduce((sum, { ms }) => sum + ms, 0),
  );

/**
 * Follows a trouble. @param beforeMs when the sessions were read before @param perSecond in this step; `undefined`
 * while that is not known, which changes nothing @returns `undefined` once it is over
 */
function followTrouble(
  before: LastTrouble | undefined,
  rates: SessionRates,
  perSecond: number | undefined,
  queueLength: number,
  nowMs: number,
  beforeMs: number,
  keepMs: number,
  { maxMs }: Refresh,
): LastTrouble | undefined {
  if (perSecond === undefined || (maxMs > 0 && before?.rates === rates)) return before;
  if (before === undefined) {
    return perSecond > 0
      ? {
          atMs: nowMs,
          queueLength,
          readings: 1,
          readMs: nowMs,
          rates,
          parts: [{ atMs: nowMs, ms: Math.max(1, nowMs - beforeMs), perSecond }],
          perSecond,
        }
      : undefined;
  }
  // A whole step is long enough. The first reading, within which it began, shows only a part of it: the next one replaces it.
  const known =
    maxMs > 0 || (before.readings === 1 && perSecond > 0)
      ? []
      : before.parts.filter(({ atMs }) => nowMs - atMs < averageMs);
  const parts = [...known, { atMs: nowMs, ms: nowMs - before.readMs, perSecond }];
  const next = { ...before, readMs: nowMs, rates, parts, perSecond: averageOf(parts) };
  if (perSecond > 0) return { ...next, atMs: nowMs, queueLength, readings: before.readings + 1 };
  return nowMs - before.atMs <= keepMs && queueLength >= before.queueLength * keptShare ? next : undefined;
}

/**
 * Returns what is lost from now on, per second. In the reading in which its queue becomes full, what the queue took
 * before is lost from then on.
 */
const lostFromNowOn = (
  { droppedPerSecond, queuePerSecond = 0 }: SessionRates,
  wasLosing: boolean,
): number | undefined =>
  droppedPerSecond !== undefined && droppedPerSecond > 0 && !wasLosing
    ? droppedPerSecond + Math.max(0, queuePerSecond)
    : droppedPerSecond;

/** @param afterMs returns a time before which a loss that this reading is the first to show was not; `-Infinity` if unknown */
function spanOf(
  before: LossSpan | undefined,
  droppedBefore: number | undefined,
  dropped: number,
  nowMs: number,
  afterMs: () => number,
): LossSpan | undefined {
  if (droppedBefore === undefined || dropped === droppedBefore) return before;
  if (before !== undefined) return { ...before, untilMs: nowMs };
  if (droppedBefore > 0) return undefined;
  const fromMs = afterMs();
  return Number.isFinite(fromMs) ? { afterMs: fromMs, untilMs: nowMs } : undefined;
}

/** Calls `onChange` for each changed client: without `before` for a new one, without `after` for a gone one. */
function eachChanged(
  before: readonly Client[],
  after: readonly Client[],
  onChange: (before: Client | undefined, after: Client | undefined) => void,
): void {
  const start = eachChangedInPlace(before, after, onChange);
  if (start === before.length && start === after.length) return;
  const rest = before.slice(start);
  const find = createRowFinder(rest, ({ clientId }) => clientId);
  const isFound = new Uint8Array(rest.length);
  for (const client of after.slice(start)) {
    const place = find(client);
    const known = place === undefined ? undefined : rest[place];
    if (place !== undefined) isFound[place] = 1;
    if (known !== client) onChange(known, client);
  }
  for (let place = isFound.indexOf(0); place !== -1; place = isFound.indexOf(0, place + 1))
    onChange(rest[place], undefined);
}

/** Compares by position up to the first other id, and returns that position. A plain loop: this runs seldom, and so uncompiled. */
function eachChangedInPlace(
  before: readonly Client[],
  after: readonly Client[],
  onChange: (before: Client, after: Client) => void,
): number {
  for (let place = 0; place < before.length; place += 1) {
    const known = before[place];
    const client = after[place];
    if (known === client) continue;
    if (known === undefined || client === undefined || known.clientId !== client.clientId) return place;
    onChange(known, client);
  }
  return before.length;
}

/**
 * Returns nodes whose counters fell: a gap in their rates, as after an outage of the API or a change of address, is no
 * restart.
 */
export function outdatedNodes(state: MonitorState, { sessionsReadAtMs }: TriageHistory): ReadonlySet<NodeName> {
  const history = reading(state, metricHistory);
  return new Set(
    [...sessionsReadAtMs].flatMap(([node, readAtMs]) => {
      const restart = history.get(node)?.findLast(({ isAfterRestart }) => isAfterRestart === true);
      return restart !== undefined && restart.atMs > readAtMs ? [node] : [];
    }),
  );
}

/**
 * Returns nodes without sessions in the last reading: they do not run, or were not read since they do. Their sessions
 * are unknown, not gone.
 */
export const selectSessionsUnread = (
  state: MonitorState,
  { sessionsReadAtMs }: Pick<TriageHistory, 'sessionsReadAtMs'>,
): readonly NodeName[] =>
  selectNodes(state)
    .map(({ name }) => name)
    .filter((name) => !sessionsReadAtMs.has(name));

/** Whether a session existed before the client scan, so that it is offline if the scan lacks its client. */
export const isOlderThanClients = (
  { rates }: SessionRow,
  { clientReadings, sessionReadings: { beforeMs } }: Pick<TriageHistory, 'clientReadings' | 'sessionReadings'>,
): boolean => rates !== unknownRates && beforeMs !== undefined && (clientReadings.completeMs ?? 0) >= beforeMs;

export interface TriageMemory {
  /** Returns the same object while nothing changed. */
  update(state: MonitorState): TriageHistory;
  history(): TriageHistory;
  /** Returns the last rows of clients that reconnected, the latest last: the same map until there are others. */
  reconnectedRows(): ReadonlyMap<string, Client>;
}

/** @param traffic shared with the screen of the top talkers @param minBaselineSeconds required length of the baseline for sudden changes */
export function createTriageMemory(
  rates: SessionRateTracker = createSessionRateTracker(),
  minBaselineSeconds?: number,
  traffic: TrafficTracker = createTrafficTracker(),
): TriageMemory {
  const noteSudden = createSuddenMemory(minBaselineSeconds);
  let history = emptyHistory;
  let statsAtMs: number | undefined;
  const endedAtMs = new Map<string, number>();
  let clients: readonly Client[] = [];
  /** Rows were left out of the last scan: a client that is not in `clients` may be connected. */
  let areClientsMissing = false;
  const addresses = createAddressMemory();
  const lastKnown = new Map<string, Client>();
  const noticedAtMs = new Map<string, number>();
  /** All times of clients that were noticed again within a minute. */
  const noticedAgainMs = new Map<string, readonly number[]>();
  let reconnectedRows: ReadonlyMap<string, Client> = new Map();
  let losses = new Map<string, LastTrouble>();
  let growths = new Map<string, LastTrouble>();
  let wasUnwatched = true;
  let sessionsBeganMs: number | undefined;
  /** Returns when the last sessions were read, by node. */
  let sessionsReadOf: (
    node: NodeName | undefined,
  ) => { readonly wall: number; readonly monotonic: number } | undefined = () => undefined;
  /** Sessions as they were when their inflight windows were first found full. */
  let firstFull = new Map<string, Session>();

  function takeEnd(name: string, { phase, finishedAtMs }: ScanState<unknown>): boolean {
    if (phase === 'running' || finishedAtMs === undefined || endedAtMs.get(name) === finishedAtMs) return false;
    endedAtMs.set(name, finishedAtMs);
    return true;
  }

  const count = (before: ReadingCount, { phase, finishedAtMs }: ScanState<unknown>): ReadingCount => {
    if (phase === 'running') return before;
    return phase === 'complete'
      ? {
          complete: before.complete + 1,
          last: phase,
          completeMs: finishedAtMs,
          beforeMs: before.completeMs,
          firstMs: before.firstMs ?? finishedAtMs,
        }
      : { ...before, last: phase };
  };

  function noteClients(state: MonitorState): void {
    const { updatedAtMs } = reading(state, stats);
    if (updatedAtMs === undefined || updatedAtMs === statsAtMs) return;
    statsAtMs = updatedAtMs;
    const { value, missingNodes } = selectTotals(state).clients;
    const metricsMs = selectRateSeries(state, 'packets.connect').at(-1)?.atMs;
    if (value === undefined || missingNodes.length > 0 || metricsMs === undefined) return;
    const fromMs = updatedAtMs - averageSeconds * 1_000;
    const areAllRunning = selectNodes(state).every(({ status }) => status === 'running');
    history = {
      ...history,
      clientsOfAllNodes: areAllRunning ? value : history.clientsOfAllNodes,
      clientCounts: [
        ...history.clientCounts.filter(({ atMs }) => atMs >= fromMs && atMs < updatedAtMs),
        { atMs: updatedAtMs, metricsMs, clients: value },
      ],
    };
  }

  /** Notes who publishes most of what came with a rise; it is kept once the rise is over. */
  function noteTalkers(state: MonitorState): void {
    const { capabilities } = state;
    const clientList = reading(state, clientScan);
    if (capabilities?.clientTraffic !== true || clientList.rows.length > maxTrafficRows) return;
    const { rows } = traffic.update(clientList, refreshOf(capabilities));
    const rise = history.sudden.clusterChanges.findLast(
      ({ subject, direction }) => subject === 'messages.received' && direction === 'rise',
    );
    if (rise === undefined || (clientList.finishedAtMs ?? 0) - rise.atMs > suddenThresholds.shownSeconds * 1_000)
      return;
    let top: { readonly clientId: string; readonly perSecond: number } | undefined;
    for (const {
      client: { clientId },
      rates: { receivedMessages },
    } of rows)
      if (receivedMessages !== undefined && receivedMessages > (top?.perSecond ?? 0))
        top = { clientId, perSecond: receivedMessages };
    if (top !== undefined && top.perSecond >= minTalkerShare * (rise.after - rise.before))
      history = { ...history, talker: { ...top, roseAtMs: rise.atMs } };
  }

  function takeKnown(clientId: string): Client | undefined {
    const client = lastKnown.get(clientId);
    if (client !== undefined) lastKnown.delete(clientId);
    return client;
  }

  function noteReconnects(state: MonitorState): boolean {
    const clientList = reading(state, clientScan);
    if (!takeEnd('clients', clientList)) return false;
    const nowMs = clientList.finishedAtMs ?? 0;
    const isFirst = history.clientReadings.complete === 0;
    const reconnectedOnce = new Set<string>();
    const rows = new Map(reconnectedRows);
    let hasReconnected = false;
    if (clients.length > 0 || lastKnown.size > 0)
      eachChanged(clients, clientList.rows, (before, client) => {
        if (before?.connectedAt !== undefined && client?.connectedAt === undefined)
          lastKnown.set(before.clientId, before);
        if (client?.connectedAt === undefined) return;
        const { clientId } = client;
        const known = before?.connectedAt === undefined ? takeKnown(clientId) : before;
        if (isFirst || known === undefined || (known.connectedAt === client.connectedAt && known.node === client.node))
          return;
        addresses.note(known, client, nowMs);
        const lastMs = noticedAtMs.get(clientId);
        if (lastMs === undefined) reconnectedOnce.add(clientId);
        if (lastMs !== undefined) noticedAgainMs.set(clientId, [...(noticedAgainMs.get(clientId) ?? [lastMs]), nowMs]);
        noticedAtMs.delete(clientId);
        noticedAtMs.set(clientId, nowMs);
        rows.delete(clientId);
        rows.set(clientId, client);
        forgetOldest(rows, maxReconnectedRows);
        hasReconnected = true;
      });
    if (hasReconnected) reconnectedRows = rows;
    clients = clientList.rows;
    areClientsMissing = clientList.leftOut.size > 0;
    for (const [clientId, atMs] of noticedAtMs) if (nowMs - atMs > keepReconnectedMs) noticedAtMs.delete(clientId);
    for (const [clientId, times] of noticedAgainMs) {
      const recent = times.filter((atMs) => nowMs - atMs <= keepReconnectedMs);
      const isRepeater = times.length >= minRepeats;
      if (recent.length >= (isRepeater ? minRepeats : 2)) noticedAgainMs.set(clientId, recent);
      else if (!isRepeater || nowMs - (times.at(-1) ?? 0) > keepRepeatsMs) noticedAgainMs.delete(clientId);
    }
    if (lastKnown.size > clients.length + 1_000) lastKnown.clear();
    const reconnected = [...noticedAtMs.keys()].toReversed();
    const reconnectedClients = reconnected
      .map((clientId) => reconnectedRows.get(clientId))
      .filter((client) => client !== undefined);
    history = {
      ...history,
      clientReadings: count(history.clientReadings, clientList),
      reconnected,
      reconnectedClients,
      addressMoves: addresses.moves(nowMs),
      reconnects: new Map([...noticedAgainMs].map(([clientId, times]) => [clientId, times.length])),
    };
    restartSessions(reconnectedOnce);
    return true;
  }

  /**
   * Restarts sessions of clients that reconnected. One that keeps reconnecting is measured across its reconnects, or it
   * never would be.
   */
  function restartSessions(restarted: ReadonlySet<string>): void {
    if (restarted.size === 0) return;
    rates.restart(restarted);
    for (const clientId of restarted) {
      losses.delete(clientId);
      growths.delete(clientId);
    }
    history = {
      ...history,
      sessions: history.sessions.map((row) =>
        restarted.has(row.session.clientId) ? { ...row, rates: reconnectedRates } : row,
      ),
      fullSinceMs: new Map([...history.fullSinceMs].filter(([clientId]) => !restarted.has(clientId))),
      losing: rateOf(losses, 1),
      growing: growingIn(growths),
    };
  }

  /** Follows the sessions that are known to be offline: their rates are those of their own steps. */
  function withOfflineRates(sessions: readonly SessionRow[]): readonly SessionRow[] {
    if (history.offline.size === 0) return sessions;
    const offline = new Map(history.offline);
    const rows = sessions.map((row): SessionRow => {
      const { session } = row;
      const known = offline.get(session.clientId);
      if (known === undefined) return row;
      const counters = followOffline(known, session, sessionsBeganMs, sessionsReadOf(session.node));
      offline.set(session.clientId, counters);
      const rates = offlineRates(row, counters);
      return { ...row, rates: row.rates !== unknownRates && rates === unknownRates ? waitingRates : rates };
    });
    history = { ...history, offline };
    return rows;
  }

  function noteSessions(state: MonitorState): boolean {
    const { isFrozen, capabilities } = state;
    const sessionList = reading(state, sessionScan);
    if (isFrozen || !isWatched(state, sessionScan)) wasUnwatched = true;
    // Aborted because no screen watches it: not a result.
    if ((sessionList.phase === 'aborted' && wasUnwatched) || !takeEnd('sessions', sessionList)) return false;
    sessionsBeganMs = sessionList.startedAtMs;
    const refresh = refreshOf(capabilities);
    const nowMs = sessionList.finishedAtMs ?? 0;
    sessionsReadOf = (node) => {
      const monotonic = node === undefined ? undefined : sessionList.coverage.get(node)?.readAtMs;
      return monotonic === undefined ? undefined : { wall: nowMs, monotonic };
    };
    const sessions = withOfflineRates(rates.update(sessionList, refresh));
    const fullSinceMs = new Map<string, number>();
    const fullAtLeast = new Set<string>();
    const fullOnce = new Set<string>();
    const nextFull = new Map<string, Session>();
    const idleSinceMs = new Map<string, number>();
    const gapNodes = new Set(
      [...sessionList.coverage].filter(([, { isAfterGap }]) => isAfterGap === true).map(([node]) => node),
    );
    // Each node since its own last reading: others may have failed.
    const beforeOf = (node: NodeName | undefined): number => {
      const [lastMs, thisMs] =
        node === undefined ? [] : [history.sessionsReadAtMs.get(node), sessionList.coverage.get(node)?.readAtMs];
      return lastMs === undefined || thisMs === undefined
        ? (history.sessionReadings.completeMs ?? nowMs)
        : nowMs - (thisMs - lastMs);
    };
    const nextLosses = new Map<string, LastTrouble>();
    const nextGrowths = new Map<string, LastTrouble>();
    const lostBefore = new Map<string, number>();
    const lossSpans = new Map<string, LossSpan>();
    const findLast = createRowFinder(history.sessions, ({ session: { clientId } }) => clientId);
    const returned = new Set<string>();
    const isFirstReading = history.sessionReadings.complete === 0;
    let hasQueues = false;
    for (const row of sessions) {
      const { session, rates: known } = row;
      const { clientId, node, queueLength = 0, dropped = 0 } = session;
      const beforeMs = beforeOf(node);
      const rowRefresh = session.isConnected === undefined && history.offline.has(clientId) ? atAnyTime : refresh;
      hasQueues ||= queueLength >= minQueueLength && session.isConnected !== false && !history.offline.has(clientId);
      const isNew = known === unknownRates;
      if (history.returned.has(clientId) && !hasRates(known)) returned.add(clientId);
      const isAfterGap = known === reconnectedRates || (node !== undefined && gapNodes.has(node));
      if (isInflightFull(session)) {
        const before = isNew || isAfterGap ? undefined : history.fullSinceMs.get(clientId);
        fullSinceMs.set(clientId, before ?? nowMs);
        const first = before === undefined ? session : (firstFull.get(clientId) ?? session);
        nextFull.set(clientId, first);
        if (refresh.maxMs > 0 && isSameFigures(first, session) && nowMs - (before ?? nowMs) < refresh.maxMs)
          fullOnce.add(clientId);
        if (known.acknowledgedPerSecond === 0) idleSinceMs.set(clientId, history.idleSinceMs.get(clientId) ?? beforeMs);
        if (wasUnwatched || isAfterGap || (before !== undefined && history.fullAtLeast.has(clientId)))
          fullAtLeast.add(clientId);
      }
      if (dropped > 0) {
        const last = history.sessions[findLast(row) ?? -1]?.session;
        // One that moved to another node counts on. A counter that fell began again.
        const isSame = last !== undefined && hasSameStart(last, session) && dropped >= (last.dropped ?? 0);
        const isFirst =
          last === undefined && (node === undefined ? isFirstReading : !history.sessionsReadAtMs.has(node));
        const droppedBefore = isSame ? history.lostBefore.get(clientId) : isFirst ? dropped : undefined;
        if (droppedBefore !== undefined) lostBefore.set(clientId, droppedBefore);
        const span = isSame
          ? spanOf(
              history.lossSpans.get(clientId),
              last.dropped,
              dropped,
              nowMs,
              () => Math.min(beforeMs, beforeOf(last.node)) - rowRefresh.maxMs,
            )
          : undefined;
        if (span !== undefined) lossSpans.set(clientId, span);
      }
      const lossBefore = isNew || isAfterGap ? undefined : losses.get(clientId);
      const loss = followTrouble(
        lossBefore,
        known,
        lostFromNowOn(known, lossBefore !== undefined),
        queueLength,
        nowMs,
        beforeMs,
        keepLosingMs,
        rowRefresh,
      );
      if (loss !== undefined && queueLength > 0 && known.isLossPast !== true) nextLosses.set(clientId, loss);
      // What was queued for a client while it was away does not show that it is slow.
      const isBack = session.isConnected === true && history.offline.has(clientId);
      const growth = followTrouble(
        isNew || isAfterGap || isBack ? undefined : growths.get(clientId),
        known,
        known.queuePerSecond,
        queueLength,
        nowMs,
        beforeMs,
        keepGrowingMs,
        rowRefresh,
      );
      if (growth !== undefined && queueLength >= minQueueLength) nextGrowths.set(clientId, growth);
    }
    firstFull = nextFull;
    losses = nextLosses;
    growths = nextGrowths;
    if (sessionList.phase === 'complete') wasUnwatched = false;
    const readAtMs = [...sessionList.coverage].flatMap(([node, coverage]) =>
      coverage.readAtMs === undefined ? [] : [[node, coverage.readAtMs] as const],
    );
    const sessionsReadAtMs = new Map(
      [...history.sessionsReadAtMs, ...readAtMs].filter(([node]) => sessionList.coverage.has(node)),
    );
    const nodeReadMs = new Map(
      [...sessionList.coverage].flatMap(([node, { isComplete }]) => {
        const readMs = isComplete ? nowMs : history.nodeReadMs?.get(node);
        return readMs === undefined ? [] : [[node, readMs] as const];
      }),
    );
    history = {
      ...history,
      sessions,
      sessionReadings: { ...count(history.sessionReadings, sessionList), isAfterGap: gapNodes.size > 0 },
      sessionsReadAtMs,
      nodeReadMs,
      fullSinceMs,
      fullAtLeast,
      fullOnce,
      idleSinceMs,
      hasQueues,
      losing: rateOf(losses, 1),
      growing: growingIn(growths),
      lostBefore,
      lossSpans,
      returned,
    };
    return true;
  }

  function noteOffline(): void {
    const { sessions, clientReadings } = history;
    // Without sessions, the set of ids would only take time and memory.
    if (sessions.length === 0 && history.offline.size === 0) return;
    if (areClientsMissing || clientReadings.last !== 'complete' || clientReadings.completeMs === undefined) return;
    const connected = nodesOfClients(clients);
    const offline = new Map<string, OfflineCounters>();
    for (const row of sessions) {
      const { clientId, cleanSession } = row.session;
      // A clean session ends with its client: without one it was read before the client disconnected.
      if (cleanSession === true || connected.has(clientId)) continue;
      const before = history.offline.get(clientId);
      const known =
        before ??
        (isOlderThanClients(row, history)
          ? { sinceMs: clientReadings.completeMs, isLive: false, last: undefined }
          : undefined);
      if (known === undefined) continue;
      offline.set(clientId, followOffline(known, row.session, sessionsBeganMs, sessionsReadOf(row.session.node)));
      // What it lost and gained while it was connected says nothing of what it does now.
      if (before === undefined && row.session.isConnected === undefined) {
        losses.delete(clientId);
        growths.delete(clientId);
      }
    }
    if (offline.size === 0 && history.offline.size === 0) return;
    const back = [...history.offline.keys()].filter((clientId) => !offline.has(clientId));
    for (const clientId of back) growths.delete(clientId);
    const returned = back.length === 0 ? history.returned : new Set([...history.returned, ...back]);
    history = { ...history, offline, returned, losing: rateOf(losses, 1), growing: growingIn(growths) };
  }

  function noteQueueDrops(state: MonitorState): void {
    const { capabilities } = state;
    const { coverage } = reading(state, sessionScan);
    const {
      sessions,
      sessionReadings: { complete, last, completeMs = 0, firstMs = 0 },
      offline,
      queueDrops,
      losing,
    } = history;
    if (last !== 'complete' || complete < 2) return;
    // Until then, not all have been read over a whole step.
    if (
      completeMs - firstMs < stepsOfAll * refreshOf(capabilities).maxMs &&
      sessions.some(({ session, rates: known }) => (session.dropped ?? 0) > 0 && !hasRates(known))
    )
      return;
    const atMs = Math.max(...[...coverage.values()].map(({ readAtMs }) => readAtMs ?? Number.NEGATIVE_INFINITY));
    if (!Number.isFinite(atMs)) return;
    const drops = sumQueueDrops(
      sessions,
      ({ session }) => offline.get(session.clientId)?.isLive === false,
      atMs,
      ({ session }) => losing.get(session.clientId),
    );
    history = { ...history, queueDrops: appendQueueDrops(queueDrops, drops) };
  }

  return {
    history: () => history,
    reconnectedRows: () => reconnectedRows,
    update(state) {
      noteClients(state);
      const sudden = noteSudden(state, history.sudden);
      if (sudden !== history.sudden) history = { ...history, sudden };
      const hasReadClients = noteReconnects(state);
      if (hasReadClients) noteTalkers(state);
      const hasReadSessions = noteSessions(state);
      if (hasReadClients || hasReadSessions) noteOffline();
      if (hasReadSessions) noteQueueDrops(state);
      if (takeEnd('subscriptions', reading(state, subscriptionScan))) {
        history = {
          ...history,
          subscriptionReadings: count(history.subscriptionReadings, reading(state, subscriptionScan)),
        };
      }
      return history;
    },
  };
}
