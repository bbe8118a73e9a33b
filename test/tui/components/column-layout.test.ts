import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import { type ColumnView, layoutColumns, offsetShowing } from '../../../src/tui/components/column-layout.ts';
import {
  type Column,
  type ColumnChoice,
  noChoice,
  orderColumns,
  widthBounds,
} from '../../../src/tui/components/column.ts';

type TestColumn = Column<undefined>;

const columnOf = (id: string, width: TestColumn['width'], patch: Partial<TestColumn> = {}): TestColumn => ({
  id,
  header: safe`H`,
  value: () => id,
  format: () => safe`x`,
  width,
  ...patch,
});

const columns: readonly TestColumn[] = [
  columnOf('id', { min: 12, max: 40 }, { isSticky: true }),
  columnOf('node', 10, { priority: 2 }),
  columnOf('count', 9, { priority: 1 }),
  columnOf('twice', 9, { priority: 3 }),
];

const placed = (width: number, view: ColumnView = {}): readonly string[] =>
  layoutColumns(columns, width, view).placed.map(({ column }) => column.id);
const widths = (width: number, view: ColumnView = {}): readonly number[] =>
  layoutColumns(columns, width, view).placed.map((column) => column.width);
const chosen = (patch: Partial<ColumnChoice>): ColumnView => ({ choice: { ...noChoice, ...patch } });

