import { clockText, durationText, elapsedText, roundDurationText, withThousands } from '../domain/text.ts';
import { safe, type SafeText, trusted } from './safe-text.ts';
/** An unknown value prints as `–`, never as 0. Sizes use binary units, as the broker does: 1 MB is 1,048,576 bytes. */

export const unknownText: SafeText = safe`–`;

export const formatText = (raw: string | undefined, escape: (raw: string) => SafeText): SafeText =>
  raw === undefined ? unknownText : escape(raw);

export const loadingText: SafeText = safe`···`;

const isKnown = (value: number | undefined): value is number => value !== undefined && Number.isFinite(value);

export const formatCount = (value: number | undefined): SafeText =>
  isKnown(value) ? trusted(withThousands(value)) : unknownText;

export const formatDelta = (value: number | undefined): SafeText =>
  isKnown(value) && Math.round(value) > 0 ? safe`+${formatCount(value)}` : formatCount(value);

/** Prints `+97`, `−9`, `+1.2k`. */
export const formatChange = (value: number): SafeText =>
  safe`${trusted(value < 0 ? '−' : '+')}${formatShort(Math.abs(value))}`;

/** Keeps at most three significant digits, without a trailing `.0`. */
const short = (value: number): string => {
  const digits = value >= 99.95 ? 0 : 1;
  return value.toFixed(digits).replace(/\.0$/, '');
};

const scale = (value: number, base: number, units: readonly string[]): string => {
  let rest = Math.abs(value);
  let index = 0;
  // Rounding must not print 1000k or 1024 kB.
  while (index < units.length - 1 && rest >= base - 0.5) {
    rest /= base;
    index += 1;
  }
  const number = index === 0 ? short(rest) : rest.toFixed(rest >= 99.95 ? 0 : 1);
  return `${value < 0 ? '-' : ''}${number}${units[index] ?? ''}`;
};

export const formatShort = (value: number | undefined): SafeText =>
  isKnown(value) ? trusted(scale(value, 1000, ['', 'k', 'M', 'G', 'T', 'P'])) : unknownText;

const boundSigns = { min: '≥', max: '≤' } as const;

/** Rounds to what `scale` shows: a minimum down, a maximum up. */
const roundBound = (value: number, bound: keyof typeof boundSigns): number => {
  const unit = 1000 ** Math.floor(Math.log10(Math.max(1, value)) / 3);
  const step = unit * (value / unit >= 99 ? 1 : 0.1);
  return (bound === 'min' ? Math.floor(value / step) : Math.ceil(value / step)) * step;
};

/** Prints in full or short, in at most `width` columns: `12,345,678`, `12.3M`. With a `bound`: `≥12.3M`, `≤12.4M`. */
export const formatCountIn = (value: number | undefined, width: number, bound?: keyof typeof boundSigns): SafeText => {
  if (!isKnown(value)) {
    return unknownText;
  }
  const sign = bound === undefined ? '' : boundSigns[bound];
  const whole = `${sign}${withThousands(value)}`;
  return whole.length <= width
    ? trusted(whole)
    : safe`${trusted(sign)}${formatShort(bound === undefined ? value : roundBound(value, bound))}`;
};

/** Prints `0/s`, `0.4/s`, `4.2k/s`. A rate above zero never prints as zero: `<0.1/s`. */
export const formatRate = (perSecond: number | undefined): SafeText => {
  if (!isKnown(perSecond)) {
    return unknownText;
  }
  return perSecond > 0 && perSecond < 0.05 ? safe`<0.1/s` : safe`${formatShort(perSecond)}/s`;
};

export const formatBytes = (bytes: number | undefined): SafeText =>
  isKnown(bytes) ? trusted(scale(bytes, 1024, [' B', ' kB', ' MB', ' GB', ' TB', ' PB'])) : unknownText;

export const formatBytesRate = (bytesPerSecond: number | undefined): SafeText => {
  if (!isKnown(bytesPerSecond)) {
    return unknownText;
  }
  return bytesPerSecond > 0 && bytesPerSecond < 0.05 ? safe`<0.1 B/s` : safe`${formatBytes(bytesPerSecond)}/s`;
};

/** Prints `0 %`, `<1 %`, `12 %`; `100 %` only for all. */
export const formatPercent = (share: number | undefined): SafeText => {
  if (!isKnown(share)) {
    return unknownText;
  }
  const percent = share * 100;
  if (percent > 0 && percent < 0.5) {
    return safe`<1 %`;
  }
  const rounded = percent < 100 ? Math.min(99, Math.round(percent)) : Math.round(percent);
  return safe`${rounded} %`;
};

