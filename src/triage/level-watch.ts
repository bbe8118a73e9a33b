import { suddenThresholds } from './thresholds.ts';

/** A figure at a moment of the wall clock. */
export interface Level {
  readonly atMs: number;
  readonly value: number;
  /** What it is made of, where it is of several nodes. */
  readonly byNode?: ReadonlyMap<string, number> | undefined;
}

/** A figure left what it had been in the minutes before. */
export interface LevelChange {
  readonly direction: 'fall' | 'rise';
  /** When it was first seen to be other than before. */
  readonly atMs: number;
  /** Median of the minutes before. */
  readonly before: number;
  /** The furthest that it went. */
  readonly after: number;
  readonly now: number;
  /** By node: right before, and where it went furthest. */
  readonly beforeByNode: Level['byNode'];
  readonly afterByNode: Level['byNode'];
}

/** From which part of the median on, and from which amount on, a change is one. Both have to be passed. */
export interface LevelLimits {
  readonly fallShare: number;
  readonly riseShare: number;
  readonly minAmount: number;
}

/** Follows one figure and finds where it suddenly falls or rises. */
export interface LevelWatch {
  /** After a gap longer than that, or a step back in time, nothing is compared with what was before it. */
  add(level: Level, maxGapMs: number): void;
  /** What was before cannot be compared with what comes: a node that came or went. Changes that were found stay. */
  restart(): void;
  /** The last fall and the last rise. */
  changes(): readonly LevelChange[];
  /** Since when it is known without a break; `undefined` while nothing is. */
  knownSinceMs(): number | undefined;
}

interface Baseline {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Values seen less often than this do not count as usual. */
const unusualShare = 0.05;

function baselineOf(levels: readonly Level[], atMs: number, minSeconds: number): Baseline | undefined {
  const [first] = levels;
  if (first === undefined || levels.length < 3 || atMs - first.atMs < minSeconds * 1_000) return undefined;
  const values = levels.map(({ value }) => value).toSorted((a, b) => a - b);
  const skipped = Math.floor(values.length * unusualShare);
  const at = (index: number): number => values[index] ?? 0;
  return { median: at(Math.floor((values.length - 1) / 2)), low: at(skipped), high: at(values.length - 1 - skipped) };
}

/** Far from the median, and beyond nearly all that was seen. */
function directionOf({ median, low, high }: Baseline, value: number, { fallShare, riseShare, minAmount }: LevelLimits): LevelChange['direction'] | undefined {
  if (median - value >= minAmount && value <= median * (1 - fallShare) && value < low) return 'fall';
  return value - median >= minAmount && value >= median * (1 + riseShare) && value > high ? 'rise' : undefined;
}

export function createLevelWatch(limits: LevelLimits, minBaselineSeconds: number): LevelWatch {
  /** The usual, oldest first. */
  let usual: readonly Level[] = [];
  /** One odd figure is none: the next one has to be as odd. */
  let doubtful: { readonly level: Level; readonly direction: LevelChange['direction'] } | undefined;
  /** A change that is going on, with what it is compared with and all figures since. */
  let open: { change: LevelChange; readonly baseline: Baseline; readonly levels: Level[] } | undefined;
  let lastMs: number | undefined;
  const last = new Map<LevelChange['direction'], LevelChange>();

  function keep(level: Level): void {
    usual = [...usual.filter(({ atMs }) => atMs > level.atMs - suddenThresholds.baselineSeconds * 1_000), level];
  }

  function follow(current: NonNullable<typeof open>, level: Level): void {
    const { change, baseline, levels } = current;
    if (directionOf(baseline, level.value, limits) !== change.direction) {
      // It is as before again; what was in between is not the usual.
      open = undefined;
      keep(level);
      return;
    }
    levels.push(level);
    const isFurther = change.direction === 'fall' ? level.value < change.after : level.value > change.after;
    if (isFurther) current.change = { ...change, after: level.value, afterByNode: level.byNode };
    last.set(change.direction, current.change);
    if (level.atMs - change.atMs < suddenThresholds.settleSeconds * 1_000) return;
    // This is the usual now.
    usual = levels;
    open = undefined;
  }

  function judge(level: Level): void {
    const baseline = baselineOf(usual, level.atMs, minBaselineSeconds);
    const direction = baseline && directionOf(baseline, level.value, limits);
    if (baseline === undefined || direction === undefined) {
      doubtful = undefined;
      keep(level);
    } else if (doubtful?.direction !== direction) doubtful = { level, direction };
    else {
      const furthest = (direction === 'fall') === (level.value < doubtful.level.value) ? level : doubtful.level;
      const change: LevelChange = {
        direction, atMs: doubtful.level.atMs, before: baseline.median, after: furthest.value, now: level.value,
        beforeByNode: usual.at(-1)?.byNode, afterByNode: furthest.byNode,
      };
      open = { change, baseline, levels: [doubtful.level, level] };
      last.set(direction, change);
      doubtful = undefined;
    }
  }

  function restart(): void {
    usual = [];
    doubtful = undefined;
    open = undefined;
  }

  return {
    restart,
    add(level, maxGapMs) {
      if (lastMs !== undefined && (level.atMs < lastMs || level.atMs - lastMs > maxGapMs)) restart();
      lastMs = level.atMs;
      if (open === undefined) judge(level);
      else follow(open, level);
      for (const [direction, change] of last) last.set(direction, { ...change, now: level.value });
    },
    changes: () => [...last.values()],
    knownSinceMs: () => usual[0]?.atMs,
  };
}
