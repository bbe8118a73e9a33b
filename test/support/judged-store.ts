import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { createTriageRun } from '../../src/timeline/triaged-monitor.ts';
import type { TriagedMonitor } from '../../src/triage/triaged-monitor.ts';

/** A store that a test sets, in which the checks run on each state. `logsProblems`: the log is not only what the test sets. */
export function createJudgedStore(
  initial: ActingState,
  { logsProblems = false }: { readonly logsProblems?: boolean } = {},
): {
  readonly store: StoreApi<ActingState>;
} & Pick<TriagedMonitor, 'acknowledge' | 'followProblems'> {
  const { derive: judge, tell, acknowledge, followProblems } = createTriageRun();
  const derive = (state: ActingState, nowMs: number): ActingState => {
    const judged = judge(state, nowMs);
    return logsProblems ? judged : { ...judged, log: state.log };
  };
  const plain = createStore<ActingState>(() => derive(initial, steadyNowMs()));
  const set = (next: Partial<ActingState> | ((state: ActingState) => Partial<ActingState>)): void => {
    const before = plain.getState();
    plain.setState(derive({ ...before, ...(typeof next === 'function' ? next(before) : next) }, steadyNowMs()), true);
    tell();
  };
  return {
    store: { ...plain, setState: set },
    followProblems,
    acknowledge(key, acknowledgement) {
      acknowledge(key, acknowledgement);
      set({});
    },
  };
}
