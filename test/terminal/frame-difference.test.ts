import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { frameDifference, type PaintedRows } from '../../src/terminal/frame-difference.ts';
import { composeLine, type Line } from '../../src/terminal/line.ts';
import { safe, trusted } from '../../src/terminal/safe-text.ts';
import type { Role } from '../../src/terminal/theme.ts';
import { TerminalScreen } from '../support/terminal-screen.ts';
import { colorTheme } from '../tui/support/rig.tsx';

const width = 60;
const height = 16;
const word = 'broker1@127.0.0.1 mqtt 3.1.1 10.1.2.3';

const row = (number: number, role: Role = 'normal'): Line =>
  composeLine(
    colorTheme,
    width,
    [{ text: safe`sensor-${number * 7919 + 1_000}`, role }, { text: safe` ${trusted(word.slice(number % 7))}` }],
    role === 'cursor' ? 'cursor' : 'normal',
  );

/** A list from row `top` with a cursor, between header and footer. */
const list = (top: number, cursor: number, note: number): PaintedRows =>
  Array.from({ length: height }, (_, index) =>
    index === 0 || index === height - 1
      ? row(100_000 + note)
      : row(top + index, top + index === cursor ? 'cursor' : 'normal'),
  );

const screenOf = async (...outputs: readonly string[]) => {
  const screen = new TerminalScreen(width, height);
  await screen.write(outputs.join(''));
  const rows = Array.from({ length: height }, (_, y) => screen.row(y));
  // Texts are compared in a tenth of the time.
  const cells = rows.map((each) => JSON.stringify(each));
  // Without a scroll region a line feed at the end moves the whole screen.
  await screen.write(`\u001B[${height};1H\n`);
  const isWhole =
    screen
      .row(0)
      .map(({ char }) => char)
      .join('') === rows[1]?.map(({ char }) => char).join('');
  screen.dispose();
  return { cells, isWhole };
};

const bytesOf = (before: PaintedRows, after: PaintedRows): number => Buffer.byteLength(frameDifference(before, after));

describe('one frame after another', () => {
  const line = fc.oneof(
    { arbitrary: fc.nat(12).map((number): Line | undefined => row(number)), weight: 6 },
    fc.constant(undefined),
    fc.nat(12).map((number) => row(number, 'cursor')),
  );
  const anyFrame = fc.array(line, { minLength: height, maxLength: height });
  const listFrame = fc.tuple(fc.nat(20), fc.nat(30), fc.nat(3)).map(([top, cursor, note]) => list(top, cursor, note));
  const pair = fc.oneof(
    fc.tuple(anyFrame, anyFrame),
    fc.tuple(listFrame, listFrame),
    fc
      .tuple(anyFrame, anyFrame, fc.nat(height), fc.integer({ min: -6, max: 6 }))
      .map(([before, other, at, by]): [PaintedRows, PaintedRows] => [
        before,
        other.map((line, index) => (index > at ? before[index + by] : line)),
      ]),
  );

  test('leaves the same screen as a whole write, and no scroll region', async () => {
    await fc.assert(
      fc.asyncProperty(pair, async ([before, after]) => {
        const whole = await screenOf(frameDifference(undefined, after));
        expect(await screenOf(frameDifference(undefined, before), frameDifference(before, after))).toEqual({
          ...whole,
          isWhole: true,
        });
      }),
      { numRuns: 150 },
    );
  });

  test.each([1, -1, 3, -3])('a list scrolled by %d rows is moved by the terminal', (by) => {
    const bytes = bytesOf(list(10, 12, 0), list(10 + by, 12 + by, 0));
    // One row and the cursor's codes, not every row.
    expect(bytes).toBeLessThan(Math.abs(by) * 60 + 180);
    expect(frameDifference(list(10, 12, 0), list(10 + by, 12 + by, 0))).toMatch(/\u001B\[\d+;\d+r/);
  });

  test('lines side by side change alone, and scroll with the line at the left', async () => {
    const left = 30;
    const beside = (rows: PaintedRows, note: number): PaintedRows =>
      rows.map((line, index) =>
        line === undefined
          ? undefined
          : [
              composeLine(
                colorTheme,
                left,
                [{ text: trusted(`sensor-${String(line).length * 7919}-${index}`) }],
                index === note ? 'cursor' : 'normal',
              ),
              composeLine(colorTheme, width - left, [{ text: safe`${index === 3 ? note : index} of 7` }]),
            ],
      );
    const [before, after] = [beside(list(1, 2, 0), 4), beside(list(1, 2, 0), 5)];
    const whole = await screenOf(frameDifference(undefined, after));
    expect(await screenOf(frameDifference(undefined, before), frameDifference(before, after))).toEqual({
      ...whole,
      isWhole: true,
    });
    expect(frameDifference(before, after)).toContain(`\u001B[4;${left + 1}H5`);
    const scrolled = [...after.slice(0, 1), ...after.slice(2, -1), ...after.slice(-2)].map(
      (line, index): PaintedRows[number] => {
        const [, right] = typeof after[index] === 'object' ? after[index] : [];
        return typeof line === 'object' && line[0] !== undefined && right !== undefined ? [line[0], right] : line;
      },
    );
    expect(await screenOf(frameDifference(undefined, after), frameDifference(after, scrolled))).toEqual({
      ...(await screenOf(frameDifference(undefined, scrolled))),
      isWhole: true,
    });
    expect(frameDifference(after, after)).toBe('');
    expect(frameDifference(after, list(1, 2, 0))).not.toBe('');
  });

  test('an inserted row scrolls only the rows below it', () => {
    const before = list(10, 12, 0);
    const after = [...before.slice(0, 6), row(999), ...before.slice(6, -2), ...before.slice(-1)];
    expect(frameDifference(before, after)).toMatch(/^\u001B\[7;15r\u001B\[7;1H\u001BM\u001B\[r\u001B\[7;1H/);
  });

  test('nothing is scrolled where only cells changed', () => {
    expect(frameDifference(list(10, 12, 0), list(10, 13, 1))).not.toMatch(/\u001B\[[\d;]*r|\n/);
    expect(frameDifference(list(10, 12, 0), list(10, 12, 0))).toBe('');
  });
});
