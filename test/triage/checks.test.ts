import { describe, expect, it } from 'vitest';
import { NotAvailableError, TimeoutError } from '../../src/api/errors.ts';
import type { Alarm } from '../../src/domain/administration.ts';
import type { Session } from '../../src/domain/client.ts';
import type { Metrics } from '../../src/domain/metrics.ts';
import { type SessionRates, unknownRates } from '../../src/monitor/history/session-rates.ts';
import { emptyResource } from '../../src/monitor/polling/poller.ts';
import { emptyScan } from '../../src/monitor/scan/lists.ts';
import { clusterTotal, type MetricSample, type MonitorState, type Resources, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { type CheckId, type CheckResult, verdictOf } from '../../src/triage/check.ts';
import { emptyHistory, type TriageHistory } from '../../src/triage/memory.ts';
import { createTriage, runChecks } from '../../src/triage/triage.ts';
import { nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';

const nowMs = 100_000;
const loaded = <T>(data: T): ResourceState<T> => ({ ...emptyResource<T>(), data, updatedAtMs: nowMs - 500 });
const figures = { memoryUsedBytes: 40, memoryTotalBytes: 100, processesUsed: 1, processLimit: 10, maxFileDescriptors: 1_000, load1: 0.5 };

/** Metrics of the last twenty seconds, each counter growing by so much a second. */
const history = (perSecond: Metrics): ReadonlyMap<typeof clusterTotal, readonly MetricSample[]> => new Map([[clusterTotal, Array.from({ length: 11 }, (_, step) => ({
  atMs: step * 2_000, from: 'cluster' as const,
  metrics: Object.fromEntries(Object.entries({ 'packets.connect': 0, 'messages.dropped': 0, 'messages.received': 0, 'messages.sent': 0, ...perSecond }).map(([name, rate]) => [name, rate * 2 * step])),
}))]]);

const plugin = (active: boolean, version = '1') => ({ name: 'p', version, description: undefined, active });
const setting = (value: string) => ({ key: 'mqtt.mqueue.max_length', value, dataType: 'integer', app: 'mqtt' });
const names = ['a', 'b'] as const;
const unusable = { count: 1, example: 'key: number' };

interface Scene {
  readonly resources?: { readonly [Name in keyof Resources]?: ResourceState<Resources[Name]> };
  readonly state?: Partial<MonitorState>;
  readonly history?: Partial<TriageHistory>;
}

const listener = (currentClients: number) => ({ protocol: 'mqtt:tcp', listen: '1883', address: undefined, port: 1_883, acceptors: 4, maxClients: 100, currentClients, shutdownCount: {}, shutdownCountRaw: undefined });

/** Two nodes of which everything is known, and nothing is wrong, unless the scene says so. */
function judge(scene: Scene = {}) {
  const empty = initialState(2);
  const state: MonitorState = {
    ...empty,
    capabilities: { unsubscribe: true, settings: true, nodeSubscriptionsOfClient: true, pluginPerNode: true, sessionTotals: true, metricsByNode: false },
    metricHistory: history({}),
    nodePlugins: new Map(names.map((name) => [name, loaded([plugin(true)])])),
    settings: loaded(new Map(names.map((name) => [name, [setting('1000')]]))),
    alarms: loaded([]),
    ...scene.state,
    resources: {
      ...empty.resources,
      nodes: loaded(names.map((name) => nodeInfo(name))),
      nodeStats: loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 50 }))),
      listeners: loaded(new Map(names.map((name) => [name, [listener(50)]]))),
      stats: loaded(new Map(names.map((name) => [name, stats({ clients: 50 })]))),
      metrics: loaded({ kind: 'total', total: {} } as const),
      ...scene.resources,
    },
  };
  const known: TriageHistory = {
    ...emptyHistory, clientCounts: [{ atMs: 80_000, metricsMs: 2_000, clients: 100 }, { atMs: 100_000, metricsMs: 20_000, clients: 100 }],
    sessionReadings: { complete: 2, last: 'complete' }, clientReadings: { complete: 2, last: 'complete' },
    subscriptionReadings: { complete: 1, last: 'complete' },
    sudden: { ...emptyHistory.sudden, knownSinceMs: nowMs - 90_000, readAtMs: nowMs }, ...scene.history,
  };
  return { state, ...runChecks({ state, history: known, nowMs }) };
}

