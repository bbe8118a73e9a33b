import type { Setting } from '../domain/administration.ts';
import { memoise } from '../domain/memoise.ts';
import { durationText, literal, pluralize, type TextPart, untrusted, withThousands } from '../domain/text.ts';
import { type SessionRow, unknownRates } from '../monitor/history/session-rates.ts';
import { selectSettings, type SettingRow } from '../monitor/select/administration.ts';
import type { MonitorState } from '../monitor/state.ts';
import { type CheckInput, type CheckResult, figure, type Finding, idParts, type Jump } from './check.ts';
import { connectedIds, isOlderThanClients, outdatedNodes, type TriageHistory } from './memory.ts';
import { triageThresholds } from './thresholds.ts';

const maxShown = 5;
const maxLengthKey = 'mqtt.mqueue.max_length';

/** Maximum queue length by node, where known and bounded. */
const limitsOf = memoise((rows: readonly SettingRow[]): ReadonlyMap<string, number> => {
  const byNode = rows.find(({ key }) => key === maxLengthKey)?.byNode ?? new Map<string, Setting>();
  return new Map([...byNode].flatMap(([node, { value }]) => (value !== undefined && /^\d{1,12}$/u.test(value) && Number(value) > 0 ? [[node, Number(value)] as const] : [])));
});

/** A session that may be slow, judged over several readings. */
interface Slow {
  readonly row: SessionRow;
  /** Its inflight window was full in every recent reading. */
  readonly isStuck: boolean;
  /** It lost messages recently, and its queue has not emptied since. */
  readonly isLosing: boolean;
  /** Maximum queue length; `undefined` if unknown or unbounded. */
  readonly limit: number | undefined;
  readonly isQueueFull: boolean;
  /** Its counters may be as of its client's disconnect. */
  readonly isFrozen: boolean;
}

const isSlow = ({ row: { session, rates }, isStuck, isLosing }: Slow): boolean => {
  const waiting = session.queueLength ?? 0;
  return isLosing || (rates.droppedPerSecond ?? 0) > 0
    || ((rates.queuePerSecond ?? 0) > 0 && waiting >= triageThresholds.queueLength)
    || (isStuck && waiting > 0);
};

const hasLost = ({ row: { session } }: Slow): boolean => (session.dropped ?? 0) > 0;

/** Ongoing problems first, then by total losses and queue length, so that rows keep their places. */
const byLoss = (a: Slow, b: Slow): number =>
  Number(b.isLosing) - Number(a.isLosing) || Number(isSlow(b)) - Number(isSlow(a)) || Number(b.isQueueFull) - Number(a.isQueueFull)
  || (b.row.session.dropped ?? 0) - (a.row.session.dropped ?? 0) || (b.row.session.queueLength ?? 0) - (a.row.session.queueLength ?? 0);

const findSlow = memoise((
  sessions: readonly SessionRow[], limits: ReadonlyMap<string, number>, fullSinceMs: ReadonlyMap<string, number>, losing: ReadonlySet<string>, offline: TriageHistory['offline'], lastEndMs: number,
): readonly Slow[] =>
  sessions
    .map((row): Slow => {
      const { clientId, node, queueLength } = row.session;
      const limit = node === undefined ? undefined : limits.get(node);
      const isFrozen = offline.get(clientId)?.isLive === false;
      return {
        limit, isFrozen,
        row: isFrozen ? { session: row.session, rates: unknownRates } : row,
        isStuck: !isFrozen && (fullSinceMs.get(clientId) ?? Infinity) < lastEndMs - 1,
        isLosing: !isFrozen && (losing.has(clientId) || (row.rates.droppedPerSecond ?? 0) > 0),
        isQueueFull: limit !== undefined && queueLength !== undefined && queueLength >= limit,
      };
    })
    .filter((slow) => isSlow(slow) || slow.isQueueFull || hasLost(slow))
    .toSorted(byLoss));

const countUnknown = memoise((sessions: readonly SessionRow[]): number =>
  sessions.filter(({ session }) => session.queueLength === undefined || session.dropped === undefined).length);

const frozenIds = memoise((sessions: readonly SessionRow[], offline: TriageHistory['offline']): readonly string[] =>
  (offline.size === 0 ? [] : sessions.map(({ session }) => session.clientId).filter((id) => offline.get(id)?.isLive === false)));

const countPersistent = memoise((sessions: readonly SessionRow[]): number => sessions.filter(({ session }) => session.cleanSession !== true).length);

