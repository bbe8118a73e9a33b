import { describe, expect, test } from 'vitest';
import { glyphs, asciiGlyphs } from '../../src/terminal/glyphs.ts';
import { composeLine } from '../../src/terminal/line.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';
import type { ThemeName } from '../../src/terminal/theme-name.ts';
import {
  createTheme,
  onBackground,
  type Role,
  type Style,
  type Theme,
  type ThemeEnv,
} from '../../src/terminal/theme.ts';

const utf8 = { TERM: 'xterm', LANG: 'en_US.UTF-8' };

test.each<[ThemeEnv, string, string]>([
  [utf8, 'color', 'unicode'],
  [{ ...utf8, TERM: 'xterm-256color' }, 'palette', 'unicode'],
  [{ ...utf8, COLORTERM: 'truecolor' }, 'palette', 'unicode'],
  [{ ...utf8, TERM: 'xterm-256color', NO_COLOR: '1' }, 'attributes', 'unicode'],
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

describe('the named themes', () => {
  const many = { ...utf8, TERM: 'xterm-256color' };
  const error = (theme: Theme): string => composeLine(theme, 1, [{ text: safe`!`, role: 'error' }]);

  test.each<[ThemeName, ThemeEnv, string]>([
    ['auto', many, '\u001B[1;38;5;203m!\u001B[0m'],
    ['auto', { ...many, COLORFGBG: '0;15' }, '\u001B[1;38;5;160m!\u001B[0m'],
    ['light', many, '\u001B[1;38;5;160m!\u001B[0m'],
    ['high-contrast', many, '\u001B[1;31m!\u001B[0m'],
    ['16', many, '\u001B[1;31m!\u001B[0m'],
    ['mono', many, '\u001B[1m!\u001B[0m'],
    ['light', utf8, '\u001B[1;31m!\u001B[0m'],
    ['dark', { ...many, NO_COLOR: '1' }, '\u001B[1m!\u001B[0m'],
    ['dark', { TERM: 'dumb' }, '!'],
  ])('%s with %o', (name, env, line) => {
    expect(error(createTheme(env, 'linux', name))).toBe(line);
  });

  test.each<[ThemeEnv, string]>([
    [many, '\u001B[38;5;37m!\u001B[0m'],
    [{ ...many, COLORTERM: 'truecolor' }, '\u001B[38;2;33;114;127m!\u001B[0m'],
    [{ ...utf8, TERM: 'xterm-direct' }, '\u001B[38;2;33;114;127m!\u001B[0m'],
    [{ ...utf8, TERM: 'screen-256color', COLORTERM: 'truecolor' }, '\u001B[38;5;37m!\u001B[0m'],
    [
      { ...utf8, TERM: 'screen-256color', COLORTERM: 'truecolor', TMUX: '/tmp/tmux-0/default,1,0' },
      '\u001B[38;2;33;114;127m!\u001B[0m',
    ],
  ])('%o draws graphs with the colours that it has', (env, line) => {
    expect(composeLine(createTheme(env, 'linux'), 1, [{ text: safe`!`, role: 'in2' }])).toBe(line);
  });

  test('nothing blinks', () => {
    for (const name of ['dark', 'light', 'high-contrast', '16', 'mono'] as const) {
      const theme = createTheme(many, 'linux', name);
      const lines = (Object.keys(theme.styles) as Role[]).map((role) =>
        composeLine(theme, 1, [{ text: safe`!`, role }]),
      );
      expect(lines.join('').replace(/[34]8;5;\d+/gu, '')).not.toMatch(/\u001B\[(?:[\d;]*;)?[56](?:;[\d;]*)?m/u);
    }
  });

  test('the background changes only a theme that depends on it', () => {
    const smooth = { ...many, COLORTERM: 'truecolor' };
    expect(onBackground(createTheme(smooth, 'linux', 'dark'), true).styles).toBe(
      createTheme(smooth, 'linux', 'light').styles,
    );
    expect(error(onBackground(createTheme(many, 'linux'), true))).toBe('\u001B[1;38;5;160m!\u001B[0m');
    for (const theme of [
      createTheme(utf8, 'linux'),
      createTheme(many, 'linux', 'high-contrast'),
      createTheme(many, 'linux', 'mono'),
      createTheme(many, 'linux', 'light'),
    ]) {
      expect(onBackground(theme, true)).toBe(theme);
    }
  });

  /** The sixteen colours as xterm draws them. */
  const sixteen: Readonly<Record<string, readonly number[]>> = {
    black: [0, 0, 0],
    white: [255, 255, 255],
    red: [205, 0, 0],
    magenta: [205, 0, 205],
  };

  const rgb = (color: Style['color']): readonly number[] => {
    if (color !== undefined && typeof color !== 'number' && color.startsWith('#'))
      return [...Buffer.from(color.slice(1), 'hex')];
    if (typeof color !== 'number') return sixteen[color ?? ''] ?? [];
    if (color >= 232) return Array.from({ length: 3 }, () => 8 + 10 * (color - 232));
    return [36, 6, 1].map((place) => [0, 95, 135, 175, 215, 255][Math.floor((color - 16) / place) % 6] ?? Number.NaN);
  };

  /** WCAG 2: relative luminance, and the contrast of two colours, 1 to 21. */
  const luminance = (color: Style['color']): number =>
    rgb(color)
      .map((value) => (value / 255 <= 0.04045 ? value / 255 / 12.92 : ((value / 255 + 0.055) / 1.055) ** 2.4))
      .reduce((sum, value, index) => sum + value * ([0.2126, 0.7152, 0.0722][index] ?? 0), 0);
  const contrastOf = (a: Style['color'], b: Style['color']): number => {
    const [low = 0, high = 0] = [luminance(a), luminance(b)].toSorted((first, second) => first - second);
    return (high + 0.05) / (low + 0.05);
  };

  const textRoles = ['accent', 'key', 'dim', 'ok', 'warning', 'error', 'marked', 'added', 'gone', 'stale'] as const;

  const graphRoles = [
    'in',
    'out',
    ...(['in', 'out', 'warning', 'error'] as const).flatMap((hue) =>
      ([1, 2, 3, 4, 5] as const).map((step) => `${hue}${step}` as const),
    ),
  ] as const;

  // 234 and 230: about the backgrounds of usual dark and light colour schemes.
  test.each<[ThemeName, readonly Style['color'][]]>([
    ['dark', ['black', 234]],
    ['light', ['white', 230]],
    ['high-contrast', ['black', 'white']],
  ])('text and graphs in %s stand out from %j and from the selected row', (name, backgrounds) => {
    const { styles } = createTheme(many, 'linux', name);
    const { background: selected } = styles.cursor;
    const surfaces = [
      ...backgrounds.map((surface) => ({ surface, text: name === 'high-contrast' ? 3.5 : 4.5 })),
      ...(selected === undefined ? [] : [{ surface: selected, text: 3 }]),
    ];
    const faintOn = (roles: readonly Role[], surface: Style['color'], min: number): readonly string[] =>
      roles
        .filter((role) => styles[role].color !== undefined && contrastOf(styles[role].color, surface) < min)
        .map((role) => `${role} on ${surface}`);
    expect(textRoles.filter((role) => styles[role].color !== undefined)).toContain('error');
    expect(surfaces.flatMap(({ surface, text }) => faintOn(textRoles, surface, text))).toEqual([]);
    expect(backgrounds.flatMap((surface) => faintOn(graphRoles, surface, 3))).toEqual([]);
    const smooth = createTheme({ ...many, COLORTERM: 'truecolor' }, 'linux', name).styles;
    expect(
      backgrounds.flatMap((surface) =>
        graphRoles.filter((role) => smooth[role].color !== undefined && contrastOf(smooth[role].color, surface) < 3),
      ),
    ).toEqual([]);
  });

  test('the selected row keeps the colours of what is in it', () => {
    expect(
      composeLine(createTheme(many, 'linux'), 2, [{ text: safe`a` }, { text: safe`!`, role: 'error' }], 'cursor'),
    ).toBe('\u001B[48;5;237ma\u001B[0m\u001B[1;38;5;203;48;5;237m!\u001B[0m');
  });
});

test('Windows and macOS terminals need no locale', () => {
  expect(createTheme({}, 'win32').charset).toBe('unicode');
  expect(createTheme({}, 'darwin').charset).toBe('unicode');
});

test('every sign is one column wide and has an ASCII replacement', () => {
  for (const sign of Object.values(glyphs)) {
    expect(widthOf(sign)).toBe(1);
    expect(asciiGlyphs(sign)).toMatch(/^[!->@-~]$/);
  }
  const { running, stopped, up, down, cursor, marked } = glyphs;
  expect(new Set([running, stopped, up, down, cursor, marked].map(asciiGlyphs)).size).toBe(6);
  expect(asciiGlyphs(glyphs.gaugeFull)).not.toBe(asciiGlyphs(glyphs.gaugeEmpty));
});

test('toAscii keeps the width and replaces unknown characters by ?', () => {
  expect(asciiGlyphs(safe`a – b … ▲ é`)).toBe('a - b ~ ^ ?');
});
