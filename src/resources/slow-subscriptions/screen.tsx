import { type ReactNode, useMemo } from 'react';
import type { SlowSubscription } from '../../domain/messages.ts';
import { formatCount } from '../../terminal/format.ts';
import { composeLine } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useClientKeys } from '../clients/view/client-keys.ts';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { useNotOffered } from '../view/offered.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { useClientJumps } from '../clients/view/client-jumps.ts';
import { slowSubscriptions } from './resource.ts';
import { slowSubscriptionsTexts } from './texts.ts';
import { useBrokerClocks } from '../view/broker-clocks.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import { useFifthTickList } from '../view/node-table.ts';
import type { ScreenProps } from '../../tui/screen.ts';
import { slowSubscriptionColumns } from './view/columns.ts';

const identity = ({ clientId, topic }: SlowSubscription): string => JSON.stringify([clientId, topic]);
const copyText = ({ clientId }: SlowSubscription): string => clientId;
const listKey = placeKey({ screen: 'slowSubscriptions' });
const slowestFirst = { columnId: 'latency', isReversed: true };
const watched = slowSubscriptions;
const noRows: readonly SlowSubscription[] = [];

/** Shows subscriptions whose messages take longer than the broker's threshold to arrive. */
export const SlowSubscriptionsScreen = ({ monitor, width, height, go, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'slowSubscriptions', slowSubscriptionsTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? watched : undefined);
  const state = useReading(monitor, slowSubscriptions);
  const { isEnabled, setting, thresholdMs, items = noRows } = state.data ?? {};
  const rowState = useMemo(() => ({ ...state, data: state.data?.items }), [state]);
  const view = useFifthTickList(
    monitor,
    rowState,
    safe`slow subscriptions`,
    safe` ${isEnabled === false ? slowSubscriptionsTexts.disabled(setting === undefined ? undefined : trusted(setting)) : slowSubscriptionsTexts.empty}`,
  );
  const clocks = useBrokerClocks(monitor, useNow(1000));
  const nodeNames = useNodeNames(monitor);
  const shown = useMemo(() => withShortNodes(slowSubscriptionColumns, ({ node }) => node, nodeNames), [nodeNames]);
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
    table: 'slow-subscriptions',
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
