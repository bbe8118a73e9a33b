import { type NodeName, shortNodeNames } from '../../../domain/node.ts';
import type { LastKnown } from '../resource.ts';
import { type Gauge, gauge, lastClients, type NodeRow } from '../select.ts';
import { isDown, statusDuration, statusRole, statusSign, statusWord } from './columns.ts';
import {
  formatBytes,
  formatCount,
  formatCountIn,
  formatDuration,
  formatLoad,
  formatMinShare,
  loadingText,
} from '../../../terminal/format.ts';
import { gaugeSpans, gaugeWidth, type Thresholds } from '../../../terminal/gauge.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { type Span, spansWidth } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, widthOf } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { thresholds } from '../../../triage/thresholds.ts';
import { fillRows, fitSpans, type SpanRow } from '../../../tui/components/blocks.ts';
import { type ColumnLayout, layoutColumns } from '../../../tui/components/column-layout.ts';
import type { Column } from '../../../tui/components/column.ts';
import { nodesTexts } from '../texts.ts';

interface NodeContext {
  readonly sinceNodesReadSeconds: number;
  readonly highLoad: NodeName | undefined;
  readonly nameOf: (row: NodeRow) => SafeText;
}

interface SpanColumn {
  readonly id: string;
  readonly header: SafeText;
  readonly width: Column<NodeRow>['width'];
  readonly priority: number;
  readonly isRight?: boolean;
  readonly spans: (row: NodeRow, width: number, theme: Theme, context: NodeContext) => SpanRow;
}

/** Returns clients and the sum of the limits of all MQTT listeners; without a limit if one is unknown. */
export const clientGauge = (row: NodeRow): Gauge => {
  const mqtt = (row.listeners ?? []).filter(({ protocol }) => protocol.startsWith('mqtt:') && protocol !== 'mqtt:api');
  const limits = mqtt.map(({ maxClients }) => maxClients);
  const known = limits.filter((limit) => limit !== undefined);
  const used = row.counts?.clients.count ?? row.stats?.clients;
  return gauge(
    used,
    mqtt.length > 0 && known.length === mqtt.length ? known.reduce((sum, limit) => sum + limit, 0) : undefined,
  );
};

/** Whether the load of the last minute is clearly above that of the last five. */
export const isLoadRising = (load1: number | undefined, load5: number | undefined): boolean =>
  load1 !== undefined && load5 !== undefined && load1 > load5 * 1.2 && load1 - load5 > 0.1;

const ofLimit = ({ used, limit }: Gauge, format: (figure: number | undefined) => SafeText): SafeText =>
  limit === undefined ? format(used) : safe`${format(used)} of ${format(limit)}`;

const figure = (text: SafeText, role?: Span['role']): SpanRow => [{ text, role }];

/**
 * Draws a gauge of at most ten cells, with figures before it if they fit. It begins with a space, which the narrowest
 * gauges have of their own.
 */
const gaugeCell = (
  { used, limit }: Gauge,
  width: number,
  limits: Thresholds,
  words: SafeText,
  wordsWidth: number,
): SpanRow => {
  if (width >= wordsWidth + 1 + minGaugeWidth)
    return [
      { text: fit(words, wordsWidth, 'right') },
      { text: safe` ` },
      ...gaugeSpans(Math.min(gaugeWidth, width - wordsWidth - 1), used, limit, limits),
    ];
  return width <= minGaugeWidth
    ? gaugeSpans(minGaugeWidth - 1, used, limit, limits)
    : [{ text: safe` ` }, ...gaugeSpans(Math.min(gaugeWidth, width - 1), used, limit, limits)];
};

const minGaugeWidth = 12;

