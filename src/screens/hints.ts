import type { MonitorState } from '../monitor/state.ts';
import { type ScanName, scanNames } from '../resources/scans.ts';
import type { Place } from './navigation.ts';
import { definitionOf, programHints, type ScreenId, screens, sortHints } from './registry.ts';
import { allBindings, catalog } from './keys.ts';
import { keptHints } from '../tui/frame/hint-line.ts';
import type { CommandId, Scope } from '../tui/keys/bindings.ts';

export type Hinted = ScreenId | 'groups' | 'subscriptionGroups' | 'palette' | DialogScope;

const dialogScopes = [
  'prompt',
  'columns',
  'menu',
  'choices',
  'form',
  'confirm',
  'confirmName',
  'bulkPreview',
  'running',
  'outcome',
  'secret',
  'bulk',
  'help',
] as const satisfies readonly Scope[];

type DialogScope = (typeof dialogScopes)[number];

/** Whether Esc closes a dialog. */
export const isDialog = (screen: Hinted): boolean =>
  screen === 'help' || screen === 'palette' || dialogScopes.some((each) => each === screen);

/** Returns the dialog that handles keys first, if any. */
export const dialogScopeOf = (scope: Scope | undefined): DialogScope | undefined =>
  dialogScopes.find((each) => each === scope);

const otherHints: Readonly<Record<Exclude<Hinted, ScreenId>, readonly CommandId[]>> = {
  groups: ['filter', 'open', 'disconnect', 'groupBy', ...sortHints, 'abortScan', ...programHints],
  // Subscriptions do not say which connection they are of.
  subscriptionGroups: ['filter', 'open', 'groupBy', ...sortHints, 'abortScan', ...programHints],
  help: ['helpClear', 'helpSearch', 'helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  prompt: ['promptAccept', 'promptEraseWord', 'promptClear', 'promptCancel'],
  columns: [
    'columnToggle',
    'columnSort',
    'columnEarlier',
    'columnLater',
    'columnWider',
    'columnNarrower',
    'columnsReset',
    'columnDown',
    'columnsClose',
  ],
  // The buttons of a dialog say its keys; here are those that have none.
  palette: ['menuUp', 'menuDown'],
  choices: ['menuUp', 'menuDown'],
  menu: ['menuUp', 'menuDown'],
  form: [],
  // A question is answered far from where its buttons stand on a wide terminal.
  confirm: ['confirmYes', 'confirmNo'],
  confirmName: ['nameAccept', 'nameCancel'],
  bulkPreview: ['paceUp', 'paceDown'],
  running: ['runningQuit'],
  outcome: ['palette', 'help'],
  secret: [],
  bulk: ['bulkAbort', 'palette', 'bulkQuit', 'help'],
};

const moveHints: ReadonlySet<string> = new Set(['moveDown', 'moveUp']);

/** Hints of each screen. Everybody tries the arrows, so other keys come first. */
const screenHints: ReadonlyMap<Hinted, readonly CommandId[]> = new Map(
  screens.map(({ id }): [Hinted, readonly CommandId[]] => {
    const { hints } = definitionOf(id);
    return [
      id,
      [
        ...hints.filter((hint) => !moveHints.has(hint)),
        ...programHints.filter((hint) => !keptHints.has(hint)),
        ...hints.filter((hint) => moveHints.has(hint)),
        ...programHints.filter((hint) => keptHints.has(hint)),
      ],
    ];
  }),
);

const hintsFor = (place: Hinted): readonly CommandId[] =>
  screenHints.get(place) ?? otherHints[place as keyof typeof otherHints];

/** Returns whose hints a place shows. */
export const hintedAt = (place: Place): Hinted => {
  if (!('scope' in place) || place.scope?.kind !== 'groups') {
    return place.screen;
  }
  return place.screen === 'subscriptions' ? 'subscriptionGroups' : 'groups';
};

/**
 * Whether a key does nothing. A plugin opens its settings, and is started and stopped by node, where the API can do
 * that.
 */
const doesNothing = (screen: Hinted, id: CommandId, capabilities: MonitorState['capabilities']): boolean =>
  (screen === 'plugins' && id === 'open' && capabilities?.settings === false) ||
  (screen === 'plugins' && nodeHints.has(id) && capabilities?.pluginPerNode === false) ||
  (screen === 'settings' && nodeHints.has(id) && capabilities?.settings === false) ||
  (id === 'screenMenu' && !hasActions(screen, capabilities));

const hasActions = (screen: Hinted, capabilities: MonitorState['capabilities']): boolean => {
  const scopes = screens.flatMap(({ id }) => (id === screen ? definitionOf(id).scopes : []));
  return allBindings.some(
    ({ id, scope, group }) => group === 'Actions' && scopes.includes(scope) && !catalog.isAbsent(id, capabilities),
  );
};

const nodeHints: ReadonlySet<CommandId> = new Set(['chooseNodeLeft', 'chooseNodeRight']);

/** The facts that decide which hints are shown, and which come first. */
export interface HintContext {
  /** Whether the key of a command would run it now. */
  readonly runs: (id: CommandId) => boolean;
  readonly hasLongScan?: boolean | undefined;
  /** The number of clients that a disconnect is about, if it is not the row under the cursor. */
  readonly selectedCount?: number | undefined;
  readonly isPast?: boolean | undefined;
}

/** The keys that move through the past come first: there are none to act with. */
const pastHints = [
  'pastLeave',
  'pastEarlier',
  'pastLater',
  'timeBack',
  'timeOn',
  'nextEvent',
  'pastPlay',
  'screenCompare',
] as const;

const firstHints = (
  screen: Hinted,
  { hasLongScan, selectedCount = 0, isPast = false }: HintContext,
): readonly CommandId[] => {
  const hints = hintsFor(screen);
  if (isPast && !isDialog(screen)) return pastHints;
  const stop = hasLongScan === true && hints.includes('abortScan') ? ['abortScan' as const] : [];
  const selected = selectedCount > 0 && hints.includes('mark') ? (['disconnect', 'unmarkAll'] as const) : [];
  return [...(isDialog(screen) ? [] : (['close', 'clearFilter'] as const)), ...stop, ...selected];
};

/** Returns the scans that `x` stops on a screen. */
export const scansOf = (screen: ScreenId): readonly ScanName[] => {
  switch (screen) {
    case 'clients':
      return ['clientScan'];
    case 'sessions':
      return ['sessionScan'];
    case 'subscriptions':
      return ['subscriptionScan'];
    case 'routes':
      return ['routeScan'];
    case 'triage':
      return scanNames;
    default:
      return [];
  }
};

/**
 * Returns hints for a broker with these capabilities: closing, stopping a long scan, acting on selected rows, then the
 * most useful. A key that would do nothing has none.
 */
export const hintsOf = (
  screen: Hinted,
  capabilities: MonitorState['capabilities'],
  context: HintContext,
): readonly CommandId[] =>
  [...new Set([...firstHints(screen, context), ...hintsFor(screen)])].filter(
    (id) =>
      (id !== 'filter' || !context.runs('clearFilter')) &&
      context.runs(id) &&
      !catalog.isAbsent(id, capabilities) &&
      !doesNothing(screen, id, capabilities) &&
      (id !== 'abortScan' || context.hasLongScan === true),
  );
