import { clockText } from '../../domain/text.ts';
import { shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import { formatRoundDuration } from '../../terminal/format.ts';
import { type SafeText, trusted } from '../../terminal/safe-text.ts';

/** Graphs of this time and more have clock times on their axes. */
const minClockSeconds = 900;

/**
 * Writes a time on the axis of a graph of `windowSeconds`: `14:02` on long ones, `2 min` (ago) on others.
 */
export const timeMark = (secondsAgo: number, windowSeconds: number): SafeText =>
  windowSeconds < minClockSeconds
    ? formatRoundDuration(Math.round(secondsAgo))
    : trusted(clockText(shownWallMs(shownNowMs()) - secondsAgo * 1_000).slice(0, 'hh:mm'.length));
