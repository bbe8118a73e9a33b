import type { ActionRecord } from '../../../actions/acting-monitor.ts';
import { shownWallMs } from '../../../monitor/shown-time.ts';
import type { LogEntry } from '../../../monitor/state.ts';
import { formatClock } from '../../../terminal/format.ts';
import { composeLine, type Line, wrapWords } from '../../../terminal/line.ts';
import { safe, type SafeText } from '../../../terminal/safe-text.ts';
import { cutText, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';
import { logTexts } from '../texts.ts';

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

/** Escapes the text of an entry, and cuts one that is far too long. */
export const shownText = (theme: Theme, raw: string): SafeText => {
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