const resultOf = (check: CheckId, scene: Scene): CheckResult => {
  const result = judge(scene).results.find((each) => each.check === check);
  if (result === undefined) throw new Error(`no check ${check}`);
  return result;
};
const words = ({ findings }: CheckResult): string => findings.map(({ parts }) => parts.map(({ text }) => text).join('')).join('\n');
const doubts = (result: CheckResult): string => result.doubts.map((parts) => parts.map(({ text }) => text).join('')).join('; ');
const verdict = (check: CheckId, scene: Scene): string => verdictOf(resultOf(check, scene));

const session = (patch: Partial<Session> = {}): Session => ({
  clientId: 'x', cleanSession: false, createdAt: 1, node: 'a', maxInflight: 32, inflight: 0, queueLength: 0, dropped: 0, awaitingRel: 0,
  awaitingAck: undefined, awaitingComp: undefined, subscriptions: 1, delivered: 0, enqueued: 0, unparsed: {}, ...patch,
});
const slow = (patch: Partial<Session>, rates: Partial<SessionRates> = {}, more: Partial<TriageHistory> = {}): Scene => ({
  state: { clientScan: { ...emptyScan(), rows: [{ clientId: 'x', node: 'a', connectedAt: 1, username: undefined, ipAddress: undefined, port: undefined, cleanSession: true, protocolVersion: 4, keepaliveSeconds: 60, unparsed: {} }] }, sessionScan: { ...emptyScan(), finishedAtMs: nowMs } },
  history: { sessions: [{ session: session(patch), rates: { ...unknownRates, queuePerSecond: 0, droppedPerSecond: 0, ...rates } }], ...more },
});

describe('all together', () => {
  it('is an all-clear when every check was judged', () => {
    const report = judge();
    expect(report.results.filter((result) => verdictOf(result) !== 'fine')).toEqual([]);
    expect(report.isAllClear).toBe(true);
  });

  it('is not kept away by what this broker does not offer', () => {
    const report = judge({ state: { capabilities: { unsubscribe: false, settings: false, nodeSubscriptionsOfClient: false, pluginPerNode: false, sessionTotals: false, metricsByNode: true, apiName: 'variant A of the interface' } } });
    expect(report.results.filter(({ isNotOffered }) => isNotOffered === true).map(({ check }) => check)).toEqual(['settings']);
    expect(report.isAllClear).toBe(true);
  });

  it('is none before anything has been read', () => {
    const report = runChecks({ state: initialState(2), history: emptyHistory, nowMs });
    expect(report.isAllClear).toBe(false);
    expect(report.findings).toEqual([]);
    expect(report.results.map((result) => verdictOf(result))).toEqual(report.results.map(() => 'unjudged'));
  });

  it('puts errors first and remembers since when each was found', () => {
    const { state } = judge({
      resources: { nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]) },
      state: { metricHistory: history({ 'messages.dropped': 5 }) },
    });
    const triage = createTriage();
    triage.update(state, nowMs);
    const later = triage.update({ ...state }, nowMs + 9_000);
    expect(later.findings.map(({ check, severity, foundMs }) => [check, severity, foundMs])).toEqual([['nodes', 'error', nowMs], ['dropped', 'warning', nowMs]]);
  });
});

