import { averageSeconds } from '../../domain/rates.ts';
import { formatDuration, formatRoundDuration, loadingText, plural } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const metricsTexts = {
  clusterTitle: safe`Cluster metrics`,
  nodeTitle: (node: SafeText, status: SafeText | undefined) =>
    status === undefined ? safe`Metrics of ${node}` : safe`Metrics of ${node} (${status})`,
  nextNode: safe`v next node`,
  stale: (origin: SafeText, seconds: number) => safe`${origin}, ${formatDuration(seconds)} old`,
  loading: safe`${loadingText} loading`,
  missing: safe`no data`,
  notRunning: (status: SafeText) => safe`no data: the node is ${status}`,
  total: safe`cluster total`,
  sum: (nodes: number, leftOut: readonly SafeText[]) => {
    const included = plural(nodes, safe`node`, safe`nodes`);
    return leftOut.length === 0
      ? safe`sum of ${included}`
      : safe`sum of ${included}, without ${joinSafe(leftOut, safe`, `)}`;
  },
  thisNode: safe`this node only`,
  loadingNode: safe`${loadingText} this node only`,
  noNode: safe`no metrics for this node`,
  sessionsNotRead: safe`Sessions are not read yet.`,
  failed: (reason: SafeText) => safe`! metrics: ${reason}`,
  /** Stands for the rate of a count that rises and falls. */
  noRate: safe`–`,
  unrouted: safe`unrouted`,
  dropping: safe`dropping`,
  missed: safe`missing`,
  trend: safe`TREND`,
  noun: safe`counter`,
  cluster: safe`cluster`,
  peak: safe`peak`,
  windowCommand: (window: SafeText) => safe`Metrics: time window of ${window}`,
  window: (window: SafeText) => safe`${window} window ({ })`,
  /** Shown while the history is younger than the window, or has gaps. */
  partOfWindow: (window: SafeText, recorded: SafeText) => safe`${window} window ({ }), ${recorded} recorded`,
  /** Added where a graph begins with what the broker had recorded before brokertop looked. */
  reportedBefore: (time: SafeText) => safe`before ${time} by the broker`,
  /** Names the highest average over so long: no rate is known in less. */
  rate: safe`${formatRoundDuration(averageSeconds)} AVG`,
  rateOf: safe`(${formatRoundDuration(averageSeconds)} avg)`,
  peakOf: (step: SafeText) => safe`peak (${step} avg)`,
  windowChosen: (window: SafeText, isPart: boolean) =>
    isPart ? safe`Time window: ${window}. Graphs show what has been recorded so far.` : safe`Time window: ${window}`,
  /** Names a graph with a cursor. */
  atTime: (label: SafeText, time: SafeText) => safe`${time}  ${label}`,
  moreNodes: (count: SafeText) => safe`${count} more nodes: press v`,
};

/** The panel with messages in and out. */
export const trafficTexts = {
  messages: safe`Messages`,
  clusterMessages: safe`Cluster messages`,
  /** Messages that full queues lost. */
  queueDrops: safe`queue drops`,
  dropsUnmeasured: safe`not measured yet`,
  unrouted: safe`unrouted`,
  fanOut: safe`fan-out`,
};

export const ratesTexts = {
  /**
   * @param seconds the time span of the graphs; `hasPeak`: their peaks are shown; `isAveraged`: the rates are averages,
   * as in the problems about them
   */
  title: ({
    ageSeconds,
    seconds,
    hasPeak,
    isAveraged = false,
    reportedBefore,
  }: {
    readonly ageSeconds: number;
    readonly seconds: number;
    readonly hasPeak: boolean;
    readonly isAveraged?: boolean;
    readonly reportedBefore?: SafeText | undefined;
  }): SafeText =>
    joinSafe(
      [
        ...(ageSeconds > 0 ? [safe`${formatDuration(ageSeconds)} old`] : []),
        ...(isAveraged ? [ratesTexts.averaged] : []),
        safe`last ${formatRoundDuration(seconds)}`,
        ...(reportedBefore === undefined ? [] : [metricsTexts.reportedBefore(reportedBefore)]),
        ...(hasPeak ? [metricsTexts.peak] : []),
      ],
      safe` · `,
    ),
  averaged: safe`${formatRoundDuration(averageSeconds)} average`,
};
