import type { TimelineEvent } from '../../domain/event.ts';
import type { MonitorState, ReadableStore } from '../../monitor/state.ts';
import { openRecording, RecordingError } from '../../recording/folder-reader.ts';
import type { Recording, TimeRange } from '../../recording/recording.ts';
import type { WriteReport } from '../../screens/report-form.ts';
import type { RecordingStatus } from '../../screens/session-view.ts';
import { version } from '../../version.ts';

type ReportedRecording = Recording<MonitorState, TimelineEvent>;

export interface ReportSource {
  readonly cluster: string;
  /** Calls `write` with the recording that has most of a range. */
  readonly use: <T>(range: TimeRange, write: (recording: ReportedRecording) => Promise<T>) => Promise<T>;
  /** Reads the events of earlier runs and of other programs. */
  readonly readKept: () => Promise<readonly TimelineEvent[]>;
}

/** Writes reports for the form of the monitor. */
export const reportWriter =
  ({ cluster, use, readKept }: ReportSource): WriteReport =>
  async (range, format, isRedacted, onProgress) => {
    const { writeReport } = await import('../../report/write.ts');
    const keptEvents = await readKept();
    return use(range, (recording) =>
      writeReport(recording, format, {
        cluster,
        range,
        version,
        writtenMs: Date.now(),
        isRedacted,
        keptEvents,
        onProgress,
      }),
    );
  };

/** Opens a recording; `undefined` if it was only just begun, and has no sample yet. */
async function openStarted(folder: string) {
  try {
    return await openRecording<MonitorState, TimelineEvent>(folder);
  } catch (error) {
    if (error instanceof RecordingError) return undefined;
    throw error;
  }
}

/** Uses the recording that runs, or what memory holds where that is more. */
export const liveRecording =
  ({
    memory,
    status,
  }: {
    readonly memory: ReportedRecording;
    readonly status: ReadableStore<RecordingStatus>;
  }): ReportSource['use'] =>
  async (range, write) => {
    const recorded = status.getState();
    if (recorded.kind !== 'on') return write(memory);
    const folder = await openStarted(recorded.folder);
    if (folder === undefined) return write(memory);
    try {
      // What was there before recording began is in memory only.
      const neededMs = Math.max(range.fromMs, memory.range()?.fromMs ?? 0);
      return await write((folder.range()?.fromMs ?? Infinity) <= neededMs ? folder : memory);
    } finally {
      await folder.close();
    }
  };
