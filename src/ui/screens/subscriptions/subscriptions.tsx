import { type ReactNode, useCallback, useMemo } from 'react';
import type { Route, Subscription } from '../../../domain/client.ts';
import { compareNatural } from '../../../domain/natural-order.ts';
import { subscriptionIdentity } from '../../../monitor/scan/lists.ts';
import type { MonitorState, ResourceState } from '../../../monitor/state.ts';
import { subscriptionGroupings } from '../../../table/grouping.ts';
import { formatCount, formatText } from '../../../terminal/format.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { useTheme } from '../../components/theme-context.ts';
import { useClientKeys } from '../../dialogs/client-keys.tsx';
import { useBreadcrumbs } from '../../frame/breadcrumbs.ts';
import { useFetchContext } from '../../hooks/use-broker-clocks.ts';
import { useStore, useWatch } from '../../hooks/use-store.ts';
import { useKeys } from '../../keys/use-keys.ts';
import { GroupList, useGroupKeys } from '../../list/group-list.tsx';
import { headingOf, isSubscriptionInScope, type ScopedScreenProps } from '../../list/list-scope.ts';
import { errorText, type FetchContext, retryText } from '../../list/resource-notice.ts';
import { subscriptionKind } from '../../list/scan-view.ts';
import { looksLikeTopic } from '../../list/use-filter.ts';
import { type ListColumn, ListView, useList } from '../../list/use-list.tsx';
import { useScanList } from '../../list/use-scan-list.ts';
import { placeKey } from '../../navigation.ts';

const initialSort = { columnId: 'id', isReversed: false };
const topicOf = ({ topic }: Subscription): string => topic;

/** All fields of §2.6. */
const columns: readonly ListColumn<Subscription>[] = [
  {
    id: 'id',
    header: safe`CLIENT ID`,
    value: ({ clientId }) => clientId,
    format: ({ clientId }, { ends }) => ends(clientId),
    width: { min: 16, max: 60 },
    isSticky: true,
  },
  {
    id: 'topic',
    header: safe`TOPIC FILTER`,
    value: topicOf,
    format: ({ topic }, { ends }) => ends(topic),
    width: { min: 20, max: 120, grow: 2 },
    priority: 1,
  },
  {
    id: 'qos',
    header: safe`QOS`,
    value: ({ qos }) => qos,
    format: ({ qos }) => formatCount(qos),
    align: 'right',
    // Wide enough for the sort sign.
    width: 5,
    priority: 1,
  },
  {
    id: 'node',
    header: safe`NODE`,
    value: ({ node }) => node,
    format: ({ node }, { text }) => formatText(node, text),
    width: { min: 12, max: 24 },
    priority: 2,
  },
];

/** The nodes that a topic filter is routed to. */
const routesSpan = (theme: Theme, state: ResourceState<readonly Route[]> | undefined, fetchContext: FetchContext): Span => {
  if (state?.data === undefined) {
    return state?.error === undefined
      ? { text: safe`routed to ···`, role: 'dim' }
      : { text: safe`! routes not read, ${retryText(state.nextAttemptAtMs, state.isFetching, fetchContext)}: ${errorText(theme, state.error)}`, role: 'error' };
  }
  const nodes = state.data.map(({ node }) => node).toSorted(compareNatural);
  const isOld = state.error === undefined ? safe`` : safe` (old)`;
  return nodes.length === 0
    ? { text: safe`routed nowhere${isOld}`, role: 'warning' }
    : { text: safe`routed to ${joinSafe(nodes.map((node) => theme.escape(node, 40)), safe`, `)}${isOld}`, role: state.error === undefined ? 'normal' : 'warning' };
};

const SubscriptionRows = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, nowMs, changeOf, view } = useScanList({ ...props, scope }, subscriptionKind);
  const fetchContext = useFetchContext(monitor, nowMs);
  const topic = scope?.kind === 'topic' ? scope.topic : undefined;
  useWatch(monitor, topic === undefined ? undefined : { kind: 'topicRoutes', topic });
  const routes = useStore(monitor.store, useCallback(({ topicRoutes }: MonitorState) => (topic === undefined ? undefined : topicRoutes.get(topic)), [topic]));
  const rows = useMemo(() => {
    const all = scan.gone.length === 0 ? scan.rows : [...scan.rows, ...scan.gone];
    return scope === undefined ? all : all.filter((row) => isSubscriptionInScope(scope, row));
  }, [scan.rows, scan.gone, scope]);
  useGroupKeys(subscriptionGroupings.map(({ id }) => id), undefined, (by) => { go({ screen: 'subscriptions', scope: { kind: 'groups', by, of: scope } }); });
  const openClient = (clientId: string): void => { go({ screen: 'client', clientId }); };
  const openTopic = (filter: string): void => { go({ screen: 'subscriptions', scope: { kind: 'topic', topic: filter } }); };
  const routesOpener = (filter: string | undefined): (() => void) | undefined =>
    filter === undefined ? undefined : () => { go({ screen: 'routes', scope: { kind: 'topic', topic: filter } }); };
  const offerOf = (id: string): SafeText =>
    looksLikeTopic(id) ? safe`asks the broker for topic "${theme.escape(id, width)}"` : safe`opens client "${theme.escape(id, width)}" directly`;
  const list = useList({
    ...view,
    listKey: placeKey({ screen: 'subscriptions', scope }),
    table: 'subscriptions',
    heading: headingOf(theme, width, safe`Subscriptions`, scope, breadcrumbs, topic === undefined ? undefined : routesSpan(theme, routes, fetchContext)),
    rows,
    columns,
    data: undefined,
    getId: subscriptionIdentity,
    initialSort,
    getChange: changeOf,
    // In a client's list, Enter opens the topic.
    onOpen: (row) => { if (scope?.kind === 'client') openTopic(row.topic); else openClient(row.clientId); },
    offerOf,
    onOpenId: (id) => { if (looksLikeTopic(id)) openTopic(id); else openClient(id); },
    copyText: topicOf,
    width,
    height,
    notify,
  });
  const { row } = list;
  useKeys('subscriptions', {
    openTopic: row === undefined || topic !== undefined ? undefined : () => { openTopic(row.topic); },
    openTopicRoutes: routesOpener(topic ?? row?.topic),
  });
  useClientKeys({ monitor, target: row === undefined ? undefined : { subject: { kind: 'id', clientId: row.clientId }, subscription: row } });
  return <ListView list={list} />;
};

/** The subscriptions of all nodes or of a scope, scanned in the background (§2.6); as rows or groups. */
export const SubscriptionsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups'
    ? <GroupList {...props} screen="subscriptions" title={safe`Subscriptions`} kind={subscriptionKind} groupings={subscriptionGroupings} scope={scope} isInScope={isSubscriptionInScope} />
    : <SubscriptionRows {...props} scope={scope} />;
