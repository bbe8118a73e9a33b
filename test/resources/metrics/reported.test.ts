import { describe, expect, test } from 'vitest';
import type { RatePoint } from '../../../src/resources/metrics/history.ts';
import { selectRateWindow } from '../../../src/resources/metrics/rate-window.ts';
import { reportedUntil, selectRateSeries, withReported } from '../../../src/resources/metrics/rates.ts';
import type { MetricSample, ReportedSample } from '../../../src/resources/metrics/resource.ts';
import { readingsOf } from '../../support/readings.ts';

/** Samples of the broker at 10, 20 and so on, the last of them after the monitor began. */
const reportedLoad: readonly ReportedSample[] = [10, 20, 30, 40, 50].map((seconds) => ({
  atMs: seconds * 1_000,
  rates: seconds === 10 ? {} : { 'messages.received': seconds },
}));
const measured: readonly MetricSample[] = [44, 46, 48].map((seconds, index) => ({
  atMs: seconds * 1_000,
  metrics: { 'messages.received': index * 20, 'bytes.received': index },
  from: 'cluster',
}));
const state = readingsOf({ reportedLoad, metricHistory: new Map([['a', measured]]) });
const graph = (name: 'messages.received' | 'bytes.received'): readonly RatePoint[] =>
  withReported(state, name, selectRateSeries(state, name));

describe('what the broker recorded before', () => {
  test('stands before the measured rates, with the time between the two unknown', () => {
    expect(
      graph('messages.received').map(({ atMs, perSecond, isReported }) => [atMs / 1_000, perSecond, isReported]),
    ).toEqual([
      [10, undefined, true],
      [20, 20, true],
      [30, 30, true],
      [40, 40, true],
      [44, undefined, undefined],
      [46, 10, undefined],
      [48, 10, undefined],
    ]);
  });

  test('is drawn although its steps are longer than those that are measured', () => {
    const { values, peak } = selectRateWindow(graph('messages.received'), {
      count: 60,
      perCell: 1,
      maxSeconds: 60,
      sinceMs: -20_000,
      nowMs: 48_000,
      maxStepMs: 6_000,
    });
    expect(peak).toBe(40);
    // One bucket is a second, the last one the present.
    const valueAt = (seconds: number): number | undefined => values[seconds + 11];
    expect([15, 20, 35, 42, 47].map(valueAt)).toEqual([20, 20, 35, undefined, 10]);
  });

  test('leaves a counter alone that the broker does not keep, and the rates that checks judge', () => {
    expect(graph('bytes.received')).toEqual(selectRateSeries(state, 'bytes.received'));
    expect(selectRateSeries(state, 'messages.received')).toHaveLength(2);
  });

  test('is named as long as the graph shows it', () => {
    expect(reportedUntil(graph('messages.received'), 30, 48_000)).toBe(8);
    expect(reportedUntil(graph('messages.received'), 7, 48_000)).toBeUndefined();
    expect(reportedUntil(graph('bytes.received'), 30, 48_000)).toBeUndefined();
  });
});
