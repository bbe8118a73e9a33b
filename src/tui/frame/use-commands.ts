import { useMemo } from 'react';
import type { Monitor } from '../../monitor/state.ts';
import { formatSeconds } from '../../terminal/format.ts';
import type { DialogHost } from '../dialogs/dialog-host.tsx';
import { useSuspend } from '../hooks/use-terminal.ts';
import type { LibraryBinding } from '../keys/bindings.ts';
import { noticeTexts } from './texts.ts';
import type { Notify } from '../screen.ts';
import type { TravelCommands } from './time-travel.ts';

/** A step in the history of places, or to another tab. */
export type PlaceStep =
  | { readonly type: 'back' }
  | { readonly type: 'forward' }
  | { readonly type: 'cycle-tab'; readonly by: 1 | -1 };

type GlobalCommand = Extract<LibraryBinding, { readonly scope: 'global' }>['id'];

/** Handlers of the library's keys that work everywhere. */
export type GlobalCommands = Readonly<Record<Exclude<GlobalCommand, 'quit'>, () => void>> & Pick<DialogHost, 'quit'>;

export interface CommandsOptions {
  readonly monitor: Monitor;
  readonly dispatch: (step: PlaceStep) => void;
  readonly notify: Notify;
  readonly openOverlay: (overlay: 'help' | 'palette') => void;
  readonly repaint: () => void;
  readonly quit: DialogHost['quit'];
  readonly signIn: () => void;
  /** Handles Esc where nothing is open. */
  readonly back: () => void;
  readonly time: TravelCommands;
}

/** The intervals that `+` and `-` step through, in seconds. */
const intervals = [0.5, 1, 2, 3, 5, 10, 15, 30, 60];

export const stepInterval = (seconds: number, by: 1 | -1): number => {
  const next = by === 1 ? intervals.find((step) => step > seconds) : intervals.findLast((step) => step < seconds);
  return next ?? seconds;
};

/** Returns handlers of the scope `global`; the palette runs the same. */
export const useCommands = ({
  monitor,
  dispatch,
  notify,
  openOverlay,
  repaint,
  quit,
  signIn,
  back,
  time,
}: CommandsOptions): GlobalCommands => {
  const suspend = useSuspend();
  return useMemo(() => {
    const changeInterval = (by: 1 | -1): void => {
      monitor.setIntervalSeconds(stepInterval(monitor.store.getState().intervalSeconds, by));
      notify(noticeTexts.interval(formatSeconds(monitor.store.getState().intervalSeconds)));
    };
    return {
      signIn,
      nextScreen: () => {
        dispatch({ type: 'cycle-tab', by: 1 });
      },
      previousScreen: () => {
        dispatch({ type: 'cycle-tab', by: -1 });
      },
      historyBack: () => {
        dispatch({ type: 'back' });
      },
      historyForward: () => {
        dispatch({ type: 'forward' });
      },
      back,
      lookBack: time.lookBack,
      timeBack: time.back,
      timeOn: time.on,
      nextEvent: time.nextEvent,
      palette: () => {
        openOverlay('palette');
      },
      help: () => {
        openOverlay('help');
      },
      freeze: () => {
        const isFrozen = !monitor.store.getState().isFrozen;
        monitor.setFrozen(isFrozen);
        notify(isFrozen ? noticeTexts.frozen : noticeTexts.resumed);
      },
      intervalUp: () => {
        changeInterval(1);
      },
      intervalDown: () => {
        changeInterval(-1);
      },
      refresh: () => {
        monitor.refresh();
        const { isFrozen, isUnauthorized } = monitor.store.getState();
        // After a 401 the message line explains why polling is stopped.
        if (!isUnauthorized) {
          notify(isFrozen ? noticeTexts.frozen : noticeTexts.refreshing);
        }
      },
      repaint,
      suspend,
      quit,
    };
  }, [monitor, dispatch, notify, openOverlay, repaint, quit, signIn, back, time, suspend]);
};
