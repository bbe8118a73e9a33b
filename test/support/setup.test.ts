import fc from 'fast-check';
import { expect, test } from 'vitest';
import { seed } from './seed.ts';

test('property tests try the same cases in every run', () => {
  const tried: number[][] = [[], []];
  for (const cases of tried)
    fc.assert(
      fc.property(fc.integer(), (value) => {
        cases.push(value);
      }),
    );
  expect(tried[0]).toHaveLength(100);
  expect(tried[1]).toEqual(tried[0]);
  expect(fc.sample(fc.integer(), 9)).toEqual(fc.sample(fc.integer(), 9));
});

test('a failure says the seed to repeat it', () => {
  expect(() => {
    fc.assert(fc.property(fc.integer(), (value) => value < 5));
  }).toThrow(`seed: ${seed},`);
});
