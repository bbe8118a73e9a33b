import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowFinder } from '../../src/domain/row-finder.ts';

interface Row { readonly id: number }

const idOf = ({ id }: Row): number => id;

test('finds each row at its place whatever was put in, taken out, moved or read anew', () => {
  const ids = fc.uniqueArray(fc.nat(60), { maxLength: 60 });
  fc.assert(
    fc.property(ids, ids, fc.boolean(), fc.boolean(), (before, after, isInOrder, isReadAnew) => {
      const known = (isInOrder ? before.toSorted((a, b) => a - b) : before).map((id): Row => ({ id }));
      const asked = (isInOrder ? after.toSorted((a, b) => a - b) : after).map((id) => (isReadAnew ? undefined : known.find((row) => row.id === id)) ?? { id });
      const find = createRowFinder(known, idOf);
      expect(asked.map(find)).toEqual(asked.map(({ id }) => {
        const place = known.findIndex((row) => row.id === id);
        return place === -1 ? undefined : place;
      }));
    }),
    { numRuns: 1000 },
  );
});

test('asks nothing of rows that are the same objects, and does not index a list for rows that left and came', () => {
  let asked = 0;
  const known = Array.from({ length: 1_000 }, (_, id): Row => ({ id }));
  const count = (row: Row): number => {
    asked += 1;
    return row.id;
  };
  const same = createRowFinder(known, count);
  expect(known.map(same)).toEqual(known.map(idOf));
  expect(asked).toBe(0);
  const others = createRowFinder(known, count);
  const rows = [...known.filter(({ id }) => id !== 500), { id: 1_000 }];
  expect(rows.map(others)).toEqual(rows.map(({ id }) => (id === 1_000 ? undefined : id)));
  expect(asked).toBeLessThan(10);
});
