import { createReplayMonitor } from '../../replay/replay-monitor.ts';
import { App } from '../../screens/app.tsx';
import type { SessionView } from '../../screens/session-view.ts';
import type { SignInView } from '../../tui/frame/sign-in.tsx';
import { runScreen, type TerminalStreams } from '../commands/run-screen.tsx';
import { saveFile } from '../files/saved-file.ts';
import { openPreferences, stateFilePath } from '../files/state-file.ts';
import { readPayloadFile } from '../files/text-files.ts';
import { startScreenId } from '../options/start-screens.ts';
import { openPlace, type ReplayCommand, wantedMs } from './place.ts';

/**
 * Shows a recording in the screens of the monitor.
 *
 * @returns 0, or 128 + n after signal n
 * @throws UsageError if there is no recording, or no such time
 */
export async function runReplay(command: ReplayCommand, streams: TerminalStreams, nowMs = Date.now()): Promise<number> {
  const recording = await openPlace(command.place);
  const preferences = await openPreferences(stateFilePath(streams.env), command.lists);
  const monitor = createReplayMonitor(recording);
  await monitor.travel.goTo(wantedMs(command, recording, nowMs));
  const session: SessionView = {
    url: recording.cluster,
    isReadOnly: false,
    firstScreen: startScreenId(command.firstScreen ?? 'overview'),
    extraKeys: command.extraKeys,
    isInsecure: false,
    readPayload: readPayloadFile,
    saveFile,
    describeApi: () => monitor.store.getState().capabilities?.apiName ?? '',
  };
  const signIn: SignInView = {
    source: undefined,
    readAgain: () => Promise.resolve(''),
    takePassword: () => {},
  };
  return runScreen(command, streams, {
    hide: (text) => text,
    draw: ({ theme, themeNamed, reports, noteCommand, onLeave }) => (
      <App
        monitor={monitor}
        travel={monitor.travel}
        session={session}
        signIn={signIn}
        theme={theme}
        themeNamed={themeNamed}
        reports={reports}
        preferences={preferences}
        onCommand={noteCommand}
        onLeave={onLeave}
      />
    ),
    async cleanUp(reason) {
      monitor.stop(reason);
      await recording.close();
      await preferences.whenSaved();
    },
  });
}
