import { expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import { type Column, createMeter } from '../../../src/ui/components/column.ts';
import { asciiTheme, plainTheme } from '../support/rig.tsx';

interface Row {
  readonly id: string;
}

const rowsOf = (...lengths: readonly number[]): readonly Row[] => lengths.map((length) => ({ id: 'x'.repeat(length) }));

const setUp = () => {
  const read: number[] = [];
  const columns: readonly Column<Row, string>[] = [
    { id: 'id', header: safe`ID`, value: ({ id }) => id, format: ({ id }, { data, text }) => { read.push(id.length); return text(id + data); }, width: { min: 4, max: 30 } },
    { id: 'fixed', header: safe`FIXED`, value: ({ id }) => id, format: () => { throw new Error('a column of one width is not measured'); }, width: 7 },
  ];
  const meter = createMeter<Row, string>();
  return {
    columns,
    /** The width of the first column, and the lengths of the cells that were read for it. */
    measure: (rows: readonly Row[], given: { readonly data?: string; readonly screenWidth?: number; readonly theme?: typeof plainTheme; readonly columns?: typeof columns } = {}) => {
      read.length = 0;
      const widths = meter({ theme: plainTheme, columns, rows, data: '', screenWidth: 100, ...given });
      return [widths.get('id'), [...read]];
    },
  };
};

test('a column grows with what comes into sight, never shrinks, and keeps between its bounds', () => {
  const { measure } = setUp();
  expect(measure(rowsOf(6, 9))).toEqual([9, [6, 9]]);
  expect(measure(rowsOf(12))).toEqual([12, [12]]);
  expect(measure(rowsOf(5))).toEqual([12, [5]]);
  expect(measure(rowsOf(50))).toEqual([30, [50]]);
});

test('what a wide screen showed leaves nothing behind on a narrow one', () => {
  const { measure } = setUp();
  expect(measure(rowsOf(28))).toEqual([28, [28]]);
  expect(measure(rowsOf(6), { screenWidth: 60 })).toEqual([6, [6]]);
});

test('rows that were measured the time before are not measured again', () => {
  const { measure } = setUp();
  const [a, b, c] = [{ id: 'x'.repeat(5) }, { id: 'x'.repeat(6) }, { id: 'x'.repeat(11) }];
  const both = [a, b];
  expect(measure(both)).toEqual([6, [5, 6]]);
  expect(measure(both)).toEqual([6, []]);
  expect(measure([b, c])).toEqual([11, [11]]);
});

test('with other data, columns, theme or screen all are measured', () => {
  const { measure, columns } = setUp();
  const rows = rowsOf(8);
  expect(measure(rows)).toEqual([8, [8]]);
  expect(measure(rows, { data: ' ago' })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90 })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90, theme: asciiTheme })).toEqual([12, [8]]);
  expect(measure(rows, { data: ' ago', screenWidth: 90, theme: asciiTheme, columns: [...columns] })).toEqual([12, [8]]);
});

test('in the wide view cells are measured as they are with room, also beyond the bounds of a column, but for those that fill their place', () => {
  const all: readonly Column<Row, string>[] = [
    { id: 'id', header: safe`ID`, value: ({ id }) => id, format: ({ id }, { text }) => text(id), width: { min: 4, max: 30 } },
    { id: 'fixed', header: safe`FIXED`, value: ({ id }) => id, format: ({ id }, { width }) => (width > 7 ? safe`1,234,567,890` : safe`1.2G ${id.length}`), width: 7 },
    { id: 'bar', header: safe`BAR`, value: ({ id }) => id, format: (_, { width }) => safe`${'='.repeat(width).length}`, width: { min: 6, max: 20 }, fills: true },
  ];
  const meter = createMeter<Row, string>();
  const given = { theme: plainTheme, columns: all, rows: rowsOf(50), data: '', screenWidth: 100 };
  expect([...meter({ ...given, isWide: true })]).toEqual([['id', 50], ['fixed', 13], ['bar', 6]]);
  expect([...meter({ ...given, isWide: false })]).toEqual([['id', 30], ['fixed', 7], ['bar', 6]]);
});
