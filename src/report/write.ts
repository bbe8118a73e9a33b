import type { MonitorState } from '../monitor/state.ts';
import type { Recording } from '../recording/recording.ts';
import type { TimelineEvent } from '../domain/event.ts';
import { mapUntrusted, type ReportDocument } from './document.ts';
import type { ReportFormat } from './formats.ts';
import { writeHtml } from './html.ts';
import { writeMarkdown } from './markdown.ts';
import { createNameCollector } from './names.ts';
import { observe, type ObserveOptions } from './observe.ts';
import { createRedactor } from './redact.ts';
import { buildReport, type ReportOptions } from './report.ts';

const writers = { html: writeHtml, markdown: writeMarkdown } as const satisfies Record<
  ReportFormat,
  (document: ReportDocument) => string
>;

export interface ReportRequest extends ReportOptions, Pick<ObserveOptions, 'keptEvents' | 'onProgress'> {}

/**
 * Writes an incident report about a range of a recording.
 *
 * @returns `undefined` if nothing was recorded in it
 */
export async function writeReport(
  recording: Recording<MonitorState, TimelineEvent>,
  format: ReportFormat,
  { keptEvents, onProgress, ...options }: ReportRequest,
): Promise<string | undefined> {
  const names = options.isRedacted ? createNameCollector() : undefined;
  const seen = await observe(recording, options.range, { names, keptEvents, onProgress });
  if (seen === undefined) return undefined;
  const document = buildReport(seen, options);
  if (names === undefined) return writers[format](document);
  return writers[format](mapUntrusted(document, createRedactor(names.kinds())));
}
