import { withThousands } from './thousands.ts';

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