describe('when what is found was seen', () => {
  const resources = {
    nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]),
    metrics: { ...loaded({ kind: 'total', total: {} } as const), error: new TimeoutError(5_000), failingSinceMs: nowMs - 100 },
  };
  const seen = (triage: ReturnType<typeof createTriage>, state: MonitorState, atMs: number) => triage.update(state, atMs).findings.map(({ check, seenMs }) => [check, seenMs]);

  it('is now while it is read, and the last reading once that fails, is late or is over', () => {
    const triage = createTriage();
    const { state } = judge({ resources });
    expect(seen(triage, state, nowMs)).toEqual([['readings', undefined], ['nodes', undefined]]);
    const frozen = { ...state, isFrozen: true };
    expect(seen(triage, frozen, nowMs + 9_000)).toEqual([['readings', nowMs], ['nodes', nowMs - 500]]);
    expect(seen(triage, { ...state, isUnauthorized: true }, nowMs).at(-1)).toEqual(['nodes', nowMs - 500]);
    const late = { ...state, watched: [{ kind: 'resource', name: 'nodeStats' }] } as const;
    expect(seen(triage, late, nowMs + 30_000)).toEqual([['readings', undefined], ['nodes', nowMs - 500]]);
    const failed = judge({ resources: { ...resources, nodeStats: { ...resources.nodeStats, error: new TimeoutError(5_000) } } }).state;
    expect(seen(triage, failed, nowMs).at(-1)).toEqual(['nodes', nowMs - 500]);
  });

  it('is the last reading of lists at once when frozen', () => {
    const { state } = judge({ state: { watched: [{ kind: 'settings' }], settings: loaded(new Map([['a', [setting('1')]], ['b', [setting('2')]]])) } });
    expect(seen(createTriage(), state, nowMs)).toEqual([['settings', undefined]]);
    expect(seen(createTriage(), { ...state, isFrozen: true }, nowMs)).toEqual([['settings', nowMs - 500]]);
  });
});

describe('nodes, listeners and limits', () => {
  it('are found by the rules of the Overview, with the way to the node', () => {
    const gone = resultOf('nodes', { resources: { nodeStats: loaded([nodeStats('a', 'running', figures), nodeStats('b', 'stopped')]) } });
    expect(words(gone)).toBe('Node b is stopped.');
    expect(gone.findings[0]?.jump).toEqual({ screen: 'node', node: 'b' });
    const full = resultOf('listeners', { resources: { listeners: loaded(new Map([['a', [listener(95)]], ['b', [listener(1)]]])) } });
    expect(full.findings[0]).toMatchObject({ severity: 'warning', jump: { screen: 'listeners', node: 'a' } });
    const tight = resultOf('limits', { resources: { nodeStats: loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 990 }))) } });
    expect(words(tight)).toContain('Clients of node a take 99 % of its file descriptors.');
  });

  it('speak of nodes that run alone', () => {
    const resources = { nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: 50 }), nodeStats('b', 'stopped')]) };
    const evidenceOf = (check: CheckId): string => resultOf(check, { resources }).evidence.map(({ text }) => text).join('');
    expect(evidenceOf('limits')).toBe('memory, processes and descriptors below 90 % on 1 node; 1 node not running');
    expect(evidenceOf('listeners')).toBe('1 listener below 90 % of their connections; 1 node not running');
  });

  it('cannot be judged without their figures', () => {
    expect(doubts(resultOf('limits', { resources: { nodeStats: loaded(names.map((name) => nodeStats(name))) } }))).toBe('memory of a and b not known; processes of a and b not known; descriptors of a and b not known');
    const old = { ...loaded(names.map((name) => nodeStats(name, 'running', { ...figures, clients: 50 }))), updatedAtMs: nowMs - 23_000, error: new TimeoutError(5_000) };
    expect(doubts(resultOf('limits', { resources: { nodeStats: old } }))).toBe('node statistics 23 s old');
    expect(verdictOf(resultOf('limits', { resources: { nodeStats: old } }))).toBe('unjudged');
    expect(doubts(resultOf('limits', { resources: { nodeStats: emptyResource() } }))).toBe('node statistics not read yet');
    expect(doubts(resultOf('listeners', { resources: { listeners: emptyResource() } }))).toContain('listeners not read yet');
    expect(verdict('nodes', { resources: { nodes: emptyResource() } })).toBe('unjudged');
  });
});

