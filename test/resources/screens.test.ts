import { describe, expect, test } from 'vitest';
import { type ApiError, NoAnswerError, NotFoundError, TimeoutError, UnreachableError } from '../../src/api/errors.ts';
import { reading } from '../../src/monitor/query/part.ts';
import type { MonitorState } from '../../src/monitor/state.ts';
import { selectNotChecked } from '../../src/resources/freshness.ts';
import { listeners as listenersPart } from '../../src/resources/listeners/resource.ts';
import { needsNodeMetrics, selectMetricSource } from '../../src/resources/metrics/rates.ts';
import { nodes as nodesPart, seenNodes } from '../../src/resources/nodes/resource.ts';
import { stats as statsPart } from '../../src/resources/statistics/resource.ts';
import { selectMaximum } from '../../src/resources/statistics/select.ts';
import { type VitalName, selectVital } from '../../src/resources/vital.ts';
import { withParts } from '../../src/triage/grouping.ts';
import { nextStep } from '../../src/checks/words.ts';
import { basicFindings } from '../checks/support.ts';
import { patched, readingsOf } from '../support/readings.ts';
import {
  byNodeState,
  emptyState,
  failing,
  fresh,
  healthyState,
  listener,
  metricsOf,
  names,
  nodeStats,
  nowMs,
  statsOf,
  stoppedState,
} from '../screens/cluster-state.ts';

describe('selectNotChecked', () => {
  test('is empty when everything is known and fresh', () => {
    expect(selectNotChecked(healthyState(), nowMs)).toEqual([]);
    expect(
      selectNotChecked(stoppedState(), nowMs).filter((item) => item.kind === 'limit' && item.figure !== 'connections'),
    ).toEqual([]);
  });

  test('lists missing, failed and stale resources', () => {
    expect(selectNotChecked(emptyState(), nowMs).map((item) => item.kind === 'resource' && item.resource)).toEqual([
      'nodes',
      'nodeStats',
      'listeners',
      'metrics',
      'stats',
    ]);
    const state = healthyState();
    const old = patched(
      state,
      readingsOf({
        stats: { ...reading(state, statsPart), updatedAtMs: nowMs - 60_000 },
        nodes: failing(new TimeoutError(5_000), reading(state, nodesPart)),
      }),
    );
    expect(selectNotChecked(old, nowMs)).toEqual([
      { kind: 'resource', resource: 'nodes', ageSeconds: 0.4 },
      { kind: 'resource', resource: 'stats', ageSeconds: 60 },
    ]);
  });

  test('lists values without a limit and running nodes without listeners', () => {
    const state = healthyState({
      nodeStats: [
        nodeStats(names[0], { memoryUsedBytes: undefined }),
        nodeStats(names[1], { processLimit: 0 }),
        nodeStats(names[2], { maxFileDescriptors: undefined }),
      ],
      listeners: new Map([
        [names[0], [listener()]],
        [names[1], [listener({ currentClients: undefined })]],
      ]),
    });
    expect(selectNotChecked(state, nowMs)).toEqual([
      { kind: 'limit', figure: 'memory', node: names[0] },
      { kind: 'limit', figure: 'processes', node: names[1] },
      { kind: 'limit', figure: 'descriptors', node: names[2] },
      { kind: 'limit', figure: 'connections', node: names[1] },
      { kind: 'limit', figure: 'connections', node: names[2] },
    ]);
  });
});

