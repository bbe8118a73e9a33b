import { type ActingState, initialActingState } from '../../src/actions/acting-monitor.ts';
import type { ApiError } from '../../src/api/errors.ts';
import type { Listener } from '../../src/domain/administration.ts';
import { type MetricName, metricNames, type Metrics, type Stats } from '../../src/domain/metrics.ts';
import type { NodeInfo, NodeStats } from '../../src/domain/node.ts';
import { steadyNowMs } from '../../src/monitor/clock.ts';
import { emptyResource, type ResourceState } from '../../src/monitor/state.ts';
import { clusterTotal, type MetricHistory, type MetricSample } from '../../src/resources/metrics/resource.ts';
import { patched, readingsOf } from '../support/readings.ts';
import { selectVital, vitalResources, type VitalStates } from '../../src/resources/vital.ts';
import { stoppedStats } from '../support/records.ts';

/** The wall clock of these states. */
export const nowMs = 1_700_000_000_000;

export const fresh = <T>(data: T, ageMs = 400): ResourceState<T> => ({
  ...emptyResource<T>(),
  data,
  updatedAtMs: nowMs - ageMs,
  durationMs: 20,
});

/** Moves the state's times to this machine's clock, which screens read. */
export const current = (state: ActingState): ActingState => {
  const touch = <T extends { readonly updatedAtMs: number | undefined }>(resource: T): T => ({
    ...resource,
    updatedAtMs: resource.updatedAtMs === undefined ? undefined : steadyNowMs(),
  });
  const { nodes, nodeStats: load, listeners, metrics, stats } = selectVital(state);
  return patched(
    state,
    readingsOf({
      nodes: touch(nodes),
      nodeStats: touch(load),
      listeners: touch(listeners),
      metrics: touch(metrics),
      stats: touch(stats),
    }),
  );
};

/** A resource whose last attempt failed. */
export const failing = <T>(error: ApiError, before?: ResourceState<T>): ResourceState<T> => ({
  ...(before ?? emptyResource<T>()),
  error,
  failingSinceMs: nowMs - 65_000,
  nextAttemptAtMs: nowMs + 7_000,
});

export const nodeInfo = (name: string, patch: Partial<NodeInfo> = {}): NodeInfo => ({
  name,
  version: '2.3.11',
  description: 'broker',
  uptimeSeconds: 8_040,
  clock: 1_750_000_000,
  otpRelease: 'R19/8.3',
  status: 'running',
  statusText: 'Running',
  unparsed: {},
  ...patch,
});

export const nodeStats = (name: string, patch: Partial<NodeStats> = {}): NodeStats => ({
  name,
  otpRelease: 'R19/8.3',
  memoryTotalBytes: 126_000_000,
  memoryUsedBytes: 51_000_000,
  processLimit: 262_144,
  processesUsed: 1_310,
  maxFileDescriptors: 1_024,
  clients: 402,
  load1: 0.42,
  load5: 0.4,
  load15: 0.38,
  status: 'running',
  statusText: 'Running',
  unparsed: {},
  ...patch,
});

export const listener = (patch: Partial<Listener> = {}): Listener => ({
  protocol: 'mqtt:tcp',
  listen: '0.0.0.0:1883',
  address: '0.0.0.0',
  port: 1883,
  acceptors: 16,
  maxClients: 102_400,
  currentClients: 402,
  shutdownCount: {},
  shutdownCountRaw: undefined,
  ...patch,
});

export const statsOf = (count: number): Stats => {
  const stat = { count, max: count + 100 };
  return {
    clients: stat,
    sessions: stat,
    subscribers: stat,
    subscriptions: stat,
    topics: stat,
    routes: stat,
    retained: stat,
  };
};

export const metricsOf = (value: number, patch: Partial<Record<MetricName, number>> = {}): Metrics => ({
  ...Object.fromEntries(metricNames.map((name) => [name, value])),
  ...patch,
});

