import { useMemo, type ReactNode } from 'react';
import type { ActingMonitor } from '../store/acting-monitor.ts';
import { MarksProvider } from './actions/marks.ts';
import { Frame } from './frame.tsx';
import { ListMemoryProvider } from './hooks/list-memory.ts';
import { KeysProvider } from './hooks/use-keys.ts';
import { useTicksWith } from './hooks/use-now.ts';
import type { SignInView } from './hooks/use-sign-in.ts';
import { createKeymap } from './keymap.ts';
import type { SessionView } from './screens/session-view.ts';
import { ThemeContext } from './theme-context.ts';
import type { Theme } from './theme.ts';

export interface AppProps {
  readonly monitor: ActingMonitor;
  readonly session: SessionView;
  readonly signIn: SignInView;
  readonly theme: Theme;
  /** Hears of each command, by its name in the key table; to be the same function at every rendering. */
  readonly onCommand?: ((name: string) => void) | undefined;
}

/** Nobody reads a question and answers it faster; who types `K` and `y` in one go has not read it. */
const settleMs = 250;

/** The whole program on the screen. */
export const App = ({ monitor, session, signIn, theme, onCommand }: AppProps): ReactNode => {
  const keymap = useMemo(() => createKeymap({ isReadOnly: session.isReadOnly }), [session.isReadOnly]);
  useTicksWith(monitor.store);
  return (
    <ThemeContext value={theme}>
      <KeysProvider keymap={keymap} settleMs={settleMs} onCommand={onCommand}>
        <ListMemoryProvider>
          <MarksProvider>
            <Frame monitor={monitor} session={session} signIn={signIn} />
          </MarksProvider>
        </ListMemoryProvider>
      </KeysProvider>
    </ThemeContext>
  );
};
