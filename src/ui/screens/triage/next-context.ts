import type { ActionState } from '../../../actions/acting-monitor.ts';
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
  if (target.kind !== 'session') return undefined;
  const last = actions.findLast((action) => action.name === disconnectClient.id && action.target?.['clientId'] === target.clientId && action.result?.outcome === 'done');
  const agoMs = last === undefined ? 0 : nowMs - last.startedAtMs;
  return agoMs < settledMs || agoMs > triedForMs ? undefined : Math.round(agoMs / 1_000);
};
