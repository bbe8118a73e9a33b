import { stripVTControlCharacters } from 'node:util';
import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { afterEach, describe, expect, test } from 'vitest';
import {
  composeEnds,
  composeLine,
  coverLine,
  dimLine,
  type Line,
  overlayLine,
  wrapWords,
} from '../../src/terminal/line.ts';
import { escapeText, safe, trusted } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';
import { createTheme } from '../../src/terminal/theme.ts';
import { Rows } from '../../src/tui/components/drawing.tsx';
import { readWrapped } from '../support/wrapped-text.ts';
import { asciiTheme, colorTheme, createRig, endRigs, plainTheme } from '../tui/support/rig.tsx';

afterEach(endRigs);

const spans = fc.array(
  fc.record({
    text: fc.string({ unit: 'binary', maxLength: 8 }).map((raw) => escapeText(raw)),
    role: fc.constantFrom('normal' as const, 'error' as const, 'dim' as const),
  }),
  { maxLength: 6 },
);

describe('composeLine', () => {
  test('is exactly as wide as requested, in every theme', () => {
    fc.assert(
      fc.property(spans, fc.nat(40), fc.constantFrom(colorTheme, plainTheme, asciiTheme), (parts, width, theme) => {
        expect(stringWidth(composeLine(theme, width, parts, 'cursor'))).toBe(width);
        expect(stringWidth(composeEnds(theme, width, parts, [{ text: safe`end` }]))).toBe(width);
      }),
      { numRuns: 1500 },
    );
  });

  test('styles by role on top of a base', () => {
    const line = composeLine(colorTheme, 8, [{ text: safe`ab` }, { text: safe`cd`, role: 'error' }], 'cursor');
    expect(line).toBe('\u001B[7mab\u001B[0m\u001B[1;7;31mcd\u001B[0m\u001B[7m    \u001B[0m');
    expect(composeLine(plainTheme, 4, [{ text: safe`cd`, role: 'error' }])).toBe('\u001B[1mcd\u001B[0m  ');
    expect(composeLine(asciiTheme, 6, [{ text: safe`▸ …`, role: 'error' }])).toBe('> ~   ');
  });

  test('marks a cut, also when a later span does not fit at all', () => {
    expect(composeLine(plainTheme, 4, [{ text: safe`abcdef` }])).toBe('abc…');
    expect(composeLine(plainTheme, 4, [{ text: safe`abcd` }, { text: safe`e` }])).toBe('abc…');
    expect(composeLine(plainTheme, 4, [{ text: safe`abcd` }, { text: safe`` }])).toBe('abcd');
  });

  test('composeEnds keeps the right end when there is not enough room', () => {
    expect(composeEnds(plainTheme, 10, [{ text: safe`left side` }], [{ text: safe`right` }])).toBe('lef… right');
    expect(composeEnds(plainTheme, 12, [{ text: safe`left` }], [{ text: safe`right` }])).toBe('left   right');
    expect(composeEnds(plainTheme, 4, [{ text: safe`left side` }], [{ text: safe`right` }])).toBe('lef…');
  });
});

test.each([40, 80, 200])('Rows shows lines of %i columns unchanged', (width) => {
  const ids = [
    'sensor-1',
    '世界'.repeat(30),
    'x\u0301\u0308'.repeat(20),
    '\u001B]0;t\u0007',
    '👩‍👩‍👧',
    ' ',
    'e\u0301',
    'שלום',
    '각',
  ];
  const lines = ids.map((id) =>
    composeLine(colorTheme, width, [{ text: escapeText(id), role: 'ok' }, { text: safe`|` }], 'cursor'),
  );
  const rig = createRig(<Rows lines={lines} />, { columns: width });
  expect(rig.lines()).toEqual(lines.map((line) => stripVTControlCharacters(line)));
});

test('a theme without codes writes no escape byte', () => {
  expect(composeLine(asciiTheme, 20, [{ text: safe`●`, role: 'error' }], 'cursor')).toBe(`*${' '.repeat(19)}`);
});

/** Returns what is visible of lines on a screen. */
const visible = (lines: readonly string[]): string => lines.map((line) => line.trimEnd()).join('\n');

