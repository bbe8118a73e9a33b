import { createContext, use } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type ListScope, type Place, scopeName } from '../navigation.ts';
import { screenTitle } from '../screens/registry.ts';

/** The places that led to the current one, without it. */
export const BreadcrumbsContext = createContext<readonly Place[]>([]);

export const useBreadcrumbs = (): readonly Place[] => use(BreadcrumbsContext);

const scopeOf = (place: Place): ListScope | undefined => ('scope' in place ? place.scope : undefined);

/** Whether a place is the page of what a list is scoped to. */
export const isPageOf = (place: Place | undefined, scope: ListScope): boolean =>
  (place?.screen === 'node' && scope.kind === 'node' && place.node === scope.node)
  || (place?.screen === 'client' && scope.kind === 'client' && place.clientId === scope.clientId);

/** Whether a place is the list with the row that another list is scoped to; the breadcrumbs then lead through that row. */
export const isRowOf = (place: Place | undefined, scope: ListScope): boolean => place?.screen === 'nodes' && scope.kind === 'node';

/** Width of an id in the breadcrumbs. */
const maxNameWidth = 32;

const crumbsOf = (theme: Theme, place: Place, before: Place | undefined): readonly SafeText[] => {
  const text = (raw: string): SafeText => theme.escape(raw, maxNameWidth);
  switch (place.screen) {
    case 'node': return [text(place.node)];
    case 'client': return [text(place.clientId)];
    case 'plugin-settings': return [text(place.plugin)];
    default: {
      const scope = scopeOf(place);
      if (scope === undefined || isPageOf(before, scope)) {
        return [screenTitle(place.screen)];
      }
      const steps = [screenTitle(place.screen), text(scopeName(scope))];
      return isRowOf(before, scope) ? steps.toReversed() : steps;
    }
  }
};

const between = safe` ${glyphs.crumb} `;

/**
 * The breadcrumbs in at most `room` columns, each followed by the separator. The middle ones are left out first, the last
 * one last.
 */
export const breadcrumbsText = (theme: Theme, breadcrumbs: readonly Place[], room: number): SafeText => {
  const crumbs = breadcrumbs.flatMap((place, index) => crumbsOf(theme, place, breadcrumbs[index - 1]));
  const [first, last] = [crumbs[0], crumbs.at(-1)];
  if (first === undefined || last === undefined) {
    return safe``;
  }
  const forms = [
    crumbs,
    ...crumbs.slice(2).map((_, index) => [first, glyphs.ellipsis, ...crumbs.slice(index + 2)]),
    [glyphs.ellipsis, last],
    [glyphs.ellipsis],
  ].map((steps) => safe`${joinSafe(steps, between)}${between}`);
  return widestFitting(forms, room) ?? safe``;
};
