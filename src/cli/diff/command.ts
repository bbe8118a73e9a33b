import { compareStates } from '../../compare/compare.ts';
import { changeFields, changeRows, noChange, summaryLines } from '../../compare/rows.ts';
import { durationText } from '../../domain/text.ts';
import { momentText } from '../../domain/time-text.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import { createTheme } from '../../terminal/theme.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { outputOf } from '../list/formats.ts';
import { createListing, type ListRequest } from '../list/listing.ts';
import type { ListFormat } from '../list/resources.ts';
import { diffTexts } from '../texts.ts';
import { parseMoment, readMoment } from './moments.ts';

export interface DiffCommand extends ListRequest {
  readonly before: string;
  readonly after: string;
  readonly recording: string | undefined;
  readonly format: ListFormat;
}

export interface DiffStreams {
  readonly stdout: NodeJS.WritableStream & { readonly isTTY?: boolean };
  readonly env: NodeJS.ProcessEnv;
}

/**
 * Prints what differs between two moments of a recording, or of two recordings.
 *
 * @returns 0, whether something differs or not
 * @throws UsageError for a moment that was not recorded, or a column that there is not
 */
export async function runDiff(
  { before, after, recording, format, ...request }: DiffCommand,
  { stdout, env }: DiffStreams,
  nowMs = Date.now(),
): Promise<number> {
  const [first, second] = [parseMoment(before, nowMs), parseMoment(after, nowMs)];
  const from = await readMoment(first, recording ?? second.path);
  const to = await readMoment(second, recording ?? first.path);
  const comparison = compareStates(from.sample, to.sample);
  const rows = changeRows(comparison);
  const selection = createListing({
    columns: columnsOf(changeFields, {}),
    rows,
    data: undefined,
    theme: createTheme(env),
    zoneSeconds: 0,
  }).select(request);
  if (format === 'table') {
    const [fromMs, toMs] = [from.sample.at.wallMs, to.sample.at.wallMs];
    const lines = [
      diffTexts.head(
        from.cluster === to.cluster ? from.cluster : `${from.cluster}, ${to.cluster}`,
        momentText(fromMs),
        momentText(toMs),
        durationText(Math.abs(toMs - fromMs) / 1_000),
      ),
      ...summaryLines(comparison),
    ];
    stdout.write(`${lines.map((line) => escapeText(line)).join('\n')}\n\n`);
    if (rows.length === 0) {
      stdout.write(`${noChange(comparison.tables.length)}\n`);
      return 0;
    }
  }
  for (const piece of outputOf(format, selection, stdout.isTTY === true)) stdout.write(piece);
  return 0;
}
