import { Box } from 'ink';
import type { ReactNode } from 'react';
import { useMenu } from '../hooks/use-menu.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import { formatKeys } from '../key-text.ts';
import type { NamedCommand } from '../hooks/key-stack.ts';
import type { CommandId, KnownBinding } from '../keymap.ts';
import { safe, trusted } from '../safe-text.ts';
import { useTheme } from '../theme-context.ts';
import { composeLine } from '../widgets/line.ts';
import { Menu, type MenuItem } from '../widgets/menu.tsx';
import { Rows } from '../widgets/rows.tsx';
import { TextPrompt } from '../widgets/text-prompt.tsx';

export interface PaletteProps {
  /** What can be chosen. */
  readonly bindings: readonly KnownBinding[];
  readonly width: number;
  readonly height: number;
  /** What can be chosen besides, and has no key. */
  readonly named: readonly NamedCommand[];
  readonly onChoose: (id: CommandId) => void;
  readonly onClose: () => void;
}

/** Items whose text holds every word that was typed, in any order. */
const matches = (text: string, typed: string): boolean => {
  const lower = text.toLowerCase();
  return typed.toLowerCase().split(/\s+/u).every((word) => lower.includes(word));
};

/** Any screen or action by name: type a part of it, choose with the arrow keys. */
export const Palette = ({ bindings, named, width, height, onChoose, onClose }: PaletteProps): ReactNode => {
  const theme = useTheme();
  const [field] = useTextField();
  const choices = [
    ...bindings.map((binding) => ({
      id: binding.id, words: `${binding.help} ${binding.label}`, label: trusted(binding.help), note: formatKeys(binding, theme.charset), run: () => { onChoose(binding.id); },
    })),
    ...named.map(({ name, run }) => ({ id: `named ${name}`, words: name, label: name, note: safe``, run: () => { onClose(); run(); } })),
  ];
  const found = choices.filter(({ words }) => matches(words, field.text));
  const selectedId = useMenu(found.map(({ id }) => id), {
    onChoose: (id) => { found.find((choice) => choice.id === id)?.run(); },
    onClose,
  });
  const items = found.map(({ id, label, note }): MenuItem => ({ id, label, note }));
  const menuHeight = Math.max(1, height - 1);
  const blank = Math.max(0, menuHeight - Math.max(1, Math.min(items.length, menuHeight)));
  return (
    <Box flexDirection="column" width={width} height={height}>
      <TextPrompt label={safe`:`} field={field} width={width} right={{ text: safe`${found.length} of ${choices.length}`, role: 'dim' }} />
      {items.length === 0
        ? <Rows lines={[composeLine(theme, width, [{ text: safe` no command has these words in its name`, role: 'dim' }])]} />
        : <Menu items={items} selectedId={selectedId} width={width} height={menuHeight} />}
      <Rows lines={Array.from({ length: blank }, () => composeLine(theme, width, []))} />
    </Box>
  );
};
