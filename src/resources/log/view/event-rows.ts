import type { ActingState, ActionRecord } from '../../../actions/acting-monitor.ts';
import type { EventSeverity, TimelineEvent } from '../../../domain/event.ts';
import { dateText } from '../../../domain/time-text.ts';
import { timelineEvents } from '../../../monitor/events.ts';
import { reading } from '../../../monitor/query/part.ts';
import { shownNowMs, shownWallMs } from '../../../monitor/shown-time.ts';
import { formatClock } from '../../../terminal/format.ts';
import { wrapWords } from '../../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../../terminal/safe-text.ts';
import { cutText, fit, widthOf } from '../../../terminal/text-width.ts';
import type { Role, Theme } from '../../../terminal/theme.ts';
import type { SpanRow } from '../../../tui/components/blocks.ts';
import { logTexts } from '../texts.ts';

/**
 * Limits the columns of an entry: an id can have 65,535 characters, each of which may be shown as six, and one entry
 * must not hide the others.
 */
const maxColumns = 400;

const severities: Readonly<Record<EventSeverity, readonly [SafeText, Role]>> = {
  info: [safe`   `, 'normal'],
  warning: [safe`!  `, 'warning'],
  critical: [safe`!! `, 'error'],
};

/** Escapes the text of an entry, and cuts one that is far too long. */
export const shownText = (theme: Theme, raw: string): SafeText => {
  const shown = theme.escape(raw.slice(0, maxColumns));
  const isCut = raw.length > maxColumns || widthOf(shown) > maxColumns;
  return isCut ? safe`${cutText(shown, maxColumns)} ${logTexts.cut(raw.length)}` : shown;
};

/** Writes the time of day, and the day before it unless that is today. */
function timeText(atMs: number): SafeText {
  const day = dateText(atMs);
  const clock = formatClock(atMs);
  return day === dateText(shownWallMs(shownNowMs())) ? clock : safe`${trusted(day)} ${clock}`;
}

const entryRows = (
  theme: Theme,
  width: number,
  { atMs, text: raw, repeated }: Pick<TimelineEvent, 'atMs' | 'text' | 'repeated'>,
  sign: SafeText,
  role: Role,
): readonly SpanRow[] => {
  const text = shownText(theme, raw);
  const time = safe`${timeText(atMs)} `;
  const whole =
    repeated === undefined ? text : safe`${text} ${logTexts.repeated(repeated.times, timeText(repeated.sinceMs))}`;
  const indent = fit(safe``, widthOf(time));
  return wrapWords(whole, Math.max(10, width - widthOf(time) - widthOf(sign))).map((line, index) => [
    { text: index === 0 ? time : indent, role: 'dim' },
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
  events: readonly TimelineEvent[],
  running: readonly ActionRecord[],
): readonly SpanRow[] => [
  ...running
    .toReversed()
    .flatMap(({ startedAtMs, title, phase }) =>
      entryRows(theme, width, { atMs: shownWallMs(startedAtMs), text: `${title} (${phase})` }, safe`···`, 'dim'),
    ),
  ...events.toReversed().flatMap((event) => entryRows(theme, width, event, ...severities[event.severity])),
];

/** Draws what happened to the cluster, newest first: at most `count` events. */
export const eventRows = (
  theme: Theme,
  width: number,
  state: Pick<ActingState, 'readings'> & Partial<ActingState>,
  count = maxEvents,
): readonly SpanRow[] =>
  logRows(
    theme,
    width,
    reading(state, timelineEvents).slice(-count),
    (state.actions ?? []).filter(({ phase }) => phase !== 'finished'),
  );
