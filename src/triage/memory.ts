import type { Client, Session } from '../domain/client.ts';
import { memoise } from '../domain/memoise.ts';
import type { NodeName } from '../domain/node.ts';
import { createRowFinder } from '../domain/row-finder.ts';
import { followOffline, type OfflineCounters } from '../monitor/history/offline-counters.ts';
import { createSessionRateTracker, type SessionRateTracker, type SessionRow, unknownRates } from '../monitor/history/session-rates.ts';
import { selectRateSeries } from '../monitor/select/rates.ts';
import { selectTotals } from '../monitor/select/totals.ts';
import type { MonitorState, ScanState } from '../monitor/state.ts';
import { createSuddenMemory, noSuddenChanges, type SuddenChanges } from './sudden-memory.ts';
import { triageThresholds } from './thresholds.ts';

/** Finished readings of a list. */
export interface Readings {
  /** Number of readings that reached the end of every node's list. */
  readonly complete: number;
  readonly last: 'complete' | 'partial' | 'aborted' | 'idle' | undefined;
  /** When the last of them ended, wall clock. */
  readonly completeMs?: number | undefined;
  /** When the one before it ended. */
  readonly beforeMs?: number | undefined;
}

/** Number of clients in the cluster at a moment, wall clock. */
interface ClientCount {
  readonly atMs: number;
  /** The latest metrics sample at that moment, on the monotonic clock. */
  readonly metricsMs: number;
  readonly clients: number;
}

/** The past that the checks compare the state with. */
export interface TriageHistory {
  /** Over the window, oldest first; only from answers that lack no node. */
  readonly clientCounts: readonly ClientCount[];
  readonly sessions: readonly SessionRow[];
  readonly sessionReadings: Readings;
  /** When each node's sessions were read to the end, on the monotonic clock. */
  readonly sessionsReadAtMs: ReadonlyMap<NodeName, number>;
  /** Sessions whose inflight window has been full in each reading since, wall clock. */
  readonly fullSinceMs: ReadonlyMap<string, number>;
  /** Those of them that may have been full before that. */
  readonly fullAtLeast: ReadonlySet<string>;
  /** Sessions that lost messages recently and whose queue has not emptied since. */
  readonly losing: ReadonlySet<string>;
  /** Messages that sessions had lost before their first reading, where any. */
  readonly lostBefore: ReadonlyMap<string, number>;
  /** Sessions whose clients are offline. */
  readonly offline: ReadonlyMap<string, OfflineCounters>;
  readonly clientReadings: Readings;
  readonly subscriptionReadings: Readings;
  /** Clients that reconnected in the last minute, newest first. */
  readonly reconnected: readonly string[];
  readonly sudden: SuddenChanges;
}

export const emptyHistory: TriageHistory = {
  clientCounts: [], sessions: [], sessionReadings: { complete: 0, last: undefined }, sessionsReadAtMs: new Map(), fullSinceMs: new Map(), fullAtLeast: new Set(), losing: new Set(), lostBefore: new Map(), offline: new Map(),
  clientReadings: { complete: 0, last: undefined }, subscriptionReadings: { complete: 0, last: undefined }, reconnected: [], sudden: noSuddenChanges,
};

const keepReconnectedMs = 60_000;
/** A full queue does not lose messages in every reading. */
const keepLosingMs = 120_000;

const isFull = ({ inflight, maxInflight }: Session): boolean =>
  inflight !== undefined && maxInflight !== undefined && maxInflight > 0 && inflight >= maxInflight;

/** Calls `tell` for each changed client; a gone one has no `after`, a new one no `before`. */
function eachChanged(before: readonly Client[], after: readonly Client[], tell: (before: Client | undefined, after: Client | undefined) => void): void {
  const find = createRowFinder(before, ({ clientId }) => clientId);
  const isFound = new Uint8Array(before.length);
  for (const client of after) {
    const place = find(client);
    const known = place === undefined ? undefined : before[place];
    if (place !== undefined) isFound[place] = 1;
    if (known !== client) tell(known, client);
  }
  for (let place = isFound.indexOf(0); place !== -1; place = isFound.indexOf(0, place + 1)) tell(before[place], undefined);
}

