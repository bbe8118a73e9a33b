import type { RatePoint } from '../history/rates.ts';
import { staleGraceSeconds, staleIntervals } from '../../triage/thresholds.ts';

export interface SparkOptions {
  /** Columns of the sparkline. */
  readonly width: number;
  readonly intervalSeconds: number;
  /** The least time that the columns together stand for; more columns show more time, never less. */
  readonly spanSeconds?: number | undefined;
  /** Time since the newest point about which nothing is known, because the data is stale. */
  readonly silentSeconds?: number | undefined;
}

/** A series made ready for a sparkline: one value a column, oldest first. */
export interface Spark {
  /** The highest rate known within each column's time; `undefined` where none is. At most `width` of them. */
  readonly values: readonly (number | undefined)[];
  /** The highest rate shown; `undefined` when none is known. The full bar. */
  readonly peak: number | undefined;
  /** Time that all columns together stand for, filled or not. */
  readonly spanSeconds: number;
}

/** What a sparkline shows at least, unless told otherwise. */
export const defaultSpanSeconds = 120;

/** A step longer than this was not watched: its average hides what happened. */
const longestStepMs = (intervalSeconds: number): number => Math.max(staleIntervals * intervalSeconds, staleGraceSeconds) * 1_000;

/** The rate of the last step; `undefined` when it is not known, or when the step is so long that it says nothing about now. */
export function selectCurrentRate(points: readonly RatePoint[], intervalSeconds: number): number | undefined {
  const last = points.at(-1);
  const before = points.at(-2);
  const isLong = last !== undefined && before !== undefined && last.atMs - before.atMs > longestStepMs(intervalSeconds);
  return isLong ? undefined : last?.perSecond;
}

/**
 * Puts rates on columns of equal time. A column shows its highest rate, so no burst is averaged away,
 * and nothing when none of its time is known: a restart, a pause, a failed reading.
 */
export function selectSpark(points: readonly RatePoint[], options: SparkOptions): Spark {
  const { width, intervalSeconds, spanSeconds = defaultSpanSeconds, silentSeconds = 0 } = options;
  const intervalMs = intervalSeconds * 1_000;
  // Whole intervals, so that every column holds the same number of points.
  const columnMs = Math.max(1, Math.ceil((spanSeconds * 1_000) / Math.max(1, width) / intervalMs - 1e-9)) * intervalMs;
  const last = points.at(-1);
  const span = (columnMs * Math.max(0, width)) / 1_000;
  if (last === undefined || width <= 0) return { values: [], peak: undefined, spanSeconds: span };

  // Points lie in the middle of the grid's cells: a little jitter moves none of them to the next column.
  const phaseMs = (last.atMs % intervalMs) - intervalMs / 2;
  const columnOf = (atMs: number): number => Math.floor((atMs - phaseMs) / columnMs);
  const end = columnOf(last.atMs + silentSeconds * 1_000);
  const begin = end - width + 1;
  const longestMs = longestStepMs(intervalSeconds);
  const columns = new Map<number, number | undefined>();
  let peak: number | undefined;

  function put(column: number, value: number | undefined): void {
    const before = columns.get(column);
    columns.set(column, value === undefined ? before : Math.max(before ?? 0, value));
  }

  for (let index = points.length - 1; index >= 0; index -= 1) {
    const point = points[index];
    if (point === undefined || columnOf(point.atMs) < begin) break;
    const fromMs = points[index - 1]?.atMs ?? point.atMs - intervalMs;
    const value = point.atMs - fromMs > longestMs ? undefined : point.perSecond;
    const to = columnOf(point.atMs);
    for (let column = Math.max(begin, Math.min(to, columnOf(fromMs) + 1)); column <= to; column += 1) put(column, value);
    if (value !== undefined) peak = Math.max(peak ?? 0, value);
  }
  const first = Math.max(begin, Math.min(...columns.keys()));
  const values = Array.from({ length: end - first + 1 }, (_, index) => columns.get(first + index));
  return { values, peak, spanSeconds: span };
}
