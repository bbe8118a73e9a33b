import { createContext, use } from 'react';
import { glyphs } from '../../terminal/glyphs.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';
import { widestFitting } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { type Place, type Within, withinName } from '../navigation.ts';
import { screenTitle } from '../screens/registry.ts';

/** The places that led to the present one, from a screen on; the present one is not among them. */
export const WayContext = createContext<readonly Place[]>([]);

export const useWay = (): readonly Place[] => use(WayContext);

const withinOf = (place: Place): Within | undefined => ('within' in place ? place.within : undefined);

/** Whether a place is the page of what a list is narrowed to. */
export const isPageOf = (place: Place | undefined, within: Within): boolean =>
  (place?.screen === 'node' && within.kind === 'node' && place.node === within.node)
  || (place?.screen === 'client' && within.kind === 'client' && place.clientId === within.clientId);

/** Whether a place is the list that has a row for what another one is narrowed to: the way reads as if through that row's page. */
export const isRowOf = (place: Place | undefined, within: Within): boolean => place?.screen === 'nodes' && within.kind === 'node';

/** An id in the way to another one. */
const longestName = 32;

const crumbsOf = (theme: Theme, place: Place, before: Place | undefined): readonly SafeText[] => {
  const text = (raw: string): SafeText => theme.escape(raw, longestName);
  switch (place.screen) {
    case 'node': return [text(place.node)];
    case 'client': return [text(place.clientId)];
    case 'plugin-settings': return [text(place.plugin)];
    default: {
      const within = withinOf(place);
      if (within === undefined || isPageOf(before, within)) {
        return [screenTitle(place.screen)];
      }
      const steps = [screenTitle(place.screen), text(withinName(within))];
      return isRowOf(before, within) ? steps.toReversed() : steps;
    }
  }
};

const between = safe` ${glyphs.crumb} `;

/** The way in at most `room` columns, each step with the sign that leads on; steps in its middle go first, the nearest last. */
export const wayText = (theme: Theme, way: readonly Place[], room: number): SafeText => {
  const crumbs = way.flatMap((place, index) => crumbsOf(theme, place, way[index - 1]));
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
