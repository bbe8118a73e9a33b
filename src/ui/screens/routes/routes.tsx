import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Route } from '../../../domain/client.ts';
import { isOlderThanExpected } from '../../../monitor/polling/intervals.ts';
import { emptyResource } from '../../../monitor/polling/poller.ts';
import type { Monitor, MonitorState } from '../../../monitor/state.ts';
import { formatCount } from '../../../terminal/format.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import type { RowChange } from '../../components/table-lines.ts';
import { useTheme } from '../../components/theme-context.ts';
import { usePublishStart } from '../../dialogs/publish-request.ts';
import { useBreadcrumbs } from '../../frame/breadcrumbs.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useFetchContext } from '../../hooks/use-broker-clocks.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, useWatch } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { headingOf, isTopicInScope, type ScopedScreenProps } from '../../list/list-scope.ts';
import { dataProblem, missingMessage } from '../../list/resource-notice.ts';
import { routeKind } from '../../list/scan-view.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { useScanList } from '../../list/use-scan-list.ts';
import { type ListScope, placeKey } from '../../navigation.ts';
import { allFolded, createRouteGrouper, createRouteTreeView, createTopicList, type Folds, plainRow, type RouteTreeRow, toggleFold, type TopicRoutes, unfoldTo, wildcardsOf } from './tree.ts';

const identity = ({ id }: RouteTreeRow): string => id;
const initialSort = { columnId: 'topic', isReversed: false };

interface View {
  readonly isTree: boolean;
  readonly folds: Folds;
}

const views = new WeakMap<Monitor, View>();

/** List or tree and the unfolded levels, remembered for the monitor. */
const useView = (monitor: Monitor): readonly [View, (view: View) => void] => {
  const [view, setView] = useState<View>(() => views.get(monitor) ?? { isTree: false, folds: allFolded });
  return [view, (next) => {
    views.set(monitor, next);
    setView(next);
  }];
};

/** Makes rows for topics; a row is the same object while its topic is. */
const createPlainRows = (): ((topics: readonly TopicRoutes[]) => readonly RouteTreeRow[]) => {
  let known: readonly RouteTreeRow[] = [];
  return (topics) => {
    known = topics.map((topic, at) => {
      const before = known[at];
      return before?.route === topic ? before : plainRow(topic);
    });
    return known;
  };
};

const RouteRows = (props: ScopedScreenProps): ReactNode => {
  const { monitor, scope, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, changeOf, changesText, view } = useScanList(props, routeKind);
  const [listTopics] = useState(createTopicList);
  const [makeRows] = useState(createPlainRows);
  const [tree] = useState(createRouteTreeView);
  const [{ isTree, folds }, setView] = useView(monitor);
  const { topics, added, gone } = listTopics(scan.rows, scan.added, scan.gone);
  const rows = useMemo(() => makeRows(scope === undefined ? topics : topics.filter((topic) => isTopicInScope(scope, topic))), [makeRows, topics, scope]);
  const isOld = scan.rows[0] !== undefined && changeOf(scan.rows[0]) === 'old';
  const getChange = useCallback(({ route }: RouteTreeRow): RowChange | undefined => {
    if (route === undefined) {
      return undefined;
    }
    if (gone.has(route.topic)) {
      return 'gone';
    }
    return isOld ? 'old' : added.has(route.topic) ? 'new' : undefined;
  }, [gone, added, isOld]);

  // The tree is unfolded to the topic under the cursor.
  const toggleTree = (topic: string | undefined): void => {
    setView({ isTree: !isTree, folds: isTree || topic === undefined ? folds : unfoldTo(folds, topic) });
  };
  const arrange = useCallback((found: readonly RouteTreeRow[], isFiltered: boolean) => tree.show(found, isFiltered, folds), [tree, folds]);
  const fold = (id: string): void => { setView({ isTree, folds: toggleFold(folds, id, tree.isFiltered()) }); };
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
  const openTopic = (topic: string): void => { go({ screen: 'subscriptions', scope: { kind: 'topic', topic } }); };
  const list = useList({
    ...view,
    columnSet: isTree ? 'tree' : 'list',
    listKey: placeKey({ screen: 'routes', scope }),
    heading: headingOf(theme, width, safe`Routes`, scope, breadcrumbs),
    table: 'routes',
    // The counts are of the whole list, so they are not shown for a part of it.
    footerNote: scope === undefined ? changesText(added.size, gone.size) : changesText(0, 0),
    rows,
    columns: isTree ? routeTreeColumns : routeListColumns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`topic filter`,
    getChange,
    arrange: isTree ? arrange : undefined,
    onSide: isTree ? onSide : undefined,
    onOpen: ({ id, route }) => { if (route === undefined) fold(id); else openTopic(route.topic); },
    offerOf: (typed) => safe`asks the broker for topic "${theme.escape(typed, width)}"`,
    onOpenId: openTopic,
    copyText: identity,
    width,
    height,
    notify,
  });
  const topic = list.row?.id;
  usePublishStart({ topic });
  useKeys('routes', { toggleTree: () => { toggleTree(list.row === list.shown[0] ? undefined : topic); } });
  return <ListView list={list} />;
};

