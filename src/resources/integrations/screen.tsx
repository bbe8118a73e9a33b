import type { ReactNode } from 'react';
import { type IntegrationCounters, lostOf, type LossReason } from '../../domain/integrations.ts';
import { shortNodeName } from '../../domain/node.ts';
import { formatCount, formatRate, unknownText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useActions } from '../../tui/dialogs/use-actions.ts';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { placeKey } from '../../tui/list/list-state.ts';
import { ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import type { ScreenProps } from '../../tui/screen.ts';
import { useFifthTickList } from '../view/node-table.ts';
import { useNodeNames } from '../view/node-names.ts';
import { useNotOffered } from '../view/offered.ts';
import { integrationActions } from './actions.ts';
import { type integrationFields, kindNames, statusText } from './fields.ts';
import { integrations } from './resource.ts';
import { type IntegrationRow, selectIntegrations } from './select.ts';
import { integrationTexts, lossNames } from './texts.ts';
import { integrationColumns, statusRole } from './view/columns.ts';

const drawn: readonly (keyof typeof integrationFields)[] = [
  'id',
  'kind',
  'status',
  'matched',
  'succeeded',
  'losing',
  'lost',
  'total',
  'queued',
  'reason',
  'connector',
  'sql',
];

const lossRows = ({ lost }: IntegrationCounters): readonly { readonly label: SafeText; readonly value: SafeText }[] =>
  (Object.entries(lost) as [LossReason, number][])
    .filter(([, count]) => count > 0)
    .map(([reason, count]) => ({ label: safe`  ${lossNames[reason]}`, value: formatCount(count) }));

/** Draws what one node says of a part. */
function nodeRows(theme: Theme, room: number, row: IntegrationRow, node: string): readonly SpanRow[] {
  const { status, reason, counters } = row.part.nodes.get(node) ?? {};
  const rates = row.ratesByNode.get(node);
  const counted = counters === undefined ? undefined : lostOf(counters);
  return [
    ...detailRows(room, [
      ...(row.part.kind === 'rule'
        ? []
        : [{ label: integrationTexts.status, value: status === undefined ? unknownText : trusted(status) }]),
      ...(counters === undefined
        ? []
        : [
            { label: integrationTexts.incoming, value: formatRate(rates?.matched) },
            { label: integrationTexts.succeeded, value: formatRate(rates?.succeeded) },
            { label: integrationTexts.losing, value: formatRate(rates?.lost) },
            {
              label: integrationTexts.lost,
              value: integrationTexts.lostOf(formatCount(counted), formatCount(counters.matched)),
            },
            ...lossRows(counters),
          ]),
      ...(counters?.queued === undefined
        ? []
        : [{ label: integrationTexts.queued, value: formatCount(counters.queued) }]),
      ...(counters?.inflight === undefined
        ? []
        : [{ label: integrationTexts.inflight, value: formatCount(counters.inflight) }]),
      ...(counters?.retried === undefined || counters.retried === 0
        ? []
        : [{ label: integrationTexts.retried, value: formatCount(counters.retried) }]),
    ]),
    ...(reason === undefined ? [] : wrapWords(theme.escape(reason), room).map((text): SpanRow => [{ text }])),
  ];
}

/** Draws a part in full, node by node. */
const integrationPanel = (
  theme: Theme,
  row: IntegrationRow,
  nodeNames: readonly string[],
  width: number,
  height: number,
): ReactNode => {
  const { part } = row;
  const room = detailRoom(width, height).width;
  const status = statusText(row);
  return rowPanel(
    theme.escape(part.id, room),
    [
      {
        rows: [
          ...detailRows(room, [
            {
              label: trusted(kindNames[part.kind]),
              value: status === undefined ? unknownText : trusted(status),
              role: statusRole(row),
            },
            ...(part.name === undefined || part.name === ''
              ? []
              : [{ label: integrationTexts.name, value: theme.escape(part.name, room) }]),
            ...(part.connector === undefined
              ? []
              : [{ label: integrationTexts.under, value: theme.escapeEnds(part.connector, room) }]),
          ]),
          ...restRows(theme, room, integrationColumns, drawn, row, undefined),
        ],
      },
      ...(part.sql === undefined
        ? []
        : [
            {
              title: integrationTexts.sql,
              rows: [
                ...wrapWords(theme.escape(part.sql), room).map((text): SpanRow => [{ text }]),
                ...(part.actions ?? []).map((action): SpanRow => [
                  { text: safe`→ ${theme.escapeEnds(action, room - 2)}` },
                ]),
              ],
            },
          ]),
      ...[...part.nodes.keys()].toSorted().map((node) => ({
        title: theme.escapeEnds(shortNodeName(node, nodeNames), room),
        rows: nodeRows(theme, room, row, node),
      })),
    ],
    width,
    height,
  );
};

const identity = ({ key }: IntegrationRow): string => key;
const copyText = ({ part }: IntegrationRow): string => part.id;
const listKey = placeKey({ screen: 'integrations' });
const trouble: Trouble<IntegrationRow> = { value: ({ rank }) => rank };
const noRows: readonly IntegrationRow[] = [];

/** Shows connectors with their actions and sources, and rules: what is down, and what loses messages. */
export const IntegrationsScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'integrations', integrationTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? integrations : undefined);
  const state = useReading(monitor, integrations);
  const rows = useStore(monitor.store, selectIntegrations) ?? noRows;
  const view = useFifthTickList(monitor, state, safe`integrations`, safe` ${integrationTexts.empty}`);
  const nodeNames = useNodeNames(monitor);
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'integrations',
    rows,
    columns: integrationColumns,
    data: undefined,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    noun: safe`integration`,
    title: safe`Integrations`,
    detail: (row, ...size) => integrationPanel(theme, row, nodeNames, ...size),
    detailBelow: 'narrow',
    copyText,
    width,
    height,
    notify,
  });
  useActions('integrations', integrationActions, { row: list.row, rows }, { notify });
  return <ListView list={list} />;
};