describe('reconnects', () => {
  it('are connects that do not make the clients more', () => {
    const storm: Scene = { state: { metricHistory: history({ 'packets.connect': 10 }) }, history: { reconnected: ['c1', 'c2', 'c3', 'c4'] } };
    const result = resultOf('reconnects', storm);
    expect(words(result)).toBe('Reconnect storm: 10 connects/s over 18 s, clients +0 to 100; 4 ids connected anew: c1, c2, c3 and 1 more.');
    expect(result.findings[0]).toMatchObject({ severity: 'error', jump: { screen: 'clients', found: { name: 'connected anew', clientIds: ['c1', 'c2', 'c3', 'c4'] } } });
    expect(resultOf('reconnects', { ...storm, history: { reconnected: [] } }).findings[0]?.jump).toEqual({ screen: 'clients', sort: { columnId: 'connected', isReversed: true }, found: undefined });
  });

  it('are not clients that arrive, nor a few that come and go', () => {
    const arrival = [{ atMs: 80_000, metricsMs: 2_000, clients: 0 }, { atMs: 100_000, metricsMs: 20_000, clients: 200 }];
    expect(verdict('reconnects', { state: { metricHistory: history({ 'packets.connect': 10 }) }, history: { clientCounts: arrival } })).toBe('fine');
    expect(verdict('reconnects', { state: { metricHistory: history({ 'packets.connect': 0.5 }) } })).toBe('fine');
    // A node went ten seconds ago: what came after it is judged.
    const broken = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) => samples.map((sample, index) => (index === 5 ? { ...sample, isAfterReset: true } : sample)));
    const after = [{ atMs: 80_000, metricsMs: 2_000, clients: 200 }, { atMs: 90_000, metricsMs: 10_000, clients: 100 }, { atMs: 100_000, metricsMs: 20_000, clients: 100 }];
    expect(words(resultOf('reconnects', { state: { metricHistory: new Map([[clusterTotal, broken]]) }, history: { clientCounts: after } }))).toBe('Reconnect storm: 10 connects/s over 10 s, clients +0 to 100.');
    const before = [{ atMs: 80_000, metricsMs: 20_000, clients: 100 }, { atMs: 100_000, metricsMs: 40_000, clients: 100 }];
    const quietSince = [...history({ 'packets.connect': 10 }).values()].flatMap((samples) => {
      const end = samples.at(-1);
      return end === undefined ? samples : [...samples, ...Array.from({ length: 10 }, (_, step) => ({ ...end, atMs: 22_000 + step * 2_000 }))];
    });
    expect(verdict('reconnects', { state: { metricHistory: new Map([[clusterTotal, quietSince]]) }, history: { clientCounts: before } })).toBe('fine');
  });

  it('are not called fine while the counters began anew within the window: nobody saw who came over then', () => {
    const quiet = (at: number): MetricSample[] => [...history({ 'packets.connect': 0 }).values()].flatMap((samples) => samples.map((sample, index) => (index === at ? { ...sample, isAfterReset: true } : sample)));
    const counts = [{ atMs: 88_000, metricsMs: 10_000, clients: 100 }, { atMs: 100_000, metricsMs: 20_000, clients: 100 }];
    const scene = (samples: readonly MetricSample[]): Scene => ({ state: { metricHistory: new Map([[clusterTotal, samples]]) }, history: { clientCounts: counts } });
    expect(doubts(resultOf('reconnects', scene(quiet(4))))).toBe('the counters began anew 12 s ago, as when a node goes: clients that came over then are not counted');
    expect(verdict('reconnects', scene(quiet(4)))).toBe('unjudged');
    const later = quiet(4).flatMap((sample, index, samples) => (index < samples.length - 1 ? [sample] : [sample, ...Array.from({ length: 10 }, (_, step) => ({ ...sample, isAfterReset: false, atMs: sample.atMs + (step + 1) * 2_000 }))]));
    expect(verdict('reconnects', { ...scene(later), history: { clientCounts: counts.map((count) => ({ ...count, metricsMs: count.metricsMs + 20_000 })) } })).toBe('fine');
  });

  it('cannot be judged at once, nor while a node is missing in the counts', () => {
    expect(doubts(resultOf('reconnects', { history: { clientCounts: [{ atMs: 80_000, metricsMs: 2_000, clients: 100 }, { atMs: 100_000, metricsMs: 4_000, clients: 100 }] } }))).toBe('less than 5 s of metrics known');
    expect(verdict('reconnects', { history: { clientCounts: [] } })).toBe('unjudged');
  });
});

