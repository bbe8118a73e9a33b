import type { MetricName } from '../domain/metrics.ts';
import type { NodeName } from '../domain/node.ts';
import { freshForSeconds } from '../monitor/polling/intervals.ts';
import { selectNodes } from '../resources/nodes/select.ts';
import { selectRateSeries } from '../resources/metrics/rates.ts';
import { selectClientsByNode, selectTotals } from '../resources/statistics/select.ts';
import type { MonitorState } from '../monitor/state.ts';
import { suddenThresholds, triageThresholds } from './thresholds.ts';
import { stats } from '../resources/statistics/resource.ts';
import { reading } from '../monitor/query/part.ts';
import { metricHistory } from '../resources/metrics/resource.ts';

export interface SeenLevel {
  readonly atMs: number;
  readonly value: number;
  readonly byNode?: ReadonlyMap<string, number> | undefined;
}

export interface LevelChange {
  readonly direction: 'fall' | 'rise';
  readonly atMs: number;
  readonly before: number;
  readonly after: number;
  readonly now: number;
  readonly beforeByNode: SeenLevel['byNode'];
  readonly afterByNode: SeenLevel['byNode'];
}

/** Limits of a change, which has to reach both the share of the median and the amount. */
export interface LevelLimits {
  readonly fallShare: number;
  readonly riseShare: number;
  readonly minAmount: number;
}

export interface LevelWatch {
  /** Adds a level. Restarts the baseline after a longer gap or a step back in time. */
  add(level: SeenLevel, maxGapMs: number): void;
  restart(): void;
  changes(): readonly LevelChange[];
  knownSinceMs(): number | undefined;
  /** Whether the next level decides whether the last one was a change. */
  isUndecided(): boolean;
}

interface Baseline {
  readonly median: number;
  readonly low: number;
  readonly high: number;
}

/** Values rarer than this are outside the usual range. */
const unusualShare = 0.05;

function baselineOf(levels: readonly SeenLevel[], atMs: number, minSeconds: number): Baseline | undefined {
  const [first] = levels;
  if (first === undefined || levels.length < 3 || atMs - first.atMs < minSeconds * 1_000) return undefined;
  const values = levels.map(({ value }) => value).toSorted((a, b) => a - b);
  const skipped = Math.floor(values.length * unusualShare);
  const at = (index: number): number => values[index] ?? 0;
  return { median: at(Math.floor((values.length - 1) / 2)), low: at(skipped), high: at(values.length - 1 - skipped) };
}

function directionOf(
  { median, low, high }: Baseline,
  value: number,
  { fallShare, riseShare, minAmount }: LevelLimits,
): LevelChange['direction'] | undefined {
  if (median - value >= minAmount && value <= median * (1 - fallShare) && value < low) return 'fall';
  return value - median >= minAmount && value >= median * (1 + riseShare) && value > high ? 'rise' : undefined;
}

/** Returns the level that a change began from: it may have taken some samples until it was one. */
function beginOf(usual: readonly SeenLevel[], direction: LevelChange['direction'], median: number): number {
  let begin = usual.at(-1)?.value;
  if (begin === undefined) return median;
  for (const { value } of usual.toReversed().slice(1)) {
    if (direction === 'fall' ? value < begin : value > begin) break;
    begin = value;
  }
  return begin;
}

/** Levels that differ by less than this share of a change are the same. */
const sameShare = 0.25;

/** Whether a level went from and to where it had gone before, and meanwhile returned. */
function isAgain(change: LevelChange, before: LevelChange): boolean {
  const tolerance = sameShare * Math.abs(before.after - before.before);
  return (
    change.atMs - before.atMs <= suddenThresholds.shownSeconds * 1_000 &&
    Math.abs(change.before - before.before) <= tolerance &&
    Math.abs(change.after - before.after) <= tolerance
  );
}

