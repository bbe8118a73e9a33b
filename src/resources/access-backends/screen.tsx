import type { ReactNode } from 'react';
import type { AccessCounters } from '../../domain/access.ts';
import { shortNodeName } from '../../domain/node.ts';
import { formatCount, formatRate, unknownText } from '../../terminal/format.ts';
import { wrapWords } from '../../terminal/line.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import type { Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { troubleSort } from '../../tui/components/column.ts';
import { useTheme } from '../../tui/components/drawing.tsx';
import { useReading, useStore, useWatch } from '../../tui/hooks/use-store.ts';
import { detailRoom, detailRows, restRows, rowPanel } from '../../tui/list/detail.tsx';
import { placeKey } from '../../tui/list/list-state.ts';
import { ListView, type Trouble, useList } from '../../tui/list/use-list.tsx';
import type { ScreenProps } from '../../tui/screen.ts';
import { useNodeNames } from '../view/node-names.ts';
import { useFifthTickList } from '../view/node-table.ts';
import { useNotOffered } from '../view/offered.ts';
import { type accessBackendFields, backendStatus } from './fields.ts';
import { accessBackends } from './resource.ts';
import { type AccessBackendRow, selectAccessBackends } from './select.ts';
import { accessBackendTexts } from './texts.ts';
import { accessBackendColumns, backendRole } from './view/columns.ts';

const drawn: readonly (keyof typeof accessBackendFields)[] = [
  'id',
  'purpose',
  'status',
  'asked',
  'accepted',
  'refused',
  'undecided',
  'total',
  'refusals',
];

const counterNames = ['asked', 'accepted', 'refused', 'undecided'] as const satisfies readonly (keyof AccessCounters)[];

/** Draws what a backend decided on a node: per second, and in all. */
const nodeRows = (room: number, { backend, ratesByNode }: AccessBackendRow, node: string): readonly SpanRow[] => {
  const { isEnabled, isConnected, counters } = backend.nodes.get(node) ?? {};
  const rates = ratesByNode.get(node)?.perSecond;
  return detailRows(room, [
    {
      label: accessBackendTexts.status,
      value:
        isEnabled === false
          ? accessBackendTexts.disabled
          : isConnected === undefined
            ? unknownText
            : isConnected
              ? accessBackendTexts.connected
              : accessBackendTexts.down,
      role: isEnabled === true && isConnected === false ? 'error' : undefined,
    },
    ...counterNames.map((name) => ({
      label: accessBackendTexts[name],
      value: accessBackendTexts.rateAndTotal(formatRate(rates?.[name]), formatCount(counters?.[name])),
    })),
  ]);
};

const backendPanel = (
  theme: Theme,
  row: AccessBackendRow,
  nodeNames: readonly string[],
  width: number,
  height: number,
): ReactNode => {
  const { backend } = row;
  const room = detailRoom(width, height).width;
  const status = backendStatus(row);
  return rowPanel(
    theme.escape(backend.id, room),
    [
      {
        rows: [
          ...detailRows(room, [
            {
              label: trusted(backend.purpose),
              value: status === undefined ? unknownText : trusted(status),
              role: backendRole(row),
            },
          ]),
          ...restRows(theme, room, accessBackendColumns, drawn, row, undefined),
          ...(row.down.length === 0
            ? []
            : wrapWords(accessBackendTexts.downNote, room).map((text): SpanRow => [{ text, role: 'dim' }])),
        ],
      },
      ...[...backend.nodes.keys()].toSorted().map((node) => ({
        title: theme.escapeEnds(shortNodeName(node, nodeNames), room),
        rows: nodeRows(room, row, node),
      })),
    ],
    width,
    height,
  );
};

const identity = ({ key }: AccessBackendRow): string => key;
const copyText = ({ backend }: AccessBackendRow): string => backend.id;
const listKey = placeKey({ screen: 'accessBackends' });
const trouble: Trouble<AccessBackendRow> = {
  value: ({ down, backend, perSecond }) =>
    (down.length > 0 ? 1e9 : 0) + (backend.purpose === 'authentication' ? 1e8 : 0) + (perSecond.refused ?? 0),
};
const noRows: readonly AccessBackendRow[] = [];

/** Shows what decides who may connect, publish and subscribe, and how it decides. */
export const AccessBackendsScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const notOffered = useNotOffered(monitor, 'accessBackends', accessBackendTexts.notOffered);
  useWatch(monitor, notOffered === undefined ? accessBackends : undefined);
  const state = useReading(monitor, accessBackends);
  const rows = useStore(monitor.store, selectAccessBackends) ?? noRows;
  const view = useFifthTickList(monitor, state, safe`access backends`, safe` ${accessBackendTexts.empty}`);
  const nodeNames = useNodeNames(monitor);
  const list = useList({
    ...view,
    ...(notOffered !== undefined && { message: notOffered }),
    listKey,
    table: 'access-backends',
    rows,
    columns: accessBackendColumns,
    data: undefined,
    getId: identity,
    initialSort: troubleSort,
    trouble,
    noun: safe`access backend`,
    title: safe`Access backends`,
    detail: (row, ...size) => backendPanel(theme, row, nodeNames, ...size),
    detailBelow: 'narrow',
    copyText,
    width,
    height,
    notify,
  });
  return <ListView list={list} />;
};
