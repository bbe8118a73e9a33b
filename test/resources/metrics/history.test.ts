import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { type MetricName, metricNames, type Metrics } from '../../../src/domain/metrics.ts';
import {
  averageSteps,
  clusterSteps,
  createHistory,
  rateBetween,
  rateOver,
  type RateStep,
  sourceSteps,
  thinningTiers,
  thinSamples,
} from '../../../src/resources/metrics/history.ts';
import { selectAverageSeries, selectRateSeries } from '../../../src/resources/metrics/rates.ts';
import { byNode } from '../../monitor/fake-api.ts';
import { clusterTotal, type MetricHistory, type MetricSample } from '../../../src/resources/metrics/resource.ts';
import { readingsOf } from '../../support/readings.ts';

const sent = (count: number | undefined): Metrics => (count === undefined ? {} : { 'messages.sent': count });
const received = (bytes: number): Metrics => ({ 'bytes.received': bytes });
const ratesOver = (steps: readonly RateStep[]): (number | undefined)[] =>
  steps.map((step) => rateOver(step, 'messages.sent').perSecond);
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
  test('is growth over the elapsed time', () => {
    expect(rateBetween({ atMs: 1_000, metrics: sent(10) }, { atMs: 3_500, metrics: sent(35) }, 'messages.sent')).toBe(
      10,
    );
  });

  test.each([
    ['a counter that went backwards', sent(10), sent(9), 1_000],
    ['a missing figure before', sent(undefined), sent(9), 1_000],
    ['a missing figure after', sent(1), sent(undefined), 1_000],
    ['no time passed', sent(1), sent(2), 0],
  ])('is unknown with %s', (_, before, after, elapsedMs) => {
    expect(
      rateBetween({ atMs: 0, metrics: before }, { atMs: elapsedMs, metrics: after }, 'messages.sent'),
    ).toBeUndefined();
  });

  test('is unknown for a gauge', () => {
    const retained = (count: number): Metrics => ({ 'messages.retained': count });
    expect(
      rateBetween({ atMs: 0, metrics: retained(1) }, { atMs: 1_000, metrics: retained(5) }, 'messages.retained'),
    ).toBeUndefined();
  });

  test('is never negative, whatever the counters do', () => {
    const answer = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.option(fc.nat(), { nil: undefined }));
    fc.assert(
      fc.property(
        fc.array(fc.oneof(answer, fc.nat()), { maxLength: 20 }),
        fc.array(fc.integer({ min: -5, max: 5_000 })),
        (answers, steps) => {
          const recorder = createHistory();
          let history: MetricHistory = new Map();
          let atMs = 0;
          answers.forEach((counts, index) => {
            atMs += steps[index] ?? 1_000;
            history =
              typeof counts === 'number'
                ? recorder.recordCluster({ kind: 'total', total: sent(counts) }, atMs)
                : recorder.recordCluster(
                    byNode(Object.fromEntries(Object.entries(counts).map(([node, count]) => [node, sent(count)]))),
                    atMs,
                  );
          });
          const rates = [clusterSteps(history), ...[...history.values()].map(sourceSteps)].flatMap(ratesOver);
          const wrong = rates.filter((rate) => rate !== undefined && !(rate >= 0));
          expect(wrong).toEqual([]);
        },
      ),
    );
  });
});

