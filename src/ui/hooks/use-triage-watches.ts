import { nodeMetricsSeconds } from '../../monitor/polling/intervals.ts';
import { selectBackgroundNodes } from '../../monitor/select/rates.ts';
import type { Monitor, MonitorState, Watched } from '../../monitor/state.ts';
import { neededReads, triageOf } from '../../checks/triage.ts';
import type { Need } from '../../triage/needs.ts';
import type { TriageReport } from '../../triage/triage.ts';
import { useWatches } from './use-store.ts';

/** Watches the sources that share an interval. */
const useTriageWatch = (monitor: Monitor, wanted: readonly Need[], isPart: (watched: Watched) => boolean): void => {
  const part = wanted.filter(({ watched }) => isPart(watched));
  useWatches(
    monitor,
    part.map(({ watched }) => watched),
    part[0]?.everySeconds,
  );
};

/** Keeps everything fetched that the checks need, except for lists of more than `maxRows`. */
export const useTriageWatches = (
  monitor: Monitor,
  state: MonitorState,
  report: TriageReport,
  maxRows?: number,
): void => {
  const wanted = neededReads(state, report, triageOf(monitor).sessionReadings(), undefined, maxRows);
  // Separate watches: a changed list is watched again as a whole, so one kind must not restart another.
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'resource');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'sessionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'clientScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'alarms');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'slowSubscriptions');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'subscriptionScan');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'settings');
  useTriageWatch(monitor, wanted, ({ kind }) => kind === 'nodePlugins');
};

/** Reads the counters of nodes that the cluster's answer does not tell apart, so that each has a history before it is shown. */
export const useNodeSampling = (monitor: Monitor, state: MonitorState): void => {
  useWatches(
    monitor,
    selectBackgroundNodes(state).map((node): Watched => ({ kind: 'nodeMetrics', node })),
    nodeMetricsSeconds,
  );
};
