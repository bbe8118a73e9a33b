import { createContext, use } from 'react';
import type { Client, Session, Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import { clientGroupings } from '../clients/fields.ts';
import { sessionGroupings } from '../sessions/fields.ts';
import { subscriptionGroupings } from '../subscriptions/fields.ts';
import type { Grouping } from '../../table/grouping.ts';
import { formatClock, formatCount, formatProtocolVersion, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { cutText, widestFitting, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { Place } from '../../tui/registered.ts';
import type { TopicRoutes } from '../routes/tree.ts';
import { listTexts } from '../../tui/list/texts.ts';
import { groupingNames, groupTexts } from './texts.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import { type GroupingId, type GroupsScope, type ListScope, scopeName } from './scope.ts';
import type { ScreenProps } from '../../tui/screen.ts';

export interface ScopedScreenProps extends ScreenProps {
  readonly scope?: ListScope | undefined;
}

/** Minimum width of a note. */
const minNoteWidth = 16;

/**
 * Draws the line above a list with a scope: `Nodes › broker1 › Clients`; `undefined` without one. Room goes to scope,
 * note, breadcrumbs.
 */
export const headingOf = (
  theme: Theme,
  width: number,
  title: SafeText,
  scope: ListScope | undefined,
  breadcrumbs: readonly NamedPlace[],
  note?: Span,
): Line | undefined => {
  if (scope === undefined) {
    return undefined;
  }
  const present = breadcrumbs.at(-1)?.place;
  const whole: readonly Span[] = isPageOf(present, scope)
    ? [{ text: title, role: 'title' }]
    : isRowOf(present, scope)
      ? [...crumbs(theme, width, scope), { text: safe` ${glyphs.crumb} ${title}`, role: 'title' }]
      : [{ text: safe`${title} ${glyphs.crumb} `, role: 'dim' }, ...crumbs(theme, width, scope)];
  const back: Span = { text: safe`  ${listTexts.back} `, role: 'dim' };
  const noteWidth = note === undefined ? 0 : widthOf(note.text) + 2;
  const widthOfAll = (spans: readonly Span[]): number => spansWidth(spans) + 1;
  // The tab shows the title too, so the title is dropped before the scope is cut.
  const isTitleFirst = whole.length > 1 && whole[0]?.role === 'dim';
  const own =
    isTitleFirst && widthOfAll(whole) + Math.min(noteWidth, minNoteWidth) + widthOf(back.text) >= width
      ? whole.slice(1)
      : whole;
  const ownWidth = widthOfAll(own);
  const spare = width - ownWidth - widthOf(back.text) - 1;
  const noteRoom = Math.min(noteWidth, Math.max(Math.min(noteWidth, minNoteWidth), spare));
  const shownNote: readonly Span[] =
    note === undefined ? [] : [{ text: safe`  ` }, { ...note, text: cutText(note.text, noteRoom - 2) }];
  // A list of the same screen repeats its earlier scope.
  const before = breadcrumbs.slice(0, breadcrumbs.findLastIndex((named) => named.title !== title) + 1);
  return composeEnds(
    theme,
    width,
    [{ text: safe` ${breadcrumbsText(theme, before, spare - noteRoom)}`, role: 'dim' }, ...own],
    [...shownNote, back],
  );
};

/** Returns the groups of a list: of the rows that its filter leaves. */
export const groupsOf = (by: GroupingId, of: ListScope | undefined, filter: string): GroupsScope => ({
  kind: 'groups',
  by,
  of,
  filter: filter.trim() === '' ? undefined : filter.trim(),
});

/** Returns the common value of a group's rows, for display. */
export const groupValueText = (
  by: GroupingId,
  value: string | undefined,
  text: (raw: string) => SafeText,
): SafeText => {
  if (value === undefined) {
    return by === 'username' ? groupTexts.none : groupTexts.unknown(unknownText);
  }
  return by === 'proto' ? formatProtocolVersion(Number(value)) : text(value);
};

const crumbs = (theme: Theme, width: number, scope: ListScope): readonly Span[] => {
  const text = (raw: string): SafeText => theme.escape(raw, width);
  switch (scope.kind) {
    case 'topic':
      return [
        { text: safe`${groupTexts.topic} `, role: 'dim' },
        { text: text(scope.topic), role: 'title' },
      ];
    case 'found':
      return [
        { text: trusted(scope.name), role: 'title' },
        {
          text: groupTexts.found(
            formatCount(scope.clientIds.size),
            formatClock(shownWallMs(scope.atMs)),
            scope.clientIds.size === 1,
          ),
          role: 'dim',
        },
      ];
    case 'groups':
    case 'group': {
      const outer: readonly Span[] =
        scope.of === undefined
          ? []
          : [...crumbs(theme, width, scope.of), { text: safe` ${glyphs.crumb} `, role: 'dim' }];
      const name = groupingNames[scope.by];
      return scope.kind === 'groups'
        ? [...outer, { text: groupTexts.by(name), role: 'title' }]
        : [
            ...outer,
            { text: safe`${name} `, role: 'dim' },
            { text: groupValueText(scope.by, scope.value, text), role: 'title' },
          ];
    }
    default:
      return [{ text: text(scopeName(scope)), role: 'title' }];
  }
};

/** The fields of a row type that a scope can refer to; a scope without such a field matches every row. */
interface ScopeFields<Row> {
  readonly isOn: (row: Row, node: NodeName) => boolean;
  readonly clientIdOf?: (row: Row) => string;
  readonly topicOf?: (row: Row) => string;
  readonly groupings?: readonly Grouping<Row>[];
}

const createScopeTest = <Row>({ isOn, clientIdOf, topicOf, groupings }: ScopeFields<Row>) => {
  const isInScope = (scope: ListScope, row: Row): boolean => {
    switch (scope.kind) {
      case 'node':
        return isOn(row, scope.node);
      case 'client':
        return clientIdOf === undefined || clientIdOf(row) === scope.clientId;
      case 'topic':
        return topicOf === undefined || topicOf(row) === scope.topic;
      case 'found':
        return clientIdOf === undefined || scope.clientIds.has(clientIdOf(row));
      case 'groups':
        return scope.of === undefined || isInScope(scope.of, row);
      case 'group':
        return (
          (scope.of === undefined || isInScope(scope.of, row)) &&
          (groupings === undefined ||
            groupings.some(({ id, valueOf }) => id === scope.by && valueOf(row) === scope.value))
        );
    }
  };
  return isInScope;
};

export const isClientInScope = createScopeTest<Client>({
  isOn: (client, node) => client.node === node,
  clientIdOf: ({ clientId }) => clientId,
  groupings: clientGroupings,
});

export const isSessionInScope = createScopeTest<Session>({
  isOn: (session, node) => session.node === node,
  clientIdOf: ({ clientId }) => clientId,
  groupings: sessionGroupings,
});

export const isSubscriptionInScope = createScopeTest<Subscription>({
  isOn: (subscription, node) => subscription.node === node,
  clientIdOf: ({ clientId }) => clientId,
  topicOf: ({ topic }) => topic,
  groupings: subscriptionGroupings,
});

/** Whether a topic filter's routes are in a scope; only topic and nodes are known. */
export const isTopicInScope = createScopeTest<TopicRoutes>({
  isOn: ({ nodes }, node) => nodes.includes(node),
  topicOf: ({ topic }) => topic,
});

/** A place, and the title of its screen. */
export interface NamedPlace {
  readonly place: Place;
  readonly title: SafeText;
}

/** The places that led to the current one, without it. */
export const BreadcrumbsContext = createContext<readonly NamedPlace[]>([]);

export const useBreadcrumbs = (): readonly NamedPlace[] => use(BreadcrumbsContext);

const scopeOf = (place: Place): ListScope | undefined => ('scope' in place ? place.scope : undefined);

/** Whether a place is the page of what a list is scoped to. */
export const isPageOf = (place: Place | undefined, scope: ListScope): boolean =>
  (place?.screen === 'node' && scope.kind === 'node' && place.node === scope.node) ||
  (place?.screen === 'client' && scope.kind === 'client' && place.clientId === scope.clientId);

/** Whether a place is the list with the row that another list is scoped to; the breadcrumbs then lead through that row. */
export const isRowOf = (place: Place | undefined, scope: ListScope): boolean =>
  place?.screen === 'nodes' && scope.kind === 'node';

const maxNameWidth = 32;

const crumbsOf = (theme: Theme, { place, title }: NamedPlace, before: Place | undefined): readonly SafeText[] => {
  const text = (raw: string): SafeText => theme.escape(raw, maxNameWidth);
  switch (place.screen) {
    case 'node':
      return [text(place.node)];
    case 'client':
      return [text(place.clientId)];
    case 'plugin-settings':
      return [text(place.plugin)];
    default: {
      const scope = scopeOf(place);
      if (scope === undefined || isPageOf(before, scope)) {
        return [title];
      }
      const steps = [title, text(scopeName(scope))];
      return isRowOf(before, scope) ? steps.toReversed() : steps;
    }
  }
};

/** Names what a screen shows: `Clients`, `Client worker-000001`, `Sessions broker1`. */
export const placeName = (theme: Theme, named: NamedPlace): SafeText =>
  joinSafe([named.title, ...crumbsOf(theme, named, undefined).filter((crumb) => crumb !== named.title)], safe` `);

const between = safe` ${glyphs.crumb} `;

/**
 * Writes the breadcrumbs in at most `room` columns, each followed by the separator; the middle ones are dropped first.
 */
export const breadcrumbsText = (theme: Theme, breadcrumbs: readonly NamedPlace[], room: number): SafeText => {
  const crumbs = breadcrumbs
    .flatMap((named, index) => crumbsOf(theme, named, breadcrumbs[index - 1]?.place))
    // A list of one row and the page of that row have one name.
    .filter((crumb, index, all) => crumb !== all[index - 1]);
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
