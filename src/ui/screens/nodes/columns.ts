import type { NodeStats } from '../../../domain/node.ts';
import { type Gauge, type NodeRow, withLastKnown } from '../../../monitor/select/nodes.ts';
import type { LastKnown } from '../../../monitor/state.ts';
import {
  formatAge,
  formatBrokerTime,
  formatBytes,
  formatCountIn,
  formatDuration,
  formatLoad,
  formatText,
} from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import { gaugeSpans, gaugeWidth } from '../../../terminal/gauge.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, widestFitting } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { type Threshold, thresholds } from '../../../triage/thresholds.ts';
import type { CellContext } from '../../components/column.ts';
import type { ListColumn } from '../../list/use-list.tsx';
import { type NumberField, orRaw } from '../clients/columns.ts';
import { nodesTexts } from '../texts.ts';

interface NodeListData {
  /** Seconds since the nodes' clocks were read. */
  readonly sinceReadSeconds: number;
  /** Age in seconds of the values of a node that is not running; `undefined` where there are none. */
  readonly oldSecondsOf: (row: NodeRow) => number | undefined;
}

type NodeColumn = ListColumn<NodeRow, NodeListData>;
type Context = CellContext<NodeListData>;

/** With the age of the other values where there is room. */
const statusText = (row: NodeRow, { theme, width, data }: Context): SafeText => {
  const word = statusWord(theme, row, width);
  const oldSeconds = data.oldSecondsOf(row);
  const withAge = oldSeconds === undefined ? word : safe`${word} ${formatAge(oldSeconds)}`;
  return safe` ${widestFitting([withAge], width - 2) ?? word}`;
};

/** Sign and word. */
const statusSpans = (row: NodeRow, context: Context): readonly Span[] => [
  statusSign(row),
  { text: fit(statusText(row, context), context.width - 1), role: statusRole(row) },
];

/** A row for the list; a node that is not running shows its last known values. */
export const listedNode = (row: NodeRow, last: LastKnown | undefined): NodeRow => {
  if (!isDown(row)) {
    return row;
  }
  if (last !== undefined) {
    return withLastKnown(row, last);
  }
  // The node list may be older than the status.
  return row.info === undefined ? row : { ...row, info: { ...row.info, uptimeSeconds: undefined, clock: undefined } };
};

/** Adds the seconds since the value was read, while the node runs. */
const addElapsed = (
  row: NodeRow,
  seconds: number | undefined,
  { sinceReadSeconds }: NodeListData,
): number | undefined => (seconds === undefined || isDown(row) ? seconds : seconds + sinceReadSeconds);

const rawInfo = ({ info }: NodeRow, field: string): string | undefined => info?.unparsed[field];

const figure = (
  id: string,
  header: SafeText,
  field: NumberField<NodeStats>,
  width: number,
  priority: number,
  format: (value: number | undefined, width: number) => SafeText = formatCountIn,
): NodeColumn => ({
  id,
  header,
  value: ({ stats }) => stats?.[field],
  format: ({ stats }, { text, width: room }) => orRaw(format(stats?.[field], room), stats?.unparsed[field], text),
  align: 'right',
  width,
  priority,
});

const share = (
  id: string,
  header: SafeText,
  gaugeOf: (row: NodeRow) => Gauge,
  limits: Threshold,
  priority: number,
): NodeColumn => ({
  id,
  header,
  value: (row) => {
    const of = gaugeOf(row).share;
    return of === undefined ? undefined : Math.round(of * 100);
  },
  type: 'number',
  raw: (row) => gaugeOf(row).share,
  sortsFrom: 'largest',
  largest: safe`fullest`,
  priority,
  highlightsChanges: false,
  ...gaugeColumn<NodeRow, NodeListData>(gaugeOf, limits),
  width: 12,
});

