import type { Capabilities } from '../api/management-api.ts';

/** How a broker refreshes the figures of a client or session, which stand still in between. */
export interface Refresh {
  /**
   * The longest time between two refreshes while there is traffic; 0 if every reading is current, `Infinity` if there
   * is no bound.
   */
  readonly maxMs: number;
  /** The refreshes are `maxMs` apart, never less. */
  readonly isRegular: boolean;
}

/** Every reading is current. */
export const always: Refresh = { maxMs: 0, isRegular: false };

/** Figures change at any time, or not at all: nothing follows from their standing still. */
export const atAnyTime: Refresh = { maxMs: Number.POSITIVE_INFINITY, isRegular: false };

/** Returns how the broker refreshes figures; the same object for the same answer. */
export const refreshOf = (
  capabilities: Pick<Capabilities, 'sessionCountersSeconds' | 'sessionCountersVary'> | undefined,
): Refresh =>
  capabilities?.sessionCountersSeconds === undefined
    ? always
    : refreshEvery(capabilities.sessionCountersSeconds, capabilities.sessionCountersVary !== true);

const refreshes = new Map<string, Refresh>();

const refreshEvery = (seconds: number, isRegular: boolean): Refresh => {
  const key = `${seconds} ${isRegular}`;
  const known = refreshes.get(key) ?? { maxMs: seconds * 1_000, isRegular };
  refreshes.set(key, known);
  return known;
};

/** When the broker refreshed figures: between two times, monotonic. */
export interface RefreshTime {
  /** `-Infinity` if the time is not known. */
  readonly afterMs: number;
  /** The first reading that showed the figures. */
  readonly seenMs: number;
}

/** Returns the time of the first reading, whose figures may have been refreshed at any time before. */
export const firstTime = (atMs: number, { maxMs }: Refresh): RefreshTime => ({
  afterMs: maxMs === 0 ? atMs : Number.NEGATIVE_INFINITY,
  seenMs: atMs,
});

/** Returns the time of a reading that shows other figures than the one before it. */
const changeTime = (beforeMs: number, atMs: number, { maxMs }: Refresh): RefreshTime => ({
  afterMs: Math.max(beforeMs, atMs - maxMs),
  seenMs: atMs,
});

/** The share of a step that counts as a whole one. */
const wholeShare = 0.9;

/** Returns the time between two refreshes; `undefined` if that is less than a step, or too uncertain for a rate. */
export function elapsedBetween(
  base: RefreshTime,
  next: RefreshTime,
  { maxMs, isRegular }: Refresh,
): number | undefined {
  if (base.afterMs === Number.NEGATIVE_INFINITY) return undefined;
  const [leastMs, longestMs] = [next.afterMs - base.seenMs, next.seenMs - base.afterMs];
  const meanMs = (leastMs + longestMs) / 2;
  if (!isRegular) return meanMs > 0 && longestMs - leastMs <= meanMs ? meanMs : undefined;
  if (longestMs < maxMs * wholeShare) return undefined;
  const nearestMs = maxMs * Math.max(1, Math.round(meanMs / maxMs));
  const toleranceMs = maxMs * (1 - wholeShare);
  return nearestMs >= leastMs - toleranceMs && nearestMs <= longestMs + toleranceMs ? nearestMs : meanMs;
}

export type Step =
  /** The figures cover a whole step, which took so long. `base`: what the next one is measured from. */
  | { readonly kind: 'whole'; readonly elapsedMs: number; readonly base: RefreshTime }
  /** The figures did not change for so long that nothing happened. */
  | { readonly kind: 'still'; readonly base: RefreshTime }
  /**
   * The reading is within a step, so what is known of the one before goes on. `base`: set if the next one is measured
   * from these figures.
   */
  | { readonly kind: 'within'; readonly base?: RefreshTime | undefined };

const within: Step = { kind: 'within' };

/** So many steps without a change mean that nothing happens. */
const stillSteps = 2;

/** A reading, compared with figures that were read before. */
export interface StepReading {
  /** When the reading was made; `beforeMs` is the one before it. */
  readonly atMs: number;
  readonly beforeMs: number;
  /** The figures are those that the next step is measured from. */
  readonly isBase: boolean;
  /** The figures are not those of the reading before. */
  readonly isMoved: boolean;
}

