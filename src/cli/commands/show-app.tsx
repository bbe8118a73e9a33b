import type { ReplayMonitor } from '../../replay/replay-monitor.ts';
import { App, type AppProps } from '../../screens/app.tsx';
import type { SessionView } from '../../screens/session-view.ts';
import { saveFile } from '../files/saved-file.ts';
import type { SavedPreferences } from '../files/state-file.ts';
import { readPayloadFile } from '../files/text-files.ts';
import { startScreenId } from '../options/start-screens.ts';
import type { MonitorSession } from './monitor-session.ts';
import { runScreen, type ScreenContent, type TerminalStreams } from './run-screen.tsx';

type AppSettings = Pick<
  MonitorSession,
  'isPlainRender' | 'isScreenReader' | 'themeName' | 'hasMouse' | 'extraKeys' | 'firstScreen'
>;

interface ShownCluster extends Pick<ScreenContent, 'hide'>, Pick<AppProps, 'signIn'> {
  readonly monitor: ReplayMonitor;
  readonly session: Omit<SessionView, 'firstScreen' | 'extraKeys' | 'readPayload' | 'saveFile'>;
  readonly preferences: SavedPreferences;
  /** Runs after the monitor has stopped, while signals are still handled. */
  readonly cleanUp: () => Promise<void>;
}

/** Shows a cluster, or a recording of one, until it is left. Returns the exit code of `runScreen`. */
export const showApp = (
  { extraKeys, firstScreen = 'overview', ...settings }: AppSettings,
  streams: TerminalStreams,
  { monitor, session, signIn, preferences, hide, cleanUp }: ShownCluster,
): Promise<number> =>
  runScreen(settings, streams, {
    hide,
    draw: ({ noteCommand, ...drawing }) => (
      <App
        {...drawing}
        monitor={monitor}
        travel={monitor.travel}
        session={{
          ...session,
          firstScreen: startScreenId(firstScreen),
          extraKeys,
          readPayload: readPayloadFile,
          saveFile,
        }}
        signIn={signIn}
        preferences={preferences}
        onCommand={noteCommand}
      />
    ),
    async cleanUp(reason) {
      monitor.stop(reason);
      await cleanUp();
      await preferences.whenSaved();
    },
  });
