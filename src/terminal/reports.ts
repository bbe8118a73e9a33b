import type { ThemeName } from './theme-name.ts';
import type { Theme, ThemeEnv } from './theme.ts';

/** A message of the terminal that is not a key. */
export type Report = { readonly kind: 'background'; readonly isLight: boolean } | MouseReport;

export interface MouseReport {
  readonly kind: 'mouse';
  readonly action: 'press' | 'release' | 'up' | 'down';
  readonly button: 'left' | 'middle' | 'right' | undefined;
  /** Counts from 0, at the left. */
  readonly column: number;
  /** Counts from 0, at the top. */
  readonly row: number;
}

/** The reports that the program asks a terminal for. */
export interface ReportChoice {
  /** The terminal is asked for its background once. */
  readonly background: boolean;
  readonly mouse: boolean;
}

export const noReports: ReportChoice = { background: false, mouse: false };

/** Terminals that may print what they do not understand, or have no mouse. */
const silentTerms: ReadonlySet<string> = new Set(['', 'dumb', 'unknown', 'linux']);

/** Chooses what to ask of a terminal. The background matters only where the theme follows it. */
export function chooseReports(
  env: ThemeEnv,
  theme: Theme,
  { themeName, hasMouse }: { readonly themeName: ThemeName; readonly hasMouse: boolean },
  platform: NodeJS.Platform = process.platform,
): ReportChoice {
  const isSilent = silentTerms.has(env['TERM'] ?? (platform === 'win32' ? 'windows' : ''));
  return { background: !isSilent && themeName === 'auto' && theme.depth === 'palette', mouse: !isSilent && hasMouse };
}

/** Asks for the background colour (OSC 11). A terminal that does not know it stays silent. */
export const askBackground = '\u001B]11;?\u001B\\';

/** Buttons and wheel (1000), with coordinates as numbers (1006). */
export const mouseOn = '\u001B[?1000h\u001B[?1006h';
export const mouseOff = '\u001B[?1006l\u001B[?1000l';

/** Passes reports to all listeners. */
export interface Reports {
  readonly emit: (report: Report) => void;
  /** Returns a function that unsubscribes. */
  readonly subscribe: (listener: (report: Report) => void) => () => void;
}

export function createReports(): Reports {
  const listeners = new Set<(report: Report) => void>();
  return {
    emit: (report) => {
      for (const listener of listeners) listener(report);
    },
    subscribe: (listener) => {
      listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

const buttons = ['left', 'middle', 'right'] as const;

/** Reads a complete sequence or the payload of a string; `undefined` for anything else. */
export function parseReport(text: string): Report | undefined {
  return parseMouse(text) ?? parseBackground(text);
}

/**
 * Parses SGR: `ESC [ < button ; column ; row M`, with `m` for a release. Modifiers (4, 8, 16) are ignored, motion (32)
 * is not a press.
 */
function parseMouse(text: string): MouseReport | undefined {
  const match = /^\u001B\[<(\d{1,3});(\d{1,5});(\d{1,5})([Mm])$/u.exec(text);
  if (match === null) return undefined;
  const [code, column, row] = match.slice(1, 4).map(Number);
  if (code === undefined || column === undefined || row === undefined || column < 1 || row < 1 || (code & 32) !== 0)
    return undefined;
  const place = { kind: 'mouse', column: column - 1, row: row - 1 } as const;
  const low = code & 3;
  if ((code & 64) !== 0)
    return low > 1 ? undefined : { ...place, action: low === 0 ? 'up' : 'down', button: undefined };
  return (code & 128) !== 0 || low === 3
    ? undefined
    : { ...place, action: match[4] === 'M' ? 'press' : 'release', button: buttons[low] };
}

/** Parses `]11;rgb:ffff/ffff/ffff`, with one to four digits for each colour. */
function parseBackground(text: string): Report | undefined {
  const match = /^\]11;rgba?:([\da-f]{1,4})\/([\da-f]{1,4})\/([\da-f]{1,4})(?:\/[\da-f]{1,4})?$/iu.exec(text);
  if (match === null) return undefined;
  const [red, green, blue] = match.slice(1, 4).map((digits) => Number.parseInt(digits, 16) / (16 ** digits.length - 1));
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return { kind: 'background', isLight: 0.299 * red + 0.587 * green + 0.114 * blue > 0.5 };
}
