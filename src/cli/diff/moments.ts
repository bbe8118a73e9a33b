import { momentText, parseTime } from '../../domain/time-text.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { openRecording, RecordingError } from '../../recording/folder-reader.ts';
import type { RecordedEvent, RecordedSample } from '../../recording/recording.ts';
import { withWholeLists } from '../../recording/whole-lists.ts';
import { UsageError } from '../errors.ts';
import { momentTexts } from '../texts.ts';

/**
 * A moment of a recording, as it is typed: `PATH`, `PATH@TIME`, or `TIME` of the recording that is named elsewhere. `start`
 * and `end` are times, of the first and the last sample.
 */
export interface TypedMoment {
  readonly path: string | undefined;
  /** Milliseconds since 1970, or an end of the recording. */
  readonly atMs: number | 'start' | 'end';
}

const ends = ['start', 'end'] as const;

/** @throws UsageError for a time that cannot be read */
export function parseMoment(typed: string, nowMs: number): TypedMoment {
  const at = typed.lastIndexOf('@');
  const [path, time] = at < 0 ? [undefined, typed] : [typed.slice(0, at), typed.slice(at + 1)];
  const atMs = ends.find((end) => end === time.toLowerCase()) ?? parseTime(time, nowMs);
  if (atMs !== undefined && path !== '') return { path, atMs };
  if (at >= 0) throw new UsageError(momentTexts.noTime(time));
  return { path: typed, atMs: 'end' };
}

export interface RecordedMoment {
  readonly cluster: string;
  readonly sample: RecordedSample;
}

/** Reads the moment of a recording: the last sample at or before the time. @throws UsageError */
export async function readMoment({ path, atMs }: TypedMoment, otherPath: string | undefined): Promise<RecordedMoment> {
  const place = path ?? otherPath;
  if (place === undefined) throw new UsageError(momentTexts.noRecording);
  try {
    const recording = await openRecording<MonitorState, RecordedEvent>(place);
    const sample = await recording.at(atMs === 'start' ? 0 : atMs === 'end' ? Number.MAX_SAFE_INTEGER : atMs);
    const range = recording.range();
    const state = sample && (await withWholeLists(recording, sample));
    await recording.close();
    if (sample === undefined || state === undefined || range === undefined)
      throw new UsageError(momentTexts.isEmpty(place));
    if (typeof atMs === 'number' && atMs < range.fromMs)
      throw new UsageError(momentTexts.isEarlier(place, momentText(range.fromMs)));
    return { cluster: recording.cluster, sample: { ...sample, state } };
  } catch (error) {
    throw error instanceof RecordingError ? new UsageError(error.message) : error;
  }
}
