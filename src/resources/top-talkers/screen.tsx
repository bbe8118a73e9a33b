import { type ReactNode, useMemo } from 'react';
import { safe } from '../../terminal/safe-text.ts';
import { columnsOf } from '../../tui/components/field-columns.ts';
import type { EmptyMessage } from '../../tui/components/table.tsx';
import { useClientKeys } from '../clients/view/client-keys.ts';
import { useReading, useWatch } from '../../tui/hooks/use-store.ts';
import { tableWidthOf } from '../../tui/list/detail.tsx';
import { useNodeNames, withShortNodes } from '../view/node-names.ts';
import { useNotOffered } from '../view/offered.ts';
import { clientKind, useScanList } from '../view/scan-list.ts';
import { type ListColumn, ListView, useList } from '../../tui/list/use-list.tsx';
import { clientPanel } from '../clients/panel.tsx';
import { clientTraffic, type TrafficRow } from '../clients/traffic.ts';
import { useClientJumps } from '../clients/view/client-jumps.ts';
import { trafficFields } from './fields.ts';
import { topTalkersTexts } from './texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';

type TrafficColumn = ListColumn<TrafficRow>;

const columns: readonly TrafficColumn[] = columnsOf(trafficFields, {
  id: { width: { min: 14, max: 60, grow: 2 }, isSticky: true },
  node: { role: 'dim', width: { min: 8, max: 24 }, isReadFirst: true, priority: 2 },
  user: { width: { min: 12, max: 24 }, priority: 3 },
  total: { width: 11, priority: 1.5, highlightsChanges: true },
  in: { width: 11, priority: 1, highlightsChanges: true },
  out: { width: 11, priority: 1, highlightsChanges: true },
  'bytes-in': { width: 11, priority: 1.2, highlightsChanges: true },
  'bytes-out': { width: 11, priority: 1.2, highlightsChanges: true },
  'messages-in': { width: 10, priority: 4 },
  'messages-out': { width: 10, priority: 4 },
  received: { width: 10, priority: 5 },
  sent: { width: 10, priority: 5 },
});

/** Priorities until there are rates, when the counters are worth the room. */
const waitingPriorities: Readonly<Record<string, number>> = {
  'messages-in': 1,
  'messages-out': 1,
  received: 1.2,
  sent: 1.2,
  in: 4,
  out: 4,
  'bytes-in': 5,
  'bytes-out': 5,
};
const waitingColumns = columns.map((column): TrafficColumn => ({
  ...column,
  priority: waitingPriorities[column.id] ?? column.priority,
}));

const identity = ({ client }: TrafficRow): string => client.clientId;
const initialSort = { columnId: 'total', isReversed: true };
const listKey = placeKey({ screen: 'topTalkers' });
const noRows: readonly TrafficRow[] = [];

/** Shows which clients send or receive most. */
export const TopTalkersScreen = (props: ScreenProps): ReactNode => {
  const notOffered = useNotOffered(props.monitor, 'clientTraffic', topTalkersTexts.notOffered);
  return notOffered === undefined ? <TrafficList {...props} /> : <NoTraffic {...props} message={notOffered} />;
};

const NoTraffic = ({ message, width, height, notify }: ScreenProps & { readonly message: EmptyMessage }): ReactNode => {
  const list = useList({
    generation: undefined,
    message,
    problem: undefined,
    isStale: false,
    listKey,
    table: 'top talkers',
    rows: noRows,
    columns,
    data: undefined,
    getId: identity,
    initialSort,
    noun: safe`client`,
    title: topTalkersTexts.title,
    copyText: identity,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};

const TrafficList = (props: ScreenProps): ReactNode => {
  const { monitor, width, height, go, notify } = props;
  const { changeOf, view } = useScanList({ ...props, width: tableWidthOf(width), scope: undefined }, clientKind);
  useWatch(monitor, clientTraffic);
  const { rows, seconds } = useReading(monitor, clientTraffic);
  const nodes = useNodeNames(monitor);
  const fitting = seconds === undefined ? waitingColumns : columns;
  const shown = useMemo(() => withShortNodes(fitting, ({ client }) => client.node, nodes), [fitting, nodes]);
  const list = useList({
    ...view,
    listKey,
    table: 'top talkers',
    rows,
    columns: shown,
    data: undefined,
    getId: identity,
    initialSort,
    title: topTalkersTexts.title,
    footerNote: topTalkersTexts.window(seconds),
    onOpen: ({ client }) => {
      go({ screen: 'client', clientId: client.clientId });
    },
    detail: ({ client }, ...size) =>
      clientPanel(monitor, { clientId: client.clientId, client, isGone: changeOf(client) === 'gone' }, ...size),
    copyText: identity,
    width,
    height,
    notify,
  });
  const client = list.row?.client;
  useClientJumps({ monitor, clientId: client?.clientId, go });
  useClientKeys({ monitor, target: client === undefined ? undefined : { subject: { kind: 'client', client } } });
  return <ListView list={list} />;
};
