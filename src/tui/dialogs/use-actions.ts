import type { ActionKey, Ask } from '../../actions/define-action.ts';
import type { DialogOrRefusal } from '../../actions/requests.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../components/drawing.tsx';
import type { KeyHandler } from '../keys/key-stack.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useOpenOrNotify } from '../hooks/open-dialog.ts';
import type { Notify } from '../screen.ts';
import type { Scope } from '../keys/bindings.ts';

/** An action that a screen can ask for, which shows rows and whatever else the action needs. */
interface ScreenAction<Shown> {
  readonly key: ActionKey<string, Scope>;
  readonly ask?: (theme: Theme, shown: Shown) => Ask | undefined;
}

export interface UseActionsOptions {
  readonly notify: Notify;
  /** The subject of the actions; the message that one is not possible disappears when it changes. */
  readonly about?: string | undefined;
  /** Stands in the title of their menu. */
  readonly subject?: SafeText | undefined;
}

/** Handlers for the keys of actions. `open` opens a dialog, or says why an action is not possible. */
export const actionHandlers = <Shown>(
  theme: Theme,
  scope: Scope,
  actions: readonly ScreenAction<Shown>[],
  shown: Shown,
  open: (dialog: DialogOrRefusal) => void,
): Readonly<Record<string, KeyHandler>> =>
  Object.fromEntries(
    actions.flatMap(({ key, ask }) => {
      const make = key.scope === scope ? ask?.(theme, shown) : undefined;
      return make === undefined
        ? []
        : [
            [
              key.id,
              (): void => {
                open(make());
              },
            ],
          ];
    }),
  );

/** Handles the keys of a screen's actions. */
export const useActions = <Shown>(
  scope: Scope,
  actions: readonly ScreenAction<Shown>[],
  shown: Shown,
  { notify, about, subject }: UseActionsOptions,
): void => {
  const open = useOpenOrNotify(notify, about);
  useKeys(scope, actionHandlers(useTheme(), scope, actions, shown, open), { subject });
};
