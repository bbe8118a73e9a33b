import { describe, expect, it } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import { createTriage, runChecks } from '../../src/checks/triage.ts';
import type { Alarm } from '../../src/domain/administration.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { emptyResource, type MonitorState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { alarms } from '../../src/resources/alarms/resource.ts';
import { nodeStats as nodeStatsPart } from '../../src/resources/nodes/resource.ts';
import { settings } from '../../src/resources/settings/resource.ts';
import { stats as statsPart } from '../../src/resources/statistics/resource.ts';
import { type CheckResult, verdictOf } from '../../src/triage/check.ts';
import { createTriageMemory, emptyHistory } from '../../src/triage/memory.ts';
import type { Finding } from '../../src/triage/problem.ts';
import { summarizeTriage } from '../../src/triage/triage.ts';
import { nodeStats, stats } from '../monitor/fake-api.ts';
import { patched, readingsOf } from '../support/readings.ts';
import {
  nowMs,
  loaded,
  figures,
  history,
  setting,
  names,
  type Scene,
  listener,
  check,
  resultOf,
  found,
  unchecked,
  verdict,
  slow,
} from './scene.ts';

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
      'split',
      'integrations',
      'access',
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
