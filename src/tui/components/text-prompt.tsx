import { type ActionDispatch, type ReactNode, useMemo, useReducer } from 'react';
import { unknownText } from '../../terminal/format.ts';
import { composeEnds, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import {
  createTextField,
  createTextFieldReducer,
  lineLimits,
  splitGraphemes,
  textAroundCursor,
  type TextField,
  type TextFieldAction,
  type TextFieldLimits,
} from '../../terminal/text-field.ts';
import { widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { Rows, useTheme } from './drawing.tsx';

export interface TextFieldOptions {
  readonly initialText?: string | undefined;
  /** Limits the text, to one line by default. Must be the same object at every rendering. */
  readonly limits?: TextFieldLimits | undefined;
  readonly isActive?: boolean | undefined;
  /** Means what it means in `KeyLayer`. */
  readonly isUnexpected?: boolean | undefined;
  readonly onAccept?: ((text: string) => void) | undefined;
  readonly onCancel?: (() => void) | undefined;
}

/** Edits a text. Pasted text is inserted whole and never taken for keys. */
export const useTextField = (
  options: TextFieldOptions = {},
): readonly [TextField, ActionDispatch<[TextFieldAction]>] => {
  const { initialText, limits = lineLimits, isActive, isUnexpected, onAccept, onCancel } = options;
  const reduce = useMemo(() => createTextFieldReducer(limits), [limits]);
  const [field, dispatch] = useReducer(reduce, initialText, createTextField);
  const insert = (text: string): void => {
    dispatch({ type: 'insert', text });
  };
  useKeys(
    'prompt',
    {
      promptAccept: () => {
        onAccept?.(field.text);
      },
      promptCancel: () => {
        onCancel?.();
      },
      promptLeft: () => {
        dispatch({ type: 'left' });
      },
      promptRight: () => {
        dispatch({ type: 'right' });
      },
      promptStart: () => {
        dispatch({ type: 'start' });
      },
      promptEnd: () => {
        dispatch({ type: 'end' });
      },
      promptErase: () => {
        dispatch({ type: 'erase' });
      },
      promptEraseNext: () => {
        dispatch({ type: 'eraseNext' });
      },
      promptEraseWord: () => {
        dispatch({ type: 'eraseWord' });
      },
      promptClear: () => {
        dispatch({ type: 'clear' });
      },
    },
    { isActive, isUnexpected, onText: insert, onPaste: insert },
  );
  return [field, dispatch];
};

/** Texts that are not escaped while they are typed: a trailing space, a backslash, `~` and the sign for unknown. */
const asTyped: ReadonlySet<string> = new Set([' ', '\\', '~', unknownText]);

/** Escapes each character with a full stop after it: some are escaped only when alone. */
export const typedText = (theme: Theme, text: string): readonly SafeText[] =>
  splitGraphemes(text).map((character) =>
    asTyped.has(character) ? trusted(character) : trusted(theme.escape(`${character}.`).slice(0, -1)),
  );

const maxUnits = 1024;

/**
 * Draws a prompt, whose start scrolls out when the cursor would leave the line. `isSelected`: what is typed replaces
 * the text, and the cursor is at its end.
 */
export const promptLine = (
  theme: Theme,
  width: number,
  label: SafeText,
  field: TextField,
  right?: Span,
  isSelected = false,
): Line => {
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
  const before = left.slice(first).map((text, at, shown): Span => ({
    text,
    role: isSelected ? 'cursor' : 'normal',
    isCaret: isSelected && at === shown.length - 1,
  }));
  const hasCodes = theme.depth !== 'none';
  // Without terminal codes the cursor is a bar, and selected text has brackets.
  const edited: readonly Span[] = isSelected
    ? hasCodes
      ? before
      : [{ text: safe`[` }, ...before, { text: safe`]` }]
    : [
        ...before,
        ...(hasCodes
          ? [{ text: under, role: 'cursor', isCaret: true } as const]
          : [{ text: safe`|` }, { text: under }]),
      ];
  return composeEnds(
    theme,
    width,
    [{ text: label, role: 'key' }, ...edited, ...shownRest.map((text) => ({ text }))],
    right === undefined ? [] : [right],
  );
};

export interface TextPromptProps {
  readonly label: SafeText;
  readonly field: TextField;
  readonly right?: Span | undefined;
  readonly width: number;
}

export const TextPrompt = ({ label, field, right, width }: TextPromptProps): ReactNode => {
  const lines = [promptLine(useTheme(), width, label, field, right)];
  useSpoken({ rank: 'message', lines: () => lines });
  return <Rows lines={lines} />;
};
