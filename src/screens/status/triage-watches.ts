import { useEffect, useState } from 'react';
import { nodeMetricsSeconds } from '../../monitor/polling/intervals.ts';
import { createHeldWatches } from '../../checks/keep-watched.ts';
import { neededReads, triageOf } from '../../checks/triage.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Monitor, MonitorState } from '../../monitor/state.ts';
import { selectBackgroundNodes } from '../../resources/metrics/rates.ts';
import { nodeMetrics } from '../../resources/metrics/resource.ts';
import type { TriageReport } from '../../triage/triage.ts';
import { useWatches } from '../../tui/hooks/use-store.ts';

/** Keeps everything fetched that the checks need, except for lists of more than `maxRows`. */
export const useTriageWatches = (
  monitor: Monitor,
  state: MonitorState,
  report: TriageReport,
  maxRows?: number,
): void => {
  const wanted = neededReads(state, report, triageOf(monitor).sessionReadings(), undefined, maxRows);
  const [held] = useState(() => createHeldWatches(monitor));
  useEffect(() => {
    held.hold(wanted);
  });
  useEffect(() => held.release, [held]);
};

/** Reads the counters of nodes that the cluster's answer does not tell apart, so that each has a history before it is shown. */
export const useNodeSampling = (monitor: Monitor, state: MonitorState): void => {
  useWatches(
    monitor,
    selectBackgroundNodes(state).map((node) => watchOf(nodeMetrics, node)),
    nodeMetricsSeconds,
  );
};
