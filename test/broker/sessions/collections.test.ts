import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Fifo } from '../../../src/broker/sessions/message-queue.ts';
import { SortedIndex } from '../../../src/broker/sessions/paging.ts';

describe('SortedIndex', () => {
  it('reads like a sorted map after any changes, with reads in between', () => {
    const step = fc.record({
      key: fc.string({ maxLength: 2 }),
      action: fc.constantFrom('set', 'delete', 'slice', 'inOrder'),
      start: fc.nat(6),
      count: fc.nat(6),
    });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const index = new SortedIndex<number>();
        const model = new Map<string, number>();
        for (const [value, { key, action, start, count }] of steps.entries()) {
          const keys = [...model.keys()].toSorted();
          const values = keys.map((each) => model.get(each));
          const outcomes = {
            set: () => [index.set(key, value), (model.set(key, value), undefined)],
            delete: () => [index.delete(key), model.delete(key)],
            slice: () => [index.slice(start, count), values.slice(start, start + count)],
            inOrder: () => [[...index.inOrder()], values],
          }[action]();
          expect(outcomes[0]).toEqual(outcomes[1]);
          expect(index.size).toBe(model.size);
          expect(index.get(key)).toBe(model.get(key));
        }
      }),
    );
  });
});

it('a SortedIndex is correct after many changes without reads', () => {
  const index = new SortedIndex<number>();
  for (let value = 0; value < 5000; value += 1) {
    index.set(`stays ${value % 3}`, value);
    index.set(`passes ${value}`, value);
    index.delete(`passes ${value}`);
  }
  expect([...index.inOrder()]).toEqual([4998, 4999, 4997]);
});

it('a SortedIndex is correct after thousands of additions and deletions in any order', () => {
  const index = new SortedIndex<number>();
  const model = new Map<string, number>();
  const inOrder = (): unknown[] => [...model.keys()].toSorted().map((each) => model.get(each));
  const reads: [unknown, unknown][] = [];
  for (let step = 0; step < 20_000; step += 1) {
    const key = `key ${(step * 7919) % 10_007}`;
    if (step % 5 === 4) {
      const gone = `key ${((step - 700) * 7919) % 10_007}`;
      index.delete(gone);
      model.delete(gone);
    } else {
      index.set(key, step);
      model.set(key, step);
    }
    if (step % 6000 === 5999) reads.push([index.slice(100, 50), inOrder().slice(100, 150)]);
  }
  reads.push([[...index.inOrder()], inOrder()]);
  for (const [read, expected] of reads) expect(read).toEqual(expected);
});

describe('Fifo', () => {
  it('returns items in order at any length', () => {
    fc.assert(
      fc.property(fc.array(fc.oneof(fc.constant('shift'), fc.nat(200))), (steps) => {
        const fifo = new Fifo<number>();
        const model: number[] = [];
        let next = 0;
        let same = true;
        for (const step of steps) {
          if (typeof step === 'number') {
            for (let count = 0; count < step; count += 1, next += 1) {
              fifo.push(next);
              model.push(next);
            }
          } else {
            const shifted = Array.from({ length: 150 }, () => [fifo.shift(), model.shift()]);
            same &&= shifted.every(([mine, right]) => mine === right);
          }
          expect(fifo.length).toBe(model.length);
        }
        expect(same).toBe(true);
      }),
    );
  });
});
