import { type Context, createContext, Script } from 'node:vm';
import { createRowFinder } from '../domain/row-finder.ts';
import { mapInPortions, type Steps } from '../domain/steps.ts';
import type { FilterTerm } from './filter.ts';
import { columnText, plainText, type Printed, separator, type SortableColumn } from './sorting.ts';

/** A pattern looks at no more of a text than this many code units; plain text is searched whole. */
const longestSearched = 1_024;

/** Texts to be searched, one a row; `original` keeps the case. */
export interface SearchTexts {
  readonly lower: readonly string[];
  readonly original: readonly string[];
}

/** Sets 0 in `mask` for each row that the term leaves out; the answer is `false` when the pattern took too long. */
export function applyTerm(term: FilterTerm, texts: SearchTexts, mask: Uint8Array): boolean {
  switch (term.mode) {
    case 'text':
      keepWhere(mask, term, texts.lower, (text) => text.includes(term.text));
      return true;
    case 'regex': {
      const { regex } = term;
      if (regex === undefined) return true;
      return runBounded(() => {
        keepWhere(mask, term, texts.original, (text) => regex.test(text.length > longestSearched ? text.slice(0, longestSearched) : text));
      });
    }
    case 'figure':
      return true;
    case 'fuzzy': {
      const letters = [...term.text];
      keepWhere(mask, term, texts.lower, (text) => holdsInOrder(text, letters));
      return true;
    }
  }
}

function keepWhere(mask: Uint8Array, term: FilterTerm, texts: readonly string[], matches: (text: string) => boolean): void {
  for (let row = 0; row < texts.length; row += 1) {
    if (mask[row] === 1 && matches(texts[row] ?? '') === term.isInverse) mask[row] = 0;
  }
}

/** Whether a column of the row holds all letters in their order, with anything between them. */
function holdsInOrder(text: string, letters: readonly string[]): boolean {
  // A letter that is not found behind the ones before it is in no later column either.
  for (let start = 0; ;) {
    let end = -1;
    let at = start;
    let next = 0;
    for (; next < letters.length; next += 1) {
      const letter = letters[next] ?? '';
      const found = text.indexOf(letter, at);
      if (found === -1) return false;
      if (end === -1) {
        start = text.lastIndexOf(separator, found) + 1;
        end = text.indexOf(separator, found);
        if (end === -1) end = text.length;
      }
      if (found >= end) {
        start = text.lastIndexOf(separator, found) + 1;
        break;
      }
      at = found + letter.length;
    }
    if (next === letters.length) return true;
  }
}

/** Longest that matching one pattern against all rows may hold up everything else. */
const budgetMs = 300;

let context: Context | undefined;
let script: Script | undefined;

/**
 * Runs `work` and ends it by force when it takes longer than 300 ms: the only thing that ends a
 * regular expression which backtracks for ever. `false` when it was ended.
 */
export function runBounded(work: () => void): boolean {
  context ??= createContext({ work: undefined });
  script ??= new Script('work()');
  context['work'] = work;
  try {
    script.runInContext(context, { timeout: budgetMs });
    return true;
  } catch (thrown) {
    if (isTimeout(thrown)) return false;
    throw thrown;
  } finally {
    context['work'] = undefined;
  }
}

function isTimeout(thrown: unknown): boolean {
  return typeof thrown === 'object' && thrown !== null && 'code' in thrown && thrown.code === 'ERR_SCRIPT_EXECUTION_TIMEOUT';
}

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
