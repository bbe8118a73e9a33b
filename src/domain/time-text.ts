import { clockText, parseDuration } from './text.ts';

const months = ['jan', 'feb', 'mar', 'apr', 'may', 'jun', 'jul', 'aug', 'sep', 'oct', 'nov', 'dec'];
const shownMonths = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'];
const dayMs = 86_400_000;

/** Writes a date without its year: `27 Nov`. */
export const dateText = (wallMs: number): string => {
  const date = new Date(wallMs);
  return `${date.getDate()} ${shownMonths[date.getMonth()] ?? ''}`;
};

/** Writes a date and a time of day, both of this machine's time zone: `27 Nov 14:02:31`. */
export const momentText = (wallMs: number): string => `${dateText(wallMs)} ${clockText(wallMs)}`;

interface Day {
  readonly year: number | undefined;
  readonly month: number;
  readonly day: number;
}

const clock = /^(?<hours>\d{1,2}):(?<minutes>\d{2})(?::(?<seconds>\d{2}))?$/u;
const isoTime =
  /^(?<year>\d{4})-(?<month>\d{2})-(?<day>\d{2})(?:[T ](?<clock>\d{2}:\d{2}(?::\d{2})?)(?:\.\d+)?(?<zone>Z|[+-]\d{2}:?\d{2})?)?$/iu;
const namedDate =
  /^(?:(?<day>\d{1,2}) (?<month>[a-z]{3,9})|(?<month2>[a-z]{3,9}) (?<day2>\d{1,2}))(?: (?<year>\d{4}))?$/u;

const clockSeconds = (text: string): number | undefined => {
  const { hours, minutes, seconds = '0' } = clock.exec(text)?.groups ?? {};
  if (hours === undefined || minutes === undefined) return undefined;
  const isValid = Number(hours) < 24 && Number(minutes) < 60 && Number(seconds) < 60;
  return isValid ? Number(hours) * 3_600 + Number(minutes) * 60 + Number(seconds) : undefined;
};

const dayOf = (text: string, nowMs: number): Day | undefined => {
  const now = new Date(text === 'yesterday' ? nowMs - dayMs : nowMs);
  if (text === 'today' || text === 'yesterday')
    return { year: now.getFullYear(), month: now.getMonth(), day: now.getDate() };
  const { day, day2, month, month2, year } = namedDate.exec(text)?.groups ?? {};
  const at = months.indexOf((month ?? month2 ?? '').slice(0, 3));
  return at < 0
    ? undefined
    : { year: year === undefined ? undefined : Number(year), month: at, day: Number(day ?? day2) };
};

/** Returns a local time; `undefined` for a date that does not exist. */
const localMs = ({ year = 0, month, day }: Day, seconds: number): number | undefined => {
  const date = new Date(year, month, day, 0, 0, seconds);
  const isReal = new Date(year, month, day).getMonth() === month;
  return isReal && !Number.isNaN(date.getTime()) ? date.getTime() : undefined;
};

/**
 * Reads a time, of this machine's time zone unless it names another: `14:02`, `14:02:31`, `27 Nov 14:02`,
 * `yesterday 9:30`, `2026-11-27 14:02`, `2026-11-27T14:02:31Z`, `10m`, `1h30m ago`, `now`. Without a date, or without
 * its year, it is the last such time until now.
 */
export function parseTime(typed: string, nowMs: number): number | undefined {
  const text = typed.trim().toLowerCase().replaceAll(/\s+/gu, ' ');
  if (text === '') return undefined;
  if (text === 'now') return nowMs;
  const agoSeconds = parseDuration(text.replace(/^-/u, '').replace(/ ago$/u, ''));
  if (agoSeconds !== undefined) return nowMs - agoSeconds * 1_000;
  const iso = isoTime.exec(text)?.groups;
  if (iso !== undefined) {
    const { year, month, day, clock: time = '00:00', zone } = iso;
    const seconds = clockSeconds(time);
    if (seconds === undefined) return undefined;
    const local = localMs({ year: Number(year), month: Number(month) - 1, day: Number(day) }, seconds);
    if (zone === undefined || local === undefined) return local;
    const atMs = Date.parse(text.replace(' ', 't').toUpperCase());
    return Number.isNaN(atMs) ? undefined : atMs;
  }
  const parts = text.split(' ');
  const last = clockSeconds(parts.at(-1) ?? '');
  const date = (last === undefined ? parts : parts.slice(0, -1)).join(' ');
  const today = new Date(nowMs);
  if (date === '') {
    const day = { year: today.getFullYear(), month: today.getMonth(), day: today.getDate() };
    const atMs = localMs(day, last ?? 0);
    return atMs === undefined || atMs <= nowMs
      ? atMs
      : (localMs({ ...day, day: day.day - 1 }, last ?? 0) ?? atMs - dayMs);
  }
  const day = dayOf(date, nowMs);
  if (day === undefined) return undefined;
  const inYear = (year: number): number | undefined => localMs({ ...day, year }, last ?? 0);
  if (day.year !== undefined) return inYear(day.year);
  const thisYear = inYear(today.getFullYear());
  return thisYear !== undefined && thisYear <= nowMs ? thisYear : inYear(today.getFullYear() - 1);
}
