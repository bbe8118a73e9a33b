import { describe, expect, test } from 'vitest';
import { selectRateWindow } from '../../../src/resources/metrics/rate-window.ts';

const options = { count: 10, perCell: 2, maxSeconds: 180, maxStepMs: 10_000 };
const every2s = (from: number, rates: readonly (number | undefined)[]) =>
  rates.map((perSecond, index) => ({ atMs: (from + 2 * index) * 1_000, perSecond }));

describe('a window of rates', () => {
  test('stretches a young history over the shortest window that holds it', () => {
    const at = (ageSeconds: number): number =>
      selectRateWindow(
        [
          { atMs: 0, perSecond: undefined },
          { atMs: 1_000, perSecond: 1 },
        ],
        { ...options, nowMs: ageSeconds * 1_000 },
      ).seconds;
    expect([0, 15, 16, 55, 100, 151, 4_000].map(at)).toEqual([3, 15, 18, 57, 108, 156, 180]);
  });

  test('leaves little of the width of a young history blank', () => {
    for (let age = 2; age < 86_000; age = Math.ceil(age * 1.01)) {
      expect(
        selectRateWindow([{ atMs: 0, perSecond: 1 }], { ...options, maxSeconds: 86_400, nowMs: age * 1_000 }).seconds,
      ).toBeLessThanOrEqual(age * (age < 900 ? 1.13 : 1.26) + 3);
    }
  });

  test('shows in each bucket the highest rate of its time', () => {
    const points = every2s(1_000, [0, 5, 1, 1, 1, 1, 1, 90, 1, 1, 1, 1, 1, 1, 1, 1]);
    const { values, peak, seconds } = selectRateWindow(points, { ...options, nowMs: 1_030_000 });
    expect(seconds).toBe(30);
    expect(values).toHaveLength(10);
    expect(values.filter((value) => value === 90)).toHaveLength(1);
    expect(peak).toBe(90);
  });

  test('moves by whole cells: between two moves only the last cell changes', () => {
    const points = every2s(
      0,
      Array.from({ length: 200 }, (_, index) => index),
    );
    const shown = (nowSeconds: number) =>
      selectRateWindow(
        points.filter(({ atMs }) => atMs <= nowSeconds * 1_000),
        { ...options, nowMs: nowSeconds * 1_000 },
      ).values;
    // 10 buckets of 18 s: a cell is 36 s.
    expect(shown(330).slice(0, -2)).toEqual(shown(350).slice(0, -2));
    expect(shown(362).slice(0, -4)).toEqual(shown(350).slice(2, -2));
  });

  test('knows nothing of a restart, a pause or the time before the first rate', () => {
    const points = [...every2s(600, [0, 4, 4, undefined, 4]), { atMs: 700_000, perSecond: 7 }];
    const { values, peak } = selectRateWindow(points, { ...options, count: 90, nowMs: 700_000 });
    expect(values.filter((value) => value !== undefined).every((value) => value === 4)).toBe(true);
    expect(values.slice(0, 3).every((value) => value === undefined)).toBe(true);
    expect(peak).toBe(4);
    expect(selectRateWindow([], { ...options, nowMs: 5_000 })).toMatchObject({ peak: undefined, seconds: 3 });
  });

  test('fills the buckets between two readings where a bucket is shorter than the interval', () => {
    const { values } = selectRateWindow(every2s(0, [0, 3, 3, 3, 3, 3]), { ...options, count: 60, nowMs: 10_000 });
    const known = values.map((value, index) => (value === undefined ? -1 : index)).filter((index) => index >= 0);
    expect(known.length).toBe((known.at(-1) ?? 0) - (known[0] ?? 0) + 1);
  });

  test('joins readings by straight lines, but none that leads to 0 or from it', () => {
    const shown = (rates: readonly number[]) =>
      selectRateWindow(every2s(0, [1, ...rates]), { ...options, count: 45, nowMs: 8_000 }).values.filter(
        (value) => value !== undefined,
      );
    const rising = shown([10, 20, 40]).filter((value) => value > 10);
    expect(rising).toEqual(rising.toSorted((a, b) => a - b));
    expect(new Set(rising).size).toBeGreaterThan(15);
    expect(Math.max(...rising)).toBe(40);
    expect(new Set(shown([10, 0, 40]))).toEqual(
      new Set([...shown([10, 10, 10]).filter((value) => value <= 10), 0, 40]),
    );
  });

  test('has the same peak however many buckets there are', () => {
    const points = every2s(
      0,
      Array.from({ length: 90 }, (_, index) => (index === 1 ? 900 : index % 7)),
    );
    const peaks = [1, 7, 14, 60, 150].map(
      (count) => selectRateWindow(points, { ...options, count, perCell: 1, nowMs: 179_500 }).peak,
    );
    expect(new Set(peaks)).toEqual(new Set([900]));
    const later = selectRateWindow(points, { ...options, count: 400, nowMs: 182_500 });
    expect(later.peak).toBe(6);
    // Nor does the line from the rate before the window rise above it.
    expect(Math.max(...later.values.map((value) => value ?? 0))).toBe(6);
    const fromFirst = selectRateWindow(
      [
        { atMs: 0, perSecond: 900 },
        { atMs: 2_000, perSecond: 6 },
      ],
      { ...options, count: 400, nowMs: 2_000 },
    );
    expect(Math.max(...fromFirst.values.map((value) => value ?? 0))).toBe(6);
  });

  test('knows a current value after a pause, and from the first reading on', () => {
    const points = [
      { atMs: 1_000, perSecond: 5 },
      { atMs: 3_000, perSecond: 5 },
      { atMs: 60_000, perSecond: 9 },
    ];
    const gauge = { ...options, count: 60, isGauge: true };
    expect(selectRateWindow(points.slice(0, 1), { ...gauge, nowMs: 1_000 }).peak).toBe(5);
    const { values, peak } = selectRateWindow(points, { ...gauge, nowMs: 60_000 });
    expect(peak).toBe(9);
    expect(values.filter((value) => value === 9)).toHaveLength(1);
  });

  test('leaves the cell of a gap blank, however short it is', () => {
    const points = every2s(0, [4, 4, 4, 4, 4, 4]);
    const shown = (isGap: boolean) =>
      selectRateWindow(
        points.map((point, index) => (index === 3 ? { ...point, isGap } : point)),
        { ...options, count: 24, nowMs: 10_000 },
      ).values;
    const [whole, gap] = [shown(false), shown(true)];
    expect(
      gap.filter((value) => value === undefined).length - whole.filter((value) => value === undefined).length,
    ).toBeGreaterThanOrEqual(2);
    expect(gap.at(-3)).toBe(4);
  });
});
