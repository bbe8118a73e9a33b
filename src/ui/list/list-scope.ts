import type { Client, Subscription } from '../../domain/client.ts';
import type { NodeName } from '../../domain/node.ts';
import type { SessionRow } from '../../monitor/history/session-rates.ts';
import { clientGroupings, type Grouping, subscriptionGroupings } from '../../table/grouping.ts';
import { formatClock, formatCount, formatProtocolVersion, unknownText } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeEnds, type Line, type Span, spansWidth } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import { breadcrumbsText, isPageOf, isRowOf } from '../frame/breadcrumbs.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { type GroupingId, type ListScope, type Place, scopeName } from '../navigation.ts';
import { screenTitle } from '../screens/registry.ts';
import type { TopicRoutes } from '../screens/routes/tree.ts';

/** Props of a list that can have a scope. */
export interface ScopedScreenProps extends ScreenProps {
  readonly scope?: ListScope | undefined;
}

/** The least width of a note, if there is one. */
const minNoteWidth = 16;

/**
 * The line above a list with a scope: `Nodes › broker1 › Clients`; `undefined` for the whole list. The scope gets room
 * first, then the note, then the breadcrumbs.
 */
export const headingOf = (theme: Theme, width: number, title: SafeText, scope: ListScope | undefined, breadcrumbs: readonly Place[], note?: Span): Line | undefined => {
  if (scope === undefined) {
    return undefined;
  }
  const present = breadcrumbs.at(-1);
  const whole: readonly Span[] = isPageOf(present, scope)
    ? [{ text: title, role: 'title' }]
    : isRowOf(present, scope)
    ? [...crumbs(theme, width, scope), { text: safe` ${glyphs.crumb} ${title}`, role: 'title' }]
    : [{ text: safe`${title} ${glyphs.crumb} `, role: 'dim' }, ...crumbs(theme, width, scope)];
  const back: Span = { text: safe`  Esc back `, role: 'dim' };
  const noteWidth = note === undefined ? 0 : widthOf(note.text) + 2;
  const widthOfAll = (spans: readonly Span[]): number => spansWidth(spans) + 1;
  // The tab shows the title too, so the title is dropped before the scope is cut.
  const isTitleFirst = whole.length > 1 && whole[0]?.role === 'dim';
  const own = isTitleFirst && widthOfAll(whole) + Math.min(noteWidth, minNoteWidth) + widthOf(back.text) >= width ? whole.slice(1) : whole;
  const ownWidth = widthOfAll(own);
  const spare = width - ownWidth - widthOf(back.text) - 1;
  const noteRoom = Math.min(noteWidth, Math.max(Math.min(noteWidth, minNoteWidth), spare));
  const shownNote: readonly Span[] = note === undefined ? [] : [{ text: safe`  ` }, { ...note, text: cutText(note.text, noteRoom - 2) }];
  // A list of the same screen repeats its earlier scope.
  const before = breadcrumbs.slice(0, breadcrumbs.findLastIndex((place) => screenTitle(place.screen) !== title) + 1);
  return composeEnds(theme, width, [{ text: safe` ${breadcrumbsText(theme, before, spare - noteRoom)}`, role: 'dim' }, ...own], [...shownNote, back]);
};

export const groupingNames: Readonly<Record<GroupingId, SafeText>> = {
  node: safe`node`,
  username: safe`user name`,
  address: safe`address`,
  network: safe`network (/24)`,
  proto: safe`protocol version`,
  prefix: safe`id prefix`,
  topic: safe`topic prefix`,
  client: safe`client`,
  qos: safe`QoS`,
};

/** The common value of a group's rows, for display. */
export const groupValueText = (by: GroupingId, value: string | undefined, text: (raw: string) => SafeText): SafeText => {
  if (value === undefined) {
    return safe`${unknownText} (not known)`;
  }
  return by === 'proto' ? formatProtocolVersion(Number(value)) : text(value);
};

const crumbs = (theme: Theme, width: number, scope: ListScope): readonly Span[] => {
  const text = (raw: string): SafeText => theme.escape(raw, width);
  switch (scope.kind) {
    case 'topic':
      return [{ text: safe`topic `, role: 'dim' }, { text: text(scope.topic), role: 'title' }];
    case 'found':
      return [{ text: trusted(scope.name), role: 'title' }, { text: safe`: ${formatCount(scope.clientIds.size)} ids found at ${formatClock(scope.atMs)}`, role: 'dim' }];
    case 'groups':
    case 'group': {
      const outer: readonly Span[] = scope.of === undefined ? [] : [...crumbs(theme, width, scope.of), { text: safe` ${glyphs.crumb} `, role: 'dim' }];
      const name = groupingNames[scope.by];
      return scope.kind === 'groups'
        ? [...outer, { text: safe`by ${name}`, role: 'title' }]
        : [...outer, { text: safe`${name} `, role: 'dim' }, { text: groupValueText(scope.by, scope.value, text), role: 'title' }];
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
        return (scope.of === undefined || isInScope(scope.of, row))
          && (groupings === undefined || groupings.some(({ id, valueOf }) => id === scope.by && valueOf(row) === scope.value));
    }
  };
  return isInScope;
};

/** Whether a client is in a scope. */
export const isClientInScope = createScopeTest<Client>({ isOn: (client, node) => client.node === node, clientIdOf: ({ clientId }) => clientId, groupings: clientGroupings });

/** Whether a session is in a scope. */
export const isSessionInScope = createScopeTest<SessionRow>({ isOn: ({ session }, node) => session.node === node, clientIdOf: ({ session }) => session.clientId });

/** Whether a subscription is in a scope. */
export const isSubscriptionInScope = createScopeTest<Subscription>({
  isOn: (subscription, node) => subscription.node === node, clientIdOf: ({ clientId }) => clientId, topicOf: ({ topic }) => topic, groupings: subscriptionGroupings,
});

/** Whether a topic filter's routes are in a scope; only topic and nodes are known. */
export const isTopicInScope = createScopeTest<TopicRoutes>({ isOn: ({ nodes }, node) => nodes.includes(node), topicOf: ({ topic }) => topic });
