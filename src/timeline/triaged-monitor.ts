import { type ActingState } from '../actions/acting-monitor.ts';
import { createMonitor, type ClusterMonitorOptions } from '../resources/cluster.ts';
import { keepWatched } from '../checks/keep-watched.ts';
import { createTriage } from '../checks/triage.ts';
import { systemClock, wallMs } from '../monitor/clock.ts';
import { addEarlierEvents, addEvent, eventOf, type EventNote, timelineEvents } from '../monitor/events.ts';
import { reading, withReading } from '../monitor/query/part.ts';
import { selectUnreadNodes } from '../resources/nodes/select.ts';
import { createTrafficTracker, withClientTraffic } from '../resources/clients/traffic.ts';
import { logTexts } from '../resources/log/texts.ts';
import { createSessionRateTracker, withSessionRows } from '../resources/sessions/history.ts';
import type { ProblemNews, TriagedMonitor } from '../triage/triaged-monitor.ts';
import { triageView } from '../triage/view.ts';
import { withoutOthers } from './merge-events.ts';
import { type ChangeWatch, createChangeWatch } from './changes.ts';
import { readAdministered } from './read-administered.ts';
import { createProblemLog } from './problem-log.ts';
import { beginsOf, type EarlierRuns, earlierRuns } from './open-problems.ts';
import type { TimelineEvent } from '../domain/event.ts';

/** The checks, run on one state after the other. */
export interface TriageRun extends Pick<TriagedMonitor, 'acknowledge' | 'keepAcknowledgements' | 'followProblems'> {
  /** See `TimelineMonitor`. */
  addEarlier(events: readonly TimelineEvent[], nowMs: number): void;
  addOthers(events: readonly TimelineEvent[]): void;
  readonly changes: ChangeWatch;
  /** Returns the state with what the checks say of it, and what became of problems in its timeline. */
  derive(state: ActingState, nowMs: number): ActingState;
  /** Tells what became of problems since the last call. */
  tell(): void;
}

/** Limits what is kept for the first who follows. */
const maxPending = 1_000;

/** The end of a problem that nobody watched: it was seen by an earlier run, and is over now. */
function endedMeanwhile(event: TimelineEvent, atMs: number): EventNote {
  const { check, code, problem, node, clientId, topic, jump, text } = event;
  const isAlarm = event.kind === 'alarm-set';
  const title = logTexts.titleIn(text);
  return {
    atMs,
    severity: 'info',
    text: isAlarm ? logTexts.alarmClearedMeanwhile(title) : logTexts.problemEndedMeanwhile(title),
    about: { kind: isAlarm ? 'alarm-cleared' : 'ended', check, code, problem, node, clientId, topic, jump },
  };
}

/** The broker's clock, by which alarms are dated, is known to the second. */
const sameAlarmMs = 2_000;

/** Returns the event of an alarm that an earlier run has seen, if this one is about an alarm of that name. */
const earlierAlarm = ({ id, kind, problem }: TimelineEvent, { open }: EarlierRuns): TimelineEvent | undefined => {
  const before = kind === 'alarm-set' && problem !== undefined ? open.get(problem) : undefined;
  return before?.kind === 'alarm-set' && before.id !== id ? before : undefined;
};

/** A monitor whose timeline goes on from earlier runs of the program. */
export interface TimelineMonitor extends TriagedMonitor {
  /**
   * Adds events of earlier runs. Problems that were open then go on if they are found again, and have ended if a complete
   * reading does not show them.
   */
  addEarlier(events: readonly TimelineEvent[]): void;
  /** Adds events of programs that watch the cluster at the same time. */
  addOthers(events: readonly TimelineEvent[]): void;
  /** The rows that are known of the lists that people change. */
  readonly changes: ChangeWatch;
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
  let earlier: EarlierRuns | undefined;
  /** IDs of events of programs that run at the same time. */
  const others = new Set<string>();
  let last: readonly TimelineEvent[] | undefined;
  /** Since when checks lack nothing, by their names. */
  let wholeSince: ReadonlyMap<string, number> = new Map();
  const changes = createChangeWatch();
  const listeners = new Set<(news: ProblemNews) => void>();
  let pending: readonly ProblemNews[] = [];
  const tell = (): void => {
    // What nobody follows yet is told to the first who does.
    if (listeners.size === 0) return;
    const told = pending;
    pending = [];
    for (const news of told) for (const listener of listeners) listener(news);
  };
  /** Leaves out that an alarm was set, if an earlier run has said so; and says that it was cleared in between, if it is another. */
  function joinAlarms(events: readonly TimelineEvent[], runs: EarlierRuns): readonly TimelineEvent[] {
    if (!events.some((event) => earlierAlarm(event, runs) !== undefined)) return events;
    const joined = events.filter((event) => {
      const before = earlierAlarm(event, runs);
      return before === undefined || event.atMs - before.atMs > sameAlarmMs;
    });
    return joined
      .flatMap((event) => {
        const before = earlierAlarm(event, runs);
        if (before === undefined) return [];
        runs.open.delete(before.problem ?? '');
        return [eventOf(endedMeanwhile(before, event.atMs - 1 - wallMs(0)))];
      })
      .reduce(addEvent, joined);
  }

