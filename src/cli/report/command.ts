import { momentText, parseTime } from '../../domain/time-text.ts';
import type { MonitorState } from '../../monitor/state.ts';
import { openRecording, RecordingError } from '../../recording/folder-reader.ts';
import type { TimeRange } from '../../recording/recording.ts';
import type { ReportFormat } from '../../report/formats.ts';
import { writeReport } from '../../report/write.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { TimelineEvent } from '../../domain/event.ts';
import { version } from '../../version.ts';
import { UsageError } from '../errors.ts';
import { steadyNowMs } from '../../monitor/clock.ts';
import { readKeptEvents } from '../files/event-file.ts';
import { SaveError, saveFile } from '../files/saved-file.ts';
import { momentTexts, reportCommandTexts } from '../texts.ts';

export interface ReportCommand {
  readonly recording: string;
  /** The time as the operator typed it. */
  readonly from: string | undefined;
  readonly to: string | undefined;
  readonly format: ReportFormat;
  /** `undefined`: standard output. */
  readonly file: string | undefined;
  readonly mayReplace: boolean;
  readonly isRedacted: boolean;
}

interface ReportStreams {
  readonly stdout: Pick<NodeJS.WritableStream, 'write'>;
  readonly stderr: Pick<NodeJS.WritableStream, 'write'> & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
}

const hourMs = 3_600_000;
/** Nothing was recorded in that time. */
const nothingCode = 3;

/**
 * Writes an incident report about a range of a recording.
 *
 * @returns 0; 3 if nothing was recorded in that time
 * @throws UsageError for a time or a recording that cannot be read, or a file that cannot be written
 */
export async function runReport(
  { recording: place, from, to, format, file, mayReplace, isRedacted }: ReportCommand,
  { stdout, stderr, env }: ReportStreams,
  nowMs = Date.now(),
): Promise<number> {
  const recording = await open(place);
  try {
    const recorded = recording.range();
    if (recorded === undefined) throw new UsageError(momentTexts.isEmpty(place));
    const lastMs = Math.min(nowMs, recorded.toMs);
    const range = rangeOf(timeOf(from, recorded, lastMs), timeOf(to, recorded, lastMs), recorded);
    const progress = progressOn(stderr);
    const report = await writeReport(recording, format, {
      cluster: recording.cluster,
      range,
      version,
      writtenMs: nowMs,
      isRedacted,
      keptEvents: await readKeptEvents(env, recording.cluster),
      onProgress: progress.show,
    }).finally(progress.end);
    if (report === undefined) {
      const text = reportCommandTexts.nothing(
        momentText(range.fromMs),
        momentText(range.toMs),
        place,
        momentText(recorded.fromMs),
        momentText(recorded.toMs),
      );
      stderr.write(`brokertop: ${escapeText(text)}\n`);
      return nothingCode;
    }
    if (file === undefined) stdout.write(report);
    else await save(file, report, mayReplace, stdout);
    return 0;
  } finally {
    await recording.close();
  }
}

/** A shorter wait needs no progress. */
const quickMs = 1_000;

/** Shows on a terminal how much is read, in a line that is cleared at the end. */
export function progressOn(stderr: ReportStreams['stderr'], clockMs = steadyNowMs) {
  const startMs = clockMs();
  let shown = '';
  return {
    show(share: number): void {
      const text = reportCommandTexts.progress(Math.floor(100 * share));
      if (stderr.isTTY !== true || text === shown || clockMs() - startMs < quickMs) return;
      shown = text;
      stderr.write(`\r${text}`);
    },
    end(): void {
      if (shown !== '') stderr.write('\r\u001B[K');
    },
  };
}

/** Times without a date, and those that are ago, are before the end of the recording. */
function timeOf(typed: string | undefined, recorded: TimeRange, lastMs: number): number | undefined {
  if (typed === undefined) return undefined;
  const ends: Readonly<Record<string, number>> = { start: recorded.fromMs, end: recorded.toMs };
  const atMs = ends[typed.toLowerCase()] ?? parseTime(typed, lastMs);
  if (atMs === undefined) throw new UsageError(momentTexts.noTime(typed));
  return atMs;
}

function rangeOf(fromMs: number | undefined, toMs: number | undefined, recorded: TimeRange): TimeRange {
  const untilMs = toMs ?? Math.max(recorded.toMs, fromMs ?? 0);
  const sinceMs = fromMs ?? untilMs - hourMs;
  if (sinceMs >= untilMs) throw new UsageError(reportCommandTexts.notBefore(momentText(sinceMs), momentText(untilMs)));
  // Without --from, what is older than the recording was not asked for.
  return { fromMs: fromMs ?? Math.max(sinceMs, Math.min(recorded.fromMs, untilMs)), toMs: untilMs };
}

async function open(place: string) {
  try {
    return await openRecording<MonitorState, TimelineEvent>(place);
  } catch (error) {
    throw error instanceof RecordingError ? new UsageError(error.message, { cause: error }) : error;
  }
}

async function save(file: string, report: string, mayReplace: boolean, stdout: ReportStreams['stdout']): Promise<void> {
  try {
    const saved = await saveFile(file, [report], mayReplace);
    stdout.write(`${escapeText(reportCommandTexts.saved(saved.path))}\n`);
  } catch (error) {
    if (!(error instanceof SaveError)) throw error;
    throw new UsageError(error.isExisting ? reportCommandTexts.exists(file) : `${file}: ${error.message}`, {
      cause: error,
    });
  }
}
