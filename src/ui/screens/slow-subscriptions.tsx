import { type ReactNode, useMemo } from 'react';
import type { SlowSubscription } from '../../domain/messages.ts';
import { formatAge, formatCount, formatElapsed, formatText } from '../../terminal/format.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe } from '../../terminal/safe-text.ts';
import { useTheme } from '../components/drawing.tsx';
import { useClientKeys } from '../dialogs/client-keys.ts';
import type { ScreenProps } from '../frame/screen.ts';
import { useNow } from '../hooks/use-now.ts';
import { type BrokerClocks, useBrokerClocks, useStore, useWatch } from '../hooks/use-store.ts';
import { useNodeNames, withShortNodes } from '../list/node-names.ts';
import { useNotOffered } from '../list/offered.ts';
import { type ListColumn, ListView, useList } from '../list/use-list.tsx';
import { useSlowList } from '../list/use-node-table.ts';
import { placeKey } from '../navigation.ts';
import { useClientJumps } from './clients/client-jumps.ts';
import { slowSubscriptionsTexts } from './texts.ts';

const sinceUpdate = ({ updatedAt, node }: SlowSubscription, { clockOf }: BrokerClocks): number | undefined => {
  const now = clockOf(node);
  return updatedAt === undefined || now === undefined ? undefined : Math.max(0, now - updatedAt);
};

const columns: readonly ListColumn<SlowSubscription, BrokerClocks>[] = [
  {
    id: 'client',
    header: safe`CLIENT ID`,
    value: ({ clientId }) => clientId,
    format: ({ clientId }, { ends }) => ends(clientId),
    width: { min: 14, max: 48, grow: 1 },
    isSticky: true,
  },
  {
    id: 'latency',
    header: safe`LATENCY`,
    value: ({ latencyMs }) => latencyMs / 1_000,
    unit: 'seconds',
    format: ({ latencyMs }) => formatElapsed(latencyMs),
    align: 'right',
    sortsFrom: 'largest',
    largest: safe`slowest`,
    width: 10,
    priority: 1,
  },
  {
    id: 'topic',
    header: safe`TOPIC FILTER`,
    value: ({ topic }) => topic,
    format: ({ topic }, { ends }) => ends(topic),
    width: { min: 14, max: 80, grow: 2 },
    priority: 1,
  },
  {
    id: 'node',
    role: 'dim',
    header: safe`NODE`,
    value: ({ node }) => node,
    format: ({ node }, { text }) => formatText(node, text),
    width: { min: 8, max: 24 },
    priority: 2,
  },
  {
    id: 'updated',
    header: safe`MEASURED`,
    value: ({ updatedAt }) => updatedAt,
    age: sinceUpdate,
    unit: 'seconds',
    format: (row, { data }) => formatAge(sinceUpdate(row, data)),
    align: 'right',
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 12,
    priority: 3,
    highlightsChanges: false,
  },
];

const identity = ({ clientId, topic }: SlowSubscription): string => JSON.stringify([clientId, topic]);
const copyText = ({ clientId }: SlowSubscription): string => clientId;
const listKey = placeKey({ screen: 'slowSubscriptions' });
const slowestFirst = { columnId: 'latency', isReversed: true };
const watched = { kind: 'slowSubscriptions' } as const;
const noRows: readonly SlowSubscription[] = [];

/** Subscriptions whose messages take longer than the broker's threshold to arrive. */
export const SlowSubscriptionsScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'slowSubscriptions', slowSubscriptionsTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useStore(monitor.store, ({ slowSubscriptions }) => slowSubscriptions);
  const { isEnabled, thresholdMs, items = noRows } = state.data ?? {};
  const rowState = useMemo(() => ({ ...state, data: state.data?.items }), [state]);
  const view = useSlowList(
    monitor,
    rowState,
    safe`slow subscriptions`,
    safe` ${isEnabled === false ? slowSubscriptionsTexts.disabled : slowSubscriptionsTexts.empty}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const nodeNames = useNodeNames(monitor);
  const shown = useMemo(() => withShortNodes(columns, ({ node }) => node, nodeNames), [nodeNames]);
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    ...(thresholdMs !== undefined &&
      notOffered === undefined && {
        heading: composeLine(theme, width, [
          { text: safe` ${slowSubscriptionsTexts.threshold(formatCount(thresholdMs))}`, role: 'dim' },
        ]),
      }),
    listKey,
    table: 'slow subscriptions',
    rows: items,
    columns: shown,
    data: clocks,
    getId: identity,
    initialSort: slowestFirst,
    noun: safe`slow subscription`,
    title: safe`Slow subscriptions`,
    onOpen: ({ clientId }) => {
      go({ screen: 'client', clientId });
    },
    copyText,
    width,
    height,
    notify,
  });
  const clientId = list.row?.clientId;
  useClientJumps({ monitor, clientId, go });
  useClientKeys({ monitor, target: clientId === undefined ? undefined : { subject: { kind: 'id', clientId } } });
  return <ListView list={list} />;
};