const columns: readonly SpanColumn[] = [
  {
    id: 'node',
    header: safe`  NODE`,
    width: { min: 14, max: 34, grow: 2 },
    priority: 0,
    spans: (row, width, _, { nameOf }) => [statusSign(row), { text: safe` ` }, { text: fit(nameOf(row), width - 2) }],
  },
  {
    id: 'status',
    header: safe`STATUS`,
    width: 7,
    priority: 2,
    spans: (row, width, theme) => figure(fit(statusWord(theme, row, width), width), statusRole(row)),
  },
  {
    id: 'clients',
    header: safe`CLIENTS`,
    width: { min: 7, max: 25 },
    priority: 1,
    spans: (row, width) => {
      const { used, limit } = clientGauge(row);
      const count: Span = { text: fit(formatCountIn(used, 7), 7, 'right') };
      return width < 8 + minGaugeWidth
        ? [count]
        : [
            count,
            { text: safe` ` },
            ...gaugeSpans(Math.min(gaugeWidth, width - 8), used, limit, thresholds.listenerClients),
          ];
    },
  },
  {
    id: 'memory',
    header: safe` MEMORY`,
    width: { min: 11, max: 38, grow: 2 },
    priority: 1,
    spans: ({ memory }, width) => gaugeCell(memory, width, thresholds.memory, ofLimit(memory, formatBytes), 20),
  },
  {
    id: 'processes',
    header: safe` PROCESSES`,
    width: { min: 11, max: 38, grow: 2 },
    priority: 3,
    spans: ({ processes }, width) =>
      gaugeCell(processes, width, thresholds.processes, ofLimit(processes, formatCount), 20),
  },
  {
    // The API gives only the limit. Each client takes a descriptor, so the share is a lower bound.
    id: 'descriptors',
    header: safe`FDS`,
    width: { min: 7, max: 20 },
    priority: 4,
    isRight: true,
    spans: ({ fileDescriptors: { share, limit } }, width) => {
      const minShare = formatMinShare(share);
      const sign = share !== undefined && share >= thresholds.fileDescriptors.warning ? safe`! ` : safe``;
      return figure(
        fit(width < 19 ? safe`${sign}${minShare}` : safe`${sign}${minShare} of ${formatCount(limit)}`, width, 'right'),
        sign === '' ? 'normal' : 'warning',
      );
    },
  },
  {
    id: 'load1',
    header: safe`LOAD1`,
    width: 6,
    priority: 1,
    isRight: true,
    spans: ({ name, stats }, width, _, { highLoad }) => {
      const text = formatLoad(stats?.load1);
      return figure(
        fit(isLoadRising(stats?.load1, stats?.load5) ? safe`${glyphs.rising}${text}` : text, width, 'right'),
        name === highLoad ? 'warning' : 'normal',
      );
    },
  },
  {
    id: 'load5',
    header: safe`5`,
    width: 5,
    priority: 5,
    isRight: true,
    spans: ({ stats }, width) => figure(fit(formatLoad(stats?.load5), width, 'right')),
  },
  {
    id: 'load15',
    header: safe`15`,
    width: 5,
    priority: 5,
    isRight: true,
    spans: ({ stats }, width) => figure(fit(formatLoad(stats?.load15), width, 'right')),
  },
  {
    id: 'uptime',
    header: safe`UPTIME`,
    width: 7,
    priority: 2,
    isRight: true,
    spans: ({ info }, width, _, { sinceNodesReadSeconds }) =>
      figure(
        fit(
          formatDuration(info?.uptimeSeconds === undefined ? undefined : info.uptimeSeconds + sinceNodesReadSeconds),
          width,
          'right',
        ),
      ),
  },
];

const byId = new Map(columns.map((column) => [column.id, column]));
// For the layout, which needs only widths.
const layoutable = columns.map(({ id, header, width, priority, isRight }): Column<NodeRow> => ({
  id,
  header,
  width,
  priority,
  align: isRight === true ? 'right' : 'left',
  isSticky: id === 'node',
  value: () => undefined,
  format: () => safe``,
}));

/** Ranks nodes: those that are down, then the fullest. */
const troubleOf = (row: NodeRow): number => {
  if (row.status !== 'running') {
    return row.status === 'other' ? 100 : 200;
  }
  return Math.max(
    row.memory.share ?? 0,
    row.processes.share ?? 0,
    row.fileDescriptors.share ?? 0,
    clientGauge(row).share ?? 0,
  );
};

/** Returns all nodes by name, or the worst if there are too many. */
const choose = (nodes: readonly NodeRow[], room: number): readonly NodeRow[] =>
  nodes.length <= room ? nodes : nodes.toSorted((a, b) => troubleOf(b) - troubleOf(a)).slice(0, Math.max(0, room - 1));

