import { type ActingMonitor, type ActingState, initialActingState } from '../actions/acting-monitor.ts';
import type { ActionResult } from '../actions/action.ts';
import { NotRecordedError } from '../api/errors.ts';
import { withRecordedReport } from '../checks/recorded-report.ts';
import { type Clock, steadyNowMs, systemClock } from '../monitor/clock.ts';
import { type Moment, showMoment } from '../monitor/shown-time.ts';
import type { MonitorState, PastEvent, ReadableStore } from '../monitor/state.ts';
import type { Watchable } from '../monitor/query/part.ts';
import type { RecordedEvent, RecordedSample, Recording } from '../recording/recording.ts';
import { withWholeLists } from '../recording/whole-lists.ts';
import { replayTexts } from './texts.ts';
import type { Travel, Travelled } from '../monitor/travel.ts';
import type { TriagedMonitor } from '../triage/triaged-monitor.ts';

type Sample = RecordedSample<Partial<ActingState>>;

/** A recording that can be replayed: its events have a severity. */
export type ReplaySource = Pick<
  Recording<Partial<ActingState>, RecordedEvent & PastEvent>,
  'range' | 'gaps' | 'at' | 'next' | 'previous' | 'events'
>;

export interface ReplayMonitor extends TriagedMonitor {
  readonly travel: Travel;
}

/** The time bar shows max this much of the past. */
export const barMs = 3_600_000;
/** The time between two pictures while time passes. */
const playTickMs = 250;
/** The number of moves that may wait: a held key must not go on for long after it is released. */
const maxWaiting = 8;

/**
 * Creates a monitor that shows the moments of a recording, and `live`, if there is one, until a moment is opened. In the
 * past it reads nothing and refuses every action.
 */
