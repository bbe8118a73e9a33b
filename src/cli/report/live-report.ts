import type { MonitorState, ReadableStore } from '../../monitor/state.ts';
import type { Recording } from '../../recording/recording.ts';
import { openRecording } from '../../recording/folder-reader.ts';
import type { WriteReport } from '../../screens/report-form.ts';
import type { RecordingStatus } from '../../screens/session-view.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { version } from '../../version.ts';

/** Writes reports from the recording that runs, else from what memory holds. */
export const reportWriter =
  (
    {
      memory,
      status,
    }: { readonly memory: Recording<MonitorState, TimelineEvent>; readonly status: ReadableStore<RecordingStatus> },
    cluster: string,
  ): WriteReport =>
  async (range, format, isRedacted) => {
    const { writeReport } = await import('../../report/write.ts');
    const write = (recording: Recording<MonitorState, TimelineEvent>): Promise<string | undefined> =>
      writeReport(recording, format, { cluster, range, version, writtenMs: Date.now(), isRedacted });
    const recorded = status.getState();
    if (recorded.kind !== 'on') return write(memory);
    const folder = await openRecording<MonitorState, TimelineEvent>(recorded.folder);
    try {
      // What was there before recording began is in memory only.
      const neededMs = Math.max(range.fromMs, memory.range()?.fromMs ?? 0);
      return await write((folder.range()?.fromMs ?? Infinity) <= neededMs ? folder : memory);
    } finally {
      await folder.close();
    }
  };