/** Rounds down: `≥12 %`, `≥0.7 %`, `>0 %`; in words `at least 12 %`, `more than 0 %`. */
export const formatMinShare = (share: number | undefined, isInWords = false): SafeText => {
  if (!isKnown(share)) {
    return unknownText;
  }
  const digits = share < 0.1 ? 1 : 0;
  // 0.29 * 100 is 28.999999999999996.
  const percent = Math.floor(share * 100 * 10 ** digits + 1e-9) / 10 ** digits;
  const isMore = percent === 0 && share > 0;
  const lead = isInWords ? (isMore ? safe`more than ` : safe`at least `) : isMore ? safe`>` : safe`≥`;
  return safe`${lead}${percent} %`;
};

export const formatShare = (part: number | undefined, whole: number | undefined): SafeText =>
  formatPercent(isKnown(part) && isKnown(whole) && whole > 0 ? part / whole : undefined);

export const formatLoad = (value: number | undefined): SafeText =>
  isKnown(value) ? trusted(value.toFixed(2)) : unknownText;

export const formatDuration = (seconds: number | undefined): SafeText => {
  if (!isKnown(seconds)) {
    return unknownText;
  }
  return trusted(durationText(seconds));
};

/** Prints `3 min` for whole minutes. */
export const formatRoundDuration = (seconds: number): SafeText => trusted(roundDurationText(seconds));

export const formatAge = (seconds: number | undefined): SafeText => {
  if (!isKnown(seconds)) {
    return unknownText;
  }
  return seconds <= -1 ? safe`in ${formatDuration(-seconds)}` : safe`${formatDuration(Math.max(0, seconds))} ago`;
};

export const formatElapsed = (milliseconds: number | undefined): SafeText =>
  isKnown(milliseconds) ? trusted(elapsedText(milliseconds)) : unknownText;

export const formatSeconds = (seconds: number | undefined): SafeText =>
  isKnown(seconds)
    ? trusted(
        `${withThousands(Math.trunc(seconds))}${String(seconds % 1)
          .slice(1)
          .slice(0, 3)} s`,
      )
    : unknownText;

export const formatClock = (atMs: number | undefined): SafeText => {
  if (!isKnown(atMs)) {
    return unknownText;
  }
  return trusted(clockText(atMs));
};

/** Writes `2026-11-27 14:02:31`, by the clock of this machine. @param atMs milliseconds since 1970 */
export const formatMoment = (atMs: number | undefined): SafeText => {
  if (atMs === undefined || Number.isNaN(new Date(atMs).getTime())) return unknownText;
  const date = new Date(atMs);
  const day = [date.getMonth() + 1, date.getDate()].map((part) => String(part).padStart(2, '0')).join('-');
  return trusted(`${date.getFullYear()}-${day} ${clockText(atMs)}`);
};

export const formatBrokerTime = (seconds: number | undefined): SafeText => {
  // Outside the years 0 to 9999 `toISOString` uses another form, or throws.
  if (!isKnown(seconds) || Math.abs(seconds) > 8.64e12 || seconds < -62_167_219_200 || seconds > 253_402_300_799) {
    return unknownText;
  }
  return trusted(new Date(seconds * 1000).toISOString().slice(0, 19).replace('T', ' '));
};

/** Prints when something ends; `never` for `undefined`. */
export const formatEnd = (seconds: number | undefined): SafeText =>
  seconds === undefined ? safe`never` : formatBrokerTime(seconds);

export const formatYesNo = (value: boolean | undefined): SafeText => {
  if (value === undefined) {
    return unknownText;
  }
  return value ? safe`yes` : safe`no`;
};

export const formatProtocolVersion = (level: number | undefined): SafeText => {
  if (!isKnown(level)) {
    return unknownText;
  }
  const known: Readonly<Record<number, SafeText>> = { 3: safe`3.1`, 4: safe`3.1.1`, 5: safe`5` };
  return known[level] ?? safe`level ${level}`;
};

/** Writes a number with its noun: `1 client`, `2,000 clients`. */
export const plural = (count: number, one: SafeText, many: SafeText): SafeText =>
  safe`${formatCount(count)} ${count === 1 ? one : many}`;
