import type { ReactNode } from 'react';
import { unknownText } from '../../terminal/format.ts';
import { composeEnds, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { textAroundCursor, splitGraphemes, type TextField } from '../../terminal/text-field.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from './painted.tsx';
import { useTheme } from './theme-context.ts';

/** In a line being typed these need no escape: the operator knows a space at its end, a backslash, a `~` and the sign of what is not known of their own. */
const asTyped: ReadonlySet<string> = new Set([' ', '\\', '~', unknownText]);

/**
 * Typed and pasted text, a character each, escaped like the broker's but for what the operator sees is theirs. One by one, so that a
 * space at the end, where the operator is typing, is a space; with a full stop after it, because signs that mean something when they
 * stand alone are escaped alone.
 */
export const typedText = (theme: Theme, text: string): readonly SafeText[] =>
  splitGraphemes(text).map((character) => (asTyped.has(character) ? trusted(character) : trusted(theme.escape(`${character}.`).slice(0, -1))));

/** More than fit into a line; what is further away costs nothing. */
const maxUnits = 1024;

/**
 * A line being typed, with its cursor. Typed and pasted text is escaped like the broker's. The start scrolls
 * away when the cursor would leave the line.
 */
export const promptLine = (theme: Theme, width: number, label: SafeText, field: TextField, right?: Span): Line => {
  const room = Math.max(1, width - widthOf(label) - (right === undefined ? 0 : widthOf(right.text) + 1));
  const [beforeCursor, afterCursor] = textAroundCursor(field, maxUnits);
  const left = typedText(theme, beforeCursor);
  const [under = safe` `, ...rest] = typedText(theme, afterCursor);
  let used = widthOf(under);
  let first = left.length;
  while (first > 0 && used + widthOf(left[first - 1] ?? safe``) <= room - 1) {
    first -= 1;
    used += widthOf(left[first] ?? safe``);
  }
  const shownRest: SafeText[] = [];
  for (const text of rest) {
    used += widthOf(text);
    if (used > room) {
      break;
    }
    shownRest.push(text);
  }
  // Without terminal codes the cursor is a bar before its character.
  const cursor: readonly Span[] =
    theme.depth === 'none' ? [{ text: safe`|` }, { text: under }] : [{ text: under, role: 'cursor' }];
  return composeEnds(
    theme,
    width,
    [{ text: label, role: 'key' }, ...left.slice(first).map((text) => ({ text })), ...cursor, ...shownRest.map((text) => ({ text }))],
    right === undefined ? [] : [right],
  );
};

export interface TextPromptProps {
  readonly label: SafeText;
  readonly field: TextField;
  /** What is said at the right end, such as how many rows match. */
  readonly right?: Span | undefined;
  readonly width: number;
}

/** A line to type in. Its state and keys come from `useTextField`. */
export const TextPrompt = ({ label, field, right, width }: TextPromptProps): ReactNode => (
  <Rows lines={[promptLine(useTheme(), width, label, field, right)]} />
);
