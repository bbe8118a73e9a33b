import { describe, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { Column } from '../../../src/ui/components/column.ts';
import type { TableModel } from '../../../src/ui/components/table-lines.ts';
import { createTableDrawer, tableLines } from '../../../src/ui/components/table.tsx';
import { asciiTheme, plainTheme } from '../support/rig.tsx';

interface Row {
  readonly id: string;
  readonly count: number;
}

const rows: readonly Row[] = Array.from({ length: 50 }, (_, index) => ({ id: `c${index}`, count: index }));

const setUp = () => {
  const drawn: string[] = [];
  const columns: readonly Column<Row, string>[] = [
    { id: 'id', header: safe`ID`, value: ({ id }) => id, format: ({ id }, { text }) => { drawn.push(id); return text(id); }, width: { min: 8, max: 12 }, isSticky: true },
    { id: 'count', header: safe`COUNT`, value: ({ count }) => count, format: ({ count }, { data, text }) => text(`${count}${data}`), width: 9 },
  ];
  const first: TableModel<Row, string> = { rows, columns, data: ' x', getId: ({ id }) => id, cursorId: 'c1', cursorIndex: 1, top: 0, totalCount: 50 };
  const draw = createTableDrawer<Row, string>();
  let model = first;
  return {
    /** Draws what has changed; the answer is which rows were made anew. The lines are as if all had been drawn for the first time. */
    redrawn: (patch: Partial<TableModel<Row, string>>, width = 40, theme = plainTheme): string => {
      model = { ...model, ...patch };
      drawn.length = 0;
      const lines = draw(theme, width, 8, model);
      const anew = [...drawn];
      expect(lines).toEqual(tableLines(theme, width, 8, model));
      return anew.join(' ');
    },
    columns,
  };
};

const all = 'c0 c1 c2 c3 c4 c5';

describe('a table that is drawn again', () => {
  test('makes the rows anew that the cursor leaves and comes to, and those that come into sight', () => {
    const { redrawn } = setUp();
    expect(redrawn({})).toBe(all);
    expect(redrawn({})).toBe('');
    expect(redrawn({ cursorId: 'c2', cursorIndex: 2 })).toBe('c1 c2');
    expect(redrawn({ top: 2 })).toBe('c6 c7');
    expect(redrawn({ cursorId: undefined, footerNote: safe`3 gone` })).toBe('c2');
  });

  test('makes a row anew that was read anew, marked, or differs from what it was', () => {
    const { redrawn } = setUp();
    redrawn({});
    expect(redrawn({ rows: rows.with(3, { id: 'c3', count: 99 }) })).toBe('c3');
    // Where rows can be marked, or have a mark, there is a place for it: all rows are laid out anew.
    expect(redrawn({ isMarked: () => false })).toBe(all);
    expect(redrawn({ isMarked: ({ id }) => id === 'c4' })).toBe('c4');
    expect(redrawn({ getPrevious: (id) => (id === 'c5' ? { id, count: 4 } : undefined) })).toBe('c5');
    expect(redrawn({ getPrevious: () => undefined })).toBe('c5');
    expect(redrawn({ getChange: () => undefined })).toBe(all);
    expect(redrawn({ getChange: ({ id }) => (id === 'c0' ? 'gone' : undefined) })).toBe('c0');
    expect(redrawn({ isStale: true })).toBe(all);
  });

  test('makes all rows anew for another width, theme, layout, or other data', () => {
    const { redrawn, columns } = setUp();
    redrawn({});
    expect(redrawn({}, 39)).toBe(all);
    expect(redrawn({}, 39, asciiTheme)).toBe(all);
    expect(redrawn({ data: ' y' }, 39, asciiTheme)).toBe(all);
    expect(redrawn({ columnView: { offset: 1 } }, 39, asciiTheme)).toBe(all);
    expect(redrawn({ columns: columns.toReversed() }, 39, asciiTheme)).toBe(all);
  });
});
