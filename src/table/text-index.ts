import { createRowFinder } from '../domain/memoise.ts';
import { mapInBatches, type SlicedTask } from '../domain/sliced-task.ts';
import { composed } from '../domain/text.ts';
import type { SearchColumn } from './column.ts';

export type PrintText = (raw: string) => string;

/** No filter can contain it, so no match spans two texts. */
export const separator = '\n';

/** Returns `undefined` when a plain filter does not search the column. */
function plainText<Row>(column: SearchColumn<Row>, row: Row, printText: PrintText): string | undefined {
  const text = column.text === undefined ? column.value(row) : column.text(row);
  return typeof text === 'string' ? withPrinted(text, printText) : undefined;
}

function columnText<Row>(column: SearchColumn<Row>, row: Row, printText: PrintText, onDataRead: () => void): string {
  const value = column.value(row);
  const text = column.text?.(row);
  if (typeof value === 'string' && text === undefined) return withPrinted(value, printText);
  const printed =
    column.print?.(row, onDataRead) ?? (typeof value === 'number' || typeof value === 'string' ? String(value) : '');
  const withoutCommas = typeof value === 'number' ? printed.replaceAll(thousandsComma, '') : printed;
  const word = typeof value === 'boolean' && text === undefined ? (value ? 'yes true' : 'no false') : undefined;
  return [...new Set([printed, withoutCommas, text, word])].filter((each) => each !== undefined).join(separator);
}

const thousandsComma = /(?<=\d),(?=\d{3})/g;

const withPrinted = (raw: string, printText: PrintText): string => {
  const text = printText(raw);
  return text === raw ? raw : raw + separator + text;
};

const identity = (row: unknown): unknown => row;

export interface SearchTexts {
  readonly lower: readonly string[];
  readonly original: readonly string[];
}

export interface TextIndex<Row> {
  /** Reuses texts of known rows; rebuilds those that depend on `data` when it changes. */
  update(rows: readonly Row[], data?: unknown): SlicedTask<SearchTexts>;
  readsData(): boolean;
}

/**
 * Creates an index that folds case and the spelling of letters with marks once. @param column the only one searched; by
 * default all that a plain filter searches
 */
export function createTextIndex<Row>(
  columns: readonly SearchColumn<Row>[],
  column: SearchColumn<Row> | undefined,
  printText: PrintText,
): TextIndex<Row> {
  let knownRows: readonly Row[] = [];
  let knownData: unknown;
  let texts: SearchTexts = { lower: [], original: [] };
  let hasReadData = false;
  const onDataRead = (): void => {
    hasReadData = true;
  };

  function textOf(row: Row): string {
    if (column !== undefined) return columnText(column, row, printText, onDataRead);
    let text = '';
    for (const each of columns) {
      const part = plainText(each, row, printText);
      if (part !== undefined && part !== '') text += separator + part;
    }
    return text;
  }

  return {
    readsData: () => hasReadData,
    *update(rows, data) {
      const isOutdated = hasReadData && data !== knownData;
      if (rows === knownRows && !isOutdated) return texts;
      // The old texts stay valid until this task is done: other queries may run in between.
      const before = texts;
      const lower: string[] = [];
      const find = createRowFinder(isOutdated ? [] : knownRows, identity);
      const original = yield* mapInBatches(rows, (row) => {
        const found = find(row);
        if (found !== undefined) {
          lower.push(before.lower[found] ?? '');
          return before.original[found] ?? '';
        }
        const text = composed(textOf(row));
        const folded = text.toLowerCase();
        lower.push(folded);
        // Most ids are lower-case: one string serves as both.
        return folded === text ? folded : text;
      });
      knownRows = rows;
      knownData = data;
      texts = { lower, original };
      return texts;
    },
  };
}
