import * as fc from 'fast-check';
import { afterEach, describe, expect, test } from 'vitest';
import { formatCount } from '../../../src/ui/format.ts';
import { safe } from '../../../src/ui/safe-text.ts';
import { type Column, layoutColumns } from '../../../src/ui/widgets/column.ts';
import type { TableModel } from '../../../src/ui/widgets/table-lines.ts';
import { Table, tableLines } from '../../../src/ui/widgets/table.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../support/rig.tsx';

afterEach(endRigs);

interface Fruit {
  readonly id: string;
  readonly node: string;
  readonly count: number | undefined;
}

const columns: readonly Column<Fruit>[] = [
  { id: 'id', header: safe`CLIENT ID`, value: (row) => row.id, format: (row, { text }) => text(row.id), width: { min: 12, max: 40 }, isSticky: true },
  { id: 'node', header: safe`NODE`, value: (row) => row.node, format: (row, { text }) => text(row.node), width: 10, priority: 2 },
  { id: 'count', header: safe`COUNT`, value: (row) => row.count, format: (row) => formatCount(row.count), align: 'right', width: 9, priority: 1 },
  { id: 'twice', header: safe`TWICE`, value: (row) => row.count, format: (row) => formatCount(row.count === undefined ? undefined : row.count * 2), align: 'right', width: 9, priority: 3 },
];

const rows: readonly Fruit[] = [
  { id: 'apple', node: 'broker1', count: 1204 },
  { id: '\u001B[2Jpear', node: 'broker2', count: undefined },
  { id: 'x'.repeat(65_000), node: 'broker3', count: 0 },
];

const model: TableModel<Fruit, undefined> = {
  rows, columns, data: undefined, getId: (row) => row.id, cursorId: 'apple', top: 0, sort: { columnId: 'id', isReversed: false }, totalCount: 7,
};

describe('Table', () => {
  test.each([60, 80, 120])('fills its place exactly at %i columns', (width) => {
    const rig = createRig(<Table model={model} width={width} height={6} />, { columns: width });
    expect(rig.lines()).toMatchSnapshot();
  });

  test('says cursor, marks and a change without colour too', () => {
    const marked: TableModel<Fruit, undefined> = {
      ...model,
      isMarked: ({ node }) => node === 'broker3',
      getMark: ({ node }) => (node === 'broker2' ? 'new' : 'gone'),
      getPrevious: (id) => (id === 'apple' ? { id, node: 'broker1', count: 1203 } : undefined),
    };
    const lines = tableLines(plainTheme, 70, 6, marked);
    expect(lines[1]).toContain('\u001B[1;7m      1,204');
    expect(lines[1]?.trimEnd()).toMatch(/GONE/);
    expect(lines[2]).toMatch(/^ \\x1b\[2Jpear.*–.*NEW/s);
    expect(lines[3]).toContain('◆');
    expect(tableLines(asciiTheme, 70, 6, marked)[1]).toMatch(/^>apple .* GONE$/);
  });

  test('bolds only what changed', () => {
    const lines = tableLines(plainTheme, 70, 6, { ...model, cursorId: undefined, getPrevious: (id) => rows.find((row) => row.id === id) });
    expect(lines.slice(1, 4).join('')).not.toContain('\u001B');
  });

  test('shows the window and keeps the cursor by identity', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ id: `c${index}`, node: 'n', count: index }));
    const lines = tableLines(asciiTheme, 80, 5, { ...model, rows: many, top: 500, cursorId: 'c501', totalCount: 1000 });
    expect(lines.map((line) => line.slice(0, 6))).toEqual([' CLIEN', ' c500 ', '>c501 ', ' c502 ', ' showi']);
    expect(lines[4]).toContain('showing 1,000 of 1,000 . sorted by client id');
  });

  test.each([
    ['loading', { text: safe` reading clients ···`, role: 'dim' }],
    ['error', { text: safe` ▲ cannot read`, role: 'error' }],
  ] as const)('says %s where the rows would be', (_state, message) => {
    const lines = tableLines(asciiTheme, 40, 5, { ...model, rows: [], message, totalCount: 0 });
    expect(lines).toHaveLength(5);
    expect(lines[1]?.trim().length).toBeGreaterThan(5);
    expect(lines[4]).toContain('showing 0 of 0');
  });

  test('dims stale rows', () => {
    expect(tableLines(colorTheme, 60, 5, { ...model, isStale: true })[2]).toMatch(/^\u001B\[2m/);
  });

  test('reads only the cells that it shows', () => {
    let reads = 0;
    const counting = columns.map((column) => ({ ...column, format: (...args: Parameters<typeof column.format>) => { reads += 1; return column.format(...args); } }));
    tableLines(plainTheme, 120, 12, { ...model, columns: counting, rows: Array.from({ length: 5000 }, (_, index) => ({ id: `c${index}`, node: 'n', count: index })) });
    expect(reads).toBe(10 * columns.length);
  });
});

describe('layoutColumns', () => {
  const ids = (width: number, offset = 0): readonly string[] => layoutColumns(columns, width, offset).placed.map(({ column }) => column.id);

  test('drops what is least important first', () => {
    expect(ids(80)).toEqual(['id', 'node', 'count', 'twice']);
    expect(ids(44)).toEqual(['id', 'node', 'count']);
    expect(ids(30)).toEqual(['id', 'count']);
    expect(ids(8)).toEqual(['id']);
  });

  test('scrolls to every column', () => {
    expect(layoutColumns(columns, 80).maxOffset).toBe(0);
    expect(layoutColumns(columns, 30).maxOffset).toBe(3);
    expect(ids(30, 1)).toEqual(['id', 'node']);
    expect(ids(30, 2)).toEqual(['id', 'count']);
    expect(ids(30, 3)).toEqual(['id', 'twice']);
    expect(ids(30, 99)).toEqual(['id', 'twice']);
  });

  test('never takes more room than there is, and every column can be reached', () => {
    const shape = fc.record({
      width: fc.oneof(fc.integer({ min: 1, max: 20 }), fc.record({ min: fc.integer({ min: 1, max: 10 }), max: fc.integer({ min: 10, max: 40 }), grow: fc.nat(3) })),
      priority: fc.integer({ min: 1, max: 4 }),
    });
    fc.assert(
      fc.property(fc.array(shape, { minLength: 1, maxLength: 8 }), fc.integer({ min: 25, max: 120 }), (shapes, width) => {
        const made = shapes.map((part, index): Column<Fruit> => ({
          ...part, id: String(index), header: safe`H`, value: () => index, format: () => safe`x`, isSticky: index === 0 && shapes.length > 1 && typeof part.width !== 'number' && part.width.min < 5,
        }));
        const { maxOffset } = layoutColumns(made, width);
        const seen = new Set<string>();
        for (let offset = 0; offset <= maxOffset; offset += 1) {
          const { placed, gap, hiddenCount } = layoutColumns(made, width, offset);
          expect(placed.reduce((sum, column) => sum + column.width, gap * (placed.length - 1))).toBeLessThanOrEqual(width);
          expect(placed.length + hiddenCount).toBe(made.length);
          for (const { column } of placed) {
            seen.add(column.id);
          }
        }
        expect(seen.size).toBe(made.length);
      }),
      { numRuns: 500 },
    );
  });
});