describe('the rate of the cluster', () => {
  test('is the sum of the rates of its nodes', () => {
    expect(perSecond(record({ a: 0, b: 100 }, { a: 10, b: 105 }, { a: 30, b: 105 }))).toEqual([15, 20]);
  });

  test('is unknown for the one step in which a node restarted', () => {
    expect(perSecond(record({ a: 0, b: 1_000 }, { a: 10, b: 3 }, { a: 20, b: 8 }))).toEqual([undefined, 15]);
  });

  test('is unknown while one node lacks the counter', () => {
    expect(perSecond(record({ a: 0, b: 0 }, { a: 10, b: undefined }, { a: 20, b: 5 }, { a: 30, b: 10 }))).toEqual([
      undefined,
      undefined,
      15,
    ]);
  });

  test('does not jump when a node appears, disappears and comes back with larger counters', () => {
    const history = record(
      { a: 0 },
      { a: 10, b: 1_000_000 },
      { a: 20, b: 1_000_005 },
      { a: 30 },
      { a: 40, b: 9_000_000 },
      { a: 50, b: 9_000_001 },
    );
    expect(perSecond(history)).toEqual([undefined, 15, 10, undefined, 11]);
  });

  test('excludes samples read for one node only', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: sent(0), b: sent(0) }), 0);
    recorder.recordNode('a', sent(4), 500);
    const history = recorder.recordCluster(byNode({ a: sent(10), b: sent(10) }), 1_000);
    expect(perSecond(history)).toEqual([20]);
    expect(ratesOver(sourceSteps(history.get('a') ?? []))).toEqual([8, 12]);
  });

  test("comes from the broker's total if there is one, and breaks when its nodes change", () => {
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
  test('treats one falling counter as a restart of all', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: { ...sent(10), ...received(500) } }), 0);
    const history = recorder.recordCluster(byNode({ a: { ...sent(90), ...received(20) } }), 1_000);
    expect(perSecond(history)).toEqual([undefined]);
  });

  test('does not treat fewer retained messages as a restart', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ a: { ...sent(10), 'messages.retained': 9 } }), 0);
    const history = recorder.recordCluster(byNode({ a: { ...sent(20), 'messages.retained': 3 } }), 1_000);
    expect(perSecond(history)).toEqual([10]);
  });

  test('holds at most 600 samples and ten minutes, and removes nodes that are gone', () => {
    const recorder = createHistory();
    recorder.recordCluster(byNode({ gone: sent(1), a: sent(1) }), 0);
    let history: MetricHistory = new Map();
    for (let index = 1; index <= 700; index += 1)
      history = recorder.recordCluster(byNode({ a: sent(index) }), index * 500);
    expect(history.get('a')).toHaveLength(600);
    for (let index = 1; index <= 100; index += 1)
      history = recorder.recordCluster(byNode({ a: sent(1_000 + index) }), 400_000 + index * 10_000);
    expect(history.get('a')).toHaveLength(60);
    expect(history.has('gone')).toBe(false);
    expect(history.has(clusterTotal)).toBe(false);
  });

  test('does not change published arrays', () => {
    const recorder = createHistory();
    const first = recorder.recordNode('a', sent(1), 0);
    recorder.recordNode('a', sent(2), 1_000);
    recorder.breakTotal();
    expect(first.get('a')).toHaveLength(1);
  });

  test('removes the first step of a series with its sample', () => {
    const recorder = createHistory();
    let history: MetricHistory = new Map();
    for (let index = 0; index < 605; index += 1) {
      history = recorder.recordCluster({ kind: 'total', total: sent(index ** 2) }, index * 1_000);
      selectRateSeries(readingsOf({ metricHistory: history }), 'messages.sent');
    }
    const series = selectRateSeries(readingsOf({ metricHistory: history }), 'messages.sent');
    expect([series.length, series[0], series.at(-1)]).toEqual([
      599,
      { atMs: 6_000, perSecond: 11 },
      { atMs: 604_000, perSecond: 1_207 },
    ]);
    expect(series.map(({ atMs }) => atMs)).toEqual(Array.from({ length: 599 }, (_, index) => 1_000 * (index + 6)));
  });

  test('extends its series from answer to answer, with the same result as a new computation', () => {
    const nodes = fc.dictionary(fc.constantFrom('a', 'b', 'c'), fc.nat(9));
    const event = fc.record({
      kind: fc.constantFrom('nodes', 'nodes', 'nodes', 'total', 'alone', 'break', 'breakAll'),
      counts: nodes,
      elapsedMs: fc.constantFrom(0, 1_000, 1_000, 1_000, 250_000),
      isAsked: fc.boolean(),
    });
    fc.assert(
      fc.property(fc.array(event, { maxLength: 40 }), (events) => {
        const recorder = createHistory();
        let history: MetricHistory = new Map();
        let [atMs, grown] = [0, 0];
        for (const { kind, counts, elapsedMs, isAsked } of events) {
          atMs += elapsedMs;
          grown += 10;
          if (kind === 'nodes')
            history = recorder.recordCluster(
              byNode(Object.fromEntries(Object.entries(counts).map(([node, count]) => [node, sent(grown + count)]))),
              atMs,
            );
          if (kind === 'total')
            history = recorder.recordCluster({ kind, total: sent(grown + (counts['a'] ?? 0)) }, atMs);
          if (kind === 'alone') history = recorder.recordNode('a', sent(grown + (counts['a'] ?? 0)), atMs);
          if (kind === 'break') history = recorder.breakTotal();
          if (kind === 'breakAll') recorder.breakAll();
          if (!isAsked) continue;
          // Of copies nothing is known.
          const anew: MetricHistory = new Map(
            [...history].map(([source, samples]) => [source, samples.map((sample) => ({ ...sample }))]),
          );
          for (const node of [undefined, 'a', 'b', 'c']) {
            const steps = node === undefined ? clusterSteps(anew) : sourceSteps(anew.get(node) ?? []);
            expect(selectRateSeries(readingsOf({ metricHistory: history }), 'messages.sent', node)).toEqual(
              steps.map((step) => rateOver(step, 'messages.sent')),
            );
          }
        }
      }),
    );
  });
});

