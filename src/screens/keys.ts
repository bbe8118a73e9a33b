import { actionDefinitions, menuActions, type OwnKey } from '../resources/actions.ts';
import { commandOfAction } from '../actions/define-action.ts';
import { bulkKeys, rowMenuKeys, selectionKeys } from '../resources/clients/keys.ts';
import { dialogKeys, ownLayers, type ResourceKey, screenKeys } from '../resources/keys.ts';
import { type BindingGroup, type KnownBinding, libraryBindings } from '../tui/keys/bindings.ts';
import { createCatalog, type ScreenDefinition } from '../tui/keys/catalog.ts';
import { commandName, type ExtraKeys, formatKey, type Keymap, keymapOf } from '../tui/keys/keymap.ts';
import { dialogTitles } from '../tui/frame/texts.ts';
import {
  definitionOf,
  type MenuScreenId,
  type Screen,
  type ScreenCommandId,
  screenCommandOf,
  screens,
  type TabId as ProgramTab,
} from './registry.ts';
import { problemKeys } from '../resources/problems/keys.ts';
import type { Place as ProgramPlace } from './navigation.ts';
import { nodeColumnSymbols, stateSymbols } from '../resources/view/texts.ts';
import { loadSymbol } from '../resources/nodes/texts.ts';
import { disconnectedSymbol, filterExamples } from '../resources/sessions/texts.ts';
import { secretTitle } from '../resources/api-keys/texts.ts';

// The library is typed by what the program has.
declare module '../tui/registered.ts' {
  interface Registered {
    readonly binding: ResourceKey | OwnKey | { readonly id: ScreenCommandId; readonly scope: 'global' };
    readonly place: ProgramPlace;
    readonly tab: ProgramTab;
    readonly plain: ProgramTab | MenuScreenId;
  }
}

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
  ...libraryBindings.list,
  ...problemKeys,
  ...selectionKeys,
  ...ownKeys.filter(({ scope }) => scope === 'row'),
  ...rowMenuKeys,
  ...ownKeys.filter(({ scope }) => scope === 'global'),
  ...bulkKeys,
  ...screenKeys,
  ...ownKeys.filter(({ scope }) => scope !== 'row' && scope !== 'global'),
  ...libraryBindings.screenMenu,
  ...screens.flatMap((screen) => ('key' in screen ? [screenBinding(screen)] : [])),
  ...libraryBindings.program,
  ...libraryBindings.dialogs,
  ...dialogKeys,
].map((binding: KnownBinding) => ({ ...binding, ...dangers.get(binding.id) }));

/** All keys and screens. */
export const catalog = createCatalog({
  bindings: allBindings,
  screens: screens.map(({ id }) => definitionOf(id)),
  dialogTitles: { ...dialogTitles, secret: secretTitle },
  layers: ownLayers,
  menuActions,
  symbols: [...stateSymbols, loadSymbol, ...nodeColumnSymbols, disconnectedSymbol],
  filterExamples,
});

const { locationOf } = catalog;

/** Creates the keys that exist; in read-only mode those that act are left out. */
export const createKeymap = (options: Parameters<typeof keymapOf>[1]): Keymap => keymapOf(catalog, options);

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

interface KeyGroup {
  readonly group: BindingGroup;
  readonly bindings: readonly KnownBinding[];
}

const groupKeys = (bindings: readonly KnownBinding[]): readonly KeyGroup[] => {
  const groups = new Map<BindingGroup, KnownBinding[]>();
  for (const binding of bindings) {
    groups.set(binding.group, [...(groups.get(binding.group) ?? []), binding]);
  }
  return Array.from(groups, ([group, members]) => ({ group, bindings: members }));
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
