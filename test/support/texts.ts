import { formatKey } from '../../src/tui/keys/keymap.ts';
import { safe } from '../../src/terminal/safe-text.ts';
import { allBindings } from '../../src/screens/keys.ts';
import type { CommandId } from '../../src/tui/keys/bindings.ts';

/** Stands for any text in `matching`. */
export const any = safe`\uFFFC`;

/** A pattern for a text of a catalogue: `matching(listTexts.retryIn(any))`. */
export const matching = (text: string): RegExp =>
  new RegExp(text.replaceAll(/[.*+?^$(){}|[\]\\/]/gu, String.raw`\$&`).replaceAll(any, '.*'), 'u');

/** A key and its label as the hint bar shows them: `Esc back`. */
export const hint = (command: CommandId): string => {
  const binding = allBindings.find(({ id }) => id === command);
  if (binding === undefined) throw new Error(`no key for ${command}`);
  return `${formatKey(binding.keys[0] ?? '')} ${binding.label}`;
};

/** The button of a question that cancels, as it is shown. */
export const cancelButton = 'n/Esc Cancel';