describe('slow consumers', () => {
  it('lose messages, or have a queue that grows, with the time until it is full', () => {
    expect(words(resultOf('slow', slow({ queueLength: 900 }, { queuePerSecond: 10 })))).toBe('Slow consumer x: 900 waiting of 1,000, +10/s, full in 10 s.');
    expect(words(resultOf('slow', slow({ queueLength: 173 }, { queuePerSecond: 0.5 })))).toContain('full in 27m 34s.');
    const losing = resultOf('slow', slow({ queueLength: 1_000 }, { droppedPerSecond: 2.5 }));
    expect(words(losing)).toBe('Slow consumer x: loses 2.5/s, 1,000 waiting of 1,000.');
    expect(losing.findings[0]?.brief?.map(({ text }) => text).join('')).toBe('x loses 2.5/s, queue full');
    expect(losing.findings[0]).toMatchObject({ severity: 'error', jump: { screen: 'sessions', clientId: 'x' } });
  });

  it('are shown together where there are more than are named', () => {
    const scene = slow({ queueLength: 900 }, { queuePerSecond: 10 });
    const many = Array.from({ length: 7 }, (_, at) => ({ session: { ...session({ queueLength: 900 }), clientId: `x${at}` }, rates: { ...unknownRates, queuePerSecond: 10 } }));
    const found = resultOf('slow', { ...scene, history: { ...scene.history, sessions: many } }).findings.at(-1);
    expect(found?.parts.map(({ text }) => text).join('')).toBe('2 more sessions slow, full or with losses.');
    expect(found).toMatchObject({ severity: 'warning', count: 2, jump: { screen: 'sessions', found: { name: 'slow, full or with losses', clientIds: many.map((each) => each.session.clientId) } } });
    const losing = Array.from({ length: 8 }, (_, at) => ({ session: { ...session({ queueLength: 900 }), clientId: `y${at}` }, rates: { ...unknownRates, droppedPerSecond: 1 } }));
    const { findings } = resultOf('slow', { ...scene, history: { ...scene.history, sessions: [...many, ...losing] } });
    expect(findings.slice(-2).map(({ severity, count }) => [severity, count])).toEqual([['error', 3], ['warning', 7]]);
    expect(new Set(findings.map(({ key }) => key)).size).toBe(7);
  });

  it('have their inflight window full in reading after reading', () => {
    const full = { inflight: 32, queueLength: 4 };
    expect(words(resultOf('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })))).toBe('Slow consumer x: 4 waiting of 1,000, inflight stuck at 32/32.');
    expect(verdict('slow', slow(full, {}, { fullSinceMs: new Map([['x', nowMs]]) }))).toBe('fine');
    expect(words(resultOf('slow', slow(full, { deliveredPerSecond: 45 }, { fullSinceMs: new Map([['x', nowMs - 4_000]]) })))).toContain('inflight full at 32/32, yet 45/s go out (QoS 0 passes it)');
  });

  it('stay errors while their queue is full, whether or not the last reading saw a loss', () => {
    const full = resultOf('slow', slow({ queueLength: 1_000 }, { queuePerSecond: 1 }));
    expect([full.findings[0]?.severity, words(full)]).toEqual(['error', 'Slow consumer x: 1,000 waiting of 1,000, full.']);
    const losing = resultOf('slow', slow({ queueLength: 998 }, { queuePerSecond: -1 }, { losing: new Set(['x']) }));
    expect([losing.findings[0]?.severity, words(losing)]).toEqual(['error', 'Slow consumer x: loses messages now and then, 998 waiting of 1,000.']);
  });

  it('are found by a full queue or by losses that are over, after one reading and with less weight', () => {
    const once = { sessionReadings: { complete: 1, last: 'complete' } } as const;
    const before = resultOf('slow', slow({ queueLength: 1_000, dropped: 200 }, {}, { ...once, lostBefore: new Map([['x', 200]]) }));
    expect(words(before)).toBe('Full queue of x: 1,000 waiting of 1,000, lost 200 before brokertop first read it.');
    expect(before.findings[0]).toMatchObject({ severity: 'warning', jump: { screen: 'sessions', clientId: 'x' } });
    expect(before.findings[0]?.brief?.map(({ text }) => text).join('')).toBe('x queue full, lost 200');
    expect(words(resultOf('slow', slow({ queueLength: 1_000 }, {}, once)))).toBe('Full queue of x: 1,000 waiting of 1,000.');
    expect(words(resultOf('slow', slow({ dropped: 3 })))).toBe('Session x lost messages: 3 since it began.');
    expect(words(resultOf('slow', slow({ queueLength: 900, dropped: 3 }, { queuePerSecond: 10 })))).toBe('Slow consumer x: 900 waiting of 1,000, +10/s, full in 10 s, lost 3 since it began.');
    const losing = { session: { ...session({ queueLength: 5, dropped: 1 }), clientId: 'y' }, rates: { ...unknownRates, droppedPerSecond: 1 } };
    const full = slow({ queueLength: 1_000, dropped: 200 });
    expect(resultOf('slow', { ...full, history: { ...full.history, sessions: [...full.history?.sessions ?? [], losing] } }).findings.map(({ jump, severity }) => [jump.clientId, severity])).toEqual([['y', 'error'], ['x', 'warning']]);
  });

  it('are so since a moment only when somebody saw it begin', () => {
    const full = slow({ inflight: 32, queueLength: 4 }, {}, { fullSinceMs: new Map([['x', nowMs - 4_000]]) });
    expect(resultOf('slow', full).findings[0]).toMatchObject({ sinceMs: nowMs - 4_000 });
    const least = resultOf('slow', { ...full, history: { ...full.history, fullAtLeast: new Set(['x']) } });
    expect(least.findings[0]).toMatchObject({ sinceMs: undefined, foundMs: nowMs - 4_000 });
  });

  it('are told from clients that are away', () => {
    const readings = { sessionReadings: { complete: 2, last: 'complete', completeMs: nowMs, beforeMs: nowMs - 30_000 } as const };
    const scene = (clientsMs: number, rates: Partial<SessionRates>): Scene => {
      const full = slow({ queueLength: 900, inflight: 32 }, rates, { ...readings, clientReadings: { complete: 1, last: 'complete', completeMs: clientsMs }, fullSinceMs: new Map([['x', nowMs - 4_000]]) });
      return { ...full, state: { ...full.state, clientScan: emptyScan() } };
    };
    expect(words(resultOf('slow', scene(nowMs - 20_000, { queuePerSecond: 10 })))).toMatch(/^Queue of absent client x: /u);
    // It may have connected since the clients were read: before they were, nobody knew of this session.
    expect(words(resultOf('slow', scene(nowMs - 40_000, { queuePerSecond: 10 })))).toMatch(/^Slow consumer x: /u);
    expect(words(resultOf('slow', scene(nowMs - 20_000, { queuePerSecond: undefined })))).toMatch(/^Slow consumer x: /u);
  });

  it('are none where queues are short or shrink', () => {
    expect(verdict('slow', slow({ queueLength: 5 }, { queuePerSecond: 1 }))).toBe('fine');
    expect(verdict('slow', slow({ queueLength: 500 }, { queuePerSecond: -1 }))).toBe('fine');
  });

  it('cannot be judged where the broker does not tell, or before the second reading', () => {
    expect(doubts(resultOf('slow', slow({ queueLength: undefined, dropped: undefined })))).toBe('the broker does not tell the queue of 1 of 1 session');
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 1, last: 'complete' } }))).toBe('unjudged');
    expect(verdict('slow', slow({}, {}, { sessionReadings: { complete: 3, last: 'partial' } }))).toBe('unjudged');
    const scene = slow({});
    const sessionScan = { ...emptyScan<Session>(), finishedAtMs: nowMs, leftOut: new Map([['a', { read: 1, expected: 2, isComplete: true, error: undefined, unusable }]]) };
    expect(doubts(resultOf('slow', { ...scene, state: { ...scene.state, sessionScan } }))).toBe('not all sessions were read or understood');
  });
});

