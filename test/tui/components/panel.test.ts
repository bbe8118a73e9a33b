import { expect, test } from 'vitest';
import { spansWidth } from '../../../src/terminal/line.ts';
import { safe, type SafeText } from '../../../src/terminal/safe-text.ts';
import { openPanelRows, panelRows } from '../../../src/tui/components/panel.ts';
import type { SpanRow } from '../../../src/tui/components/blocks.ts';

const text = (rows: readonly SpanRow[]): readonly string[] => rows.map((row) => row.map((span) => span.text).join(''));

test('a panel has a border with its title and note', () => {
  expect(text(panelRows(24, 4, { title: safe`Nodes`, note: safe`3 running` }, [[{ text: safe`broker1` }]]))).toEqual([
    '╭ Nodes ─── 3 running ─╮',
    '│ broker1              │',
    '│                      │',
    '╰──────────────────────╯',
  ]);
});

test('has its foot in the border below, which keeps its corners whatever does not fit', () => {
  const bottom = (width: number, ...foot: readonly [SafeText, SafeText]): string | undefined =>
    text(panelRows(width, 3, { title: safe`Nodes`, foot }, [])).at(-1);
  expect(bottom(32, safe`showing 3 of 3`, safe`broker1`)).toBe('╰─ showing 3 of 3 ─── broker1 ─╯');
  expect(bottom(24, safe`showing 3 of 3`, safe``)).toBe('╰─ showing 3 of 3 ─────╯');
  expect(bottom(24, safe`showing 3 of 3`, safe`broker1`)).toBe('╰─ showing …  broker1 ─╯');
  for (let width = 8; width <= 60; width += 1) {
    expect(bottom(width, safe`a long text at the left`, safe`and one at the right`)).toMatch(
      new RegExp(`^╰─.{${width - 4}}─╯$`, 'u'),
    );
  }
});

test('is exactly as wide and high as asked, whatever does not fit', () => {
  const content: readonly SpanRow[] = [[{ text: safe`a line that is much too long for it` }], [], [], []];
  for (let width = 8; width <= 60; width += 1) {
    for (const height of [0, 1, 2, 3, 9]) {
      const rows = panelRows(width, height, { title: safe`A rather long title`, note: safe`and a note` }, content);
      expect(rows.length).toBe(height);
      expect(rows.map(spansWidth)).toEqual(rows.map(() => width));
    }
  }
});

test('without sides it keeps the title and all columns', () => {
  expect(
    text(
      openPanelRows(30, 2, { title: safe`Nodes`, note: safe`3 running` }, [[{ text: safe`x` }], [{ text: safe`y` }]]),
    ),
  ).toEqual([expect.stringMatching(/^── Nodes ─+ 3 running ─$/u), 'x']);
});