/**
 * Returns what a reading adds to the figures that `base` is the time of. The change of the figures is the clock: a rate
 * needs a whole step, and zero two steps without a change.
 */
export function measureStep(
  base: RefreshTime,
  { atMs, beforeMs, isBase, isMoved }: StepReading,
  refresh: Refresh,
): Step {
  const { maxMs } = refresh;
  if (!isMoved && maxMs > 0) {
    // Figures that are not those of the base moved less than a step after it.
    return atMs - base.seenMs >= (isBase ? stillSteps : stillSteps + 1) * maxMs
      ? { kind: 'still', base: firstTime(atMs, refresh) }
      : within;
  }
  const next = changeTime(beforeMs, atMs, refresh);
  const elapsedMs = elapsedBetween(base, next, refresh);
  if (elapsedMs !== undefined) return { kind: 'whole', elapsedMs, base: next };
  return base.afterMs === Number.NEGATIVE_INFINITY ? { kind: 'within', base: next } : within;
}

/** A figure, and when the broker refreshed it. */
export interface RefreshedFigure {
  readonly value: number;
  readonly time: RefreshTime;
}

/** The time that a figure takes to change by one is between these. */
interface Pace {
  readonly leastMs: number;
  readonly longestMs: number;
}

const paceBetween = (from: RefreshedFigure, to: RefreshedFigure): Pace => {
  const change = Math.abs(to.value - from.value);
  return {
    leastMs: Math.max(0, to.time.afterMs - from.time.seenMs) / change,
    longestMs: (to.time.seenMs - from.time.afterMs) / change,
  };
};

const both = (a: Pace, b: Pace): Pace => ({
  leastMs: Math.max(a.leastMs, b.leastMs),
  longestMs: Math.min(a.longestMs, b.longestMs),
});

/** The share by which paces of a constant rate may differ, besides what the count of a step varies by chance. */
const steadyShare = 0.02;

/** Leaves out what is only noise, and would fill recordings. Rates below one stay as they are. */
const toThousandths = (perSecond: number): number =>
  Math.abs(perSecond) < 1 ? perSecond : Math.round(perSecond * 1_000) / 1_000;

export interface SteadyRate {
  readonly perSecond: number;
  /** The average over the time that it was measured is at most such a share off. */
  readonly errorShare: number;
}

/**
 * Returns what a figure changes by per second; `undefined` without a step. `figures`: at the ends of steps, the latest
 * last. Any two of them bound the rate, and the longer the time between them, the more exactly: it is measured back to
 * where the bounds contradict each other, because the rate was another one then.
 */
export function steadyRate(figures: readonly RefreshedFigure[]): SteadyRate | undefined {
  const [before, last] = figures.slice(-2);
  if (before === undefined || last === undefined) return undefined;
  const change = last.value - before.value;
  if (change === 0) return { perSecond: 0, errorShare: 0 };
  const tolerance = steadyShare + 1 / Math.sqrt(Math.abs(change));
  let pace = paceBetween(before, last);
  // Steps of different rates may seem to agree, and exactly. What is known in any case is the average over all of them.
  let whole = pace;
  for (let start = figures.length - 3; start >= 0; start -= 1) {
    const [earlier, from, ...later] = figures.slice(start);
    if (earlier === undefined || from === undefined) break;
    // The step after a still one, within which the change began, does not have all of it.
    const isBegin = figures[start - 1]?.value === earlier.value;
    if (isBegin || Math.sign(from.value - earlier.value) !== Math.sign(change)) break;
    const next = [from, ...later].map((figure) => paceBetween(earlier, figure)).reduce(both, pace);
    if (next.leastMs > next.longestMs * (1 + tolerance)) break;
    pace = next;
    whole = paceBetween(earlier, last);
  }
  return {
    perSecond: toThousandths((Math.sign(change) * 2_000) / (pace.leastMs + pace.longestMs)),
    errorShare: (whole.longestMs - whole.leastMs) / (whole.longestMs + whole.leastMs),
  };
}
