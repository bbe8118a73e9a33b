import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Metrics } from '../../../src/domain/metrics.ts';
import { createHistory } from '../../../src/monitor/history/history.ts';
import { clusterSteps, rateBetween, rateOver, type RateStep, sourceSteps } from '../../../src/monitor/history/rates.ts';
import { selectRateSeries } from '../../../src/monitor/select/rates.ts';
import { clusterTotal, type MetricHistory } from '../../../src/monitor/state.ts';
import { byNode } from '../fake-api.ts';

const sent = (count: number | undefined): Metrics => (count === undefined ? {} : { 'messages.sent': count });
const received = (bytes: number): Metrics => ({ 'bytes.received': bytes });
const ratesOver = (steps: readonly RateStep[]): (number | undefined)[] => steps.map((step) => rateOver(step, 'messages.sent').perSecond);
const perSecond = (history: MetricHistory): (number | undefined)[] => ratesOver(clusterSteps(history));

/** Answers of all nodes, one a second: counters of `messages.sent` by node. */
function record(...answers: Record<string, number | undefined>[]): MetricHistory {
  const recorder = createHistory();
  let history: MetricHistory = new Map();
  answers.forEach((answer, index) => {
    const nodes = Object.fromEntries(Object.entries(answer).map(([node, count]) => [node, sent(count)]));
    history = recorder.recordCluster(byNode(nodes), index * 1_000);
  });
  return history;
}

describe('a rate', () => {
  test('is growth over the time that really passed', () => {
    expect(rateBetween({ atMs: 1_000, metrics: sent(10) }, { atMs: 3_500, metrics: sent(35) }, 'messages.sent')).toBe(10);
  });

  test.each([
    ['a counter that went backwards', sent(10), sent(9), 1_000],
    ['a missing figure before', sent(undefined), sent(9), 1_000],
    ['a missing figure after', sent(1), sent(undefined), 1_000],
    ['no time passed', sent(1), sent(2), 0],
  ])('is unknown with %s', (_, before, after, elapsedMs) => {
    expect(rateBetween({ atMs: 0, metrics: before }, { atMs: elapsedMs, metrics: after }, 'messages.sent')).toBeUndefined();
  });

  test('is unknown for a figure that is no counter', () => {
    const retained = (count: number): Metrics => ({ 'messages.retained': count });
    expect(rateBetween({ atMs: 0, metrics: retained(1) }, { atMs: 1_000, metrics: retained(5) }, 'messages.retained')).toBeUndefined();
  });

  test('is never negative, whatever the counters do', () => {
    const answer = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.nat(), { nil: undefined }));
    fc.assert(fc.property(fc.array(fc.oneof(answer, fc.nat()), { maxLength: 20 }), fc.array(fc.integer({ min: -5, max: 5_000 })), (answers, steps) => {
      const recorder = createHistory();
      let history: MetricHistory = new Map();
      let atMs = 0;
      answers.forEach((counts, index) => {
        atMs += steps[index] ?? 1_000;
        history = typeof counts === 'number'
          ? recorder.recordCluster({ kind: 'total', total: sent(counts) }, atMs)
          : recorder.recordCluster(byNode(Object.fromEntries(Object.entries(counts).map(([node, count]) => [node, sent(count)]))), atMs);
      });
      const rates = [clusterSteps(history), ...[...history.values()].map(sourceSteps)].flatMap(ratesOver);
      const wrong = rates.filter((rate) => rate !== undefined && !(rate >= 0));
      expect(wrong).toEqual([]);
    }));
  });
});

describe('the rate of the cluster', () => {
  test('is the sum of the rates of its nodes', () => {
    expect(perSecond(record({ a: 0, b: 100 }, { a: 10, b: 105 }, { a: 30, b: 105 }))).toEqual([15, 20]);
  });

  test('is unknown for the one step in which a node restarted', () => {
    expect(perSecond(record({ a: 0, b: 1_000 }, { a: 10, b: 3 }, { a: 20, b: 8 }))).toEqual([undefined, 15]);
  });

  test('is unknown while one node lacks the figure', () => {
    expect(perSecond(record({ a: 0, b: 0 }, { a: 10, b: undefined }, { a: 20, b: 5 }, { a: 30, b: 10 }))).toEqual([undefined, undefined, 15]);
  });

  test('does not jump when a node appears, disappears and comes back with larger counters', () => {
    const history = record({ a: 0 }, { a: 10, b: 1_000_000 }, { a: 20, b: 1_000_005 }, { a: 30 }, { a: 40, b: 9_000_000 }, { a: 50, b: 9_000_001 });
    expect(perSecond(history)).toEqual([undefined, 15, 10, undefined, 11]);
  });

  test('leaves out what was read for one node alone', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: sent(0), b: sent(0) }), 0);
    recorder.recordNode('a', sent(4), 500);
    const history = recorder.recordCluster(byNode({ a: sent(10), b: sent(10) }), 1_000);
    expect(perSecond(history)).toEqual([20]);
    expect(ratesOver(sourceSteps(history.get('a') ?? []))).toEqual([8, 12]);
  });

  test('is that of the total where the broker gives one, and breaks when the nodes behind it change', () => {
    const recorder = createHistory();
    recorder.recordCluster({ kind: 'total', total: sent(0) }, 0);
    recorder.recordCluster({ kind: 'total', total: sent(10) }, 1_000);
    recorder.recordCluster({ kind: 'total', total: sent(900) }, 2_000);
    recorder.breakTotal();
    recorder.recordCluster({ kind: 'total', total: sent(1_500) }, 3_000);
    const history = recorder.recordCluster({ kind: 'total', total: sent(1_510) }, 4_000);
    expect(perSecond(history)).toEqual([10, undefined, undefined, 10]);
  });
});

