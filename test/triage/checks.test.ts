import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { decodeListeners } from '../../src/api/dialects/emqx-v5/decode-nodes.ts';
import { type ApiError, BrokerError, HttpStatusError, NotAvailableError, TimeoutError } from '../../src/api/errors.ts';
import { createTriage, runChecks } from '../../src/checks/triage.ts';
import { problemText } from '../../src/checks/words.ts';
import type { Alarm, Listener, Setting } from '../../src/domain/administration.ts';
import type { Client, Session, Subscription } from '../../src/domain/client.ts';
import type { SlowSubscriptions } from '../../src/domain/messages.ts';
import type { Metrics } from '../../src/domain/metrics.ts';
import type { ByNode } from '../../src/domain/node.ts';
import { plainText } from '../../src/domain/sentence.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { emptyResource, emptyScan, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { alarms } from '../../src/resources/alarms/resource.ts';
import type { ListenerRow } from '../../src/resources/listeners/select.ts';
import { listenerTrouble } from '../../src/resources/listeners/trouble.ts';
import { clusterTotal, type MetricSample } from '../../src/resources/metrics/resource.ts';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { type SessionRates, type SessionRow, unknownRates } from '../../src/resources/sessions/history.ts';
import { sessionScan } from '../../src/resources/sessions/resource.ts';
import { sessionTrouble } from '../../src/resources/sessions/trouble.ts';
import { settings } from '../../src/resources/settings/resource.ts';
import { stats as statsPart } from '../../src/resources/statistics/resource.ts';
import type { ResourceName } from '../../src/resources/vital.ts';
import { type CheckResult, type TriageState, verdictOf } from '../../src/triage/check.ts';
import { createTriageMemory, emptyHistory, type TriageHistory } from '../../src/triage/memory.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { summarizeTriage } from '../../src/triage/triage.ts';
import { capabilitiesOfB } from '../actions/support.ts';
import { nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { type PartValues, patched, readingsOf } from '../support/readings.ts';

const nowMs = 100_000;
const loaded = <T>(data: T): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: nowMs - 500 });
const figures = {
  memoryUsedBytes: 40,
  memoryTotalBytes: 100,
  processesUsed: 1,
  processLimit: 10,
  maxFileDescriptors: 1_000,
  load1: 0.5,
};

/** Metrics of the last 20 s, with the growth per second of each counter. */
const history = (perSecond: Metrics): ReadonlyMap<typeof clusterTotal, readonly MetricSample[]> =>
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

const plugin = (active: boolean, version = '1') => ({ name: 'p', version, description: undefined, active });
const setting = (value: string) => ({ key: 'mqtt.mqueue.max_length', value, dataType: 'integer', app: 'mqtt' });
const names = ['a', 'b'] as const;
const unusable = { count: 1, example: 'key: number' };

interface Scene {
  /** Keys of the last report's findings. */
  readonly found?: readonly string[];
  readonly resources?: Pick<PartValues, ResourceName>;
  readonly state?: Partial<TriageState>;
  readonly history?: Partial<TriageHistory>;
}

