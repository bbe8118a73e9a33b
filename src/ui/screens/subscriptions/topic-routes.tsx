import { type ReactNode, useCallback, useMemo } from 'react';
import type { Route } from '../../../domain/client.ts';
import { isOlderThanExpected } from '../../../monitor/polling/intervals.ts';
import { emptyResource } from '../../../monitor/polling/poller.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { safe } from '../../../terminal/safe-text.ts';
import { useTheme } from '../../components/theme-context.ts';
import { usePublishStart } from '../../dialogs/publish-request.ts';
import type { ScreenProps } from '../../frame/screen.ts';
import { useWay } from '../../frame/way.ts';
import { useNow } from '../../hooks/use-now.ts';
import { useStore, useWatch } from '../../hooks/use-store.ts';
import { ListView, useList } from '../../list/use-list.tsx';
import { dataProblem, missingMessage } from '../../list/resource-notice.ts';
import { headingOf } from '../../list/within.ts';
import { placeKey, type Within } from '../../navigation.ts';
import { useFetchMood } from '../broker-clocks.ts';
import { routeListColumns } from '../routes/columns.ts';
import { createRouteGrouper, plainRow, type RouteTreeRow } from '../routes/tree.ts';

export interface TopicRoutesScreenProps extends ScreenProps {
  readonly within: Extract<Within, { readonly kind: 'topic' }>;
}

const unread = emptyResource<readonly Route[]>();
const identity = ({ id }: RouteTreeRow): string => id;
const initialSort = { columnId: 'topic', isReversed: false };

/** Where one topic filter is routed to: asked of the broker by its name, so that the list of all routes need not be read (§4.5). */
export const TopicRoutesScreen = ({ monitor, within, width, height, go, notify }: TopicRoutesScreenProps): ReactNode => {
  const theme = useTheme();
  const way = useWay();
  const { topic } = within;
  useWatch(monitor, { kind: 'topicRoutes', topic });
  usePublishStart({ topic });
  const state = useStore(monitor.store, useCallback(({ topicRoutes }: MonitorState) => topicRoutes.get(topic) ?? unread, [topic]));
  const intervalSeconds = useStore(monitor.store, (all) => all.intervalSeconds);
  const nowMs = useNow(1000);
  const mood = useFetchMood(monitor, nowMs);
  const rows = useMemo(() => createRouteGrouper().group(state.data ?? []).map(plainRow), [state.data]);
  const isStale = isOlderThanExpected(state, intervalSeconds, nowMs);
  const list = useList({
    listKey: placeKey({ screen: 'routes', within }),
    table: 'routes',
    heading: headingOf(theme, width, safe`Routes`, within, way),
    rows,
    columns: routeListColumns,
    data: undefined,
    getId: identity,
    initialSort,
    generation: state.updatedAtMs,
    noun: safe`topic filter`,
    message: state.data === undefined
        ? missingMessage(theme, state, safe`its routes`, mood)
        : { text: safe` It is routed nowhere: nobody has subscribed to it.` },
    problem: dataProblem(theme, state, safe`routes`, isStale, mood),
    isStale,
    onOpen: ({ id }) => { go({ screen: 'subscriptions', within: { kind: 'topic', topic: id } }); },
    copyText: identity,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
