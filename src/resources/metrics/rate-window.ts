import type { RatePoint } from './history.ts';

/** A series put on buckets of equal time, oldest first. */
export interface RateWindow {
  /** The highest rate known within each bucket; `undefined` where none is. */
  readonly values: readonly (number | undefined)[];
  /** The highest known value of the last `seconds`, however many buckets there are. */
  readonly peak: number | undefined;
  /** Seconds that all buckets together stand for. */
  readonly seconds: number;
  /** The number of these seconds that have a known rate. */
  readonly knownSeconds: number;
  /** The beginning of the first cell, and the length of each. Monotonic. */
  readonly beginMs: number;
  readonly cellMs: number;
}

export interface RateWindowOptions {
  /** The number of buckets to fill. */
  readonly count: number;
  /** Buckets drawn in one cell: a graph moves by whole cells. */
  readonly perCell: number;
  /** The longest window, in seconds. A younger history is stretched over the shortest window that holds it. */
  readonly maxSeconds: number;
  /** The start of the history that several series share; by default of this one. */
  readonly sinceMs?: number | undefined;
  /** Monotonic time. */
  readonly nowMs: number;
  /** A longer step was not observed: its average hides what happened. */
  readonly maxStepMs: number;
  /** The points are values, not averages over the time before them: each is known, even after a long step. */
  readonly isGauge?: boolean | undefined;
}

/** Windows of a young history: in steps of three seconds, later each at most a quarter longer than the one before; most of them divide by three. */
const youngSeconds = [
  3, 6, 9, 12, 15, 18, 21, 24, 27, 30, 33, 36, 39, 42, 45, 48, 51, 54, 57, 60, 66, 72, 78, 84, 90, 99, 108, 120, 132,
  144, 156, 168, 180, 195, 210, 225, 240, 270, 300, 330, 360, 405, 450, 495, 540, 600, 660, 720, 780, 840, 900, 1_080,
  1_350, 1_620, 1_980, 2_400, 2_880, 3_240, 3_600, 4_500, 5_400, 6_480, 7_800, 9_000, 10_800, 12_960, 16_200, 19_440,
  23_400, 28_080, 32_400, 39_600, 46_800, 54_000, 64_800, 75_600,
] as const;

/** Draws a straight line from one reading to the next. Nothing leads to 0 or from it: what has ended looks ended. */
const between = (before: number | undefined, value: number, share: number): number =>
  before === undefined || before === 0 || value === 0 ? value : before + (value - before) * share;

/** Puts rates on buckets of absolute time, so that between two moves only the last cell changes. A bucket shows its highest rate: no burst is averaged away. Buckets between two readings join them. */
export function selectRateWindow(
  points: readonly RatePoint[],
  { count, perCell, maxSeconds, sinceMs, nowMs, maxStepMs, isGauge = false }: RateWindowOptions,
): RateWindow {
  const firstMs = sinceMs ?? points[0]?.atMs;
  const ageSeconds = firstMs === undefined ? 0 : (nowMs - firstMs) / 1_000;
  const seconds = youngSeconds.find((each) => each < maxSeconds && ageSeconds <= each) ?? maxSeconds;
  const cells = Math.max(1, Math.ceil(count / perCell));
  const bucketMs = (seconds * 1_000) / (cells * perCell);
  const end = (Math.floor(nowMs / (bucketMs * perCell)) + 1) * perCell;
  const begin = end - cells * perCell;
  const values = Array.from<number | undefined>({ length: cells * perCell });
  const gaps = new Set<number>();
  const beginMs = begin * bucketMs;
  let [peak, knownMs]: [number | undefined, number] = [undefined, 0];
  for (let index = points.length - 1; index >= 0; index -= 1) {
    const [before, point] = [points[index - 1], points[index]];
    if (point === undefined || point.atMs <= nowMs - seconds * 1_000) break;
    const to = Math.min(end - 1, Math.floor(point.atMs / bucketMs));
    if (point.isGap === true) gaps.add(Math.floor(to / perCell));
    const { perSecond } = point;
    const isShort = before !== undefined && (point.isReported === true || point.atMs - before.atMs <= maxStepMs);
    const isStep = isShort && point.isGap !== true;
    if (perSecond === undefined || !(isStep || isGauge)) continue;
    const fromMs = isStep ? before.atMs : point.atMs;
    const from = Math.floor(fromMs / bucketMs);
    for (let bucket = Math.max(begin, Math.min(to, from + 1)); bucket <= to; bucket += 1) {
      const share = to > from ? (bucket - from) / (to - from) : 1;
      values[bucket - begin] = Math.max(
        values[bucket - begin] ?? 0,
        isStep ? between(before.perSecond, perSecond, share) : perSecond,
      );
    }
    peak = Math.max(peak ?? 0, perSecond);
    knownMs += Math.max(0, point.atMs - Math.max(beginMs, fromMs));
  }
  // A line from a rate that is not shown itself could rise above the peak.
  const shown = (value: number | undefined): number | undefined =>
    value === undefined || peak === undefined ? value : Math.min(value, peak);
  return {
    values: values.map((value, at) => (gaps.has(Math.floor((begin + at) / perCell)) ? undefined : shown(value))),
    peak,
    seconds,
    knownSeconds: knownMs / 1_000,
    beginMs,
    cellMs: bucketMs * perCell,
  };
}

/**
 * Returns the highest value that was measured in a time: nothing between two readings is made up, as the line of a graph
 * is. `undefined` where none was, or where the series has a gap.
 */
export function highestBetween(
  points: readonly RatePoint[],
  fromMs: number,
  toMs: number,
  { maxStepMs, isGauge = false }: Pick<RateWindowOptions, 'maxStepMs' | 'isGauge'>,
): number | undefined {
  let highest: number | undefined;
  for (const [index, point] of points.entries()) {
    const before = points[index - 1];
    const isThen = point.atMs >= fromMs && point.atMs < toMs;
    if (point.isGap === true) {
      if (isThen) return undefined;
      continue;
    }
    const isStep = before !== undefined && (point.isReported === true || point.atMs - before.atMs <= maxStepMs);
    const isIn = isGauge ? isThen : isStep && point.atMs > fromMs && before.atMs < toMs;
    if (isIn && point.perSecond !== undefined) highest = Math.max(highest ?? 0, point.perSecond);
  }
  return highest;
}