const listener = (currentClients: number) => ({
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
function check(scene: Scene = {}) {
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
      },
      ...readingsOf({
        metricHistory: history({}),
        plugins: new Map(names.map((name) => [name, loaded([plugin(true)])])),
        settings: loaded(new Map(names.map((name) => [name, [setting('1000')]]))),
        alarms: loaded([]),
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

const resultOf = (id: string, scene: Scene): CheckResult => {
  const result = check(scene).results.find((each) => each.check === id);
  if (result === undefined) throw new Error(`no check ${id}`);
  return result;
};
const found = ({ findings }: CheckResult): readonly (readonly [code: string, evidence: object])[] =>
  findings.map(({ code, evidence }) => [code, evidence]);
const unchecked = (check: string, scene: Scene): CheckResult['unchecked'] => resultOf(check, scene).unchecked;
const verdict = (check: string, scene: Scene): string => verdictOf(resultOf(check, scene));

const session = (patch: Partial<Session> = {}): Session => ({
  clientId: 'x',
  cleanSession: false,
  createdAt: 1,
  node: 'a',
  maxInflight: 32,
  inflight: 0,
  queueLength: 0,
  dropped: 0,
  awaitingRel: 0,
  awaitingAck: undefined,
  awaitingComp: undefined,
  subscriptions: 1,
  delivered: 0,
  enqueued: 0,
  unparsed: {},
  ...patch,
});
const slow = (
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

describe('runChecks', () => {
  it('gives the all-clear if every check was complete and found nothing', () => {
    const report = check();
    expect(report.results.filter((result) => verdictOf(result) !== 'ok')).toEqual([]);
    expect(report.isAllClear).toBe(true);
  });

  it('gives the all-clear without checks that this broker does not offer', () => {
    const report = check({
      state: {
        capabilities: {
          unsubscribe: false,
          settings: false,
          nodeSubscriptionsOfClient: false,
          pluginPerNode: false,
          sessionTotals: false,
          metricsByNode: true,
          apiName: 'API v2 A',
        },
      },
    });
    expect(report.results.filter(({ isNotOffered }) => isNotOffered === true).map(({ check }) => check)).toEqual([
      'drops',
      'refusals',
      'slowSubscriptions',
      'settings',
    ]);
    expect(report.isAllClear).toBe(true);
  });

  it('gives no all-clear before anything has been read', () => {
    const report = runChecks({ state: initialState(2), history: emptyHistory, nowMs });
    expect(report.isAllClear).toBe(false);
    expect(report.findings).toEqual([]);
    expect(report.results.map((result) => verdictOf(result))).toEqual(report.results.map(() => 'unchecked'));
  });

  it('call what full queues lose critical, whoever tells of it, and once', () => {
    const dropped = (reason: 'queue_full' | 'expired'): Scene => ({
      state: readingsOf({ metricHistory: history({ 'messages.received': 10, [`delivery.dropped.${reason}`]: 2 }) }),
    });
    expect(
      [resultOf('drops', dropped('queue_full')), resultOf('drops', dropped('expired'))].map(({ findings }) =>
        findings.map(({ severity }) => severity),
      ),
    ).toEqual([['critical'], ['warning']]);
    const losing = slow({ queueLength: 1_000, dropped: 9 }, { droppedPerSecond: undefined, hasDropped: true });
    expect(
      resultOf('drops', { ...losing, state: patched(losing.state, dropped('queue_full').state) }).findings,
    ).toEqual([]);
    expect(resultOf('slow', losing).findings).toMatchObject([
      { severity: 'critical', evidence: { isLosing: true, droppedPerSecond: undefined } },
    ]);
  });

  it('puts changes of the past below what goes on now', () => {
    const rise = (agoMs: number) => ({
      ...emptyHistory.sudden,
      knownSinceMs: nowMs - 90_000,
      readAtMs: nowMs,
      clusterChanges: [
        {
          subject: 'messages.received',
          direction: 'rise',
          atMs: nowMs - agoMs,
          before: 50,
          after: 855,
          now: 855,
          beforeByNode: undefined,
          afterByNode: undefined,
        },
      ] as const,
    });
    const order = (agoMs: number) =>
      check({
        state: readingsOf({ metricHistory: history({ 'messages.dropped': 5 }) }),
        history: { sudden: rise(agoMs) },
      }).findings.map(({ code }) => code);
    expect([order(30_000), order(90_000)]).toEqual([
      ['sudden-change', 'unrouted-messages'],
      ['unrouted-messages', 'sudden-change'],
    ]);
  });

  it('name who publishes most of a rise', () => {
    const sudden = {
      ...emptyHistory.sudden,
      knownSinceMs: nowMs - 90_000,
      readAtMs: nowMs,
      clusterChanges: [
        {
          subject: 'messages.received',
          direction: 'rise',
          atMs: nowMs - 30_000,
          before: 50,
          after: 855,
          now: 855,
          beforeByNode: undefined,
          afterByNode: undefined,
        },
      ] as const,
    };
    const talkerOf = (roseAtMs: number) =>
      found(resultOf('sudden', { history: { sudden, talker: { clientId: 'load-1', perSecond: 800, roseAtMs } } }));
    expect(talkerOf(nowMs - 30_000)).toMatchObject([
      ['sudden-change', { talker: { clientId: 'load-1', perSecond: 800 } }],
    ]);
    expect(talkerOf(nowMs - 400_000)[0]?.[1]).not.toHaveProperty('talker');
  });

  it('puts critical findings first and keeps when each was first found', () => {
    const { state } = check({
      resources: {
        nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]),
      },
      state: readingsOf({ metricHistory: history({ 'messages.dropped': 5 }) }),
    });
    const triage = createTriage();
    triage.update(state, nowMs);
    const later = triage.update({ ...state }, nowMs + 9_000);
    expect(later.findings.map(({ check, severity, foundMs }) => [check, severity, foundMs])).toEqual([
      ['nodes', 'critical', nowMs],
      ['unrouted', 'warning', nowMs],
    ]);
  });
});

describe('a value near a threshold', () => {
  const nearLimit = (share: number, found: readonly string[] = []): readonly string[] =>
    check({
      found,
      resources: {
        listeners: loaded(
          new Map([
            ['a', [listener(100 * share)]],
            ['b', [listener(10)]],
          ]),
        ),
      },
    }).findings.map(({ severity, key }) => `${severity} ${key}`);
  const unrouted = (perSecond: number, found: readonly string[] = []): number =>
    check({ found, state: readingsOf({ metricHistory: history({ 'messages.dropped': perSecond }) }) }).findings.length;

  it('does not make a finding come and go', () => {
    const [warning = ''] = nearLimit(0.9);
    const key = warning.replace('warning ', '');
    expect([nearLimit(0.89), nearLimit(0.85, [key]), nearLimit(0.8, [key])]).toEqual([[], [warning], []]);
    expect([unrouted(0.47), unrouted(0.47, ['unrouted']), unrouted(0.4, ['unrouted'])]).toEqual([0, 1, 0]);
  });

  it('is compared with the findings of the last report', () => {
    const at = (perSecond: number): MonitorState =>
      check({ state: readingsOf({ metricHistory: history({ 'messages.dropped': perSecond }) }) }).state;
    const triage = createTriage();
    expect(
      [0.47, 0.52, 0.47, 0.4, 0.47].map(
        (perSecond, index) => triage.update(at(perSecond), nowMs + index).findings.length,
      ),
    ).toEqual([0, 1, 1, 0, 0]);
  });
});

describe('the time a finding was last seen', () => {
  const resources = {
    nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]),
    metrics: {
      ...loaded({ kind: 'total', total: {} } as const),
      error: new TimeoutError(5_000),
      failingSinceMs: nowMs - 1_000,
    },
  };
  const seen = (triage: ReturnType<typeof createTriage>, state: MonitorState, atMs: number) =>
    triage.update(state, atMs).findings.map(({ check, seenMs }) => [check, seenMs]);

  it('is the last reading, once readings fail, are late or have stopped', () => {
    const triage = createTriage();
    const { state } = check({ resources });
    expect(seen(triage, state, nowMs)).toEqual([
      ['readings', undefined],
      ['nodes', undefined],
    ]);
    const frozen = { ...state, isFrozen: true };
    expect(seen(triage, frozen, nowMs + 9_000)).toEqual([
      ['readings', undefined],
      ['nodes', undefined],
    ]);
    expect(seen(triage, { ...state, isUnauthorized: true }, nowMs).at(-1)).toEqual(['nodes', nowMs - 500]);
    const late = { ...state, watched: [nodeStatsPart] } as const;
    expect(seen(triage, late, nowMs + 30_000)).toEqual([
      ['readings', undefined],
      ['nodes', nowMs - 500],
    ]);
    const failed = check({
      resources: { ...resources, nodeStats: { ...resources.nodeStats, error: new TimeoutError(5_000) } },
    }).state;
    expect(seen(triage, failed, nowMs).at(-1)).toEqual(['nodes', nowMs - 500]);
  });

  it('goes by the time of the pause, however long it lasts', () => {
    const triage = createTriage();
    const { state } = check({
      resources,
      state: {
        watched: [settings],
        ...readingsOf({
          settings: loaded(
            new Map([
              ['a', [setting('1')]],
              ['b', [setting('1')]],
            ]),
          ),
        }),
      },
    });
    const uncheckedAt = (atMs: number, isFrozen: boolean) =>
      triage.update({ ...state, isFrozen }, atMs).results.map(({ check: id, unchecked }) => [id, unchecked]);
    const before = uncheckedAt(nowMs, false);
    expect(uncheckedAt(nowMs + 600_000, true)).toEqual(before);
    expect(uncheckedAt(nowMs + 600_000, false)).not.toEqual(before);
  });

  it('is now for a list while frozen, and its last reading while the login is rejected', () => {
    const { state } = check({
      state: {
        watched: [settings],
        ...readingsOf({
          settings: loaded(
            new Map([
              ['a', [setting('1')]],
              ['b', [setting('2')]],
            ]),
          ),
        }),
      },
    });
    expect(seen(createTriage(), state, nowMs)).toEqual([['settings', undefined]]);
    expect(seen(createTriage(), { ...state, isFrozen: true }, nowMs)).toEqual([['settings', undefined]]);
    expect(seen(createTriage(), { ...state, isUnauthorized: true }, nowMs)).toContainEqual(['settings', nowMs - 500]);
  });
});

describe('nodes, listeners and limits', () => {
  it('are checked against status and limits', () => {
    const gone = resultOf('nodes', {
      resources: { nodeStats: loaded([nodeStats('a', 'running', figures), nodeStats('b', 'stopped')]) },
    });
    expect(gone.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'node-down',
        evidence: { node: 'b', status: 'stopped', clients: undefined },
        jump: { screen: 'node', node: 'b' },
      },
    ]);
    const moved = {
      resources: {
        nodeStats: loaded([nodeStats('a', 'running', figures), nodeStats('b', 'stopped')]),
        stats: loaded(new Map([['a', stats({ clients: 90 })]])),
      },
      history: { clientsOfAllNodes: 100 },
    };
    expect(resultOf('nodes', moved).findings).toMatchObject([
      { evidence: { clusterClients: { before: 100, now: 90 } } },
    ]);
    const memory = createTriageMemory();
    expect(memory.update(check().state).clientsOfAllNodes).toBe(100);
    const { state: later } = check(moved);
    expect(
      memory.update(patched(later, readingsOf({ stats: { ...reading(later, statsPart), updatedAtMs: nowMs } })))
        .clientsOfAllNodes,
    ).toBe(100);
    const full = resultOf('listeners', {
      resources: {
        listeners: loaded(
          new Map([
            ['a', [listener(95)]],
            ['b', [listener(1)]],
          ]),
        ),
      },
    });
    expect(full.findings[0]).toMatchObject({
      severity: 'warning',
      code: 'listener-near-limit',
      evidence: { node: 'a', listener: 'mqtt:tcp 1883', share: 0.95 },
      jump: { screen: 'listeners', node: 'a' },
    });
    const tight = resultOf('limits', {
      resources: { nodeStats: loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 990 }))) },
    });
    expect(found(tight)).toContainEqual(['node-near-limit', { node: 'a', figure: 'descriptors', share: 0.99 }]);
  });

  it('cover running nodes only', () => {
    const resources = {
      nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]),
    };
    expect(resultOf('limits', { resources }).passed).toEqual({ nodesDown: 1 });
    expect(resultOf('listeners', { resources }).passed).toEqual({ listeners: 1, nodesDown: 1 });
  });

  it('are unchecked without their figures', () => {
    expect(unchecked('limits', { resources: { nodeStats: loaded(names.map((name) => nodeStats(name))) } })).toEqual(
      ['memory', 'processes', 'descriptors'].map((figure) => ({ code: 'limit-unknown', figure, nodes: ['a', 'b'] })),
    );
    const old = {
      ...loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 50 }))),
      updatedAtMs: nowMs - 23_000,
      error: new TimeoutError(5_000),
    };
    expect(unchecked('limits', { resources: { nodeStats: old } })).toEqual([
      { code: 'reading-old', resource: 'nodeStats', ageSeconds: 23 },
    ]);
    expect(verdictOf(resultOf('limits', { resources: { nodeStats: old } }))).toBe('unchecked');
    expect(unchecked('limits', { resources: { nodeStats: emptyResource() } })).toEqual([
      { code: 'reading-missing', resource: 'nodeStats' },
    ]);
    expect(unchecked('listeners', { resources: { listeners: emptyResource() } })).toContainEqual({
      code: 'reading-missing',
      resource: 'listeners',
    });
    expect(verdict('nodes', { resources: { nodes: emptyResource() } })).toBe('unchecked');
  });
});