export function createReplayMonitor(
  source: ReplaySource,
  live?: TriagedMonitor,
  clock: Clock = systemClock,
): ReplayMonitor {
  const listeners = new Set<Parameters<ReadableStore<ActingState>['subscribe']>[0]>();
  const nothing = initialActingState(1);
  let shown: Sample | undefined;
  let pastState: ActingState | undefined;
  let waiting = 0;
  let waitingByHand = 0;
  let last: Promise<unknown> = Promise.resolve();
  /** Moves before it are out of date. */
  let visit = 0;
  let visits = 0;
  /** The sample after the one that is shown, once it was asked for. */
  let followed: Sample | undefined;
  let playing: Playing | undefined;

  const stateNow = (): ActingState => pastState ?? live?.store.getState() ?? nothing;

  function publish(next: ActingState | undefined, at: Moment | undefined): void {
    const before = stateNow();
    pastState = next;
    showMoment(at);
    const now = stateNow();
    for (const listener of listeners) listener(now, before);
  }

  live?.store.subscribe((state, before) => {
    if (pastState !== undefined) return;
    for (const listener of listeners) listener(state, before);
  });

  const watches = createPausableWatches(live);

  async function show(sample: Sample, isWanted: () => boolean): Promise<Travelled> {
    const { wallMs } = sample.at;
    const isNext = pastState !== undefined && sample === followed;
    if (!isNext) visits += 1;
    const events = await source.events(wallMs - barMs, wallMs + barMs);
    const range = source.range();
    if (!isWanted() || range === undefined) return 'not-moved';
    shown = sample;
    watches.pause();
    publish(
      {
        ...withRecordedReport({ ...nothing, ...sample.state }),
        isReadOnly: true,
        past: {
          at: sample.at,
          range,
          gaps: source.gaps(),
          events,
          program: sample.program,
          speed: playing?.speed,
          hasNow: live !== undefined,
          visit: visits,
        },
      },
      sample.at,
    );
    return 'moved';
  }

  /** Finds a sample once the moves before are done, and shows it. */
  function move(find: () => Promise<Sample | Travelled | undefined>): Promise<Travelled> {
    if (waiting >= maxWaiting) return Promise.resolve('not-moved');
    waiting += 1;
    const of = visit;
    const isWanted = (): boolean => of === visit;
    const done = last.then(async (): Promise<Travelled> => {
      try {
        if (!isWanted()) return 'not-moved';
        const found = (await find()) ?? 'nothing-recorded';
        return typeof found === 'string' ? found : await show(found, isWanted);
      } finally {
        waiting -= 1;
      }
    });
    last = done.catch(() => {});
    return done;
  }

  const open = async (): Promise<Sample | undefined> => {
    const range = source.range();
    return range === undefined ? undefined : source.at(range.toMs);
  };

  /** Returns the first sample that has what happened at a time. */
  async function firstSince(wallMs: number): Promise<Sample | undefined> {
    const before = await source.at(wallMs);
    return before === undefined || before.at.wallMs >= wallMs ? before : source.next(before);
  }

  async function nearest(wallMs: number): Promise<Sample | undefined> {
    const before = await source.at(wallMs);
    if (before === undefined || before.at.wallMs >= wallMs) return before;
    const after = await source.next(before);
    if (after === undefined) return before;
    // The header shows seconds: what is typed as it says leads back there.
    const isInSecond = (sample: Sample): boolean => Math.floor(sample.at.wallMs / 1_000) === Math.floor(wallMs / 1_000);
    if (isInSecond(after) !== isInSecond(before)) return isInSecond(after) ? after : before;
    return after.at.wallMs - wallMs < wallMs - before.at.wallMs ? after : before;
  }

  /** Ends playing. The moment stays. */
  function endPlaying(end: Travelled): void {
    const ended = playing;
    if (ended === undefined) return;
    playing = undefined;
    ended.cancel?.();
    if (pastState?.past !== undefined)
      publish({ ...pastState, past: { ...pastState.past, speed: undefined } }, shown?.at);
    ended.done(end);
  }

  /** A move by hand ends playing. */
  const byHand: typeof move = async (find) => {
    endPlaying('not-moved');
    waitingByHand += 1;
    try {
      return await move(find);
    } finally {
      waitingByHand -= 1;
    }
  };

  /** Finds the sample that playing has come to. */
  async function playedTo(of: Playing): Promise<Sample | Travelled> {
    const next = shown && (await source.next(shown));
    if (shown === undefined || next === undefined) return 'last';
    const [fromMs, nextMs] = [shown.at.wallMs, next.at.wallMs];
    const isGap = source.gaps().some((gap) => gap.fromMs <= fromMs && nextMs <= gap.toMs);
    const wantedMs = of.fromWallMs + (clock.monotonicMs() - of.sinceMs) * of.speed;
    if (isGap || nextMs < fromMs) {
      of.fromWallMs = nextMs;
      of.sinceMs = clock.monotonicMs();
    } else if (nextMs > wantedMs) return 'not-moved';
    const reached = isGap ? next : await source.at(wantedMs);
    followed = reached === undefined || reached.at.wallMs < nextMs ? next : reached;
    return followed;
  }

  function planTick(of: Playing): void {
    of.cancel = clock.setTimer(playTickMs, () => {
      move(() => playedTo(of)).then(
        (moved) => {
          if (playing !== of) return;
          if (moved !== 'last') planTick(of);
          else if (live === undefined) endPlaying('last');
          else travel.leave();
        },
        (error: unknown) => {
          of.fail(error);
          endPlaying('not-moved');
        },
      );
    });
  }

  const travel: Travel = {
    open: () => byHand(open),
    step: (by) =>
      byHand(async () => {
        const from = shown ?? (await open());
        if (from === undefined) return undefined;
        if (by === -1) return (await source.previous(from)) ?? 'first';
        followed = await source.next(from);
        return followed ?? 'last';
      }),
    skip: (ms) =>
      byHand(async () => {
        const from = shown ?? (await open());
        if (from === undefined) return undefined;
        const found = await source.at(from.at.wallMs + ms);
        // Over a gap, so that the key never stands still.
        const isStill = found?.at.wallMs === from.at.wallMs;
        if (!isStill) return found;
        return ms > 0 ? ((await source.next(from)) ?? 'last') : ((await source.previous(from)) ?? 'first');
      }),
    nextEvent: () =>
      byHand(async () => {
        const range = source.range();
        if (range === undefined) return undefined;
        const from = shown ?? (await open());
        if (from === undefined) return undefined;
        const { wallMs } = from.at;
        const [event] = (await source.events(wallMs, range.toMs))
          .filter(({ atMs }) => atMs > wallMs)
          .toSorted((a, b) => a.atMs - b.atMs);
        return event === undefined ? 'no-event' : ((await firstSince(event.atMs)) ?? 'no-event');
      }),
    goTo: (wallMs) => byHand(() => nearest(wallMs)),
    read: async (wallMs) => {
      await last;
      const found = await nearest(wallMs);
      if (found === undefined) return undefined;
      const moment = { at: found.at, state: { ...nothing, ...found.state } };
      return { ...moment, state: await travel.whole(moment) };
    },
    whenMoved(act) {
      if (waitingByHand === 0) {
        act();
        return;
      }
      const of = visit;
      // Moves that are made from now on wait for it.
      last = last.then(() => {
        if (of === visit && pastState !== undefined) act();
      });
    },
    whole: ({ at, state }) => withWholeLists<MonitorState>(source, { at, state }),
    play(speed) {
      endPlaying('not-moved');
      return new Promise((done, fail) => {
        if (pastState?.past === undefined || shown === undefined) {
          done('not-moved');
          return;
        }
        const { wallMs } = shown.at;
        playing = { speed, fromWallMs: wallMs, sinceMs: clock.monotonicMs(), cancel: undefined, done, fail };
        publish({ ...pastState, past: { ...pastState.past, speed } }, shown.at);
        planTick(playing);
      });
    },
    stop() {
      endPlaying('not-moved');
    },
    leave() {
      endPlaying('not-moved');
      visit += 1;
      if (live === undefined || pastState === undefined) return;
      shown = undefined;
      publish(undefined, undefined);
      watches.resume();
    },
  };

  const isPast = (): boolean => live === undefined || pastState !== undefined;
  /** The live monitor, unless the past is shown. */
  const present = (): TriagedMonitor | undefined => (isPast() ? undefined : live);

  return {
    travel,
    store: {
      getState: stateNow,
      subscribe(listener) {
        listeners.add(listener);
        return () => {
          listeners.delete(listener);
        };
      },
    },
    watch: watches.watch,
    refresh: (only) => present()?.refresh(only),
    abortScan: (scan) => present()?.abortScan(scan) ?? false,
    setFrozen: (isFrozen) => present()?.setFrozen(isFrozen),
    setIntervalSeconds: (seconds) => present()?.setIntervalSeconds(seconds),
    request: async (send, options) => {
      const to = present();
      if (to === undefined) throw new NotRecordedError();
      return to.request(send, options);
    },
    note: (level, text, atMs) => live?.note(level, text, atMs),
    noteFailover: (failover) => live?.noteFailover(failover),
    noteSkippedAddress: (skipped) => live?.noteSkippedAddress(skipped),
    signIn: async (takePassword) => present()?.signIn(takePassword),
    runAction: async (action, untilClosed) =>
      present()?.runAction(action, untilClosed) ?? refusal(shown?.at.wallMs ?? 0),
    startBulk: (actions, request) => present()?.startBulk(actions, request),
    abortBulk: () => live?.abortBulk(),
    planUndo: async (action, undo, signal) =>
      present()?.planUndo(action, undo, signal) ?? { refused: replayTexts.refused(shown?.at.wallMs ?? 0) },
    whenActionsEnd: async () => live?.whenActionsEnd(),
    publish: () => live?.publish(),
    acknowledge: (key, acknowledgement) => present()?.acknowledge(key, acknowledgement),
    keepAcknowledgements: (known, onChange) => live?.keepAcknowledgements(known, onChange),
    followProblems: (listener) => live?.followProblems(listener) ?? (() => {}),
    stop(because) {
      travel.leave();
      live?.stop(because);
      if (live === undefined) showMoment(undefined);
    },
  };
}

