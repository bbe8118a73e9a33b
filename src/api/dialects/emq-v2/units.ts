import { isIPv6 } from 'node:net';
import type { BrokerSeconds } from '../../../domain/node.ts';

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

/** The number that the two digits from `start` are; far below 0 when they are none. */
function twoDigits(text: string, start: number): number {
  const ten = text.charCodeAt(start) - 48;
  const one = text.charCodeAt(start + 1) - 48;
  return ten >= 0 && ten <= 9 && one >= 0 && one <= 9 ? ten * 10 + one : -10_000;
}

const [dash, space, colon] = [0x2d, 0x20, 0x3a];

/** Whether what stands between the digits is as in `2026-11-21 12:19:31`. */
function isSeparated(text: string): boolean {
  return text.charCodeAt(4) === dash && text.charCodeAt(7) === dash && text.charCodeAt(10) === space
    && text.charCodeAt(13) === colon && text.charCodeAt(16) === colon;
}
const daysOfMonths = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];

function daysOfMonth(year: number, month: number): number {
  const isLeapYear = year % 4 === 0 && (year % 100 !== 0 || year % 400 === 0);
  return month === 1 && isLeapYear ? 29 : (daysOfMonths[month] ?? 0);
}

/** From the first of March of the year 0. */
const daysUntil1970 = 719_468;

/** By itself, as `Date.UTC` takes half of the time that a row of a list takes. Years begin in March, so that a leap day is the last. */
function daysSince1970(year: number, month: number, day: number): number {
  const marchYear = month < 2 ? year - 1 : year;
  const century = Math.floor(marchYear / 100);
  const dayOfYear = Math.floor((153 * ((month + 10) % 12) + 2) / 5) + day - 1;
  return (marchYear * 365) + Math.floor(marchYear / 4) - century + Math.floor(century / 4) + dayOfYear - daysUntil1970;
}

/** `2026-11-21 12:19:31` → seconds on the broker's clock. `undefined` for anything else, also for a 30th of February. */
export function parseDateTime(dateTime: string): BrokerSeconds | undefined {
  // Neither a pattern nor a Date, which take several times as long: every row of a list has such a text.
  if (dateTime.length !== 19 || !isSeparated(dateTime)) return undefined;
  const year = twoDigits(dateTime, 0) * 100 + twoDigits(dateTime, 2);
  const month = twoDigits(dateTime, 5) - 1;
  const day = twoDigits(dateTime, 8);
  const hour = twoDigits(dateTime, 11);
  const minute = twoDigits(dateTime, 14);
  const second = twoDigits(dateTime, 17);
  const isReal = year >= 0 && day >= 1 && day <= daysOfMonth(year, month)
    && hour >= 0 && hour < 24 && minute >= 0 && minute < 60 && second >= 0 && second < 60;
  return isReal ? ((daysSince1970(year, month, day) * 24 + hour) * 60 + minute) * 60 + second : undefined;
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