describe('basicFindings', () => {
  const failingWith = (errors: Partial<Record<VitalName, ApiError>>): MonitorState => {
    const state = stoppedState();
    const failed = Object.fromEntries(Object.entries(errors).map(([name, error]) => [name, failing(error)]));
    return patched(state, readingsOf(failed));
  };

  test('groups readings that fail for the same reason', () => {
    const state = failingWith({
      stats: new TimeoutError(5_000),
      metrics: new TimeoutError(5_000),
      listeners: new NotFoundError(),
    });
    expect(basicFindings(state)).toMatchObject([
      {
        code: 'read-failed',
        evidence: { resources: ['stats', 'metrics'], isAll: false, reason: new TimeoutError(5_000).message },
      },
      { code: 'read-failed', evidence: { resources: ['metrics'] }, partOf: 'readings stats' },
      { code: 'read-failed', evidence: { resources: ['listeners'], reason: new NotFoundError().message } },
      { code: 'node-down', evidence: { node: names[2] } },
    ]);
    expect(basicFindings(state)[0]?.sinceMs).toBe(nowMs - 70_000);
    expect(basicFindings(state)).toEqual(basicFindings(state));
  });

  test('makes what fails because a node does not respond a part of the problem of that node', () => {
    const errors = { listeners: new NotFoundError(), nodes: new NoAnswerError() };
    const state = failingWith(errors);
    const [first, second] = [nodeStats(names[0]), nodeStats(names[1])];
    const silent = patched(
      state,
      readingsOf({
        nodeStats: fresh([first, second, nodeStats(names[2], { status: 'other', statusText: '', isSilent: true })]),
      }),
    );
    const givenUp = patched(
      state,
      readingsOf({
        seenNodes: new Map(
          [...(reading(state, seenNodes) ?? [])].map(([name, seen]) => [
            name,
            seen.status === 'running' ? seen : { ...seen, sinceMs: nowMs - 62_000 },
          ]),
        ),
      }),
    );
    for (const shown of [silent, givenUp]) {
      const reads = basicFindings(shown).filter(({ code }) => code === 'read-failed');
      expect(reads.map(({ key, partOf }) => [key, partOf])).toEqual([
        ['readings nodes', `node ${names[2]}`],
        ['readings listeners', `node ${names[2]}`],
      ]);
      const [problem, ...others] = withParts(basicFindings(shown));
      expect(others).toEqual([]);
      expect(problem).toMatchObject({ key: `node ${names[2]}`, severity: 'critical' });
    }
    // The node stopped long before, or the address is down as well.
    expect(withParts(basicFindings(state)).map(({ key }) => key)).toContain('readings nodes');
    const refused = patched(
      silent,
      readingsOf({ listeners: failing(new UnreachableError('ECONNREFUSED'), reading(silent, listenersPart)) }),
    );
    expect(withParts(basicFindings(refused)).map(({ key }) => key)).toContain('readings listeners');
  });

  test('reports that nothing can be read, and whether anything was refused', () => {
    const cluster = (error: ApiError) => {
      const [finding] = basicFindings(
        failingWith({ nodes: error, nodeStats: error, stats: error, metrics: error, listeners: error }),
      );
      if (finding === undefined) throw new Error('nothing found');
      return { finding, step: nextStep(finding, { canAct: true, canUnsubscribe: true }) };
    };
    const error = new TimeoutError(5_000);
    const silent = cluster(error);
    expect(silent.finding).toMatchObject({
      code: 'read-failed',
      evidence: { isAll: true, reason: error.message, unreachable: { brief: 'no response within 5 s' } },
    });
    expect(silent.step).toBe(
      '`Ctrl-R` retries now. The broker may be overloaded, a node may be hung, or a firewall drops the requests. Until it answers, the last known figures are shown.',
    );
    expect(cluster(new UnreachableError('ECONNREFUSED')).step).toBe(
      '`Ctrl-R` retries now. Check that the broker is running, that its management API listens on this port, and that no firewall is in between. Until it answers, the last known figures are shown.',
    );
  });

  test('is the same problem while its error changes, and while more fails', () => {
    const [refused, reset] = [new UnreachableError('ECONNREFUSED'), new UnreachableError('ECONNRESET')];
    const keysOf = (errors: Parameters<typeof failingWith>[0]): readonly string[] =>
      basicFindings(failingWith(errors))
        .filter(({ code, partOf }) => code === 'read-failed' && partOf === undefined)
        .map(({ key }) => key);
    expect([keysOf({ metrics: refused }), keysOf({ metrics: reset })]).toEqual([
      ['readings metrics'],
      ['readings metrics'],
    ]);
    const all = { nodes: refused, nodeStats: reset, stats: refused, metrics: refused, listeners: refused };
    expect(keysOf(all)).toEqual(['readings']);
    // What is read seldom has not failed yet.
    const lately = failingWith({ nodeStats: refused, stats: refused, metrics: refused });
    const { nodes, listeners } = selectVital(lately);
    const since = patched(
      lately,
      readingsOf({
        nodes: { ...nodes, updatedAtMs: nowMs - 70_000 },
        listeners: { ...listeners, updatedAtMs: nowMs - 70_000 },
      }),
    );
    expect(basicFindings(since)[0]).toMatchObject({
      key: 'readings',
      evidence: { isAll: true, unreachable: { brief: 'connection refused' } },
    });
    expect(basicFindings(lately)[0]).toMatchObject({ key: 'readings nodeStats', evidence: { isAll: false } });
    expect(basicFindings(failingWith(all)).map(({ key }) => key)).toContain('readings metrics');
  });
});