const connected = (clientId: string): Client => ({
  clientId,
  node: 'a',
  connectedAt: 1,
  ipAddress: undefined,
  port: undefined,
  username: undefined,
  cleanSession: undefined,
  protocolVersion: undefined,
  keepaliveSeconds: undefined,
  unparsed: {},
});

describe('reconnects', () => {
  it('are connects that do not add clients', () => {
    const storm: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { reconnected: ['c1', 'c2', 'c3', 'c4'] },
    };
    const result = resultOf('reconnects', storm);
    const clientIds = ['c1', 'c2', 'c3', 'c4'];
    expect(result.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'reconnect-storm',
        evidence: { connectsPerSecond: 10, seconds: 18, change: 0, clients: 100, clientIds },
        jump: { screen: 'clients', found: { name: 'reconnected', clientIds } },
      },
    ]);
    expect(resultOf('reconnects', { ...storm, history: { reconnected: [] } }).findings[0]?.jump).toEqual({
      screen: 'clients',
      sort: { columnId: 'connected', isReversed: true },
    });
  });

  it('are those of one client, with its rate, if it makes most of them', () => {
    // 2 connects/s, over 18 s; the steps at both ends are left out.
    const one: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 2 }) }),
      history: { reconnected: ['c7', 'c1', 'c2'], reconnects: new Map([['c7', 6]]) },
    };
    expect(resultOf('reconnects', one).findings).toEqual([
      expect.objectContaining({
        severity: 'warning',
        code: 'clients-reconnecting',
        jump: {
          screen: 'clients',
          found: { name: 'reconnected', clientIds: ['c7'] },
          sort: { columnId: 'connected', isReversed: true },
        },
        evidence: { clientIds: ['c7'], perSecond: expect.closeTo(1.4, 1), seconds: 18 },
      }),
    ]);
    // Everybody does.
    const all = {
      reconnected: ['c1', 'c2', 'c3', 'c4'],
      reconnects: new Map(['c1', 'c2', 'c3', 'c4'].map((id) => [id, 3])),
    };
    expect(found(resultOf('reconnects', { ...one, history: all }))).toMatchObject([
      ['reconnect-storm', { clientIds: all.reconnected }],
    ]);
  });

  it('are counted from successful connects where the broker counts them: refused logins are none', () => {
    const refused = history({ 'packets.connect': 10, 'client.connected': 0 });
    expect(verdict('reconnects', { state: readingsOf({ metricHistory: refused }) })).toBe('ok');
    expect(
      found(
        resultOf('reconnects', {
          state: readingsOf({ metricHistory: history({ 'packets.connect': 30, 'client.connected': 10 }) }),
        }),
      ),
    ).toMatchObject([['reconnect-storm', { connectsPerSecond: 10 }]]);
  });

  it('are only attempts where nobody is seen to reconnect, although the clients were read', () => {
    const read = { complete: 4, last: 'complete', completeMs: 99_000, beforeMs: 96_000 } as const;
    const attempts: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { clientReadings: read },
    };
    expect(resultOf('reconnects', attempts).findings).toMatchObject([
      { severity: 'warning', code: 'reconnect-storm', evidence: { isAttempts: true } },
    ]);
    expect(
      resultOf('reconnects', { ...attempts, history: { clientReadings: { ...read, beforeMs: 70_000 } } }).findings,
    ).toMatchObject([{ severity: 'critical' }]);
  });

  it('are expected after a bulk action that disconnected most of these clients', () => {
    const severity = (clients: number, finishedAtMs: number | undefined) =>
      resultOf('reconnects', {
        state: {
          bulk: { disconnectedIds: Array.from({ length: clients }, (_, index) => `c${index}`), finishedAtMs },
          ...readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
        },
      }).findings[0]?.severity;
    // 140 reconnects.
    expect(severity(71, undefined)).toBe('warning');
    expect(severity(71, nowMs - 59_000)).toBe('warning');
    expect(severity(71, nowMs - 60_000)).toBe('critical');
    expect(severity(70, undefined)).toBe('critical');
  });

  it('are not first connects that are counted before their clients', () => {
    const late = [
      { atMs: 80_000, metricsMs: 2_000, clients: 20 },
      { atMs: 100_000, metricsMs: 20_000, clients: 120 },
    ];
    const ramp: Scene = {
      state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
      history: { clientCounts: late },
    };
    expect(unchecked('reconnects', ramp)).toEqual([{ code: 'clients-arriving', change: 100, seconds: 18 }]);
    expect(resultOf('reconnects', ramp).findings).toEqual([]);
    // A client that was there before has reconnected.
    expect(
      resultOf('reconnects', { ...ramp, history: { clientCounts: late, reconnected: ['c1'] } }).findings,
    ).toHaveLength(1);
  });

  it('are not new clients, nor a few that come and go', () => {
    const arrival = [
      { atMs: 80_000, metricsMs: 2_000, clients: 0 },
      { atMs: 100_000, metricsMs: 20_000, clients: 200 },
    ];
    expect(
      verdict('reconnects', {
        state: readingsOf({ metricHistory: history({ 'packets.connect': 10 }) }),
        history: { clientCounts: arrival },
      }),
    ).toBe('ok');
    expect(verdict('reconnects', { state: readingsOf({ metricHistory: history({ 'packets.connect': 0.5 }) }) })).toBe(
      'ok',
    );
    // A node went down ten seconds ago: only later connects count.
    const broken = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) =>
      samples.map((sample, index) => (index === 5 ? { ...sample, isAfterReset: true } : sample)),
    );
    const after = [
      { atMs: 80_000, metricsMs: 2_000, clients: 200 },
      { atMs: 90_000, metricsMs: 10_000, clients: 100 },
      { atMs: 100_000, metricsMs: 20_000, clients: 100 },
    ];
    expect(
      found(
        resultOf('reconnects', {
          state: readingsOf({ metricHistory: new Map([[clusterTotal, broken]]) }),
          history: { clientCounts: after },
        }),
      ),
    ).toEqual([
      ['reconnect-storm', { connectsPerSecond: 10, seconds: 10, change: 0, clients: 100, known: 100, clientIds: [] }],
    ]);
    const before = [
      { atMs: 80_000, metricsMs: 20_000, clients: 100 },
      { atMs: 100_000, metricsMs: 40_000, clients: 100 },
    ];
    const quietSince = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) => {
      const end = samples.at(-1);
      return end === undefined
        ? samples
        : [...samples, ...Array.from({ length: 10 }, (_, step) => ({ ...end, atMs: 22_000 + step * 2_000 }))];
    });
    expect(
      verdict('reconnects', {
        state: readingsOf({ metricHistory: new Map([[clusterTotal, quietSince]]) }),
        history: { clientCounts: before },
      }),
    ).toBe('ok');
  });

  it('are unchecked while a counter reset is within the window', () => {
    const quiet = (at: number): MetricSample[] =>
      [...history({ 'packets.connect': 0 }).values()].flatMap((samples) =>
        samples.map((sample, index) => (index === at ? { ...sample, isAfterReset: true } : sample)),
      );
    const counts = [
      { atMs: 88_000, metricsMs: 10_000, clients: 100 },
      { atMs: 100_000, metricsMs: 20_000, clients: 100 },
    ];
    const scene = (samples: readonly MetricSample[]): Scene => ({
      state: readingsOf({ metricHistory: new Map([[clusterTotal, samples]]) }),
      history: { clientCounts: counts },
    });
    expect(unchecked('reconnects', scene(quiet(4)))).toEqual([{ code: 'counters-restarted', agoSeconds: 12 }]);
    expect(verdict('reconnects', scene(quiet(4)))).toBe('unchecked');
    const later = quiet(4).flatMap((sample, index, samples) =>
      index < samples.length - 1
        ? [sample]
        : [
            sample,
            ...Array.from({ length: 10 }, (_, step) => ({
              ...sample,
              isAfterReset: false,
              atMs: sample.atMs + (step + 1) * 2_000,
            })),
          ],
    );
    expect(
      verdict('reconnects', {
        ...scene(later),
        history: { clientCounts: counts.map((count) => ({ ...count, metricsMs: count.metricsMs + 20_000 })) },
      }),
    ).toBe('ok');
  });

  it('are unchecked without enough history', () => {
    expect(
      unchecked('reconnects', {
        history: {
          clientCounts: [
            { atMs: 80_000, metricsMs: 2_000, clients: 100 },
            { atMs: 100_000, metricsMs: 4_000, clients: 100 },
          ],
        },
      }),
    ).toEqual([{ code: 'history-short', of: 'metrics', minSeconds: 5 }]);
    expect(verdict('reconnects', { history: { clientCounts: [] } })).toBe('unchecked');
  });
});

