import type { Sentence } from '../domain/sentence.ts';
import type { TextPart } from '../domain/text.ts';
import { joinSafe, safe, type SafeText } from './safe-text.ts';
import type { Theme } from './theme.ts';

const partText = (theme: Theme, { text, isUntrusted }: TextPart, width: number): SafeText =>
  // The program's own words need no escape, except for spaces at their ends.
  isUntrusted
    ? theme.escape(text, width)
    : joinSafe(
        text.split(' ').map((word) => (word === '' ? safe`` : theme.escape(word))),
        safe` `,
      );

/** Escapes the names of a sentence, each at most `width` columns wide. */
export const sentenceText = (theme: Theme, parts: Sentence, width = 60): SafeText =>
  joinSafe(parts.map((part) => partText(theme, part, width)));