/** The routes (§2.7) as a list or a tree by topic level: all, those of one node, or one topic. */
export const RoutesScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'topic' ? <TopicRoutesScreen {...props} scope={scope} /> : <RouteRows {...props} scope={scope} />;

type RouteColumn = ListColumn<RouteTreeRow>;

/** Deeper levels are not indented further. */
const mostIndent = 12;
/** More nodes than any cell shows. */
const mostNodes = 40;

const topicColumn = (format: RouteColumn['format']): RouteColumn => ({
  id: 'topic',
  header: safe`TOPIC FILTER`,
  value: ({ id }) => id,
  format,
  width: { min: 24, max: 140, grow: 3 },
  isSticky: true,
});

const wildcard: RouteColumn = {
  id: 'wildcard',
  header: safe`WILDCARD`,
  value: ({ route }) => (route === undefined ? undefined : wildcardsOf(route.topic) !== 'no'),
  format: ({ route }) => (route === undefined ? safe`` : trusted(wildcardsOf(route.topic))),
  width: 10,
  priority: 1,
};

const below: RouteColumn = {
  id: 'filters',
  header: safe`FILTERS`,
  value: ({ filters }) => filters,
  format: ({ filters }) => formatCount(filters),
  align: 'right',
  width: 9,
  priority: 1,
};

const nodes: readonly RouteColumn[] = [
  {
    id: 'nodes',
    header: safe`NODES`,
    value: ({ route }) => route?.nodes.length,
    format: ({ route }) => (route === undefined ? safe`` : formatCount(route.nodes.length)),
    align: 'right',
    width: 7,
    priority: 1,
  },
  {
    id: 'node',
    header: safe`NODE NAMES`,
    value: ({ route }) => route?.nodes.join(', '),
    format: ({ route }, { text }) => (route === undefined ? safe`` : joinSafe(route.nodes.slice(0, mostNodes).map(text), safe`, `)),
    width: { min: 16, max: 100, grow: 2 },
    priority: 2,
  },
];

/** Topic filters and the nodes that have subscribers for them (§2.7). */
export const routeListColumns: readonly RouteColumn[] = [topicColumn(({ label }, { ends }) => ends(label)), wildcard, ...nodes];

/** In brackets, as `+` alone is a wildcard. */
const foldSign = (isOpen: boolean | undefined): SafeText => {
  if (isOpen === undefined) {
    return safe`    `;
  }
  return isOpen ? safe`[-] ` : safe`[+] `;
};

/** By topic level, with the number of filters at and below each. */
export const routeTreeColumns: readonly RouteColumn[] = [
  topicColumn(({ label, depth, isOpen }, { ends }) => {
    const before = safe`${trusted('  '.repeat(Math.min(depth, mostIndent)))}${foldSign(isOpen)}`;
    const after = isOpen === undefined ? safe`` : safe`/`;
    return safe`${before}${ends(label, before.length + after.length)}${after}`;
  }),
  below,
  wildcard,
  ...nodes,
];

export interface TopicRoutesScreenProps extends ScreenProps {
  readonly scope: Extract<ListScope, { readonly kind: 'topic' }>;
}

const unread = emptyResource<readonly Route[]>();

/** The routes of one topic filter, requested by name, so that the list of all routes is not needed (§4.5). */
export const TopicRoutesScreen = ({ monitor, scope, width, height, go, notify }: TopicRoutesScreenProps): ReactNode => {
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { topic } = scope;
  useWatch(monitor, { kind: 'topicRoutes', topic });
  usePublishStart({ topic });
  const state = useStore(monitor.store, useCallback(({ topicRoutes }: MonitorState) => topicRoutes.get(topic) ?? unread, [topic]));
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const nowMs = useNow(1000);
  const fetchContext = useFetchContext(monitor, nowMs);
  const rows = useMemo(() => createRouteGrouper().group(state.data ?? []).map(plainRow), [state.data]);
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
    message: state.data === undefined
        ? missingMessage(theme, state, safe`its routes`, fetchContext)
        : { text: safe` It is routed nowhere: nobody has subscribed to it.` },
    problem: dataProblem(theme, state, safe`routes`, isStale, fetchContext),
    isStale,
    onOpen: ({ id }) => { go({ screen: 'subscriptions', scope: { kind: 'topic', topic: id } }); },
    copyText: identity,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
