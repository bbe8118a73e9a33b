/** A rate at one moment; `perSecond` is `undefined` where it is unknown. */
export interface RateAt {
  readonly atMs: number;
  readonly perSecond: number | undefined;
}

export interface AverageRate {
  readonly perSecond: number;
  /** The time that it is the average of. */
  readonly seconds: number;
}

/** Rates are averages of this time, so that one quiet second does not look like the end. */
export const averageSeconds = 30;

/** An average of less time says nothing. */
export const minAverageSeconds = 5;

/** Averages the last `averageSeconds` of a series; `undefined` if less than `minAverageSeconds` of them are known. */
export function averageRate(series: readonly RateAt[]): AverageRate | undefined {
  const lastMs = series.at(-1)?.atMs ?? 0;
  let sum = 0;
  let ms = 0;
  for (let index = 1; index < series.length; index += 1) {
    const point = series[index];
    const before = series[index - 1];
    if (point?.perSecond === undefined || before === undefined || point.atMs <= lastMs - averageSeconds * 1_000)
      continue;
    sum += point.perSecond * (point.atMs - before.atMs);
    ms += point.atMs - before.atMs;
  }
  return ms < minAverageSeconds * 1_000 ? undefined : { perSecond: sum / ms, seconds: ms / 1_000 };
}

/**
 * Returns what was counted in each step of a series that ends in the given time; `undefined` if one of them is unknown.
 */
export function countsBetween(series: readonly RateAt[], fromMs: number, toMs: number): readonly number[] | undefined {
  const counts: number[] = [];
  for (let index = 1; index < series.length; index += 1) {
    const point = series[index];
    const before = series[index - 1];
    if (point === undefined || before === undefined || point.atMs <= fromMs || point.atMs > toMs) continue;
    if (point.perSecond === undefined) return undefined;
    counts.push((point.perSecond * (point.atMs - before.atMs)) / 1_000);
  }
  return counts;
}

/** Returns when the rate was last unknown, as when a counter restarts: only later points can be compared. */
export const lastUnknownMs = (series: readonly RateAt[]): number =>
  series.findLast(({ perSecond }) => perSecond === undefined)?.atMs ?? Number.NEGATIVE_INFINITY;
