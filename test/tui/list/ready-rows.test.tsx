import { setImmediate as pass } from 'node:timers/promises';
import type { ReactNode } from 'react';
import { afterEach, expect, test } from 'vitest';
import { safe } from '../../../src/terminal/safe-text.ts';
import type { RowChange } from '../../../src/tui/components/table.tsx';
import { type ListColumn, ListView, useList } from '../../../src/tui/list/use-list.tsx';
import { createRig, endRigs, type Rig } from '../support/rig.tsx';

afterEach(endRigs);

interface Row {
  readonly id: string;
  readonly rank: string;
}

let asked = 0;
const columns: readonly ListColumn<Row>[] = [
  {
    id: 'id',
    header: safe`ID`,
    value: ({ id }) => {
      asked += 1;
      return id;
    },
    format: ({ id }, { text }) => text(id),
    width: 12,
  },
  { id: 'rank', header: safe`RANK`, value: ({ rank }) => rank, format: ({ rank }, { text }) => text(rank), width: 8 },
];
const many = 12_000;
/** `row-a-0` and up, the last one with the lowest rank. */
const rowsOf = (count: number, letter: string): readonly Row[] =>
  Array.from({ length: count }, (_, index) => ({ id: `row-${letter}-${index}`, rank: `r${count - index}` }));
const getId = ({ id }: Row): string => id;
const initialSort = { columnId: 'id', isReversed: false };
const noop = (): void => {};
const textOf = (rig: Rig): string => rig.lines().join('\n');

interface RowsProps {
  readonly rows: readonly Row[];
  readonly getChange: (row: Row) => RowChange | undefined;
}

const Rows = ({ rows, getChange }: RowsProps): ReactNode => (
  <ListView
    list={useList({
      listKey: 'rows',
      table: 'rows',
      rows,
      columns,
      data: undefined,
      getId,
      initialSort,
      getChange,
      generation: rows,
      noun: safe`row`,
      title: safe`Rows`,
      message: { text: safe`nothing` },
      copyText: getId,
      width: 60,
      height: 12,
      notify: noop,
    })}
  />
);

const list = (rows: readonly Row[], getChange: (row: Row) => RowChange | undefined = () => undefined): ReactNode => (
  <Rows rows={rows} getChange={getChange} />
);

test('many new rows are sorted first; until then the previous ones stay, with their marks', async () => {
  const rig = createRig(list(rowsOf(many, 'a'), ({ id }) => (id === 'row-a-0' ? 'gone' : undefined)));
  expect(textOf(rig)).toMatch(/row-a-0 .*GONE/u);
  rig.rerender(list(rowsOf(many, 'b')));
  expect(textOf(rig)).toMatch(/row-a-0 .*GONE/u);
  await rig.until((text) => text.includes('row-b-0 '));
  expect(textOf(rig)).not.toMatch(/row-a-|GONE/u);
});

test('few rows are shown at once, even after many', () => {
  const rig = createRig(list(rowsOf(20, 'a')));
  rig.rerender(list(rowsOf(20, 'b')));
  expect(textOf(rig)).toContain('row-b-0 ');
  rig.rerender(list(rowsOf(many, 'c')));
  expect(textOf(rig)).toContain('row-b-0 ');
  rig.rerender(list(rowsOf(20, 'd')));
  expect(textOf(rig)).toContain('row-d-0 ');
});

test('rows are shown although newer ones keep arriving before they are ready', async () => {
  // More than one turn can put in order.
  const [first, second] = [rowsOf(60_000, 'b'), rowsOf(60_000, 'c')];
  const rig = createRig(list(rowsOf(60_000, 'a')));
  for (let turn = 0; turn < 200 && textOf(rig).includes('row-a-'); turn += 1) {
    rig.rerender(list(turn % 2 === 0 ? first : second));
    await pass();
  }
  expect(textOf(rig)).not.toContain('row-a-');
  rig.rerender(list(second));
  await rig.until((text) => text.includes('row-c-0 '));
});

test('rows are shown with the sort and filter set while they were prepared', async () => {
  const rig = createRig(list(rowsOf(many, 'a')));
  rig.rerender(list(rowsOf(many, 'b')));
  rig.type('>');
  await rig.until((text) => text.includes(`row-b-${many - 1} `));
  rig.type('/');
  await rig.until((text) => /^ \/ /mu.test(text));
  rig.type('id:-77');
  await rig.until((text) => text.includes('111 of 12,000'));
  rig.rerender(list(rowsOf(many, 'c')));
  await rig.until((text) => text.includes('row-c-7799 '));
  expect(textOf(rig)).toContain('111 of 12,000');
});

test('work on an unmounted list stops', async () => {
  const rig = createRig(list(rowsOf(many, 'a')));
  rig.rerender(list(rowsOf(many, 'b')));
  rig.unmount();
  const before = asked;
  for (let turn = 0; turn < 20; turn += 1) {
    await pass();
  }
  expect(asked).toBe(before);
});
