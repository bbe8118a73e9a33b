import { createRowFinder } from '../domain/row-finder.ts';
import { mapInBatches, type SlicedTask } from '../domain/sliced-task.ts';
import type { SearchColumn } from './column.ts';

/** Prints a text from the broker as the table does; returns the same text when nothing has to be escaped. */
export type PrintText = (raw: string) => string;

/** Separates the texts of a row. No filter can contain it, so no match spans two of them. */
export const separator = '\n';

/** What a plain filter searches in a column; `undefined` when it does not search there. */
function plainText<Row>(column: SearchColumn<Row>, row: Row, printText: PrintText): string | undefined {
  const text = column.text === undefined ? column.value(row) : column.text(row);
  return typeof text === 'string' ? withPrinted(text, printText) : undefined;
}

/** What `column:text` searches: the printed cell, and other forms in which it may be typed. */
function columnText<Row>(column: SearchColumn<Row>, row: Row, printText: PrintText, onDataRead: () => void): string {
  const value = column.value(row);
  const text = column.text?.(row);
  if (typeof value === 'string' && text === undefined) return withPrinted(value, printText);
  const printed = column.print?.(row, onDataRead) ?? (typeof value === 'number' || typeof value === 'string' ? String(value) : '');
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

/** Texts to search, one a row; `original` keeps the case. */
export interface SearchTexts {
  readonly lower: readonly string[];
  readonly original: readonly string[];
}

/** The searchable texts of a table's rows, kept while the rows are the same objects. */
export interface TextIndex<Row> {
  /**
   * Returns the texts of these rows, reusing those of rows that were there before. `data` is what cells are printed
   * with besides their row: when it changes, all texts that depend on it are rebuilt.
   */
  update(rows: readonly Row[], data?: unknown): SlicedTask<SearchTexts>;
  readsData(): boolean;
}

/** Indexes one column, or with `undefined` all columns that a plain filter searches, joined. Case is folded once, here. */
export function createTextIndex<Row>(columns: readonly SearchColumn<Row>[], column: SearchColumn<Row> | undefined, printText: PrintText): TextIndex<Row> {
  let knownRows: readonly Row[] = [];
  let knownData: unknown;
  let texts: SearchTexts = { lower: [], original: [] };
  let hasReadData = false;
  const onDataRead = (): void => { hasReadData = true; };

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
        const text = textOf(row);
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
