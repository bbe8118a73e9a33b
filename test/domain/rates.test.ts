import { expect, it } from 'vitest';
import { averageRate, countsBetween, lastUnknownMs, type RateAt } from '../../src/domain/rates.ts';

const every10s = (...rates: readonly (number | undefined)[]): readonly RateAt[] =>
  rates.map((perSecond, index) => ({ atMs: index * 10_000, perSecond }));

it('averages the last 30 seconds by the time of each step', () => {
  expect(averageRate(every10s(0, 900, 1, 2, 3))).toEqual({ perSecond: 2, seconds: 30 });
  expect(
    averageRate([
      { atMs: 0, perSecond: 0 },
      { atMs: 10_000, perSecond: 4 },
      { atMs: 30_000, perSecond: 1 },
    ]),
  ).toEqual({ perSecond: 2, seconds: 30 });
});

it('leaves unknown steps out, and knows no average of less than 5 seconds', () => {
  expect(averageRate(every10s(0, 4, undefined, 6))).toEqual({ perSecond: 5, seconds: 20 });
  expect(
    averageRate([
      { atMs: 0, perSecond: 0 },
      { atMs: 4_000, perSecond: 9 },
    ]),
  ).toBeUndefined();
  expect(averageRate([])).toBeUndefined();
});

it('counts the steps of a time, unless one is unknown', () => {
  expect(countsBetween(every10s(0, 1, 2, 3), 10_000, 30_000)).toEqual([20, 30]);
  expect(countsBetween(every10s(0, 1, undefined, 3), 0, 30_000)).toBeUndefined();
});

it('finds when a rate was last unknown', () => {
  expect(lastUnknownMs(every10s(undefined, 1, undefined, 3))).toBe(20_000);
  expect(lastUnknownMs(every10s(1, 2))).toBe(Number.NEGATIVE_INFINITY);
});
