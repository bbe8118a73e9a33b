import { bars, glyphs } from '../glyphs.ts';
import { type SafeText, trusted } from '../safe-text.ts';

export interface SparklineOptions {
  /** The value of a full bar; without it the largest value shown. */
  readonly max?: number | undefined;
}

/**
 * The last `width` values as bars from 0 to `max`, newest at the right, exactly `width` columns. A value that is
 * missing is a dot, never the bar of 0; before the first value there is nothing. What is more than 0 is drawn higher than 0.
 */
export const sparkline = (values: readonly (number | undefined)[], width: number, { max }: SparklineOptions = {}): SafeText => {
  const shown = width > 0 ? values.slice(-width) : [];
  const known = shown.filter((value) => value !== undefined);
  const top = max ?? known.reduce((largest, value) => Math.max(largest, value), 0);
  const highest = bars.length - 1;
  const drawn = shown.map((value) => {
    if (value === undefined || !Number.isFinite(value)) {
      return glyphs.dot;
    }
    if (value <= 0 || top <= 0) {
      return bars[0] ?? glyphs.dot;
    }
    return bars[Math.max(1, Math.min(highest, Math.round((value / top) * highest)))] ?? glyphs.dot;
  });
  return trusted(drawn.join('').padStart(Math.max(0, width)));
};
