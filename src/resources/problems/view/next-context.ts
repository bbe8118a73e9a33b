import { unsubscribeClient } from '../../subscriptions/actions.ts';
import { disconnectClient } from '../../clients/actions.ts';
import { type ActionState, maxActionRecords } from '../../../actions/acting-monitor.ts';
import { shortNodeNames } from '../../../domain/node.ts';
import { selectNodeNames } from '../../nodes/select.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import type { NextContext } from '../../../checks/words.ts';
import type { Attempt, Finding } from '../../../triage/problem.ts';

const triedForMs = 300_000;

/** Returns what the next step for a problem depends on, from what was done in this session. */
export const nextContext = (state: MonitorState & Partial<ActionState>, nowMs: number): NextContext => ({
  nowMs,
  nodes: shortNodeNames(selectNodeNames(state)),
  canAct: !state.isReadOnly,
  canUnsubscribe: !state.isReadOnly && state.capabilities?.unsubscribe !== false,
  endsSession: state.capabilities?.disconnectEndsSession,
  // Of one client its own action counts: a bulk ends later.
  attempt: (finding) =>
    finding.jump.screen === 'client'
      ? (lastAttempt(state, finding, nowMs) ?? lastBulk(state, finding, nowMs))
      : (lastBulk(state, finding, nowMs) ?? lastAttempt(state, finding, nowMs)),
});

/** Names of attempts by the actions that may help against a slow consumer. */
const ways: ReadonlyMap<string, Attempt['way']> = new Map([
  [disconnectClient.id, 'disconnect'],
  [unsubscribeClient.id, 'unsubscribe'],
]);

const clientsOf = ({ jump: { screen, clientId, found } }: Finding): readonly string[] =>
  clientId === undefined ? (screen === 'clients' ? (found?.clientIds ?? []) : []) : [clientId];

function lastBulk({ bulk }: Partial<ActionState>, finding: Finding, nowMs: number): Attempt | undefined {
  if (bulk === undefined) return undefined;
  const { disconnectedIds, finishedAtMs = nowMs } = bulk;
  if (nowMs - finishedAtMs > triedForMs) return undefined;
  const disconnected = new Set(disconnectedIds);
  const wanted = clientsOf(finding);
  const isMost = wanted.filter((clientId) => disconnected.has(clientId)).length > wanted.length / 2;
  return isMost
    ? { way: 'disconnect', seconds: Math.round((nowMs - finishedAtMs) / 1_000), clients: disconnected.size }
    : undefined;
}

function lastAttempt({ actions = [] }: Partial<ActionState>, finding: Finding, nowMs: number): Attempt | undefined {
  const wanted = new Set(clientsOf(finding));
  const done = actions.filter(
    ({ name, result, target: of }) =>
      ways.has(name) && result?.outcome === 'done' && wanted.has(String(of?.['clientId'])),
  );
  const last = done.at(-1);
  const way = ways.get(last?.name ?? '');
  if (last === undefined || way === undefined || nowMs - last.startedAtMs > triedForMs) return undefined;
  const isMost =
    new Set(done.map(({ target: of }) => of?.['clientId'])).size > Math.min(wanted.size, maxActionRecords) / 2;
  return isMost ? { way, seconds: Math.round((nowMs - last.startedAtMs) / 1_000) } : undefined;
}
