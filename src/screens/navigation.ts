import type { PlaceStep } from '../tui/frame/use-commands.ts';
import type { NodeName } from '../domain/node.ts';
import { type MenuScreenId, screenTitle, type TabId, tabOf, tabs } from './registry.ts';
import type { NamedPlace } from '../resources/view/list-scope.ts';
import type { ChangeGroup, ChangeGrouping } from './compare/groupings.ts';
import type { ListScope } from '../resources/view/scope.ts';
import { placeKey } from '../tui/list/list-state.ts';

/** Where the operator is: a tab, its list with a scope, or an opened screen. A `visitId` gives a visit its own sort and cursor. */
export type Place =
  | { readonly screen: TabId; readonly scope?: ListScope | undefined; readonly visitId?: number | undefined }
  | { readonly screen: 'node'; readonly node: NodeName }
  | { readonly screen: 'client'; readonly clientId: string }
  | { readonly screen: 'session-messages'; readonly clientId: string }
  | { readonly screen: 'trace'; readonly name: string }
  | { readonly screen: 'plugin-settings'; readonly node: NodeName; readonly plugin: string }
  | {
      readonly screen: 'compare';
      readonly groups?: ChangeGrouping | undefined;
      readonly only?: readonly ChangeGroup[] | undefined;
    }
  | { readonly screen: MenuScreenId; readonly visitId?: number | undefined };

/** The history of places, like a browser's. Never empty. */
export interface Navigation {
  readonly places: readonly Place[];
  /** Tells for each place whether Enter or a link opened it from the one before it. */
  readonly isOpened: readonly boolean[];
  readonly index: number;
}

export type NavigationAction =
  | { readonly type: 'go'; readonly place: Place }
  /** Opens a place that Esc closes again. */
  | { readonly type: 'open'; readonly place: Place }
  /** Goes back to where the place was opened from; does nothing on other places. */
  | { readonly type: 'close' }
  | PlaceStep;

const maxPlaces = 50;

export const startNavigation: Navigation = { places: [{ screen: 'overview' }], isOpened: [false], index: 0 };

export const navigationFrom = (screen: TabId | MenuScreenId = 'overview'): Navigation => ({
  ...startNavigation,
  places: [{ screen }],
});

export function currentPlace({ places, index }: Navigation): Place {
  return places[index] ?? { screen: 'overview' };
}

/**
 * Returns the places that the current one was opened from, the nearest last: where Esc leads. Empty where Esc closes
 * nothing.
 */
export function breadcrumbsOf({ places, isOpened, index }: Navigation): readonly Place[] {
  const from = isOpened.slice(0, index + 1).lastIndexOf(false);
  return places.slice(Math.max(0, from), index);
}

export const withTitle = (place: Place): NamedPlace => ({ place, title: screenTitle(place.screen) });

export function navigate(state: Navigation, action: NavigationAction): Navigation {
  switch (action.type) {
    case 'close':
      return breadcrumbsOf(state).length === 0 ? state : { ...state, index: state.index - 1 };
    case 'back':
      return { ...state, index: Math.max(0, state.index - 1) };
    case 'forward':
      return { ...state, index: Math.min(state.places.length - 1, state.index + 1) };
    case 'cycle-tab': {
      const at = tabs.indexOf(tabOf(currentPlace(state).screen));
      const next = tabs[(at + action.by + tabs.length) % tabs.length];
      return next === undefined ? state : go(state, { screen: next }, false);
    }
    case 'go':
    case 'open':
      return go(state, action.place, action.type === 'open');
  }
}

function go(state: Navigation, to: Place, isOpened: boolean): Navigation {
  const place = to.screen === 'triage' ? { ...to, visitId: nextVisitId(state) } : to;
  if (placeKey(place) === placeKey(currentPlace(state))) return state;
  const isReplacing = replacesPlace(place, currentPlace(state));
  const kept = state.index + (isReplacing ? 0 : 1);
  const places = [...state.places.slice(0, kept), place].slice(-maxPlaces);
  // A replacing place was opened from the same place.
  const opened = [
    ...state.isOpened.slice(0, kept),
    isReplacing ? state.isOpened[state.index] === true : isOpened,
  ].slice(-maxPlaces);
  return { places, isOpened: opened, index: places.length - 1 };
}

/** Returns a new visit of Triage, which starts at its top, except when going back to it. */
const nextVisitId = ({ places }: Navigation): number =>
  1 + Math.max(0, ...places.map((place) => (place.screen === 'triage' ? (place.visitId ?? 0) : 0)));

/** Whether a place replaces the current one: other groups of the same list, or the same plugin's settings on another node. */
const replacesPlace = (place: Place, current: Place): boolean =>
  (isGroups(place) && isGroups(current) && place.screen === current.screen) ||
  (place.screen === 'triage' && current.screen === 'triage') ||
  (place.screen === 'plugin-settings' && current.screen === 'plugin-settings' && place.plugin === current.plugin);

const isGroups = (place: Place): boolean =>
  ('scope' in place && place.scope?.kind === 'groups') || ('groups' in place && place.groups !== undefined);
