const two = (value: number): string => String(value).padStart(2, '0');

/** A length of time in its two largest units: `12 s`, `4m 05s`, `2h 14m`, `3d 4h`. For finite numbers; a fraction of a second is left out. */
export function durationText(seconds: number): string {
  const whole = Math.floor(Math.abs(seconds));
  const sign = seconds < 0 && whole > 0 ? '-' : '';
  if (whole < 60) return `${sign}${whole} s`;
  if (whole < 3600) return `${sign}${Math.floor(whole / 60)}m ${two(whole % 60)}s`;
  if (whole < 86_400) return `${sign}${Math.floor(whole / 3600)}h ${two(Math.floor((whole % 3600) / 60))}m`;
  return `${sign}${withThousands(Math.floor(whole / 86_400))}d ${Math.floor((whole % 86_400) / 3600)}h`;
}

/** Time of day on this machine: `14:03:09`. */
export function clockText(atMs: number): string {
  const date = new Date(atMs);
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

/**
 * A whole number in figures, with thousands separators: `1,204`. By hand: `Intl` costs a hundred times as much for each
 * of the hundreds of cells of a table, and 15 ms for the first number of a process. A fraction is rounded; what is
 * not finite is named as it is.
 */
export function withThousands(value: number): string {
  if (!Number.isFinite(value)) return String(value);
  const whole = Math.round(value);
  return `${whole < 0 ? '-' : ''}${BigInt(Math.abs(whole)).toString().replaceAll(/\B(?=(?:\d{3})+$)/g, ',')}`;
}

/** `10.2.4.17:1883`, `[::1]:1883`: an IPv6 address is in brackets, without a port too. */
export function hostPort(host: string, port: number | undefined): string {
  const name = host.includes(':') ? `[${host}]` : host;
  // Joined, it is one text from the beginning; a template of two is made into one when it is first looked into, and 100,000 are sorted.
  return port === undefined ? name : [name, port].join(':');
}

/** A piece of a sentence. Text of the broker is hostile until it has passed safe-text. */
export interface TextPart {
  readonly text: string;
  readonly isFromBroker: boolean;
}

export const own = (text: string): TextPart => ({ text, isFromBroker: false });
export const theirs = (text: string): TextPart => ({ text, isFromBroker: true });

/** `1 client`, `2 clients`. */
export const counted = (count: number, noun: string): string => `${withThousands(count)} ${noun}${count === 1 ? '' : 's'}`;