describe('slow consumers', () => {
  it('rank by loss, time to a full queue, full window, and queue', () => {
    const row = (patch: Partial<Session>, rates: Partial<SessionRates> = {}): SessionRow => ({
      session: session(patch),
      rates: { ...unknownRates, queuePerSecond: 0, droppedPerSecond: 0, ...rates },
      queueLimit: 1_000,
    });
    const rows = [
      row({ queueLength: 1_000 }, { droppedPerSecond: 5 }),
      row({ queueLength: 990 }, { queuePerSecond: 10 }),
      row({ queueLength: 7, inflight: 32 }),
      row({ queueLength: 42 }),
      row({ inflight: 32 }),
    ];
    const ranks = rows.map((each) => sessionTrouble(each) ?? 0);
    expect(ranks).toEqual(ranks.toSorted((a, b) => b - a));
    expect(new Set(ranks).size).toBe(rows.length);
  });

  it('lose messages or have a growing queue, with the time until it is full', () => {
    expect(found(resultOf('slow', slow({ queueLength: 900 }, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { clientId: 'x', queueLength: 900, queueLimit: 1_000, queuePerSecond: 10, fullInSeconds: 10 }],
    ]);
    expect(
      found(resultOf('slow', slow({ queueLength: 173 }, { queuePerSecond: 7 }, { growing: new Map([['x', 0.5]]) }))),
    ).toMatchObject([['slow-consumer', { fullInSeconds: 27 * 60 + 34 }]]);
    const losing = resultOf('slow', slow({ queueLength: 1_000 }, { droppedPerSecond: 2.5 }));
    expect(losing.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'slow-consumer',
        evidence: { isLosing: true, droppedPerSecond: 2.5, queueLength: 1_000, isQueueFull: true },
        jump: { screen: 'client', clientId: 'x' },
      },
    ]);
  });

  it('are counted beyond the first five', () => {
    const scene = slow({ queueLength: 900 }, { queuePerSecond: 10 });
    const many = Array.from({ length: 7 }, (_, at) => ({
      session: { ...session({ queueLength: 900 }), clientId: `x${at}` },
      rates: { ...unknownRates, queuePerSecond: 10 },
    }));
    expect(resultOf('slow', { ...scene, history: { ...scene.history, sessions: many } }).findings.at(-1)).toMatchObject(
      {
        severity: 'warning',
        code: 'slow-sessions',
        evidence: { clientIds: ['x5', 'x6'], isMore: true, areFar: false },
        jump: { screen: 'sessions', found: { name: 'slow or losing messages', clientIds: ['x5', 'x6'] } },
      },
    );
    const losing = Array.from({ length: 8 }, (_, at) => ({
      session: { ...session({ queueLength: 900 }), clientId: `y${at}` },
      rates: { ...unknownRates, droppedPerSecond: 1 },
    }));
    const { findings } = resultOf('slow', { ...scene, history: { ...scene.history, sessions: [...many, ...losing] } });
    expect(findings.slice(-2).map(({ severity, evidence }) => [severity, evidence])).toEqual([
      ['critical', { clientIds: ['y5', 'y6', 'y7'] }],
      ['warning', { clientIds: many.map((each) => each.session.clientId), isMore: true, areFar: false }],
    ]);
    expect(new Set(findings.map(({ key }) => key)).size).toBe(7);
  });

  it('have the limit and the connection that the session says, if it says them', () => {
    const said = resultOf(
      'slow',
      slow({ queueLength: 90, maxQueueLength: 100, isConnected: false }, { queuePerSecond: 1 }),
    );
    expect(found(said)).toMatchObject([['offline-queue', { isConnected: false, queueLimit: 100, fullInSeconds: 10 }]]);
  });

  it('are one finding if their queues grow and none is full soon', () => {
    const growing = (clientId: string, queueLength: number, queuePerSecond: number): SessionRow => ({
      session: { ...session({ queueLength }), clientId },
      rates: { ...unknownRates, queuePerSecond },
    });
    const scene = slow({});
    const lost = growing('lost', 30, 1);
    const rows = [
      growing('soon', 900, 10),
      growing('far 1', 30, 1),
      growing('far 2', 30, 0.1),
      growing('paused', 30, 0),
      { ...lost, session: { ...lost.session, dropped: 40 } },
    ];
    const result = resultOf('slow', {
      ...scene,
      history: {
        ...scene.history,
        sessions: rows,
        growing: new Map(
          rows.map(({ session: { clientId }, rates: { queuePerSecond = 0 } }) => [clientId, queuePerSecond]),
        ),
      },
    });
    expect(result.findings).toMatchObject([
      { code: 'slow-consumer', evidence: { clientId: 'soon' } },
      // What it lost is not said of a group.
      { code: 'slow-consumer', evidence: { clientId: 'lost' } },
      {
        code: 'slow-sessions',
        severity: 'warning',
        evidence: { clientIds: ['far 1', 'far 2', 'paused'], isMore: true, areFar: true },
        jump: {
          screen: 'sessions',
          found: { name: 'slow or losing messages', clientIds: ['far 1', 'far 2', 'paused'] },
        },
      },
    ]);
  });

  it('are found in the first reading with a rate only if their queues grow fast', () => {
    const settings = {
      state: patched(slow({}).state, readingsOf({ settings: emptyResource<ByNode<readonly Setting[]>>() })),
    };
    const codes = (queuePerSecond: number, scene: Partial<Scene> = {}): readonly string[] =>
      resultOf('slow', { ...slow({ queueLength: 500 }, { queuePerSecond }), ...scene }).findings.map(
        ({ code }) => code,
      );
    expect([codes(1), codes(5)]).toEqual([[], ['slow-consumer']]);
    expect([codes(1, settings), codes(5, settings)]).toEqual([[], ['slow-consumer']]);
  });

  it('are not offline clients that have just left, unless their queues are full soon', () => {
    const found = (sinceMs: number, queuePerSecond: number): readonly string[] => {
      const offline = new Map([['x', { sinceMs, isLive: true, last: undefined }]]);
      const scene = slow(
        { queueLength: 400 },
        { queuePerSecond },
        {
          offline,
          growing: new Map([['x', queuePerSecond]]),
          sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs },
          clientReadings: { complete: 1, last: 'complete', completeMs: sinceMs },
        },
      );
      return resultOf('slow', {
        ...scene,
        state: patched(scene.state, readingsOf({ clientScan: emptyScan() })),
      }).findings.map(({ code }) => code);
    };
    expect([found(nowMs - 20_000, 1), found(nowMs - 20_000, 10), found(nowMs - 30_000, 1)]).toEqual([
      [],
      ['slow-consumer'],
      ['slow-consumer'],
    ]);
  });

  it('stay findings of their own until their queues are full much later', () => {
    const growing = (clientId: string): SessionRow => ({
      session: { ...session({ queueLength: 100 }), clientId },
      rates: { ...unknownRates, queuePerSecond: 2 },
    });
    const sessions = ['a', 'b', 'c'].map(growing);
    const scene = {
      ...slow({}),
      history: { ...slow({}).history, sessions, growing: new Map(['a', 'b', 'c'].map((id) => [id, 2])) },
    };
    const codesAfter = (found: readonly string[]): readonly string[] =>
      resultOf('slow', { ...scene, found }).findings.map(({ key }) => key);
    expect(codesAfter([])).toEqual(['slow, more warning']);
    expect(codesAfter(['slow b'])).toEqual(['slow b', 'slow, more warning']);
  });

  it('have a queue that is full sooner the longer ago it was read, but not while paused', () => {
    const read = (ageSeconds: number, state: Partial<MonitorState>): Scene => {
      const scene = slow(
        { queueLength: 790 },
        { queuePerSecond: 10 },
        { sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs - ageSeconds * 1_000 } },
      );
      return { ...scene, state: { ...scene.state, watched: [sessionScan], ...state } };
    };
    const secondsOf = (scene: Scene): unknown =>
      found(resultOf('slow', scene)).map(([, evidence]) => 'fullInSeconds' in evidence && evidence.fullInSeconds)[0];
    expect(secondsOf(read(0, {}))).toBe(21);
    expect(secondsOf(read(15, {}))).toBe(6);
    // It should be full by now.
    expect(secondsOf(read(25, {}))).toBe(0);
    expect(secondsOf(read(15, { isFrozen: true }))).toBe(21);
    expect(secondsOf(read(15, { watched: [] }))).toBe(21);
  });

  it('are critical if messages of an offline client are being lost', () => {
    const offline = new Map([['x', { sinceMs: nowMs - 20_000, isLive: true, last: undefined }]]);
    const readings = {
      sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs, beforeMs: nowMs - 30_000 },
      clientReadings: { complete: 1, last: 'complete', completeMs: nowMs - 20_000 },
    } as const;
    const scene = slow({ queueLength: 1_000 }, { droppedPerSecond: 83, queuePerSecond: 0 }, { ...readings, offline });
    expect(
      resultOf('slow', { ...scene, state: patched(scene.state, readingsOf({ clientScan: emptyScan() })) }).findings,
    ).toMatchObject([
      {
        severity: 'critical',
        code: 'offline-queue',
        evidence: { isConnected: false, isLosing: true, droppedPerSecond: 83 },
      },
    ]);
  });

  it('have a full inflight window in consecutive readings', () => {
    const full = { inflight: 32, queueLength: 4 };
    expect(found(resultOf('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })))).toMatchObject([
      [
        'slow-consumer',
        { queueLength: 4, isWindowFull: true, inflight: 32, maxInflight: 32, acknowledgedPerSecond: undefined },
      ],
    ]);
    expect(verdict('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs]]) }))).toBe('ok');
    expect(
      found(
        resultOf('slow', slow(full, { acknowledgedPerSecond: 45 }, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })),
      ),
    ).toMatchObject([['slow-consumer', { isWindowFull: true, acknowledgedPerSecond: 45 }]]);
  });

  it('stay critical while their queue is full, even without a new loss', () => {
    const full = resultOf('slow', slow({ queueLength: 1_000 }, { queuePerSecond: 1 }));
    expect(full.findings).toMatchObject([
      { severity: 'critical', code: 'slow-consumer', evidence: { isQueueFull: true, isLosing: false } },
    ]);
    const losing = resultOf(
      'slow',
      slow({ queueLength: 998 }, { queuePerSecond: -1 }, { losing: new Map([['x', 1.5]]) }),
    );
    expect(losing.findings).toMatchObject([
      {
        severity: 'critical',
        code: 'slow-consumer',
        evidence: { isLosing: true, droppedPerSecond: 1.5, queueLength: 998 },
      },
    ]);
    // Its limit was raised, or it empties.
    expect(resultOf('slow', slow({ queueLength: 800 }, {}, { losing: new Map([['x', 1.5]]) })).findings).toEqual([]);
  });

  it('after one reading: full queues and past losses are warnings', () => {
    const once = { sessionReadings: { complete: 1, last: 'complete' } } as const;
    const before = resultOf(
      'slow',
      slow({ queueLength: 1_000, dropped: 200 }, {}, { ...once, lostBefore: new Map([['x', 200]]) }),
    );
    expect(before.findings).toMatchObject([
      {
        severity: 'warning',
        code: 'queue-full',
        evidence: { queueLength: 1_000, queueLimit: 1_000, dropped: 200, isLossOld: true },
        jump: { screen: 'client', clientId: 'x' },
      },
    ]);
    expect(found(resultOf('slow', slow({ queueLength: 1_000 }, {}, once)))).toMatchObject([
      ['queue-full', { dropped: 0 }],
    ]);
    expect(found(resultOf('slow', slow({ dropped: 3 })))).toMatchObject([
      ['messages-lost', { dropped: 3, isLossOld: false }],
    ]);
    expect(found(resultOf('slow', slow({ queueLength: 900, dropped: 3 }, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { fullInSeconds: 10, dropped: 3, isLossOld: false, isLosing: false }],
    ]);
    const losing = {
      session: { ...session({ queueLength: 5, dropped: 1 }), clientId: 'y' },
      rates: { ...unknownRates, droppedPerSecond: 1 },
    };
    const full = slow({ queueLength: 1_000, dropped: 200 });
    expect(
      resultOf('slow', {
        ...full,
        history: { ...full.history, sessions: [...(full.history?.sessions ?? []), losing] },
      }).findings.map(({ jump, severity }) => [jump, severity]),
    ).toEqual([
      [{ screen: 'client', clientId: 'y' }, 'critical'],
      [{ screen: 'client', clientId: 'x' }, 'warning'],
    ]);
  });

  it('lose nothing any more once a queue that was long has room, by draining or by a higher limit', () => {
    const after = (queueLength: number, queueBefore: number): Scene =>
      slow({ queueLength, dropped: 200 }, { droppedPerSecond: 20, queuePerSecond: -100, queueBefore });
    expect(found(resultOf('slow', after(0, 1_000)))).toMatchObject([
      ['messages-lost', { isLosing: false, dropped: 200 }],
    ]);
    expect(found(resultOf('slow', after(980, 1_000)))).toMatchObject([['slow-consumer', { isLosing: true }]]);
    // A burst: full and empty again between two readings.
    expect(found(resultOf('slow', after(0, 0)))).toMatchObject([['slow-consumer', { isLosing: true }]]);
  });

  it('are critical after one reading if a connected client has a full inflight window and a full queue', () => {
    const full = slow(
      { queueLength: 1_000, inflight: 32 },
      {},
      { sessionReadings: { complete: 1, last: 'complete' }, clientReadings: { complete: 1, last: 'complete' } },
    );
    const seen = (isConnected: boolean): Scene => ({
      ...full,
      state: patched(
        full.state,
        readingsOf({ clientScan: { ...emptyScan(), rows: isConnected ? [connected('x')] : [] } }),
      ),
    });
    expect(resultOf('slow', seen(true)).findings).toMatchObject([
      { severity: 'critical', code: 'slow-consumer', evidence: { isWindowFull: true, isQueueFull: true } },
    ]);
    expect(resultOf('slow', seen(false)).findings).toMatchObject([{ severity: 'warning', code: 'queue-full' }]);
  });

  it('have a start time only if the start was seen', () => {
    const full = slow({ inflight: 32, queueLength: 4 }, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) });
    expect(resultOf('slow', full).findings[0]).toMatchObject({ sinceMs: nowMs - 4_000 });
    const least = resultOf('slow', { ...full, history: { ...full.history, fullAtLeast: new Set(['x']) } });
    expect(least.findings[0]).toMatchObject({ sinceMs: undefined, foundMs: nowMs - 4_000 });
  });

  it('are distinguished from offline clients', () => {
    const readings = {
      sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs, beforeMs: nowMs - 30_000 } as const,
    };
    const scene = (clientsMs: number, rates: Partial<SessionRates>): Scene => {
      const full = slow({ queueLength: 900, inflight: 32 }, rates, {
        ...readings,
        clientReadings: { complete: 1, last: 'complete', completeMs: clientsMs },
        fullSinceMs: new Map([['x', nowMs - 4_000]]),
      });
      return { ...full, state: patched(full.state, readingsOf({ clientScan: emptyScan() })) };
    };
    expect(found(resultOf('slow', scene(nowMs - 20_000, { queuePerSecond: 10 })))).toMatchObject([
      ['offline-queue', { isConnected: false }],
    ]);
    // The session may be newer than the client scan.
    expect(found(resultOf('slow', scene(nowMs - 40_000, { queuePerSecond: 10 })))).toMatchObject([
      ['slow-consumer', { isConnected: undefined }],
    ]);
    const first = scene(nowMs - 20_000, {});
    const newRows = (first.history?.sessions ?? []).map((row) => ({ ...row, rates: unknownRates }));
    expect(found(resultOf('slow', { ...first, history: { ...first.history, sessions: newRows } }))).toMatchObject([
      ['slow-consumer', { isConnected: undefined }],
    ]);
  });

  it('do not include short or shrinking queues', () => {
    expect(verdict('slow', slow({ queueLength: 5 }, { queuePerSecond: 1 }))).toBe('ok');
    expect(verdict('slow', slow({ queueLength: 500 }, { queuePerSecond: -1 }))).toBe('ok');
  });

  it('are unchecked without queue lengths or a second reading', () => {
    expect(unchecked('slow', slow({ queueLength: undefined, dropped: undefined }))).toEqual([
      { code: 'queues-unknown', count: 1, total: 1 },
    ]);
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 1, last: 'complete' } }))).toBe('unchecked');
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 3, last: 'partial' } }))).toBe('unchecked');
    const scene = slow({});
    const sessionScan = {
      ...emptyScan<Session>(),
      finishedAtMs: nowMs,
      leftOut: new Map([['a', { read: 1, expected: 2, isComplete: true, error: undefined, unusable }]]),
    };
    expect(unchecked('slow', { ...scene, state: patched(scene.state, readingsOf({ sessionScan })) })).toEqual([
      { code: 'sessions-incomplete' },
    ]);
  });
});