function inflightText({ row: { session: { inflight, maxInflight }, rates } }: Slow): string {
  const window = `${inflight ?? 0}/${maxInflight ?? 0}`;
  const delivered = rates.deliveredPerSecond ?? 0;
  return delivered > 0 ? `inflight full at ${window}, yet ${figure(delivered)}/s go out (QoS 0 passes it)` : `inflight stuck at ${window}`;
}

interface Judged extends Slow {
  /** `undefined` if not known. */
  readonly isConnected: boolean | undefined;
  /** Messages lost before its first reading. */
  readonly lostBefore: number;
}

function lossText({ row: { rates }, isLosing }: Slow): string | undefined {
  const lost = rates.droppedPerSecond ?? 0;
  return lost > 0 ? `loses ${figure(lost)}/s` : isLosing ? 'loses messages now and then' : undefined;
}

/** Past losses: `200 before brokertop first read it`. */
function pastLossText({ row: { session: { dropped } }, lostBefore }: Judged): string | undefined {
  if (dropped === undefined || dropped === 0) return undefined;
  return `${withThousands(dropped)} ${dropped <= lostBefore ? 'before brokertop first read it' : 'since it began'}`;
}

/** `x loses 74/s, queue full, inflight stuck` */
function brief(slow: Judged): readonly TextPart[] {
  const { session: { clientId, queueLength, dropped }, rates } = slow.row;
  const growth = rates.queuePerSecond ?? 0;
  const loss = lossText(slow);
  const facts = [
    loss,
    queueLength === undefined ? undefined
      : slow.isQueueFull ? 'queue full'
        : isSlow(slow) ? `queue ${withThousands(queueLength)}${growth > 0 && !slow.isLosing ? `, +${figure(growth)}/s` : ''}` : undefined,
    loss === undefined && hasLost(slow) ? `lost ${withThousands(dropped ?? 0)}` : undefined,
    slow.isStuck ? 'inflight stuck' : undefined,
    slow.isConnected === false ? 'absent' : undefined,
  ].filter((fact) => fact !== undefined);
  return [untrusted(clientId), literal(` ${facts.join(', ')}`)];
}

function sentence(slow: Judged): readonly TextPart[] {
  const { row: { session: { clientId, queueLength }, rates }, limit, isQueueFull, isConnected } = slow;
  const isSlowNow = isSlow(slow);
  const growth = rates.queuePerSecond ?? 0;
  const loss = lossText(slow);
  const pastLoss = loss === undefined ? pastLossText(slow) : undefined;
  const asOf = slow.isFrozen ? ' (as of its disconnect).' : '.';
  if (!isSlowNow && !isQueueFull) return [literal(slow.isFrozen ? 'Offline session ' : 'Session '), untrusted(clientId), literal(` lost messages: ${pastLoss ?? ''}${asOf}`)];
  const facts = loss === undefined ? [] : [loss];
  if (queueLength !== undefined) facts.push(`${withThousands(queueLength)} waiting${limit === undefined ? '' : ` of ${withThousands(limit)}`}`);
  if (isSlowNow && loss === undefined && isQueueFull) facts.push('full');
  if (growth > 0 && !slow.isLosing && !isQueueFull) facts.push(`+${figure(growth)}/s`);
  if (growth > 0 && !slow.isLosing && limit !== undefined && queueLength !== undefined && queueLength < limit) facts.push(`full in ${durationText(Math.ceil((limit - queueLength) / growth))}`);
  if (slow.isStuck) facts.push(inflightText(slow));
  if (pastLoss !== undefined) facts.push(`lost ${pastLoss}`);
  return [literal(isConnected === false ? 'Queue of absent client ' : isSlowNow ? 'Slow consumer ' : 'Full queue of '), untrusted(clientId), literal(`: ${facts.join(', ')}${asOf}`)];
}

const severityOfSlow = (slow: Slow, isConnected: boolean | undefined): Finding['severity'] =>
  (slow.isLosing || (slow.isQueueFull && isSlow(slow))) && isConnected !== false ? 'error' : 'warning';

