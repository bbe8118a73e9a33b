import { type Charset, escapeForWidth, escapeText, type SafeText } from './safe-text.ts';
import { escapeEnds } from './text-width.ts';
import type { ThemeName } from './theme-name.ts';

export type Color =
  | 'black'
  | 'red'
  | 'green'
  | 'yellow'
  | 'blue'
  | 'magenta'
  | 'cyan'
  | 'white'
  | 'gray'
  | 'brightRed'
  | 'brightGreen'
  | 'brightYellow'
  | 'brightBlue'
  | 'brightMagenta'
  | 'brightCyan';

/** A style; line.ts alone turns it into terminal codes. */
export interface Style {
  /** One of the terminal's 16 colours, the number of one of its 256, or any other. */
  readonly color?: Color | number | `#${string}` | undefined;
  readonly background?: Color | number | `#${string}` | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly underline?: boolean | undefined;
}

/** The meaning of a text. It is never expressed by colour alone, but also by a sign or a word. */
export type Role =
  | 'normal'
  | 'title'
  | 'header'
  | 'accent'
  | 'key'
  | 'dim'
  | 'ok'
  | 'warning'
  | 'error'
  | 'cursor'
  | 'marked'
  | 'changed'
  | 'added'
  | 'gone'
  | 'stale'
  | 'border'
  | 'in'
  | 'out'
  // From the axis of a graph to its top.
  | 'in1'
  | 'in2'
  | 'in3'
  | 'in4'
  | 'in5'
  | 'out1'
  | 'out2'
  | 'out3'
  | 'out4'
  | 'out5'
  | 'warning1'
  | 'warning2'
  | 'warning3'
  | 'warning4'
  | 'warning5'
  | 'error1'
  | 'error2'
  | 'error3'
  | 'error4'
  | 'error5';

type Styles = Readonly<Record<Role, Style>>;

type Steps = readonly [Style['color'], Style['color'], Style['color'], Style['color'], Style['color']];

interface Gradients {
  readonly in: Steps;
  readonly out: Steps;
  readonly warning: Steps;
  readonly error: Steps;
}

const gradients = ({ in: incoming, out, warning, error }: Gradients) => ({
  in1: { color: incoming[0] },
  in2: { color: incoming[1] },
  in3: { color: incoming[2] },
  in4: { color: incoming[3] },
  in5: { color: incoming[4] },
  out1: { color: out[0] },
  out2: { color: out[1] },
  out3: { color: out[2] },
  out4: { color: out[3] },
  out5: { color: out[4] },
  warning1: { color: warning[0] },
  warning2: { color: warning[1] },
  warning3: { color: warning[2] },
  warning4: { color: warning[3] },
  warning5: { color: warning[4] },
  error1: { color: error[0] },
  error2: { color: error[1] },
  error3: { color: error[2] },
  error4: { color: error[3] },
  error5: { color: error[4] },
});

const plain = (color: Style['color']): Steps => [color, color, color, color, color];

/** Styles for terminals with 16 colours, which the user chose to fit the background. */
const basic: Styles = {
  normal: {},
  title: { bold: true },
  header: { bold: true },
  accent: { color: 'cyan' },
  key: { bold: true, color: 'cyan' },
  dim: { dim: true },
  ok: { color: 'green' },
  warning: { color: 'yellow' },
  error: { bold: true, color: 'red' },
  cursor: { inverse: true },
  marked: { color: 'yellow' },
  changed: { bold: true },
  added: { color: 'green' },
  gone: { dim: true },
  stale: { dim: true },
  border: { dim: true },
  in: { color: 'cyan' },
  out: { color: 'magenta' },
  ...gradients({ in: plain('cyan'), out: plain('magenta'), warning: plain('yellow'), error: plain('red') }),
};

const dark: Styles = {
  ...basic,
  accent: { color: 75 },
  key: { bold: true, color: 75 },
  dim: { color: 247 },
  ok: { color: 114 },
  warning: { color: 179 },
  error: { bold: true, color: 203 },
  cursor: { background: 237 },
  marked: { color: 179 },
  added: { color: 114 },
  gone: { color: 247 },
  stale: { color: 247 },
  border: { color: 240 },
  in: { color: 37 },
  out: { color: 141 },
  ...gradients({
    in: [30, 37, 44, 80, 123],
    out: [97, 98, 141, 183, 225],
    warning: [136, 137, 179, 179, 222],
    error: [131, 167, 167, 203, 210],
  }),
};

const light: Styles = {
  ...dark,
  accent: { color: 26 },
  key: { bold: true, color: 26 },
  dim: { color: 240 },
  ok: { color: 22 },
  warning: { color: 94 },
  error: { bold: true, color: 160 },
  cursor: { background: 189 },
  marked: { color: 94 },
  added: { color: 22 },
  gone: { color: 240 },
  stale: { color: 240 },
  border: { color: 250 },
  in: { color: 30 },
  out: { color: 98 },
  ...gradients({
    in: [30, 30, 30, 23, 23],
    out: [104, 104, 98, 98, 54],
    warning: [130, 130, 94, 94, 94],
    error: [167, 160, 160, 124, 88],
  }),
};

/** Uses only colours that stand out from black and from white, and no faint text. */
const contrast: Styles = {
  ...basic,
  dim: {},
  gone: {},
  stale: { underline: true },
  border: {},
  accent: { bold: true },
  key: { bold: true, underline: true },
  warning: { bold: true, underline: true },
  error: { bold: true, color: 'red' },
  ok: {},
  marked: { bold: true },
  added: {},
  in: {},
  ...gradients({ in: plain(undefined), out: plain('magenta'), warning: plain(undefined), error: plain('red') }),
};

