import type { Setting } from '../domain/administration.ts';
import { memoise } from '../domain/memoise.ts';
import { nodesOfClients, type SessionRow, unknownRates } from '../monitor/history/sessions.ts';
import { selectSettings, type SettingRow } from '../monitor/select/administration.ts';
import type { MonitorState } from '../monitor/state.ts';
import type { CheckInput, CheckResult, Finding, SessionEvidence, UncheckedReason } from './check.ts';
import { isInflightFull, isOlderThanClients, outdatedNodes, type TriageHistory } from './memory.ts';
import { type Severity, triageThresholds } from './thresholds.ts';

const maxShown = 5;

const limitsOf = memoise((rows: readonly SettingRow[], settingKey: string | undefined): ReadonlyMap<string, number> => {
  const byNode = rows.find(({ key }) => key === settingKey)?.byNode ?? new Map<string, Setting>();
  return new Map([...byNode].flatMap(([node, { value }]) => (value !== undefined && /^\d{1,12}$/u.test(value) && Number(value) > 0 ? [[node, Number(value)] as const] : [])));
});

const keepEqual = (() => {
  let last: ReadonlyMap<string, number> = new Map();
  return (next: ReadonlyMap<string, number>): ReadonlyMap<string, number> => {
    if (next.size !== last.size || [...next].some(([node, limit]) => last.get(node) !== limit)) last = next;
    return last;
  };
})();

/** Maximum queue lengths by node, of those with one; the same map while nothing changes. */
export const selectQueueLimits = (state: MonitorState): ReadonlyMap<string, number> =>
  keepEqual(limitsOf(selectSettings(state).rows, state.capabilities?.queueLimitSetting));

/** A session with a slow client, a full queue or losses, over several readings. */
interface Suspect {
  readonly row: SessionRow;
  readonly isStuck: boolean;
  readonly isLosing: boolean;
  readonly isGrowing: boolean;
  /** Maximum queue length; `undefined` if unknown or unlimited. */
  readonly limit: number | undefined;
  readonly isQueueFull: boolean;
  /** Its counters may be those of its client's disconnect. */
  readonly isFrozen: boolean;
}

const isSlow = ({ row: { session, rates }, isStuck, isLosing, isGrowing }: Suspect): boolean =>
  isLosing || (rates.droppedPerSecond ?? 0) > 0 || isGrowing || (isStuck && (session.queueLength ?? 0) > 0);

const hasLost = ({ row: { session } }: Suspect): boolean => (session.dropped ?? 0) > 0;

/** Present problems first, then by total losses and queue length, so that rows keep their places. */
const byLoss = (a: Suspect, b: Suspect): number =>
  Number(b.isLosing) - Number(a.isLosing) || Number(isSlow(b)) - Number(isSlow(a)) || Number(b.isQueueFull) - Number(a.isQueueFull)
  || (b.row.session.dropped ?? 0) - (a.row.session.dropped ?? 0) || (b.row.session.queueLength ?? 0) - (a.row.session.queueLength ?? 0);

const findSuspects = memoise((
  sessions: readonly SessionRow[], limits: ReadonlyMap<string, number>, fullSinceMs: ReadonlyMap<string, number>, losing: ReadonlySet<string>, growing: ReadonlySet<string>, offline: TriageHistory['offline'], lastEndMs: number,
): readonly Suspect[] =>
  sessions
    .map((row): Suspect => {
      const { clientId, node, queueLength, maxQueueLength } = row.session;
      const limit = maxQueueLength ?? (node === undefined ? undefined : limits.get(node));
      const isFrozen = offline.get(clientId)?.isLive === false;
      return {
        limit, isFrozen,
        row: isFrozen ? { session: row.session, rates: unknownRates } : row,
        isStuck: !isFrozen && (fullSinceMs.get(clientId) ?? Infinity) < lastEndMs - 1,
        isGrowing: !isFrozen && (growing.has(clientId) || ((row.rates.queuePerSecond ?? 0) > 0 && (queueLength ?? 0) >= triageThresholds.queueLength)),
        isLosing: !isFrozen && (losing.has(clientId) || (row.rates.droppedPerSecond ?? 0) > 0),
        isQueueFull: limit !== undefined && queueLength !== undefined && queueLength >= limit,
      };
    })
    .filter((suspect) => isSlow(suspect) || suspect.isQueueFull || hasLost(suspect))
    .toSorted(byLoss));

