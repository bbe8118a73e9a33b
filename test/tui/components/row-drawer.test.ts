import { describe, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { Column } from '../../../src/tui/components/column.ts';
import { createTableDrawer, tableLines, type TableModel } from '../../../src/tui/components/table.tsx';
import { asciiTheme, plainTheme } from '../support/rig.tsx';

interface Row {
  readonly id: string;
  readonly count: number;
}

const rows: readonly Row[] = Array.from({ length: 50 }, (_, index) => ({ id: `c${index}`, count: index }));

const setUp = () => {
  const drawn: string[] = [];
  const columns: readonly Column<Row, string>[] = [
    {
      id: 'id',
      header: safe`ID`,
      value: ({ id }) => id,
      format: ({ id }, { text }) => {
        drawn.push(id);
        return text(id);
      },
      width: { min: 8, max: 12 },
      isSticky: true,
    },
    {
      id: 'count',
      header: safe`COUNT`,
      value: ({ count }) => count,
      format: ({ count }, { data, text }) => text(`${count}${data}`),
      width: 9,
    },
  ];
  const first: TableModel<Row, string> = {
    rows,
    columns,
    data: ' x',
    getId: ({ id }) => id,
    cursorId: 'c1',
    cursorIndex: 1,
    top: 0,
    totalCount: 50,
  };
  const draw = createTableDrawer<Row, string>();
  let model = first;
  return {
    /** Applies a change and returns the ids of the redrawn rows; checks the lines against a first drawing. */
    redrawn: (patch: Partial<TableModel<Row, string>>, width = 40, theme = plainTheme): string => {
      model = { ...model, ...patch };
      drawn.length = 0;
      const lines = draw(theme, width, 8, model);
      const redrawnIds = [...drawn];
      expect(lines).toEqual(tableLines(theme, width, 8, model));
      return redrawnIds.join(' ');
    },
    columns,
  };
};

const all = 'c0 c1 c2 c3 c4 c5';

describe('redrawing a table', () => {
  test('redraws the old and new cursor row, and rows that scroll in', () => {
    const { redrawn } = setUp();
    expect(redrawn({})).toBe(all);
    expect(redrawn({})).toBe('');
    expect(redrawn({ cursorId: 'c2', cursorIndex: 2 })).toBe('c1 c2');
    expect(redrawn({ top: 2 })).toBe('c6 c7');
    expect(redrawn({ cursorId: undefined, footerNote: safe`3 gone` })).toBe('c2');
  });

  test('redraws a row that was refreshed, marked or changed', () => {
    const { redrawn } = setUp();
    redrawn({});
    expect(redrawn({ rows: rows.with(3, { id: 'c3', count: 99 }) })).toBe('c3');
    // Marks and changes take a column, so all rows are laid out again.
    expect(redrawn({ isMarked: () => false })).toBe(all);
    expect(redrawn({ isMarked: ({ id }) => id === 'c4' })).toBe('c4');
    expect(redrawn({ getPrevious: (id) => (id === 'c5' ? { id, count: 4 } : undefined) })).toBe('c5');
    expect(redrawn({ getPrevious: () => undefined })).toBe('c5');
    expect(redrawn({ getChange: () => undefined })).toBe(all);
    expect(redrawn({ getChange: ({ id }) => (id === 'c0' ? 'gone' : undefined) })).toBe('c0');
    expect(redrawn({ isStale: true })).toBe(all);
  });

  test('redraws all rows for another width, theme, layout or data', () => {
    const { redrawn, columns } = setUp();
    redrawn({});
    expect(redrawn({}, 39)).toBe(all);
    expect(redrawn({}, 39, asciiTheme)).toBe(all);
    expect(redrawn({ data: ' y' }, 39, asciiTheme)).toBe(all);
    expect(redrawn({ columnView: { offset: 1 } }, 39, asciiTheme)).toBe(all);
    expect(redrawn({ columns: columns.toReversed() }, 39, asciiTheme)).toBe(all);
  });
});