describe('the past', () => {
  const hourMs = 3_600_000;
  const windowMs = 24 * hourMs;

  /** One total every `stepSeconds`; `counter` by step. */
  function recordTotals(hours: number, counter: (step: number) => number, stepSeconds = 2) {
    const recorder = createHistory();
    let recent: MetricHistory = new Map();
    const stepMs = stepSeconds * 1_000;
    for (let step = 0; step * stepMs <= hours * hourMs; step += 1)
      recent = recorder.recordCluster({ kind: 'total', total: sent(counter(step)) }, step * stepMs);
    return { past: recorder.past(), recent };
  }

  test('has one sample of each step, and counters as they were read', () => {
    const { past, recent } = recordTotals(26, (step) => step * 3);
    const samples = [...(past.get(clusterTotal) ?? [])];
    const nowMs = 26 * hourMs;
    expect(samples.every(({ atMs, metrics }) => metrics['messages.sent'] === (atMs / 2_000) * 3)).toBe(true);
    const ages = samples.map(({ atMs }) => nowMs - atMs);
    expect(Math.max(...ages)).toBeLessThan(windowMs);
    expect(Math.min(...ages)).toBe(600_000);
    for (const [tier, { maxAgeMs, stepMs }] of thinningTiers.entries()) {
      const older = samples.filter(
        ({ atMs }) => nowMs - atMs < maxAgeMs && nowMs - atMs >= (thinningTiers[tier - 1]?.maxAgeMs ?? 0),
      );
      const buckets = older.map(({ atMs }) => Math.floor(atMs / stepMs));
      // The last sample of all is kept too.
      expect(buckets.length - new Set(buckets).size).toBeLessThanOrEqual(tier === 0 ? 1 : 0);
      expect(buckets.length).toBeGreaterThan(20);
    }
    expect(recent.get(clusterTotal)).toHaveLength(300);
  });

  test('has rates that agree with those of all samples, exactly over each step', () => {
    const counter = (step: number): number => step * 9 + Math.round(400 * (1 + Math.sin(step / 50)) + step / 7);
    const { past, recent } = recordTotals(3, counter);
    for (const stepMs of [10_000, 30_000, 300_000]) {
      const steps = averageSteps(past, recent, { stepMs, windowMs: 3 * hourMs });
      for (const step of steps.slice(0, -1)) {
        const [part] = step.parts;
        const from = part?.previous?.atMs ?? Number.NaN;
        expect(rateOver(step, 'messages.sent').perSecond).toBeCloseTo(
          ((counter(step.atMs / 2_000) - counter(from / 2_000)) * 1_000) / (step.atMs - from),
          6,
        );
      }
      expect(steps.at(-1)?.atMs).toBe(3 * hourMs);
      // No time is left out.
      expect(
        steps.every((step, index) => index === 0 || step.parts[0]?.previous?.atMs === steps[index - 1]?.atMs),
      ).toBe(true);
    }
  });

  test.each([1, 7, 20])('does not make a rate of a restart %i hours ago', (hours) => {
    const restart = ((24 - hours) * hourMs) / 10_000 + 2;
    const { past, recent } = recordTotals(
      24,
      (step) => (step < restart ? 1_000_000 + step * 10 : (step - restart) * 10 + 999_999),
      10,
    );
    const rates = averageSteps(past, recent, { stepMs: 300_000, windowMs }).map(
      (step) => rateOver(step, 'messages.sent').perSecond,
    );
    expect(rates.filter((rate) => rate !== undefined && Math.abs(rate - 1) > 1e-9)).toEqual([]);
    expect(rates.filter((rate) => rate === undefined)).toHaveLength(1);
  });

  test('keeps the mark of a restart that grew beyond the counter before it', () => {
    const samples = Array.from({ length: 60 }, (_, index): MetricSample => ({
      atMs: index * 1_000,
      metrics: sent(index * 100),
      ...(index === 13 ? { isAfterReset: true } : {}),
    }));
    const thinned = thinSamples(samples, 700_000);
    expect(thinned.map(({ atMs, isAfterReset }) => [atMs / 1_000, isAfterReset === true])).toEqual([
      [0, false],
      [10, false],
      [20, true],
      [30, false],
      [40, false],
      [50, false],
      [59, false],
    ]);
    expect(
      thinSamples(thinned, 2_000_000)
        .filter(({ isAfterReset }) => isAfterReset)
        .map(({ atMs }) => atMs),
    ).toEqual([30_000]);
  });

  test('sums nodes over the same times, and leaves out no part of a sum', () => {
    const recorder = createHistory();
    let recent: MetricHistory = new Map();
    // Node b is away from minute 30 to 40.
    for (let step = 0; step <= 3_600; step += 1) {
      const isAway = step > 900 && step < 1_200;
      recent = recorder.recordCluster(
        byNode({ a: sent(step * 4), ...(isAway ? {} : { b: sent(step * 6) }) }),
        step * 2_000,
      );
    }
    const metricPast = recorder.past();
    for (const stepMs of [10_000, 30_000, 300_000]) {
      const series = selectAverageSeries(readingsOf({ metricHistory: recent, metricPast }), 'messages.sent', {
        stepMs,
        windowMs: 2 * hourMs,
      });
      expect(
        series.filter(
          ({ perSecond }) =>
            ![undefined, 2, 5].some((rate) =>
              rate === undefined ? perSecond === undefined : Math.abs((perSecond ?? 0) - rate) < 1e-9,
            ),
        ),
      ).toEqual([]);
      // The begin, and the step in which the node returned.
      expect(series.filter(({ perSecond }) => perSecond === undefined)).toHaveLength(2);
      const alone = selectAverageSeries(readingsOf({ metricHistory: recent, metricPast }), 'messages.sent', {
        node: 'b',
        stepMs,
        windowMs: 2 * hourMs,
      });
      expect(new Set(alone.map(({ perSecond }) => perSecond))).toEqual(new Set([3, undefined]));
    }
  });

  test('is bounded: samples of a source, and sources that are gone', () => {
    const recorder = createHistory();
    for (let second = 0; second <= 26 * 3_600; second += 5) recorder.recordNode('a', sent(second), second * 1_000);
    expect(recorder.past().get('a')?.length).toBeLessThanOrEqual(410);
    const churn = createHistory();
    for (let pod = 0; pod < 500; pod += 1)
      churn.recordCluster(byNode({ [`pod-${pod}`]: sent(pod), steady: sent(pod) }), pod * 60_000);
    expect(churn.past().size).toBeLessThanOrEqual(33);
    expect(churn.past().has('steady')).toBe(true);
    // All are gone after a day.
    churn.recordCluster(byNode({ steady: sent(501) }), 500 * 60_000 + 25 * hourMs);
    churn.recordCluster(byNode({ steady: sent(502) }), 500 * 60_000 + 26 * hourMs);
    expect([...churn.past().keys()]).toEqual(['steady']);
  });

  test('has no rate across the time in which a source was not read', () => {
    const recorder = createHistory();
    recorder.recordNode('a', sent(10), 0);
    recorder.recordNode('b', sent(1), 700_000);
    const recent = recorder.recordNode('a', sent(5_000), 1_300_000);
    expect(
      averageSteps(recorder.past(), recent, { node: 'a', stepMs: 30_000, windowMs: hourMs }).map(
        (step) => rateOver(step, 'messages.sent').perSecond,
      ),
    ).toEqual([undefined]);
  });

  test('takes at most 18 MB for 16 nodes at one sample a second', () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc') as () => void;
    const nodes = Array.from({ length: 16 }, (_, index) => `broker${index}@10.0.0.${index}`);
    // Built name by name, as from an answer; numbers of more than 31 bits take the most.
    const metricsAt = (count: number): Metrics => {
      const metrics: Partial<Record<MetricName, number>> = {};
      for (const name of metricNames) metrics[name] = 3_000_000_000 + count;
      return metrics;
    };
    const recorder = createHistory();
    const recordUntil = (fromSecond: number, toSecond: number, stepSeconds: number): void => {
      for (let second = fromSecond; second <= toSecond; second += stepSeconds)
        recorder.recordCluster(
          byNode(Object.fromEntries(nodes.map((node) => [node, metricsAt(second)]))),
          second * 1_000,
        );
    };
    collect();
    const before = process.memoryUsage().heapUsed;
    // Coarser where it would be thinned anyway.
    recordUntil(0, 23 * 3_600, 300);
    recordUntil(23 * 3_600 + 30, 24 * 3_600 - 900, 30);
    recordUntil(24 * 3_600 - 890, 24 * 3_600 - 600, 10);
    recordUntil(24 * 3_600 - 599, 24 * 3_600, 1);
    collect();
    const bytes = process.memoryUsage().heapUsed - before;
    const samples = nodes.length * ((recorder.past().get(nodes[0] ?? '')?.length ?? 0) + 600);
    expect(samples).toBeGreaterThan(16 * 900);
    expect(bytes).toBeLessThan(18_000_000);
  });
});
