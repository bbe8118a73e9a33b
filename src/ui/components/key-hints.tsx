import type { ReactNode } from 'react';
import { composeLine, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type CommandId, formatKey, type Keymap } from '../keys/keymap.ts';
import { Rows } from './painted.tsx';
import { useTheme } from './theme-context.ts';

const widthOfHint = (hint: readonly Span[]): number => spansWidth(hint) + 2;

/**
 * Keys and what they do in one line: ` / filter  Enter open  ? help`. Commands that are not in the keymap (read-only mode)
 * are left out. What does not fit is left out from the end, except the last one, which is help.
 */
export const hintLine = (theme: Theme, width: number, keymap: Keymap, commands: readonly CommandId[]): Line => {
  const hints = commands.flatMap((id): Span[][] => {
    const binding = keymap.bindings.find((candidate) => candidate.id === id);
    const key = binding?.keys[0];
    return binding === undefined || key === undefined
      ? []
      : [[{ text: formatKey(key, theme.charset), role: 'key' }, { text: safe` ${trusted(binding.label)}`, role: 'dim' }]];
  });
  const last = hints.at(-1);
  const kept: Span[][] = [];
  let room = width - 1 - (last === undefined ? 0 : widthOfHint(last) - 2);
  for (const hint of hints.slice(0, -1)) {
    if (widthOfHint(hint) > room) {
      break;
    }
    room -= widthOfHint(hint);
    kept.push(hint);
  }
  if (last !== undefined) {
    kept.push(last);
  }
  return composeLine(theme, width, kept.flatMap((hint, index) => [{ text: index === 0 ? safe` ` : safe`  ` }, ...hint]));
};

export interface KeyHintsProps {
  readonly keymap: Keymap;
  readonly commands: readonly CommandId[];
  readonly width: number;
}

export const KeyHints = ({ keymap, commands, width }: KeyHintsProps): ReactNode => (
  <Rows lines={[hintLine(useTheme(), width, keymap, commands)]} />
);
