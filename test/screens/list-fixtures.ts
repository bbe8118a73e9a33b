import type { StoreApi } from 'zustand/vanilla';
import { type ActingState, initialActingState, type WatchedMonitor } from '../../src/actions/acting-monitor.ts';
import type { Listener } from '../../src/domain/administration.ts';
import type { Client, Session } from '../../src/domain/client.ts';
import type { NodeInfo } from '../../src/domain/node.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import {
  emptyResource,
  emptyScan,
  type MonitorOperations,
  type ResourceState,
  type ScanCoverage,
  type ScanState,
} from '../../src/monitor/state.ts';
import type { SafeText } from '../../src/terminal/safe-text.ts';
import { detailWidthOf, tableWidthOf } from '../../src/tui/list/detail.tsx';
import type { Place } from '../../src/screens/navigation.ts';
import type { Rig } from '../tui/support/rig.tsx';
import { type PartValues, patched, readingsOf } from '../support/readings.ts';
import type { Watchable } from '../../src/monitor/query/part.ts';
import type { VitalName } from '../../src/resources/vital.ts';
import type { TriagedMonitor } from '../../src/triage/triaged-monitor.ts';
import { nodeStats } from './cluster-state.ts';
import { createJudgedStore } from '../support/judged-store.ts';
import { eventsIn, withEvents } from '../support/events.ts';

/** The clock of every node at the start of a test. */
export const brokerClock = 1_772_374_000;

export const sizes = [
  [80, 18],
  [60, 9],
  [120, 34],
  [200, 54],
] as const;

export const ready = <T>(data: T, ageMs = 400): ResourceState<T> => ({
  ...emptyResource<T>(),
  data,
  updatedAtMs: steadyNowMs() - ageMs,
  durationMs: 12,
});

export const clientOf = (clientId: string, patch: Partial<Client> = {}): Client => ({
  clientId,
  username: undefined,
  ipAddress: '10.2.4.17',
  port: 51_220,
  cleanSession: true,
  protocolVersion: 4,
  keepaliveSeconds: 60,
  connectedAt: brokerClock - 8_040,
  node: 'broker1@127.0.0.1',
  unparsed: {},
  ...patch,
});

export const sessionOf = (clientId: string, patch: Partial<Session> = {}): Session => ({
  clientId,
  cleanSession: false,
  createdAt: brokerClock - 90_000,
  node: undefined,
  maxInflight: 32,
  inflight: 4,
  queueLength: 17,
  dropped: 3,
  awaitingRel: 2,
  awaitingAck: undefined,
  awaitingComp: undefined,
  subscriptions: 2,
  delivered: 1_234,
  enqueued: 56,
  unparsed: {},
  ...patch,
});

export const infoOf = (name: string, patch: Partial<NodeInfo> = {}): NodeInfo => ({
  name,
  version: '2.3.11',
  description: 'the broker',
  uptimeSeconds: 8_040,
  clock: brokerClock,
  otpRelease: 'R19/8.3',
  status: 'running',
  statusText: 'Running',
  unparsed: {},
  ...patch,
});

/** The figures of a running node. */
export const figuresOf = nodeStats;

export const listenerOf = (patch: Partial<Listener> = {}): Listener => ({
  protocol: 'mqtt:tcp',
  listen: '0.0.0.0:1883',
  address: '0.0.0.0',
  port: 1883,
  acceptors: 16,
  maxClients: 1_024,
  currentClients: 402,
  shutdownCount: {},
  shutdownCountRaw: undefined,
  ...patch,
});

export const readWhole = (count: number): ScanCoverage => ({
  read: count,
  expected: count,
  isComplete: true,
  error: undefined,
});

