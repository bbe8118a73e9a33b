import uFuzzy from '@leeoniya/ufuzzy';
import { runBounded } from './bounded-run.ts';
import type { FilterTerm } from './filter.ts';

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
    case 'fuzzy':
      return runBounded(() => { keepFuzzy(mask, term, texts.original); });
  }
}

function keepWhere(mask: Uint8Array, term: FilterTerm, texts: readonly string[], matches: (text: string) => boolean): void {
  for (let row = 0; row < texts.length; row += 1) {
    if (mask[row] === 1 && matches(texts[row] ?? '') === term.isInverse) mask[row] = 0;
  }
}

/** One typing error a word is forgiven. */
const fuzzyLatin = new uFuzzy({ intraMode: 1 });
const fuzzyUnicode = new uFuzzy({
  intraMode: 1,
  unicode: true,
  interSplit: "[^\\p{L}\\d']+",
  intraSplit: '\\p{Ll}\\p{Lu}',
  intraBound: '\\p{L}\\d|\\d\\p{L}|\\p{Ll}\\p{Lu}',
  intraChars: "[\\p{L}\\d']",
  intraContr: "'\\p{L}{1,2}\\b",
});

const isAscii = (text: string): boolean => /^[\x20-\x7e]*$/.test(text);

function keepFuzzy(mask: Uint8Array, term: FilterTerm, texts: readonly string[]): void {
  const searched = texts.map((text) => (text.length > longestSearched ? text.slice(0, longestSearched) : text));
  const found = (isAscii(term.text) ? fuzzyLatin : fuzzyUnicode).filter(searched, term.text);
  if (found === null) {
    // Nothing but punctuation, which has no fuzzy form: taken as it stands.
    const text = term.text.toLowerCase();
    keepWhere(mask, term, texts, (candidate) => candidate.toLowerCase().includes(text));
    return;
  }
  const hits = new Uint8Array(texts.length);
  for (const row of found) hits[row] = 1;
  for (let row = 0; row < texts.length; row += 1) if ((hits[row] === 1) === term.isInverse) mask[row] = 0;
}
