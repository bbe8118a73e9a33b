import type { SearchTexts } from './match-rows.ts';
import { createRowFinder } from '../domain/row-finder.ts';
import { columnText, plainText, separator } from './sortable-column.ts';
import type { Printed, SortableColumn } from './sortable-column.ts';
import { mapInPortions } from '../domain/steps.ts';
import type { Steps } from '../domain/steps.ts';

const itself = (row: unknown): unknown => row;

/** The searched texts of a table's rows, kept while the rows are the same objects. */
export interface TextIndex<Row> {
  /**
   * Texts of these rows; reuses those made before for rows that are still there in the same order. `other`: whatever
   * cells are printed with beside their row; where the texts depend on it, another one makes all of them anew.
   */
  update(rows: readonly Row[], other?: unknown): Steps<SearchTexts>;
  /** Whether the texts made so far depend on more than the rows. */
  readsOther(): boolean;
}

/**
 * `column` undefined: all columns that a plain filter searches, one under the other. Case is folded
 * once, here, so that a search is a search for bytes.
 */
export function createTextIndex<Row>(columns: readonly SortableColumn<Row>[], column: SortableColumn<Row> | undefined, printed: Printed): TextIndex<Row> {
  let known: readonly Row[] = [];
  let knownOther: unknown;
  let texts: SearchTexts = { lower: [], original: [] };
  let hasReadOther = false;
  const readsOther = (): void => { hasReadOther = true; };

  function textOf(row: Row): string {
    if (column !== undefined) return columnText(column, row, printed, readsOther);
    let text = '';
    for (const each of columns) {
      const part = plainText(each, row, printed);
      if (part !== undefined && part !== '') text += separator + part;
    }
    return text;
  }

  return {
    readsOther: () => hasReadOther,
    *update(rows, other) {
      const isOutdated = hasReadOther && other !== knownOther;
      if (rows === known && !isOutdated) return texts;
      // What is known stays until this is done: others may ask meanwhile.
      const before = texts;
      const lower: string[] = [];
      const find = createRowFinder(isOutdated ? [] : known, itself);
      const original = yield* mapInPortions(rows, (row) => {
        const found = find(row);
        if (found !== undefined) {
          lower.push(before.lower[found] ?? '');
          return before.original[found] ?? '';
        }
        const text = textOf(row);
        const folded = text.toLowerCase();
        lower.push(folded);
        // Most ids are lower-case: one string serves for both.
        return folded === text ? folded : text;
      });
      known = rows;
      knownOther = other;
      texts = { lower, original };
      return texts;
    },
  };
}
