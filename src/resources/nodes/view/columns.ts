import { formatAge, formatBrokerTime, formatDuration, formatLoad } from '../../../terminal/format.ts';
import { gaugeSpans, gaugeWidth } from '../../../terminal/gauge.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { fit, widestFitting } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import { type Threshold, thresholds } from '../../../triage/thresholds.ts';
import type { CellContext } from '../../../tui/components/column.ts';
import { columnsOf, type Look, orRaw } from '../../../tui/components/field-columns.ts';
import type { ListColumn } from '../../../tui/list/use-list.tsx';
import { nodeFields } from '../fields.ts';
import type { LastKnown } from '../resource.ts';
import { type Gauge, type NodeRow, withLastKnown } from '../select.ts';
import { nodesTexts } from '../texts.ts';

interface NodeListData {
  /** Seconds since the nodes' clocks were read. */
  readonly sinceReadSeconds: number;
  /** Returns how many seconds old the values of a node are that is not running; `undefined` where there are none. */
  readonly oldSecondsOf: (row: NodeRow) => number | undefined;
}

type NodeColumn = ListColumn<NodeRow, NodeListData>;
type Context = CellContext<NodeListData>;

/** Writes the status, with the age of the other values where there is room. */
const statusText = (row: NodeRow, { theme, width, data }: Context): SafeText => {
  const word = statusWord(theme, row, width);
  const oldSeconds = data.oldSecondsOf(row);
  const withAge = oldSeconds === undefined ? word : safe`${word} ${formatAge(oldSeconds)}`;
  return safe` ${widestFitting([withAge], width - 2) ?? word}`;
};

/** Draws sign and word. */
const statusSpans = (row: NodeRow, context: Context): readonly Span[] => [
  statusSign(row),
  { text: fit(statusText(row, context), context.width - 1), role: statusRole(row) },
];

/** Returns a row for the list; a node that is not running shows its last known values. */
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

const load = (id: 'load1' | 'load5' | 'load15', width: number, priority: number): Look<NodeRow, NodeListData> => ({
  format: (row, { text }) => orRaw(formatLoad(nodeFields[id].get(row)), nodeFields[id].unparsed(row), text),
  width,
  priority,
  highlightsChanges: false,
});

const percent = (gaugeOf: (row: NodeRow) => Gauge, limits: Threshold) => ({
  ...gaugeColumn<NodeRow, NodeListData>(gaugeOf, limits),
  width: 12,
});

/** The columns of nodes. */
export const nodeColumns: readonly NodeColumn[] = columnsOf(nodeFields, {
  node: { width: { min: 17, max: 40, grow: 2 }, isSticky: true, nameRole: (row) => statusRole(row) },
  status: {
    format: (row, context) => safe`${statusSign(row).text}${statusText(row, context)}`,
    spans: statusSpans,
    isCurrentInOldRows: true,
    width: { min: 9, max: 24, grow: 0.5 },
    priority: 1,
  },
  version: { width: { min: 9, max: 16, grow: 0.5 }, isSnug: true, priority: 3 },
  uptime: {
    format: (row, { data, text }) =>
      orRaw(formatDuration(addElapsed(row, row.info?.uptimeSeconds, data)), nodeFields.uptime.unparsed(row), text),
    width: 8,
    priority: 1,
    highlightsChanges: false,
  },
  clients: { width: 9, priority: 1 },
  'memory-share': { ...percent(({ memory }) => memory, thresholds.memory), priority: 1 },
  'process-share': { ...percent(({ processes }) => processes, thresholds.processes), priority: 2 },
  memory: { width: 10, priority: 3, highlightsChanges: false },
  total: { width: 11, priority: 4, highlightsChanges: false },
  processes: { width: 7, priority: 4, highlightsChanges: false },
  limit: { width: 12, priority: 4 },
  fds: { width: 9, priority: 4 },
  load1: load('load1', 7, 1),
  load5: load('load5', 7, 3),
  load15: load('load15', 8, 3),
  otp: { role: 'dim', width: { min: 7, max: 20, grow: 0.5 }, isSnug: true, priority: 5 },
  clock: {
    role: 'dim',
    format: (row, { data, text }) => {
      const clock = addElapsed(row, row.info?.clock, data);
      return orRaw(
        formatBrokerTime(clock === undefined ? undefined : Math.floor(clock)),
        nodeFields.clock.unparsed(row),
        text,
      );
    },
    width: 19,
    priority: 5,
    highlightsChanges: false,
  },
  description: { role: 'dim', width: { min: 13, max: 60 }, priority: 6 },
});

/** Draws a column of gauges: at most ten cells and the percentage, in the colour of its severity. */
export function gaugeColumn<Row, Data>(
  gaugeOf: (row: Row) => Gauge,
  limits: Threshold,
): Pick<ListColumn<Row, Data>, 'format' | 'spans' | 'width' | 'fills' | 'align'> {
  const spans = (row: Row, { width }: Pick<CellContext<Data>, 'width'>): readonly Span[] => {
    const { used, limit } = gaugeOf(row);
    return gaugeSpans(width, used, limit, limits);
  };
  return {
    spans,
    format: (row, context) => joinSafe(spans(row, context).map(({ text }) => text)),
    width: { min: 12, max: gaugeWidth, grow: 0.5 },
    fills: true,
    align: 'left',
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

/** Writes the status in a word, or the broker's text. */
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

/** Says how long the status has lasted. With `seenMs` (`selectLastReadMs`): as of that time. */
export const statusDuration = ({ sinceMs }: NodeRow, nowMs: number, seenMs: number | undefined): SafeText => {
  const lasted =
    sinceMs === undefined
      ? nodesTexts.sinceBeforeStart
      : nodesTexts.duration(Math.max(0, (seenMs ?? nowMs) - sinceMs) / 1000);
  return seenMs === undefined ? lasted : nodesTexts.seen(lasted, Math.max(0, nowMs - seenMs) / 1000);
};

export const isDown = ({ status }: NodeRow): boolean => status === 'stopped' || status === 'unknown';