export function createLevelWatch(limits: LevelLimits, minBaselineSeconds: number): LevelWatch {
  let usual: readonly SeenLevel[] = [];
  /** A value that becomes a change only if the next one is an outlier too. */
  let outlier: { readonly level: SeenLevel; readonly direction: LevelChange['direction'] } | undefined;
  let open: { change: LevelChange; readonly baseline: Baseline; readonly levels: SeenLevel[] } | undefined;
  let lastMs: number | undefined;
  const last = new Map<LevelChange['direction'], LevelChange>();

  function store(level: SeenLevel): void {
    usual = [...usual.filter(({ atMs }) => atMs > level.atMs - suddenThresholds.baselineSeconds * 1_000), level];
  }

  function follow(current: NonNullable<typeof open>, level: SeenLevel): void {
    const { change, baseline, levels } = current;
    if (directionOf(baseline, level.value, limits) !== change.direction) {
      open = undefined;
      store(level);
      return;
    }
    levels.push(level);
    const isFurther = change.direction === 'fall' ? level.value < change.after : level.value > change.after;
    if (isFurther) current.change = { ...change, after: level.value, afterByNode: level.byNode };
    last.set(change.direction, current.change);
    if (level.atMs - change.atMs < suddenThresholds.settleSeconds * 1_000) return;
    usual = levels;
    open = undefined;
  }

  function compare(level: SeenLevel): void {
    const baseline = baselineOf(usual, level.atMs, minBaselineSeconds);
    const direction = baseline && directionOf(baseline, level.value, limits);
    // What changed before there was a baseline is a part of it: nobody knows what it was before.
    if (
      baseline === undefined ||
      direction === undefined ||
      directionOf({ ...baseline, median: beginOf(usual, direction, baseline.median) }, level.value, limits) ===
        undefined
    ) {
      outlier = undefined;
      store(level);
    } else if (outlier?.direction !== direction) outlier = { level, direction };
    else {
      const furthest = (direction === 'fall') === level.value < outlier.level.value ? level : outlier.level;
      const next: LevelChange = {
        direction,
        atMs: outlier.level.atMs,
        before: beginOf(usual, direction, baseline.median),
        after: furthest.value,
        now: level.value,
        beforeByNode: usual.at(-1)?.byNode,
        afterByNode: furthest.byNode,
      };
      const before = last.get(direction);
      const change = before !== undefined && isAgain(next, before) ? { ...before, now: level.value } : next;
      open = { change, baseline, levels: [outlier.level, level] };
      last.set(direction, change);
      outlier = undefined;
    }
  }

  function restart(): void {
    usual = [];
    outlier = undefined;
    open = undefined;
  }

  return {
    restart,
    add(level, maxGapMs) {
      if (lastMs !== undefined && (level.atMs < lastMs || level.atMs - lastMs > maxGapMs)) restart();
      lastMs = level.atMs;
      if (open === undefined) compare(level);
      else follow(open, level);
      for (const [direction, change] of last) last.set(direction, { ...change, now: level.value });
    },
    changes: () => [...last.values()],
    knownSinceMs: () => usual[0]?.atMs,
    isUndecided: () => outlier !== undefined,
  };
}

export const suddenSubjects = ['clients', 'sessions', 'subscriptions', 'messages.received', 'messages.sent'] as const;

export type SuddenSubject = (typeof suddenSubjects)[number];

export interface SuddenChanges {
  readonly clusterChanges: readonly (LevelChange & { readonly subject: SuddenSubject })[];
  /** Changes of a node's share of the clients, 0 to 1. */
  readonly shareChanges: readonly (LevelChange & { readonly node: NodeName })[];
  readonly knownSinceMs: number | undefined;
  readonly readAtMs: number | undefined;
  readonly minSeconds: number;
  readonly clients: number | undefined;
}

export const noSuddenChanges: SuddenChanges = {
  clusterChanges: [],
  shareChanges: [],
  knownSinceMs: undefined,
  readAtMs: undefined,
  minSeconds: suddenThresholds.minBaselineSeconds,
  clients: undefined,
};

const totalNames = ['clients', 'sessions', 'subscriptions'] as const;
const trafficNames = ['messages.received', 'messages.sent'] as const satisfies readonly MetricName[];

