import type { UnusableRows } from '../../api/management-api.ts';
import type { ScanCoverage, ScanCut, ScanState } from '../state.ts';
import { journalTexts, missingRowsTexts } from '../texts.ts';

export interface ScanLimits {
  readonly maxRows: number;
  readonly maxTextLength: number;
  readonly maxMs: number;
}

export const scanLimits: ScanLimits = { maxRows: 1_000_000, maxTextLength: 256 * 2 ** 20, maxMs: 600_000 };

export function addUnusable(before: UnusableRows | undefined, more: UnusableRows): UnusableRows {
  return before === undefined ? more : { ...before, count: before.count + more.count };
}

const cutReasons: Readonly<Record<ScanCut, string>> = {
  rows: missingRowsTexts.maxRows,
  text: missingRowsTexts.maxText(scanLimits.maxTextLength / 2 ** 20),
  time: missingRowsTexts.maxMinutes(scanLimits.maxMs / 60_000),
  growth: missingRowsTexts.growth,
  repeats: missingRowsTexts.repeats,
};

/** Writes `200 of 5,000 rows read (limit: --max-rows)`; `undefined` if all rows were read. */
export function partialText({
  cut,
  read,
  expected,
}: Pick<ScanCoverage, 'cut' | 'read' | 'expected'>): string | undefined {
  return cut === undefined
    ? undefined
    : missingRowsTexts.partial(read, expected !== undefined && expected > read ? expected : undefined, cutReasons[cut]);
}

export function partialNote(source: string, coverage: ScanCoverage): string | undefined {
  const text = partialText(coverage);
  return text === undefined ? undefined : journalTexts.failure(source, missingRowsTexts.only(text));
}

export function unusableText({ count }: Pick<UnusableRows, 'count'>, read?: number): string {
  return missingRowsTexts.unusable(count, read);
}

export function unusableNote(source: string, rows: UnusableRows, read?: number): string {
  return missingRowsTexts.unusableNote(source, unusableText(rows, read), rows.example);
}

/** Whether rows may be counted or called absent. */
export function isFullyRead({ phase, leftOut }: Pick<ScanState<unknown>, 'phase' | 'leftOut'>): boolean {
  return phase === 'complete' && leftOut.size === 0;
}
