import type { MonitorState } from '../../monitor/state.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { allBindings, type CommandId, type Scope } from '../keys/keymap.ts';
import type { Place } from '../navigation.ts';
import { programHints, sortHints } from '../screens/definition.ts';
import { type ScreenId, screens } from '../screens/registry.ts';

/** Where Esc closes a dialog. */
const isDialog = (screen: Hinted): boolean => screen === 'help' || screen === 'palette' || dialogScopes.some((each) => each === screen);

type Hinted = ScreenId | 'groups' | 'palette' | DialogScope;

/** Scopes of dialogs. While one is open, only its keys are hinted. */
const dialogScopes = ['prompt', 'columns', 'menu', 'choices', 'form', 'confirm', 'confirmName', 'bulkPreview', 'running', 'outcome', 'bulk', 'help'] as const satisfies readonly Scope[];
type DialogScope = (typeof dialogScopes)[number];

/** The dialog that hears keys first, if any. */
export const dialogScopeOf = (scope: Scope | undefined): DialogScope | undefined => dialogScopes.find((each) => each === scope);

/** Hints for dialogs and for groups of rows. */
const otherHints: Readonly<Record<Exclude<Hinted, ScreenId>, readonly CommandId[]>> = {
  groups: ['filter', 'open', 'groupBy', ...sortHints, 'abortScan', ...programHints],
  help: ['helpUp', 'helpDown', 'helpPageDown', 'helpClose'],
  prompt: ['promptAccept', 'promptEraseWord', 'promptClear', 'promptCancel'],
  columns: ['columnToggle', 'columnSort', 'columnEarlier', 'columnLater', 'columnWider', 'columnNarrower', 'columnsReset', 'columnDown', 'columnsClose'],
  palette: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
  choices: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
  menu: ['menuUp', 'menuDown', 'menuAccept', 'menuCancel'],
  form: ['formNext', 'formPrevious', 'formGoOn', 'formCancel'],
  confirm: ['confirmYes', 'confirmNo'],
  confirmName: ['nameAccept', 'nameCancel'],
  bulkPreview: ['paceUp', 'paceDown', 'nameAccept', 'nameCancel'],
  running: ['runningClose', 'runningQuit'],
  outcome: ['outcomeClose'],
  bulk: ['bulkLeave', 'bulkAbort', 'bulkQuit'],
};

const screenHints: ReadonlyMap<Hinted, readonly CommandId[]> = new Map(screens.map(({ id, hints }) => [id, hints]));

const hintsFor = (place: Hinted): readonly CommandId[] => screenHints.get(place) ?? otherHints[place as keyof typeof otherHints];

/** Whose hints a place shows. Rows cannot be acted on while they are grouped. */
export const hintedAt = (place: Place): Hinted => ('scope' in place && place.scope?.kind === 'groups' ? 'groups' : place.screen);

/** A plugin opens its settings. */
const opensNothing = (screen: Hinted, id: CommandId, capabilities: MonitorState['capabilities']): boolean =>
  screen === 'plugins' && id === 'open' && capabilities?.settings === false;

/** What decides which hints come first. */
export interface HintMood {
  /** The screen was opened from another one. */
  readonly isOpened: boolean;
  readonly hasLongScan?: boolean | undefined;
}

const firstHints = (screen: Hinted, { isOpened, hasLongScan }: HintMood): readonly CommandId[] => {
  const stop = hasLongScan === true && hintsFor(screen).includes('abortScan') ? ['abortScan' as const] : [];
  return isOpened && !isDialog(screen) ? ['back', ...stop] : stop;
};

/**
 * Hints for a broker with these capabilities, most useful first; the last one is always shown. Closing what is open comes
 * first, then stopping a long scan.
 */
export const hintsOf = (screen: Hinted, capabilities: MonitorState['capabilities'], fetchContext: HintMood): readonly CommandId[] =>
  [...new Set([...firstHints(screen, fetchContext), ...hintsFor(screen)])].filter((id) => !isAbsent(id, capabilities) && !opensNothing(screen, id, capabilities));

export interface AbsentNotes {
  readonly title: SafeText;
  /** What, and why. */
  readonly notes: readonly (readonly [SafeText, SafeText])[];
}

/** What this broker's API lacks (§9) and what read-only mode takes away, with the reasons. */
export const absentNotes = ({ capabilities, isReadOnly }: Pick<MonitorState, 'capabilities' | 'isReadOnly'>): readonly AbsentNotes[] => {
  const lacking = lackingNotes(capabilities);
  return [
    ...(lacking.length === 0 ? [] : [{ title: safe`Not on this broker`, notes: lacking }]),
    ...(isReadOnly ? [{ title: safe`Not in read-only mode`, notes: [[safe`Actions`, safe`started with --read-only, this program changes nothing`] as const] }] : []),
  ];
};

const lackingNotes = (capabilities: MonitorState['capabilities']): AbsentNotes['notes'] => {
  if (capabilities === undefined) {
    return [];
  }
  const name = trusted(capabilities.apiName ?? 'this broker');
  const shortName = trusted(capabilities.apiShortName ?? 'it');
  return [
    ...(capabilities.settings ? [] : [[safe`Settings`, safe`${name} has none, nor of plugins`] as const]),
    ...(capabilities.unsubscribe ? [] : [[safe`Unsubscribe`, safe`${shortName} cannot remove a client's subscription`] as const]),
    ...(capabilities.pluginPerNode ? [] : [[safe`One node`, safe`${shortName} starts and stops plugins on all nodes at once`] as const]),
  ];
};

const needs = new Map(allBindings.map((binding) => [binding.id, binding.needs]));

/** Commands that this broker does not support; hints, menus and the palette leave them out. */
export const isAbsent = (command: CommandId, capabilities: MonitorState['capabilities']): boolean => {
  const need = needs.get(command);
  return need !== undefined && capabilities?.[need] === false;
};
