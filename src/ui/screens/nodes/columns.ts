import { type NodeRow, withLastKnown } from '../../../monitor/select/nodes.ts';
import type { LastKnown } from '../../../monitor/state.ts';
import { formatAge, formatBrokerTime, formatBytes, formatCountIn, formatDuration, formatLoad, formatText } from '../../../terminal/format.ts';
import { glyphs } from '../../../terminal/glyphs.ts';
import type { Span } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { widestFitting } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { CellContext } from '../../components/column.ts';
import type { ListColumn } from '../../list/use-list.tsx';
import { orRaw } from '../clients/columns.ts';

/** Data of the cells. */
export interface NodeListData {
  /** Seconds since the nodes' clocks were read. */
  readonly sinceReadSeconds: number;
  /** Age in seconds of the values of a node that is not running; `undefined` where there are none. */
  readonly oldSecondsOf: (row: NodeRow) => number | undefined;
}

type NodeColumn = ListColumn<NodeRow, NodeListData>;
type Context = CellContext<NodeListData>;

const formatStatus = (row: NodeRow, { theme, width, data }: Context): SafeText => {
  const status = safe`${statusSign(row).text} ${statusWord(theme, row, width)}`;
  const oldSeconds = data.oldSecondsOf(row);
  const aged = oldSeconds === undefined ? status : safe`${status} ${formatAge(oldSeconds)}`;
  return widestFitting([aged], width) ?? status;
};

/** A row for the list: a node that is not running shows its last values, without those that only hold while it runs. */
export const listedNode = (row: NodeRow, last: LastKnown | undefined): NodeRow => {
  if (!isDown(row)) {
    return row;
  }
  if (last !== undefined) {
    return withLastKnown(row, last);
  }
  // The node list may not know yet that it stopped.
  return row.info === undefined ? row : { ...row, info: { ...row.info, uptimeSeconds: undefined, clock: undefined } };
};

/** Uptime counted on since it was read, unless the node stopped. */
const runOn = (row: NodeRow, seconds: number | undefined, { sinceReadSeconds }: NodeListData): number | undefined =>
  seconds === undefined || isDown(row) ? seconds : seconds + sinceReadSeconds;

const rawInfo = ({ info }: NodeRow, field: string): string | undefined => info?.unparsed[field];
const rawStats = ({ stats }: NodeRow, field: string): string | undefined => stats?.unparsed[field];

const figure = (
  id: string,
  header: SafeText,
  field: string,
  width: number,
  priority: number,
  value: (row: NodeRow) => number | undefined,
  format: (value: number | undefined, width: number) => SafeText,
): NodeColumn => ({
  id,
  header,
  value,
  format: (row, { text, width: room }) => orRaw(format(value(row), room), rawStats(row, field), text),
  align: 'right',
  width,
  priority,
});

/** All figures of §2.2 and §2.3. */
export const nodeColumns: readonly NodeColumn[] = [
  {
    id: 'node',
    header: safe`NODE`,
    value: ({ name }) => name,
    format: ({ name }, { text }) => text(name),
    width: { min: 16, max: 40, grow: 2 },
    isSticky: true,
  },
  {
    id: 'status',
    header: safe`STATUS`,
    value: ({ status, statusText }) => (status === 'other' ? statusText : status),
    format: formatStatus,
    text: ({ status, statusText }) => `${status === 'unknown' ? 'gone' : status} ${statusText}`,
    width: { min: 10, max: 24, grow: 0.5 },
    priority: 1,
  },
  {
    id: 'version',
    header: safe`VERSION`,
    value: ({ info }) => info?.version,
    format: ({ info }, { text }) => formatText(info?.version, text),
    width: { min: 9, max: 16, grow: 0.5 },
    priority: 3,
  },
  {
    id: 'uptime',
    header: safe`UPTIME`,
    value: ({ info }) => info?.uptimeSeconds,
    unit: 'seconds',
    format: (row, { data, text }) => orRaw(formatDuration(runOn(row, row.info?.uptimeSeconds, data)), rawInfo(row, 'uptimeSeconds'), text),
    align: 'right',
    width: 9,
    priority: 1,
    highlightsChanges: false,
  },
  figure('clients', safe`CLIENTS`, 'clients', 9, 1, ({ stats }) => stats?.clients, formatCountIn),
  { ...figure('memory', safe`MEM USED`, 'memoryUsedBytes', 10, 1, ({ stats }) => stats?.memoryUsedBytes, formatBytes), unit: 'bytes' },
  { ...figure('total', safe`MEM TOTAL`, 'memoryTotalBytes', 11, 2, ({ stats }) => stats?.memoryTotalBytes, formatBytes), unit: 'bytes' },
  figure('processes', safe`PROCS`, 'processesUsed', 8, 2, ({ stats }) => stats?.processesUsed, formatCountIn),
  figure('limit', safe`PROC LIMIT`, 'processLimit', 12, 4, ({ stats }) => stats?.processLimit, formatCountIn),
  figure('fds', safe`MAX FDS`, 'maxFileDescriptors', 9, 4, ({ stats }) => stats?.maxFileDescriptors, formatCountIn),
  figure('load1', safe`LOAD1`, 'load1', 7, 1, ({ stats }) => stats?.load1, formatLoad),
  figure('load5', safe`LOAD5`, 'load5', 7, 3, ({ stats }) => stats?.load5, formatLoad),
  figure('load15', safe`LOAD15`, 'load15', 8, 3, ({ stats }) => stats?.load15, formatLoad),
  {
    id: 'otp',
    header: safe`OTP`,
    value: ({ info, stats }) => info?.otpRelease ?? stats?.otpRelease,
    format: ({ info, stats }, { text }) => formatText(info?.otpRelease ?? stats?.otpRelease, text),
    width: { min: 7, max: 20, grow: 0.5 },
    priority: 5,
  },
  {
    id: 'clock',
    header: safe`CLOCK`,
    value: ({ info }) => info?.clock,
    format: (row, { data, text }) => {
      const clock = runOn(row, row.info?.clock, data);
      return orRaw(formatBrokerTime(clock === undefined ? undefined : Math.floor(clock)), rawInfo(row, 'datetime'), text);
    },
    sortsFrom: 'largest',
    largest: safe`latest`,
    width: 19,
    priority: 5,
    highlightsChanges: false,
  },
  {
    id: 'description',
    header: safe`DESCRIPTION`,
    value: ({ info }) => info?.description,
    format: ({ info }, { text }) => formatText(info?.description, text),
    width: { min: 13, max: 60 },
    priority: 6,
  },
];

/** The sign of a node's status. */
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

/** The status in a word; an unknown status in the broker's own text. */
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

export const statusRole = ({ status }: NodeRow): Role => (status === 'running' ? 'normal' : status === 'other' ? 'warning' : 'error');

/**
 * How long the status has lasted: `for 2m 05s`, or at least since the first reading. With `seenMs` (`selectLastReadMs`): as
 * of that time.
 */
export const statusDuration = ({ sinceMs }: NodeRow, nowMs: number, seenMs: number | undefined): SafeText => {
  const lasted = sinceMs === undefined
    ? safe`since before the monitor started`
    : safe`for ${formatDuration(Math.max(0, (seenMs ?? nowMs) - sinceMs) / 1000)}`;
  return seenMs === undefined ? lasted : safe`${lasted}, seen ${formatAge(Math.max(0, nowMs - seenMs) / 1000)}`;
};

/** Whether the node has no values because it is not running. */
export const isDown = ({ status }: NodeRow): boolean => status === 'stopped' || status === 'unknown';
