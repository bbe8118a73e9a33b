import { type ReactNode, useCallback, useMemo, useState } from 'react';
import type { Monitor } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import type { RowMark } from '../../components/table-lines.ts';
import { useTheme } from '../../components/theme-context.ts';
import { usePublishStart } from '../../dialogs/publish-request.ts';
import { useWay } from '../../frame/way.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { routeKind } from '../../list/scan-view.ts';
import { useScanList } from '../../list/use-scan-list.ts';
import { headingOf, isTopicWithin, type NarrowedScreenProps } from '../../list/within.ts';
import { placeKey } from '../../navigation.ts';
import { TopicRoutesScreen } from '../subscriptions/topic-routes.tsx';
import { routeListColumns, routeTreeColumns } from './columns.ts';
import { allFolded, createRouteTreeView, createTopicList, type Folds, plainRow, type RouteTreeRow, toggleFold, type TopicRoutes, unfoldTo } from './tree.ts';

const identity = ({ id }: RouteTreeRow): string => id;
const initialSort = { columnId: 'topic', isReversed: false };

interface View {
  readonly isTree: boolean;
  readonly folds: Folds;
}

const views = new WeakMap<Monitor, View>();

/** As list or tree, and how it is unfolded; found again as it was left. */
const useView = (monitor: Monitor): readonly [View, (view: View) => void] => {
  const [view, setView] = useState<View>(() => views.get(monitor) ?? { isTree: false, folds: allFolded });
  return [view, (next) => {
    views.set(monitor, next);
    setView(next);
  }];
};

/** A row is the same object as long as its topic is, and stands in its place. */
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

const RouteRows = (props: NarrowedScreenProps): ReactNode => {
  const { monitor, within, width, height, go, notify } = props;
  const theme = useTheme();
  const way = useWay();
  const { scan, markOf, changesText, view } = useScanList(props, routeKind);
  const [listTopics] = useState(createTopicList);
  const [makeRows] = useState(createPlainRows);
  const [tree] = useState(createRouteTreeView);
  const [{ isTree, folds }, setView] = useView(monitor);
  const { topics, added, gone } = listTopics(scan.rows, scan.added, scan.gone);
  const rows = useMemo(() => makeRows(within === undefined ? topics : topics.filter((topic) => isTopicWithin(within, topic))), [makeRows, topics, within]);
  const isOld = scan.rows[0] !== undefined && markOf(scan.rows[0]) === 'old';
  const getMark = useCallback(({ route }: RouteTreeRow): RowMark | undefined => {
    if (route === undefined) {
      return undefined;
    }
    if (gone.has(route.topic)) {
      return 'gone';
    }
    return isOld ? 'old' : added.has(route.topic) ? 'new' : undefined;
  }, [gone, added, isOld]);

  // Who went to a topic finds it in the tree, too.
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
  const openTopic = (topic: string): void => { go({ screen: 'subscriptions', within: { kind: 'topic', topic } }); };
  const list = useList({
    ...view,
    // Its columns may not change while it lives.
    columnSet: isTree ? 'tree' : 'list',
    listKey: placeKey({ screen: 'routes', within }),
    heading: headingOf(theme, width, safe`Routes`, within, way),
    table: 'routes',
    // These count the whole list, not the part of it that is shown.
    footerNote: within === undefined ? changesText(added.size, gone.size) : changesText(0, 0),
    rows,
    columns: isTree ? routeTreeColumns : routeListColumns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`topic filter`,
    getMark,
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

/** Which topic filters are routed to which nodes (§2.7), as a list or as a tree by topic level; all of them, those of one node, or one alone. */
export const RoutesScreen = ({ within, ...props }: NarrowedScreenProps): ReactNode =>
  within?.kind === 'topic' ? <TopicRoutesScreen {...props} within={within} /> : <RouteRows {...props} within={within} />;
