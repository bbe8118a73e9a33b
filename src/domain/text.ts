/** A part of a text, untrusted if it comes from the broker; `safe-text.ts` escapes that. */
export interface TextPart {
  readonly text: string;
  readonly isUntrusted: boolean;
}

export const literal = (text: string): TextPart => ({ text, isUntrusted: false });
export const untrusted = (text: string): TextPart => ({ text, isUntrusted: true });

/** Composes letters with their marks, so that either spelling of `é` finds both. */
export const composed = (text: string): string => (marks.test(text) ? text.normalize('NFC') : text);

/** Only texts with these characters change when composed. */
const marks = /[\u0300-\uFFFF]/u;

export const pluralize = (count: number, noun: string): string =>
  `${withThousands(count)} ${noun}${count === 1 ? '' : 's'}`;

export const capitalized = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}`;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Prints the two largest units: `12 s`, `4m 05s`, `2h 14m`, `3d 4h`. Rounds down. */
export function durationText(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '-' : '';
  if (whole < 60) return `${sign}${whole} s`;
  if (whole < 3600) return `${sign}${Math.floor(whole / 60)}m ${twoDigits(whole % 60)}s`;
  if (whole < 86_400) return `${sign}${Math.floor(whole / 3600)}h ${twoDigits(Math.floor((whole % 3600) / 60))}m`;
  return `${sign}${withThousands(Math.floor(whole / 86_400))}d ${Math.floor((whole % 86_400) / 3600)}h`;
}

/** Prints `84 ms`, `1.2 s`, `4m 05s`. */
export function elapsedText(milliseconds: number): string {
  if (milliseconds < 100) return `${Math.round(milliseconds)} ms`;
  return milliseconds < 59_950 ? `${(milliseconds / 1000).toFixed(1)} s` : durationText(milliseconds / 1000);
}

/** Prints whole minutes and hours as `15 min` and `6 h`; anything else as `durationText` does. */
export function roundDurationText(seconds: number): string {
  if (seconds >= 3_600 && seconds < 172_800 && seconds % 3_600 === 0) return `${seconds / 3_600} h`;
  return seconds >= 60 && seconds < 3_600 && seconds % 60 === 0 ? `${seconds / 60} min` : durationText(seconds);
}

export function clockText(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/** Avoids `Intl`, which takes 15 ms for the first number and a hundred times as long for others. */
export function withThousands(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.round(value);
  return `${whole < 0 ? '-' : ''}${BigInt(Math.abs(whole))
    .toString()
    .replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`;
}

export function hostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  // `join` makes a flat string; a template makes a rope, which is slow to sort.
  return port === undefined ? name : [name, port].join(':');
}

const unitSeconds: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3_600, d: 86_400, w: 604_800 };

/** Parses `90s`, `30m`, `1h`, `7d` or `1d 12h` into seconds; `undefined` for anything else, and for 0. */
export function parseDuration(typed: string): number | undefined {
  const text = typed.trim().toLowerCase();
  if (!/^(?:\d{1,7}\s*[smhdw]\s*)+$/u.test(text)) return undefined;
  let seconds = 0;
  for (const [, count, unit = ''] of text.matchAll(/(\d+)\s*([smhdw])/gu))
    seconds += Number(count) * (unitSeconds[unit] ?? 0);
  return seconds > 0 ? seconds : undefined;
}
