import type { ActionKey, Ask } from '../../actions/define-action.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../components/drawing.tsx';
import type { Notify } from '../frame/screen.ts';
import type { Scope } from '../keys/keymap.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useOpenOrNotify } from './open-dialog.ts';

/** An action that a screen can ask for, which shows rows and whatever else the action needs. */
interface ScreenAction<Shown> {
  readonly key: ActionKey<string, Scope>;
  readonly ask?: (theme: Theme, shown: Shown) => Ask | undefined;
}

export interface UseActionsOptions {
  readonly notify: Notify;
  /** What they are about; the message that one is not possible disappears when it changes. */
  readonly about?: string | undefined;
  /** Stands in the title of their menu. */
  readonly subject?: SafeText | undefined;
}

/** Handles the keys of a screen's actions: each opens its dialog, or says why it cannot be done. */
export const useActions = <Shown>(
  scope: Scope,
  actions: readonly ScreenAction<Shown>[],
  shown: Shown,
  { notify, about, subject }: UseActionsOptions,
): void => {
  const theme = useTheme();
  const open = useOpenOrNotify(notify, about);
  const asks = actions
    .filter(({ key }) => key.scope === scope)
    .map(({ key, ask }) => [key.id, ask?.(theme, shown)] as const);
  useKeys(
    scope,
    Object.fromEntries(
      asks.flatMap(([id, ask]) =>
        ask === undefined
          ? []
          : [
              [
                id,
                (): void => {
                  open(ask());
                },
              ],
            ],
      ),
    ),
    { subject },
  );
};
