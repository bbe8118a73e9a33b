import type { NodeName } from '../domain/node.ts';
import type { ClientGroupingId, SubscriptionGroupingId } from '../table/grouping.ts';
import { type MenuScreenId, type TabId, tabOf, tabs } from './screens/registry.ts';

/** What rows can be grouped by. */
export type GroupingId = ClientGroupingId | SubscriptionGroupingId;

/** The groups of a list stand in place of its rows. */
export interface GroupsScope {
  readonly kind: 'groups';
  readonly by: GroupingId;
  /** What the list was narrowed to before. */
  readonly of: ListScope | undefined;
}

/** Clients that were found at a moment; who is found later is not among them. */
export interface FoundScope {
  readonly kind: 'found';
  /** What they have in common, in the program's words. */
  readonly name: string;
  /** Wall clock; tells one finding from the next. */
  readonly atMs: number;
  /** A set, of which no key of a place is made, however many they are. */
  readonly clientIds: ReadonlySet<string>;
}

/** What a list is narrowed to. Exactly that, unlike a filter, which finds what holds its text. */
export type ListScope =
  | { readonly kind: 'node'; readonly node: NodeName }
  | { readonly kind: 'client'; readonly clientId: string }
  /** A topic filter as it was subscribed to, not all that match it. */
  | { readonly kind: 'topic'; readonly topic: string }
  | FoundScope
  | GroupsScope
  /** One group of it; `undefined` is the one of what is not known. */
  | { readonly kind: 'group'; readonly by: GroupingId; readonly value: string | undefined; readonly of: ListScope | undefined };

/**
 * Where the operator is: a tab, the list of a tab narrowed to something, or something opened from one.
 * `visit` tells a visit of its own, with its own sort and cursor, from the place as it was left.
 */
export type Place =
  | { readonly screen: TabId; readonly scope?: ListScope | undefined; readonly visitId?: number | undefined }
  | { readonly screen: 'node'; readonly node: NodeName }
  | { readonly screen: 'client'; readonly clientId: string }
  | { readonly screen: 'plugin-settings'; readonly node: NodeName; readonly plugin: string }
  | { readonly screen: MenuScreenId; readonly visitId?: number | undefined };

/** Places visited, like a browser's history. Never empty. */
export interface Navigation {
  readonly places: readonly Place[];
  /** For each place whether it was opened from the one before it, as by Enter, and not gone to by a tab or a screen's key. */
  readonly isOpened: readonly boolean[];
  readonly index: number;
}

export type NavigationAction =
  | { readonly type: 'go'; readonly place: Place }
  /** Opens something from the present place, so that it can be closed again. */
  | { readonly type: 'open'; readonly place: Place }
  /** From what was opened to where it was opened from; nowhere from anything else. */
  | { readonly type: 'close' }
  | { readonly type: 'back' }
  | { readonly type: 'forward' }
  | { readonly type: 'cycle-tab'; readonly by: 1 | -1 };

const maxPlaces = 50;

export const startNavigation: Navigation = { places: [{ screen: 'overview' }], isOpened: [false], index: 0 };

export function currentPlace({ places, index }: Navigation): Place {
  return places[index] ?? { screen: 'overview' };
}

/** The places that the present one was opened from, one from the other: where Esc goes, the nearest last. Empty where it closes nothing. */
export function breadcrumbsOf({ places, isOpened, index }: Navigation): readonly Place[] {
  const from = isOpened.slice(0, index + 1).lastIndexOf(false);
  return places.slice(Math.max(0, from), index);
}

/** Text that is the same for the same place and for no other; list states are kept under it. */
export function placeKey(place: Place): string {
  if (place.screen === 'client') return `client ${place.clientId}`;
  if (place.screen === 'node') return `node ${place.node}`;
  if (place.screen === 'plugin-settings') return `plugin-settings ${JSON.stringify([place.node, place.plugin])}`;
  const key = 'scope' in place && place.scope !== undefined ? `${place.screen} ${JSON.stringify(place.scope)}` : place.screen;
  return visitKey(key, place.visitId);
}

/** The key of a place on a visit of its own. */
export const visitKey = (key: string, visitId: number | undefined): string => (visitId === undefined ? key : `${key} visit ${visitId}`);

/** The name of what a list is narrowed to, raw. */
export function scopeName(scope: ListScope): string {
  switch (scope.kind) {
    case 'node': return scope.node;
    case 'client': return scope.clientId;
    case 'topic': return scope.topic;
    case 'found': return scope.name;
    case 'groups': return scope.by;
    case 'group': return scope.value ?? '';
  }
}

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
  // What takes the place of another is closed to where that one was opened from.
  const opened = [...state.isOpened.slice(0, kept), isReplacing ? state.isOpened[state.index] === true : isOpened].slice(-maxPlaces);
  return { places, isOpened: opened, index: places.length - 1 };
}

/** Triage is gone to from its top; back to it is back to where one was. */
const nextVisitId = ({ places }: Navigation): number => 1 + Math.max(0, ...places.map((place) => (place.screen === 'triage' ? place.visitId ?? 0 : 0)));

/** Another look at the same: groups of a list by something else, a plugin's settings on another node. Back leads to where the first look came from. */
const replacesPlace = (place: Place, current: Place): boolean =>
  (isGroups(place) && isGroups(current)) || (place.screen === 'triage' && current.screen === 'triage') || (place.screen === 'plugin-settings' && current.screen === 'plugin-settings' && place.plugin === current.plugin);

const isGroups = (place: Place): boolean => 'scope' in place && place.scope?.kind === 'groups';