describe('layoutColumns', () => {
  test('drops the least important columns first', () => {
    expect(placed(80)).toEqual(['id', 'node', 'count', 'twice']);
    expect(placed(44)).toEqual(['id', 'node', 'count']);
    expect(placed(30)).toEqual(['id', 'count']);
    expect(placed(8)).toEqual(['id']);
  });

  test('gives the identity room before other columns', () => {
    const needing = (id: number): ColumnView => ({ naturalWidths: new Map([['id', id]]) });
    expect(placed(80, needing(17))).toEqual(['id', 'node', 'count', 'twice']);
    expect(placed(48, needing(12))).toEqual(['id', 'node', 'count', 'twice']);
    const many = [
      columnOf('id', { min: 12, max: 60 }, { isSticky: true }),
      ...Array.from({ length: 9 }, (_, index) => columnOf(`c${index}`, 8, { priority: index + 1 })),
    ];
    const at = (id: number) => layoutColumns(many, 96, needing(id)).placed;
    expect(at(12)).toHaveLength(9);
    expect([at(22).length, at(22)[0]?.width]).toEqual([8, 26]);
    // A long one takes no more than most need.
    expect(at(60)).toHaveLength(8);
  });

  test('gives columns that are read first up to a quarter of the line before columns of lower priority', () => {
    const names = [
      columnOf('id', 10, { isSticky: true }),
      columnOf('node', { min: 8, max: 40 }, { isReadFirst: true }),
      columnOf('more', 20, { priority: 2 }),
    ];
    const at = (width: number, natural: number): readonly (readonly [string, number])[] =>
      layoutColumns(names, width, { naturalWidths: new Map([['node', natural]]) }).placed.map(
        ({ column, width: own }) => [column.id, own],
      );
    expect(at(48, 8)).toEqual([
      ['id', 10],
      ['node', 14],
      ['more', 20],
    ]);
    expect(at(42, 8)).toEqual([
      ['id', 10],
      ['node', 8],
      ['more', 20],
    ]);
    expect(at(42, 10)).toEqual([
      ['id', 10],
      ['node', 30],
    ]);
    expect(at(100, 40)).toEqual([
      ['id', 10],
      ['node', 40],
      ['more', 20],
    ]);
    expect(at(60, 40)).toEqual([
      ['id', 10],
      ['node', 26],
      ['more', 20],
    ]);
  });

  test('leaves spare room free beside snug columns, and where even ones cannot share it', () => {
    const at = (
      texts: readonly TestColumn[],
      width: number,
      natural: Readonly<Record<string, number>>,
    ): readonly number[] =>
      layoutColumns(texts, width, { naturalWidths: new Map(Object.entries(natural)) }).placed.map(
        (column) => column.width,
      );
    const snug = [columnOf('group', { min: 10, max: 60 }, { isSnug: true }), columnOf('count', 5)];
    expect(at(snug, 80, { group: 8 })).toEqual([10, 5]);
    expect(at(snug, 80, { group: 30 })).toEqual([30, 5]);
    expect(at(snug, 80, { group: 70 })).toEqual([60, 5]);
    const even = [
      columnOf('a', { min: 5, max: 30 }, { isEven: true }),
      columnOf('b', { min: 5, max: 30 }, { isEven: true }),
    ];
    expect(at(even, 31, { a: 12, b: 12 })).toEqual([14, 14]);
    // One with longer contents keeps its room.
    expect(at(even, 31, { a: 8, b: 21 })).toEqual([8, 21]);
  });

  test('gives spare room first to cut contents, then in proportion to grow', () => {
    const texts = [
      columnOf('id', { min: 10, max: 60, grow: 3 }, { isSticky: true }),
      columnOf('node', { min: 8, max: 40 }),
      columnOf('fixed', { min: 5, max: 30, grow: 0 }),
    ];
    const at = (width: number, natural: Readonly<Record<string, number>>): readonly number[] =>
      layoutColumns(texts, width, { naturalWidths: new Map(Object.entries(natural)) }).placed.map(
        (column) => column.width,
      );
    expect(at(37, { id: 10, node: 17 })).toEqual([11, 17, 5]);
    expect(at(37, { id: 30, node: 30 })).toEqual([19, 9, 5]);
    const gauge = layoutColumns(
      [columnOf('id', { min: 10, max: 60 }), columnOf('bar', { min: 8, max: 40 }, { fills: true })],
      32,
      {
        naturalWidths: new Map([
          ['id', 20],
          ['bar', 40],
        ]),
      },
    );
    expect(gauge.placed.map((column) => column.width)).toEqual([21, 9]);
    expect(at(47, { id: 10, node: 12, fixed: 30 })).toEqual([22, 16, 5]);
  });

  test('of several sticky columns a narrow one takes no room from the others', () => {
    const stay = [
      columnOf('key', { min: 40 }, { isSticky: true }),
      columnOf('same', 6, { isSticky: true }),
      columnOf('one', 20),
      columnOf('two', 20),
    ];
    const { placed: all, rightCount } = layoutColumns(stay, 60);
    expect([all.map(({ column, width }) => [column.id, width]), rightCount]).toEqual([
      [
        ['key', 34],
        ['same', 6],
        ['one', 16],
      ],
      1,
    ]);
    expect(layoutColumns(stay, 80, { offset: 2 }).placed.map(({ column }) => column.id)).toEqual([
      'key',
      'same',
      'two',
    ]);
  });

  test('scrolls to every column, and counts those at each side', () => {
    const sides = (offset: number): readonly number[] => {
      const { leftCount, rightCount } = layoutColumns(columns, 30, { offset });
      return [leftCount, rightCount];
    };
    expect(layoutColumns(columns, 80).maxOffset).toBe(0);
    expect(layoutColumns(columns, 30).maxOffset).toBe(3);
    expect([placed(30, { offset: 1 }), sides(1)]).toEqual([
      ['id', 'node'],
      [0, 2],
    ]);
    expect([placed(30, { offset: 2 }), sides(2)]).toEqual([
      ['id', 'count'],
      [1, 1],
    ]);
    expect([placed(30, { offset: 3 }), sides(3)]).toEqual([
      ['id', 'twice'],
      [2, 0],
    ]);
    expect(placed(30, { offset: 99 })).toEqual(['id', 'twice']);
  });

  test('gives room first to the sorted column, then to columns chosen by hand', () => {
    expect(placed(30, chosen({ wanted: new Set(['twice']) }))).toEqual(['id', 'twice']);
    expect(placed(30, { sortedId: 'node' })).toEqual(['id', 'node']);
    expect(placed(30, { ...chosen({ wanted: new Set(['twice']) }), sortedId: 'node' })).toEqual(['id', 'node']);
  });

  test('applies the chosen order, widths and hidden columns', () => {
    const view = chosen({
      order: ['twice', 'node', 'count'],
      hidden: new Set(['node']),
      widths: new Map([
        ['count', 20],
        ['id', 14],
      ]),
    });
    expect(placed(80, view)).toEqual(['id', 'twice', 'count']);
    expect(widths(80, view)).toEqual([14, 9, 20]);
    expect(layoutColumns(columns, 80, view)).toMatchObject({ hiddenCount: 1, leftCount: 0, rightCount: 0 });
  });

  test('never hides the identity, and leaves room for one more column at any width', () => {
    const view = chosen({ hidden: new Set(['id']), widths: new Map([['id', 200]]) });
    expect(placed(54, view)).toEqual(['id', 'count']);
    expect(widths(54, { ...view, offset: 1 })).toEqual([36, 10]);
  });

  test('ignores hidden and narrowed columns in the wide view, and grows nothing', () => {
    const view: ColumnView = {
      ...chosen({ order: ['twice', 'node', 'count'], hidden: new Set(['node']), widths: new Map([['node', 4]]) }),
      isWide: true,
      naturalWidths: new Map([['id', 20]]),
    };
    expect(placed(80, view)).toEqual(['id', 'twice', 'node', 'count']);
    expect(widths(80, view)).toEqual([20, 9, 10, 9]);
    expect(placed(44, view)).toEqual(['id', 'twice', 'node']);
    expect(layoutColumns(columns, 44, view)).toMatchObject({ maxOffset: 1, hiddenCount: 0 });
    expect(placed(44, { ...view, offset: 1 })).toEqual(['id', 'node', 'count']);
  });

  test('uses natural widths in the wide view', () => {
    const naturalWidths = new Map([
      ['id', 70],
      ['count', 17],
    ]);
    expect(widths(200, { isWide: true, naturalWidths })[0]).toBe(70);
    const counts = layoutColumns(columns, 200, { isWide: true, naturalWidths }).placed.find(
      ({ column }) => column.id === 'count',
    );
    expect(counts?.width).toBe(17);
    expect(
      layoutColumns(columns, 200, { naturalWidths }).placed.find(({ column }) => column.id === 'count')?.width,
    ).toBeLessThan(17);
  });
});