describe('alarms', () => {
  const alarm = (id: string, patch: Partial<Alarm> = {}): Alarm => ({
    id,
    severity: 'warning',
    title: 'a title',
    summary: 'queue len 806 > high_watermark 600',
    occurredAt: undefined,
    ...patch,
  });

  it('are stale once their sessions have ended, which the broker does not say', () => {
    const scene = (rows: readonly Session[], occurredAt: number, last: 'complete' | 'partial' = 'complete') =>
      resultOf('alarms', {
        state: readingsOf({
          alarms: loaded([alarm('queue_high_watermark.x', { occurredAt, queueOf: 'x' })]),
          sessionScan: { ...emptyScan(), rows },
        }),
        resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) },
        history: { sessionReadings: { complete: 2, last, completeMs: nowMs } },
      });
    expect(scene([], 900)).toMatchObject({ findings: [], unchecked: [{ code: 'alarms-stale', clientIds: ['x'] }] });
    // It has its session; it came while the list was read; the list is not whole.
    for (const result of [scene([session()], 900), scene([], 990), scene([], 900, 'partial')])
      expect(found(result)).toHaveLength(1);
  });

  it('and counters of sessions on nodes that only answer for themselves are said to be missing', () => {
    const elsewhere = session({
      clientId: 'y',
      node: 'b',
      queueLength: undefined,
      inflight: undefined,
      dropped: undefined,
    });
    const sessionScan = { ...emptyScan<Session>(), rows: [session(), elsewhere], finishedAtMs: nowMs };
    expect(resultOf('alarms', { state: readingsOf({ alarms: loaded([]), sessionScan }) }).unchecked).toEqual([
      { code: 'alarms-elsewhere', nodes: ['b'] },
    ]);
    expect(unchecked('slow', { state: readingsOf({ sessionScan }) })).toContainEqual({
      code: 'sessions-elsewhere',
      count: 1,
      total: 2,
      nodes: ['b'],
    });
  });

  it('are findings, with the session of a queue alarm', () => {
    const result = resultOf('alarms', {
      state: readingsOf({
        alarms: loaded([
          alarm('queue_high_watermark.dev.7', { occurredAt: 940, queueOf: 'dev.7' }),
          alarm('disk', { severity: 'critical', summary: undefined }),
        ]),
      }),
      resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) },
    });
    expect(found(result)).toEqual([
      ['alarm', { id: 'disk', text: 'a title' }],
      ['queue-alarm', { clientId: 'dev.7', text: 'queue len 806 > high_watermark 600' }],
    ]);
    expect(result.findings.map(({ severity, sinceMs, jump }) => [severity, sinceMs, jump])).toEqual([
      ['critical', undefined, { screen: 'alarms', row: 'disk' }],
      // The broker's clock showed 1,000 half a second ago.
      ['warning', nowMs - 60_500, { screen: 'client', clientId: 'dev.7' }],
    ]);
    const many = resultOf('alarms', {
      state: readingsOf({
        alarms: loaded(
          Array.from({ length: 9 }, (_, at) => alarm(`x${at}`, { severity: at === 8 ? 'error' : 'warning' })),
        ),
      }),
    });
    expect(many.findings.at(-1)).toMatchObject({ code: 'more-alarms', evidence: { count: 4 } });
    expect(many.findings[0]?.key).toBe('alarm x8');
  });

  it('of one name on several nodes are several, and lead to the Alarms screen', () => {
    const both = loaded([alarm('cpu', { node: 'a' }), alarm('cpu', { node: 'b' })]);
    const { findings, jump } = resultOf('alarms', { state: readingsOf({ alarms: both }) });
    expect(jump).toEqual({ screen: 'alarms' });
    expect(findings).toMatchObject([
      { key: 'alarm cpu on a', jump: { screen: 'alarms', row: 'cpu on a' }, evidence: { id: 'cpu on a' } },
      { key: 'alarm cpu on b', jump: { screen: 'alarms', row: 'cpu on b' } },
    ]);
  });

  it('are unchecked until read, and not offered without an alarm list', () => {
    expect(unchecked('alarms', { state: readingsOf({ alarms: emptyResource() }) })).toEqual([
      { code: 'alarms-unread' },
    ]);
    const without = resultOf('alarms', {
      state: readingsOf({ alarms: { ...emptyResource<readonly Alarm[]>(), error: new NotAvailableError('alarms') } }),
    });
    expect(without).toMatchObject({ isNotOffered: true, findings: [] });
  });
});

