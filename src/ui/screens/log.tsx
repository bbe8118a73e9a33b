import { type ReactNode, useMemo } from 'react';
import type { ActingState, ActionRecord } from '../../actions/acting-monitor.ts';
import { wallMs } from '../../monitor/clock.ts';
import type { LogEntry, MonitorState } from '../../monitor/state.ts';
import { formatClock } from '../../terminal/format.ts';
import { composeEnds, composeLine, type Line, wrapWords } from '../../terminal/line.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../terminal/text-width.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import type { SpanRow } from '../components/blocks.ts';
import { Rows, useTheme } from '../components/drawing.tsx';
import type { ScreenProps } from '../frame/screen.ts';
import { positionText, type TextWindow, useScroll } from '../hooks/use-scroll.ts';
import { useStore } from '../hooks/use-store.ts';
import { useKeys } from '../keys/use-keys.ts';
import { useSpoken } from '../speech/use-speech.ts';
import { logTexts } from './texts.ts';

/** An id can have 65,535 characters, each of which may be shown as six: one entry must not hide the others. */
const maxColumns = 400;

const levels: Readonly<Record<LogEntry['level'], readonly [SafeText, Role]>> = {
  info: [safe`   `, 'normal'],
  warning: [safe`!  `, 'warning'],
  error: [safe`!! `, 'error'],
};

const timeWidth = 12;

const entryRows = (theme: Theme, width: number, { atMs, text: raw, repeated }: Pick<LogEntry, 'atMs' | 'text' | 'repeated'>, sign: SafeText, role: Role): readonly SpanRow[] => {
  const shown = theme.escape(raw.slice(0, maxColumns));
  const isCut = raw.length > maxColumns || widthOf(shown) > maxColumns;
  const text = isCut ? safe`${cutText(shown, maxColumns)} ${logTexts.cut(raw.length)}` : shown;
  const whole = repeated === undefined ? text : safe`${text} ${logTexts.repeated(repeated.times, formatClock(wallMs(repeated.sinceMs)))}`;
  return wrapWords(whole, Math.max(10, width - timeWidth)).map((line, index) => [
    { text: index === 0 ? safe`${formatClock(wallMs(atMs))} ` : safe`         `, role: 'dim' },
    { text: index === 0 ? sign : safe`   `, role },
    { text: line, role },
  ]);
};

/** As many as any panel shows. */
const maxEvents = 100;

/** Running actions, then all outcomes and errors, newest first. */
export const logRows = (theme: Theme, width: number, log: readonly LogEntry[], running: readonly ActionRecord[]): readonly SpanRow[] => [
  ...running.toReversed().flatMap(({ startedAtMs, title, phase }) => entryRows(theme, width, { atMs: startedAtMs, text: `${title} (${phase})` }, safe`···`, 'dim')),
  ...log.toReversed().flatMap((entry) => entryRows(theme, width, entry, ...levels[entry.level])),
];

/** What happened to the cluster, newest first: at most `count` entries, without those about the program itself. */
export const eventRows = (theme: Theme, width: number, { log, actions = [] }: { readonly log: readonly LogEntry[]; readonly actions?: readonly ActionRecord[] | undefined }, count = maxEvents): readonly SpanRow[] =>
  logRows(theme, width, log.filter(({ isSetup }) => isSetup !== true).slice(-count), actions.filter(({ phase }) => phase !== 'finished'));

/** The same as lines with a margin on each side. */
export const logLines = (theme: Theme, width: number, log: readonly LogEntry[], running: readonly ActionRecord[]): readonly Line[] =>
  logRows(theme, width - 2, log, running).map((row) => composeLine(theme, width, [{ text: safe` ` }, ...row]));

const frameLines = (theme: Theme, width: number, height: number, all: readonly Line[], window: TextWindow, entries: number): readonly Line[] => {
  const blank = composeLine(theme, width, []);
  const body = all.length === 0
    ? [composeLine(theme, width, [{ text: safe` ${logTexts.empty}`, role: 'dim' }])]
    : all.slice(window.from, window.to);
  return [
    composeEnds(theme, width, [{ text: safe` Log`, role: 'header' }], [{ text: safe`${logTexts.count(entries)} `, role: 'dim' }]),
    ...body,
    ...Array.from({ length: Math.max(0, bodyHeightOf(height) - body.length) }, () => blank),
    composeLine(theme, width, [{ text: safe` ${positionText(window, all.length)}`, role: 'dim' }]),
  ].slice(0, height);
};

const bodyHeightOf = (height: number): number => Math.max(1, height - 2);

const selectLog = ({ log }: MonitorState): readonly LogEntry[] => log;
const selectActions = ({ actions }: ActingState): readonly ActionRecord[] => actions;

export const LogScreen = ({ monitor, width, height }: ScreenProps): ReactNode => {
  const theme = useTheme();
  const log = useStore(monitor.store, selectLog);
  const actions = useStore(monitor.store, selectActions);
  const all = useMemo(() => logLines(theme, width, log, actions.filter(({ phase }) => phase !== 'finished')), [theme, width, log, actions]);
  const scroll = useScroll(all.length, bodyHeightOf(height));
  useKeys('list', scroll.handlers);
  const lines = frameLines(theme, width, height, all, scroll.window, log.length);
  useSpoken({ rank: 'content', lines: () => lines });
  return <Rows lines={lines} />;
};
