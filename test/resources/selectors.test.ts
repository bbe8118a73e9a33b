import { describe, expect, test } from 'vitest';
import { TimeoutError } from '../../src/api/errors.ts';
import type { Listener } from '../../src/domain/administration.ts';
import { reading } from '../../src/monitor/query/part.ts';
import { emptyResource, type MonitorState, type ResourceState } from '../../src/monitor/state.ts';
import { initialState } from '../../src/monitor/store.ts';
import { selectFreshness } from '../../src/resources/freshness.ts';
import { selectListeners } from '../../src/resources/listeners/select.ts';
import { nodes } from '../../src/resources/nodes/resource.ts';
import { selectBrokerClock, selectNodeCounts, selectNodes } from '../../src/resources/nodes/select.ts';
import { selectMetric, selectTotals } from '../../src/resources/statistics/select.ts';
import { basicFindings } from '../checks/support.ts';
import { byNode, nodeInfo, nodeStats, stats } from '../monitor/fake-api.ts';
import { patched, type PartValues, readingsOf } from '../support/readings.ts';
import { type VitalName, vitalResources } from '../../src/resources/vital.ts';
import { stats as statsPart } from '../../src/resources/statistics/resource.ts';

const loaded = <T>(data: T, more: Partial<ResourceState<T>> = {}): ResourceState<T> => ({
  ...emptyResource<T>(),
  data,
  updatedAtMs: 1_000,
  ...more,
});

function withResources(resources: Pick<PartValues, VitalName>, more: Partial<MonitorState> = {}): MonitorState {
  const empty = initialState(2);
  return patched(empty, more, readingsOf(resources));
}

const listener = (currentClients: number | undefined, maxClients: number | undefined): Listener => ({
  protocol: 'mqtt:tcp',
  listen: '1883',
  address: undefined,
  port: 1_883,
  acceptors: 4,
  maxClients,
  currentClients,
  shutdownCount: {},
  shutdownCountRaw: undefined,
});

const cluster = withResources(
  {
    nodes: loaded([nodeInfo('n10', { clock: 5_000 }), nodeInfo('n2')]),
    nodeStats: loaded([
      nodeStats('n10', 'running', { memoryUsedBytes: 95, memoryTotalBytes: 100 }),
      nodeStats('n2'),
      nodeStats('n3', 'stopped'),
    ]),
    stats: loaded(
      new Map([
        ['n10', stats({ clients: 277, routes: 391 })],
        ['n2', stats({ clients: 50, routes: 390 })],
      ]),
    ),
  },
  readingsOf({
    seenNodes: new Map([
      ['n1', { status: 'unknown', sinceMs: 7 }],
      ['n3', { status: 'stopped', sinceMs: undefined }],
    ]),
  }),
);

describe('nodes', () => {
  test('are merged from all answers in natural order; stopped and vanished ones stay', () => {
    expect(selectNodes(cluster).map((node) => [node.name, node.status])).toEqual([
      ['n1', 'unknown'],
      ['n2', 'running'],
      ['n3', 'stopped'],
      ['n10', 'running'],
    ]);
    expect(selectNodes(cluster)[3]).toMatchObject({
      memory: { used: 95, limit: 100, share: 0.95 },
      processes: { share: undefined },
    });
    expect(selectNodeCounts(cluster)).toEqual({ running: 2, total: 4 });
    expect(selectNodeCounts(initialState(2))).toBeUndefined();
  });

  test('are the same objects while the answers are the same', () => {
    expect(selectNodes({ ...cluster, isFrozen: true })).toBe(selectNodes(cluster));
    expect(selectTotals({ ...cluster, isFrozen: true })).toBe(selectTotals(cluster));
  });

  test('have a clock that advances between answers', () => {
    expect(selectBrokerClock(cluster, 'n10', 3_500)).toBe(5_002.5);
    expect(selectBrokerClock(cluster, 'n2', 1_000)).toBe(5_000);
    expect(selectBrokerClock(initialState(2), 'n2', 1_000)).toBeUndefined();
  });
});

