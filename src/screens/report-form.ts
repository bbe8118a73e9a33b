import type { FormRequest } from '../actions/requests.ts';
import { momentText, parseTime } from '../domain/time-text.ts';
import type { TimeRange } from '../recording/recording.ts';
import { type ReportFormat, reportFormats } from '../report/formats.ts';
import { formatBytes } from '../terminal/format.ts';
import { safe, type SafeText } from '../terminal/safe-text.ts';
import type { Theme } from '../terminal/theme.ts';
import { fileNameOf, type SaveFile, stampOf } from '../tui/list/export-list.ts';
import { exportTexts } from '../tui/list/texts.ts';
import { reportFormTexts } from './command-texts.ts';

/** Writes an incident report; `undefined` if nothing was recorded in that time. `onProgress` gets the share that is read. */
export type WriteReport = (
  range: TimeRange,
  format: ReportFormat,
  isRedacted: boolean,
  onProgress: (share: number) => void,
) => Promise<string | undefined>;

export interface ReportStart {
  readonly write: WriteReport;
  readonly save: SaveFile;
  /** What is proposed. */
  readonly range: TimeRange;
  /** The time of day, before which times without a date are. */
  readonly nowMs: number;
}

const extensions: Readonly<Record<ReportFormat, string>> = { html: 'html', markdown: 'md' };

const fileOf = ({ file = '', format = 'html' }: Readonly<Record<string, string>>): string =>
  fileNameOf(file, extensions[format as ReportFormat]);

/** Asks for the time, the format and the file of a report, and writes it. Sends nothing to the broker. */
export const reportRequest = (theme: Theme, { write, save, range, nowMs }: ReportStart): FormRequest => ({
  kind: 'form',
  isLocal: true,
  title: reportFormTexts.title,
  verb: exportTexts.verb,
  fields: [
    { id: 'from', label: reportFormTexts.from, initial: momentText(range.fromMs), help: reportFormTexts.timeHelp },
    { id: 'to', label: reportFormTexts.to, initial: momentText(range.toMs), help: reportFormTexts.timeHelp },
    {
      id: 'format',
      label: exportTexts.format,
      kind: 'choice',
      choices: reportFormats,
      help: reportFormTexts.formatHelp,
    },
    {
      id: 'redact',
      label: reportFormTexts.redact,
      kind: 'choice',
      choices: ['no', 'yes'],
      help: reportFormTexts.redactHelp,
    },
    {
      id: 'file',
      label: exportTexts.file,
      initial: `report-${stampOf(range.toMs)}`,
      help: (values) => exportTexts.fileHelp(theme.escape(fileOf(values), 200)),
    },
    {
      id: 'replace',
      label: exportTexts.replace,
      kind: 'choice',
      choices: ['no', 'yes'],
      help: exportTexts.replaceHelp,
    },
  ],
  build: (values) => {
    const [fromMs, toMs] = [parseTime(values['from'] ?? '', nowMs), parseTime(values['to'] ?? '', nowMs)];
    if (fromMs === undefined) return { error: reportFormTexts.noTime, field: 'from' };
    if (toMs === undefined) return { error: reportFormTexts.noTime, field: 'to' };
    if (fromMs >= toMs) return { error: reportFormTexts.notBefore, field: 'to' };
    if ((values['file'] ?? '').trim() === '') return { error: exportTexts.noName, field: 'file' };
    return {
      field: 'file',
      later: async (tell) => {
        let told: SafeText | undefined;
        const format = (values['format'] ?? 'html') as ReportFormat;
        // A second that is only begun is a part of what is shown as that second.
        const text = await write({ fromMs, toMs: toMs + 999 }, format, values['redact'] === 'yes', (share) => {
          const progress = reportFormTexts.progress(share);
          if (progress !== told) tell(progress);
          told = progress;
        });
        if (text === undefined) return { error: reportFormTexts.nothing, field: 'from' };
        const { path, bytes } = await save(fileOf(values), [text], values['replace'] === 'yes');
        return {
          next: {
            kind: 'text',
            title: exportTexts.saved,
            parts: [
              { label: undefined, text: theme.escape(path, 2_000) },
              { label: undefined, text: safe`${reportFormTexts.saved}, ${formatBytes(bytes)}` },
            ],
          },
        };
      },
    };
  },
});