/** Follows totals, traffic and each node's share of the clients. Baselines restart with every change of the nodes and after gaps. */
export function createSuddenMemory(
  minBaselineSeconds: number = suddenThresholds.minBaselineSeconds,
): (state: MonitorState, before: SuddenChanges) => SuddenChanges {
  const { counts, traffic, shares, sampleSeconds, minGapSeconds } = suddenThresholds;
  const watches: Readonly<Record<SuddenSubject, LevelWatch>> = {
    clients: createLevelWatch(counts, minBaselineSeconds),
    sessions: createLevelWatch(counts, minBaselineSeconds),
    subscriptions: createLevelWatch(counts, minBaselineSeconds),
    'messages.received': createLevelWatch(traffic, minBaselineSeconds),
    'messages.sent': createLevelWatch(traffic, minBaselineSeconds),
  };
  const shareWatches = new Map<NodeName, LevelWatch>();
  let takenMs: number | undefined;
  let metricsMs = Number.NEGATIVE_INFINITY;
  let running: string | undefined;

  function restart(): void {
    for (const watch of Object.values(watches)) watch.restart();
    for (const watch of shareWatches.values()) watch.restart();
  }

  function hasReset(state: MonitorState): boolean {
    let latestMs = metricsMs;
    let isReset = false;
    for (const samples of reading(state, metricHistory).values()) {
      for (let index = samples.length - 1; index >= 0; index -= 1) {
        const sample = samples[index];
        if (sample === undefined || sample.atMs <= metricsMs) break;
        latestMs = Math.max(latestMs, sample.atMs);
        isReset ||= sample.isAfterReset === true;
      }
    }
    metricsMs = latestMs;
    return isReset;
  }

  function noteTraffic(state: MonitorState, atMs: number, afterMs: number, maxGapMs: number): void {
    for (const name of trafficNames) {
      const rates = selectRateSeries(state, name)
        .filter((point) => point.atMs > afterMs)
        .map(({ perSecond }) => perSecond)
        .filter((rate) => rate !== undefined);
      if (rates.length > 0)
        watches[name].add({ atMs, value: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }, maxGapMs);
    }
  }

  function noteShares(byNode: ReadonlyMap<NodeName, number>, clients: number, atMs: number, maxGapMs: number): void {
    for (const node of shareWatches.keys()) if (!byNode.has(node)) shareWatches.delete(node);
    if (byNode.size < 2 || clients < triageThresholds.unevenClients) return;
    for (const [node, count] of byNode) {
      const watch = shareWatches.get(node) ?? createLevelWatch(shares, minBaselineSeconds);
      shareWatches.set(node, watch);
      watch.add({ atMs, value: count / clients }, maxGapMs);
    }
  }

  return (state, before) => {
    const { updatedAtMs: atMs } = reading(state, stats);
    // With a tolerance, or an interval of the same length would be skipped every second time.
    const everyMs = totalNames.some((name) => watches[name].isUndecided()) ? 1 : sampleSeconds * 1_000 - 500;
    if (atMs === undefined || (takenMs !== undefined && atMs >= takenMs && atMs - takenMs < everyMs)) return before;
    const metricsBeforeMs = metricsMs;
    const nodes = JSON.stringify(
      selectNodes(state)
        .filter(({ status }) => status === 'running')
        .map(({ name }) => name),
    );
    const isReset = hasReset(state);
    if (isReset || nodes !== running) restart();
    running = nodes;
    const totals = selectTotals(state);
    // A total that lacks a node is not comparable.
    if (totalNames.some((name) => totals[name].missingNodes.length > 0)) return before;
    takenMs = atMs;
    const maxGapMs = 1_000 * Math.max(minGapSeconds, freshForSeconds(state.intervalSeconds));
    const byNode = selectClientsByNode(state);
    for (const name of totalNames) {
      const { value } = totals[name];
      if (value !== undefined)
        watches[name].add({ atMs, value, byNode: name === 'clients' ? byNode : undefined }, maxGapMs);
    }
    noteTraffic(state, atMs, metricsBeforeMs, maxGapMs);
    noteShares(byNode, totals.clients.value ?? 0, atMs, maxGapMs);
    return {
      clusterChanges: suddenSubjects.flatMap((subject) =>
        watches[subject].changes().map((change) => ({ ...change, subject })),
      ),
      shareChanges: [...shareWatches].flatMap(([node, watch]) =>
        watch.changes().map((change) => ({ ...change, node })),
      ),
      knownSinceMs: watches.clients.knownSinceMs(),
      readAtMs: atMs,
      minSeconds: minBaselineSeconds,
      clients: totals.clients.value,
    };
  };
}
