import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { lineDifference } from '../../src/terminal/frame-difference.ts';
import { composeLine, type Line, type Span } from '../../src/terminal/line.ts';
import { escapeText, safe, type SafeText } from '../../src/terminal/safe-text.ts';
import type { Role } from '../../src/terminal/theme.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { colorTheme } from '../tui/support/rig.tsx';

const width = 24;
const roles: readonly Role[] = ['normal', 'title', 'dim', 'ok', 'error', 'cursor', 'changed', 'key'];

/** Parts that lines often have in common, so that differences begin and end anywhere. */
const text = fc
  .array(
    fc.constantFrom(
      'a',
      'b',
      '10',
      '1',
      ' ',
      '●',
      '▆',
      '▇',
      'é',
      'e\u0301',
      '漢',
      '字',
      '𠀀',
      'ก\u0E34',
      '\u001B',
      '…',
    ),
    { maxLength: 10 },
  )
  .map((parts) => escapeText(parts.join('')));
const spans: fc.Arbitrary<readonly Span[]> = fc.array(fc.record({ text, role: fc.constantFrom(...roles) }), {
  maxLength: 5,
});
const base = fc.constantFrom<Role>('normal', 'cursor', 'stale');
const line = fc.tuple(spans, base).map(([parts, role]) => composeLine(colorTheme, width, parts, role));

/** The cells of a screen of one row after these outputs. */
const cellsAfter = async (...outputs: readonly string[]) => cellsOf(width, ...outputs);

const cellsOf = async (columns: number, ...outputs: readonly string[]) => {
  const screen = new TerminalScreen(columns, 1);
  await screen.write(outputs.join(''));
  const cells = screen.row(0);
  screen.dispose();
  // Nobody sees the colour of a blank.
  return cells.map((cell) =>
    cell.char === ' ' && !cell.underline && !cell.inverse && cell.background === 'default'
      ? { ...cell, bold: false, dim: false, foreground: 'default' }
      : cell,
  );
};

const compose = (...parts: readonly Span[]): Line => composeLine(colorTheme, width, parts);

describe('lineDifference', () => {
  test('begins at the column where the lines differ, also after styles, wide characters and marks', () => {
    const at = (...before: readonly Span[]): number | undefined =>
      lineDifference(compose(...before, { text: safe`1` }), compose(...before, { text: safe`2` }))?.column;
    expect(at({ text: safe`ab ` }, { text: safe`cd`, role: 'ok' })).toBe(5);
    expect(at({ text: escapeText('漢字') })).toBe(4);
    expect(at({ text: escapeText('ก\u0E34') }, { text: safe`ab`, role: 'changed' })).toBe(3);
    expect(at({ text: escapeText('𠀀') }, { text: safe`●` })).toBe(3);
  });

  test('leaves the same line as a whole write, and the terminal unstyled', async () => {
    await fc.assert(
      fc.asyncProperty(line, line, async (previous, next) => {
        const difference = lineDifference(previous, next);
        if (difference === undefined) {
          return;
        }
        const { column, text: change } = difference;
        const whole = await cellsAfter(`\u001B[?7l${next}\u001B[1;1H\u001B[1Cx`);
        expect(await cellsAfter(`\u001B[?7l${previous}\u001B[1;${column + 1}H${change}\u001B[1;1H\u001B[1Cx`)).toEqual(
          whole,
        );
      }),
      { numRuns: 400 },
    );
  });

  test('writes only the middle if only that changed', () => {
    const before = compose({ text: safe`clients ` }, { text: safe`1,204`, role: 'title' }, { text: safe` subs 7` });
    const after = compose({ text: safe`clients ` }, { text: safe`1,299`, role: 'title' }, { text: safe` subs 7` });
    expect(lineDifference(before, after)).toEqual({ column: 11, text: '\u001B[1m99\u001B[0m' });
  });

  test('jumps over what did not change between two changes', async () => {
    const wide = (value: number, level: string): Line =>
      composeLine(colorTheme, 80, [
        { text: safe`bytes ` },
        { text: safe`${value}`, role: 'title' },
        { text: safe` ${'─'.repeat(40) as SafeText} ` },
        { text: level as SafeText, role: 'in' },
        { text: safe` │`, role: 'dim' },
      ]);
    const [before, after] = [wide(1_204, '⣀⣀⣀⣤'), wide(1_209, '⣀⣀⣤⣤')];
    const { column = 0, text: change = '' } = lineDifference(before, after) ?? {};
    expect(change.length).toBeLessThan(40);
    expect(change).toMatch(/\u001B\[\d+C/u);
    expect(await cellsOf(80, before, `\u001B[1;${column + 1}H${change}`)).toEqual(await cellsOf(80, after));
  });

  test('leaves the same line where many parts of a wide one change', async () => {
    const part = fc.record({
      text: fc
        .constantFrom('a', 'b'.repeat(9), '⣀'.repeat(5), '⣤'.repeat(5), '⠶⠦⠤⠤', ' '.repeat(12), '漢')
        .map((raw) => escapeText(raw)),
      role: fc.constantFrom(...roles),
    });
    const wide = fc.array(part, { maxLength: 14 }).map((parts) => composeLine(colorTheme, 90, parts));
    await fc.assert(
      fc.asyncProperty(wide, wide, async (previous, next) => {
        const difference = lineDifference(previous, next);
        if (difference === undefined) return;
        expect(
          await cellsOf(90, `${previous}\u001B[1;${difference.column + 1}H${difference.text}\u001B[1;1H\u001B[1Cx`),
        ).toEqual(await cellsOf(90, `${next}\u001B[1;1H\u001B[1Cx`));
      }),
      { numRuns: 300 },
    );
  });

  test('writes text again whose style changed', () => {
    const before = compose({ text: safe`a` }, { text: safe`bc`, role: 'dim' }, { text: safe`d` });
    const after = compose({ text: safe`a` }, { text: safe`bc`, role: 'title' }, { text: safe`d` });
    expect(lineDifference(before, after)).toMatchObject({ column: 1 });
  });

  test('does not split a letter from its mark', () => {
    const before = compose({ text: escapeText('ก\u0E34ข') });
    const after = compose({ text: escapeText('ก\u0E35ข') });
    expect(lineDifference(before, after)).toEqual({ column: 0, text: 'ก\u0E35' });
  });

  test('is undefined when the widths differ', () => {
    expect(
      lineDifference(
        composeLine(colorTheme, 4, [{ text: safe`abc` }]),
        composeLine(colorTheme, 6, [{ text: safe`a` }]),
      ),
    ).toBeUndefined();
  });
});
