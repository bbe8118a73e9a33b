import { figure, say, type Sentence } from '../../domain/sentence.ts';
import { clockText, durationText, roundDurationText, untrusted, withThousands } from '../../domain/text.ts';
import { dateText, momentText } from '../../domain/time-text.ts';
import { fullWithinSeconds } from '../../resources/sessions/trouble.ts';
import type { SlowSession } from './judge.ts';

const sentencesOf = (facts: readonly (string | undefined)[]): readonly Sentence[] =>
  facts.filter((fact) => fact !== undefined).map((fact) => say`${fact}`);

const lossText = ({ droppedPerSecond, isLossRough, isLosing, countersSeconds }: SlowSession): string | undefined => {
  if (!isLosing) return undefined;
  const about = isLossRough === true ? 'about ' : '';
  const lost = droppedPerSecond === undefined ? 'losing messages' : `losing ${about}${figure(droppedPerSecond)} msg/s`;
  return countersSeconds === undefined ? `is ${lost}` : `was ${lost} ${durationText(countersSeconds)} ago`;
};

const withinText = (fromMs: number, toMs: number): string =>
  `between ${momentText(fromMs)} and ${dateText(fromMs) === dateText(toMs) ? clockText(toMs) : momentText(toMs)}`;

export const pastLossText = ({ isLossOld, lostWithin }: SlowSession): string =>
  lostWithin === undefined
    ? isLossOld
      ? 'before monitoring started'
      : 'since its session began'
    : withinText(lostWithin.fromMs, lostWithin.toMs);

const isGrowing = ({ queuePerSecond, isLosing, isQueueFull, countersSeconds }: SlowSession): boolean =>
  queuePerSecond > 0 && !isLosing && !isQueueFull && countersSeconds === undefined;

/** The share at which the queue of a session that loses messages is full again and again. */
const fullShare = 0.95;

const isFull = ({ isQueueFull, isLosing, queueLength = 0, queueLimit }: SlowSession): boolean =>
  isQueueFull || (isLosing && queueLimit !== undefined && queueLength >= fullShare * queueLimit);

/** Whether the title says already that the queue is full, as that of an offline session does. */
const isSaidFull = (session: SlowSession): boolean =>
  session.isConnected === false && session.isQueueFull && lossText(session) === undefined;

export const sessionFacts = (session: SlowSession): readonly Sentence[] => {
  const { node, queueLength, queueLimit, queuePerSecond, isWindowFull, inflight, maxInflight } = session;
  return [
    ...sentencesOf([
      queueLength === undefined
        ? undefined
        : isFull(session)
          ? isSaidFull(session)
            ? undefined
            : 'queue full'
          : `queue ${withThousands(queueLength)}${queueLimit === undefined ? '' : `/${withThousands(queueLimit)}`}`,
      isGrowing(session) ? `+${figure(queuePerSecond)}/s` : undefined,
      isWindowFull ? `inflight ${withThousands(inflight)}/${withThousands(maxInflight)}` : undefined,
    ]),
    ...(node === undefined ? [] : [[untrusted(node)]]),
  ];
};

export const sessionDetails = (session: SlowSession): readonly Sentence[] => {
  const { isWindowFull, isAsOfDisconnect, countersSeconds, acknowledgedPerSecond, dropped, queueLimit } = session;
  return sentencesOf([
    isFull(session) && queueLimit !== undefined ? `limit ${withThousands(queueLimit)}` : undefined,
    isWindowFull && acknowledgedPerSecond !== undefined && acknowledgedPerSecond > 0
      ? `still acknowledges ${figure(acknowledgedPerSecond)} msg/s`
      : undefined,
    lossText(session) === undefined && dropped > 0
      ? `lost ${withThousands(dropped)} ${pastLossText(session)}`
      : undefined,
    isAsOfDisconnect
      ? 'counters as of disconnect'
      : countersSeconds === undefined
        ? undefined
        : `counters as of ${durationText(countersSeconds)} ago`,
  ]);
};

const fullText = (seconds: number): string => {
  if (seconds === 0) return 'queue probably full by now';
  const within = fullWithinSeconds(seconds);
  return within === undefined ? 'queue full in days' : `queue full in under ${roundDurationText(within)}`;
};

/** Ranks the evidence: lost messages count most, then the length of the queue. */
export const sessionMagnitude = ({ droppedPerSecond = 0, queueLength = 0 }: SlowSession): number =>
  droppedPerSecond > 0 ? 1e9 * droppedPerSecond : queueLength;

export const slowTitle = (session: SlowSession): Sentence => {
  const { clientId, fullInSeconds } = session;
  return say`${untrusted(clientId)} ${lossText(session) ?? `is slow${isGrowing(session) && fullInSeconds !== undefined ? `, ${fullText(fullInSeconds)}` : ''}`}`;
};

export const offlineTitle = (session: SlowSession): Sentence => {
  const { clientId, isQueueFull, fullInSeconds } = session;
  const state =
    lossText(session) ??
    (isQueueFull
      ? 'queue full'
      : isGrowing(session)
        ? fullInSeconds === undefined
          ? 'queue growing'
          : fullText(fullInSeconds)
        : 'messages queued');
  return say`${untrusted(clientId)} is offline, ${state}`;
};
