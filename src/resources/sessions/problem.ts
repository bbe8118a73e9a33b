import { formatRate, formatRoundDuration, loadingText, unknownText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import type { SessionRow } from './history.ts';
import { fullWithinSeconds, isLosing, isQueueGrowing, isWaiting, lossPerSecond, secondsToFull } from './trouble.ts';

/** Words of the cells of a session. */
export const sessionWords = {
  losing: (rate: SafeText | undefined) => (rate === undefined ? safe`losing messages` : safe`losing ${rate}`),
  queueFull: safe`queue full`,
  /** @param seconds `undefined` for later than all estimates */
  fullIn: (seconds: number | undefined) =>
    seconds === undefined ? safe`full in days` : safe`full in <${formatRoundDuration(seconds)}`,
  growing: safe`queue growing`,
  /** The session's inflight window is full, and messages wait. */
  slow: safe`slow`,
  noProblem: safe`ok`,
  live: safe`live`,
  atDisconnect: safe`stopped`,
};

export const isQueueFull = ({ session: { queueLength }, queueLimit }: SessionRow): boolean =>
  queueLength !== undefined && queueLimit !== undefined && queueLength >= queueLimit;

/** Says in a word whether the counters are those of now. */
export const countersOf = ({ isConnected, isFrozen }: SessionRow): SafeText | undefined =>
  isConnected === undefined ? undefined : isFrozen === true ? sessionWords.atDisconnect : sessionWords.live;

/** Says what puts a session at the top of the list. */
export const sessionProblemText = (row: SessionRow): SafeText => {
  const {
    session: { queueLength },
    isFrozen,
    rates,
    recentTrouble,
  } = row;
  const loss = lossPerSecond(row);
  if (isFrozen === true || (queueLength === undefined && !isLosing(row))) return unknownText;
  if (isLosing(row)) return sessionWords.losing(loss === undefined ? undefined : formatRate(loss));
  if (isQueueFull(row)) return sessionWords.queueFull;
  // A new session has no rates before its second reading.
  if (rates.queuePerSecond === undefined && recentTrouble === undefined && queueLength !== 0) return loadingText;
  if (!isQueueGrowing(row)) return isWaiting(row) ? sessionWords.slow : sessionWords.noProblem;
  const seconds = secondsToFull(row);
  return seconds === undefined ? sessionWords.growing : sessionWords.fullIn(fullWithinSeconds(seconds));
};

/** Returns `undefined` if it is not known whether there is a problem. */
export const problemInWords = (row: SessionRow): string | undefined => {
  const problem = sessionProblemText(row);
  return problem === unknownText || problem === loadingText ? undefined : problem;
};
