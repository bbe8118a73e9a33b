/** A part of a sentence. Untrusted text comes from the broker: it is hostile until `safe-text.ts` has escaped it. */
export interface TextPart {
  readonly text: string;
  readonly isUntrusted: boolean;
}

export const literal = (text: string): TextPart => ({ text, isUntrusted: false });
export const untrusted = (text: string): TextPart => ({ text, isUntrusted: true });

/** `1 client`, `2 clients`. */
export const pluralize = (count: number, noun: string): string => `${withThousands(count)} ${noun}${count === 1 ? '' : 's'}`;

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** A duration in its two largest units: `12 s`, `4m 05s`, `2h 14m`, `3d 4h`. For finite numbers; fractions of a second are dropped. */
export function durationText(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '-' : '';
  if (whole < 60) return `${sign}${whole} s`;
  if (whole < 3600) return `${sign}${Math.floor(whole / 60)}m ${twoDigits(whole % 60)}s`;
  if (whole < 86_400) return `${sign}${Math.floor(whole / 3600)}h ${twoDigits(Math.floor((whole % 3600) / 60))}m`;
  return `${sign}${withThousands(Math.floor(whole / 86_400))}d ${Math.floor((whole % 86_400) / 3600)}h`;
}

/** Time of day on this machine: `14:03:09`. */
export function clockText(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(twoDigits).join(':');
}

/**
 * A number rounded and with thousands separators: `1,204`; `NaN` and infinities by name. Not by `Intl`, which costs
 * 15 ms for the first number of a process and a hundred times as much for each one after it.
 */
export function withThousands(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.round(value);
  return `${whole < 0 ? '-' : ''}${BigInt(Math.abs(whole)).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`;
}

/** `10.2.4.17:1883`, `[::1]:1883`; an IPv6 address has brackets without a port too. */
export function hostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  // `join` makes a flat string; a template makes a rope that is flattened when it is read, and 100,000 of these are sorted.
  return port === undefined ? name : [name, port].join(':');
}
