import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { ScreenDefinition } from '../screens/definition.ts';
import { type Screen, type ScreenCommandId, screenCommandOf, screens } from '../screens/registry.ts';
import { type Binding, type BindingId, type BindingIdOf, bindingTable, type Group, type Scope } from './bindings.ts';

export type { Binding, Scope } from './bindings.ts';

/** What a key does. */
export type CommandId = BindingId | ScreenCommandId;

/** The commands that a scope can hear. */
export type CommandOf<S extends Scope> = BindingIdOf<S> | (S extends 'global' ? ScreenCommandId : never);

export interface KnownBinding extends Binding {
  readonly id: CommandId;
}

const screenBinding = (screen: Extract<Screen, { readonly key: string }>): KnownBinding => {
  const { key, title, label = title, help = title, keywords, capability }: ScreenDefinition & { readonly key: string } = screen;
  return {
    id: screenCommandOf(screen.id), keys: [key], label, help, group: 'Screens', scope: 'global',
    ...(keywords === undefined ? {} : { words: keywords }), ...(capability === undefined ? {} : { needs: capability }),
  };
};

/** Every key of the program, in the order of the help. */
export const allBindings: readonly KnownBinding[] = [
  ...bindingTable.beforeScreens,
  ...screens.flatMap((screen) => ('key' in screen ? [screenBinding(screen)] : [])),
  ...bindingTable.afterScreens,
];

/** The keys that exist; in read-only mode those that act are left out. */
export const createKeymap = ({ isReadOnly }: { readonly isReadOnly: boolean }): Keymap => {
  const isGone = (binding: KnownBinding): boolean => isReadOnly && (binding.isDangerous === true || binding.isForActing === true);
  const bindings = allBindings.filter((binding) => !isGone(binding));
  const byScope = new Map<Scope, Map<string, KnownBinding>>();
  for (const binding of bindings) {
    const keys = byScope.get(binding.scope) ?? new Map<string, KnownBinding>();
    byScope.set(binding.scope, keys);
    for (const key of binding.keys) {
      keys.set(key, binding);
    }
  }
  const missing = new Set(allBindings.filter((binding) => isGone(binding) && binding.group !== 'Dialogs').flatMap(({ keys }) => keys));
  return { bindings, missing, find: (scope, key) => byScope.get(scope)?.get(key) };
};

export interface Keymap {
  readonly bindings: readonly KnownBinding[];
  /** Keys that do nothing in read-only mode. */
  readonly missing: ReadonlySet<string>;
  /** What a key does in a scope. */
  readonly find: (scope: Scope, key: string) => KnownBinding | undefined;
}

const shownNames: Readonly<Record<string, string>> = {
  Up: '↑', Down: '↓', Left: '←', Right: '→', PageUp: 'PgUp', PageDown: 'PgDn',
};

const asciiNames: Readonly<Record<string, string>> = { ...shownNames, Up: 'Up', Down: 'Down', Left: 'Left', Right: 'Right' };

/** A key as it is printed: `↑`, `PgDn`, `Ctrl-R`; on ASCII terminals `Up`. */
export const formatKey = (key: string, charset: 'unicode' | 'ascii' = 'unicode'): SafeText =>
  trusted((charset === 'ascii' ? asciiNames : shownNames)[key] ?? key);

/** All keys of a binding: `↑ k`. */
export const formatKeys = (binding: KnownBinding, charset: 'unicode' | 'ascii' = 'unicode'): SafeText =>
  trusted(binding.keys.map((key) => formatKey(key, charset)).join(' '));

export interface KeyGroup {
  readonly group: Group;
  readonly bindings: readonly KnownBinding[];
}

/** Bindings by group in the order of the table, for the help. */
export const groupKeys = (bindings: readonly KnownBinding[] = allBindings): readonly KeyGroup[] => {
  const groups = new Map<Group, KnownBinding[]>();
  for (const binding of bindings) {
    groups.set(binding.group, [...(groups.get(binding.group) ?? []), binding]);
  }
  return Array.from(groups, ([group, members]) => ({ group, bindings: members }));
};

const code = (key: string): string => (key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``).replaceAll('|', String.raw`\|`);

/** The key table of the README: GitHub markdown, made from the bindings. */
export const keysMarkdown = (bindings: readonly KnownBinding[] = allBindings): string =>
  groupKeys(bindings)
    .map(({ group, bindings: members }) =>
      [
        `**${group}**`,
        '',
        '| key | does |',
        '|---|---|',
        ...members.map(
          (binding) =>
            `| ${binding.keys.map((key) => code(formatKey(key))).join(' ')} | ${binding.help}${binding.isDangerous === true || binding.isForActing === true ? ' (not in read-only mode)' : ''} |`,
        ),
      ].join('\n'),
    )
    .join('\n\n')
    .concat('\n');