describe('consequences', () => {
  it('are no findings of their own: alarms about a slow consumer', () => {
    const alarm = ([id, clientId]: readonly [string, string]): Alarm => ({
      id,
      severity: undefined,
      title: undefined,
      summary: undefined,
      occurredAt: undefined,
      clientId,
    });
    const scene = slow({ queueLength: 1_000 }, { droppedPerSecond: 2 });
    const of = (...given: readonly (readonly [string, string])[]) =>
      resultOf('alarms', {
        ...scene,
        state: patched(scene.state, { watched: [alarms], ...readingsOf({ alarms: loaded(given.map(alarm)) }) }),
      });
    expect(of(['full', 'x'], ['congested', 'x']).findings).toEqual([]);
    expect(of(['full', 'x']).toldElsewhere).toBe(1);
    const summary = (result: CheckResult): readonly string[] => summarizeTriage({ results: [result] }, nowMs).ok;
    expect([summary(of(['full', 'x'])), summary(of())]).toEqual([[], ['alarms']]);
    expect(of(['full', 'x'], ['full xy', 'xy']).findings).toHaveLength(1);
  });

  it('are warnings: reconnects after the loss of a node', () => {
    const storm = (sinceMs: number | undefined): readonly Finding[] =>
      resultOf('reconnects', {
        state: readingsOf({
          seenNodes: sinceMs === undefined ? undefined : new Map([['b', { status: 'stopped', sinceMs }]]),
          metricHistory: history({ 'packets.connect': 10 }),
        }),
        resources: {
          nodeStats: loaded([
            nodeStats('a', 'running', { ...figures, clients: 50 }),
            nodeStats('b', sinceMs === undefined ? 'running' : 'stopped'),
          ]),
        },
        history: { reconnected: ['c1', 'c2', 'c3', 'c4'] },
      }).findings;
    expect(storm(undefined)).toMatchObject([{ severity: 'critical', evidence: { lostNode: undefined } }]);
    expect(storm(nowMs - 20_000)).toMatchObject([{ severity: 'warning', evidence: { lostNode: 'b' } }]);
  });
});

