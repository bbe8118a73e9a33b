import { type Group, type KnownBinding, allBindings } from './keymap.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';

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