describe('selectMaximum', () => {
  test('sums counts by node and takes the max of cluster-wide counts', () => {
    const state = healthyState({
      stats: new Map([
        ['a', statsOf(10)],
        ['b', statsOf(20)],
      ]),
    });
    expect(selectMaximum(state, 'sessions')).toEqual({ value: 230, isUpperBound: true });
    expect(selectMaximum(state, 'routes')).toEqual({ value: 120, isUpperBound: false });
  });

  test('is unknown if a node does not report it, or there is none', () => {
    const stats = statsOf(10);
    const state = healthyState({
      stats: new Map([
        ['a', stats],
        ['b', { ...stats, clients: { count: 3, max: undefined } }],
      ]),
    });
    expect(selectMaximum(state, 'clients').value).toBeUndefined();
    expect(selectMaximum(emptyState(), 'clients').value).toBeUndefined();
  });
});

describe('selectMetricSource', () => {
  test("distinguishes the broker's total from a sum, and lists nodes missing in the sum", () => {
    expect(selectMetricSource(healthyState(), undefined, nowMs)).toMatchObject({
      origin: 'total',
      hasData: true,
      leftOut: [],
    });
    expect(selectMetricSource(byNodeState(names.slice(0, 2)), undefined, nowMs)).toMatchObject({
      origin: 'sum',
      included: names.slice(0, 2),
      leftOut: [names[2]],
    });
    expect(selectMetricSource(emptyState(), undefined, nowMs)).toMatchObject({ origin: 'unknown', hasData: false });
  });

  test('requires requests per node only for a running node of a cluster with one total', () => {
    expect(needsNodeMetrics(healthyState(), names[0])).toBe(true);
    expect(needsNodeMetrics(byNodeState(), names[0])).toBe(false);
    expect(needsNodeMetrics(stoppedState(), names[2])).toBe(false);
    expect(needsNodeMetrics(emptyState(), names[0])).toBe(false);
    expect(selectMetricSource(byNodeState(), names[0], nowMs)).toMatchObject({ origin: 'part', hasData: true });
    expect(selectMetricSource(healthyState(), names[0], nowMs)).toMatchObject({ origin: 'alone', hasData: false });
  });

  test("has the age of one node's counters", () => {
    const state = patched(
      healthyState(),
      readingsOf({ nodeMetrics: new Map([[names[0], fresh(metricsOf(7), 40_000)]]) }),
    );
    expect(selectMetricSource(state, names[0], nowMs)).toMatchObject({
      origin: 'alone',
      hasData: true,
      ageSeconds: 40,
      isStale: true,
    });
    expect(
      selectMetricSource(
        patched(state, readingsOf({ nodeMetrics: new Map([[names[0], fresh(metricsOf(7))]]) })),
        names[0],
        nowMs,
      ),
    ).toMatchObject({ isStale: false });
  });
});
