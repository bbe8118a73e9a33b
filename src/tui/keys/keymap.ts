import type { Capabilities } from '../../api/management-api.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Catalog } from './catalog.ts';
import type { KnownBinding, Scope } from './bindings.ts';

/** Keys that are added to those of commands, by `commandName`. */
export type ExtraKeys = Readonly<Record<string, readonly string[]>>;

/** Returns the name of a command in the configuration: `quit`, `group-by`; of a screen its id. */
export const commandName = ({ id }: Pick<KnownBinding, 'id'>): string =>
  id
    .replace(/^screen(?=[A-Z])/u, '')
    .replaceAll(/(?<=[a-z])(?=[A-Z])/gu, '-')
    .toLowerCase();

/** Creates the keys that exist; in read-only mode and in the past those that act are left out. */
export const keymapOf = (
  catalog: Catalog,
  {
    isReadOnly,
    isPast = false,
    extraKeys = {},
  }: {
    readonly isReadOnly: boolean;
    readonly isPast?: boolean | undefined;
    readonly extraKeys?: ExtraKeys | undefined;
  },
): Keymap => {
  const { bindings: allBindings } = catalog;
  const isGone = (binding: KnownBinding): boolean =>
    ((isReadOnly || isPast) && (binding.isDangerous === true || binding.isForActing === true)) ||
    (isPast && binding.isOfNow === true);
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
  return { catalog, bindings, missing, find: (scope, key) => byScope.get(scope)?.get(key) };
};

export interface Keymap {
  readonly catalog: Catalog;
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

/** Removes the keys that this broker has no use for. */
export const offeredKeymap = (keymap: Keymap, capabilities: Capabilities | undefined): Keymap => ({
  ...keymap,
  bindings: keymap.bindings.filter(({ id }) => !keymap.catalog.isAbsent(id, capabilities)),
});
