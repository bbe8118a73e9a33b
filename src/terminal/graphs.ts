import { formatShare, unknownText } from './format.ts';
import { bars, fullBar, gaugeParts, glyphs } from './glyphs.ts';
import type { Span } from './line.ts';
import { safe, type SafeText, trusted } from './safe-text.ts';
import { fit } from './text-width.ts';
import type { Role } from './theme.ts';

export interface SparklineOptions {
  /** The value of a full bar; the largest value shown by default. */
  readonly max?: number | undefined;
}

const eighths = 8;

/** Height of a value in eighths of a row: 1 for 0, and at least 2 for anything above. */
const levelOf = (value: number, top: number, rows: number): number => {
  // The top row is never full, so that it does not touch the line above.
  const max = rows * eighths - 1;
  return value <= 0 || top <= 0 ? 1 : Math.min(max, 1 + Math.max(1, Math.round((value / top) * (max - 1))));
};

/**
 * Draws the last `width` values as bars from 0 to `max`, the newest at the right, in `rows` lines of exactly `width`
 * columns, top line first. A missing value is a dot, unlike 0; before the first value the graph is empty.
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

export const sparkline = (values: readonly (number | undefined)[], width: number, options: SparklineOptions = {}): SafeText =>
  graph(values, width, 1, options)[0] ?? safe``;

/** Shares from which a gauge warns. */
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

const barText = (share: number, width: number): readonly [SafeText, SafeText] => {
  // More than nothing never looks empty, and less than all never full.
  const min = share > 0 ? 1 : 0;
  const max = share < 1 ? width * eighths - 1 : width * eighths;
  const filled = Math.max(min, Math.min(max, Math.round(share * width * eighths)));
  const full = Math.floor(filled / eighths);
  const part = gaugeParts[(filled % eighths) - 1] ?? safe``;
  const empty = width - full - (part === '' ? 0 : 1);
  return [trusted(`${glyphs.gaugeFull.repeat(full)}${part}`), trusted(glyphs.gaugeEmpty.repeat(Math.max(0, empty)))];
};

/** Below this width the free column is to the left of the bar, not between bar and percentage. */
const minRoomyWidth = 12;

/**
 * A bar with its percentage in `width` columns: `████▊░░░░░  48 %`. An unknown value is `–` without a bar. Past the
 * error threshold there is a sign besides the colour.
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
  const isNarrow = width < minRoomyWidth && barWidth > 0;
  const sign = role === 'error' ? safe`!` : isNarrow ? safe`` : safe` `;
  const figureWidth = width - barWidth - (isNarrow ? 1 : 0);
  return [
    ...(isNarrow ? [{ text: safe` ` }] : []),
    { text: full, role },
    { text: empty, role: 'dim' },
    { text: fit(safe`${sign}${isNarrow ? formatShare(used, limit) : fit(formatShare(used, limit), percentWidth, 'right')}`, figureWidth, 'right'), role: role === 'ok' ? 'normal' : role },
  ];
};