describe('the history', () => {
  test('takes a restart from any counter that fell, for all of them', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: { ...sent(10), ...received(500) } }), 0);
    const history = recorder.recordCluster(byNode({ a: { ...sent(90), ...received(20) } }), 1_000);
    expect(perSecond(history)).toEqual([undefined]);
  });

  test('does not take fewer retained messages for a restart', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: { ...sent(10), 'messages.retained': 9 } }), 0);
    const history = recorder.recordCluster(byNode({ a: { ...sent(20), 'messages.retained': 3 } }), 1_000);
    expect(perSecond(history)).toEqual([10]);
  });

  test('holds at most 600 samples and ten minutes, and forgets nodes that are gone', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ gone: sent(1), a: sent(1) }), 0);
    let history: MetricHistory = new Map();
    for (let index = 1; index <= 700; index += 1) history = recorder.recordCluster(byNode({ a: sent(index) }), index * 500);
    expect(history.get('a')).toHaveLength(600);
    for (let index = 1; index <= 100; index += 1) history = recorder.recordCluster(byNode({ a: sent(1_000 + index) }), 400_000 + index * 10_000);
    expect(history.get('a')).toHaveLength(60);
    expect(history.has('gone')).toBe(false);
    expect(history.has(clusterTotal)).toBe(false);
  });

  test('does not change what was given out', () => {
    const recorder = createHistory();
    const first = recorder.recordNode('a', sent(1), 0);
    recorder.recordNode('a', sent(2), 1_000);
    recorder.breakTotal();
    expect(first.get('a')).toHaveLength(1);
  });

  test('has the first step of its series forgotten with its samples', () => {
    const recorder = createHistory();
    let history: MetricHistory = new Map();
    for (let index = 0; index < 605; index += 1) {
      history = recorder.recordCluster({ kind: 'total', total: sent(index ** 2) }, index * 1_000);
      selectRateSeries({ metricHistory: history }, 'messages.sent');
    }
    const series = selectRateSeries({ metricHistory: history }, 'messages.sent');
    expect([series.length, series[0], series.at(-1)]).toEqual([599, { atMs: 6_000, perSecond: 11 }, { atMs: 604_000, perSecond: 1_207 }]);
    expect(series.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 599 }, (_, index) => 1_000 * (index + 6)));
  });

  test('has its series taken on from answer to answer, as if each were worked out anew', () => {
    const nodes = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(9));
    const event = fc.record({
      kind: fc.constantFrom('nodes', 'nodes', 'nodes', 'total', 'alone', 'break', 'breakAll'),
      counts: nodes, elapsedMs: fc.constantFrom(0, 1_000, 1_000, 1_000, 250_000), isAsked: fc.boolean(),
    });
    fc.assert(fc.property(fc.array(event, { maxLength: 40 }), (events) => {
      const recorder = createHistory();
      let history: MetricHistory = new Map();
      let [atMs, grown] = [0, 0];
      for (const { kind, counts, elapsedMs, isAsked } of events) {
        atMs += elapsedMs;
        grown += 10;
        if (kind === 'nodes') history = recorder.recordCluster(byNode(Object.fromEntries(Object.entries(counts).map(([node, count]) => [node, sent(grown + count)]))), atMs);
        if (kind === 'total') history = recorder.recordCluster({ kind, total: sent(grown + (counts['a'] ?? 0)) }, atMs);
        if (kind === 'alone') history = recorder.recordNode('a', sent(grown + (counts['a'] ?? 0)), atMs);
        if (kind === 'break') history = recorder.breakTotal();
        if (kind === 'breakAll') recorder.breakAll();
        if (!isAsked) continue;
        // Of copies nothing is known.
        const anew: MetricHistory = new Map([...history].map(([source, samples]) => [source, samples.map((sample) => ({ ...sample }))]));
        for (const node of [undefined, 'a', 'b', 'c']) {
          const steps = node === undefined ? clusterSteps(anew) : sourceSteps(anew.get(node) ?? []);
          expect(selectRateSeries({ metricHistory: history }, 'messages.sent', node)).toEqual(steps.map((step) => rateOver(step, 'messages.sent')));
        }
      }
    }));
  });
});
