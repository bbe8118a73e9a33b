import type { ActionDefinition } from '../../actions/define-action.ts';
import { actionDefinitions, type OwnKey } from '../../resources/actions.ts';
import { isLacking } from '../../api/capabilities.ts';
import type { Capabilities } from '../../api/management-api.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { dialogTitles } from '../frame/texts.ts';
import {
  definitionOf,
  type Screen,
  type ScreenCommandId,
  screenCommandOf,
  type ScreenDefinition,
  screens,
} from '../../screens/registry.ts';
import {
  type Binding,
  type BindingId,
  type BindingIdOf,
  type BindingScope,
  bindingTables,
  type BindingGroup,
} from './bindings.ts';

/** Where a key works: everywhere (`global`), in lists, on a screen, whose id it is, or in a dialog. */
export type Scope = BindingScope | OwnKey['scope'];

export type CommandId = BindingId | ScreenCommandId | OwnKey['id'];

export type CommandOf<S extends Scope> =
  | BindingIdOf<S>
  | Extract<OwnKey, { readonly scope: S }>['id']
  | (S extends 'global' ? ScreenCommandId : never);

export interface KnownBinding extends Binding {
  readonly id: CommandId;
  readonly scope: Scope;
  /** The screen that the command goes to. */
  readonly screenTitle?: string;
  /** The command changes something on the broker. */
  readonly isDangerous?: true;
}

/** The name of the command that asks for an action: of its own key, or of the key that leads to it. */
export const commandOfAction = ({ key }: Pick<ActionDefinition, 'key'>): string =>
  typeof key === 'string' ? key : key.id;

const dangers = new Map<string, Pick<KnownBinding, 'isDangerous' | 'isForActing'>>(
  actionDefinitions.map((action) => [
    commandOfAction(action),
    action.danger === 'none' ? { isForActing: true } : { isDangerous: true },
  ]),
);

const ownKeys: readonly KnownBinding[] = actionDefinitions.flatMap(({ key, ...action }): readonly KnownBinding[] =>
  typeof key === 'string'
    ? []
    : [{ ...key, group: 'Actions', ...('capability' in action ? { needs: action.capability } : {}) }],
);

const screenBinding = (screen: Extract<Screen, { readonly key: string }>): KnownBinding => {
  const {
    key,
    title,
    label = title,
    help = title,
    keywords,
    aliases,
    capability,
  }: Omit<ScreenDefinition, 'scopes' | 'hints'> & { readonly key: string } = screen;
  return {
    id: screenCommandOf(screen.id),
    keys: [key],
    label,
    help,
    group: 'Screens',
    scope: 'global',
    screenTitle: title,
    ...(keywords === undefined ? {} : { words: keywords }),
    ...(aliases === undefined ? {} : { aliases }),
    ...(capability === undefined ? {} : { needs: capability }),
  };
};

export const allBindings: readonly KnownBinding[] = [
  ...bindingTables.list,
  ...ownKeys.filter(({ scope }) => scope === 'row'),
  ...bindingTables.rowMenu,
  ...ownKeys.filter(({ scope }) => scope === 'global'),
  ...bindingTables.bulk,
  ...bindingTables.screens,
  ...ownKeys.filter(({ scope }) => scope !== 'row' && scope !== 'global'),
  ...bindingTables.screenMenu,
  ...screens.flatMap((screen) => ('key' in screen ? [screenBinding(screen)] : [])),
  ...bindingTables.program,
].map((binding: KnownBinding) => ({ ...binding, ...dangers.get(binding.id) }));

/** Keys that are added to those of commands, by `commandName`. */
export type ExtraKeys = Readonly<Record<string, readonly string[]>>;

/** Returns the name of a command in the configuration: `disconnect`, `group-by`, `sessions`. */
export const commandName = ({ id }: Pick<KnownBinding, 'id'>): string =>
  id
    .replace(/^screen(?=[A-Z])/u, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, '-')
    .toLowerCase();