/** Slow sessions, from two readings of all sessions; full queues and losses from one. */
export function slowCheck({ state, history }: CheckInput): CheckResult {
  const { sessionReadings: { complete, last, completeMs }, fullSinceMs, fullAtLeast, losing, lostBefore, offline, clientReadings } = history;
  const outdated = outdatedNodes(state, history);
  const sessions = outdated.size === 0 ? history.sessions : history.sessions.filter(({ session: { node } }) => node === undefined || !outdated.has(node));
  const jump: Jump = { screen: 'sessions', sort: { columnId: 'queue', isReversed: true } };
  const isWatched = state.watched?.some(({ kind }) => kind === 'sessionScan') === true;
  const slow = complete === 0 ? [] : findSlow(sessions, limitsOf(selectSettings(state).rows), fullSinceMs, losing, offline, completeMs ?? state.sessionScan.finishedAtMs ?? 0);
  const connected = slow.length > 0 && clientReadings.last === 'complete' && state.clientScan.leftOut.size === 0 ? connectedIds(state.clientScan.rows) : undefined;
  // A session that is newer than the client scan is not known to be offline.
  const connectionOf = ({ isFrozen, row }: Slow): boolean | undefined => {
    if (connected?.has(row.session.clientId) === true) return true;
    return isFrozen || (connected !== undefined && isOlderThanClients(row, history)) ? false : undefined;
  };
  const findings = slow.slice(0, maxShown).map((each): Finding => {
    const { clientId } = each.row.session;
    const isConnected = connectionOf(each);
    const judged: Judged = { ...each, isConnected, lostBefore: lostBefore.get(clientId) ?? 0 };
    const fullMs = each.isStuck ? fullSinceMs.get(clientId) : undefined;
    const isExact = fullMs !== undefined && !fullAtLeast.has(clientId);
    return {
      check: 'slow', key: `slow ${clientId}`, sinceMs: isExact ? fullMs : undefined, foundMs: isExact ? undefined : fullMs,
      severity: severityOfSlow(each, isConnected), parts: sentence(judged), brief: brief(judged),
      jump: { screen: 'sessions', clientId },
    };
  });
  const others = slow.slice(maxShown);
  const errors = others.filter((each) => severityOfSlow(each, connectionOf(each)) === 'error').length;
  const found = slow.length > maxShown ? { name: 'slow, full or with losses', clientIds: slow.map(({ row }) => row.session.clientId) } : undefined;
  const rest = ([['error', errors, 'losing messages or full'], ['warning', others.length - errors, 'slow, full or with losses']] as const)
    .flatMap(([severity, count, what]): readonly Finding[] =>
      (count === 0 ? [] : [{ check: 'slow', key: `slow, more ${severity}`, severity, count, sinceMs: undefined, parts: [literal(`${pluralize(count, 'more session')} ${what}.`)], jump: { ...jump, found } }]));
  return {
    check: 'slow', findings: [...findings, ...rest], doubts: [...doubtsOf(sessions, complete, last, state.sessionScan), ...(complete < 2 ? [] : offlineDoubts(sessions, history)), ...(outdated.size === 0 ? [] : [[literal('the sessions were not read since '), untrusted([...outdated].join(', ')), literal(' began anew')]])],
    evidence: [literal(`${pluralize(sessions.length, 'session')}, no queue grows, nothing lost`)], jump,
    reading: { noun: 'sessions', atMs: completeMs, isWatched },
    isPartlyJudged: complete >= 2 && last === 'complete' && outdated.size === 0,
  };
}

/** Sessions whose queues cannot be judged: offline, or possibly offline, with counters that do not move. */
function offlineDoubts(sessions: readonly SessionRow[], { offline, clientReadings }: TriageHistory): readonly (readonly TextPart[])[] {
  const frozen = frozenIds(sessions, offline);
  const persistent = clientReadings.last === 'complete' ? 0 : countPersistent(sessions);
  return [
    ...(frozen.length === 0 ? [] : [[literal(`counters of ${pluralize(frozen.length, 'offline session')} are as of ${frozen.length === 1 ? 'its' : 'their'} disconnect: `), ...idParts(frozen)]]),
    ...(persistent === 0 ? [] : [[literal(`${pluralize(persistent, 'persistent session')} may be offline: clients not read`)]]),
  ];
}

function doubtsOf(sessions: readonly SessionRow[], complete: number, last: string | undefined, { leftOut }: MonitorState['sessionScan']): readonly (readonly TextPart[])[] {
  if (leftOut.size > 0) return [[literal('not all sessions were read or understood')]];
  if (complete < 2) return [[literal(`sessions must be read twice to compare; read ${complete === 0 ? 'not yet' : 'once'}`)]];
  const unknown = countUnknown(sessions);
  return [
    ...(last === 'complete' ? [] : [[literal('the last reading of the sessions did not reach its end')]]),
    ...(unknown === 0 ? [] : [[literal(`the broker does not tell the queue of ${withThousands(unknown)} of ${pluralize(sessions.length, 'session')}`)]]),
  ];
}