const countUnknown = memoise((sessions: readonly SessionRow[]): number =>
  sessions.filter(({ session }) => session.queueLength === undefined || session.dropped === undefined).length);

const frozenIds = memoise((sessions: readonly SessionRow[], offline: TriageHistory['offline']): readonly string[] =>
  (offline.size === 0 ? [] : sessions.map(({ session }) => session.clientId).filter((id) => offline.get(id)?.isLive === false)));

const countPersistent = memoise((sessions: readonly SessionRow[]): number => sessions.filter(({ session }) => session.cleanSession !== true).length);

function evidenceOf(suspect: Suspect, isConnected: boolean | undefined, lostBefore: number): SessionEvidence {
  const { row: { session, rates }, limit, isQueueFull, isFrozen, isLosing, isStuck } = suspect;
  const { clientId, node, queueLength, dropped = 0 } = session;
  return {
    clientId, node, isConnected, isAsOfDisconnect: isFrozen, queueLength, queueLimit: limit, isQueueFull, queuePerSecond: rates.queuePerSecond ?? 0,
    fullInSeconds: fullInSeconds(suspect),
    isLosing, droppedPerSecond: rates.droppedPerSecond ?? 0, dropped, isLossOld: dropped <= lostBefore,
    isStuck, inflight: session.inflight ?? 0, maxInflight: session.maxInflight ?? 0, deliveredPerSecond: rates.deliveredPerSecond,
  };
}

/** With a full inflight window and a full queue, a connected client loses what is published to it: one reading is enough. */
const atItsLimits = (suspect: Suspect, isConnected: boolean | undefined): Suspect =>
  (isConnected === true && suspect.isQueueFull && isInflightFull(suspect.row.session) ? { ...suspect, isStuck: true } : suspect);

function codeOf(suspect: Suspect, isConnected: boolean | undefined): 'slow-consumer' | 'queue-full' | 'offline-queue' | 'messages-lost' {
  if (!isSlow(suspect) && !suspect.isQueueFull) return 'messages-lost';
  if (isConnected === false) return 'offline-queue';
  return isSlow(suspect) ? 'slow-consumer' : 'queue-full';
}

const severityOfSession = (suspect: Suspect, isConnected: boolean | undefined): Severity =>
  (suspect.isLosing || (suspect.isQueueFull && isSlow(suspect) && isConnected !== false) ? 'critical' : 'warning');

const farSeconds = 600;

const fullInSeconds = ({ row: { session: { queueLength }, rates: { queuePerSecond = 0 } }, limit }: Suspect): number | undefined =>
  (queuePerSecond > 0 && limit !== undefined && queueLength !== undefined && queueLength < limit ? Math.ceil((limit - queueLength) / queuePerSecond) : undefined);

/** Its queue grows, but will not be full soon. */
const isFar = (suspect: Suspect): boolean =>
  suspect.isGrowing && suspect.limit !== undefined && !suspect.isStuck && !suspect.isLosing && !suspect.isQueueFull && (fullInSeconds(suspect) ?? Infinity) > farSeconds;

