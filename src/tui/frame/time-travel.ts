import { useCallback, useMemo, useRef, useState } from 'react';
import type { ActingMonitor } from '../../actions/acting-monitor.ts';
import { parseDuration } from '../../domain/text.ts';
import { momentText, parseTime } from '../../domain/time-text.ts';
import { steadyNowMs, wallMs } from '../../monitor/clock.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/drawing.tsx';
import { useStore } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import type { Notify } from '../screen.ts';
import { pastTexts } from './texts.ts';
import type { Travel, Travelled } from '../../monitor/travel.ts';

/** The commands that move through the past. */
export interface TravelCommands {
  /** A move from now is not done yet: keys that follow are meant for the past. */
  readonly isOpening: boolean;
  readonly lookBack: () => void;
  readonly back: () => void;
  readonly on: () => void;
  readonly nextEvent: () => void;
  readonly earlier: () => void;
  readonly later: () => void;
  readonly leave: () => void;
  /** Lets time pass, or stops it. */
  readonly play: () => void;
  /** Plays at the next speed; after the fastest at the first. */
  readonly faster: () => void;
  /** Returns what a typed time leads to. */
  readonly typed: (text: string) => { readonly label: SafeText; readonly run: () => void } | undefined;
}

const tenMinutesMs = 600_000;
/** The speeds at which time may pass. */
const speeds = [1, 10, 60] as const;
/** How far a sample may be from the wanted time without a word. */
const nearMs = 60_000;
const maxReasonWidth = 120;

const moment = (ms: number): SafeText => trusted(momentText(ms));

/** A duration alone may be the name of something: it is a time with a sign or `ago`. */
const isMeantAsTime = (text: string): boolean =>
  /\d/u.test(text) && parseDuration(text) === undefined && parseTime(text, 0) !== undefined;

/** Returns the commands that move through the past; each says why it led nowhere. */
export const useTravel = (monitor: ActingMonitor, travel: Travel | undefined, notify: Notify): TravelCommands => {
  const theme = useTheme();
  const [isOpening, setOpening] = useState(false);
  const chosenSpeed = useRef(0);
  const commands = useMemo((): Omit<TravelCommands, 'isOpening'> => {
    const past = (): MonitorState['past'] => monitor.store.getState().past;
    const told = (moved: Travelled): void => {
      if (moved === 'nothing-recorded') notify(pastTexts.nothingRecorded);
      else if (moved === 'first') notify(past()?.hasNow === true ? pastTexts.firstOfRun : pastTexts.first);
      else if (moved === 'last') notify(past()?.hasNow === true ? pastTexts.lastBeforeNow : pastTexts.last);
      else if (moved === 'no-event') notify(pastTexts.noEvent);
    };
    const run = (move: (travel: Travel) => Promise<Travelled>, then = told): void => {
      if (travel === undefined) {
        notify(pastTexts.nothingRecorded);
        return;
      }
      setOpening(past() === undefined);
      move(travel)
        .then(then, (error: unknown) => {
          const reason = error instanceof Error ? error.message : String(error);
          notify(pastTexts.unreadable(theme.escape(reason, maxReasonWidth)));
        })
        .finally(() => {
          setOpening(false);
        });
    };
    const leave = (): void => {
      travel?.leave();
    };
    const play = (index: number): void => {
      chosenSpeed.current = index % speeds.length;
      run((to) => to.play(speeds[index % speeds.length] ?? 1));
    };
    const isPlaying = (): boolean => past()?.speed !== undefined;
    /** Where now is shown, there is nothing later. */
    const inPast = (move: (travel: Travel) => Promise<Travelled>) => (): void => {
      if (past() === undefined) notify(pastTexts.notRecorded);
      else run(move);
    };
    return {
      leave,
      play: () => {
        if (isPlaying()) travel?.stop();
        else play(chosenSpeed.current);
      },
      faster: () => {
        play(chosenSpeed.current + (isPlaying() ? 1 : 0));
      },
      lookBack: () => {
        if (past()?.hasNow === true) leave();
        else run((to) => to.open());
      },
      back: () => {
        run((to) => to.skip(-tenMinutesMs));
      },
      on: inPast((to) => to.skip(tenMinutesMs)),
      nextEvent: inPast((to) => to.nextEvent()),
      earlier: () => {
        run((to) => to.step(-1));
      },
      later: inPast((to) => to.step(1)),
      typed: (text) => {
        const nowMs = past()?.hasNow === false ? (past()?.range.toMs ?? 0) : wallMs(steadyNowMs());
        const wantedMs = isMeantAsTime(text) ? parseTime(text, nowMs) : undefined;
        return wantedMs === undefined
          ? undefined
          : {
              label: pastTexts.goTo(moment(wantedMs)),
              run: () => {
                run(
                  (to) => to.goTo(wantedMs),
                  (moved) => {
                    const foundMs = past()?.at.wallMs;
                    if (moved !== 'moved' || foundMs === undefined) told(moved);
                    else if (Math.abs(foundMs - wantedMs) > nearMs)
                      notify(pastTexts.nearest(moment(wantedMs), moment(foundMs)));
                  },
                );
              },
            };
      },
    };
  }, [monitor, travel, notify, theme]);
  return useMemo(() => ({ ...commands, isOpening }), [commands, isOpening]);
};

/** Gives the arrows to time while the past is shown, and the one back to it while paused. */
export const useTimeKeys = (
  monitor: ActingMonitor,
  { earlier, later, leave, play, faster, isOpening }: TravelCommands,
): void => {
  const isPast = useStore(
    monitor.store,
    useCallback(({ past }: MonitorState) => past !== undefined, []),
  );
  const hasNow = useStore(
    monitor.store,
    useCallback(({ past }: MonitorState) => past?.hasNow === true, []),
  );
  const isPaused = useStore(
    monitor.store,
    useCallback(({ isFrozen, past }: MonitorState) => isFrozen && past === undefined, []),
  );
  useKeys(
    'past',
    {
      pastEarlier: earlier,
      pastLater: isPast ? later : undefined,
      pastPlay: isPast ? play : undefined,
      pastFaster: isPast ? faster : undefined,
      pastLeave: hasNow || isOpening ? leave : undefined,
    },
    { isActive: isPast || isPaused || isOpening },
  );
};