export interface NodesView {
  readonly nodes: readonly NodeRow[];
  /** Shown if there are no nodes. */
  readonly message: Span;
  readonly nowMs: number;
  /** When the nodes were last read, if they are not current. */
  readonly seenMs: number | undefined;
  readonly lastKnown?: ReadonlyMap<NodeName, LastKnown> | undefined;
  /** The node whose load a check found too high. */
  readonly highLoad?: NodeName | undefined;
  readonly sinceNodesReadSeconds: number;
  /** Whether requests are not answered yet. */
  readonly isLoading: { readonly nodes: boolean; readonly nodeStats: boolean };
}

/** Returns what a row of a node is for clicks. */
export const nodeClickId = (name: NodeName): string => `node ${name}`;

type Placed = ColumnLayout<NodeRow, undefined>['placed'];

const cellsRow = (cells: readonly SpanRow[], between: Span): SpanRow => {
  const row: Span[] = [{ text: safe` ` }];
  for (const [index, cell] of cells.entries()) row.push(...(index === 0 ? [] : [between]), ...cell);
  return row;
};

const nodeCells = (
  theme: Theme,
  row: NodeRow,
  placed: Placed,
  { isLoading }: NodesView,
  context: NodeContext,
): readonly SpanRow[] => {
  const cells: SpanRow[] = [];
  for (const {
    column: { id, align },
    width,
  } of placed) {
    const isWaiting = (id === 'uptime' ? isLoading.nodes : isLoading.nodeStats) && id !== 'node' && id !== 'status';
    const isMissing = id === 'uptime' ? row.info === undefined : row.stats === undefined;
    cells.push(
      isWaiting && isMissing
        ? [{ text: fit(loadingText, width, align), role: 'dim' }]
        : fitSpans(byId.get(id)?.spans(row, width, theme, context) ?? [], width),
    );
  }
  return cells;
};

/** Draws the nodes below their headers in exactly `height` rows; without headers where there are few. */
export const nodeRows = (theme: Theme, width: number, height: number, view: NodesView): readonly SpanRow[] => {
  const hasHeader = height >= 3;
  const room = hasHeader ? height - 1 : height;
  const gap = width < 100 ? 1 : 2;
  const { placed } = layoutColumns(layoutable, width - 2, {}, gap);
  const between: Span = { text: gap === 1 ? safe` ` : safe`  ` };
  const header = cellsRow(
    placed.map(({ column, width: own }) => [{ text: fit(column.header, own, column.align), role: 'header' }]),
    between,
  );
  const name = placed[0]?.width ?? 15;
  const names = view.nodes.map((row) => row.name);
  // Short names rather than cut ones.
  const shortNames = names.every((full) => widthOf(theme.escape(full, name)) <= name - 2)
    ? undefined
    : shortNodeNames(names);
  const nameOf = (row: NodeRow): SafeText => theme.escapeEnds(shortNames?.get(row.name) ?? row.name, name - 2);
  const down = (row: NodeRow): SpanRow => {
    const clients = lastClients(view.lastKnown?.get(row.name));
    const lead: SpanRow = [{ text: safe` ` }, statusSign(row), { text: safe` ${fit(nameOf(row), name - 2)}` }, between];
    const words: SpanRow = [
      { text: statusWord(theme, row), role: statusRole(row) },
      { text: safe` ${statusDuration(row, view.nowMs, view.seenMs)}` },
      { text: safe`, ${nodesTexts.noFigures(clients)}`, role: 'dim' },
    ];
    return [...lead, ...fitSpans(words, Math.max(0, width - spansWidth(lead)))];
  };
  const about: NodeContext = { sinceNodesReadSeconds: view.sinceNodesReadSeconds, highLoad: view.highLoad, nameOf };
  const shown = choose(view.nodes, room);
  const rows = shown.map((row) =>
    (isDown(row) ? down(row) : cellsRow(nodeCells(theme, row, placed, view, about), between)).map((span): Span => ({
      ...span,
      clickId: nodeClickId(row.name),
    })),
  );
  const hidden = view.nodes.length - shown.length;
  if (hidden > 0) {
    rows.push([{ text: safe` ${nodesTexts.moreNodes(hidden)}`, role: 'dim' }]);
  }
  if (rows.length === 0) {
    rows.push([view.message]);
  }
  return [...(hasHeader ? [header] : []), ...fillRows(rows, room)];
};
