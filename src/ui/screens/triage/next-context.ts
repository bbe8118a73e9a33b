import { type ActionState, maxActionRecords } from '../../../actions/acting-monitor.ts';
import { disconnectClient } from '../../../actions/clients.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import type { Finding } from '../../../triage/check.ts';
import type { NextContext } from '../../problem-texts.ts';

const triedForMs = 300_000;
/** Before, the problem may have been that of the connection that ended. */
const settledMs = 5_000;

/** What the next step for a finding depends on, from what was done in this session. */
export const nextContext = (state: MonitorState & Partial<ActionState>, nowMs: number): NextContext => ({
  nowMs,
  canAct: !state.isReadOnly,
  triedSeconds: (finding) => triedSeconds(state, finding, nowMs),
});

const triedSeconds = ({ actions = [] }: Partial<ActionState>, { target }: Finding, nowMs: number): number | undefined => {
  if (target.kind !== 'session' && (target.kind !== 'clients' || target.clientIds === undefined)) return undefined;
  const wanted = new Set(target.kind === 'session' ? [target.clientId] : target.clientIds);
  const done = actions.filter((action) => action.name === disconnectClient.id && action.result?.outcome === 'done' && wanted.has(String(action.target?.['clientId'])));
  const last = done.at(-1);
  const isMost = new Set(done.map((action) => action.target?.['clientId'])).size > Math.min(wanted.size, maxActionRecords) / 2;
  const agoMs = last === undefined ? 0 : nowMs - last.startedAtMs;
  return !isMost || agoMs < (target.kind === 'session' ? settledMs : 0) || agoMs > triedForMs ? undefined : Math.round(agoMs / 1_000);
};
