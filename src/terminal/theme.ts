import { type Charset, escapeText, escapeWithin, type SafeText } from './safe-text.ts';
import { escapeEnds } from './text-width.ts';

/** The sixteen colours that every terminal has, by their common names. */
export type Color =
  | 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white' | 'gray'
  | 'brightRed' | 'brightGreen' | 'brightYellow' | 'brightBlue' | 'brightMagenta' | 'brightCyan';

/** How a piece of text looks. Turned into terminal codes by widgets/line.ts alone. */
export interface Style {
  readonly color?: Color | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly underline?: boolean | undefined;
}

/** What a piece of text means. A role never carries its meaning by colour alone: a sign or a word says it too. */
export type Role =
  | 'normal' | 'title' | 'header' | 'accent' | 'key' | 'dim'
  | 'ok' | 'warning' | 'error'
  | 'cursor' | 'marked' | 'changed' | 'added' | 'gone' | 'stale';

const styles: Readonly<Record<Role, Style>> = {
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
};

/** `none` sends no codes at all, `attributes` bold, dim, inverse and underline, `color` those and colours. */
export type Depth = 'none' | 'attributes' | 'color';

export interface Theme {
  readonly depth: Depth;
  readonly charset: Charset;
  readonly styles: Readonly<Record<Role, Style>>;
  /** Makes broker text safe for this terminal. With a width it reads no more than can be seen there. */
  readonly escape: (raw: string, width?: number) => SafeText;
  /** The text of an identifier made safe and cut in its middle where it is wider than so many columns. */
  readonly escapeEnds: (raw: string, width: number) => SafeText;
}

/** Variables of the environment that say what the terminal can do; `process.env` fits. */
export type ThemeEnv = Readonly<Record<string, string | undefined>>;

const isSet = (value: string | undefined): value is string => value !== undefined && value !== '';

const chooseDepth = (env: ThemeEnv): Depth => {
  if (env['TERM'] === 'dumb') {
    return 'none';
  }
  const forced = env['FORCE_COLOR'];
  // As everywhere: FORCE_COLOR wins over NO_COLOR, and `0` or `false` forces colour off.
  if (forced !== undefined) {
    return forced === '0' || forced === 'false' ? 'attributes' : 'color';
  }
  return isSet(env['NO_COLOR']) ? 'attributes' : 'color';
};

const chooseCharset = (env: ThemeEnv, platform: NodeJS.Platform): Charset => {
  if (env['TERM'] === 'dumb' || env['TERM'] === 'linux' || env['TERM']?.startsWith('vt') === true) {
    return 'ascii';
  }
  const locale = [env['LC_ALL'], env['LC_CTYPE'], env['LANG']].find(isSet);
  if (locale === undefined) {
    // Windows and macOS terminals set no locale and can do UTF-8; elsewhere none means the C locale.
    return platform === 'win32' || platform === 'darwin' ? 'unicode' : 'ascii';
  }
  return /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
};

/** Reads once what the terminal can show, from TERM, NO_COLOR, FORCE_COLOR and the locale. */
export const createTheme = (env: ThemeEnv, platform: NodeJS.Platform = process.platform): Theme => {
  const charset = chooseCharset(env, platform);
  return {
    depth: chooseDepth(env),
    charset,
    styles,
    escape: (raw, width) => (width === undefined ? escapeText(raw, charset) : escapeWithin(raw, width, charset)),
    escapeEnds: (raw, width) => escapeEnds(raw, width, charset),
  };
};
