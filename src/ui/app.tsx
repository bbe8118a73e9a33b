import { useMemo, type ReactNode } from 'react';
import type { ActingMonitor } from '../store/acting-monitor.ts';
import { MarksProvider } from './actions/marks.ts';
import { Frame } from './frame.tsx';
import { ListMemoryProvider } from './hooks/list-memory.ts';
import { KeysProvider } from './hooks/use-keys.ts';
import { createKeymap } from './keymap.ts';
import type { SessionView } from './screens/session-view.ts';
import { ThemeContext } from './theme-context.ts';
import type { Theme } from './theme.ts';

export interface AppProps {
  readonly monitor: ActingMonitor;
  readonly session: SessionView;
  readonly theme: Theme;
}

/** The whole program on the screen. */
export const App = ({ monitor, session, theme }: AppProps): ReactNode => {
  const keymap = useMemo(() => createKeymap({ isReadOnly: session.isReadOnly }), [session.isReadOnly]);
  return (
    <ThemeContext value={theme}>
      <KeysProvider keymap={keymap}>
        <ListMemoryProvider>
          <MarksProvider>
            <Frame monitor={monitor} session={session} />
          </MarksProvider>
        </ListMemoryProvider>
      </KeysProvider>
    </ThemeContext>
  );
};
