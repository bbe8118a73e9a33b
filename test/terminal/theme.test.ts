import { expect, test } from 'vitest';
import { bars, glyphs, toAscii } from '../../src/terminal/glyphs.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';
import { createTheme, type ThemeEnv } from '../../src/terminal/theme.ts';

const utf8 = { TERM: 'xterm', LANG: 'en_US.UTF-8' };

test.each<[ThemeEnv, string, string]>([
  [utf8, 'color', 'unicode'],
  [{ ...utf8, NO_COLOR: '1' }, 'attributes', 'unicode'],
  [{ ...utf8, NO_COLOR: '' }, 'color', 'unicode'],
  [{ ...utf8, NO_COLOR: '1', FORCE_COLOR: '1' }, 'color', 'unicode'],
  [{ ...utf8, FORCE_COLOR: '0' }, 'attributes', 'unicode'],
  [{ ...utf8, TERM: 'dumb' }, 'none', 'ascii'],
  [{ ...utf8, TERM: 'dumb', FORCE_COLOR: '1' }, 'none', 'ascii'],
  [{ ...utf8, LC_ALL: 'C' }, 'color', 'ascii'],
  [{ TERM: 'xterm', LC_CTYPE: 'C.UTF-8', LANG: 'C' }, 'color', 'unicode'],
  [{ TERM: 'xterm' }, 'color', 'ascii'],
])('%o gives %s and %s', (env, depth, charset) => {
  const theme = createTheme(env, 'linux');
  expect([theme.depth, theme.charset]).toEqual([depth, charset]);
});

test('Windows and macOS terminals need no locale', () => {
  expect(createTheme({}, 'win32').charset).toBe('unicode');
  expect(createTheme({}, 'darwin').charset).toBe('unicode');
});

test('every sign is one column wide and has an ASCII replacement', () => {
  for (const sign of [...Object.values(glyphs), ...bars]) {
    expect(widthOf(sign)).toBe(1);
    expect(toAscii(sign)).toMatch(/^[!->@-~]$/);
  }
  const { running, stopped, up, down, cursor, marked } = glyphs;
  expect(new Set([running, stopped, up, down, cursor, marked].map(toAscii)).size).toBe(6);
  expect(new Set(bars.map(toAscii)).size).toBe(bars.length);
});

test('toAscii keeps the width and replaces unknown characters by ?', () => {
  expect(toAscii(safe`a – b … ▲ é`)).toBe('a - b ~ ^ ?');
});
