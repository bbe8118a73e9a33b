import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareNatural } from '../../src/domain/natural-order.ts';
import { runAtOnce } from '../../src/domain/sliced-task.ts';
import type { CellValue } from '../../src/table/column.ts';
import { sortOrder } from '../../src/table/sort-order.ts';

const cell: fc.Arbitrary<CellValue> = fc.oneof(
  fc.constant(undefined),
  fc.stringMatching(/^(sensor|Gate)?-?[0-9]{0,12}[a-c]?$/),
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.stringMatching(/^[aA]{0,40}[0-9]{0,40}$/),
);
const numericCell: fc.Arbitrary<CellValue> = fc.oneof(fc.constant(undefined), fc.double(), fc.integer(), fc.boolean());

function compareCells(a: CellValue, b: CellValue, hasText: boolean): number {
  return hasText ? compareNatural(String(a), String(b)) : Number(a) - Number(b);
}

const isUnknown = (value: CellValue): boolean => value === undefined || Number.isNaN(value);

/** Whether two neighbours, given by their places in `values`, may follow each other. */
function isInOrder(
  values: readonly CellValue[],
  left: number,
  right: number,
  hasText: boolean,
  isDescending: boolean,
): boolean {
  const [a, b] = [values[left], values[right]];
  if (isUnknown(a) || isUnknown(b)) return !isUnknown(a) || (isUnknown(b) && left < right);
  // Infinity - Infinity is NaN, and equal.
  const compared = (compareCells(a, b, hasText) || 0) * (isDescending ? -1 : 1);
  return compared < 0 || (compared === 0 && left < right);
}

describe('sortOrder', () => {
  test.each([
    ['texts', cell],
    ['numbers', numericCell],
    ['both', fc.oneof(cell, numericCell)],
  ])('of %s returns a permutation, sorted and stable, with unknown last in both directions', (_, arbitrary) => {
    fc.assert(
      fc.property(fc.array(arbitrary, { maxLength: 60 }), fc.boolean(), (values, isDescending) => {
        const order = [...runAtOnce(sortOrder(values, isDescending))];
        expect(order.toSorted((a, b) => a - b)).toEqual(values.map((_, index) => index));
        const hasText = values.some((value) => typeof value === 'string');
        const wrong = order
          .slice(1)
          .filter((right, place) => !isInOrder(values, order[place] ?? 0, right, hasText, isDescending));
        expect(wrong).toEqual([]);
      }),
      { numRuns: 500 },
    );
  });

  test('sorts texts in natural order', () => {
    const ids = ['b', 'a10', 'A9', 'a010', 'a2', 'a', 'a-1', 'Ä', 'a100000000000', 'a99999999999'];
    const sorted = [...runAtOnce(sortOrder(ids, false))].map((index) => ids[index]);
    expect(sorted).toEqual(['a', 'a-1', 'a2', 'A9', 'a010', 'a10', 'a99999999999', 'a100000000000', 'b', 'Ä']);
  });

  test('sorts many texts with long common prefixes in natural order', () => {
    const ids = Array.from(
      { length: 3_000 },
      (_, index) => `${index % 2 === 0 ? 'x' : 'y'}${'-very-long-beginning'.repeat(3)}-${(index * 7_919) % 3_000}`,
    );
    const sorted = [...runAtOnce(sortOrder(ids, false))].map((index) => ids[index] ?? '');
    expect(sorted).toEqual(ids.toSorted(compareNatural));
  });
});

test('two interleaved sorts do not affect each other', () => {
  const texts = (letter: string) =>
    Array.from({ length: 9_000 }, (_, index) => `${letter}${(index * 7_919) % 9_000}-x`);
  // Its buffer is what the next sort takes.
  runAtOnce(sortOrder(texts('o'), false));
  const sorts = ['p', 'q'].map((letter) => ({ letter, values: texts(letter), task: sortOrder(texts(letter), false) }));
  const orders = new Map<string, Uint32Array>();
  while (orders.size < sorts.length) {
    for (const { letter, task } of sorts.filter((sort) => !orders.has(sort.letter))) {
      const step = task.next();
      if (step.done === true) orders.set(letter, step.value);
    }
  }
  for (const { letter, values } of sorts) {
    expect([...(orders.get(letter) ?? [])].map((index) => values[index])).toEqual(
      Array.from({ length: 9_000 }, (_, index) => `${letter}${index}-x`),
    );
  }
});

test('equal and unknown values keep the order of the ties, in both directions', () => {
  const values = [1, undefined, 2, 1, undefined, 2];
  const ties = Uint32Array.from([5, 4, 3, 2, 1, 0]);
  expect([...runAtOnce(sortOrder(values, false, ties))]).toEqual([3, 0, 5, 2, 4, 1]);
  expect([...runAtOnce(sortOrder(values, true, ties))]).toEqual([5, 2, 3, 0, 4, 1]);
});
