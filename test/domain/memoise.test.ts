import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { createRowFinder } from '../../src/domain/memoise.ts';

interface Row {
  readonly id: number;
}

const idOf = ({ id }: Row): number => id;

test('finds each row whatever was added, removed, moved or recreated', () => {
  const ids = fc.uniqueArray(fc.nat(60), { maxLength: 60 });
  fc.assert(
    fc.property(ids, ids, fc.boolean(), fc.boolean(), (before, after, isInOrder, isRecreated) => {
      const known = (isInOrder ? before.toSorted((a, b) => a - b) : before).map((id): Row => ({ id }));
      const wanted = (isInOrder ? after.toSorted((a, b) => a - b) : after).map(
        (id) => (isRecreated ? undefined : known.find((row) => row.id === id)) ?? { id },
      );
      const find = createRowFinder(known, idOf);
      expect(wanted.map(find)).toEqual(
        wanted.map(({ id }) => {
          const index = known.findIndex((row) => row.id === id);
          return index === -1 ? undefined : index;
        }),
      );
    }),
    { numRuns: 1000 },
  );
});

test('reads no keys of identical rows, and does not index the list for a few rows removed or added', () => {
  let keysRead = 0;
  const known = Array.from({ length: 1_000 }, (_, id): Row => ({ id }));
  const count = (row: Row): number => {
    keysRead += 1;
    return row.id;
  };
  const findSame = createRowFinder(known, count);
  expect(known.map(findSame)).toEqual(known.map(idOf));
  expect(keysRead).toBe(0);
  const findChanged = createRowFinder(known, count);
  const rows = [...known.filter(({ id }) => id !== 500), { id: 1_000 }];
  expect(rows.map(findChanged)).toEqual(rows.map(({ id }) => (id === 1_000 ? undefined : id)));
  expect(keysRead).toBeLessThan(10);
});
