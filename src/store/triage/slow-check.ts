import { selectSettings } from '../select-settings.ts';
import type { TextPart } from '../select-problems.ts';
import type { SessionRow } from '../session-rates.ts';
import type { MonitorState } from '../state.ts';
import { triageThresholds } from '../thresholds.ts';
import { counted, figure, own, theirs } from './check.ts';
import type { CheckInput, CheckResult, Finding, Jump } from './check.ts';

const mostShown = 5;
const maxLengthKey = 'mqtt.mqueue.max_length';

/** The most messages that a node lets wait in a session; `undefined` when not known or without bound. */
function queueLimit(state: MonitorState, node: string | undefined): number | undefined {
  const row = selectSettings(state).rows.find(({ key }) => key === maxLengthKey);
  const value = node === undefined ? undefined : row?.byNode.get(node)?.value;
  const limit = value === undefined || !/^\d{1,12}$/u.test(value) ? 0 : Number(value);
  return limit > 0 ? limit : undefined;
}

type Slow = { readonly row: SessionRow; readonly isFull: boolean };

const isSlow = ({ row: { session, rates }, isFull }: Slow): boolean => {
  const waiting = session.queueLength ?? 0;
  return (rates.droppedPerSecond ?? 0) > 0
    || ((rates.queuePerSecond ?? 0) > 0 && waiting >= triageThresholds.queueLength)
    || (isFull && waiting > 0);
};

function sentence(state: MonitorState, { row: { session, rates }, isFull }: Slow, isConnected: boolean | undefined): readonly TextPart[] {
  const { queueLength, inflight, maxInflight, node } = session;
  const growth = rates.queuePerSecond ?? 0;
  const limit = queueLimit(state, node);
  const facts: string[] = [];
  if (queueLength !== undefined) facts.push(`${queueLength.toLocaleString('en')} waiting${limit === undefined ? '' : ` of ${limit.toLocaleString('en')}`}`);
  if (growth > 0) facts.push(`+${figure(growth)}/s`);
  if (growth > 0 && limit !== undefined && queueLength !== undefined && queueLength < limit) facts.push(`full in ${Math.ceil((limit - queueLength) / growth).toLocaleString('en')} s`);
  if ((rates.droppedPerSecond ?? 0) > 0) facts.push(`loses ${figure(rates.droppedPerSecond ?? 0)}/s`);
  if (isFull) facts.push(`inflight stuck at ${inflight ?? 0}/${maxInflight ?? 0}`);
  return [own(isConnected === false ? 'Queue of absent client ' : 'Slow consumer '), theirs(session.clientId), own(`: ${facts.join(', ')}.`)];
}

/** Sessions that do not keep up with what they subscribed to, from two readings of all of them. */
export function slowCheck({ state, history }: CheckInput): CheckResult {
  const { sessions, sessionReadings: { complete, last }, fullSinceMs, clientReadings } = history;
  const jump: Jump = { screen: 'sessions', sort: { columnId: 'queue', isReversed: true } };
  const connected = clientReadings.last === 'complete' ? new Set(state.clientScan.rows.map(({ clientId }) => clientId)) : undefined;
  const lastEndMs = state.sessionScan.finishedAtMs ?? 0;
  const slow = complete < 2 ? [] : sessions
    .map((row): Slow => ({ row, isFull: (fullSinceMs.get(row.session.clientId) ?? Infinity) < lastEndMs - 1 }))
    .filter(isSlow)
    .toSorted((a, b) => (b.row.rates.droppedPerSecond ?? 0) - (a.row.rates.droppedPerSecond ?? 0) || (b.row.session.queueLength ?? 0) - (a.row.session.queueLength ?? 0));
  const findings = slow.slice(0, mostShown).map((each): Finding => {
    const { clientId } = each.row.session;
    const isConnected = connected?.has(clientId);
    return {
      check: 'slow', key: `slow ${clientId}`, sinceMs: each.isFull ? fullSinceMs.get(clientId) : undefined,
      severity: (each.row.rates.droppedPerSecond ?? 0) > 0 && isConnected !== false ? 'error' : 'warning',
      parts: sentence(state, each, isConnected),
      jump: { screen: 'sessions', clientId },
    };
  });
  const more = slow.length - findings.length;
  const rest: readonly Finding[] = more <= 0 ? [] : [{ check: 'slow', key: 'slow, more', severity: 'warning', sinceMs: undefined, parts: [own(`${counted(more, 'more session')} that do not keep up.`)], jump: { ...jump, found: { name: 'not keeping up', clientIds: slow.map(({ row }) => row.session.clientId) } } }];
  return {
    check: 'slow', findings: [...findings, ...rest], doubts: doubtsOf(sessions, complete, last),
    evidence: [own(`${counted(sessions.length, 'session')}, no queue grows, nothing lost`)], jump,
  };
}

function doubtsOf(sessions: readonly SessionRow[], complete: number, last: string | undefined): readonly (readonly TextPart[])[] {
  if (complete < 2) return [[own(`sessions must be read twice to compare; read ${complete === 0 ? 'not yet' : 'once'}`)]];
  const unknown = sessions.filter(({ session }) => session.queueLength === undefined || session.dropped === undefined).length;
  return [
    ...(last === 'complete' ? [] : [[own('the last reading of the sessions did not reach its end')]]),
    ...(unknown === 0 ? [] : [[own(`the broker does not tell the queue of ${unknown.toLocaleString('en')} of ${counted(sessions.length, 'session')}`)]]),
  ];
}
