import { bars, fullBar, glyphs } from './glyphs.ts';
import { type SafeText, safe, trusted } from './safe-text.ts';

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
