import { Box } from 'ink';
import { type ReactNode, useMemo } from 'react';
import type { ActingState, ActionRecord } from '../../actions/acting-monitor.ts';
import { shownWallMs } from '../../monitor/shown-time.ts';
import type { LogEntry, MonitorState } from '../../monitor/state.ts';
import { formatClock } from '../../terminal/format.ts';
import { glyphs } from '../../terminal/glyphs.ts';
import { composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../../tui/components/blocks.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { columnsOf } from '../../tui/components/field-columns.ts';
import { useStore } from '../../tui/hooks/use-store.ts';
import { ListView, useList } from '../../tui/list/use-list.tsx';
import { logFields, type LogRow } from './fields.ts';
import { logTexts } from './texts.ts';
import { placeKey } from '../../tui/list/list-state.ts';
import type { ScreenProps } from '../../tui/screen.ts';

/**
 * Limits the columns of an entry: an id can have 65,535 characters, each of which may be shown as six, and one entry
 * must not hide the others.
 */
const maxColumns = 400;

const levels: Readonly<Record<LogEntry['level'], readonly [SafeText, Role]>> = {
  info: [safe`   `, 'normal'],
  warning: [safe`!  `, 'warning'],
  error: [safe`!! `, 'error'],
};

const timeWidth = 12;

const shownText = (theme: Theme, raw: string): SafeText => {
  const shown = theme.escape(raw.slice(0, maxColumns));
  const isCut = raw.length > maxColumns || widthOf(shown) > maxColumns;
  return isCut ? safe`${cutText(shown, maxColumns)} ${logTexts.cut(raw.length)}` : shown;
};

const entryRows = (
  theme: Theme,
  width: number,
  { atMs, text: raw, repeated }: Pick<LogEntry, 'atMs' | 'text' | 'repeated'>,
  sign: SafeText,
  role: Role,
): readonly SpanRow[] => {
  const text = shownText(theme, raw);
  const whole =
    repeated === undefined
      ? text
      : safe`${text} ${logTexts.repeated(repeated.times, formatClock(shownWallMs(repeated.sinceMs)))}`;
  return wrapWords(whole, Math.max(10, width - timeWidth)).map((line, index) => [
    { text: index === 0 ? safe`${formatClock(shownWallMs(atMs))} ` : safe`         `, role: 'dim' },
    { text: index === 0 ? sign : safe`   `, role },
    { text: line, role },
  ]);
};

/** Panels show max so many events. */
const maxEvents = 100;

/** Draws running actions, then all outcomes and errors, newest first. */
export const logRows = (
  theme: Theme,
  width: number,
  log: readonly LogEntry[],
  running: readonly ActionRecord[],
): readonly SpanRow[] => [
  ...running
    .toReversed()
    .flatMap(({ startedAtMs, title, phase }) =>
      entryRows(theme, width, { atMs: startedAtMs, text: `${title} (${phase})` }, safe`···`, 'dim'),
    ),
  ...log.toReversed().flatMap((entry) => entryRows(theme, width, entry, ...levels[entry.level])),
];

/**
 * Draws what happened to the cluster, newest first: at most `count` entries, without those about the program itself.
 */
export const eventRows = (
  theme: Theme,
  width: number,
  { log, actions = [] }: { readonly log: readonly LogEntry[]; readonly actions?: readonly ActionRecord[] | undefined },
  count = maxEvents,
): readonly SpanRow[] =>
  logRows(
    theme,
    width,
    log.filter(({ isSetup }) => isSetup !== true).slice(-count),
    actions.filter(({ phase }) => phase !== 'finished'),
  );

/** Draws the rows of the log as lines with a margin on each side. */
export const logLines = (
  theme: Theme,
  width: number,
  log: readonly LogEntry[],
  running: readonly ActionRecord[],
): readonly Line[] =>
  logRows(theme, width - 2, log, running).map((row) => composeLine(theme, width, [{ text: safe` ` }, ...row]));

const twoDigits = (value: number): string => String(value).padStart(2, '0');

/** Writes `2026-11-27 14:02:31`, of this machine. */
const dateText = (steadyMs: number): SafeText => {
  const date = new Date(shownWallMs(steadyMs));
  return trusted(
    `${date.getFullYear()}-${twoDigits(date.getMonth() + 1)}-${twoDigits(date.getDate())} ${formatClock(shownWallMs(steadyMs))}`,
  );
};

const wholeText = ({ text, repeated }: LogEntry): string =>
  repeated === undefined
    ? text
    : `${text} ${logTexts.repeated(repeated.times, formatClock(shownWallMs(repeated.sinceMs)))}`;

/** Sorts entries by time. Those of the same time follow each other. */
const rowsOf = (log: readonly LogEntry[], actions: readonly ActionRecord[]): readonly LogRow[] => [
  ...log
    .map((entry, index): LogRow => ({
      id: `${entry.atMs} ${index - log.findIndex(({ atMs }) => atMs === entry.atMs)}`,
      atMs: entry.atMs,
      level: entry.level,
      text: wholeText(entry),
    }))
    .toReversed(),
  ...actions
    .filter(({ phase }) => phase !== 'finished')
    .map(({ key, startedAtMs, title, phase }): LogRow => ({
      id: `running ${key}`,
      atMs: startedAtMs,
      level: 'running',
      text: `${title} (${phase})`,
    })),
];

const levelRoles: Readonly<Record<LogRow['level'], Role>> = {
  info: 'normal',
  warning: 'warning',
  error: 'error',
  running: 'dim',
};

const columns = columnsOf(logFields, {
  time: {
    format: ({ atMs }) => dateText(atMs),
    width: 19,
    priority: 1,
    sortsFrom: 'largest',
    largest: safe`newest`,
    highlightsChanges: false,
    isSticky: true,
  },
  level: {
    format: ({ level }) => logTexts.levels[level],
    spans: ({ level }) => [{ text: logTexts.levels[level], role: levelRoles[level] }],
    width: 7,
    priority: 1,
  },
  event: { width: { min: 16 }, fills: true, priority: 1 },
});

const newestFirst = { columnId: 'time', isReversed: true } as const;

/** The number of lines for the entry under the cursor, which may be cut in its row. */
const maxTextLines = 3;
/** The height from which on that entry is shown: lower lists keep their rows. */
const minHeightWithText = 12;

const selectLog = ({ log }: MonitorState): readonly LogEntry[] => log;
const selectActions = ({ actions }: ActingState): readonly ActionRecord[] => actions;

export const LogScreen = ({ monitor, width, height, notify }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const log = useStore(monitor.store, selectLog);
  const actions = useStore(monitor.store, selectActions);
  const rows = useMemo(() => rowsOf(log, actions), [log, actions]);
  const textHeight = height < minHeightWithText ? 0 : maxTextLines;
  const list = useList({
    listKey: placeKey({ screen: 'log' }),
    table: 'log',
    rows,
    columns,
    data: undefined,
    getId: ({ id }) => id,
    initialSort: newestFirst,
    generation: undefined,
    heading: composeLine(theme, width, [{ text: safe` Log`, role: 'title' }]),
    noun: safe`entry`,
    title: safe`Log`,
    message: { text: safe` ${logTexts.empty}` },
    copyText: ({ text }) => text,
    width,
    height: height - textHeight,
    notify,
  });
  const text = list.row === undefined ? [] : wrapWords(shownText(theme, list.row.text), width - 2);
  const lines = Array.from({ length: textHeight }, (_, index) =>
    composeLine(theme, width, [
      {
        text: safe` ${text[index] ?? safe``}${index === maxTextLines - 1 && text.length > maxTextLines ? glyphs.ellipsis : safe``}`,
      },
    ]),
  );
  return (
    <Box flexDirection="column" width={width} height={height} overflow="hidden">
      <Box flexDirection="column" width={width} height={height - textHeight} overflow="hidden">
        <ListView list={list} />
      </Box>
      {textHeight > 0 && <Rows lines={lines} />}
    </Box>
  );
};