/** The commands that can have more keys. */
export const keyCommands: readonly KnownBinding[] = allBindings.filter(({ group }) => group !== 'Dialogs');

const keyPattern =
  /^(?:[!-~]|Space|(?:(?:Ctrl|Alt|Shift)-)?(?:Up|Down|Left|Right|PageUp|PageDown|Home|End|Tab)|Ctrl-[A-Z]|Alt-[!-~])$/u;
/** Keys that mean something else in a shell. */
const shellKeys: ReadonlySet<string> = new Set(['Ctrl-D', 'Ctrl-K']);

export type KeyProblem = 'not a key' | 'for a shell' | { readonly takenBy: string };

/**
 * Returns why a command cannot have a key; `undefined` if it can. Only free keys can be added, so that what the screens
 * say stays true.
 */
export const extraKeyProblem = (name: string, key: string, others: ExtraKeys): KeyProblem | undefined => {
  if (!keyPattern.test(key)) return 'not a key';
  if (
    shellKeys.has(key) &&
    keyCommands.some((binding) => commandName(binding) === name && binding.isDangerous === true)
  )
    return 'for a shell';
  const taken = keyCommands.find(({ keys }) => keys.includes(key));
  const other = Object.entries(others).find(([each, keys]) => each !== name && keys.includes(key))?.[0];
  return taken !== undefined ? { takenBy: commandName(taken) } : other !== undefined ? { takenBy: other } : undefined;
};

/** Creates the keys that exist; in read-only mode those that act are left out. */
export const createKeymap = ({
  isReadOnly,
  extraKeys = {},
}: {
  readonly isReadOnly: boolean;
  readonly extraKeys?: ExtraKeys | undefined;
}): Keymap => {
  const isGone = (binding: KnownBinding): boolean =>
    isReadOnly && (binding.isDangerous === true || binding.isForActing === true);
  const bindings = allBindings
    .filter((binding) => !isGone(binding))
    .map((binding) => {
      const extra = binding.group === 'Dialogs' ? undefined : extraKeys[commandName(binding)];
      return extra === undefined ? binding : { ...binding, keys: [...binding.keys, ...extra] };
    });
  const byScope = new Map<Scope, Map<string, KnownBinding>>();
  for (const binding of bindings) {
    const keys = byScope.get(binding.scope) ?? new Map<string, KnownBinding>();
    byScope.set(binding.scope, keys);
    for (const key of binding.keys) {
      keys.set(key, binding);
    }
  }
  const missing = new Set(
    allBindings.filter((binding) => isGone(binding) && binding.group !== 'Dialogs').flatMap(({ keys }) => keys),
  );
  return { bindings, missing, find: (scope, key) => byScope.get(scope)?.get(key) };
};

export interface Keymap {
  readonly bindings: readonly KnownBinding[];
  readonly missing: ReadonlySet<string>;
  readonly find: (scope: Scope, key: string) => KnownBinding | undefined;
}

const shownNames: Readonly<Record<string, string>> = {
  Up: '↑',
  Down: '↓',
  Left: '←',
  Right: '→',
  PageUp: 'PgUp',
  PageDown: 'PgDn',
};

const asciiNames: Readonly<Record<string, string>> = {
  ...shownNames,
  Up: 'Up',
  Down: 'Down',
  Left: 'Left',
  Right: 'Right',
};

/** Prints a key: `↑`, `PgDn`, `Ctrl-R`; on ASCII terminals `Up`. */
export const formatKey = (key: string, charset: 'unicode' | 'ascii' = 'unicode'): SafeText =>
  trusted((charset === 'ascii' ? asciiNames : shownNames)[key] ?? key);

export const formatKeys = (binding: KnownBinding, charset: 'unicode' | 'ascii' = 'unicode'): SafeText =>
  trusted(binding.keys.map((key) => formatKey(key, charset)).join(' '));

export interface KeyGroup {
  readonly group: BindingGroup;
  readonly bindings: readonly KnownBinding[];
}