export const scanOf = <T = Client>(rows: readonly T[], patch: Partial<ScanState<T>> = {}): ScanState<T> => ({
  ...emptyScan<T>(),
  rows,
  phase: 'complete',
  coverage: new Map([['broker1@127.0.0.1', readWhole(rows.length)]]),
  requests: 3,
  startedAtMs: steadyNowMs() - 1_500,
  finishedAtMs: steadyNowMs() - 400,
  nextScanAtMs: steadyNowMs() + 10_000,
  ...patch,
});

export interface FakeMonitor
  extends WatchedMonitor, Pick<MonitorOperations, 'note'>, Pick<TriagedMonitor, 'acknowledge' | 'followProblems'> {
  readonly store: StoreApi<ActingState>;
  readonly watching: Watchable[];
  readonly set: (patch: Partial<ActingState>) => void;
  readonly setResources: (patch: Pick<PartValues, VitalName>) => void;
  readonly calls: string[];
  readonly places: Place[];
  readonly notices: SafeText[];
}

/** A monitor that fetches nothing; the test sets its state. */
export const createFakeMonitor = (
  patch: Partial<ActingState> = {},
  options: Parameters<typeof createJudgedStore>[1] = {},
): FakeMonitor => {
  const { store, acknowledge, followProblems } = createJudgedStore(patched(initialActingState(2), patch), options);
  const calls: string[] = [];
  const watching: Watchable[] = [];
  const monitor: FakeMonitor = {
    store,
    calls,
    watching,
    places: [],
    notices: [],
    set: (next) => {
      store.setState(patched(store.getState(), next));
    },
    setResources: (resources) => {
      store.setState(patched(store.getState(), readingsOf(resources)));
    },
    watch: (watched) => {
      watching.push(watched);
      store.setState({ watched: [...watching] });
      return () => {
        watching.splice(watching.indexOf(watched), 1);
        store.setState({ watched: [...watching] });
      };
    },
    note: (severity, text, atMs = steadyNowMs()) => {
      store.setState((state) => withEvents(state, ...eventsIn(state), { atMs, severity, text }));
    },
    acknowledge,
    followProblems,
    refresh: () => {
      calls.push('refresh');
    },
    abortScan: () => {
      calls.push('abortScan');
      return true;
    },
    setFrozen: () => {},
    setIntervalSeconds: () => {},
    stop: () => {},
  };
  return monitor;
};

/** Props of a screen that record what it does in the monitor. */
export const propsOf = (monitor: FakeMonitor, [width, height]: readonly [number, number]) => ({
  monitor,
  width,
  height,
  go: (place: Place) => {
    monitor.places.push(place);
  },
  notify: (text: SafeText | undefined) => {
    if (text !== undefined) monitor.notices.push(text);
  },
});

/** The width that a list needs for a table of 200 columns beside its panel. */
export const roomyColumns = 340;

/** The lines of a list without its border and its detail. */
const withoutPanels = (lines: readonly string[], columns: number): readonly string[] => {
  const listOf = (line: string): string =>
    /^ [╭│╰]/u.test(line.slice(tableWidthOf(columns))) ? line.slice(0, tableWidthOf(columns)) : line;
  const list = lines.map(listOf);
  const top = list.findIndex((line) => line.startsWith('╭'));
  const bottom = list.findIndex((line, at) => at > top && line.startsWith('╰'));
  if (top === -1 || top > 2) return list;
  return list.flatMap((line, at) =>
    at === top ? [] : at < top || at > bottom ? [line] : [line.slice(1, -1).replaceAll('─', ' ')],
  );
};

/** The lines of `withoutPanels` on a screen of this size. */
export const linesWithoutPanels = (width: number, height: number): number =>
  detailWidthOf(width) === 0 ? height : height - 1;

/** A list without its border and its detail. */
export const tableOf = <R extends Rig>(rig: R, columns: number): R => {
  const table = (lines: readonly string[]): readonly string[] => withoutPanels(lines, columns);
  return {
    ...rig,
    lines: () => table(rig.lines()),
    until: async (condition) => table(await rig.until((text) => condition(table(text.split('\n')).join('\n')))),
  };
};
