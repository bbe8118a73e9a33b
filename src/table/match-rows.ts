import { type Context, createContext, Script } from 'node:vm';
import type { FilterTerm } from './filter.ts';
import { type SearchTexts, separator } from './text-index.ts';

/** A regular expression sees this many code units of a text; plain text is searched whole. */
const maxRegexInput = 1_024;

/** Clears the `mask` of each row that the term excludes. Returns `false` when a regular expression took too long. */
export function applyTerm(term: FilterTerm, texts: SearchTexts, mask: Uint8Array): boolean {
  switch (term.mode) {
    case 'text':
      keepMatches(mask, term, texts.lower, (text) => text.includes(term.text));
      return true;
    case 'regex': {
      const { regex } = term;
      if (regex === undefined) return true;
      return runBounded(() => {
        keepMatches(mask, term, texts.original, (text) => regex.test(text.length > maxRegexInput ? text.slice(0, maxRegexInput) : text));
      });
    }
    case 'figure':
      return true;
    case 'fuzzy': {
      const letters = [...term.text];
      keepMatches(mask, term, texts.lower, (text) => matchesFuzzy(text, letters));
      return true;
    }
  }
}

function keepMatches(mask: Uint8Array, term: FilterTerm, texts: readonly string[], matches: (text: string) => boolean): void {
  for (let row = 0; row < texts.length; row += 1) {
    if (mask[row] === 1 && matches(texts[row] ?? '') === term.isInverse) mask[row] = 0;
  }
}

function matchesFuzzy(text: string, letters: readonly string[]): boolean {
  // A letter that is not found after the ones before it is in no later column either.
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

/** For all rows together. */
const maxRegexMs = 300;

let context: Context | undefined;
let script: Script | undefined;

/**
 * Runs `work` and aborts it after `maxRegexMs`. A timeout of `node:vm` is the only thing that stops a regular
 * expression that backtracks for ever. Returns `false` when aborted.
 */
function runBounded(work: () => void): boolean {
  context ??= createContext({ work: undefined });
  script ??= new Script('work()');
  context['work'] = work;
  try {
    script.runInContext(context, { timeout: maxRegexMs });
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
