import { isLacking } from '../../api/capabilities.ts';
import type { Capabilities } from '../../api/management-api.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import type { ScreenId } from '../registered.ts';
import type { CommandId, KnownBinding } from './bindings.ts';

/** How a layer that only the program has takes keys. */
export interface LayerTraits {
  /** The layers that it comes before: lists, prompts (as a form does), or all but questions (as a result does). */
  readonly above: 'lists' | 'prompts' | 'forms';
  /** The command that closes it when a key goes elsewhere. */
  readonly leave?: CommandId;
  /** The name of a dialog in the help. */
  readonly title?: SafeText;
}

/** A line of the help: keys or a sign, and what they mean. */
export type Note = readonly [keys: SafeText, text: SafeText];

/** The texts and keys that tabs, palette, help and hints show of a screen. */
export interface ScreenDefinition {
  readonly id: string;
  readonly title: SafeText;
  /** `label`: if it differs from the title; `shortLabel`: on narrow terminals, while another one is active. */
  readonly tab?: { readonly label?: SafeText; readonly shortLabel?: SafeText };
  /** The tab that a screen without a tab belongs to. */
  readonly parent?: string;
  /** Says what it shows, in a list of screens. */
  readonly note?: SafeText;
  /** The key that goes to the screen from everywhere. `label` and `help` of the key default to the title. */
  readonly key?: string;
  readonly label?: string;
  readonly help?: string;
  readonly keywords?: string;
  /** Whole words for which the palette puts it first, after the titles of screens. */
  readonly aliases?: readonly string[];
  readonly capability?: keyof Capabilities;
  /** Names the place of an action for the palette; needed without a key. */
  readonly location?: SafeText;
  /** Notes for the help: keys of other screens that answer a question of this one. */
  readonly helpNotes?: readonly Note[];
  /** Key scopes that the screen handles, in addition to `list` and `global`. */
  readonly scopes: readonly string[];
  /** Only some of its rows have what the keys of rows act on, so it is named last. */
  readonly isPartial?: true | undefined;
  /** Keys of these scopes that do nothing here. */
  readonly unusedKeys?: readonly string[];
  /** List keys that a screen that is not a table handles in addition to movement. */
  readonly listKeys?: readonly string[];
  readonly hints: readonly CommandId[];
}

/** An action without a key of its own, as the palette names it. It is chosen in the menu of a row. */
export interface MenuAction {
  readonly id: string;
  readonly name: SafeText;
}

export interface CatalogParts {
  readonly bindings: readonly KnownBinding[];
  readonly screens: readonly ScreenDefinition[];
  /** The dialogs and prompts, by their scopes, whose keys the help lists. */
  readonly dialogTitles: Readonly<Record<string, SafeText>>;
  readonly menuActions: (capabilities: Capabilities | undefined) => readonly MenuAction[];
  /** The layers of the program by their scopes; those without a line are screens, below lists. */
  readonly layers: Readonly<Record<string, LayerTraits>>;
  /** Signs that only the program draws, for the help. */
  readonly symbols: readonly Note[];
  /** Filters of a column by its name, for the help. */
  readonly filterExamples: readonly Note[];
}

/** All keys and screens of the program. */
export interface Catalog extends Omit<CatalogParts, 'dialogTitles'> {
  readonly definitionOf: (id: ScreenId) => ScreenDefinition;
  /** Returns screens with a command, those where every row has what it acts on first. */
  readonly screensWith: (binding: KnownBinding) => readonly ScreenDefinition[];
  /** Returns the screens that every broker has, if there are any: a shorter list, and true for all. */
  readonly usualScreensWith: (binding: KnownBinding) => readonly ScreenDefinition[];
  /** Says where a key works: the titles of screens, or the name of a dialog; empty for keys of lists and of the program. */
  readonly locationOf: (binding: KnownBinding) => SafeText;
  /** Whether the broker lacks what a command needs. Hints, menus, the palette and the help leave it out. */
  readonly isAbsent: (command: CommandId, capabilities: Capabilities | undefined) => boolean;
}

export const createCatalog = ({ bindings, screens, dialogTitles, ...given }: CatalogParts): Catalog => {
  const definitions = new Map(screens.map((screen) => [screen.id, screen]));
  const needs = new Map(bindings.map((binding) => [binding.id, binding.needs]));
  const screensWith = ({ id, scope }: KnownBinding): readonly ScreenDefinition[] =>
    screens
      .filter(({ scopes, unusedKeys = [] }) => scopes.includes(scope) && !unusedKeys.includes(id))
      .toSorted((a, b) => Number(a.isPartial === true) - Number(b.isPartial === true));
  return {
    bindings,
    screens,
    ...given,
    definitionOf: (id) => {
      const found = definitions.get(id);
      if (found === undefined) throw new Error(`there is no screen ${id}`);
      return found;
    },
    screensWith,
    usualScreensWith: (binding) => {
      const found = screensWith(binding);
      const usual = found.filter(({ capability }) => capability === undefined);
      return usual.length === 0 ? found : usual;
    },
    locationOf: (binding) =>
      dialogTitles[binding.scope] ??
      given.layers[binding.scope]?.title ??
      joinSafe(
        screensWith(binding).map(({ title }) => title),
        safe`, `,
      ),
    isAbsent: (command, capabilities) => {
      const need = needs.get(command);
      return need !== undefined && isLacking(need, capabilities);
    },
  };
};