describe('alarms of the broker', () => {
  const alarm = (id: string, patch: Partial<Alarm> = {}): Alarm => ({ id, severity: 'warning', title: 'a title', summary: 'queue len 806 > high_watermark 600', occurredAt: undefined, ...patch });

  it('are findings, and name the session whose queue is past its mark', () => {
    const result = resultOf('alarms', { state: { alarms: loaded([alarm('queue_high_watermark.dev.7', { occurredAt: 940, queueOf: 'dev.7' }), alarm('disk', { severity: 'critical', summary: undefined })]) }, resources: { nodes: loaded([nodeInfo('a', { clock: 1_000 })]) } });
    expect(words(result)).toBe('Alarm disk: a title.\nQueue of session dev.7 is past its high-water mark (alarm): queue len 806 > high_watermark 600.');
    expect(result.findings.map(({ severity, sinceMs, jump }) => [severity, sinceMs, jump])).toEqual([
      ['error', undefined, { screen: 'log' }],
      // The broker's clock showed 1,000 half a second ago.
      ['warning', nowMs - 60_500, { screen: 'sessions', clientId: 'dev.7' }],
    ]);
    expect(result.findings[1]?.parts.filter(({ isUntrusted }) => isUntrusted).map(({ text }) => text)).toEqual(['dev.7', 'queue len 806 > high_watermark 600']);
    const many = resultOf('alarms', { state: { alarms: loaded(Array.from({ length: 9 }, (_, at) => alarm(`x${at}`, { severity: at === 8 ? 'error' : 'warning' }))) } });
    expect(many.findings.at(-1)).toMatchObject({ count: 4, parts: [{ text: '4 more alarms.' }] });
    expect(many.findings[0]?.key).toBe('alarm x8');
  });

  it('are not judged before they are read, and not offered where there is no list of them', () => {
    expect(doubts(resultOf('alarms', { state: { alarms: emptyResource() } }))).toBe('alarms not read');
    const without = resultOf('alarms', { state: { alarms: { ...emptyResource<readonly Alarm[]>(), error: new NotAvailableError('alarms') } } });
    expect(without).toMatchObject({ isNotOffered: true, findings: [] });
  });
});