/** One sample every two seconds, each counter growing by `growth(step)` a step. */
export const samplesOf = (
  count: number,
  growth: (step: number, name: MetricName) => number,
  from?: MetricSample['from'],
): readonly MetricSample[] => {
  const totals = new Map<MetricName, number>();
  return Array.from({ length: count }, (_, step) => {
    const metrics = Object.fromEntries(
      metricNames.map((name) => {
        const total = (totals.get(name) ?? 1_000) + (step === 0 ? 0 : growth(step, name));
        totals.set(name, total);
        return [name, total];
      }),
    );
    return { atMs: 10_000 + step * 2_000, metrics, ...(from === undefined ? {} : { from }) };
  });
};

export const names = ['broker1@127.0.0.1', 'broker2@127.0.0.1', 'broker3@127.0.0.1'] as const;

export const watchAll: ActingState['watched'] = Object.values(vitalResources);

/** No data yet; everything is watched. */
export const emptyState = (): ActingState => ({ ...initialActingState(2), watched: watchAll });

const wave = (step: number, name: MetricName): number => {
  if (name.endsWith('.dropped') || name.endsWith('.missed')) return 0;
  return (name.startsWith('bytes') ? 40_000 : 400) + Math.round(300 * Math.sin(step / 4));
};

/** What the vital resources hold. */
type VitalData = { [Name in keyof VitalStates]: NonNullable<VitalStates[Name]['data']> };

/** Three running nodes, all values known, four minutes of history; metrics as one total. */
export const healthyState = (
  patch: Partial<VitalData> = {},
  growth: (step: number, name: MetricName) => number = wave,
): ActingState => {
  const samples = samplesOf(120, growth, 'cluster');
  const last = samples.at(-1)?.metrics ?? {};
  const data: VitalData = {
    nodes: names.map((name) => nodeInfo(name)),
    nodeStats: names.map((name) => nodeStats(name)),
    listeners: new Map(
      names.map((name) => [
        name,
        [
          listener(),
          listener({ protocol: 'mqtt:ws', listen: '8083', address: undefined, port: 8083, currentClients: 12 }),
        ],
      ]),
    ),
    metrics: { kind: 'total', total: last },
    stats: new Map(names.map((name) => [name, statsOf(402)])),
    ...patch,
  };
  const history: MetricHistory = new Map([[clusterTotal, samples]]);
  return patched(emptyState(), {
    capabilities: {
      unsubscribe: true,
      settings: true,
      nodeSubscriptionsOfClient: true,
      pluginPerNode: true,
      sessionTotals: true,
      metricsByNode: false,
    },
    ...readingsOf({
      nodes: fresh(data.nodes),
      nodeStats: fresh(data.nodeStats),
      listeners: fresh(data.listeners),
      metrics: fresh(data.metrics),
      stats: fresh(data.stats),
      metricHistory: history,
      seenNodes: new Map(data.nodeStats.map((node) => [node.name, { status: node.status, sinceMs: undefined }])),
    }),
  });
};

/** The same with counters by node. */
export const byNodeState = (present: readonly string[] = names): ActingState => {
  const histories: readonly (readonly [string, readonly MetricSample[]])[] = present.map((name) => [
    name,
    samplesOf(120, wave, 'cluster'),
  ]);
  const figures: VitalData['metrics'] = {
    kind: 'by-node',
    nodes: new Map(histories.map(([name, samples]) => [name, samples.at(-1)?.metrics ?? {}])),
  };
  return patched(healthyState({ metrics: figures }), {
    capabilities: {
      unsubscribe: false,
      settings: false,
      nodeSubscriptionsOfClient: false,
      pluginPerNode: false,
      sessionTotals: false,
      metricsByNode: true,
      apiName: 'API v2 A',
    },
    ...readingsOf({ metricHistory: new Map(histories) }),
  });
};

/** One of the three nodes stopped two minutes ago. */
export const stoppedState = (): ActingState => {
  const state = healthyState({
    nodes: names.slice(0, 2).map((name) => nodeInfo(name)),
    nodeStats: [...names.slice(0, 2).map((name) => nodeStats(name)), stoppedStats(names[2])],
    stats: new Map(names.slice(0, 2).map((name) => [name, statsOf(402)])),
  });
  return patched(
    state,
    readingsOf({
      seenNodes: new Map([
        [names[0], { status: 'running', sinceMs: undefined }],
        [names[1], { status: 'running', sinceMs: undefined }],
        [names[2], { status: 'stopped', sinceMs: nowMs - 125_000 }],
      ]),
    }),
  );
};
