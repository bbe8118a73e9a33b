import type { MonitorState } from '../../monitor/state.ts';
import { composeEnds, type Line, type Span } from '../../terminal/line.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';
import type { Role, Theme } from '../../terminal/theme.ts';
import { errorText } from '../list/resource-notice.ts';
import { messageTexts } from './texts.ts';
import { libraryBindings } from '../keys/bindings.ts';

const signInKey = trusted(libraryBindings.program.find(({ id }) => id === 'signIn')?.keys[0] ?? '');

const failoverShownMs = 15_000;

/**
 * Describes the address in use. It comes first, so that nothing cuts it off, and why the last one failed at the end: it
 * is often long.
 */
const addressNotes = (theme: Theme, state: MonitorState, nowMs: number): readonly Span[] => {
  const { failover } = state;
  const skipped = skipNote(theme, state, nowMs);
  return failover === undefined || nowMs - failover.atMs > failoverShownMs
    ? skipped
    : [
        { text: safe` ${messageTexts.switched(theme.escape(failover.url))}`, role: 'warning' },
        ...skipped,
        {
          text: safe` ${messageTexts.switchedBecause(theme.escape(failover.insteadOf), theme.escape(failover.because))}`,
          role: 'warning',
        },
      ];
};

/** A skipped address is shown longer than a failover, beside which there is little room. */
const skipShownMs = 2 * failoverShownMs;

/** Names an address that was skipped for its certificate, for a while. */
export const skipNote = (theme: Theme, { skippedAddress }: MonitorState, nowMs: number): readonly Span[] =>
  skippedAddress === undefined || nowMs - skippedAddress.atMs > skipShownMs
    ? []
    : [
        {
          text: safe` ${messageTexts.skipped(theme.escape(skippedAddress.url), errorText(theme, skippedAddress))}`,
          role: 'warning',
        },
      ];

export interface Notice {
  readonly text: SafeText;
  readonly role: Role;
}

export interface MessageParts {
  /** Names what fails, if there is no message. */
  readonly failing: readonly Span[] | undefined;
  /** Said if nothing fails. */
  readonly idle: readonly Span[];
  /** Names what runs, at the right. */
  readonly running: readonly Span[];
}

/** Draws the line of messages: the last message, else what the connection has to say, else what fails. */
export const noticeLine = (
  theme: Theme,
  width: number,
  state: MonitorState,
  notice: Notice | undefined,
  nowMs: number,
  { failing, idle, running }: MessageParts,
): Line => {
  const left: readonly Span[] = (() => {
    if (notice !== undefined) {
      return [{ text: safe` ${notice.text}`, role: notice.role }];
    }
    if (state.proxyLoginError !== undefined) {
      return [{ text: safe` ${messageTexts.proxyRejected(theme.escape(state.proxyLoginError.brief))}`, role: 'error' }];
    }
    if (state.isUnauthorized) {
      return [{ text: safe` ${messageTexts.rejected(signInKey)}`, role: 'error' }];
    }
    const notes = addressNotes(theme, state, nowMs);
    return notes.length > 0 ? notes : (failing ?? idle);
  })();
  return composeEnds(theme, width, left, running);
};
