import { type ReactNode, useMemo } from 'react';
import type { ActingMonitor } from '../actions/acting-monitor.ts';
import type { Theme } from '../terminal/theme.ts';
import { ThemeContext } from './components/theme-context.ts';
import { SelectionProvider } from './dialogs/selection.ts';
import { Frame } from './frame/frame.tsx';
import type { SessionView } from './frame/screen.ts';
import type { SignInView } from './frame/sign-in.tsx';
import { useTicksWith } from './hooks/use-now.ts';
import { createKeymap } from './keys/keymap.ts';
import { KeysProvider } from './keys/use-keys.ts';
import { ListMemoryProvider } from './list/list-state.ts';

export interface AppProps {
  readonly monitor: ActingMonitor;
  readonly session: SessionView;
  readonly signIn: SignInView;
  readonly theme: Theme;
  /** Called with the name of each command. Must be the same function at every rendering. */
  readonly onCommand?: ((name: string) => void) | undefined;
}

/** A question takes no answer for so long, so that typing `K` and `y` in one go does not confirm it. */
const settleMs = 250;

/** The program on the screen. */
export const App = ({ monitor, session, signIn, theme, onCommand }: AppProps): ReactNode => {
  const keymap = useMemo(() => createKeymap({ isReadOnly: session.isReadOnly }), [session.isReadOnly]);
  useTicksWith(monitor.store);
  return (
    <ThemeContext value={theme}>
      <KeysProvider keymap={keymap} settleMs={settleMs} onCommand={onCommand}>
        <ListMemoryProvider>
          <SelectionProvider>
            <Frame monitor={monitor} session={session} signIn={signIn} />
          </SelectionProvider>
        </ListMemoryProvider>
      </KeysProvider>
    </ThemeContext>
  );
};
