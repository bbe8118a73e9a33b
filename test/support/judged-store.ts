import { createStore, type StoreApi } from 'zustand/vanilla';
import type { ActingState } from '../../src/actions/acting-monitor.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { createTriageRun } from '../../src/timeline/triaged-monitor.ts';
import type { TriagedMonitor } from '../../src/triage/triaged-monitor.ts';
import { timelineEvents } from '../../src/monitor/events.ts';
import { withReading } from '../../src/monitor/query/part.ts';
import { eventsIn } from './events.ts';

/**
 * A store that a test sets, in which the checks run on each state. `logsProblems`: the timeline is not only what the
 * test sets.
 */
export function createJudgedStore(
  initial: ActingState,
  { logsProblems = false }: { readonly logsProblems?: boolean } = {},
): {
  readonly store: StoreApi<ActingState>;
} & Pick<TriagedMonitor, 'acknowledge' | 'followProblems'> {
  const { derive: judge, tell, acknowledge, followProblems } = createTriageRun();
  const derive = (state: ActingState, nowMs: number): ActingState => {
    const judged = judge(state, nowMs);
    const events = eventsIn(state);
    return logsProblems || eventsIn(judged) === events
      ? judged
      : { ...judged, ...withReading(judged, timelineEvents, events) };
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
