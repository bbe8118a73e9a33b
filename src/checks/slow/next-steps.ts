import { averageSeconds } from '../../domain/rates.ts';
import { durationText } from '../../domain/text.ts';
import type { Abilities, Attempt } from '../../triage/problem.ts';
import type { SlowSession } from './judge.ts';

/** A shorter silence may only be a pause. */
const hungSeconds = 30;

export const isHung = ({ isWindowFull, acknowledgedPerSecond, idleSeconds }: SlowSession): boolean =>
  isWindowFull && acknowledgedPerSecond === 0 && (idleSeconds ?? hungSeconds) >= hungSeconds;

export const emptyQueue = (session: SlowSession, { canAct, canUnsubscribe, endsSession }: Abilities): string => {
  const { isConnected, isWindowFull, acknowledgedPerSecond, idleSeconds = 0 } = session;
  if (isConnected === false) return '`Enter` opens the client. Its queue empties when it reconnects.';
  if (isHung(session)) {
    if (!canAct) return 'The consumer is hung: restart it.';
    return endsSession === true
      ? 'The consumer is hung: restart it. `K` disconnects it, but ends its session: queued messages are lost.'
      : 'The consumer is hung: `K` makes it reconnect. If that does not help, restart it.';
  }
  if (isWindowFull && acknowledgedPerSecond === 0)
    return `No acknowledgement for ${durationText(idleSeconds)}: check the consumer.${canAct && endsSession !== true ? ' If this continues, `K` makes it reconnect.' : ''}`;
  // A full inflight window in one reading may be empty in the next.
  if (acknowledgedPerSecond === undefined || acknowledgedPerSecond === 0)
    return 'Check the consumer: it acknowledges too slowly or not at all.';
  return `Speed up the consumer, or ${canUnsubscribe ? 'unsubscribe it from some topics (`a`)' : 'reduce its subscriptions'}. It acknowledges too slowly.`;
};

export const attemptText = ({ way, seconds }: Attempt, what = 'it'): string =>
  `${way === 'disconnect' ? 'disconnected' : 'unsubscribed'} ${what} ${seconds < 2 ? 'just now' : `${durationText(seconds)} ago`}`;

export const stepAfter = (attempt: Attempt, session: SlowSession, can: Abilities): string => {
  const { isLosing, queuePerSecond } = session;
  const isShrinking = !isLosing && queuePerSecond < 0;
  if (isShrinking) return `You ${attemptText(attempt)}, and its queue is getting shorter. Wait until it is empty.`;
  if (attempt.seconds < averageSeconds)
    return `You ${attemptText(attempt)}. New figures in ${durationText(averageSeconds - attempt.seconds)}.`;
  if (attempt.isPending === true) return `You ${attemptText(attempt)}. No new figures yet.`;
  // One that still acknowledges was not hung: what its reconnect could not mend was advised before.
  const step =
    attempt.way === 'disconnect' && (session.acknowledgedPerSecond ?? 0) > 0
      ? emptyQueue(session, can)
      : 'Check or restart the consumer.';
  return `${attempt.way === 'disconnect' ? 'Disconnecting' : 'Unsubscribing'} it ${durationText(attempt.seconds)} ago did not help. ${step}`;
};
