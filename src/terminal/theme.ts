import { type Charset, escapeForWidth, escapeText, type SafeText } from './safe-text.ts';
import { escapeEnds } from './text-width.ts';

export type Color =
  | 'black' | 'red' | 'green' | 'yellow' | 'blue' | 'magenta' | 'cyan' | 'white' | 'gray'
  | 'brightRed' | 'brightGreen' | 'brightYellow' | 'brightBlue' | 'brightMagenta' | 'brightCyan';

/** How text looks. Only line.ts turns it into terminal codes. */
export interface Style {
  readonly color?: Color | undefined;
  readonly bold?: boolean | undefined;
  readonly dim?: boolean | undefined;
  readonly inverse?: boolean | undefined;
  readonly underline?: boolean | undefined;
}

/** What text means. Never expressed by colour alone: a sign or a word says it too. */
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

/** `none`: no codes; `attributes`: bold, dim, inverse, underline; `color`: those and colours. */
export type Depth = 'none' | 'attributes' | 'color';

export interface Theme {
  readonly depth: Depth;
  readonly charset: Charset;
  readonly styles: Readonly<Record<Role, Style>>;
  /** Escapes broker text for this terminal. With a width it reads only as much as can be shown. */
  readonly escape: (raw: string, width?: number) => SafeText;
  /** Escapes an identifier, and cuts its middle out if it is wider than `width`. */
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
    // Windows and macOS terminals support UTF-8 without a locale; elsewhere none means the C locale.
    return platform === 'win32' || platform === 'darwin' ? 'unicode' : 'ascii';
  }
  return /utf-?8/i.test(locale) ? 'unicode' : 'ascii';
};

/** Derives what the terminal can show from TERM, NO_COLOR, FORCE_COLOR and the locale. */
export const createTheme = (env: ThemeEnv, platform: NodeJS.Platform = process.platform): Theme => {
  const charset = chooseCharset(env, platform);
  return {
    depth: chooseDepth(env),
    charset,
    styles,
    escape: (raw, width) => (width === undefined ? escapeText(raw, charset) : escapeForWidth(raw, width, charset)),
    escapeEnds: (raw, width) => escapeEnds(raw, width, charset),
  };
};
