import type { ReactNode } from 'react';
import { unknownText } from '../../terminal/format.ts';
import { composeEnds, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { splitGraphemes, textAroundCursor, type TextField } from '../../terminal/text-field.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { Rows } from './painted.tsx';
import { useTheme } from './theme-context.ts';

/** Not escaped while typing: a trailing space, a backslash, `~` and the sign for unknown. */
const asTyped: ReadonlySet<string> = new Set([' ', '\\', '~', unknownText]);

/**
 * Typed text, one escaped character each, except those that are safe to show as typed. Each is escaped with a full stop
 * after it, because some signs are escaped only when they stand alone.
 */
export const typedText = (theme: Theme, text: string): readonly SafeText[] =>
  splitGraphemes(text).map((character) => (asTyped.has(character) ? trusted(character) : trusted(theme.escape(`${character}.`).slice(0, -1))));

/** More than fits into a line. */
const maxUnits = 1024;

/**
 * A text field with its cursor. Text is escaped like the broker's. The start scrolls out when the cursor would leave the
 * line.
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
  // Without terminal codes the cursor is a bar.
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
  /** At the right end, e.g. the number of matches. */
  readonly right?: Span | undefined;
  readonly width: number;
}

/** A text field; state and keys come from `useTextField`. */
export const TextPrompt = ({ label, field, right, width }: TextPromptProps): ReactNode => (
  <Rows lines={[promptLine(useTheme(), width, label, field, right)]} />
);
