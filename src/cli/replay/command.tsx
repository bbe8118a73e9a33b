import type { ActingState } from '../../actions/acting-monitor.ts';
import { momentText, parseTime } from '../../domain/time-text.ts';
import { openRecording, type RecordedFolder, RecordingError } from '../../recording/folder-reader.ts';
import type { RecordedEvent } from '../../recording/recording.ts';
import type { PastEvent } from '../../monitor/state.ts';
import { createReplayMonitor } from '../../replay/replay-monitor.ts';
import { App } from '../../screens/app.tsx';
import type { SessionView } from '../../screens/session-view.ts';
import type { SignInView } from '../../tui/frame/sign-in.tsx';
import type { MonitorSession } from '../commands/monitor-session.ts';
import { runScreen, type TerminalStreams } from '../commands/run-screen.tsx';
import { UsageError } from '../errors.ts';
import { saveFile } from '../files/saved-file.ts';
import { openPreferences, stateFilePath } from '../files/state-file.ts';
import { readPayloadFile } from '../files/text-files.ts';
import { startScreenId } from '../options/start-screens.ts';
import { momentTexts } from '../texts.ts';

export interface ReplayCommand extends Pick<
  MonitorSession,
  'isPlainRender' | 'isScreenReader' | 'themeName' | 'hasMouse' | 'extraKeys' | 'lists' | 'firstScreen'
> {
  /** A folder of recordings, or one file of it. */
  readonly place: string;
  /** The first moment, as it was typed; by default the last one of the recording. */
  readonly at: string | undefined;
}

type ReplayedFolder = RecordedFolder<Partial<ActingState>, RecordedEvent & PastEvent>;

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

/** @throws UsageError */
async function openPlace(place: string): Promise<ReplayedFolder> {
  try {
    return await openRecording(place);
  } catch (error) {
    throw error instanceof RecordingError ? new UsageError(error.message) : error;
  }
}

/** Returns the first moment. Times are read as of the end of the recording. @throws UsageError */
function wantedMs({ place, at }: ReplayCommand, recording: ReplayedFolder, nowMs: number): number {
  const range = recording.range();
  if (range === undefined) throw new UsageError(momentTexts.isEmpty(place));
  if (at === undefined) return range.toMs;
  const atMs = parseTime(at, Math.min(nowMs, range.toMs));
  if (atMs === undefined) throw new UsageError(momentTexts.noTime(at));
  if (atMs < range.fromMs) throw new UsageError(momentTexts.isEarlier(place, momentText(range.fromMs)));
  return atMs;
}
