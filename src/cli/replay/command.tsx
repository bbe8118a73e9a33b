import type { ActingState } from '../../actions/acting-monitor.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import type { RecordedFolder } from '../../recording/folder-reader.ts';
import { createReplayMonitor } from '../../replay/replay-monitor.ts';
import type { TerminalStreams } from '../commands/run-screen.tsx';
import { showApp } from '../commands/show-app.tsx';
import { readKeptEvents } from '../files/event-file.ts';
import { openPreferences, stateFilePath } from '../files/state-file.ts';
import { reportWriter } from '../report/live-report.ts';
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
  return showApp(command, streams, {
    monitor,
    preferences,
    session: {
      url: recording.cluster,
      isReadOnly: false,
      isInsecure: false,
      writeReport: reportWriter({
        cluster: recording.cluster,
        use: (_, write) => write(recording as RecordedFolder<ActingState, TimelineEvent>),
        readKept: () => readKeptEvents(streams.env, recording.cluster),
      }),
      describeApi: () => monitor.store.getState().capabilities?.apiName ?? '',
    },
    signIn: { source: undefined, readAgain: () => Promise.resolve(''), takePassword: () => {} },
    hide: (text) => text,
    cleanUp: recording.close,
  });
}
