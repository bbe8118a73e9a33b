import { afterEach, describe, expect, test } from 'vitest';
import { formatCount } from '../../../src/terminal/format.ts';
import { safe } from '../../../src/terminal/safe-text.ts';
import { composeLine } from '../../../src/terminal/line.ts';
import { type Column, noChoice } from '../../../src/tui/components/column.ts';
import { Table, tableLines, type TableModel } from '../../../src/tui/components/table.tsx';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../support/rig.tsx';

afterEach(endRigs);

interface Fruit {
  readonly id: string;
  readonly node: string;
  readonly count: number | undefined;
}

const columns: readonly Column<Fruit>[] = [
  {
    id: 'id',
    header: safe`CLIENT ID`,
    value: (row) => row.id,
    format: (row, { text }) => text(row.id),
    width: { min: 12, max: 40 },
    isSticky: true,
  },
  {
    id: 'node',
    header: safe`NODE`,
    value: (row) => row.node,
    format: (row, { text }) => text(row.node),
    width: 10,
    priority: 2,
  },
  {
    id: 'count',
    header: safe`COUNT`,
    value: (row) => row.count,
    format: (row) => formatCount(row.count),
    align: 'right',
    width: 9,
    priority: 1,
  },
  {
    id: 'twice',
    header: safe`TWICE`,
    value: (row) => row.count,
    format: (row) => formatCount(row.count === undefined ? undefined : row.count * 2),
    align: 'right',
    width: 9,
    priority: 3,
  },
];

const rows: readonly Fruit[] = [
  { id: 'apple', node: 'broker1', count: 1204 },
  { id: '\u001B[2Jpear', node: 'broker2', count: undefined },
  { id: 'x'.repeat(65_000), node: 'broker3', count: 0 },
];

const model: TableModel<Fruit, undefined> = {
  rows,
  columns,
  data: undefined,
  getId: (row) => row.id,
  cursorId: 'apple',
  top: 0,
  sort: { columnId: 'id', isReversed: false },
  totalCount: 7,
};

