import { type ReactNode, useMemo } from 'react';
import type { Route, Subscription } from '../../domain/client.ts';
import { compareNatural } from '../../domain/natural-order.ts';
import { type NodeName, shortNodeName } from '../../domain/node.ts';
import { watchOf } from '../../monitor/query/part.ts';
import type { ResourceState } from '../../monitor/state.ts';
import type { Span } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useClientKeys } from '../clients/view/client-keys.ts';
import { type FetchContext, useFetchContext, useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { useKeys } from '../../tui/keys/use-keys.ts';
import { tableWidthOf } from '../../tui/list/detail.tsx';
import { GroupList, useGroupKeys } from '../view/group-list.tsx';
import {
  groupsOf,
  headingOf,
  isSubscriptionInScope,
  type ScopedScreenProps,
  useBreadcrumbs,
} from '../view/list-scope.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { errorText, retryText } from '../../tui/list/resource-notice.ts';
import { subscriptionKind, useScanList } from '../view/scan-list.ts';
import { useFilteredRows } from '../../tui/list/use-filtered-rows.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { panelsBelow } from '../view/spare-panels.tsx';
import { clientPanel } from '../clients/panel.tsx';
import { useClientJumps } from '../clients/view/client-jumps.ts';
import { topicRoutes } from '../routes/resource.ts';
import { subscriptionFields, subscriptionGroupings } from './fields.ts';
import { subscriptionIdentity, subscriptionScan } from './resource.ts';
import { subscriptionsTexts } from './texts.ts';
import { screenTexts } from '../view/texts.ts';
import type { GroupsScope } from '../view/scope.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { clientTexts } from '../clients/texts.ts';

/** Whether a text looks like a topic filter rather than a client id. */
const looksLikeTopic = (typed: string): boolean => /[/+#]/.test(typed);

const initialSort = { columnId: 'id', isReversed: false };

/** The columns of subscriptions. */
export const subscriptionColumns = columnsOf(subscriptionFields, {
  id: { width: { min: 16, max: 60 }, isSticky: true },
  topic: { width: { min: 18, max: 120, grow: 2 }, priority: 1 },
  // Fits the sort sign.
  qos: { width: 5, priority: 1.2 },
  node: { role: 'dim', width: { min: 8, max: 24 }, isReadFirst: true, priority: 1 },
});

const routesSpan = (
  theme: Theme,
  state: ResourceState<readonly Route[]> | undefined,
  fetchContext: FetchContext,
  all: readonly NodeName[],
): Span => {
  if (state?.data === undefined) {
    return state?.error === undefined
      ? { text: subscriptionsTexts.routesLoading, role: 'dim' }
      : {
          text: subscriptionsTexts.routesFailed(
            retryText(state.nextAttemptAtMs, state.isFetching, fetchContext),
            errorText(theme, state.error),
          ),
          role: 'error',
        };
  }
  const nodes = state.data.map(({ node }) => node).toSorted(compareNatural);
  const text = subscriptionsTexts.routedTo(nodes.map((node) => theme.escapeEnds(shortNodeName(node, all), 40)));
  return {
    text: state.error === undefined ? text : safe`${text} ${subscriptionsTexts.stale}`,
    role: state.error === undefined && nodes.length > 0 ? 'normal' : 'warning',
  };
};

const SubscriptionRows = ({ scope, ...props }: ScopedScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const theme = useTheme();
  const breadcrumbs = useBreadcrumbs();
  const { scan, nowMs, changeOf, view } = useScanList(
    { ...props, width: tableWidthOf(width), scope },
    subscriptionKind,
  );
  const fetchContext = useFetchContext(monitor, nowMs);
  const topic = scope?.kind === 'topic' ? scope.topic : undefined;
  useWatch(monitor, topic === undefined ? undefined : watchOf(topicRoutes, topic));
  const routes = useReading(monitor, topicRoutes, topic ?? '');
  const rows = useMemo(() => {
    const all = scan.gone.length === 0 ? scan.rows : [...scan.rows, ...scan.gone];
    return scope === undefined ? all : all.filter((row) => isSubscriptionInScope(scope, row));
  }, [scan.rows, scan.gone, scope]);
  const openClient = (clientId: string): void => {
    go({ screen: 'client', clientId });
  };
  const openTopic = (filter: string): void => {
    go({ screen: 'subscriptions', scope: { kind: 'topic', topic: filter } });
  };
  const routesOpener = (filter: string | undefined): (() => void) | undefined =>
    filter === undefined
      ? undefined
      : () => {
          go({ screen: 'routes', scope: { kind: 'topic', topic: filter } });
        };
  const nodes = useNodeNames(monitor);
  const columns = useMemo(() => withShortNodes(subscriptionColumns, ({ node }) => node, nodes), [nodes]);
  const list = useList({
    ...view,
    listKey: placeKey({ screen: 'subscriptions', scope }),
    table: 'subscriptions',
    heading: headingOf(
      theme,
      width,
      safe`Subscriptions`,
      scope,
      breadcrumbs,
      topic === undefined ? undefined : routesSpan(theme, routes, fetchContext, nodes),
    ),
    rows,
    columns,
    data: undefined,
    getId: subscriptionIdentity,
    initialSort,
    getChange: changeOf,
    // In a client's list, Enter opens the topic.
    onOpen: (row) => {
      if (scope?.kind === 'client') openTopic(row.topic);
      else openClient(row.clientId);
    },
    unlisted: {
      offer: (id) => (looksLikeTopic(id) ? screenTexts.askBroker : clientTexts.openTyped)(theme.escape(id, width)),
      open: (id) => {
        if (looksLikeTopic(id)) openTopic(id);
        else openClient(id);
      },
    },
    detail: (row, ...size) => clientPanel(monitor, { clientId: row.clientId, topic: row.topic }, ...size),
    copyText: subscriptionFields.topic.get,
    width,
    height,
    notify,
  });
  const { row } = list;
  const present = (): readonly Subscription[] => list.shown.filter((each) => changeOf(each) !== 'gone');
  useGroupKeys({
    kind: subscriptionKind,
    rows: present,
    groupings: subscriptionGroupings,
    onGroupBy: (by) => {
      go({ screen: 'subscriptions', scope: groupsOf(by, scope, list.filter) });
    },
    notify,
  });
  useKeys('subscriptions', {
    openTopic:
      row === undefined || topic !== undefined
        ? undefined
        : () => {
            openTopic(row.topic);
          },
    openTopicRoutes: routesOpener(topic ?? row?.topic),
  });
  useClientJumps({ monitor, clientId: row?.clientId, go });
  useClientKeys({
    monitor,
    target: row === undefined ? undefined : { subject: { kind: 'id', clientId: row.clientId }, subscription: row },
  });
  return <ListView list={list} />;
};

const SubscriptionGroups = ({ scope, ...props }: ScreenProps & { readonly scope: GroupsScope }): ReactNode => {
  const { monitor } = props;
  const subscriptions = useReading(monitor, subscriptionScan).rows;
  const rows = useMemo(() => subscriptions.filter((row) => isSubscriptionInScope(scope, row)), [subscriptions, scope]);
  const nodes = useNodeNames(monitor);
  const columns = useMemo(() => withShortNodes(subscriptionColumns, ({ node }) => node, nodes), [nodes]);
  const found = useFilteredRows({ rows, columns, data: undefined, filter: scope.filter });
  return (
    <GroupList
      {...props}
      screen="subscriptions"
      title={safe`Subscriptions`}
      kind={subscriptionKind}
      groupings={subscriptionGroupings}
      scope={scope}
      spare={panelsBelow(monitor)}
      memberOf={({ topic, clientId }, by) => ({
        name: by === 'filter' ? clientId : topic,
        note: by === 'filter' || by === 'client' ? undefined : clientId,
      })}
      rows={found.rows}
      outcome={{ ...found, matching: found.rows.length }}
    />
  );
};

/** Shows the subscriptions of all nodes or of a scope, scanned in the background; as rows or groups. */
export const SubscriptionsScreen = ({ scope, ...props }: ScopedScreenProps): ReactNode =>
  scope?.kind === 'groups' ? (
    <SubscriptionGroups {...props} scope={scope} />
  ) : (
    <SubscriptionRows {...props} scope={scope} />
  );