test('offsetShowing finds the nearest offset', () => {
  const view: ColumnView = { isWide: true };
  expect(offsetShowing(columns, 30, { ...view, sortedId: 'twice' }, 'twice')).toBe(2);
  expect(offsetShowing(columns, 30, { isWide: true, offset: 2 }, 'node')).toBe(0);
  expect(offsetShowing(columns, 30, { isWide: true, offset: 1 }, 'id')).toBe(1);
  // The usual view makes room for the sorted column.
  expect(offsetShowing(columns, 30, { sortedId: 'twice' }, 'twice')).toBe(0);
  expect(offsetShowing(columns, 30, {}, 'twice')).toBe(3);
  expect(offsetShowing(columns, 30, { offset: 1 }, 'no such column')).toBe(1);
});

describe('random columns and views', () => {
  const widthShape = fc.oneof(
    fc.integer({ min: 1, max: 24 }),
    fc.record({ min: fc.integer({ min: 1, max: 20 }), max: fc.integer({ min: 20, max: 140 }), grow: fc.nat(3) }),
    fc.record({ min: fc.integer({ min: 1, max: 20 }) }),
  );
  const ids = ['0', '1', '2', '3', '4', '5', '6', '7'];
  const some = fc.subarray(ids);
  const made = fc
    .array(fc.record({ width: widthShape, priority: fc.integer({ min: 1, max: 4 }), isReadFirst: fc.boolean() }), {
      minLength: 1,
      maxLength: 8,
    })
    .map((shapes) =>
      shapes.map(({ width, priority, isReadFirst }, index) =>
        columnOf(String(index), width, { priority, isReadFirst, isSticky: index === 0 }),
      ),
    );
  const choice = fc.record({
    order: fc.shuffledSubarray(ids),
    hidden: some.map((each) => new Set(each)),
    wanted: some.map((each) => new Set(each)),
    widths: fc
      .dictionary(fc.constantFrom(...ids), fc.integer({ min: widthBounds.min, max: widthBounds.max }))
      .map((each) => new Map(Object.entries(each))),
  });
  const viewShape: fc.Arbitrary<ColumnView> = fc.record({
    choice,
    isWide: fc.boolean(),
    sortedId: fc.option(fc.constantFrom(...ids), { nil: undefined }),
    naturalWidths: fc
      .dictionary(fc.constantFrom(...ids), fc.integer({ min: 1, max: 200 }))
      .map((each) => new Map(Object.entries(each))),
  });
  const isOffered = ({ id, isSticky }: TestColumn, view: ColumnView): boolean =>
    view.isWide === true || isSticky === true || view.choice?.hidden.has(id) !== true;
  const boundsOf = ({ width }: TestColumn): readonly [number, number] =>
    typeof width === 'number' ? [width, width] : [width.min, width.max ?? Number.POSITIVE_INFINITY];

  test('the line is never too wide, the identity is first, the order is stable, and every column can be reached', () => {
    fc.assert(
      fc.property(made, viewShape, fc.integer({ min: 40, max: 200 }), (all, view, width) => {
        const order = orderColumns(all, view.choice?.order ?? []).map(({ id }) => id);
        const { maxOffset } = layoutColumns(all, width, view);
        const seen = new Set<string>();
        for (let offset = 0; offset <= maxOffset; offset += 1) {
          const layout = layoutColumns(all, width, { ...view, offset });
          const shown = layout.placed.map(({ column }) => column.id);
          expect(
            layout.placed.reduce((sum, column) => sum + column.width, layout.gap * (shown.length - 1)),
          ).toBeLessThanOrEqual(width);
          expect(shown[0]).toBe('0');
          expect(shown).toEqual(order.filter((id) => shown.includes(id)));
          expect(shown.length + layout.leftCount + layout.rightCount + layout.hiddenCount).toBe(all.length);
          for (const id of shown) {
            seen.add(id);
          }
        }
        expect(seen.size).toBe(all.filter((column) => isOffered(column, view)).length);
      }),
      { numRuns: 500 },
    );
  });

  test('every width is within its limits, as chosen, or cut for lack of room', () => {
    fc.assert(
      fc.property(made, viewShape, fc.integer({ min: 40, max: 200 }), fc.nat(9), (all, view, width, offset) => {
        for (const { column, width: own } of layoutColumns(all, width, { ...view, offset }).placed) {
          const [min, max] = boundsOf(column);
          const set = view.isWide === true ? undefined : view.choice?.widths.get(column.id);
          expect(own).toBeGreaterThanOrEqual(1);
          // The wide view knows no other bound than what the column holds.
          const holds = view.isWide === true ? (view.naturalWidths?.get(column.id) ?? 0) : 0;
          expect(own).toBeLessThanOrEqual(set ?? Math.max(max, holds));
          // 16 are left beside an identity of any width, less the gap.
          expect(own).toBeGreaterThanOrEqual(Math.min(set ?? min, 14));
        }
      }),
      { numRuns: 500 },
    );
  });

  test('the sorted column is visible at the offset found for it', () => {
    fc.assert(
      fc.property(made, viewShape, fc.integer({ min: 40, max: 200 }), fc.nat(9), (all, view, width, from) => {
        for (const { id } of all.filter((column) => isOffered(column, view))) {
          const offset = offsetShowing(all, width, { ...view, offset: from, sortedId: id }, id);
          expect(
            layoutColumns(all, width, { ...view, sortedId: id, offset }).placed.map(({ column }) => column.id),
          ).toContain(id);
        }
      }),
      { numRuns: 200 },
    );
  });
});
