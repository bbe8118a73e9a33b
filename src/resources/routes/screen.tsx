import { type ReactNode, useCallback, useMemo, useState } from 'react';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { isOlderThanExpected } from '../../monitor/polling/intervals.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { Monitor } from '../../monitor/state.ts';
import { formatCount } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { escapeEnds } from '../../terminal/text-width.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf, type Looks } from '../../tui/components/field-columns.ts';
import type { RowChange } from '../../tui/components/table.tsx';
import { usePublishStart } from '../messages/view/publish-start.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useFetchContext, useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { detailRoom, detailRows, longTextRows, rowPanel, tableWidthOf } from '../../tui/list/detail.tsx';
import { headingOf, isTopicInScope, type ScopedScreenProps, useBreadcrumbs } from '../view/list-scope.ts';
import { useNodeNames } from '../view/node-names.ts';
import { dataProblem, missingMessage } from '../../tui/list/resource-notice.ts';
import { routeKind, useScanList } from '../view/scan-list.ts';
import { type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import { routeFields, routeTreeFields, wildcardsOf } from './fields.ts';
import { topicRoutes } from './resource.ts';
import { routesTexts } from './texts.ts';
import {
  allFolded,
  createRouteGrouper,
  createRouteTreeView,
  createTopicList,
  type Folds,
  plainRow,
  type RouteTreeRow,
  toggleFold,
  type TopicRoutes,
  unfoldTo,
} from './tree.ts';
import { screenTexts } from '../view/texts.ts';
import type { ListScope } from '../view/scope.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';

const identity = ({ id }: RouteTreeRow): string => id;
const initialSort = { columnId: 'topic', isReversed: false };

interface View {
  readonly isTree: boolean;
  readonly folds: Folds;
}

const views = new WeakMap<Monitor, View>();

/** Keeps whether the routes are a list or a tree, and the unfolded levels, per monitor. */
const useView = (monitor: Monitor): readonly [View, (view: View) => void] => {
  const [view, setView] = useState<View>(() => views.get(monitor) ?? { isTree: false, folds: allFolded });
  return [
    view,
    (next) => {
      views.set(monitor, next);
      setView(next);
    },
  ];
};

/** Makes rows for topics; reuses the row of an unchanged topic. */
const createPlainRows = (): ((topics: readonly TopicRoutes[]) => readonly RouteTreeRow[]) => {
  let previous: readonly RouteTreeRow[] = [];
  return (topics) => {
    previous = topics.map((topic, at) => {
      const before = previous[at];
      return before?.route === topic ? before : plainRow(topic);
    });
    return previous;
  };
};

const RouteRows = (props: ScopedScreenProps): ReactNode => {
  const { monitor, scope, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, changeOf, changesText, view } = useScanList({ ...props, width: tableWidthOf(width) }, routeKind);
  const [listTopics] = useState(createTopicList);
  const [makeRows] = useState(createPlainRows);
  const [tree] = useState(createRouteTreeView);
  const [{ isTree, folds }, setView] = useView(monitor);
  const { topics, added, gone } = listTopics(scan.rows, scan.added, scan.gone);
  const rows = useMemo(
    () => makeRows(scope === undefined ? topics : topics.filter((topic) => isTopicInScope(scope, topic))),
    [makeRows, topics, scope],
  );
  const isOld = scan.rows[0] !== undefined && changeOf(scan.rows[0]) === 'old';
  const getChange = useCallback(
    ({ route }: RouteTreeRow): RowChange | undefined => {
      if (route === undefined) {
        return undefined;
      }
      if (gone.has(route.topic)) {
        return 'gone';
      }
      return isOld ? 'old' : added.has(route.topic) ? 'new' : undefined;
    },
    [gone, added, isOld],
  );

  const toggleTree = (topic: string | undefined): void => {
    setView({ isTree: !isTree, folds: isTree || topic === undefined ? folds : unfoldTo(folds, topic) });
  };
  const arrange = useCallback(
    (found: readonly RouteTreeRow[], isFiltered: boolean) => tree.show(found, isFiltered, folds),
    [tree, folds],
  );
  const fold = (id: string): void => {
    setView({ isTree, folds: toggleFold(folds, id, tree.isFiltered()) });
  };
  const onSide = ({ id, isOpen }: RouteTreeRow, by: -1 | 1): string | undefined => {
    if (isOpen === (by === -1)) {
      fold(id);
      return undefined;
    }
    if (by === -1) {
      return tree.parentOf(id);
    }
    return isOpen === true ? tree.nextOf(id) : undefined;
  };
  const openTopic = (topic: string): void => {
    go({ screen: 'subscriptions', scope: { kind: 'topic', topic } });
  };
  const nodeNames = useNodeNames(monitor);
  const columns = useMemo(
    () => withShortNodeColumn(isTree ? routeTreeColumns : routeListColumns, nodeNames),
    [isTree, nodeNames],
  );
  const list = useList({
    ...view,
    columnSet: isTree ? 'tree' : 'list',
    listKey: placeKey({ screen: 'routes', scope }),
    heading: headingOf(theme, width, safe`Routes`, scope, breadcrumbs),
    table: 'routes',
    // The counts are of the whole list.
    footerNote: scope === undefined ? changesText(added.size, gone.size) : changesText(0, 0),
    rows,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`topic filter`,
    getChange,
    arrange: isTree ? arrange : undefined,
    onSide: isTree ? onSide : undefined,
    onOpen: ({ id, route }) => {
      if (route === undefined) fold(id);
      else openTopic(route.topic);
    },
    unlisted: { offer: (typed) => screenTexts.askBroker(theme.escape(typed, width)), open: openTopic },
    detail: (row, ...size) => routePanel(theme, row, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  const topic = list.row?.id;
  usePublishStart({ topic });
  const toggle = (): void => {
    toggleTree(list.row === list.shown[0] ? undefined : topic);
  };
  useKeys('routes', { toggleTree: isTree ? undefined : toggle });
  useKeys(
    'tree',
    {
      leaveTree: toggle,
      fold: () => {
        list.toSide(-1);
      },
      unfold: () => {
        list.toSide(1);
      },
    },
    { isActive: isTree },
  );
  return <ListView list={list} />;
};

/** Shows the routes, as a list or a tree by topic level. */
export const RoutesScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'topic' ? <TopicRoutesScreen {...props} scope={scope} /> : <RouteRows {...props} scope={scope} />;

/** Draws the whole topic filter, the nodes it is routed to, and in the tree how many are below it. */
const routePanel = (
  theme: Theme,
  { id, label, route, filters }: RouteTreeRow,
  width: number,
  height: number,
): ReactNode => {
  const room = detailRoom(width, height).width;
  const nodes = route?.nodes ?? [];
  return rowPanel(
    escapeEnds(label, room, theme.charset),
    [
      { rows: longTextRows(theme, room, id) },
      {
        rows: detailRows(room, [
          ...(route === undefined ? [] : [{ label: routesTexts.wildcards, value: trusted(wildcardsOf(route.topic)) }]),
          ...(route !== undefined && filters === 1
            ? []
            : [{ label: routesTexts.filters, value: formatCount(filters) }]),
        ]),
      },
      ...(route === undefined
        ? []
        : [
            {
              title: routesTexts.nodes,
              note: formatCount(nodes.length),
              rows: nodes.map((node): SpanRow => [{ text: theme.escape(node, room) }]),
            },
          ]),
    ],
    width,
    height,
  );
};

type RouteColumn = ListColumn<RouteTreeRow>;

const maxIndent = 12;

const looks: Looks<typeof routeFields, RouteTreeRow, undefined> = {
  topic: {
    format: ({ label }, { ends }) => ends(label),
    width: { min: 24, max: 140, grow: 3 },
    isSticky: true,
  },
  wildcard: {
    role: 'dim',
    format: ({ route }) => (route === undefined ? safe`` : trusted(wildcardsOf(route.topic))),
    width: 8,
    priority: 1,
  },
  nodes: {
    format: ({ route }) => (route === undefined ? safe`` : formatCount(route.nodes.length)),
    width: 7,
    priority: 1,
  },
  node: {
    role: 'dim',
    format: ({ route }, { text, width }) =>
      route === undefined ? safe`` : joinSafe(route.nodes.slice(0, width).map(text), safe`, `),
    width: { min: 10, max: 100, grow: 2 },
    priority: 2,
  },
};

export const routeListColumns: readonly RouteColumn[] = columnsOf(routeFields, looks);

/** Writes a sign in brackets, because `+` is a wildcard. */
const foldSign = (isOpen: boolean | undefined): SafeText => {
  if (isOpen === undefined) {
    return safe`    `;
  }
  return isOpen ? safe`[-] ` : safe`[+] `;
};

const routeTreeColumns: readonly RouteColumn[] = columnsOf(routeTreeFields, {
  ...looks,
  filters: { width: 9, priority: 1 },
  topic: {
    ...looks.topic,
    format: ({ label, depth, isOpen }, { ends }) => {
      const before = safe`${trusted('  '.repeat(Math.min(depth, maxIndent)))}${foldSign(isOpen)}`;
      const after = isOpen === undefined ? safe`` : safe`/`;
      return safe`${before}${ends(label, before.length + after.length)}${after}`;
    },
  },
});

/** Shortens node names as much as the names of all nodes allow. */
export const withShortNodeColumn = (
  columns: readonly RouteColumn[],
  names: readonly NodeName[],
): readonly RouteColumn[] =>
  columns.map((column) =>
    column.id !== 'node'
      ? column
      : {
          ...column,
          format: ({ route }, { text, width }) =>
            joinSafe(
              (route?.nodes ?? []).slice(0, width).map((node) => text(shortNodeName(node, names))),
              safe`, `,
            ),
        },
  );

/** Shows the routes of one topic filter, requested by name. */
const TopicRoutesScreen = ({
  monitor,
  scope,
  width,
  height,
  go,
  notify,
}: ScreenProps & { readonly scope: Extract<ListScope, { readonly kind: 'topic' }> }): ReactNode => {
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { topic } = scope;
  useWatch(monitor, watchOf(topicRoutes, topic));
  usePublishStart({ topic });
  const state = useReading(monitor, topicRoutes, topic);
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const rows = useMemo(
    () =>
      createRouteGrouper()
        .group(state.data ?? [])
        .map(plainRow),
    [state.data],
  );
  const isStale = isOlderThanExpected(state, intervalSeconds, nowMs);
  const list = useList({
    listKey: placeKey({ screen: 'routes', scope }),
    table: 'routes',
    heading: headingOf(theme, width, safe`Routes`, scope, breadcrumbs),
    rows,
    columns: routeListColumns,
    data: undefined,
    getId: identity,
    initialSort,
    generation: state.updatedAtMs,
    noun: safe`topic filter`,
    title: safe`Routes`,
    message:
      state.data === undefined
        ? missingMessage(theme, state, routesTexts.ofTopic, fetchContext)
        : { text: safe` ${routesTexts.emptyForTopic}` },
    problem: dataProblem(theme, state, safe`routes`, isStale, fetchContext),
    isStale,
    onOpen: ({ id }) => {
      go({ screen: 'subscriptions', scope: { kind: 'topic', topic: id } });
    },
    detail: (row, ...size) => routePanel(theme, row, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
