import { describe, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import {
  type ChoiceAction,
  type Column,
  type ColumnChoice,
  createMeter,
  noChoice,
  orderColumns,
  reduceChoice,
} from '../../../src/tui/components/column.ts';
import { asciiTheme, plainTheme } from '../support/rig.tsx';

interface Row {
  readonly id: string;
}

const rowsOf = (...lengths: readonly number[]): readonly Row[] => lengths.map((length) => ({ id: 'x'.repeat(length) }));

const setUp = () => {
  const read: number[] = [];
  const columns: readonly Column<Row, string>[] = [
    {
      id: 'id',
      header: safe`ID`,
      value: ({ id }) => id,
      format: ({ id }, { data, text }) => {
        read.push(id.length);
        return text(id + data);
      },
      width: { min: 4, max: 30 },
    },
    {
      id: 'fixed',
      header: safe`FIXED`,
      value: ({ id }) => id,
      format: () => {
        throw new Error('a column of one width is not measured');
      },
      width: 7,
    },
  ];
  const meter = createMeter<Row, string>();
  return {
    columns,
    /** The width of the first column, and the lengths of the cells that were read for it. */
    measure: (
      rows: readonly Row[],
      given: {
        readonly data?: string;
        readonly screenWidth?: number;
        readonly theme?: typeof plainTheme;
        readonly columns?: typeof columns;
      } = {},
    ) => {
      read.length = 0;
      const widths = meter({ theme: plainTheme, columns, rows, data: '', screenWidth: 100, ...given });
      return [widths.get('id'), [...read]];
    },
  };
};

test('a column grows with its contents within its limits and never shrinks', () => {
  const { measure } = setUp();
  expect(measure(rowsOf(6, 9))).toEqual([9, [6, 9]]);
  expect(measure(rowsOf(12))).toEqual([12, [12]]);
  expect(measure(rowsOf(5))).toEqual([12, [5]]);
  expect(measure(rowsOf(50))).toEqual([30, [50]]);
});

test('widths measured on a wide screen do not apply to a narrow one', () => {
  const { measure } = setUp();
  expect(measure(rowsOf(28))).toEqual([28, [28]]);
  expect(measure(rowsOf(6), { screenWidth: 60 })).toEqual([6, [6]]);
});

test('rows of the previous call are not measured again', () => {
  const { measure } = setUp();
  const [a, b, c] = [{ id: 'x'.repeat(5) }, { id: 'x'.repeat(6) }, { id: 'x'.repeat(11) }];
  const both = [a, b];
  expect(measure(both)).toEqual([6, [5, 6]]);
  expect(measure(both)).toEqual([6, []]);
  expect(measure([b, c])).toEqual([11, [11]]);
});

test('all rows are measured again with other data, columns, theme or screen', () => {
  const { measure, columns } = setUp();
  const rows = rowsOf(8);
  expect(measure(rows)).toEqual([8, [8]]);
  expect(measure(rows, { data: ' ago' })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90 })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90, theme: asciiTheme })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90, theme: asciiTheme, columns: [...columns] })).toEqual([12, [8]]);
});

test('in the wide view cells are measured beyond the limits of a column, except in columns that fill their room', () => {
  const all: readonly Column<Row, string>[] = [
    {
      id: 'id',
      header: safe`ID`,
      value: ({ id }) => id,
      format: ({ id }, { text }) => text(id),
      width: { min: 4, max: 30 },
    },
    {
      id: 'fixed',
      header: safe`FIXED`,
      value: ({ id }) => id,
      format: ({ id }, { width }) => (width > 7 ? safe`1,234,567,890` : safe`1.2G ${id.length}`),
      width: 7,
    },
    {
      id: 'bar',
      header: safe`BAR`,
      value: ({ id }) => id,
      format: (_, { width }) => safe`${'='.repeat(width).length}`,
      width: { min: 6, max: 20 },
      fills: true,
    },
  ];
  const meter = createMeter<Row, string>();
  const given = { theme: plainTheme, columns: all, rows: rowsOf(50), data: '', screenWidth: 100 };
  expect([...meter({ ...given, isWide: true })]).toEqual([
    ['id', 50],
    ['fixed', 13],
    ['bar', 6],
  ]);
  expect([...meter({ ...given, isWide: false })]).toEqual([
    ['id', 30],
    ['fixed', 7],
    ['bar', 6],
  ]);
});

const apply = (...actions: readonly ChoiceAction[]): ColumnChoice => actions.reduce(reduceChoice, noChoice);
const columns = ['id', 'a', 'b', 'c'].map((id) => ({ id, isSticky: id === 'id' }));
const ordered = (order: readonly string[], of = columns): readonly string[] =>
  orderColumns(of, order).map(({ id }) => id);

describe('reduceChoice', () => {
  test('hides and shows; a column shown by hand gets room first', () => {
    expect(apply({ type: 'hide', id: 'a' })).toMatchObject({ hidden: new Set(['a']), wanted: new Set() });
    expect(apply({ type: 'hide', id: 'a' }, { type: 'show', id: 'a' })).toMatchObject({
      hidden: new Set(),
      wanted: new Set(['a']),
    });
    expect(apply({ type: 'show', id: 'a' }, { type: 'hide', id: 'a' })).toMatchObject({
      hidden: new Set(['a']),
      wanted: new Set(),
    });
  });

  test('moves a column past its neighbour, not past an end', () => {
    const ids = ['a', 'b', 'c'];
    expect(apply({ type: 'move', id: 'b', by: 1, ids }).order).toEqual(['a', 'c', 'b']);
    expect(apply({ type: 'move', id: 'b', by: -1, ids }).order).toEqual(['b', 'a', 'c']);
    expect(apply({ type: 'move', id: 'c', by: 1, ids })).toBe(noChoice);
    expect(apply({ type: 'move', id: 'a', by: -1, ids })).toBe(noChoice);
    expect(apply({ type: 'move', id: 'no such column', by: 1, ids })).toBe(noChoice);
  });

  test('keeps widths within bounds', () => {
    expect(apply({ type: 'width', id: 'a', width: 1 }).widths.get('a')).toBe(4);
    expect(apply({ type: 'width', id: 'a', width: 999 }).widths.get('a')).toBe(200);
    const before = apply({ type: 'width', id: 'a', width: 4 });
    expect(reduceChoice(before, { type: 'width', id: 'a', width: 3 })).toBe(before);
  });

  test('resets everything', () => {
    expect(apply({ type: 'hide', id: 'a' }, { type: 'width', id: 'b', width: 9 }, { type: 'reset' })).toBe(noChoice);
  });
});

describe('orderColumns', () => {
  test('puts sticky columns first in any order', () => {
    expect(ordered([])).toEqual(['id', 'a', 'b', 'c']);
    expect(ordered(['c', 'id', 'b', 'a'])).toEqual(['id', 'c', 'b', 'a']);
  });

  test('puts an added column after the one before it, and ignores a removed one', () => {
    const later = ['id', 'z', 'a', 'b', 'n', 'c'].map((id) => ({ id, isSticky: id === 'id' }));
    expect(ordered(['c', 'b', 'a'], later)).toEqual(['id', 'z', 'c', 'b', 'n', 'a']);
    expect(ordered(['gone', 'b'])).toEqual(['id', 'a', 'b', 'c']);
  });
});
