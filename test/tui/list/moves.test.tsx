import { Profiler, type ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import { ThemeContext } from '../../../src/tui/components/drawing.tsx';
import { KeysProvider, useKeys } from '../../../src/tui/keys/use-keys.ts';
import { type ListColumn, ListView, useList } from '../../../src/tui/list/use-list.tsx';
import { createTerminal, endPainted, startPainted } from '../support/painted-rig.tsx';
import { plainTheme } from '../support/rig.tsx';
import { createKeymap } from '../../../src/screens/keys.ts';

afterEach(endPainted);

interface Row {
  readonly id: string;
  readonly text: string;
}

const columns: readonly ListColumn<Row>[] = [
  { id: 'id', header: safe`ID`, value: ({ id }) => id, format: ({ id }, { text }) => text(id), width: 8 },
  {
    id: 'text',
    header: safe`TEXT`,
    value: ({ text }) => text,
    format: (row, { text }) => text(row.text),
    width: { min: 6, max: 30 },
  },
  { id: 'rest', header: safe`REST`, value: () => '', format: () => safe``, width: { min: 4, max: 200, grow: 20 } },
];
const rowsOf = (count: number, text: (index: number) => string = () => 'same'): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `row-${String(index).padStart(3, '0')}`, text: text(index) }));
const getId = ({ id }: Row): string => id;
const initialSort = { columnId: 'id', isReversed: false };
const message = { text: safe`nothing` };
const noop = (): void => {};
const keymap = createKeymap({ isReadOnly: false });

interface RowsProps {
  readonly rows: readonly Row[];
  readonly generation: number;
  readonly onActed: (id: string) => void;
}

const Rows = ({ rows, generation, onActed }: RowsProps): ReactNode => {
  const list = useList({
    listKey: 'rows',
    table: 'rows',
    rows,
    columns,
    data: undefined,
    getId,
    initialSort,
    generation,
    noun: safe`row`,
    title: safe`Rows`,
    message,
    copyText: getId,
    width: 60,
    height: 12,
    notify: noop,
  });
  const { row } = list;
  useKeys(
    'row',
    row === undefined
      ? {}
      : {
          disconnect: () => {
            onActed(row.id);
          },
        },
  );
  return <ListView list={list} />;
};

/** A list on a terminal of 12 lines, with what was acted on, and how often React drew. */
const open = async (rows: readonly Row[]) => {
  const terminal = createTerminal(60, 12);
  const acted: string[] = [];
  let commits = 0;
  const tree = (shown: readonly Row[], generation: number): ReactNode => (
    <ThemeContext value={plainTheme}>
      <KeysProvider keymap={keymap}>
        <Profiler
          id="list"
          onRender={() => {
            commits += 1;
          }}
        >
          <Rows
            rows={shown}
            generation={generation}
            onActed={(id) => {
              acted.push(id);
            }}
          />
        </Profiler>
      </KeysProvider>
    </ThemeContext>
  );
  const rig = startPainted(terminal, tree(rows, 0));
  const cursorOn = (id: string): Promise<void> =>
    terminal.until((lines) => lines.some((line) => line.startsWith(`▸${id} `)));
  await cursorOn('row-000');
  return {
    ...rig,
    terminal,
    acted,
    cursorOn,
    commits: () => commits,
    refresh: (next: readonly Row[]) => {
      rig.rerender(tree(next, 1));
    },
  };
};

test('a move is drawn without a rendering, also when the list scrolls; React renders afterwards', async () => {
  const list = await open(rowsOf(100));
  const before = list.commits();
  for (let at = 1; at <= 30; at += 1) {
    list.type('j');
    await list.cursorOn(`row-${String(at).padStart(3, '0')}`);
  }
  // However slow the machine is: fewer than one for two keys, of which each waited for its screen.
  expect(list.commits() - before).toBeLessThan(15);
  await list.terminal.until((lines) => lines.at(-1)?.includes('row 31') === true);
  list.type('G');
  await list.cursorOn('row-099');
  list.type('k');
  await list.cursorOn('row-098');
});

test('an action applies to the row that the cursor was moved to', async () => {
  const list = await open(rowsOf(100));
  list.type('jjjK');
  await list.cursorOn('row-003');
  await expect.poll(() => list.acted).toEqual(['row-003']);
});

test('an action applies to the row that an earlier move was drawn on', async () => {
  const list = await open(rowsOf(100));
  list.type('j');
  await list.cursorOn('row-001');
  list.type('K');
  await expect.poll(() => list.acted).toEqual(['row-001']);
});

test('a refresh between a move and the rendering keeps the cursor where it was moved to', async () => {
  const list = await open(rowsOf(100));
  list.type('jj');
  await list.cursorOn('row-002');
  list.refresh(rowsOf(100, (index) => `new ${index}`));
  await list.terminal.until((lines) => lines.some((line) => line.includes('new 9')));
  expect(list.terminal.screen.lines().find((line) => line.startsWith('▸'))).toMatch(/^▸row-002 +new 2/);
});

test('columns grow for rows that a move scrolls in', async () => {
  const list = await open(rowsOf(100, (index) => (index === 50 ? 'a longer text than others' : 'short')));
  for (let count = 0; count < 5; count += 1) {
    list.type('\u001B[6~');
  }
  await list.cursorOn('row-045');
  await list.terminal.until((lines) => !lines.some((line) => line.includes('…')));
  expect(list.terminal.screen.lines().some((line) => line.includes('a longer text than others'))).toBe(true);
});