export function slowCheck({ state, history }: CheckInput): CheckResult {
  const { sessionReadings: { complete, last, completeMs }, fullSinceMs, fullAtLeast, losing, growing, lostBefore, offline, clientReadings } = history;
  const outdated = outdatedNodes(state, history);
  const sessions = outdated.size === 0 ? history.sessions : history.sessions.filter(({ session: { node } }) => node === undefined || !outdated.has(node));
  const limits = selectQueueLimits(state);
  const suspects = complete === 0 ? [] : findSuspects(sessions, limits, fullSinceMs, losing, growing, offline, completeMs ?? state.sessionScan.finishedAtMs ?? 0);
  const connected = suspects.length > 0 && clientReadings.last === 'complete' && state.clientScan.leftOut.size === 0 ? nodesOfClients(state.clientScan.rows) : undefined;
  // A session that is newer than the client scan is not known to be offline.
  const connectionOf = ({ isFrozen, row }: Suspect): boolean | undefined => {
    if (row.session.isConnected !== undefined) return row.session.isConnected;
    if (connected?.has(row.session.clientId) === true) return true;
    return isFrozen || (connected !== undefined && isOlderThanClients(row, history)) ? false : undefined;
  };
  const allFar = suspects.filter(isFar);
  const far = allFar.length > 1 ? allFar : [];
  const near = far.length === 0 ? suspects : suspects.filter((suspect) => !far.includes(suspect));
  const findings = near.slice(0, maxShown).map((found): Finding => {
    const { clientId } = found.row.session;
    const isConnected = connectionOf(found);
    const suspect = atItsLimits(found, isConnected);
    const fullMs = suspect.isStuck ? fullSinceMs.get(clientId) : undefined;
    const isExact = fullMs !== undefined && !fullAtLeast.has(clientId);
    return {
      check: 'slow', key: `slow ${clientId}`, severity: severityOfSession(suspect, isConnected), sinceMs: isExact ? fullMs : undefined, foundMs: isExact ? undefined : fullMs,
      target: { kind: 'session', clientId }, code: codeOf(suspect, isConnected), evidence: evidenceOf(suspect, isConnected, lostBefore.get(clientId) ?? 0),
    };
  });
  const others = near.slice(maxShown);
  const target = { kind: 'sessions', clientIds: others.length > 0 ? near.map(({ row }) => row.session.clientId) : undefined } as const;
  const critical = others.filter((suspect) => severityOfSession(atItsLimits(suspect, connectionOf(suspect)), connectionOf(suspect)) === 'critical').length;
  const more = ([['critical', critical], ['warning', others.length - critical]] as const).flatMap(([severity, count]): readonly Finding[] =>
    (count === 0 ? [] : [{ check: 'slow', key: `slow, more ${severity}`, severity, count, target, code: 'more-sessions', evidence: { count, isLosing: severity === 'critical', isFar: false } }]));
  const farFinding: readonly Finding[] = far.length === 0 ? [] : [{
    check: 'slow', key: 'slow, far', severity: 'warning', count: far.length, target: { kind: 'sessions', clientIds: far.map(({ row }) => row.session.clientId) },
    code: 'more-sessions', evidence: { count: far.length, isLosing: false, isFar: true },
  }];
  return {
    check: 'slow', findings: [...findings, ...more, ...farFinding], target: { kind: 'sessions' }, passed: { check: 'slow', sessions: sessions.length },
    unchecked: [
      ...uncheckedSessions(sessions, complete, last, state.sessionScan),
      ...(complete < 2 ? [] : uncheckedOffline(sessions, history)),
      ...(outdated.size === 0 ? [] : [{ code: 'sessions-outdated', nodes: [...outdated] } as const]),
    ],
    reading: { noun: 'sessions', atMs: completeMs, isWatched: state.watched?.some(({ kind }) => kind === 'sessionScan') === true },
    clearsFindings: complete >= 2 && last === 'complete' && outdated.size === 0,
  };
}

function uncheckedOffline(sessions: readonly SessionRow[], { offline, clientReadings }: TriageHistory): readonly UncheckedReason[] {
  const clientIds = frozenIds(sessions, offline);
  const persistent = clientReadings.last === 'complete' ? 0 : countPersistent(sessions);
  return [
    ...(clientIds.length === 0 ? [] : [{ code: 'counters-frozen', clientIds } as const]),
    ...(persistent === 0 ? [] : [{ code: 'clients-unread', sessions: persistent } as const]),
  ];
}

function uncheckedSessions(sessions: readonly SessionRow[], complete: number, last: string | undefined, { leftOut }: MonitorState['sessionScan']): readonly UncheckedReason[] {
  if (leftOut.size > 0) return [{ code: 'sessions-incomplete' }];
  if (complete < 2) return [{ code: 'sessions-uncompared', readings: complete }];
  const unknown = countUnknown(sessions);
  return [
    ...(last === 'complete' ? [] : [{ code: 'sessions-aborted' } as const]),
    ...(unknown === 0 ? [] : [{ code: 'queues-unknown', count: unknown, total: sessions.length } as const]),
  ];
}