describe('traffic', () => {
  it('can be dropped, each reason a finding of its own', () => {
    const dropping = (rates: Parameters<typeof history>[0]) =>
      resultOf('drops', { state: readingsOf({ metricHistory: history(rates) }) });
    expect(
      found(
        dropping({
          'delivery.dropped.too_large': 2,
          'delivery.dropped.expired': 0.1,
          'delivery.dropped.queue_full': 120,
        }),
      ),
    ).toEqual([
      ['messages-dropped', { reason: 'queue_full', perSecond: 120, seconds: 18 }],
      ['messages-dropped', { reason: 'too_large', perSecond: 2, seconds: 18 }],
    ]);
    const { capabilities } = check().state;
    if (capabilities === undefined) throw new Error('no capabilities');
    const refreshed = resultOf('drops', {
      state: {
        capabilities: { ...capabilities, sessionCountersSeconds: 15 },
        ...readingsOf({ metricHistory: history({ 'delivery.dropped.queue_full': 120 }) }),
      },
    });
    expect(refreshed.findings).toMatchObject([{ evidence: { countersSeconds: 15 } }]);
    // They are a part of the problem of the session that loses most, unless its losses are much fewer.
    const causeOf = (rate: number): string | undefined =>
      resultOf('drops', {
        state: readingsOf({ metricHistory: history({ 'delivery.dropped.queue_full': 120 }) }),
        history: {
          losing: new Map([
            ['x', rate],
            ['y', 1],
          ]),
        },
      }).findings[0]?.partOf;
    expect([causeOf(100), causeOf(2)]).toEqual(['slow x', undefined]);
    expect(verdict('drops', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
    const older: ReturnType<typeof history> = new Map([
      [
        clusterTotal as typeof clusterTotal,
        (history({}).get(clusterTotal) ?? []).map((sample) => ({ ...sample, metrics: { 'messages.received': 1 } })),
      ],
    ]);
    expect(resultOf('drops', { state: readingsOf({ metricHistory: older }) })).toMatchObject({
      isNotOffered: true,
      unchecked: [{ code: 'reasons-uncounted' }],
    });
  });

  it('can be unrouted', () => {
    expect(
      found(
        resultOf('unrouted', {
          state: readingsOf({ metricHistory: history({ 'messages.dropped': 5, 'messages.received': 20 }) }),
        }),
      ),
    ).toEqual([['unrouted-messages', { perSecond: 5, seconds: 18, share: 0.25 }]]);
    expect(verdict('unrouted', { state: readingsOf({ metricHistory: history({ 'messages.dropped': 0.1 }) }) })).toBe(
      'ok',
    );
    // A few of very many.
    expect(
      verdict('unrouted', {
        state: readingsOf({ metricHistory: history({ 'messages.dropped': 1, 'messages.received': 200 }) }),
      }),
    ).toBe('ok');
    expect(verdict('unrouted', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });

  it('can have a high fan-out, with a suspected topic', () => {
    const subscriptionScan = {
      ...emptyScan<Subscription>(),
      rows: ['x', 'y'].map((clientId) => ({ clientId, topic: 't/1', qos: 0, node: 'a' })),
    };
    const metricHistory = history({ 'messages.received': 10, 'messages.sent': 500 });
    const result = resultOf('fanOut', { state: readingsOf({ metricHistory, subscriptionScan }) });
    expect(found(result)).toEqual([
      [
        'fan-out',
        {
          ratio: 50,
          sentPerSecond: 500,
          receivedPerSecond: 10,
          suspect: { topic: 't/1', subscribers: 2, isMin: false },
          hasTalkers: false,
        },
      ],
    ]);
    expect(
      found(
        resultOf('fanOut', {
          state: {
            capabilities: { ...capabilitiesOfB, clientTraffic: true },
            ...readingsOf({ metricHistory, subscriptionScan }),
          },
        }),
      ),
    ).toMatchObject([['fan-out', { hasTalkers: true }]]);
    expect(result.findings[0]?.jump).toEqual({ screen: 'subscriptions', topic: 't/1' });
    const leftOut = (cut: 'rows' | undefined) =>
      new Map([
        [
          'a',
          {
            read: 2,
            expected: 9,
            isComplete: cut === undefined,
            error: undefined,
            cut,
            unusable: cut === undefined ? unusable : undefined,
          },
        ],
      ]);
    expect(
      found(
        resultOf('fanOut', {
          state: readingsOf({ metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut(undefined) } }),
        }),
      ),
    ).toMatchObject([['fan-out', { suspect: { topic: 't/1', isMin: true } }]]);
    expect(
      found(
        resultOf('fanOut', {
          state: readingsOf({ metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut('rows') } }),
        }),
      ),
    ).toMatchObject([['fan-out', { suspect: 'list-cut' }]]);
    expect(
      verdict('fanOut', {
        state: readingsOf({ metricHistory: history({ 'messages.received': 10, 'messages.sent': 100 }) }),
      }),
    ).toBe('ok');
    expect(verdict('fanOut', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });
});

describe('differences between nodes', () => {
  const uneven = (a: number, b: number, load = 0.5): Scene => ({
    resources: {
      nodeStats: loaded([
        nodeStats('a', 'running', { ...figures, clients: a, load1: load }),
        nodeStats('b', 'running', { ...figures, clients: b }),
      ]),
    },
  });

  it('of clients and load', () => {
    expect(found(resultOf('balance', uneven(95, 5)))).toEqual([
      ['uneven-clients', { node: 'a', clients: 95, total: 100, ratio: 1.9 }],
    ]);
    expect(found(resultOf('balance', uneven(50, 50, 9)))).toEqual([
      ['uneven-load', { node: 'a', load: 9, ratio: expect.closeTo(1.895, 3), nodes: 2 }],
    ]);
    expect(verdict('balance', uneven(60, 40))).toBe('ok');
    expect(verdict('balance', uneven(20, 0))).toBe('ok');
    expect(
      unchecked('balance', {
        resources: {
          nodeStats: loaded(
            names.map((name) => nodeStats(name, 'running', { ...figures, load1: undefined, clients: 5 })),
          ),
        },
      }),
    ).toEqual([{ code: 'figure-unknown', figure: 'load' }]);
  });

  it('of versions', () => {
    expect(
      found(resultOf('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: '2.4' })]) } })),
    ).toEqual([
      [
        'mixed-versions',
        {
          versions: [
            { version: '2.3', nodes: 1 },
            { version: '2.4', nodes: 1 },
          ],
        },
      ],
    ]);
    expect(
      unchecked('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: undefined })]) } }),
    ).toEqual([{ code: 'version-unknown', node: 'b' }]);
  });

  it('of plugins', () => {
    const plugins = (b: ReturnType<typeof plugin>[]): Scene => ({
      state: readingsOf({
        plugins: new Map([
          ['a', loaded([plugin(true)])],
          ['b', loaded(b)],
        ]),
      }),
    });
    expect(found(resultOf('plugins', plugins([plugin(false)])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'inactive', count: 1, nodes: 2, on: ['b'] }],
    ]);
    expect(resultOf('plugins', plugins([plugin(false)])).findings[0]?.jump).toMatchObject({
      screen: 'plugins',
      row: 'p',
    });
    expect(found(resultOf('plugins', plugins([plugin(true, '2')])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'versions', count: 2 }],
    ]);
    expect(found(resultOf('plugins', plugins([])))).toEqual([
      ['plugin-differs', { plugin: 'p', difference: 'missing', count: 1, nodes: 2, on: ['b'] }],
    ]);
    const unclear = new Map([
      ['a', loaded([plugin(true)])],
      ['b', { ...loaded([]), unusable }],
    ]);
    expect(resultOf('plugins', { state: readingsOf({ plugins: unclear }) })).toMatchObject({
      findings: [],
      unchecked: [{ code: 'rows-unusable', what: 'plugins' }],
    });
    expect(unchecked('plugins', { state: readingsOf({ plugins: new Map([['a', loaded([plugin(true)])]]) }) })).toEqual([
      { code: 'node-unread', what: 'plugins', node: 'b' },
    ]);
  });

  it('of settings', () => {
    expect(
      found(
        resultOf('settings', {
          state: readingsOf({
            settings: loaded(
              new Map([
                ['a', [setting('1')]],
                ['b', [setting('2')]],
              ]),
            ),
          }),
        }),
      ),
    ).toEqual([
      [
        'setting-differs',
        { id: '["mqtt","mqtt.mqueue.max_length"]', key: 'mqtt.mqueue.max_length', values: 2, nodes: 2, on: [] },
      ],
    ]);
    const three = new Map([
      ['a', [setting('1')]],
      ['b', [setting('1')]],
      ['c', [setting('2')]],
    ]);
    expect(
      resultOf('settings', {
        resources: {
          nodes: loaded(['a', 'b', 'c'].map((name) => nodeInfo(name))),
          nodeStats: loaded(['a', 'b', 'c'].map((name) => nodeStats(name))),
        },
        state: readingsOf({ settings: loaded(three) }),
      }).findings[0]?.evidence,
    ).toMatchObject({ values: 2, nodes: 3, on: ['c'] });
    const unclear = {
      ...loaded(
        new Map([
          ['a', [setting('1')]],
          ['b', []],
        ]),
      ),
      unusable,
    };
    expect(resultOf('settings', { state: readingsOf({ settings: unclear }) })).toMatchObject({
      findings: [],
      unchecked: [{ code: 'rows-unusable', what: 'settings' }],
    });
    expect(unchecked('settings', { state: readingsOf({ settings: emptyResource() }) })).toEqual(
      names.map((node) => ({ code: 'node-unread', what: 'settings', node })),
    );
    const { state } = check();
    if (state.capabilities === undefined) throw new Error('no capabilities');
    expect(
      unchecked('settings', {
        state: { capabilities: { ...state.capabilities, settings: false, apiName: 'API of old' } },
      }),
    ).toEqual([{ code: 'settings-unavailable', apiName: 'API of old' }]);
  });
});

describe('connections and access', () => {
  const refusing = (rates: Parameters<typeof history>[0]) =>
    resultOf('refusals', { state: readingsOf({ metricHistory: history(rates) }) });

  it('that are refused are counted, with those that have a wrong login', () => {
    expect(found(refusing({ 'packets.connack.error': 3, 'packets.connack.auth_error': 1 }))).toEqual([
      ['connections-refused', { perSecond: 3, seconds: 18, loginPerSecond: 1 }],
    ]);
    expect(found(refusing({ 'authorization.deny': 4 }))).toEqual([['access-denied', { perSecond: 4, seconds: 18 }]]);
    expect(refusing({ 'packets.connack.error': 60 }).findings[0]?.severity).toBe('critical');
    expect(verdictOf(refusing({ 'packets.connack.error': 0.1, 'authorization.deny': 0.1 }))).toBe('ok');
    expect(verdict('refusals', { state: readingsOf({ metricHistory: new Map() }) })).toBe('unchecked');
  });
});

describe('slow subscriptions', () => {
  const slowest = { clientId: 'x', topic: 'a/#', node: 'a', latencyMs: 900, updatedAt: 1 };
  const ranked = (data: SlowSubscriptions | undefined) =>
    resultOf('slowSubscriptions', {
      state: readingsOf({ slowSubscriptions: data === undefined ? emptyResource() : loaded(data) }),
    });

  it('are one finding with the slowest', () => {
    expect(
      found(
        ranked({ isEnabled: true, thresholdMs: 500, items: [slowest, { ...slowest, clientId: 'y', latencyMs: 600 }] }),
      ),
    ).toEqual([['slow-subscriptions', { count: 2, clientId: 'x', topic: 'a/#', latencyMs: 900, thresholdMs: 500 }]]);
  });

  it('are not checked until they are read, and not offered where the broker does not measure them', () => {
    expect(ranked(undefined).unchecked).toEqual([{ code: 'slow-unread' }]);
    expect(ranked({ isEnabled: false, setting: 'delays.on', thresholdMs: 500, items: [slowest] })).toMatchObject({
      isNotOffered: true,
      findings: [],
      unchecked: [{ code: 'slow-disabled', setting: 'delays.on' }],
    });
  });
});

describe('a listener that does not run', () => {
  const listeners = (byNode: ReadonlyMap<string, readonly Listener[]>) =>
    resultOf('listeners', { resources: { listeners: loaded(byNode) } });
  const on = (running: Listener['running'], isEnabled?: boolean): readonly Listener[] => [
    { ...listener(1), id: 'tcp:default', running, isEnabled },
  ];

  it('on one node of a real cluster is found, with the node', () => {
    const recording = readFileSync(
      new URL('../fixtures/recordings/v5-live/listeners-inconsistent.http', import.meta.url),
      'utf8',
    );
    const result = listeners(decodeListeners(JSON.parse(recording.slice(recording.indexOf('\n[')))));
    expect(found(result)).toEqual(
      ['ssl:default', 'tcp:default', 'ws:default', 'wss:default'].map((id) => [
        'listener-down',
        { listener: id, on: ['emqx2@127.0.0.1'], nodes: 2 },
      ]),
    );
    expect(plainText(problemText(result.findings[0] as Finding))).toBe(
      'Listener ssl:default is down on emqx2@127.0.0.1: running on 1 of 2 nodes',
    );
    expect(result.findings[0]).toMatchObject({
      severity: 'warning',
      jump: { screen: 'listeners', node: 'emqx2@127.0.0.1' },
    });
  });

  it('on any node is critical if it should, and on purpose if it is disabled', () => {
    expect(
      listeners(
        new Map([
          ['a', on('no', true)],
          ['b', on('no', true)],
        ]),
      ).findings,
    ).toMatchObject([{ severity: 'critical', evidence: { on: ['a', 'b'], nodes: 2 } }]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('no', false)],
            ['b', on('no', false)],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('no')],
            ['b', on('no')],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(
      found(
        listeners(
          new Map([
            ['a', on('yes', true)],
            ['b', on('yes', true)],
          ]),
        ),
      ),
    ).toEqual([]);
    expect(found(listeners(new Map([['a', on('partly')]])))).toHaveLength(1);
  });

  it('comes first in the list, those that should run before those that are disabled', () => {
    const row = (running: Listener['running'], isEnabled: boolean, share: number): ListenerRow => ({
      key: '',
      node: 'a',
      listener: { ...listener(1), running, isEnabled },
      clients: { used: 1, limit: 1, share },
    });
    const rows = [row('yes', true, 0.99), row('no', false, 0), row('partly', true, 0), row('no', true, 0)];
    expect(rows.toSorted((a, b) => (listenerTrouble(b) ?? 0) - (listenerTrouble(a) ?? 0))).toEqual([
      rows[3],
      rows[2],
      rows[1],
      rows[0],
    ]);
  });
});

describe('a node that does not answer', () => {
  const silent = { status: 'other', statusText: 'silent', isSilent: true, clients: undefined } as const;
  const scene = (error: ApiError): Scene => ({
    state: readingsOf({
      lastKnownNodes: new Map([
        [
          'b',
          {
            atMs: 1,
            info: undefined,
            stats: nodeStats('b', 'running', { ...figures, clients: 16 }),
            counts: undefined,
            listeners: undefined,
          },
        ],
      ]),
    }),
    resources: {
      nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'other', silent)]),
      listeners: { ...loaded(new Map([['a', [listener(50)]]])), error, failingSinceMs: 90_000 },
    },
  });

  it('is one finding, with what waits for it', () => {
    for (const error of [new BrokerError('node-unreachable'), new TimeoutError(5_000)]) {
      expect(check(scene(error)).findings.map(({ code, severity, evidence }) => [code, severity, evidence])).toEqual([
        ['node-silent', 'critical', { node: 'b', clients: 16 }],
      ]);
    }
  });

  it('does not hide other failures', () => {
    expect(check(scene(new HttpStatusError(500))).findings.map(({ code }) => code)).toEqual([
      'read-failed',
      'node-silent',
    ]);
  });

  it('is waited for when a list times out', () => {
    const timedOut = (failingSinceMs: number) =>
      check({
        resources: {
          listeners: { ...loaded(new Map([['a', [listener(50)]]])), error: new TimeoutError(5_000), failingSinceMs },
        },
      }).findings.map(({ code }) => code);
    // The nodes were read 500 ms ago.
    expect([timedOut(nowMs - 100), timedOut(nowMs - 1_000)]).toEqual([[], ['read-failed']]);
  });
});