  /** Leaves out what others have told already. */
  const join = (events: readonly TimelineEvent[]): readonly TimelineEvent[] =>
    withoutOthers(earlier === undefined ? events : joinAlarms(events, earlier), ({ id }) => others.has(id));

  /** Returns the problems of earlier runs that are over: a complete reading of all nodes does not show them. */
  function takeEnded(state: ActingState, nowMs: number, runs: EarlierRuns): readonly TimelineEvent[] {
    const { open, report } = reading(state, triageView);
    const areAllRead = selectUnreadNodes(state, nowMs).length === 0;
    const whole = report.results.filter(
      ({ unchecked, isNotOffered }) => areAllRead && unchecked.length === 0 && isNotOffered !== true,
    );
    wholeSince = new Map(whole.map(({ check }) => [check, wholeSince.get(check) ?? nowMs]));
    const settleMs = new Map(whole.map((result) => [result.check, result.settleMs ?? 0]));
    const isOver = ({ check = '' }: TimelineEvent): boolean =>
      nowMs - (wholeSince.get(check) ?? nowMs) >= (settleMs.get(check) ?? Number.POSITIVE_INFINITY);
    const ended = [...runs.open].filter(([key, event]) => !open.has(key) && isOver(event));
    const settled = [...open.keys(), ...ended.map(([key]) => key)].filter((key) => runs.open.delete(key));
    if (settled.length > 0) triage.takeOn(beginsOf(runs));
    return ended.map(([, event]) => event);
  }

  return {
    derive(state, nowMs) {
      // After the checks, which start rates of clients again that have reconnected.
      const judged = withClientTraffic(withSessionRows(triage.derive(state, nowMs), rates), traffic);
      const { open, report } = reading(judged, triageView);
      const { notes, news } = log(triage.takeChanges(), open, nowMs, judged.isFrozen ? [] : report.problems, earlier);
      pending = [...pending, ...news].slice(-maxPending);
      const before = reading(judged, timelineEvents);
      const all = addEarlierEvents(before, arriving);
      arriving = [];
      const joined = all === last ? all : join(all);
      const ended = earlier === undefined ? [] : takeEnded(judged, nowMs, earlier);
      const events = [
        ...notes,
        ...changes.changesIn(judged, nowMs),
        ...ended.map((event) => endedMeanwhile(event, nowMs)),
      ]
        .map(eventOf)
        .reduce(addEvent, joined);
      last = events;
      return events === before ? judged : { ...judged, ...withReading(judged, timelineEvents, events) };
    },
    tell,
    changes,
    addEarlier(events, nowMs) {
      arriving = [...arriving, ...events];
      earlier = earlierRuns(events, nowMs);
      triage.takeOn(beginsOf(earlier));
    },
    addOthers(events) {
      arriving = [...arriving, ...events];
      for (const { id } of events) others.add(id);
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
export function createTriagedMonitor(options: Omit<ClusterMonitorOptions, 'derive'>): TimelineMonitor {
  const clock = options.clock ?? systemClock;
  const { derive, tell, acknowledge, addEarlier, addOthers, ...run } = createTriageRun(
    undefined,
    undefined,
    options.author,
  );
  const monitor = createMonitor({ ...options, derive: (state) => derive(state, clock.nowMs()) });
  monitor.store.subscribe(tell);
  const stopWatching = keepWatched(monitor);
  const stopReading = readAdministered(monitor, clock);
  return {
    ...monitor,
    ...run,
    addEarlier(events) {
      addEarlier(events, clock.nowMs());
      monitor.publish();
    },
    addOthers(events) {
      addOthers(events);
      monitor.publish();
    },
    acknowledge(key, acknowledgement) {
      acknowledge(key, acknowledgement);
      monitor.publish();
    },
    stop(because) {
      stopReading();
      stopWatching();
      monitor.stop(because);
    },
  };
}