/** Nodes that restarted since their sessions were read. */
export function outdatedNodes({ metricHistory }: MonitorState, { sessionsReadAtMs }: TriageHistory): ReadonlySet<NodeName> {
  return new Set([...sessionsReadAtMs].flatMap(([node, readAtMs]) => {
    const anew = metricHistory.get(node)?.findLast(({ isAfterReset }) => isAfterReset === true);
    return anew !== undefined && anew.atMs > readAtMs ? [node] : [];
  }));
}

export const connectedIds = memoise((clients: MonitorState['clientScan']['rows']): ReadonlySet<string> => new Set(clients.map(({ clientId }) => clientId)));

/** Whether a session existed before the clients were read, so that it is offline if it has no client there. */
export const isOlderThanClients = ({ rates }: SessionRow, { clientReadings, sessionReadings: { beforeMs } }: TriageHistory): boolean =>
  rates.queuePerSecond !== undefined && beforeMs !== undefined && (clientReadings.completeMs ?? 0) >= beforeMs;

/** Follows the states of one monitor. */
export interface TriageMemory {
  /** Takes a state in; returns the same object while nothing changed. */
  update(state: MonitorState): TriageHistory;
  history(): TriageHistory;
}

/** @param minBaselineSeconds required length of the baseline for sudden changes */
export function createTriageMemory(rates: SessionRateTracker = createSessionRateTracker(), minBaselineSeconds?: number): TriageMemory {
  const noteSudden = createSuddenMemory(minBaselineSeconds);
  let history = emptyHistory;
  let statsAtMs: number | undefined;
  const endedAtMs = new Map<string, number>();
  let clients: readonly Client[] = [];
  /** The last reading lacks rows: a client that is not in `clients` may be connected. */
  let areClientsMissing = false;
  /** Clients that the last reading lacks, or whose connection time it lacks, as last known. */
  const lastKnown = new Map<string, Client>();
  const noticedAtMs = new Map<string, number>();
  let lostAtMs = new Map<string, number>();
  let wasUnwatched = true;
  let sessionsBeganMs: number | undefined;

  /** Whether a scan ended since the last look. */
  function takeEnd(name: string, { phase, finishedAtMs }: ScanState<unknown>): boolean {
    if (phase === 'running' || finishedAtMs === undefined || endedAtMs.get(name) === finishedAtMs) return false;
    endedAtMs.set(name, finishedAtMs);
    return true;
  }

  const count = (before: Readings, { phase, finishedAtMs }: ScanState<unknown>): Readings => {
    if (phase === 'running') return before;
    return phase === 'complete'
      ? { complete: before.complete + 1, last: phase, completeMs: finishedAtMs, beforeMs: before.completeMs }
      : { ...before, last: phase };
  };

  function noteClients(state: MonitorState): void {
    const { updatedAtMs } = state.resources.stats;
    if (updatedAtMs === undefined || updatedAtMs === statsAtMs) return;
    statsAtMs = updatedAtMs;
    const { value, missingNodes } = selectTotals(state).clients;
    const metricsMs = selectRateSeries(state, 'packets.connect').at(-1)?.atMs;
    if (value === undefined || missingNodes.length > 0 || metricsMs === undefined) return;
    const fromMs = updatedAtMs - triageThresholds.windowSeconds * 1_000;
    history = { ...history, clientCounts: [...history.clientCounts.filter(({ atMs }) => atMs >= fromMs && atMs < updatedAtMs), { atMs: updatedAtMs, metricsMs, clients: value }] };
  }

  function takeKnown(clientId: string): Client | undefined {
    const client = lastKnown.get(clientId);
    if (client !== undefined) lastKnown.delete(clientId);
    return client;
  }

  function noteReconnects({ clientScan }: MonitorState): boolean {
    if (!takeEnd('clients', clientScan)) return false;
    const nowMs = clientScan.finishedAtMs ?? 0;
    const isFirst = history.clientReadings.complete === 0;
    eachChanged(clients, clientScan.rows, (before, client) => {
      if (before?.connectedAt !== undefined && client?.connectedAt === undefined) lastKnown.set(before.clientId, before);
      if (client?.connectedAt === undefined) return;
      const { clientId } = client;
      const known = before?.connectedAt === undefined ? takeKnown(clientId) : before;
      if (isFirst || known === undefined || (known.connectedAt === client.connectedAt && known.node === client.node)) return;
      noticedAtMs.delete(clientId);
      noticedAtMs.set(clientId, nowMs);
    });
    clients = clientScan.rows;
    areClientsMissing = clientScan.leftOut.size > 0;
    for (const [clientId, atMs] of noticedAtMs) if (nowMs - atMs > keepReconnectedMs) noticedAtMs.delete(clientId);
    if (lastKnown.size > clients.length + 1_000) lastKnown.clear();
    history = { ...history, clientReadings: count(history.clientReadings, clientScan), reconnected: [...noticedAtMs.keys()].toReversed() };
    return true;
  }

  function noteSessions({ sessionScan, watched, isFrozen }: MonitorState): boolean {
    if (isFrozen || watched?.some(({ kind }) => kind === 'sessionScan') !== true) wasUnwatched = true;
    // Aborted because nobody watches: not a result.
    if ((sessionScan.phase === 'aborted' && wasUnwatched) || !takeEnd('sessions', sessionScan)) return false;
    sessionsBeganMs = sessionScan.startedAtMs;
    const sessions = rates.update(sessionScan);
    const nowMs = sessionScan.finishedAtMs ?? 0;
    const fullSinceMs = new Map<string, number>();
    const fullAtLeast = new Set<string>();
    const lost = new Map<string, number>();
    const lostBefore = new Map<string, number>();
    for (const { session, rates: known } of sessions) {
      const { clientId, queueLength, dropped } = session;
      // A recreated session has no history.
      const isNew = known === unknownRates;
      if (isFull(session)) {
        const before = isNew ? undefined : history.fullSinceMs.get(clientId);
        fullSinceMs.set(clientId, before ?? nowMs);
        if (wasUnwatched || (before !== undefined && history.fullAtLeast.has(clientId))) fullAtLeast.add(clientId);
      }
      const droppedBefore = isNew ? dropped : history.lostBefore.get(clientId);
      if (droppedBefore !== undefined && droppedBefore > 0) lostBefore.set(clientId, droppedBefore);
      const lostMs = (known.droppedPerSecond ?? 0) > 0 ? nowMs : isNew ? undefined : lostAtMs.get(clientId);
      if (lostMs !== undefined && nowMs - lostMs <= keepLosingMs && (queueLength ?? 0) > 0) lost.set(clientId, lostMs);
    }
    lostAtMs = lost;
    if (sessionScan.phase === 'complete') wasUnwatched = false;
    const readAtMs = [...sessionScan.coverage].flatMap(([node, coverage]) => (coverage.readAtMs === undefined ? [] : [[node, coverage.readAtMs] as const]));
    const sessionsReadAtMs = new Map([...history.sessionsReadAtMs, ...readAtMs].filter(([node]) => sessionScan.coverage.has(node)));
    history = { ...history, sessions, sessionReadings: count(history.sessionReadings, sessionScan), sessionsReadAtMs, fullSinceMs, fullAtLeast, losing: new Set(lost.keys()), lostBefore };
    return true;
  }

  function noteOffline(): void {
    const { sessions, clientReadings } = history;
    if (areClientsMissing || clientReadings.last !== 'complete' || clientReadings.completeMs === undefined) return;
    const connected = connectedIds(clients);
    const offline = new Map<string, OfflineCounters>();
    for (const row of sessions) {
      const { clientId, cleanSession } = row.session;
      // A clean session ends with its client: without a client, it was read before the client left.
      if (cleanSession === true || connected.has(clientId)) continue;
      const known = history.offline.get(clientId)
        ?? (isOlderThanClients(row, history) ? { sinceMs: clientReadings.completeMs, isLive: false, last: undefined } : undefined);
      if (known !== undefined) offline.set(clientId, followOffline(known, row.session, sessionsBeganMs));
    }
    if (offline.size > 0 || history.offline.size > 0) history = { ...history, offline };
  }

  return {
    history: () => history,
    update(state) {
      noteClients(state);
      const sudden = noteSudden(state, history.sudden);
      if (sudden !== history.sudden) history = { ...history, sudden };
      const hasReadClients = noteReconnects(state);
      const hasReadSessions = noteSessions(state);
      if (hasReadClients || hasReadSessions) noteOffline();
      if (takeEnd('subscriptions', state.subscriptionScan)) {
        history = { ...history, subscriptionReadings: count(history.subscriptionReadings, state.subscriptionScan) };
      }
      return history;
    },
  };
}