describe('totals', () => {
  test('sum clients but not routes', () => {
    const seen = withResources({ stats: reading(cluster, statsPart) });
    expect(selectTotals(seen).clients).toEqual({ value: 327, missingNodes: [] });
    expect(selectTotals(seen).routes).toEqual({ value: 391, missingNodes: [] });
  });

  test('list missing nodes, except stopped ones', () => {
    expect(selectTotals(cluster).clients).toEqual({ value: 327, missingNodes: ['n1'] });
    expect(selectTotals(cluster).sessions).toEqual({ value: undefined, missingNodes: ['n1', 'n10', 'n2'] });
    expect(selectTotals(initialState(2)).clients).toEqual({ value: undefined, missingNodes: [] });
  });

  test('of metrics come from the total or from the nodes', () => {
    const total = withResources({ metrics: loaded({ kind: 'total', total: { 'bytes.sent': 9 } } as const) });
    expect(selectMetric(total, 'bytes.sent', undefined)).toEqual({ value: 9, missingNodes: [] });
    expect(selectMetric(total, 'bytes.sent', 'a')).toEqual({ value: undefined, missingNodes: ['a'] });
    const each = withResources({
      metrics: loaded(byNode({ a: { 'bytes.sent': 9, 'messages.retained': 4 }, b: { 'messages.retained': 4 } })),
    });
    expect(selectMetric(each, 'bytes.sent', undefined)).toEqual({ value: 9, missingNodes: ['b'] });
    expect(selectMetric(each, 'messages.retained', undefined)).toEqual({ value: 4, missingNodes: [] });
  });
});

test('freshness is the age of the oldest watched data', () => {
  const watched = (['stats', 'metrics', 'nodes'] as const).map((name) => vitalResources[name]);
  const state = withResources(
    { stats: loaded(new Map(), { updatedAtMs: 10_000 }), nodes: loaded([], { updatedAtMs: 2_000 }) },
    { watched },
  );
  expect(selectFreshness(state, 11_500)).toEqual({ ageSeconds: 1.5, stale: [] });
  expect(selectFreshness(state, 22_500)).toEqual({ ageSeconds: 12.5, stale: ['stats'] });
  expect(selectFreshness(state, 5_000).ageSeconds).toBe(0);
  expect(selectFreshness(initialState(2), 5_000)).toEqual({ ageSeconds: undefined, stale: [] });
});

test.each([
  [2, 35],
  [20, 185],
  [60, 185],
])('at an interval of %d s, slow data is stale after %d s', (intervalSeconds, seconds) => {
  const state = withResources({ nodes: loaded([], { updatedAtMs: 0 }) }, { intervalSeconds, watched: [nodes] });
  expect(selectFreshness(state, seconds * 1_000).stale).toEqual([]);
  expect(selectFreshness(state, seconds * 1_000 + 1).stale).toEqual(['nodes']);
});

describe('problems', () => {
  const found = (state: MonitorState) =>
    basicFindings(state).map(({ severity, code, evidence }) => [severity, code, evidence]);

  test('are critical ones first', () => {
    const listeners = new Map([
      ['n2', [listener(9, 10), listener(10, 10), listener(5, 10), listener(5, 0), listener(undefined, 10)]],
    ]);
    const state = patched(
      cluster,
      readingsOf({
        listeners: loaded(listeners, { error: new TimeoutError(5_000), updatedAtMs: 42, failingSinceMs: 500 }),
      }),
    );
    expect(found(state)).toEqual([
      [
        'critical',
        'read-failed',
        {
          resources: ['listeners'],
          isAll: false,
          reason: 'The broker did not respond within 5 s. It may be overloaded, or a node may be hung.',
          unreachable: undefined,
        },
      ],
      ['critical', 'node-down', { node: 'n1', status: 'unknown', clients: undefined }],
      ['critical', 'node-down', { node: 'n3', status: 'stopped', clients: undefined }],
      ['critical', 'listener-near-limit', { node: 'n2', listener: 'mqtt:tcp 1883', share: 1 }],
      ['warning', 'node-near-limit', { node: 'n10', figure: 'memory', share: 0.95 }],
      ['warning', 'listener-near-limit', { node: 'n2', listener: 'mqtt:tcp 1883', share: 0.9 }],
    ]);
    expect(basicFindings(state).map((problem) => problem.sinceMs)).toEqual([
      42,
      7,
      undefined,
      undefined,
      undefined,
      undefined,
    ]);
    const keys = selectListeners(state)?.map((row) => row.key) ?? [];
    expect(new Set(keys).size).toBe(5);
  });

  test('are a single one when access is refused, and none when all is well', () => {
    const refused = withResources(
      { stats: { ...emptyResource(), error: new TimeoutError(1) } },
      { isUnauthorized: true },
    );
    expect(basicFindings(refused).map((problem) => problem.key)).toEqual(['unauthorized']);
    expect(basicFindings(initialState(2))).toEqual([]);
    const silent = patched(
      initialState(2),
      readingsOf({
        nodeStats: loaded([
          nodeStats('n1', 'other', { statusText: '' }),
          nodeStats('n2', 'other', { statusText: 'Joining' }),
        ]),
      }),
    );
    expect(found(silent)).toEqual([
      ['warning', 'node-status', { node: 'n1', status: '' }],
      ['warning', 'node-status', { node: 'n2', status: 'Joining' }],
    ]);
  });
});