interface Playing {
  readonly speed: number;
  /** The time of the recording that was shown at `sinceMs`. */
  fromWallMs: number;
  sinceMs: number;
  cancel: (() => void) | undefined;
  readonly done: (end: Travelled) => void;
  readonly fail: (error: unknown) => void;
}

const refusal = (wallMs: number): ActionResult => ({
  id: crypto.randomUUID(),
  outcome: 'not-done',
  reason: 'read-only',
  wasSent: false,
  parts: [],
  isAccepted: false,
  error: undefined,
  why: replayTexts.refused(wallMs),
  before: undefined,
  after: undefined,
  startedAtMs: steadyNowMs(),
  finishedAtMs: steadyNowMs(),
  auditError: undefined,
});

/** Holds what screens watch, and lets it go while the past is shown. */
function createPausableWatches(live: ActingMonitor | undefined): {
  readonly watch: ActingMonitor['watch'];
  readonly pause: () => void;
  readonly resume: () => void;
} {
  interface Held {
    readonly watched: Watchable;
    readonly everySeconds: number | undefined;
    end: (() => void) | undefined;
  }
  const held = new Set<Held>();
  let isPaused = live === undefined;
  return {
    watch(watched, everySeconds) {
      const each: Held = { watched, everySeconds, end: isPaused ? undefined : live?.watch(watched, everySeconds) };
      held.add(each);
      return () => {
        held.delete(each);
        each.end?.();
        each.end = undefined;
      };
    },
    pause() {
      isPaused = true;
      for (const each of held) {
        each.end?.();
        each.end = undefined;
      }
    },
    resume() {
      isPaused = false;
      for (const each of held) each.end ??= live?.watch(each.watched, each.everySeconds);
    },
  };
}
