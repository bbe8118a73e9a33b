import type { ReactNode } from 'react';
import type { WatchedMonitor } from '../../actions/acting-monitor.ts';
import { eventRows } from '../../resources/log/view/event-rows.ts';
import { safe, trusted } from '../../terminal/safe-text.ts';
import { pastTexts } from '../../tui/frame/texts.ts';
import { version } from '../../version.ts';
import { Rows, useTheme } from '../../tui/components/drawing.tsx';
import { useNow } from '../../tui/hooks/use-now.ts';
import { useStore, wholeState } from '../../tui/hooks/use-store.ts';
import { useSpoken } from '../../tui/speech/use-speech.ts';
import { noticeLine, type Notice } from '../../tui/frame/message.ts';
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
): Line =>
  noticeLine(theme, width, state, notice, nowMs, {
    failing: otherVersion(theme, state) ?? failure(theme, state, nowMs),
    idle,
    running: bulkSpans(state),
  });

export interface MessageProps {
  readonly monitor: WatchedMonitor;
  readonly notice: Notice | undefined;
  readonly width: number;
  /** Shows the latest event while there is nothing else to say. */
  readonly hasLatestEvent?: boolean | undefined;
}

export const MessageLine = ({ monitor, notice, width, hasLatestEvent = false }: MessageProps): ReactNode => {
  const theme = useTheme();
  const state = useStore(monitor.store, wholeState);
  const nowMs = useNow(1000);
  const line = messageLine(theme, width, state, notice, nowMs);
  const latest = hasLatestEvent ? (eventRows(theme, width - 2, state, 1)[0] ?? []) : [];
  // Counts go on by themselves.
  useSpoken({ rank: 'message', key: notice?.text ?? line.replace(/\d+/gu, ''), lines: () => [line] });
  return (
    <Rows
      lines={[
        latest.length === 0
          ? line
          : messageLine(theme, width, state, notice, nowMs, [
              { text: safe` ` },
              ...latest.map((span) => ({ ...span, role: span.role ?? 'dim' })),
            ]),
      ]}
    />
  );
};