describe('traffic', () => {
  it('is dropped when nobody subscribed', () => {
    expect(words(resultOf('dropped', { state: { metricHistory: history({ 'messages.dropped': 5, 'messages.received': 20 }) } })))
      .toBe('Dropped because nobody subscribed: 5 messages/s over 18 s, 25 % of those received.');
    expect(verdict('dropped', { state: { metricHistory: history({ 'messages.dropped': 0.1 }) } })).toBe('fine');
    expect(verdict('dropped', { state: { metricHistory: new Map() } })).toBe('unjudged');
  });

  it('fans out, with a suspect at most', () => {
    const subscriptionScan = { ...emptyScan<MonitorState['subscriptionScan']['rows'][number]>(), rows: ['x', 'y'].map((clientId) => ({ clientId, topic: 't/1', qos: 0, node: 'a' })) };
    const metricHistory = history({ 'messages.received': 10, 'messages.sent': 500 });
    const result = resultOf('fanOut', { state: { metricHistory, subscriptionScan } });
    expect(words(result)).toBe('High fan-out: each message goes out 50 times, 500 messages/s out for 10/s in; traffic by topic is not counted, but most subscribed is t/1 (2 clients).');
    expect(result.findings[0]?.jump).toEqual({ screen: 'subscriptions', topic: 't/1' });
    const leftOut = (cut: 'rows' | undefined) => new Map([['a', { read: 2, expected: 9, isComplete: cut === undefined, error: undefined, cut, unusable: cut === undefined ? unusable : undefined }]]);
    expect(words(resultOf('fanOut', { state: { metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut(undefined) } } }))).toContain('most subscribed is t/1 (at least 2 clients).');
    expect(words(resultOf('fanOut', { state: { metricHistory, subscriptionScan: { ...subscriptionScan, leftOut: leftOut('rows') } } }))).toContain('subscriptions are not all read.');
    expect(verdict('fanOut', { state: { metricHistory: history({ 'messages.received': 10, 'messages.sent': 100 }) } })).toBe('fine');
    expect(verdict('fanOut', { state: { metricHistory: new Map() } })).toBe('unjudged');
  });
});

