import { type ActingState, createMonitor, type MonitorOptions } from '../actions/acting-monitor.ts';
import { keepWatched } from '../checks/keep-watched.ts';
import { createTriage } from '../checks/triage.ts';
import { systemClock } from '../monitor/clock.ts';
import { appendLog } from '../monitor/journal.ts';
import { reading, withReading } from '../monitor/query/part.ts';
import { createTrafficTracker, withClientTraffic } from '../resources/clients/traffic.ts';
import { createSessionRateTracker, withSessionRows } from '../resources/sessions/history.ts';
import type { ProblemNews, TriagedMonitor } from '../triage/triaged-monitor.ts';
import { triageView } from '../triage/view.ts';
import { createProblemLog } from './problem-log.ts';
import { createTimeline, timelineEvents } from './part.ts';

/** The checks, run on one state after the other. */
export interface TriageRun extends Pick<TriagedMonitor, 'acknowledge' | 'keepAcknowledgements' | 'followProblems'> {
  /** Returns the state with what the checks say of it, and what became of problems in its log. */
  derive(state: ActingState, nowMs: number): ActingState;
  /** Tells what became of problems since the last call. */
  tell(): void;
}

/** Limits what is kept for the first who follows. */
const maxPending = 1_000;

export function createTriageRun(
  rates = createSessionRateTracker(),
  traffic = createTrafficTracker(),
  author?: string,
): TriageRun {
  const triage = createTriage(rates, undefined, traffic);
  const log = createProblemLog(author);
  const timeline = createTimeline(crypto.randomUUID().slice(0, 8));
  const listeners = new Set<(news: ProblemNews) => void>();
  let pending: readonly ProblemNews[] = [];
  const tell = (): void => {
    // What nobody follows yet is told to the first who does.
    if (listeners.size === 0) return;
    const told = pending;
    pending = [];
    for (const news of told) for (const listener of listeners) listener(news);
  };
  return {
    derive(state, nowMs) {
      // After the checks, which start rates of clients again that have reconnected.
      const judged = withClientTraffic(withSessionRows(triage.derive(state, nowMs), rates), traffic);
      const { open, report } = reading(judged, triageView);
      const { entries, news } = log(triage.takeChanges(), open, nowMs, judged.isFrozen ? [] : report.problems);
      pending = [...pending, ...news].slice(-maxPending);
      const told = entries.length === 0 ? judged : { ...judged, log: entries.reduce(appendLog, judged.log) };
      const events = timeline(told.log);
      return reading(told, timelineEvents) === events
        ? told
        : { ...told, ...withReading(told, timelineEvents, events) };
    },
    tell,
    acknowledge: triage.acknowledge,
    keepAcknowledgements: triage.keepAcknowledgements,
    followProblems(listener) {
      listeners.add(listener);
      tell();
      return () => {
        listeners.delete(listener);
      };
    },
  };
}

/**
 * Creates a monitor that runs all checks beside it. What they say is a part of its state, and what becomes of problems
 * is in its log.
 */
export function createTriagedMonitor(options: Omit<MonitorOptions, 'derive'>): TriagedMonitor {
  const clock = options.clock ?? systemClock;
  const { derive, tell, acknowledge, ...run } = createTriageRun(undefined, undefined, options.author);
  const monitor = createMonitor({ ...options, derive: (state) => derive(state, clock.nowMs()) });
  monitor.store.subscribe(tell);
  const stopWatching = keepWatched(monitor);
  return {
    ...monitor,
    ...run,
    acknowledge(key, acknowledgement) {
      acknowledge(key, acknowledgement);
      monitor.publish();
    },
    stop(because) {
      stopWatching();
      monitor.stop(because);
    },
  };
}
