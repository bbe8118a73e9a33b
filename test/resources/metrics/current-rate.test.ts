import { describe, expect, test } from 'vitest';
import type { RatePoint } from '../../../src/resources/metrics/history.ts';
import { selectCurrentRate } from '../../../src/resources/metrics/rates.ts';

const every2s = (rates: readonly (number | undefined)[], startMs = 10_000): readonly RatePoint[] =>
  rates.map((perSecond, index) => ({ atMs: startMs + index * 2_000, perSecond }));

describe('selectCurrentRate', () => {
  test('is the rate of the last step, unless it was not watched', () => {
    expect(selectCurrentRate(every2s([1, 2]), 2)).toBe(2);
    expect(selectCurrentRate([], 2)).toBeUndefined();
    expect(
      selectCurrentRate(
        [
          { atMs: 0, perSecond: 1 },
          { atMs: 60_000, perSecond: 9 },
        ],
        2,
      ),
    ).toBeUndefined();
  });
});
