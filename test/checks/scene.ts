import { runChecks } from '../../src/checks/triage.ts';
import type { Session } from '../../src/domain/client.ts';
import type { Metrics } from '../../src/domain/metrics.ts';
import { emptyResource, emptyScan, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { clusterTotal, type MetricSample } from '../../src/resources/metrics/resource.ts';
import { type SessionRates, unknownRates } from '../../src/resources/sessions/history.ts';
import type { VitalName } from '../../src/resources/vital.ts';
import { type CheckResult, type TriageState, verdictOf } from '../../src/triage/check.ts';
import { emptyHistory, type TriageHistory } from '../../src/triage/memory.ts';
import { nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { type PartValues, patched, readingsOf } from '../support/readings.ts';
import { idleSession } from '../support/records.ts';

export const nowMs = 100_000;
export const loaded = <T>(data: T): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: nowMs - 500 });
export const figures = {
  memoryUsedBytes: 40,
  memoryTotalBytes: 100,
  processesUsed: 1,
  processLimit: 10,
  maxFileDescriptors: 1_000,
  load1: 0.5,
};

/** Metrics of the last 20 s, with the growth per second of each counter. */
export const history = (perSecond: Metrics): ReadonlyMap<typeof clusterTotal, readonly MetricSample[]> =>
  new Map([
    [
      clusterTotal,
      Array.from({ length: 11 }, (_, step) => ({
        atMs: step * 2_000,
        from: 'cluster' as const,
        metrics: Object.fromEntries(
          Object.entries({
            'packets.connect': 0,
            'packets.connack.error': 0,
            'delivery.dropped.queue_full': 0,
            'messages.dropped': 0,
            'messages.received': 0,
            'messages.sent': 0,
            ...perSecond,
          }).map(([name, rate]) => [name, rate * 2 * step]),
        ),
      })),
    ],
  ]);

export const plugin = (active: boolean, version = '1') => ({ name: 'p', version, description: undefined, active });
export const setting = (value: string) => ({ key: 'mqtt.mqueue.max_length', value, dataType: 'integer', app: 'mqtt' });
export const names = ['a', 'b'] as const;
export const unusable = { count: 1, example: 'key: number' };

export interface Scene {
  /** Keys of the last report's findings. */
  readonly found?: readonly string[];
  readonly resources?: Pick<PartValues, VitalName>;
  readonly state?: Partial<TriageState>;
  readonly history?: Partial<TriageHistory>;
}

export const listener = (currentClients: number) => ({
  protocol: 'mqtt:tcp',
  listen: '1883',
  address: undefined,
  port: 1_883,
  acceptors: 4,
  maxClients: 100,
  currentClients,
  shutdownCount: {},
  shutdownCountRaw: undefined,
});

/** Checks two healthy nodes, except for what the scene replaces. */
export function check(scene: Scene = {}) {
  const empty = initialState(2);
  const state: MonitorState = patched(
    empty,
    {
      capabilities: {
        unsubscribe: true,
        settings: true,
        nodeSubscriptionsOfClient: true,
        pluginPerNode: true,
        sessionTotals: true,
        metricsByNode: false,
        queueLimitSetting: 'mqtt.mqueue.max_length',
        reasonCounters: true,
        slowSubscriptions: true,
        integrations: true,
        partitionAlarms: true,
        accessBackends: true,
      },
      ...readingsOf({
        metricHistory: history({}),
        plugins: new Map(names.map((name) => [name, loaded([plugin(true)])])),
        settings: loaded(new Map(names.map((name) => [name, [setting('1000')]]))),
        alarms: loaded([]),
        integrations: loaded([]),
        accessBackends: loaded([]),
        slowSubscriptions: loaded({ isEnabled: true, thresholdMs: 500, items: [] }),
      }),
    },
    scene.state,
    readingsOf({
      nodes: loaded(names.map((name) => nodeInfo(name))),
      nodeStats: loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 50 }))),
      listeners: loaded(new Map(names.map((name) => [name, [listener(50)]]))),
      stats: loaded(new Map(names.map((name) => [name, stats({ clients: 50 })]))),
      metrics: loaded({ kind: 'total', total: {} } as const),
      ...scene.resources,
    }),
  );
  const known: TriageHistory = {
    ...emptyHistory,
    clientCounts: [
      { atMs: 80_000, metricsMs: 2_000, clients: 100 },
      { atMs: 100_000, metricsMs: 20_000, clients: 100 },
    ],
    sessionReadings: { complete: 2, last: 'complete' },
    sessionsReadAtMs: new Map(names.map((name) => [name, 1])),
    clientReadings: { complete: 2, last: 'complete' },
    subscriptionReadings: { complete: 1, last: 'complete' },
    sudden: { ...emptyHistory.sudden, knownSinceMs: nowMs - 90_000, readAtMs: nowMs },
    ...scene.history,
  };
  return { state, ...runChecks({ state, history: known, nowMs, found: new Set(scene.found) }) };
}

export const resultOf = (id: string, scene: Scene): CheckResult => {
  const result = check(scene).results.find((each) => each.check === id);
  if (result === undefined) throw new Error(`no check ${id}`);
  return result;
};
export const found = ({ findings }: CheckResult): readonly (readonly [code: string, evidence: object])[] =>
  findings.map(({ code, evidence }) => [code, evidence]);
export const unchecked = (check: string, scene: Scene): CheckResult['unchecked'] => resultOf(check, scene).unchecked;
export const verdict = (check: string, scene: Scene): string => verdictOf(resultOf(check, scene));

export const session = idleSession;
export const slow = (
  patch: Partial<Session>,
  rates: Partial<SessionRates> = {},
  more: Partial<TriageHistory> = {},
): Scene => ({
  state: readingsOf({
    clientScan: {
      ...emptyScan(),
      rows: [
        {
          clientId: 'x',
          node: 'a',
          connectedAt: 1,
          username: undefined,
          ipAddress: undefined,
          port: undefined,
          cleanSession: true,
          protocolVersion: 4,
          keepaliveSeconds: 60,
          unparsed: {},
        },
      ],
    },
    sessionScan: { ...emptyScan(), finishedAtMs: nowMs },
  }),
  history: {
    sessions: [
      { session: session(patch), rates: { ...unknownRates, queuePerSecond: 0, droppedPerSecond: 0, ...rates } },
    ],
    ...more,
  },
});
