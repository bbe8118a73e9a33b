import { clockText } from '../../domain/text.ts';
import { shownMoment, shownNowMs, shownWallMs } from '../../monitor/shown-time.ts';
import { formatRoundDuration } from '../../terminal/format.ts';
import { safe, type SafeText, trusted } from '../../terminal/safe-text.ts';

/** Graphs of this time and more have clock times on their axes. */
const minClockSeconds = 900;

const clock = (wallMs: number): SafeText => trusted(clockText(wallMs).slice(0, 'hh:mm'.length));

/**
 * Writes a time on the axis of a graph of `windowSeconds`: `14:02` on long ones, `2 min` (ago) on others.
 */
export const timeMark = (secondsAgo: number, windowSeconds: number): SafeText =>
  windowSeconds < minClockSeconds ? formatRoundDuration(Math.round(secondsAgo)) : clockMark(secondsAgo);

/** Writes the clock time of so many seconds ago, as `14:02`. */
export const clockMark = (secondsAgo: number): SafeText => clock(shownWallMs(shownNowMs()) - secondsAgo * 1_000);

/** Writes what the right end of a graph is: `now`, or the time of the moment that is shown. */
export function endMark(): SafeText {
  const moment = shownMoment();
  return moment === undefined ? safe`now` : clock(moment.wallMs);
}
