import { Box } from 'ink';
import type { ReactNode } from 'react';
import { composeEnds, composeLine } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { Menu, type MenuItem, useMenu } from '../components/menu.tsx';
import { Rows } from '../components/painted.tsx';
import { TextPrompt } from '../components/text-prompt.tsx';
import { useTheme } from '../components/theme-context.ts';
import { useTextField } from '../hooks/use-text-field.ts';
import type { NamedCommand } from '../keys/key-stack.ts';
import { type CommandId, formatKeys, type KnownBinding, type Scope } from '../keys/keymap.ts';
import { definitionOf, screens } from '../screens/registry.ts';

export interface PaletteProps {
  /** Commands of this screen and of the program. */
  readonly bindings: readonly KnownBinding[];
  /** Commands of other screens; found, but not chosen here. */
  readonly elsewhere: readonly KnownBinding[];
  readonly width: number;
  readonly height: number;
  /** Commands without a key. */
  readonly named: readonly NamedCommand[];
  readonly onChoose: (id: CommandId) => void;
  readonly onClose: () => void;
}

/** Whether a text has every word typed, in any order. */
const matches = (text: string, typed: string): boolean => {
  const lower = text.toLowerCase();
  return typed.toLowerCase().split(/\s+/u).every((word) => lower.includes(word));
};

/** The keywords that made a command match, shown where its own text does not contain them. */
const foundBy = ({ help, label, words = '' }: KnownBinding, typed: string): SafeText => {
  const missing = typed.toLowerCase().split(/\s+/u).filter((word) => word !== '' && !`${help} ${label}`.toLowerCase().includes(word));
  const found = words.split(' ').filter((word) => missing.some((each) => word.toLowerCase().includes(each)));
  return found.length === 0 ? safe`` : safe`: ${trusted(found.join(', '))}`;
};

const wordsOf = ({ help, label, words = '' }: KnownBinding): string => `${help} ${label} ${words}`;

/** The screens that hear a scope's keys: those with a key of their own, else where such a screen is opened. */
const locationOf = (scope: Scope): SafeText => {
  const hearing = screens.map(({ id }) => definitionOf(id)).filter(({ scopes }) => scopes.includes(scope));
  const reachable = hearing.filter(({ key }) => key !== undefined).map(({ title }) => title);
  return reachable.length > 0 ? joinSafe(reachable, safe`, `) : hearing[0]?.location ?? safe`other screens`;
};

/** The command palette: any screen or action by name. */
export const Palette = ({ bindings, elsewhere, named, width, height, onChoose, onClose }: PaletteProps): ReactNode => {
  const theme = useTheme();
  const [field] = useTextField();
  const choices = [
    ...bindings.map((binding) => ({
      id: binding.id, words: wordsOf(binding), label: safe`${trusted(binding.help)}${foundBy(binding, field.text)}`, note: formatKeys(binding, theme.charset), run: () => { onChoose(binding.id); },
    })),
    ...named.map(({ name, run }) => ({ id: `named ${name}`, words: name, label: name, note: safe``, run: () => { onClose(); run(); } })),
  ];
  const found = choices.filter(({ words }) => matches(words, field.text));
  const selectedId = useMenu(found.map(({ id }) => id), {
    onChoose: (id) => { found.find((choice) => choice.id === id)?.run(); },
    onClose,
  });
  const items = found.map(({ id, label, note }): MenuItem => ({ id, label, note }));
  const others = field.text.trim() === '' ? [] : elsewhere.filter((binding) => matches(wordsOf(binding), field.text)).map((binding) => composeEnds(
    theme, width,
    [{ text: safe`  ${trusted(binding.help)}${foundBy(binding, field.text)}`, role: 'dim' }],
    [{ text: safe`on ${locationOf(binding.scope)}: ${formatKeys(binding, theme.charset)}`, role: 'dim' }],
  ));
  const menuHeight = Math.max(1, height - 1);
  const room = Math.max(0, menuHeight - Math.max(1, Math.min(items.length, menuHeight)));
  const below = others.slice(0, room);
  return (
    <Box flexDirection="column" width={width} height={height}>
      <TextPrompt label={safe`:`} field={field} width={width} right={{ text: safe`${found.length} of ${choices.length}`, role: 'dim' }} />
      {items.length === 0
        ? <Rows lines={[composeLine(theme, width, [{ text: others.length === 0 ? safe` no command has these words in its name` : safe` not on this screen:`, role: 'dim' }])]} />
        : <Menu items={items} selectedId={selectedId} width={width} height={menuHeight} />}
      <Rows lines={[...below, ...Array.from({ length: room - below.length }, () => composeLine(theme, width, []))]} />
    </Box>
  );
};