describe('Table', () => {
  test.each([60, 80, 120])('is exactly %i columns wide', (width) => {
    const rig = createRig(<Table model={model} width={width} height={6} />, { columns: width });
    expect(rig.lines()).toMatchSnapshot();
  });

  test.each([60, 61, 80, 120])('leaves the last of %i columns free', (width) => {
    for (const line of createRig(
      <Table model={{ ...model, columns: columns.slice(0, 3) }} width={width} height={6} />,
      { columns: width },
    ).lines())
      expect(line.trimEnd().length).toBeLessThan(width);
  });

  test('shows cursor, marks and changes without colour', () => {
    const marked: TableModel<Fruit, undefined> = {
      ...model,
      isMarked: ({ node }) => node === 'broker3',
      getChange: ({ node }) => (node === 'broker2' ? 'new' : 'gone'),
      getPrevious: (id) => (id === 'apple' ? { id, node: 'broker1', count: 1203 } : undefined),
    };
    const lines = tableLines(plainTheme, 70, 6, marked);
    expect(lines[1]).toContain('\u001B[1;7m      1,204');
    expect(lines[1]?.trimEnd()).toMatch(/GONE/);
    expect(lines[2]).toMatch(/^ {2}\\x1b\[2Jpear.*–.*NEW/s);
    expect(lines[3]).toContain('◆');
    expect(tableLines(asciiTheme, 70, 6, marked)[1]).toMatch(/^> apple .* GONE$/);
    // The mark stands beside the cursor, and the header above its column.
    const both = tableLines(asciiTheme, 70, 6, { ...marked, cursorId: rows[2]?.id });
    expect(both.slice(0, 4).map((line) => line.slice(0, 3))).toEqual(['  C', '  a', '  \\', '>+x']);
    expect(both.map((line) => line.length)).toEqual([70, 70, 70, 70, 70, 70]);
  });

  test('what is seldom read, zero or unknown recedes, but not under the cursor', () => {
    const columns = model.columns.map((column) =>
      column.id === 'node' ? { ...column, role: 'dim' as const } : column,
    );
    const lines = tableLines(colorTheme, 70, 6, {
      ...model,
      columns,
      cursorId: undefined,
      cursorIndex: 9,
      getPrevious: undefined,
    });
    expect(lines[1]).toMatch(/^ apple.*\u001B\[2m +broker1.*\u001B\[0m +1,204/u);
    expect(lines[2]).toMatch(/\u001B\[2m[^\u001B]+–/u);
    expect(lines[3]).toMatch(/\u001B\[2m[^\u001B]+0/u);
    expect(tableLines(colorTheme, 70, 6, { ...model, columns, getPrevious: undefined })[1]).not.toMatch(
      /\u001B\[(?:1|2)m/u,
    );
  });

  test('a name has the role of its problem, also under the cursor', () => {
    const columns = model.columns.map((column, at) =>
      at === 0
        ? { ...column, nameRole: (row: Fruit) => (row.id === 'apple' ? ('warning' as const) : undefined) }
        : column,
    );
    const lines = tableLines(colorTheme, 70, 6, { ...model, columns, getPrevious: undefined });
    expect(lines.slice(1, 4).map((line) => line.includes('\u001B[33') || line.includes(';33'))).toEqual([
      true,
      false,
      false,
    ]);
  });

  test('bolds only what changed', () => {
    const lines = tableLines(plainTheme, 70, 6, {
      ...model,
      cursorId: undefined,
      getPrevious: (id) => rows.find((row) => row.id === id),
    });
    expect(lines.slice(1, 4).join('')).not.toContain('\u001B[1');
  });

  test('shows the window and keeps the cursor by identity', () => {
    const many = Array.from({ length: 1000 }, (_, index) => ({ id: `c${index}`, node: 'n', count: index }));
    const lines = tableLines(asciiTheme, 80, 5, { ...model, rows: many, top: 500, cursorId: 'c501', totalCount: 1000 });
    expect(lines.map((line) => line.slice(0, 6))).toEqual([' CLIEN', ' c500 ', '>c501 ', ' c502 ', ' showi']);
    expect(lines[4]).toContain('showing 1,000 of 1,000 . sorted by client ID');
  });

  test.each([
    ['loading', { text: safe` reading clients ···`, role: 'dim' }],
    ['error', { text: safe` ▲ cannot read`, role: 'error' }],
  ] as const)('shows %s instead of rows', (_state, message) => {
    const lines = tableLines(asciiTheme, 40, 5, { ...model, rows: [], message, totalCount: 0 });
    expect(lines).toHaveLength(5);
    expect(lines[1]?.trim().length).toBeGreaterThan(5);
    expect(lines[4]).toContain('showing 0 of 0');
  });

  test('colours cells that are current in an old row', () => {
    const [id, node] = columns as readonly [Column<Fruit>, Column<Fruit>];
    const rowOf = (isCurrentInOldRows: boolean): string | undefined => {
      const alert: Column<Fruit> = {
        ...node,
        isCurrentInOldRows,
        spans: () => [{ text: safe`stopped`, role: 'error' }],
      };
      return tableLines(colorTheme, 70, 6, { ...model, columns: [id, alert], getChange: () => 'old' })[2];
    };
    expect(rowOf(true)).toContain(composeLine(colorTheme, 7, [{ text: safe`stopped`, role: 'error' }]));
    expect(rowOf(false)).not.toContain('stopped');
  });

  test('dims stale rows', () => {
    expect(tableLines(colorTheme, 60, 5, { ...model, isStale: true })[2]).toMatch(/^\u001B\[2m/);
  });

  test('reads only the cells that it shows', () => {
    let reads = 0;
    const counting = columns.map((column) => ({
      ...column,
      format: (...args: Parameters<typeof column.format>) => {
        reads += 1;
        return column.format(...args);
      },
    }));
    tableLines(plainTheme, 120, 12, {
      ...model,
      columns: counting,
      rows: Array.from({ length: 5000 }, (_, index) => ({ id: `c${index}`, node: 'n', count: index })),
    });
    expect(reads).toBe(10 * columns.length);
  });

  test('shows how many columns are hidden at each end, with the identity always first', () => {
    const at = (offset: number, width = 32): readonly string[] =>
      tableLines(asciiTheme, width, 6, { ...model, sort: undefined, columnView: { offset } });
    expect(at(0)[0]).toMatch(/^ CLIENT ID +COUNT +\+2>$/);
    expect(at(0, 44)[5]).toContain('1 more column < >');
    expect(at(2)[0]).toMatch(/^ CLIENT ID +< +COUNT +\+1>$/);
    expect(at(3)[0]).toMatch(/^ CLIENT ID +< +TWICE *$/);
    expect(at(3)[1]).toMatch(/^>apple +2,408 *$/);
    expect(at(0, 80)[0]).not.toMatch(/[<>]/);
  });

  test("shows the cursor's position in a list that does not fit, and the total where it differs", () => {
    const many = Array.from({ length: 1204 }, (_, index) => ({ id: `c${index}`, node: 'n', count: index }));
    const footer = (patch: Partial<TableModel<Fruit, undefined>>): string | undefined =>
      tableLines(asciiTheme, 100, 5, { ...model, rows: many, totalCount: 1204, cursorIndex: 511, ...patch }).at(-1);
    expect(footer({})).toContain('showing 1,204 of 1,204 . row 512 . sorted by client ID');
    expect(footer({ shownCount: 40 })).toContain('showing 40 of 1,204 . row 512 of 1,204 .');
    expect(footer({ rows: many.slice(0, 3), cursorIndex: 1 })).not.toContain('row');
    expect(footer({ rows: [], cursorIndex: 0 })).not.toContain('row');
  });

  test('shows an unknown count before rows are read', () => {
    const footer = (isUnread?: true): string | undefined =>
      tableLines(asciiTheme, 100, 5, {
        ...model,
        rows: [],
        totalCount: 0,
        message: { text: safe` Nothing.`, isUnread },
      }).at(-1);
    expect(footer(true)).toContain(' showing - . sorted');
    expect(footer()).toContain(' showing 0 of 0 . sorted');
  });

  test('names the wide view and what was hidden', () => {
    const choice = { ...noChoice, hidden: new Set(['node', 'twice']) };
    expect(tableLines(asciiTheme, 100, 6, { ...model, columnView: { choice } })[0]).toMatch(/^ CLIENT ID \^ +COUNT *$/);
    expect(tableLines(asciiTheme, 100, 6, { ...model, columnView: { choice } })[5]).toContain('. 2 columns hidden');
    const wide = tableLines(asciiTheme, 100, 6, { ...model, columnView: { choice, isWide: true } });
    expect(wide[0]).toMatch(/^ CLIENT ID \^ +NODE +COUNT +TWICE *$/);
    expect(wide[5]).toMatch(/^ WIDE \. showing/);
    expect(wide[5]).not.toContain('hidden');
  });
});