/** The columns of nodes (§2.2, §2.3). */
export const nodeColumns: readonly NodeColumn[] = [
  {
    id: 'node',
    header: safe`NODE`,
    value: ({ name }) => name,
    format: ({ name }, { text }) => text(name),
    width: { min: 17, max: 40, grow: 2 },
    isSticky: true,
    nameRole: (row) => statusRole(row),
  },
  {
    id: 'status',
    header: safe`STATUS`,
    value: ({ status, statusText }) => (status === 'other' ? statusText : status),
    format: (row, context) => safe`${statusSign(row).text}${statusText(row, context)}`,
    text: ({ status, statusText }) => `${status === 'unknown' ? 'gone' : status} ${statusText}`,
    spans: statusSpans,
    isCurrentInOldRows: true,
    width: { min: 9, max: 24, grow: 0.5 },
    priority: 1,
  },
  {
    id: 'version',
    header: safe`VERSION`,
    value: ({ info }) => info?.version,
    format: ({ info }, { text }) => formatText(info?.version, text),
    width: { min: 9, max: 16, grow: 0.5 },
    isSnug: true,
    priority: 3,
  },
  {
    id: 'uptime',
    header: safe`UPTIME`,
    value: ({ info }) => info?.uptimeSeconds,
    unit: 'seconds',
    format: (row, { data, text }) =>
      orRaw(formatDuration(addElapsed(row, row.info?.uptimeSeconds, data)), rawInfo(row, 'uptimeSeconds'), text),
    align: 'right',
    largest: safe`longest`,
    width: 8,
    priority: 1,
    highlightsChanges: false,
  },
  figure('clients', safe`CLIENTS`, 'clients', 9, 1),
  share('memory-share', safe`MEMORY`, ({ memory }) => memory, thresholds.memory, 1),
  share('process-share', safe`PROCESSES`, ({ processes }) => processes, thresholds.processes, 2),
  {
    ...figure('memory', safe`MEM USED`, 'memoryUsedBytes', 10, 3, formatBytes),
    unit: 'bytes',
    highlightsChanges: false,
  },
  {
    ...figure('total', safe`MEM TOTAL`, 'memoryTotalBytes', 11, 4, formatBytes),
    unit: 'bytes',
    highlightsChanges: false,
  },
  { ...figure('processes', safe`PROCS`, 'processesUsed', 7, 4), highlightsChanges: false },
  figure('limit', safe`PROC LIMIT`, 'processLimit', 12, 4),
  figure('fds', safe`MAX FDS`, 'maxFileDescriptors', 9, 4),
  { ...figure('load1', safe`LOAD1`, 'load1', 7, 1, formatLoad), highlightsChanges: false },
  { ...figure('load5', safe`LOAD5`, 'load5', 7, 3, formatLoad), highlightsChanges: false },
  { ...figure('load15', safe`LOAD15`, 'load15', 8, 3, formatLoad), highlightsChanges: false },
  {
    id: 'otp',
    role: 'dim',
    header: safe`RUNTIME`,
    value: ({ info, stats }) => info?.otpRelease ?? stats?.otpRelease,
    format: ({ info, stats }, { text }) => formatText(info?.otpRelease ?? stats?.otpRelease, text),
    width: { min: 7, max: 20, grow: 0.5 },
    isSnug: true,
    priority: 5,
  },
  {
    id: 'clock',
    role: 'dim',
    header: safe`CLOCK`,
    value: ({ info }) => info?.clock,
    type: 'time',
    format: (row, { data, text }) => {
      const clock = addElapsed(row, row.info?.clock, data);
      return orRaw(
        formatBrokerTime(clock === undefined ? undefined : Math.floor(clock)),
        rawInfo(row, 'datetime'),
        text,
      );
    },
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 19,
    priority: 5,
    highlightsChanges: false,
  },
  {
    id: 'description',
    role: 'dim',
    header: safe`DESCRIPTION`,
    value: ({ info }) => info?.description,
    format: ({ info }, { text }) => formatText(info?.description, text),
    width: { min: 13, max: 60 },
    priority: 6,
  },
];

/** How a column of gauges is drawn: at most ten cells and the percentage, in the colour of its severity. */
export function gaugeColumn<Row, Data>(
  gaugeOf: (row: Row) => Gauge,
  limits: Threshold,
): Pick<ListColumn<Row, Data>, 'format' | 'spans' | 'width' | 'fills'> {
  const spans = (row: Row, { width }: Pick<CellContext<Data>, 'width'>): readonly Span[] => {
    const { used, limit } = gaugeOf(row);
    return gaugeSpans(width, used, limit, limits);
  };
  return {
    spans,
    format: (row, context) => joinSafe(spans(row, context).map(({ text }) => text)),
    width: { min: 12, max: gaugeWidth, grow: 0.5 },
    fills: true,
  };
}

export const statusSign = ({ status }: NodeRow): Span => {
  switch (status) {
    case 'running':
      return { text: glyphs.running, role: 'ok' };
    case 'other':
      return { text: safe`?`, role: 'warning' };
    case 'stopped':
    case 'unknown':
      return { text: glyphs.stopped, role: 'error' };
  }
};

/** The status in a word, or the broker's text. */
export const statusWord = (theme: Theme, { status, statusText }: NodeRow, width?: number): SafeText => {
  switch (status) {
    case 'running':
      return safe`running`;
    case 'stopped':
      return safe`stopped`;
    case 'unknown':
      return safe`gone`;
    case 'other':
      return theme.escape(statusText, width);
  }
};

export const statusRole = ({ status }: NodeRow): Role =>
  status === 'running' ? 'normal' : status === 'other' ? 'warning' : 'error';

/** How long the status has lasted. With `seenMs` (`selectLastReadMs`): as of that time. */
export const statusDuration = ({ sinceMs }: NodeRow, nowMs: number, seenMs: number | undefined): SafeText => {
  const lasted =
    sinceMs === undefined
      ? nodesTexts.sinceBeforeStart
      : nodesTexts.duration(Math.max(0, (seenMs ?? nowMs) - sinceMs) / 1000);
  return seenMs === undefined ? lasted : nodesTexts.seen(lasted, Math.max(0, nowMs - seenMs) / 1000);
};

export const isDown = ({ status }: NodeRow): boolean => status === 'stopped' || status === 'unknown';
