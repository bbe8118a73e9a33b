import type { MetricName } from '../domain/metrics.ts';
import type { NodeName } from '../domain/node.ts';
import { freshForSeconds } from '../monitor/polling/intervals.ts';
import { selectNodes } from '../monitor/select/nodes.ts';
import { selectRateSeries } from '../monitor/select/rates.ts';
import { selectClientsByNode, selectTotals } from '../monitor/select/totals.ts';
import type { MonitorState } from '../monitor/state.ts';
import { createLevelWatch, type LevelChange, type LevelWatch } from './level-watch.ts';
import { suddenThresholds, triageThresholds } from './thresholds.ts';

/** Figures of the cluster whose sudden changes are found, the most telling first. */
export const suddenSubjects = ['clients', 'sessions', 'subscriptions', 'messages.received', 'messages.sent'] as const;

export type SuddenSubject = (typeof suddenSubjects)[number];

/** What changed of late. */
export interface SuddenChanges {
  readonly ofCluster: readonly (LevelChange & { readonly subject: SuddenSubject })[];
  /** Of the part of the clients that a node has, 0 to 1. */
  readonly ofShares: readonly (LevelChange & { readonly node: NodeName })[];
  /** Since when the figures are known without a break, wall clock. */
  readonly knownSinceMs: number | undefined;
  readonly readAtMs: number | undefined;
  /** How long they have to be known. */
  readonly minSeconds: number;
  readonly clients: number | undefined;
}

export const noSuddenChanges: SuddenChanges = { ofCluster: [], ofShares: [], knownSinceMs: undefined, readAtMs: undefined, minSeconds: suddenThresholds.minBaselineSeconds, clients: undefined };

const totalNames = ['clients', 'sessions', 'subscriptions'] as const;
const trafficNames = ['messages.received', 'messages.sent'] as const satisfies readonly MetricName[];

/**
 * Follows the totals, the traffic and each node's share of the clients. A node that comes, goes or begins anew, and a gap
 * between readings, break the comparison: what changed then is not a change of its own.
 */
export function createSuddenMemory(minBaselineSeconds: number = suddenThresholds.minBaselineSeconds): (state: MonitorState, before: SuddenChanges) => SuddenChanges {
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

  /** Counters of any source began anew since the last look. */
  function hasReset({ metricHistory }: MonitorState): boolean {
    let latestMs = metricsMs;
    let isReset = false;
    for (const samples of metricHistory.values()) {
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
      const rates = selectRateSeries(state, name).filter((point) => point.atMs > afterMs).map(({ perSecond }) => perSecond).filter((rate) => rate !== undefined);
      if (rates.length > 0) watches[name].add({ atMs, value: rates.reduce((sum, rate) => sum + rate, 0) / rates.length }, maxGapMs);
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
    const { updatedAtMs: atMs } = state.resources.stats;
    // A little less than told, so that an interval of the same length is not every second one.
    if (atMs === undefined || (takenMs !== undefined && atMs >= takenMs && atMs - takenMs < sampleSeconds * 1_000 - 500)) return before;
    const metricsBeforeMs = metricsMs;
    const nodes = JSON.stringify(selectNodes(state).filter(({ status }) => status === 'running').map(({ name }) => name));
    const isReset = hasReset(state);
    if (isReset || nodes !== running) restart();
    running = nodes;
    const totals = selectTotals(state);
    // Without a node the total would be of others than before.
    if (totalNames.some((name) => totals[name].missingNodes.length > 0)) return before;
    takenMs = atMs;
    const maxGapMs = 1_000 * Math.max(minGapSeconds, freshForSeconds(state.intervalSeconds));
    const byNode = selectClientsByNode(state);
    for (const name of totalNames) {
      const { value } = totals[name];
      if (value !== undefined) watches[name].add({ atMs, value, byNode: name === 'clients' ? byNode : undefined }, maxGapMs);
    }
    noteTraffic(state, atMs, metricsBeforeMs, maxGapMs);
    noteShares(byNode, totals.clients.value ?? 0, atMs, maxGapMs);
    return {
      ofCluster: suddenSubjects.flatMap((subject) => watches[subject].changes().map((change) => ({ ...change, subject }))),
      ofShares: [...shareWatches].flatMap(([node, watch]) => watch.changes().map((change) => ({ ...change, node }))),
      knownSinceMs: watches.clients.knownSinceMs(),
      readAtMs: atMs,
      minSeconds: minBaselineSeconds,
      clients: totals.clients.value,
    };
  };
}
