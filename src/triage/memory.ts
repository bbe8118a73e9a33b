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

/** How far a list has been read, over the readings that have ended. */
export interface Readings {
  /** Readings that reached the end of every node's list. */
  readonly complete: number;
  /** How the last one ended; `undefined` before the first. */
  readonly last: 'complete' | 'partial' | 'aborted' | 'idle' | undefined;
  /** When one last reached the end, wall clock. */
  readonly completeMs?: number | undefined;
  /** When the one before that had reached it. */
  readonly beforeMs?: number | undefined;
}

/** Clients of the cluster at a moment of the wall clock. */
interface ClientCount {
  readonly atMs: number;
  /** The last step of the metrics known then, on their own clock: what ties the two series together. */
  readonly metricsMs: number;
  readonly clients: number;
}

/** What the checks need beside the state: how things were before. */
export interface TriageHistory {
  /** Clients of the cluster, oldest first, over the window; only from answers in which no node was missing. */
  readonly clientCounts: readonly ClientCount[];
  readonly sessions: readonly SessionRow[];
  readonly sessionReadings: Readings;
  /** When each node's sessions were read to the end, on the clock of the metrics. */
  readonly sessionsReadAtMs: ReadonlyMap<NodeName, number>;
  /** Sessions whose inflight window was full in each reading since, wall clock. */
  readonly fullSinceMs: ReadonlyMap<string, number>;
  /** Those of them that may have been full before: nobody saw it begin, or nobody looked in between. */
  readonly fullAtLeast: ReadonlySet<string>;
  /** Sessions that lost messages in one of the last readings and whose queue has not emptied since. */
  readonly losing: ReadonlySet<string>;
  /** Messages that sessions had lost when they were first read, where they had lost any. */
  readonly lostBefore: ReadonlyMap<string, number>;
  /** Sessions whose clients are offline. */
  readonly offline: ReadonlyMap<string, OfflineCounters>;
  readonly clientReadings: Readings;
  readonly subscriptionReadings: Readings;
  /** Clients whose connection is another one than in the reading before, in the last minute; the newest first. */
  readonly reconnected: readonly string[];
  readonly sudden: SuddenChanges;
}

export const emptyHistory: TriageHistory = {
  clientCounts: [], sessions: [], sessionReadings: { complete: 0, last: undefined }, sessionsReadAtMs: new Map(), fullSinceMs: new Map(), fullAtLeast: new Set(), losing: new Set(), lostBefore: new Map(), offline: new Map(),
  clientReadings: { complete: 0, last: undefined }, subscriptionReadings: { complete: 0, last: undefined }, reconnected: [], sudden: noSuddenChanges,
};

const keepReconnectedMs = 60_000;
/** A full queue loses now and then: one reading without a loss ends nothing. */
const keepLosingMs = 120_000;

const isFull = ({ inflight, maxInflight }: Session): boolean =>
  inflight !== undefined && maxInflight !== undefined && maxInflight > 0 && inflight >= maxInflight;

/** Tells of each client that is another object than before; one that is gone has no `after`, a new one no `before`. */
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

/** Nodes that have begun anew since their sessions were read: those sessions may be gone. */
export function outdatedNodes({ metricHistory }: MonitorState, { sessionsReadAtMs }: TriageHistory): ReadonlySet<NodeName> {
  return new Set([...sessionsReadAtMs].flatMap(([node, readAtMs]) => {
    const anew = metricHistory.get(node)?.findLast(({ isAfterReset }) => isAfterReset === true);
    return anew !== undefined && anew.atMs > readAtMs ? [node] : [];
  }));
}

/** Ids of the clients that were connected when their lists were last read. */
export const connectedIds = memoise((clients: MonitorState['clientScan']['rows']): ReadonlySet<string> => new Set(clients.map(({ clientId }) => clientId)));

/** Whether a session was there before the clients were read, so that without a client there it is offline. */
export const isOlderThanClients = ({ rates }: SessionRow, { clientReadings, sessionReadings: { beforeMs } }: TriageHistory): boolean =>
  rates.queuePerSecond !== undefined && beforeMs !== undefined && (clientReadings.completeMs ?? 0) >= beforeMs;

/** Follows the states of one monitor. */
export interface TriageMemory {
  /** Takes a state in; the same object while nothing of it changed. */
  update(state: MonitorState): TriageHistory;
  history(): TriageHistory;
}

/** @param minBaselineSeconds how long figures have to be known before a change of them is called sudden */
export function createTriageMemory(rates: SessionRateTracker = createSessionRateTracker(), minBaselineSeconds?: number): TriageMemory {
  const noteSudden = createSuddenMemory(minBaselineSeconds);
  let history = emptyHistory;
  let statsAtMs: number | undefined;
  const endedAtMs = new Map<string, number>();
  /** As the last reading found them. */
  let clients: readonly Client[] = [];
  /** Rows are missing: who is not among `clients` may be connected all the same. */
  let areClientsMissing = false;
  /** Clients that it did not find, or whose connection it did not know, as they were when that was known. */
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
    // Nobody looks any more: what was cut short says nothing.
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
      // Of one that began anew nothing is known of before.
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
      // A clean session ends with its client: one without a client was read before it left.
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
