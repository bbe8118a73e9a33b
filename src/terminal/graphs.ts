import { formatShare, unknownText } from './format.ts';
import { bars, fullBar, gaugeParts, glyphs } from './glyphs.ts';
import type { Span } from './line.ts';
import { safe, type SafeText, trusted } from './safe-text.ts';
import { fit } from './text-width.ts';
import type { Role } from './theme.ts';

export interface SparklineOptions {
  /** The value of a full bar; without it the largest value shown. */
  readonly max?: number | undefined;
}

const eighths = 8;

/** How many eighths of a row a value takes, of `rows` rows: one is 0, and what is more than 0 is drawn higher than 0. */
const levelOf = (value: number, top: number, rows: number): number => {
  // The top row is never full, so that it does not touch the line above.
  const highest = rows * eighths - 1;
  return value <= 0 || top <= 0 ? 1 : Math.min(highest, 1 + Math.max(1, Math.round((value / top) * (highest - 1))));
};

/**
 * The last `width` values as bars from 0 to `max`, newest at the right, as `rows` lines of exactly `width` columns, the
 * highest first. A value that is missing is a dot, never the bar of 0; before the first value there is nothing.
 */
export const graph = (values: readonly (number | undefined)[], width: number, rows: number, { max }: SparklineOptions = {}): readonly SafeText[] => {
  const shown = width > 0 ? values.slice(-width) : [];
  const top = max ?? shown.reduce<number>((largest, value) => Math.max(largest, value ?? 0), 0);
  const levels = shown.map((value) => (value === undefined || !Number.isFinite(value) ? undefined : levelOf(value, top, rows)));
  return Array.from({ length: rows }, (_, index) => {
    const below = (rows - 1 - index) * eighths;
    const drawn = levels.map((level): SafeText => {
      if (level === undefined) {
        return below === 0 ? glyphs.dot : safe` `;
      }
      return level <= below ? safe` ` : level - below >= eighths ? fullBar : bars[level - below - 1] ?? fullBar;
    });
    return trusted(drawn.join('').padStart(Math.max(0, width)));
  });
};

/** The same in one line. */
export const sparkline = (values: readonly (number | undefined)[], width: number, options: SparklineOptions = {}): SafeText =>
  graph(values, width, 1, options)[0] ?? safe``;

/** From which share on a gauge warns. */
export interface Thresholds {
  readonly warning: number;
  readonly error: number;
}

export const defaultThresholds: Thresholds = { warning: 0.75, error: 0.9 };

const percentWidth = 5;

const roleOf = (share: number, thresholds: Thresholds): Role => {
  if (share >= thresholds.error) {
    return 'error';
  }
  return share >= thresholds.warning ? 'warning' : 'ok';
};

const gaugeEighths = 8;

const barText = (share: number, width: number): readonly [SafeText, SafeText] => {
  // Something is never drawn as nothing, and not quite all never as all.
  const least = share > 0 ? 1 : 0;
  const most = share < 1 ? width * gaugeEighths - 1 : width * gaugeEighths;
  const filled = Math.max(least, Math.min(most, Math.round(share * width * gaugeEighths)));
  const full = Math.floor(filled / gaugeEighths);
  const part = gaugeParts[(filled % gaugeEighths) - 1] ?? safe``;
  const empty = width - full - (part === '' ? 0 : 1);
  return [trusted(`${glyphs.gaugeFull.repeat(full)}${part}`), trusted(glyphs.gaugeEmpty.repeat(Math.max(0, empty)))];
};

/** So narrow that the bar stands close to its own percentage, and away from what is before it. */
const narrow = 12;

/**
 * A bar with its percentage, `width` columns in all: `████▊░░░░░  48 %`. What is not known has no bar at all,
 * only `–`; a gauge at 0 has an empty one. Past a threshold a sign says so, besides the colour.
 */
export const gaugeSpans = (
  width: number,
  used: number | undefined,
  limit: number | undefined,
  thresholds: Thresholds = defaultThresholds,
): readonly Span[] => {
  const barWidth = Math.max(0, width - percentWidth - 2);
  if (used === undefined || limit === undefined || limit <= 0 || !Number.isFinite(used / limit)) {
    return [{ text: fit(safe``, barWidth) }, { text: fit(unknownText, width - barWidth, 'right'), role: 'dim' }];
  }
  const share = Math.max(0, used / limit);
  const role = roleOf(share, thresholds);
  const [full, empty] = barText(share, barWidth);
  const isNarrow = width < narrow && barWidth > 0;
  const sign = role === 'error' ? safe`!` : isNarrow ? safe`` : safe` `;
  const figureWidth = width - barWidth - (isNarrow ? 1 : 0);
  return [
    ...(isNarrow ? [{ text: safe` ` }] : []),
    { text: full, role },
    { text: empty, role: 'dim' },
    { text: fit(safe`${sign}${isNarrow ? formatShare(used, limit) : fit(formatShare(used, limit), percentWidth, 'right')}`, figureWidth, 'right'), role: role === 'ok' ? 'normal' : role },
  ];
};
