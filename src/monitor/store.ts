import { createStore } from 'zustand/vanilla';
import type { MonitorState, ReadableStore } from './state.ts';

export function initialState(intervalSeconds: number): MonitorState {
  return {
    readings: {},
    capabilities: undefined,
    intervalSeconds,
    isFrozen: false,
    isReadOnly: false,
    isUnauthorized: false,
    causedLoad: { requests: 0, answerBytes: undefined, connections: undefined },
    watched: [],
  };
}

/** Writes the state. Writes are batched, so that the answers of one tick are drawn once. */
export interface StateWriter<S extends MonitorState = MonitorState> {
  readonly store: ReadableStore<S>;
  /** Returns the state, including writes that are not published yet. */
  state(): S;
  write(patch: Partial<S>): void;
  flush(): void;
}

/** Returns a state with the parts that follow from the others. Called once for each state, before it is published. */
export type Derive<S extends MonitorState> = (state: S) => S;

export function createStateWriter<S extends MonitorState>(
  initial: S,
  schedule: (publish: () => void) => void = queueMicrotask,
  derive: Derive<S> = (state) => state,
): StateWriter<S> {
  const store = createStore<S>(() => initial);
  let state = initial;
  let isPending = false;

  function flush(): void {
    isPending = false;
    state = derive(state);
    if (store.getState() !== state) store.setState(state, true);
  }

  return {
    store,
    state: () => state,
    write(patch) {
      state = { ...state, ...patch };
      if (isPending) return;
      isPending = true;
      schedule(flush);
    },
    flush,
  };
}
