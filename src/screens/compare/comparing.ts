import { createContext, useMemo, useRef, useState } from 'react';
import { momentText, parseTime } from '../../domain/time-text.ts';
import { steadyNowMs, systemClock, wallMs } from '../../monitor/clock.ts';
import { type Moment, shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import type { Monitor, MonitorState } from '../../monitor/state.ts';
import type { Travel } from '../../monitor/travel.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { pastTexts } from '../../tui/frame/texts.ts';
import type { Notify } from '../../tui/screen.ts';
import { compareTexts } from './texts.ts';

/** A moment with what was known at it. */
export interface ComparedMoment {
  readonly at: Moment;
  readonly state: MonitorState;
}

/** What the compare screen needs of the frame. */
export interface Comparing {
  /** One of the two moments; the other one is what is shown. */
  readonly mark: ComparedMoment | undefined;
  /** The last moment that was compared with the mark: it stands in while the marked moment is shown. */
  readonly lastCompared: () => ComparedMoment | undefined;
  readonly setCompared: (moment: ComparedMoment) => void;
  /** Returns a moment with the lists that were being read at it as they were before. */
  readonly whole: (moment: ComparedMoment) => Promise<ComparedMoment>;
  /** Shows a moment, or now, and then something of it. */
  readonly showAt: (moment: ComparedMoment | 'now', then: () => void) => void;
}

export const CompareContext = createContext<Comparing>({
  mark: undefined,
  lastCompared: () => undefined,
  setCompared: () => {},
  whole: (shown) => Promise.resolve(shown),
  showAt: (_, then) => {
    then();
  },
});

/** Returns when a state that is shown was, or is. */
export function momentOf({ past }: MonitorState): Moment {
  const steadyMs = shownNowMs();
  return past?.at ?? { steadyMs, monotonicMs: systemClock.monotonicMs(), wallMs: shownWallMs(steadyMs) };
}

/** Returns the moment that screens show. */
export function shownMomentOf({ store }: Pick<Monitor, 'store'>): ComparedMoment {
  const state = store.getState();
  return { at: momentOf(state), state };
}

const moment = (ms: number): SafeText => trusted(momentText(ms));

const dayMs = 86_400_000;
/** How far a sample may be from the wanted time without a word. */
const nearMs = 60_000;

/** Times that are typed to be compared; without the second one, with what is shown. */
export interface TypedMoments {
  readonly firstMs: number;
  readonly secondMs: number | undefined;
}

/**
 * Reads `compare 14:02`, `compare 14:00 14:10` or `diff 27 Nov 14:00 → now`. A second time without a date is the next
 * such time after the first.
 */
export function parseMoments(typed: string, nowMs: number): TypedMoments | undefined {
  const times = /^(?:compare|diff)\s+(?<times>\S.*)$/iu.exec(typed.trim())?.groups?.['times'];
  if (times === undefined) return undefined;
  const whole = parseTime(times, nowMs);
  if (whole !== undefined) return { firstMs: whole, secondMs: undefined };
  const words = times.split(/\s+(?:→|->|to|and|with)\s+|\s+/u);
  for (let count = 1; count < words.length; count += 1) {
    const firstMs = parseTime(words.slice(0, count).join(' '), nowMs);
    const second = words.slice(count).join(' ');
    if (firstMs === undefined) continue;
    if (second.toLowerCase() === 'now') return { firstMs, secondMs: undefined };
    const isClock = /^\d{1,2}:\d{2}(?::\d{2})?$/u.test(second);
    const secondMs = parseTime(second, isClock ? Math.min(nowMs, firstMs + dayMs - 1) : nowMs);
    if (secondMs !== undefined) return { firstMs, secondMs };
  }
  return undefined;
}

export interface ComparingOptions {
  readonly monitor: Pick<Monitor, 'store'>;
  readonly travel: Travel | undefined;
  /** The compare screen is shown. */
  readonly isOpen: boolean;
  /** What is shown was opened from the compare screen, and closing it leads back there. */
  readonly isBehind: boolean;
  readonly open: () => void;
  readonly notify: Notify;
}

export interface ComparingCommands {
  readonly context: Comparing;
  /** Marks the moment shown, or compares it. */
  readonly press: () => void;
  readonly forget: () => void;
  /** Returns what typed moments lead to. */
  readonly typed: (text: string) => { readonly label: SafeText; readonly run: () => void } | undefined;
}

/** Holds the marked moment, and compares it with what is shown. */
export const useComparing = ({
  monitor,
  travel,
  isOpen,
  isBehind,
  open,
  notify,
}: ComparingOptions): ComparingCommands => {
  const theme = useTheme();
  const [mark, setMark] = useState<ComparedMoment>();
  const other = useRef<ComparedMoment>(undefined);
  return useMemo(() => {
    const past = (): MonitorState['past'] => monitor.store.getState().past;
    const failed = (error: unknown): void => {
      notify(pastTexts.unreadable(theme.escape(error instanceof Error ? error.message : String(error), 120)));
    };
    const setMarkTo = (to: ComparedMoment): void => {
      other.current = undefined;
      setMark(to);
    };
    const whole = async (shown: ComparedMoment): Promise<ComparedMoment> => {
      const state = (await travel?.whole(shown)) ?? shown.state;
      return state === shown.state ? shown : { ...shown, state };
    };
    const leave = (): void => {
      if (past()?.hasNow === true) travel?.leave();
    };
    const press = (): void => {
      const shown = shownMomentOf(monitor);
      const shownPast = past();
      // A comparison that was left is over: the next one begins anew.
      const isOver = other.current !== undefined && !isOpen && !isBehind;
      if (mark === undefined || isOver) {
        setMarkTo(shown);
        whole(shown).then((found) => {
          setMark((current) => (current === shown ? found : current));
        }, failed);
        if (shownPast?.hasNow === true) {
          leave();
          if (!isOpen) open();
        } else
          notify((shownPast === undefined ? compareTexts.markedNow : compareTexts.marked)(moment(shown.at.wallMs)));
        return;
      }
      if (isOpen) {
        notify(compareTexts.alreadyMarked(moment(mark.at.wallMs)));
        return;
      }
      if (shownPast !== undefined && shown.at.wallMs === mark.at.wallMs) leave();
      open();
    };
    /** Marks the sample nearest to a time. Returns whether there is one. */
    const markAt = async (wantedMs: number): Promise<boolean> => {
      const found = await travel?.read(wantedMs);
      if (found === undefined) {
        notify(pastTexts.nothingRecorded);
        return false;
      }
      setMarkTo(found);
      if (Math.abs(found.at.wallMs - wantedMs) > nearMs)
        notify(compareTexts.noSample(moment(wantedMs), moment(found.at.wallMs)));
      return true;
    };
    const compare = async ({ firstMs, secondMs }: TypedMoments): Promise<void> => {
      if (!(await markAt(firstMs))) return;
      if (secondMs === undefined) leave();
      else await travel?.goTo(secondMs);
      open();
    };
    return {
      context: {
        mark,
        lastCompared: () => other.current,
        setCompared: (compared) => {
          other.current = compared;
        },
        whole,
        showAt: (to, then) => {
          if (to === 'now' || travel === undefined) {
            leave();
            then();
          } else if (past()?.at.wallMs === to.at.wallMs) then();
          else travel.goTo(to.at.wallMs).then(then, failed);
        },
      },
      press: () => {
        // What was typed before is done first.
        if (travel === undefined) press();
        else travel.whenMoved(press);
      },
      forget: () => {
        other.current = undefined;
        setMark(undefined);
      },
      typed: (text) => {
        const hasNow = past()?.hasNow !== false;
        const times = parseMoments(text, hasNow ? wallMs(steadyNowMs()) : (past()?.range.toMs ?? 0));
        if (times === undefined) return undefined;
        const first = moment(times.firstMs);
        return {
          label: compareTexts.goTo(
            times.secondMs !== undefined
              ? compareTexts.two(first, moment(times.secondMs))
              : hasNow
                ? compareTexts.withNow(first)
                : compareTexts.withShown(first),
          ),
          run: () => {
            compare(times).catch(failed);
          },
        };
      },
    };
  }, [monitor, travel, isOpen, isBehind, open, notify, theme, mark]);
};