describe('differences between nodes', () => {
  const uneven = (a: number, b: number, load = 0.5): Scene => ({ resources: {
    nodeStats: loaded([nodeStats('a', 'running', { ...figures, clients: a, load1: load }), nodeStats('b', 'running', { ...figures, clients: b })]),
  } });

  it('of clients and load are found when one has nearly all', () => {
    expect(words(resultOf('spread', uneven(95, 5)))).toBe('Uneven clients: node a has 95 of 100, 1.9 times the average.');
    expect(words(resultOf('spread', uneven(50, 50, 9)))).toBe('Uneven load: node a has 9.00, 1.9 times the average of 2 nodes.');
    expect(verdict('spread', uneven(60, 40))).toBe('fine');
    expect(verdict('spread', uneven(20, 0))).toBe('fine');
    expect(doubts(resultOf('spread', { resources: { nodeStats: loaded(names.map((name) => nodeStats(name, 'running', { ...figures, load1: undefined, clients: 5 }))) } }))).toBe('a node does not tell its load');
  });

  it('of versions', () => {
    expect(words(resultOf('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: '2.4' })]) } }))).toBe('Nodes run different versions: 2.3 on 1 node, 2.4 on 1 node.');
    expect(doubts(resultOf('versions', { resources: { nodes: loaded([nodeInfo('a'), nodeInfo('b', { version: undefined })]) } }))).toBe('version of b not known');
  });

  it('of plugins', () => {
    const plugins = (b: ReturnType<typeof plugin>[]): Scene => ({ state: { nodePlugins: new Map([['a', loaded([plugin(true)])], ['b', loaded(b)]]) } });
    expect(words(resultOf('plugins', plugins([plugin(false)])))).toBe('Plugin p is active on 1 of 2 nodes.');
    expect(resultOf('plugins', plugins([plugin(false)])).findings[0]?.jump).toMatchObject({ screen: 'plugins', row: 'p' });
    expect(words(resultOf('plugins', plugins([plugin(true, '2')])))).toBe('Plugin p has 2 versions.');
    expect(words(resultOf('plugins', plugins([])))).toBe('Plugin p is on 1 of 2 nodes.');
    const unclear = new Map([['a', loaded([plugin(true)])], ['b', { ...loaded([]), unusable }]]);
    expect(words(resultOf('plugins', { state: { nodePlugins: unclear } }))).toBe('');
    expect(doubts(resultOf('plugins', { state: { nodePlugins: unclear } }))).toBe('not all plugins were understood');
    expect(doubts(resultOf('plugins', { state: { nodePlugins: new Map([['a', loaded([plugin(true)])]]) } }))).toBe('plugins of b not read');
  });

  it('of settings, where the variant has any', () => {
    expect(words(resultOf('settings', { state: { settings: loaded(new Map([['a', [setting('1')]], ['b', [setting('2')]]])) } }))).toBe('Setting mqtt.mqueue.max_length has 2 values on 2 nodes.');
    const unclear = { ...loaded(new Map([['a', [setting('1')]], ['b', []]])), unusable };
    expect(words(resultOf('settings', { state: { settings: unclear } }))).toBe('');
    expect(doubts(resultOf('settings', { state: { settings: unclear } }))).toBe('not all settings were understood');
    expect(doubts(resultOf('settings', { state: { settings: emptyResource() } }))).toBe('settings of a not read; settings of b not read');
    const { state } = judge();
    if (state.capabilities === undefined) throw new Error('no capabilities');
    expect(doubts(resultOf('settings', { state: { capabilities: { ...state.capabilities, settings: false, apiName: 'variant A of the interface' } } }))).toContain('variant A');
  });
});
