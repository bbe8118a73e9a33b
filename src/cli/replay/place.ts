import type { ActingState } from '../../actions/acting-monitor.ts';
import { momentText, parseTime } from '../../domain/time-text.ts';
import type { PastEvent } from '../../monitor/state.ts';
import { openRecording, type RecordedFolder, RecordingError } from '../../recording/folder-reader.ts';
import type { RecordedEvent } from '../../recording/recording.ts';
import type { MonitorSession } from '../commands/monitor-session.ts';
import { UsageError } from '../errors.ts';
import { momentTexts } from '../texts.ts';

export interface ReplayCommand extends Pick<
  MonitorSession,
  'isPlainRender' | 'isScreenReader' | 'themeName' | 'hasMouse' | 'extraKeys' | 'lists' | 'firstScreen'
> {
  /** A folder of recordings, or one file of it. */
  readonly place: string;
  /** The first moment, as it was typed; by default the last one of the recording. */
  readonly at: string | undefined;
  /** Prints the moment instead of showing it. */
  readonly once: 'text' | 'json' | undefined;
}

export type ReplayedFolder<Event extends RecordedEvent = RecordedEvent & PastEvent> = RecordedFolder<
  Partial<ActingState>,
  Event
>;

/** @throws UsageError */
export async function openPlace<Event extends RecordedEvent = RecordedEvent & PastEvent>(
  place: string,
): Promise<ReplayedFolder<Event>> {
  try {
    return await openRecording(place);
  } catch (error) {
    throw error instanceof RecordingError ? new UsageError(error.message) : error;
  }
}

/** Returns the first moment. Times are read as of the end of the recording. @throws UsageError */
export function wantedMs({ place, at }: ReplayCommand, recording: ReplayedFolder, nowMs: number): number {
  const range = recording.range();
  if (range === undefined) throw new UsageError(momentTexts.isEmpty(place));
  if (at === undefined || at === 'end') return range.toMs;
  if (at === 'start') return range.fromMs;
  const atMs = parseTime(at, Math.min(nowMs, range.toMs));
  if (atMs === undefined) throw new UsageError(momentTexts.noTime(at));
  if (atMs < range.fromMs) throw new UsageError(momentTexts.isEarlier(place, momentText(range.fromMs)));
  return atMs;
}