const palettes = { dark, light, 'high-contrast': contrast, 16: basic } as const;

/** Refines styles for terminals with 24-bit colour: smoother graphs, and a quieter selected row. */
const smooth = new Map<Styles, Styles>([
  [
    dark,
    {
      ...dark,
      cursor: { background: '#26364a' },
      ...gradients({
        in: ['#21727f', '#21727f', '#2f9aa8', '#45bcc7', '#6fe6ed'],
        out: ['#7159ae', '#7159ae', '#8362c9', '#a07fe0', '#cdb0ff'],
        warning: ['#866227', '#866227', '#b98d40', '#dcae50', '#f5cb6c'],
        error: ['#b9444b', '#b9444b', '#d65258', '#f26a6c', '#ff9a96'],
      }),
    },
  ],
  [
    light,
    {
      ...light,
      cursor: { background: '#dbe7f8' },
      ...gradients({
        in: ['#3f9aa6', '#3f9aa6', '#2b8795', '#1b7582', '#0a5f6c'],
        out: ['#9a82d6', '#9a82d6', '#8368c8', '#7050ba', '#5b34a8'],
        warning: ['#a8741a', '#95640f', '#825507', '#6e4703', '#593900'],
        error: ['#dc5a5a', '#cf4444', '#bd2f30', '#a31d1f', '#851012'],
      }),
    },
  ],
]);

/**
 * What the terminal can show. `none`: no codes; `attributes`: bold, dim, inverse, underline; `color`: those and 16
 * colours; `palette`: 256 or more.
 */
export type Depth = 'none' | 'attributes' | 'color' | 'palette';

export interface Theme {
  readonly depth: Depth;
  readonly charset: Charset;
  readonly styles: Styles;
  /** Escapes broker text for this terminal. With a width it reads only as much as can be shown. */
  readonly escape: (raw: string, width?: number) => SafeText;
  readonly escapeEnds: (raw: string, width: number) => SafeText;
}

export type ThemeEnv = Readonly<Record<string, string | undefined>>;

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

const chooseDepth = (env: ThemeEnv): Depth => {
  if (env['TERM'] === 'dumb') {
    return 'none';
  }
  const forced = env['FORCE_COLOR'];
  // By convention FORCE_COLOR overrides NO_COLOR, and `0` or `false` disables colour.
  if (forced !== undefined) {
    return forced === '0' || forced === 'false' ? 'attributes' : chooseColors(env);
  }
  return isSet(env['NO_COLOR']) ? 'attributes' : chooseColors(env);
};

const chooseColors = (env: ThemeEnv): Depth =>
  /256|direct|kitty|alacritty|ghostty/u.test(env['TERM'] ?? '') || isSet(env['COLORTERM']) ? 'palette' : 'color';

/** GNU screen has no 24-bit colour, whatever the terminal around it says. */
const hasTrueColor = (env: ThemeEnv): boolean => {
  const term = env['TERM'] ?? '';
  return (
    (/^(?:truecolor|24bit)$/iu.test(env['COLORTERM'] ?? '') || /direct|kitty|alacritty|ghostty/u.test(term)) &&
    !(term.startsWith('screen') && !isSet(env['TMUX']))
  );
};

/** Whether COLORFGBG, which some terminals set, says that the background is light. */
const isLightByEnvironment = (env: ThemeEnv): boolean => /;(?:7|15)$/u.test(env['COLORFGBG'] ?? '');

const chooseCharset = (env: ThemeEnv, platform: NodeJS.Platform): Charset => {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux' || env['TERM']?.startsWith('vt') === true) {
    return 'ascii';
  }
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(isSet);
  if (locale === undefined) {
    // Windows and macOS terminals support UTF-8 without a locale; elsewhere none means the C locale.
    return platform === 'win32' || platform === 'darwin' ? 'unicode' : 'ascii';
  }
  return /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
};

const createStyled = (depth: Depth, charset: Charset, styles: Styles): Theme => ({
  depth,
  charset,
  styles,
  escape: (raw, width) => (width === undefined ? escapeText(raw, charset) : escapeForWidth(raw, width, charset)),
  escapeEnds: (raw, width) => escapeEnds(raw, width, charset),
});

/** Derives what the terminal can show from TERM, COLORTERM, NO_COLOR, FORCE_COLOR, COLORFGBG and the locale. */
export const createTheme = (
  env: ThemeEnv,
  platform: NodeJS.Platform = process.platform,
  name: ThemeName = 'auto',
): Theme => {
  const charset = chooseCharset(env, platform);
  const depth = chooseDepth(env);
  if (name === 'mono') return createStyled(depth === 'none' ? 'none' : 'attributes', charset, basic);
  if (depth !== 'palette') return createStyled(depth, charset, name === 'high-contrast' ? contrast : basic);
  const chosen = name === 'auto' ? (isLightByEnvironment(env) ? 'light' : 'dark') : name;
  const styles = palettes[chosen];
  return createStyled(
    chosen === '16' ? 'color' : 'palette',
    charset,
    (hasTrueColor(env) ? smooth.get(styles) : undefined) ?? styles,
  );
};

/** Returns the theme for a background that the terminal reported; the same one where that changes nothing. */
export const onBackground = (theme: Theme, isLight: boolean): Theme => {
  const pairs = [
    [dark, light],
    [smooth.get(dark), smooth.get(light)],
  ] as const;
  const pair = pairs.find((each) => each.includes(theme.styles));
  const styles = pair?.[isLight ? 1 : 0] ?? theme.styles;
  return theme.styles === styles ? theme : createStyled(theme.depth, theme.charset, styles);
};
