import { expect, test } from 'vitest';
import { runAtOnce } from '../../src/domain/sliced-task.ts';
import type { TableColumn } from '../../src/table/column.ts';
import { createHeldOrder } from '../../src/table/sort-order.ts';

interface Row {
  readonly id: string;
  readonly queue: number | undefined;
}

const queue: TableColumn<Row> = { id: 'queue', value: (row) => row.queue };
const name: TableColumn<Row> = { id: 'name', value: (row) => row.id };
const rowsOf = (queues: Readonly<Record<string, number | undefined>>): readonly Row[] =>
  Object.entries(queues).map(([id, value]) => ({ id, queue: value }));

const setUp = () => {
  let isHeld = true;
  const orderRows = createHeldOrder<Row>({ getId: ({ id }) => id, isHeld: () => isHeld });
  const order = (...args: Parameters<typeof orderRows>): Uint32Array => runAtOnce(orderRows(...args));
  return {
    release: () => {
      isHeld = false;
    },
    /** Ids, largest queue first by default. */
    ids: (rows: readonly Row[], column = queue, isDescending = true) =>
      [...order(rows, column, isDescending)].map((index) => rows[index]?.id).join(''),
    order,
  };
};

test('rows are sorted by their current values at every refresh, and keep their places while held', () => {
  const { release, ids } = setUp();
  expect(ids(rowsOf({ a: 1, b: 3, c: 2 }))).toBe('bca');
  expect(ids(rowsOf({ a: 9, b: 0, c: 2 }))).toBe('bca');
  release();
  expect(ids(rowsOf({ a: 9, b: 0, c: 5 }))).toBe('acb');
  expect(ids(rowsOf({ a: 1, b: 3, c: 2 }))).toBe('bca');
});

test('the order catches up without new rows, and then is not sorted again', () => {
  const { release, ids, order } = setUp();
  ids(rowsOf({ a: 1, b: 2 }));
  const rows = rowsOf({ a: 3, b: 2 });
  expect(ids(rows)).toBe('ba');
  release();
  expect(ids(rows)).toBe('ab');
  const before = order(rows, queue, true);
  expect(order(rows, queue, true)).toBe(before);
});

test('a new row is placed by its value and keeps that place; a removed one leaves no gap', () => {
  const { ids } = setUp();
  expect(ids(rowsOf({ a: 1, b: 3, c: 5 }))).toBe('cba');
  expect(ids(rowsOf({ a: 1, b: 9, d: 4 }))).toBe('dba');
  expect(ids(rowsOf({ a: 1, b: 9, d: 0, c: 7 }))).toBe('cdba');
});

test.each([[queue], [name]])('the same rows return the same order object: %j', (column) => {
  const { order } = setUp();
  const rows = rowsOf({ a: 1, b: 2 });
  expect(order(rows, column, true)).toBe(order(rows, column, true));
});

test('another column or direction sorts at once, by current values', () => {
  const { ids } = setUp();
  expect(ids(rowsOf({ a: 1, b: 3, c: 2 }))).toBe('bca');
  const rows = rowsOf({ a: 9, b: 0, c: 2 });
  expect(ids(rows, queue, false)).toBe('bca');
  expect(ids(rows, queue, true)).toBe('acb');
  expect(ids(rows, name, true)).toBe('cba');
  expect(ids(rowsOf({ a: 9, b: 0, d: 2 }), name, false)).toBe('abd');
});

test('a value that becomes known later is placed at once', () => {
  const { ids } = setUp();
  expect(ids(rowsOf({ a: undefined, b: 3, c: 2 }))).toBe('bca');
  expect(ids(rowsOf({ a: 9, b: 3, c: 2 }))).toBe('abc');
});

test('rows read again with the same values are not sorted again; a changed name is', () => {
  const { ids, order } = setUp();
  const names = (texts: readonly string[]): readonly Row[] => texts.map((id) => ({ id, queue: undefined }));
  const before = order(names(['b', 'a']), name, false);
  expect(order(names(['b', 'a']), name, false)).toBe(before);
  expect(ids(names(['b', 'c']), name, false)).toBe('bc');
  expect(ids(names(['b', 'c', 'a']), name, false)).toBe('abc');
  expect(ids(names(['b', 'c', 'a']), name, true)).toBe('cba');
  const figures = order(rowsOf({ a: 1, b: 2 }), queue, true);
  expect(order(rowsOf({ a: 1, b: 2 }), queue, true)).toBe(figures);
  expect(ids(rowsOf({ a: 1, b: 2 }), name, true)).toBe('ba');
});

test('names are sorted once, for their own column and for the ties of the others', () => {
  const { ids, order } = setUp();
  const tiedQueue = { ...queue, tieBreak: name.value };
  const equal: TableColumn<Row> = { id: 'equal', value: () => 1, tieBreak: name.value };
  const rows = rowsOf({ b: 1, d: undefined, a: 1, c: undefined, e: 2 });
  const byName = order(rows, name, false);
  expect(ids(rows, tiedQueue, true)).toBe('eabcd');
  expect(ids(rows, equal, true)).toBe('abcde');
  expect(order(rows, name, false)).toBe(byName);
  expect(ids(rows, name, true)).toBe('edcba');
  const others = rowsOf({ f: 1, d: undefined, a: 1 });
  expect(ids(others, tiedQueue, false)).toBe('afd');
  expect(ids(others, name, false)).toBe('adf');
});
