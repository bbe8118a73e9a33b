import { type ReactNode, useCallback, useRef, useState } from 'react';
import type { WatchedMonitor } from '../../actions/acting-monitor.ts';
import type { MonitorOperations } from '../../monitor/state.ts';
import { roundDurationText } from '../../domain/text.ts';
import { steadyNowMs, wallMs } from '../../monitor/clock.ts';
import { timelineEvents } from '../../monitor/events.ts';
import { reading } from '../../monitor/query/part.ts';
import { eventRows } from '../../resources/log/view/event-rows.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import { pastTexts } from '../../tui/frame/texts.ts';
import { version } from '../../version.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, wholeState } from '../../tui/hooks/use-store.ts';
import { useOnInput } from '../../tui/keys/use-keys.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { noticeLine, type Notice } from '../../tui/frame/message.ts';
import { awayAfterMs, awayAt, countChanges, type Happened, type Presence, type TimeSpan, withInput } from './away.ts';
import { statusTexts } from './texts.ts';
import { failure } from './failure.ts';
import type { Line, Span } from '../../terminal/line.ts';
import type { Theme } from '../../terminal/theme.ts';
import { formatCount } from '../../terminal/format.ts';
import type { ActingState, ActionState } from '../../actions/acting-monitor.ts';

const bulkSpans = ({ bulk }: ActionState): readonly Span[] =>
  bulk === undefined || bulk.phase === 'finished'
    ? []
    : [
        {
          text: statusTexts.disconnecting(
            formatCount(bulk.total - bulk.waiting - bulk.running),
            formatCount(bulk.total),
          ),
          role: 'warning',
        },
        { text: statusTexts.bulkKey, role: 'dim' },
      ];

const maxVersionWidth = 20;

/** Says that another version recorded the moment that is shown. */
const otherVersion = (theme: Theme, { past }: ActingState): readonly Span[] | undefined =>
  past === undefined || past.program === version
    ? undefined
    : [
        {
          text: safe` ${pastTexts.otherVersion(theme.escape(past.program, maxVersionWidth), trusted(version))}`,
          role: 'warning',
        },
      ];

/** Draws the line of messages. Left: the last message, else what fails, else `idle`. Right: a running bulk action. */
export const messageLine = (
  theme: Theme,
  width: number,
  state: ActingState,
  notice: Notice | undefined,
  nowMs: number,
  idle: readonly Span[] = [],
  away?: readonly Span[],
): Line =>
  noticeLine(theme, width, state, notice, nowMs, {
    failing: otherVersion(theme, state) ?? away ?? failure(theme, state, nowMs),
    idle,
    running: bulkSpans(state),
  });

export interface MessageProps {
  readonly monitor: WatchedMonitor & Pick<MonitorOperations, 'note'>;
  readonly notice: Notice | undefined;
  readonly width: number;
  /** Shows the latest event while there is nothing else to say. */
  readonly hasLatestEvent?: boolean | undefined;
  /** Nobody looks after so long without a key. */
  readonly awayMs?: number | undefined;
}

interface AwayChanges {
  readonly minutes: SafeText;
  readonly happened: Happened;
}

/** Returns what happened while nobody pressed a key; `undefined` if nothing did. */
function changesWhile(state: ActingState, span: TimeSpan | undefined): AwayChanges | undefined {
  if (span === undefined || state.past !== undefined) return undefined;
  const happened = countChanges(reading(state, timelineEvents), {
    fromMs: wallMs(span.fromMs),
    toMs: wallMs(span.toMs),
  });
  const minutes = trusted(roundDurationText(Math.floor((span.toMs - span.fromMs) / 60_000) * 60));
  return Object.values(happened).every((count) => count === 0) ? undefined : { minutes, happened };
}

export const MessageLine = ({
  monitor,
  notice,
  width,
  hasLatestEvent = false,
  awayMs = awayAfterMs,
}: MessageProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const [presence, setPresence] = useState((): Presence => ({ lastMs: steadyNowMs() }));
  const last = useRef(presence);
  const noteInput = useCallback(() => {
    const next = withInput(last.current, steadyNowMs(), awayMs);
    last.current = next;
    setPresence(next);
    const changes = changesWhile(monitor.store.getState(), next.returned);
    if (changes === undefined) return;
    monitor.note('info', statusTexts.wasAway(changes.minutes, changes.happened), next.returned?.toMs);
  }, [awayMs, monitor]);
  useOnInput(noteInput);
  const changes = changesWhile(state, awayAt(presence, nowMs, awayMs));
  const away: readonly Span[] | undefined = changes && [
    {
      text: safe` ${statusTexts.away(changes.minutes, changes.happened)}`,
      role: changes.happened.began > 0 ? 'warning' : 'normal',
    },
  ];
  const line = messageLine(theme, width, state, notice, nowMs, [], away);
  const latest = hasLatestEvent ? (eventRows(theme, width - 2, state, 1)[0] ?? []) : [];
  // Counts go on by themselves.
  useSpoken({ rank: 'message', key: notice?.text ?? line.replace(/\d+/gu, ''), lines: () => [line] });
  return (
    <Rows
      lines={[
        latest.length === 0 || away !== undefined
          ? line
          : messageLine(theme, width, state, notice, nowMs, [
              { text: safe` ` },
              ...latest.map((span) => ({ ...span, role: span.role ?? 'dim' })),
            ]),
      ]}
    />
  );
};
