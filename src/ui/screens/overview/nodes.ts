import { type Gauge, gauge, type ListenerRow, type NodeRow } from '../../../monitor/select/nodes.ts';
import type { MonitorState } from '../../../monitor/state.ts';
import { formatAge, formatBytes, formatCount, formatCountIn, formatDuration, formatLoad, formatMinShare, loadingText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { gaugeSpans, type Thresholds } from '../../../terminal/graphs.ts';
import { type Span, spansWidth } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { fit } from '../../../terminal/text-width.ts';
import type { Theme } from '../../../terminal/theme.ts';
import { lastClients } from '../../../triage/problems.ts';
import { thresholds } from '../../../triage/thresholds.ts';
import { fillRows, fitSpans, type SpanRow, titleRow } from '../../components/blocks.ts';
import { layoutColumns } from '../../components/column-layout.ts';
import type { Column } from '../../components/column.ts';
import { isDown, statusDuration, statusRole, statusSign, statusWord } from '../nodes/columns.ts';

/** A column whose cells have several looks. */
interface SpanColumn {
  readonly id: string;
  readonly header: SafeText;
  readonly width: Column<NodeRow>['width'];
  readonly priority: number;
  readonly isRight?: boolean;
  readonly spans: (row: NodeRow, width: number, theme: Theme, sinceNodesReadSeconds: number) => SpanRow;
}

/** The clients that a node's MQTT listeners take together; `undefined` unless all of them tell. */
export const clientGauge = (row: NodeRow): Gauge => {
  const mqtt = (row.listeners ?? []).filter(({ protocol }) => protocol.startsWith('mqtt:') && protocol !== 'mqtt:api');
  const limits = mqtt.map(({ maxClients }) => maxClients);
  const known = limits.filter((limit) => limit !== undefined);
  const used = row.counts?.clients.count ?? row.stats?.clients;
  return gauge(used, mqtt.length > 0 && known.length === mqtt.length ? known.reduce((sum, limit) => sum + limit, 0) : undefined);
};

/** Load that grows: the last minute is clearly above the last five. */
export const isLoadRising = (load1: number | undefined, load5: number | undefined): boolean =>
  load1 !== undefined && load5 !== undefined && load1 > load5 * 1.2 && load1 - load5 > 0.1;

const figure = (text: SafeText, role?: Span['role']): SpanRow => [{ text, role }];

/** A gauge; where there is no room for a bar the percentage alone, with its sign. */
const shareSpans = (width: number, used: number | undefined, limit: number | undefined, limits: Thresholds): SpanRow => {
  if (width >= 8) {
    return gaugeSpans(width, used, limit, limits);
  }
  const [, ...figures] = gaugeSpans(8, used, limit, limits);
  const text = joinSafe(figures.slice(-1).map((span) => span.text));
  return [{ text: fit(trusted(text.trimStart()), width, 'right'), role: figures.at(-1)?.role }];
};

/** A gauge with its figures before it where there is room. */
const gaugeCell = ({ used, limit }: Gauge, width: number, limits: Thresholds, words: SafeText, wordsWidth: number): SpanRow =>
  width < wordsWidth + 8
    ? gaugeSpans(width, used, limit, limits)
    : [{ text: fit(words, wordsWidth, 'right') }, { text: safe` ` }, ...gaugeSpans(width - wordsWidth - 1, used, limit, limits)];

const columns: readonly SpanColumn[] = [
  {
    id: 'node', header: safe`  NODE`, width: { min: 14, max: 34, grow: 2 }, priority: 0,
    spans: (row, width, theme) => [statusSign(row), { text: safe` ` }, { text: fit(theme.escape(row.name, width), width - 2), role: 'title' }],
  },
  {
    id: 'status', header: safe`STATUS`, width: 7, priority: 2,
    spans: (row, width, theme) => figure(fit(statusWord(theme, row, width), width), statusRole(row)),
  },
  {
    id: 'clients', header: safe`CLIENTS`, width: { min: 12, max: 26 }, priority: 1,
    spans: (row, width) => {
      const { used, limit } = clientGauge(row);
      return [{ text: safe`${fit(formatCountIn(used, 6), 6, 'right')} ` }, ...shareSpans(width - 7, used, limit, thresholds.listenerClients)];
    },
  },
  {
    id: 'memory', header: safe`MEMORY`, width: { min: 9, max: 42, grow: 2 }, priority: 1,
    spans: ({ memory }, width) => gaugeCell(memory, width, thresholds.memory, safe`${formatBytes(memory.used)} of ${formatBytes(memory.limit)}`, 20),
  },
  {
    id: 'processes', header: safe`PROCESSES`, width: { min: 9, max: 42, grow: 2 }, priority: 3,
    spans: ({ processes }, width) =>
      gaugeCell(processes, width, thresholds.processes, safe`${formatCount(processes.used)} of ${formatCount(processes.limit)}`, 20),
  },
  {
    // The interface tells the limit alone; every client takes a descriptor, so their share is the least.
    id: 'descriptors', header: safe`FDS`, width: { min: 7, max: 20 }, priority: 4, isRight: true,
    spans: ({ fileDescriptors: { share, limit } }, width) => {
      const minShare = formatMinShare(share);
      const sign = share !== undefined && share >= thresholds.fileDescriptors.warning ? safe`!` : safe``;
      return figure(fit(width < 19 ? safe`${sign}${minShare}` : safe`${sign}${minShare} of ${formatCount(limit)}`, width, 'right'), sign === '' ? 'normal' : 'warning');
    },
  },
  {
    id: 'load1', header: safe`LOAD1`, width: 6, priority: 1, isRight: true,
    spans: ({ stats }, width) => {
      const isRising = isLoadRising(stats?.load1, stats?.load5);
      const text = formatLoad(stats?.load1);
      return figure(fit(isRising ? safe`${glyphs.rising}${text}` : text, width, 'right'), isRising ? 'warning' : 'normal');
    },
  },
  { id: 'load5', header: safe`5`, width: 5, priority: 5, isRight: true, spans: ({ stats }, width) => figure(fit(formatLoad(stats?.load5), width, 'right')) },
  { id: 'load15', header: safe`15`, width: 5, priority: 5, isRight: true, spans: ({ stats }, width) => figure(fit(formatLoad(stats?.load15), width, 'right')) },
  {
    id: 'uptime', header: safe`UPTIME`, width: 7, priority: 2, isRight: true, 
    spans: ({ info }, width, _, sinceReadSeconds) =>
      figure(fit(formatDuration(info?.uptimeSeconds === undefined ? undefined : info.uptimeSeconds + sinceReadSeconds), width, 'right')),
  },
];

const byId = new Map(columns.map((column) => [column.id, column]));
// The layout asks for columns of text; these have spans and only lend their widths.
const layoutable = columns.map(({ id, header, width, priority, isRight }): Column<NodeRow> => ({
  id, header, width, priority, align: isRight === true ? 'right' : 'left', isSticky: id === 'node', value: () => undefined, format: () => safe``,
}));

/** How bad a node is: nodes that do not run, then the fullest. */
const badness = (row: NodeRow): number => {
  if (row.status !== 'running') {
    return row.status === 'other' ? 100 : 200;
  }
  return Math.max(row.memory.share ?? 0, row.processes.share ?? 0, row.fileDescriptors.share ?? 0, clientGauge(row).share ?? 0);
};

/** The nodes to show: all by name, or when there are too many the worst first. */
const choose = (nodes: readonly NodeRow[], room: number): readonly NodeRow[] =>
  nodes.length <= room ? nodes : nodes.toSorted((a, b) => badness(b) - badness(a)).slice(0, Math.max(0, room - 1));

export interface NodesView {
  readonly nodes: readonly NodeRow[];
  /** Said in place of the nodes while there are none. */
  readonly message: Span;
  readonly nowMs: number;
  /** When the nodes were last read, where that is past. */
  readonly seenMs: number | undefined;
  readonly lastKnown?: MonitorState['lastKnown'];
  /** By how much uptimes have grown since they were read. */
  readonly sinceNodesReadSeconds: number;
  /** Nothing has come yet of these parts. */
  readonly isLoading: { readonly nodes: boolean; readonly nodeStats: boolean };
}

/** The health of each node in `height` rows below a header. */
export const nodeRows = (theme: Theme, width: number, height: number, view: NodesView): readonly SpanRow[] => {
  const gap = width < 100 ? 1 : 2;
  const { placed } = layoutColumns(layoutable, width - 2, {}, gap);
  const between: Span = { text: gap === 1 ? safe` ` : safe`  ` };
  const line = (cells: readonly SpanRow[]): SpanRow => [{ text: safe` ` }, ...cells.flatMap((cell, index) => (index === 0 ? cell : [between, ...cell]))];

  const header = line(placed.map(({ column, width: own }) => [{ text: fit(column.header, own, column.align), role: 'header' }]));
  const down = (row: NodeRow): SpanRow => {
    const name = placed[0]?.width ?? 15;
    const clients = lastClients(view.lastKnown?.get(row.name));
    const lead: SpanRow = [{ text: safe` ` }, statusSign(row), { text: safe` ${fit(theme.escape(row.name, name), name - 2)}`, role: 'title' }, between];
    const words: SpanRow = [
      { text: statusWord(theme, row), role: statusRole(row) },
      { text: safe` ${statusDuration(row, view.nowMs, view.seenMs)}` },
      { text: clients === undefined ? safe`, no figures` : safe`, no figures; had ${formatCount(clients)} clients`, role: 'dim' },
    ];
    return [...lead, ...fitSpans(words, Math.max(0, width - spansWidth(lead)))];
  };
  const up = (row: NodeRow): SpanRow => line(placed.map(({ column, width: own }) => {
    const isWaiting = (column.id === 'uptime' ? view.isLoading.nodes : view.isLoading.nodeStats) && column.id !== 'node' && column.id !== 'status';
    const missing = column.id === 'uptime' ? row.info === undefined : row.stats === undefined;
    return isWaiting && missing
      ? [{ text: fit(loadingText, own, column.align), role: 'dim' }]
      : fitSpans(byId.get(column.id)?.spans(row, own, theme, view.sinceNodesReadSeconds) ?? [], own);
  }));
  const shown = choose(view.nodes, height);
  const rows = shown.map((row) => (isDown(row) ? down(row) : up(row)));
  const hidden = view.nodes.length - shown.length;
  if (hidden > 0) {
    rows.push([{ text: safe` +${formatCount(hidden)} more nodes, the worst are shown (2 lists all)`, role: 'dim' }]);
  }
  if (rows.length === 0) {
    rows.push([view.message]);
  }
  return [header, ...fillRows(rows, height)];
};

/** Columns of everything but node and gauge. */
const figuresWidth = 48;

/** A listener in one row: protocol, address, connections of their maximum. `withNode` puts its node before. */
export const listenerRow = (theme: Theme, width: number, { node, listener, clients }: ListenerRow, withNode: boolean): SpanRow => {
  const room = width - figuresWidth;
  const gaugeWidth = Math.max(10, Math.min(30, room - (withNode ? 18 : 0)));
  const nodeWidth = Math.max(8, Math.min(24, room - gaugeWidth - 1));
  return [
    { text: safe` ${withNode ? safe`${fit(theme.escape(node, nodeWidth), nodeWidth)} ` : safe``}` },
    { text: safe`${fit(theme.escape(listener.protocol, 11), 11)} ${fit(theme.escape(listener.listen, 15), 15)}` },
    { text: safe` ${fit(formatCountIn(clients.used, 6), 6, 'right')} of ${fit(formatCountIn(clients.limit, 9), 9)}` },
    ...gaugeSpans(gaugeWidth, clients.used, clients.limit, thresholds.listenerClients),
  ];
};

/** The fullest listeners in `height` rows with a title, read `age` seconds ago: not as often as the figures around them. */
export const listenerRows = (
  theme: Theme, width: number, height: number, listeners: readonly ListenerRow[] | undefined, message: Span, age?: number | undefined,
): readonly SpanRow[] => {
  if (height < 2) {
    return [];
  }
  const room = height - 1;
  const all = listeners ?? [];
  const sorted = all.length > room ? all.toSorted((a, b) => (b.clients.share ?? 0) - (a.clients.share ?? 0)) : all;
  const shown = sorted.slice(0, all.length > room ? room - 1 : room).map((row) => listenerRow(theme, width, row, true));
  const hidden = all.length - shown.length;
  return [
    titleRow(width, safe`Listeners`, age === undefined ? safe`clients of the most they take` : safe`clients of the most they take, read ${formatAge(age)}`),
    ...(all.length === 0 ? [[message]] : shown),
    ...(hidden > 0 ? [[{ text: safe` +${formatCount(hidden)} more, the fullest are shown (3 lists all)`, role: 'dim' } as const]] : []),
  ];
};
