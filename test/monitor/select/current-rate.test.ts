import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { RatePoint } from '../../../src/monitor/history/metrics.ts';
import { selectCurrentRate, selectSpark } from '../../../src/monitor/select/rates.ts';

const every2s = (rates: readonly (number | undefined)[], startMs = 10_000): readonly RatePoint[] =>
  rates.map((perSecond, index) => ({ atMs: startMs + index * 2_000, perSecond }));

describe('selectSpark', () => {
  test('gives each point its own column if there are enough columns', () => {
    const { values, peak, spanSeconds } = selectSpark(every2s([1, 2, 3]), { width: 60, intervalSeconds: 2 });
    expect(values).toEqual([1, 2, 3]);
    expect(peak).toBe(3);
    expect(spanSeconds).toBe(120);
  });

  test('gives each point one column despite jitter', () => {
    fc.assert(fc.property(
      fc.array(fc.integer({ min: -700, max: 700 }), { minLength: 3, maxLength: 50 }), fc.integer({ min: 0, max: 5_000 }),
      (jitters, startMs) => {
        // The newest point is where the grid is anchored.
        const points = jitters.map((jitter, index) => ({ atMs: 10_000 + startMs + index * 2_000 + (index === jitters.length - 1 ? 0 : jitter), perSecond: index }));
        expect(selectSpark(points, { width: 60, intervalSeconds: 2 }).values).toEqual(jitters.map((_, index) => index));
      },
    ));
  });

  test('shows the highest rate of each column when one stands for several points', () => {
    const points = every2s(Array.from({ length: 60 }, (_, index) => (index === 31 ? 900 : 5)));
    const { values, peak } = selectSpark(points, { width: 6, intervalSeconds: 2 });
    expect(values).toHaveLength(6);
    expect(values.filter((value) => value === 900)).toHaveLength(1);
    expect(peak).toBe(900);
  });

  test('shows unwatched steps and steps without a rate as gaps', () => {
    const points = [...every2s([1, 2]), ...every2s([50, 3, undefined, 4], 32_000)];
    expect(selectSpark(points, { width: 60, intervalSeconds: 2 }).values).toEqual([1, 2, ...Array.from({ length: 10 }, () => undefined), 3, undefined, 4]);
  });

  test('draws a partly unknown column from its known part', () => {
    const points = every2s(Array.from({ length: 60 }, (_, index) => (index === 30 ? undefined : index === 31 ? 900 : 5)));
    const { values, peak } = selectSpark(points, { width: 6, intervalSeconds: 2 });
    expect(values).not.toContain(undefined);
    expect(values).toContain(900);
    expect(peak).toBe(900);
  });

  test('fills a step that was prolonged by a slow answer', () => {
    const points: readonly RatePoint[] = [{ atMs: 10_000, perSecond: 1 }, { atMs: 14_000, perSecond: 7 }];
    expect(selectSpark(points, { width: 60, intervalSeconds: 2 }).values).toEqual([1, 7, 7]);
  });

  test('moves left while no point arrives', () => {
    expect(selectSpark(every2s([1, 2]), { width: 60, intervalSeconds: 2, silentSeconds: 6 }).values).toEqual([1, 2, undefined, undefined, undefined]);
    expect(selectSpark(every2s([1, 2]), { width: 60, intervalSeconds: 2, silentSeconds: 3_600 })).toMatchObject({ values: [], peak: undefined });
  });

  test('ignores hidden points for the peak, and is empty without points', () => {
    const points = every2s([999, ...Array.from({ length: 80 }, () => 1)]);
    expect(selectSpark(points, { width: 60, intervalSeconds: 2 }).peak).toBe(1);
    expect(selectSpark([], { width: 60, intervalSeconds: 2 })).toEqual({ values: [], peak: undefined, spanSeconds: 120 });
    expect(selectSpark(points, { width: 0, intervalSeconds: 2 }).values).toEqual([]);
  });
});

describe('selectCurrentRate', () => {
  test('is the rate of the last step, unless it was not watched', () => {
    expect(selectCurrentRate(every2s([1, 2]), 2)).toBe(2);
    expect(selectCurrentRate([], 2)).toBeUndefined();
    expect(selectCurrentRate([{ atMs: 0, perSecond: 1 }, { atMs: 60_000, perSecond: 9 }], 2)).toBeUndefined();
  });
});
