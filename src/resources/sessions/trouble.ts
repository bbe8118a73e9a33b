import { isInflightFull } from '../../domain/client.ts';
import type { SessionRow } from './history.ts';

/** Shorter queues are not followed: they come and go with the traffic. */
export const minQueueLength = 10;

/** Above all times to a full queue that count: 12 days. */
const maxSeconds = 2 ** 20;
/** Longer queues rank the same. */
const maxQueue = 2 ** 30;

/**
 * Returns seconds until the queue is full, 0 if it is; `undefined` if it does not fill, or if its growth or limit is
 * unknown.
 */
export function secondsToFull(
  { session: { queueLength }, rates, recentTrouble, queueLimit: ownLimit }: SessionRow,
  queueLimit = ownLimit,
): number | undefined {
  const queuePerSecond = recentTrouble?.growthPerSecond ?? rates.queuePerSecond ?? 0;
  if (queueLength === undefined || queueLimit === undefined) return undefined;
  if (queueLength >= queueLimit) return 0;
  return queuePerSecond > 0 && queueLength >= minQueueLength ? (queueLimit - queueLength) / queuePerSecond : undefined;
}

/** Steps of estimates, in seconds, which change with every reading. */
const fullSteps = [10, 30, 60, 120, 300, 3_600, 6 * 3_600, 24 * 3_600] as const;

/** Returns the step within which a queue is full; `undefined` if that is later than all steps. */
export const fullWithinSeconds = (seconds: number): number | undefined => fullSteps.find((step) => seconds <= step);

/**
 * A queue that is full so soon is a problem in the first reading that shows it; one without a known limit, if it grows
 * so fast.
 */
const urgentSeconds = 120;
const urgentPerSecond = 5;

/** Whether the queue grew in several readings, or so much in this one that it is urgent. */
export function isQueueGrowing(row: SessionRow, queueLimit = row.queueLimit): boolean {
  const {
    session: { queueLength = 0 },
    rates: { queuePerSecond = 0 },
    recentTrouble,
  } = row;
  if (recentTrouble?.growthPerSecond !== undefined) return true;
  if (queueLimit === undefined) return queuePerSecond >= urgentPerSecond && queueLength >= minQueueLength;
  return queuePerSecond > 0 && (secondsToFull(row, queueLimit) ?? Infinity) <= urgentSeconds;
}

/** The share of its limit below which a queue loses nothing any more. */
const losingShare = 0.9;

export const mayLose = (queueLength: number | undefined, queueLimit: number | undefined): boolean =>
  queueLimit === undefined || queueLength === undefined || queueLength >= losingShare * queueLimit;

/** Shares of the limit, before and now: a queue that was long and has room now lost its messages before. */
const longShare = 0.5;
const relievedShare = 0.75;

const isRelieved = (
  queueLength: number | undefined,
  queueBefore: number | undefined,
  queueLimit: number | undefined,
): boolean =>
  queueLength !== undefined &&
  queueBefore !== undefined &&
  queueLimit !== undefined &&
  queueBefore >= longShare * queueLimit &&
  queueLength <= relievedShare * queueLimit;

/**
 * Returns messages lost per second, averaged while the losses go on; `undefined` without a loss, or once the queue has
 * room again.
 */
export function lossPerSecond(
  {
    session: { queueLength },
    rates: { droppedPerSecond = 0, queueBefore },
    recentTrouble,
    queueLimit: ownLimit,
  }: SessionRow,
  queueLimit = ownLimit,
): number | undefined {
  if (isRelieved(queueLength, queueBefore, queueLimit)) return undefined;
  if (droppedPerSecond > 0) return recentTrouble?.lossPerSecond ?? droppedPerSecond;
  return mayLose(queueLength, queueLimit) ? recentTrouble?.lossPerSecond : undefined;
}

/** Whether the session loses messages, perhaps at a rate that is not known yet. */
export const isLosing = (row: SessionRow, queueLimit = row.queueLimit): boolean =>
  lossPerSecond(row, queueLimit) !== undefined || hasJustLost(row, queueLimit);

const hasJustLost = (
  { session: { queueLength }, rates: { hasDropped, queueBefore } }: SessionRow,
  queueLimit: number | undefined,
): boolean =>
  hasDropped === true && mayLose(queueLength, queueLimit) && !isRelieved(queueLength, queueBefore, queueLimit);

/** Whether the inflight window is full, and messages wait for it. */
export const isWaiting = ({ session }: SessionRow): boolean =>
  isInflightFull(session) && (session.queueLength ?? 0) > 0;

/**
 * Ranks sessions, largest first: those that lose messages, most of them first, then those whose queue is full soonest,
 * then those with a full inflight window, then by queue length. `undefined` if the queue length is unknown and no loss
 * is known.
 */
export function sessionTrouble(row: SessionRow): number | undefined {
  const loss = lossPerSecond(row);
  const losesMessages = isLosing(row);
  const { queueLength } = row.session;
  if (queueLength === undefined && !losesMessages) return undefined;
  const isGrowing = isQueueGrowing(row);
  const full = secondsToFull(row);
  const seconds = isGrowing || full === 0 ? full : undefined;
  // In steps, as shown, so that rows keep their places while the growth changes a little.
  const urgency =
    seconds === undefined
      ? isGrowing
        ? 1
        : Number(isWaiting(row)) / 2
      : maxSeconds - (fullWithinSeconds(seconds) ?? maxSeconds - 2);
  const rank = losesMessages ? 2 * maxSeconds + Math.round(Math.log2(1 + (loss ?? 0))) : urgency;
  return rank * maxQueue + Math.min(maxQueue - 1, queueLength ?? 0);
}
