import { isIPv6 } from 'node:net';
import type { BrokerSeconds } from '../../domain/node.ts';

const sizePattern = /^(\d+(?:\.\d+)?)([KMGT]?)B?$/u;
const bytesPerUnit: Readonly<Record<string, number>> = { '': 1, K: 2 ** 10, M: 2 ** 20, G: 2 ** 30, T: 2 ** 40 };

/** `48.77M`, `1.20G`, `0.03K`, `512` → bytes, as exact as the text is. `undefined` when it is not a size. */
export function parseSizeBytes(size: string | number): number | undefined {
  if (typeof size === 'number') return size >= 0 ? size : undefined;
  const [, digits, unit = ''] = sizePattern.exec(size.trim()) ?? [];
  const bytes = bytesPerUnit[unit];
  if (digits === undefined || bytes === undefined) return undefined;
  return Math.round(Number(digits) * bytes);
}

const decimalPattern = /^\d+(?:\.\d+)?$/u;

/** `0.87` → 0.87. `undefined` when it is not a decimal number. */
export function parseDecimal(decimal: string | number): number | undefined {
  if (typeof decimal === 'number') return decimal;
  return decimalPattern.test(decimal.trim()) ? Number(decimal) : undefined;
}

const uptimePattern = /^(?!,)(?:(\d+) days?)?(?:(?:^|,) ?(\d+) hours?)?(?:(?:^|,) ?(\d+) minutes?)?(?:(?:^|,) ?(\d+) seconds?)?$/u;

/** `2 hours, 3 minutes, 4 seconds`, `1 days,2 hours, …` → seconds. `undefined` when it is not such a text. */
export function parseUptimeSeconds(uptime: string): number | undefined {
  const trimmed = uptime.trim();
  const match = trimmed === '' ? null : uptimePattern.exec(trimmed);
  if (match === null) return undefined;
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = match;
  return ((Number(days) * 24 + Number(hours)) * 60 + Number(minutes)) * 60 + Number(seconds);
}

const dateTimePattern = /^(\d{4})-(\d\d)-(\d\d) (\d\d):(\d\d):(\d\d)$/u;

/** `2026-11-21 12:19:31` → seconds on the broker's clock. `undefined` for anything else, also for a 30th of February. */
export function parseDateTime(dateTime: string): BrokerSeconds | undefined {
  const match = dateTimePattern.exec(dateTime);
  if (match === null) return undefined;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match.slice(1).map(Number);
  if (hour > 23 || minute > 59 || second > 59) return undefined;
  // Date.UTC would read the years 0 to 99 as 1900 to 1999; no broker is that old.
  const date = new Date(Date.UTC(year, month - 1, day, hour, minute, second));
  const isReal = date.getUTCFullYear() === year && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return isReal ? date.getTime() / 1000 : undefined;
}

const portPattern = /^\d{1,5}$/u;

/**
 * `8083`, `0.0.0.0:1883`, `[::]:1883`, `:::1883` → address (without brackets) and port. Erlang writes
 * IPv6 without brackets, so the last colon is the one before the port.
 */
export function parseListen(listen: string): { readonly address: string | undefined; readonly port: number | undefined } {
  const colon = listen.lastIndexOf(':');
  const portText = listen.slice(colon + 1);
  const port = portPattern.test(portText) && Number(portText) <= 65_535 ? Number(portText) : undefined;
  if (port === undefined) return { address: undefined, port };
  const host = listen.slice(0, Math.max(colon, 0));
  const address = host.startsWith('[') && host.endsWith(']') ? host.slice(1, -1) : host;
  // "::1" ends in what looks like a port but leaves no address before it.
  if (address.includes(':') && !isIPv6(address)) return { address: undefined, port: undefined };
  return { address: address === '' ? undefined : address, port };
}
