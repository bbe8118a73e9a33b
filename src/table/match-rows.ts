import { runBounded } from '../actions/bounded-run.ts';
import type { FilterTerm } from './filter.ts';
import { separator } from './sortable-column.ts';

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
