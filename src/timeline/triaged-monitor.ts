import { type ActingState, createMonitor, type MonitorOptions } from '../actions/acting-monitor.ts';
import { keepWatched } from '../checks/keep-watched.ts';
import { createTriage } from '../checks/triage.ts';
import { systemClock, wallMs } from '../monitor/clock.ts';
import { addEarlierEvents, addEvent, eventOf, type EventNote, timelineEvents } from '../monitor/events.ts';
import { reading, withReading } from '../monitor/query/part.ts';
import { createTrafficTracker, withClientTraffic } from '../resources/clients/traffic.ts';
import { logTexts } from '../resources/log/texts.ts';
import { createSessionRateTracker, withSessionRows } from '../resources/sessions/history.ts';
import { verdictOf } from '../triage/check.ts';
import type { ProblemNews, TriagedMonitor } from '../triage/triaged-monitor.ts';
import { triageView } from '../triage/view.ts';
import { createProblemLog } from './problem-log.ts';
import { openAfter } from './open-problems.ts';
import type { TimelineEvent } from '../domain/event.ts';

/** The checks, run on one state after the other. */
export interface TriageRun extends Pick<TriagedMonitor, 'acknowledge' | 'keepAcknowledgements' | 'followProblems'> {
  /** See `TimelineMonitor`. */
  addEarlier(events: readonly TimelineEvent[], nowMs: number): void;
  /** Returns the state with what the checks say of it, and what became of problems in its timeline. */
  derive(state: ActingState, nowMs: number): ActingState;
  /** Tells what became of problems since the last call. */
  tell(): void;
}

/** How long nobody may have watched a cluster for a problem to be the same one. */
const maxUnwatchedMs = 60 * 60_000;

/** Limits what is kept for the first who follows. */
const maxPending = 1_000;

/** The end of a problem that nobody watched: it was seen by an earlier run, and is over now. */
const endedMeanwhile = (
  { check, code, problem, node, clientId, topic, jump, text }: TimelineEvent,
  nowMs: number,
): EventNote => ({
  atMs: nowMs,
  severity: 'info',
  text: logTexts.problemEndedMeanwhile(text.replace(/^Problem: |^Known again: /u, '')),
  about: { kind: 'ended', check, code, problem, node, clientId, topic, jump },
});

/** A monitor whose timeline goes on from earlier runs of the program. */
export interface TimelineMonitor extends TriagedMonitor {
  /**
   * Adds events of earlier runs. Problems that were open then go on if they are found again, and have ended if a complete
   * reading does not show them.
   */
  addEarlier(events: readonly TimelineEvent[]): void;
}

export function createTriageRun(
  rates = createSessionRateTracker(),
  traffic = createTrafficTracker(),
  author?: string,
): TriageRun {
  const triage = createTriage(rates, undefined, traffic);
  const log = createProblemLog(author);
  /** Events of earlier runs that are not in the state yet. */
  let arriving: readonly TimelineEvent[] = [];
  /** Problems that were open when an earlier run ended, until a reading tells. */
  let earlier = new Map<string, TimelineEvent>();
  const listeners = new Set<(news: ProblemNews) => void>();
  let pending: readonly ProblemNews[] = [];
  const tell = (): void => {
    // What nobody follows yet is told to the first who does.
    if (listeners.size === 0) return;
    const told = pending;
    pending = [];
    for (const news of told) for (const listener of listeners) listener(news);
  };
  const takeOn = (): void => {
    const offsetMs = wallMs(0);
    triage.takeOn(
      new Map(
        [...earlier].map(([key, { sinceMs, isBeginUnknown }]) => {
          const beganMs = sinceMs === undefined ? undefined : sinceMs - offsetMs;
          return [key, isBeginUnknown === true ? { foundMs: beganMs } : { sinceMs: beganMs }];
        }),
      ),
    );
  };
  return {
    derive(state, nowMs) {
      // After the checks, which start rates of clients again that have reconnected.
      const judged = withClientTraffic(withSessionRows(triage.derive(state, nowMs), rates), traffic);
      const { open, report } = reading(judged, triageView);
      const passed = new Set(report.results.filter((result) => verdictOf(result) === 'ok').map(({ check }) => check));
      const over = [...earlier].filter(([key, { check }]) => passed.has(check ?? '') && !open.has(key));
      const { notes, news } = log(triage.takeChanges(), open, nowMs, judged.isFrozen ? [] : report.problems, earlier);
      const settled = [...open.keys(), ...over.map(([key]) => key)].filter((key) => earlier.delete(key));
      if (settled.length > 0) takeOn();
      pending = [...pending, ...news].slice(-maxPending);
      const before = reading(judged, timelineEvents);
      const events = [...notes, ...over.map(([, event]) => endedMeanwhile(event, nowMs))]
        .map(eventOf)
        .reduce(addEvent, addEarlierEvents(before, arriving));
      arriving = [];
      return events === before ? judged : { ...judged, ...withReading(judged, timelineEvents, events) };
    },
    tell,
    addEarlier(events, nowMs) {
      arriving = [...arriving, ...events];
      const [now, last] = [wallMs(nowMs), events.at(-1)?.atMs];
      // After a longer time it may have ended and begun again.
      earlier = new Map(last === undefined || now - last > maxUnwatchedMs ? [] : openAfter(events));
      takeOn();
    },
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
 * is in its timeline.
 */
export function createTriagedMonitor(options: Omit<MonitorOptions, 'derive'>): TimelineMonitor {
  const clock = options.clock ?? systemClock;
  const { derive, tell, acknowledge, addEarlier, ...run } = createTriageRun(undefined, undefined, options.author);
  const monitor = createMonitor({ ...options, derive: (state) => derive(state, clock.nowMs()) });
  monitor.store.subscribe(tell);
  const stopWatching = keepWatched(monitor);
  return {
    ...monitor,
    ...run,
    addEarlier(events) {
      addEarlier(events, clock.nowMs());
      monitor.publish();
    },
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
