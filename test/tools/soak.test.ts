import { expect, test } from 'vitest';
import { afterWarmUp, slopePerHour } from '../../.tools/soak/slope.ts';

const points = (values: readonly number[]) => values.map((value, index) => ({ hours: index / 60, value }));

test('growth an hour is that of the straight line through what was measured', () => {
  expect(slopePerHour(points([10, 11, 12, 13]))).toBeCloseTo(60);
  expect(slopePerHour(points([10, 12, 10, 12, 10]))).toBeCloseTo(0);
  expect(slopePerHour(points([5]))).toBe(0);
  expect(slopePerHour([])).toBe(0);
});

test('the first quarter, in which a program reaches its size, does not count', () => {
  expect(slopePerHour(afterWarmUp(points([0, 50, 100, 100, 100, 100, 100, 100])))).toBe(0);
});
