import { expect, test } from 'vitest';
import { safe, trusted } from '../../../src/terminal/safe-text.ts';
import { formatCount } from '../../../src/terminal/format.ts';
import type { Column } from '../../../src/tui/components/column.ts';
import { rowSpeech } from '../../../src/tui/list/row-speech.ts';
import { colorTheme } from '../support/rig.tsx';

interface Item {
  readonly name: string;
  readonly queue: number | undefined;
  readonly note: string;
}

const columns: readonly Column<Item>[] = [
  {
    id: 'name',
    header: safe`NAME`,
    value: ({ name }) => name,
    format: ({ name }, { text }) => text(name),
    width: { min: 4 },
  },
  {
    id: 'queue',
    header: safe`QUEUE`,
    value: ({ queue }) => queue,
    format: ({ queue }) => formatCount(queue),
    width: 8,
  },
  { id: 'note', header: safe`NOTE`, value: ({ note }) => note, format: ({ note }) => trusted(note), width: { min: 4 } },
];

test('a row begins with its name, then come the cells with their headers', () => {
  expect(rowSpeech(colorTheme, { columns, row: { name: 'a', queue: 1_200, note: 'slow' }, data: undefined })).toBe(
    'a, queue 1,200, note slow',
  );
});

test('empty cells are left out, unknown ones are not', () => {
  expect(rowSpeech(colorTheme, { columns, row: { name: 'a', queue: undefined, note: '' }, data: undefined })).toBe(
    'a, queue unknown',
  );
});

test('the column that actions apply to comes first, and a mark is said', () => {
  expect(
    rowSpeech(colorTheme, {
      columns,
      row: { name: 'a', queue: 1, note: 'x' },
      data: undefined,
      targetId: 'note',
      isMarked: true,
    }),
  ).toBe('a, marked, note x, queue 1');
});

test('broker text is escaped', () => {
  expect(
    rowSpeech(colorTheme, { columns, row: { name: 'a\u001B[31m', queue: 1, note: '' }, data: undefined }),
  ).not.toContain('\u001B');
});
