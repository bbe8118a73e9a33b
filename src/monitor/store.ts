import { createStore } from 'zustand/vanilla';
import { emptyResource } from './polling/poller.ts';
import { emptyScan } from './scan/lists.ts';
import type { MonitorState, ReadableStore } from './state.ts';

export function initialState(intervalSeconds: number): MonitorState {
  return {
    resources: {
      nodes: emptyResource(),
      nodeStats: emptyResource(),
      listeners: emptyResource(),
      metrics: emptyResource(),
      stats: emptyResource(),
    },
    nodeMetrics: new Map(),
    clientDetails: new Map(),
    topicRoutes: new Map(),
    nodePlugins: new Map(),
    settings: emptyResource(),
    nodeSettings: new Map(),
    pluginSettings: new Map(),
    users: emptyResource(),
    alarms: emptyResource(),
    endedAlarms: emptyResource(),
    bans: emptyResource(),
    apiKeys: emptyResource(),
    slowSubscriptions: emptyResource(),
    retained: emptyResource(),
    retainedContents: new Map(),
    sessionMessages: new Map(),
    clientSearches: new Map(),
    clientScan: emptyScan(),
    sessionScan: emptyScan(),
    subscriptionScan: emptyScan(),
    routeScan: emptyScan(),
    metricHistory: new Map(),
    metricPast: new Map(),
    capabilities: undefined,
    intervalSeconds,
    isFrozen: false,
    isReadOnly: false,
    isUnauthorized: false,
    causedLoad: { requests: 0, answerBytes: undefined, connections: undefined },
    log: [],
    seenNodes: new Map(),
    totalsHistory: [],
    watched: [],
  };
}

/** Writes are batched, so that the answers of one tick are drawn once. */
export interface StateWriter<S extends MonitorState = MonitorState> {
  readonly store: ReadableStore<S>;
  /** Including writes that are not published yet. */
  state(): S;
  write(patch: Partial<S>): void;
  flush(): void;
}

export function createStateWriter<S extends MonitorState>(
  initial: S,
  schedule: (giveOut: () => void) => void = queueMicrotask,
): StateWriter<S> {
  const store = createStore<S>(() => initial);
  let state = initial;
  let isPending = false;

  function flush(): void {
    isPending = false;
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
