import type { Client } from '../domain/client.ts';
import { freshForSeconds } from '../monitor/polling/intervals.ts';
import { definePart, isWatched, reading } from '../monitor/query/part.ts';
import type { MonitorState } from '../monitor/state.ts';
import { isPollingPaused } from '../resources/freshness.ts';
import type { OfflineCounters, RecentTrouble } from '../resources/sessions/history.ts';
import type { QueueDrops } from '../resources/sessions/queue-drops.ts';
import { sessionScan } from '../resources/sessions/resource.ts';
import type { CheckResult, Wait } from './check.ts';
import { usualPace } from './needs.ts';
import type { Finding } from './problem.ts';

export interface TriageReport {
  /** Results of all checks, with their rows. */
  readonly results: readonly CheckResult[];
  /** Each problem by itself, in the order of the rows: what counts, alerts and scripts read. */
  readonly problems: readonly Finding[];
  /**
   * Rows that show the problems: critical ones first, changes of more than a minute ago last of their severity,
   * otherwise in the order of the checks; acknowledged ones last.
   */
  readonly findings: readonly Finding[];
  /** All checks were complete and found nothing. */
  readonly isAllClear: boolean;
  /** Checks that will be complete without a key; none by default. */
  readonly pending?: readonly PendingCheck[];
  /** Checks whose lists are to be read often: what they show changes, and tells what an action did. */
  readonly urgent?: ReadonlySet<string>;
}

export interface PendingCheck extends Wait {
  readonly check: string;
}

/** What the checks say, and what screens show of their memory. */
export interface TriageView {
  readonly report: TriageReport;
  /** Problems that began and have not ended, as last found, by key. */
  readonly open: ReadonlyMap<string, Finding>;
  /** Counts complete session scans; two are needed for rates. At most 1 if a node restarted since. */
  readonly sessionReadings: number;
  /** When the sessions were last read to the end. */
  readonly sessionsReadMs: number | undefined;
  /** What full queues lost in each reading, oldest first. */
  readonly queueDrops: readonly QueueDrops[];
  /** The same map until a list is read. */
  readonly offline: ReadonlyMap<string, OfflineCounters>;
  /** The last rows of clients that reconnected, by id: during a storm many of them are away. */
  readonly reconnectedRows: ReadonlyMap<string, Client>;
  /** Sessions that recently lost messages or grew, by client; the same map until they are read. */
  readonly recentTrouble: ReadonlyMap<string, RecentTrouble>;
}

const shownCounters = new WeakMap<OfflineCounters, object>();
const shownOffline = new WeakMap<TriageView['offline'], ReadonlyMap<string, object>>();

/** Leaves out what only the next readings are compared with. */
function shownOf(counters: OfflineCounters): object {
  const { sinceMs, isLive, steps } = counters;
  const shown = shownCounters.get(counters) ?? { sinceMs, isLive, ...(steps && { steps: { rates: steps.rates } }) };
  shownCounters.set(counters, shown);
  return shown;
}

function recordedOffline(offline: TriageView['offline']): ReadonlyMap<string, object> {
  const shown = shownOffline.get(offline) ?? new Map([...offline].map(([id, counters]) => [id, shownOf(counters)]));
  shownOffline.set(offline, shown);
  return shown;
}

export const triageView = definePart<TriageView>(
  'triage',
  {
    report: { results: [], problems: [], findings: [], isAllClear: false },
    open: new Map(),
    sessionReadings: 0,
    sessionsReadMs: undefined,
    queueDrops: [],
    offline: new Map(),
    reconnectedRows: new Map(),
    recentTrouble: new Map(),
  },
  { recorded: (view) => ({ ...view, offline: recordedOffline(view.offline) as TriageView['offline'] }) },
);

/** What the checks say of a state. */
export const selectReport = (state: MonitorState): TriageReport => reading(state, triageView).report;

export interface QueueDropsView {
  /** Readings, oldest first. */
  readonly readings: readonly QueueDrops[];
  /** The last reading, unless it is too old. */
  readonly current: QueueDrops | undefined;
  /** There is no reading yet, but there will be. */
  readonly isLoading: boolean;
  readonly silentSeconds: number;
}

/** Returns the longest time between two readings of the sessions. */
export const queueDropSeconds = ({ intervalSeconds }: Pick<MonitorState, 'intervalSeconds'>): number =>
  Math.max(usualPace.lists, intervalSeconds);

/** Returns what full queues lose, with how old that is. */
export function selectQueueDrops(state: MonitorState, nowMs: number): QueueDropsView {
  const { queueDrops: readings, sessionsReadMs } = reading(state, triageView);
  const ageSeconds = sessionsReadMs === undefined ? 0 : Math.max(0, nowMs - sessionsReadMs) / 1_000;
  const silentSeconds = ageSeconds > freshForSeconds(queueDropSeconds(state)) ? ageSeconds : 0;
  const isRead = isWatched(state, sessionScan) && !isPollingPaused(state);
  return {
    readings,
    current: silentSeconds > 0 ? undefined : readings.at(-1),
    isLoading: readings.length === 0 && isRead && reading(state, sessionScan).error === undefined,
    silentSeconds,
  };
}