export const groupKeys = (bindings: readonly KnownBinding[] = allBindings): readonly KeyGroup[] => {
  const groups = new Map<BindingGroup, KnownBinding[]>();
  for (const binding of bindings) {
    groups.set(binding.group, [...(groups.get(binding.group) ?? []), binding]);
  }
  return Array.from(groups, ([group, members]) => ({ group, bindings: members }));
};

/** Returns screens with a command, lists first: among problems only some have what a row has. */
export const screensWith = ({ id, scope }: KnownBinding): readonly ScreenDefinition[] =>
  screens
    .map((screen) => definitionOf(screen.id))
    .filter(({ scopes, unusedKeys = [] }) => scopes.includes(scope) && !unusedKeys.some((unused) => unused === id))
    .toSorted((a, b) => Number(a.scopes.includes('findings')) - Number(b.scopes.includes('findings')));

/** Returns the screens that every broker has, if there are any: a shorter list, and true for all. */
export const usualScreensWith = (binding: KnownBinding): readonly ScreenDefinition[] => {
  const found = screensWith(binding);
  const usual = found.filter(({ capability }) => capability === undefined);
  return usual.length === 0 ? found : usual;
};

/** Says where a key works: `Clients, Sessions`, or the name of a dialog; empty for keys of lists and of the program. */
export const locationOf = (binding: KnownBinding): SafeText => {
  const { scope } = binding;
  return scope in dialogTitles
    ? dialogTitles[scope as keyof typeof dialogTitles]
    : joinSafe(
        screensWith(binding).map(({ title }) => title),
        safe`, `,
      );
};

const code = (key: string): string =>
  (key.includes('`') ? `\`\` ${key} \`\`` : `\`${key}\``).replaceAll('|', String.raw`\|`);

export const keysMarkdown = (bindings: readonly KnownBinding[] = allBindings): string =>
  groupKeys(bindings)
    .map(({ group, bindings: members }) => {
      const hasLocations = members.some((binding) => locationOf(binding) !== '');
      const rows = members.map((binding) => {
        const note = binding.isDangerous === true || binding.isForActing === true ? ' (not in read-only mode)' : '';
        return [
          binding.keys.map((key) => code(formatKey(key))).join(' '),
          `${binding.help}${note}`,
          ...(hasLocations ? [locationOf(binding) || 'everywhere'] : []),
        ];
      });
      const head = ['key', 'does', ...(hasLocations ? ['where'] : [])];
      return [
        `**${group}**`,
        '',
        `| ${head.join(' | ')} |`,
        `|${'---|'.repeat(head.length)}`,
        ...new Set(rows.map((cells) => `| ${cells.join(' | ')} |`)),
      ].join('\n');
    })
    .join('\n\n')
    .concat('\n');

const needs = new Map(allBindings.map((binding) => [binding.id, binding.needs]));

/** Returns actions without a key of their own, as the palette names them. They are chosen in the menu `rowActions`. */
export const menuActions = (
  capabilities: Capabilities | undefined,
): readonly { readonly id: string; readonly name: SafeText }[] =>
  actionDefinitions
    .filter(
      (action) =>
        action.key === 'rowActions' && !('capability' in action && isLacking(action.capability, capabilities)),
    )
    .map(({ id, label }) => ({ id, name: trusted(`${label.charAt(0).toUpperCase()}${label.slice(1)}; asks first`) }));

/** Whether the broker lacks what a command needs. Hints, menus, the palette and the help leave it out. */
export const isAbsent = (command: CommandId, capabilities: Capabilities | undefined): boolean => {
  const need = needs.get(command);
  return need !== undefined && isLacking(need, capabilities);
};

/** Removes the keys that this broker has no use for. */
export const offeredKeymap = (keymap: Keymap, capabilities: Capabilities | undefined): Keymap => ({
  ...keymap,
  bindings: keymap.bindings.filter(({ id }) => !isAbsent(id, capabilities)),
});
