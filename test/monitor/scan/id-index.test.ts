import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createIdIndex } from '../../../src/monitor/scan/id-index.ts';

/** Few different ones, so that they come again; with half of a surrogate pair, which is a text like any other. */
const id = fc.string({ unit: fc.constantFrom('a', 'b', 'é', '😀', '\uD83D', '\u0000'), maxLength: 3 });
const step = fc.oneof(
  { weight: 8, arbitrary: fc.record({ kind: fc.constant('put' as const), id }) },
  fc.record({ kind: fc.constant('look' as const), id }),
  fc.record({ kind: fc.constant('keep' as const), modulo: fc.integer({ min: 1, max: 4 }) }),
);

test('gives every id one place, whatever comes and goes', () => {
  fc.assert(fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
    const index = createIdIndex();
    let known: string[] = [];
    const answers = steps.map((taken): readonly unknown[] => {
      if (taken.kind === 'keep') {
        const isKept = (place: number): boolean => place % taken.modulo !== 0;
        index.keepWhere(isKept);
        known = known.filter((_, place) => isKept(place));
        return [];
      }
      const place = known.indexOf(taken.id);
      if (taken.kind === 'look') return [index.placeOf(taken.id), place === -1 ? undefined : place];
      if (place === -1) known.push(taken.id);
      return [index.put(taken.id), known.indexOf(taken.id)];
    });
    expect(answers.map(([given]) => given)).toEqual(answers.map(([, expected]) => expected));
  }), { numRuns: 500 });
});

test('grows, finds what comes in the same order and in another, and shrinks', () => {
  const ids = Array.from({ length: 20_000 }, (_, place) => `client-${place}`);
  const index = createIdIndex();
  expect(ids.map((each) => index.put(each))).toEqual([...ids.keys()]);
  expect(ids.map((each) => index.put(each))).toEqual([...ids.keys()]);
  expect(ids.toReversed().map((each) => index.put(each))).toEqual([...ids.keys()].toReversed());
  index.keepWhere((place) => place >= 19_990);
  expect(ids.map((each) => index.placeOf(each)).filter((place) => place !== undefined)).toEqual([0, 1, 2, 3, 4, 5, 6, 7, 8, 9]);
  expect(index.put('client-0')).toBe(10);
});