describe('wrapWords', () => {
  test('breaks at spaces, and inside words that are too long', () => {
    expect(wrapWords(trusted('to be or not to be'), 8)).toEqual(['to be', 'or not', 'to be']);
    expect(wrapWords(trusted('disconnect abcdefghijkl now'), 10)).toEqual(['disconnect', ' abcdefghi', 'jkl now']);
    expect(wrapWords(trusted('whole'), 5)).toEqual(['whole']);
    // Not between a number and its unit.
    expect(wrapWords(trusted('sessions (in 4 s) now'), 16)).toEqual(['sessions (in', '4 s) now']);
    expect(wrapWords(trusted('it lost 40 sessions'), 13)).toEqual(['it lost 40', 'sessions']);
  });

  test('never wraps two texts to lines that look the same', () => {
    const long = 'x'.repeat(36);
    const texts = [
      `${long} y`,
      `${long}  y`,
      `${long}y`,
      `${'x'.repeat(35)} y`,
      `${'x'.repeat(35)}界`,
      `${'x'.repeat(35)} 界`,
      `${'x'.repeat(34)} 界`,
      `${'x'.repeat(34)}  界`,
      `x${' '.repeat(36)}y`,
      `x${' '.repeat(37)}y`,
      `x${' '.repeat(72)}y`,
    ];
    expect(new Set(texts.map((text) => visible(wrapWords(trusted(text), 36)))).size).toBe(texts.length);
  });

  test('is reversible for any text and width', () => {
    const raw = fc.oneof(
      fc.array(fc.constantFrom('x', ' ', '界', '\\', 'e\u0331'), { maxLength: 60 }).map((parts) => parts.join('')),
      fc.array(fc.constantFrom('word', ' ', '  ', '界界'), { maxLength: 30 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(raw, fc.integer({ min: 2, max: 14 }), (text, width) => {
        const escaped = escapeText(text);
        const lines = wrapWords(escaped, width);
        expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
        expect(`${readWrapped(lines.slice(0, -1), width)}${lines.at(-1) ?? ''}`).toBe(escaped);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a line in the background', () => {
  const theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm-256color' }, 'linux', 'dark');

  test('has one faint colour', () => {
    const line = composeLine(theme, 20, [
      { text: safe`│ `, role: 'accent' },
      { text: safe`ab`, role: 'error' },
      { text: safe` 世`, role: 'key' },
      { text: safe`⣿⣿`, role: 'in' },
      { text: safe` x`, role: 'cursor' },
    ]);
    expect(dimLine(theme, line)).toBe('\u001B[38;5;240m│ ab 世⣿⣿ x         \u001B[0m');
  });

  test('is the same text without colours', () => {
    const plain = createTheme({ TERM: 'dumb' });
    const line = composeLine(plain, 12, [
      { text: safe`ab`, role: 'error' },
      { text: safe` 7`, role: 'cursor' },
    ]);
    expect(dimLine(plain, line)).toBe(line);
    expect(stripVTControlCharacters(dimLine(createTheme({ TERM: 'xterm', NO_COLOR: '1' }), line))).toBe(line);
  });
});

describe('a line over another one', () => {
  const theme = createTheme({ LANG: 'C.UTF-8', TERM: 'xterm-256color' }, 'linux', 'dark');
  const over = composeLine(theme, 3, [{ text: safe`xyz`, role: 'title' }]);
  const textAt = (under: Line, column: number): string => stripVTControlCharacters(coverLine(under, over, column, 3));

  test('takes its place', () => {
    const under = composeLine(theme, 12, [{ text: safe`│││││世│││││`, role: 'border' }]);
    expect([0, 1, 4, 5, 9].map((column) => textAt(under, column))).toEqual([
      'xyz││世│││││',
      '│xyz│世│││││',
      '││││xyz│││││',
      '│││││xyz││││',
      '│││││世││xyz',
    ]);
    // A wide character that is cut becomes a space.
    expect([3, 6].map((column) => textAt(under, column))).toEqual(['│││xyz │││││', '│││││ xyz│││']);
    for (let column = 0; column < 10; column += 1) expect(stringWidth(textAt(under, column))).toBe(12);
  });

  test('leaves nothing of the cells that it covers in part, and all of the others', () => {
    const under = composeLine(theme, 32, [{ text: safe`node-1  a b c d e f  ●  x 世  99` }]);
    expect([10, 3, 22].map((column) => textAt(under, column))).toEqual([
      'node-1    xyz        ●  x 世  99',
      '   xyz  a b c d e f  ●  x 世  99',
      'node-1  a b c d e f  ●xyz     99',
    ]);
    // A label that begins right beside what is covered is another cell.
    const labelled = composeLine(theme, 14, [{ text: safe`ab │ ` }, { text: safe`label`, role: 'dim' }]);
    expect(textAt(labelled, 2)).toBe('abxyzlabel    ');
    const bordered = composeLine(theme, 17, [
      { text: safe`│ab`, role: 'accent' },
      { text: safe` cd efg`, role: 'key' },
      { text: safe`⣿⣿  hi│` },
    ]);
    expect([4, 7, 12].map((column) => textAt(bordered, column))).toEqual([
      '│   xyz   ⣿⣿  hi│',
      '│      xyz⣿⣿  hi│',
      '│ab cd efg⣿⣿xyz │',
    ]);
  });

  test('leaves whole words of a text', () => {
    const under = composeLine(theme, 50, [{ text: safe`12:00:03  Problem: worker-1 is slow, queue full` }]);
    expect([28, 32, 20].map((column) => textAt(under, column).trimEnd())).toEqual([
      '12:00:03  Problem: worker-1 xyzslow, queue full',
      '12:00:03  Problem: worker-1 is  xyz  queue full',
      '12:00:03  Problem:  xyz     is slow, queue full',
    ]);
    // A time is a cell: "22s ago" would be another one.
    expect(textAt(composeLine(theme, 20, [{ text: safe`abc  3m 22s ago  x` }]), 5).trimEnd()).toBe(
      'abc  xyz         x',
    );
  });

  test('both parts keep their styles', () => {
    const under = composeLine(theme, 12, [
      { text: safe`│`, role: 'key' },
      { text: safe`││││││││`, role: 'error' },
    ]);
    const styled = coverLine(under, over, 4, 3);
    const [red] = composeLine(theme, 1, [{ text: safe`x`, role: 'error' }]).split('x');
    expect(styled.split(over)[1]?.startsWith(red ?? '?')).toBe(true);
    expect(styled.split(over)[0]?.endsWith('\u001B[0m')).toBe(true);
  });

  test('stands alone where there is none below, and may be over the cells beside it', () => {
    expect(stripVTControlCharacters(overlayLine(composeLine(theme, 8, [{ text: safe`▸ ab cd` }]), over, 2, 3))).toBe(
      '▸ xyzcd ',
    );
    expect(stripVTControlCharacters(coverLine(composeLine(theme, 9, []), over, 4, 3)).trimEnd()).toBe('    xyz');
  });
});
