import { useState } from 'react';
import type { OnScroll } from '../hooks/use-confirm-keys.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import { type SafeText, safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { type TextField, nameLimits } from '../../terminal/text-field.ts';
import { cutText } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Line, composeLine } from '../../terminal/line.ts';
import { promptLine } from '../components/text-prompt.tsx';

export interface TypedNameOptions {
  /** What has to be typed, exactly: as it is, or as it is shown. */
  readonly wanted: string;
  readonly onConfirm: () => void;
  readonly onCancel: () => void;
  readonly onScroll: OnScroll;
  readonly isActive: boolean;
}

export interface TypedName {
  readonly field: TextField;
  /** Enter was pressed on something else. */
  readonly isWrong: boolean;
}

/** A question that is answered by typing a name: Enter does it once the name stands there, and not before. */
export const useTypedName = ({ wanted, onConfirm, onCancel, onScroll, isActive }: TypedNameOptions): TypedName => {
  const theme = useTheme();
  const [refused, setRefused] = useState<string | undefined>(undefined);
  // Enter comes down to here while something else stands there; what is typed after it is not lost then.
  const [field] = useTextField({ limits: nameLimits, isActive, onAccept: setRefused });
  useKeys(
    'confirmName',
    {
      // As it is, or as it is shown: nobody can see which of the two is wanted.
      ...(field.text === wanted || field.text === theme.escape(wanted) ? { nameAccept: onConfirm } : {}),
      nameCancel: onCancel,
      nameUp: () => { onScroll(-1, 'line'); },
      nameDown: () => { onScroll(1, 'line'); },
      namePageUp: () => { onScroll(-1, 'page'); },
      namePageDown: () => { onScroll(1, 'page'); },
    },
    { isActive },
  );
  return { field, isWrong: refused !== undefined && refused === field.text };
};

/** Where the name is typed, and what Enter does. */
export const typedNameLines = (theme: Theme, width: number, wanted: string, verb: SafeText, { field, isWrong }: TypedName): readonly Line[] => [
  promptLine(theme, width, safe`  type ${cutText(theme.escape(wanted), Math.max(8, Math.floor(width / 3)))} to ${verb}: `, field),
  composeLine(theme, width, [
    isWrong
      ? { text: safe`  ! that is not the same; nothing was done`, role: 'error' }
      : { text: safe`  Enter does it once it stands there · Esc cancels`, role: 'dim' },
  ]),
];
