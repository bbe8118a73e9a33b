import { type ActionDispatch, useMemo } from 'react';
import type { Monitor } from '../../monitor/state.ts';
import { formatSeconds } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { useSuspend } from '../hooks/use-screen.ts';
import type { CommandOf } from '../keys/keymap.ts';
import type { NavigationAction } from '../navigation.ts';
import { type ScreenCommandId, screenCommandOf, screens } from '../screens/registry.ts';

export interface CommandsOptions {
  readonly monitor: Monitor;
  readonly dispatch: ActionDispatch<[NavigationAction]>;
  readonly notify: (text: SafeText) => void;
  readonly openOverlay: (overlay: 'help' | 'palette') => void;
  readonly repaint: () => void;
  readonly publish: () => void;
  readonly showBulk: () => void;
  readonly quit: () => void;
  readonly signIn: () => void;
  /** What Esc does where no dialog or list handles it. */
  readonly back: () => void;
}

/** The intervals that `+` and `-` step through, in seconds. */
const intervals = [0.5, 1, 2, 3, 5, 10, 15, 30, 60];

/** The next interval up (1) or down (-1). */
export const stepInterval = (seconds: number, by: 1 | -1): number => {
  const next = by === 1 ? intervals.find((step) => step > seconds) : intervals.findLast((step) => step < seconds);
  return next ?? seconds;
};

export type GlobalCommands = Readonly<Record<CommandOf<'global'>, () => void>>;

const screenCommands = (dispatch: CommandsOptions['dispatch']): Readonly<Record<ScreenCommandId, () => void>> =>
  Object.fromEntries(screens.flatMap((screen) => ('key' in screen
    ? [[screenCommandOf(screen.id), () => { dispatch({ type: 'go', place: { screen: screen.id } }); }]]
    : []))) as Record<ScreenCommandId, () => void>;

/** Handlers of the scope `global`; the palette runs the same. */
export const useCommands = ({ monitor, dispatch, notify, openOverlay, repaint, publish, showBulk, quit, signIn, back }: CommandsOptions): GlobalCommands => {
  const suspend = useSuspend();
  return useMemo(() => {
    const changeInterval = (by: 1 | -1): void => {
      monitor.setIntervalSeconds(stepInterval(monitor.store.getState().intervalSeconds, by));
      notify(safe`fetching every ${formatSeconds(monitor.store.getState().intervalSeconds)}`);
    };
    return {
      ...screenCommands(dispatch),
      publish,
      signIn,
      showBulk,
      nextScreen: () => { dispatch({ type: 'cycle-tab', by: 1 }); },
      previousScreen: () => { dispatch({ type: 'cycle-tab', by: -1 }); },
      historyBack: () => { dispatch({ type: 'back' }); },
      historyForward: () => { dispatch({ type: 'forward' }); },
      back,
      palette: () => { openOverlay('palette'); },
      help: () => { openOverlay('help'); },
      freeze: () => {
        const isFrozen = !monitor.store.getState().isFrozen;
        monitor.setFrozen(isFrozen);
        notify(isFrozen ? safe`frozen: nothing is fetched until p is pressed again` : safe`fetching again`);
      },
      intervalUp: () => { changeInterval(1); },
      intervalDown: () => { changeInterval(-1); },
      refresh: () => {
        monitor.refresh();
        const { isFrozen, isUnauthorized } = monitor.store.getState();
        // After a 401 the message says why nothing is fetched; keep it.
        if (!isUnauthorized) {
          notify(isFrozen ? safe`frozen: press p to fetch again` : safe`fetching now`);
        }
      },
      repaint,
      suspend,
      quit,
    };
  }, [monitor, dispatch, notify, openOverlay, repaint, publish, showBulk, quit, signIn, back, suspend]);
};
