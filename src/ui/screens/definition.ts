import type { Capabilities } from '../../api/management-api.ts';
import type { SafeText } from '../../terminal/safe-text.ts';
import type { BindingId, Scope } from '../keys/bindings.ts';

/**
 * Everything about a screen except its view: tabs, palette, help, hints and the More menu are made from it. Plain data
 * without React, so that tools can read it; the views are in `current-screen.tsx`.
 */
export interface ScreenDefinition {
  readonly id: string;
  /** Its name in the help, the breadcrumbs and lists of screens. */
  readonly title: SafeText;
  /** Its tab: `label` where it differs from the title, `shortLabel` for narrow terminals. */
  readonly tab?: { readonly label?: SafeText; readonly shortLabel?: SafeText };
  /** For a screen without a tab: the tab that it belongs to. What belongs to `more` is listed there. */
  readonly parent?: string;
  /** What the More screen says about it. */
  readonly note?: SafeText;
  /** Goes to the screen from everywhere. `label`, `help` and `keywords` are those of the key; the first two default to the title. */
  readonly key?: string;
  readonly label?: string;
  readonly help?: string;
  readonly keywords?: string;
  /** What the broker must be able to do. */
  readonly capability?: keyof Capabilities;
  /** Where its actions are, as the palette says it; for screens without a key. */
  readonly location?: SafeText;
  /** Key scopes that it handles, besides those of lists and of the program. */
  readonly scopes: readonly Scope[];
  /** Keys of these scopes that do nothing here. */
  readonly unusedKeys?: readonly BindingId[];
  /** For a screen that is not a table: list keys that it handles besides those that move. */
  readonly listKeys?: readonly BindingId[];
  /** For the hint bar, most useful first. */
  readonly hints: readonly (BindingId | `screen${string}`)[];
}

/** Declares a screen; its literal types make the ids of screens and commands. */
export const defineScreen = <const Definition extends ScreenDefinition>(definition: Definition): Definition => definition;

/** Hints that end every list of hints. */
export const programHints = ['freeze', 'palette', 'quit', 'help'] as const satisfies readonly BindingId[];

/** Hints of a sorted list, after `filter` and `open`. */
export const sortHints = ['sortNext', 'sortReverse', 'copyId', 'chooseColumns', 'toggleWide'] as const satisfies readonly BindingId[];

/** From a node to the lists of what is on it. */
export const nodeLinkHints = ['openClients', 'openSessions', 'openSubscriptions', 'openRoutes', 'openListeners', 'openPlugins', 'openMetrics'] as const satisfies readonly BindingId[];

export const groupingKeys = ['groupBy', 'groupByBack'] as const satisfies readonly BindingId[];
export const selectionKeys = ['mark', 'markAll', 'unmarkAll'] as const satisfies readonly BindingId[];
