import { averageSeconds } from '../../domain/rates.ts';
import { names, say } from '../../domain/sentence.ts';
import { pluralize, untrusted, withThousands } from '../../domain/text.ts';
import { sessionScan } from '../../resources/sessions/resource.ts';
import { defineCheck } from '../../triage/check.ts';
import { type Attempt, descending, type Jump, type ProblemWords } from '../../triage/problem.ts';
import { judgeSlow, type SlowSession } from './judge.ts';
import { attemptText, emptyQueue, isHung, stepAfter } from './next-steps.ts';
import { slowRows } from './rows.ts';
import { offlineTitle, pastLossText, sessionDetails, sessionFacts, sessionMagnitude, slowTitle } from './words.ts';
import { clientScan } from '../../resources/clients/resource.ts';
import { reading } from '../../monitor/query/part.ts';

const theseSessions = (clientIds?: readonly string[]): Jump => ({
  screen: 'sessions',
  found: clientIds && { name: 'slow or losing messages', clientIds },
  sort: descending('queue'),
});

const advisedAction: ProblemWords<SlowSession>['advisedAction'] = (
  session,
  { endsSession },
): Attempt['way'] | undefined => {
  if (session.isConnected === false || session.acknowledgedPerSecond === undefined) return undefined;
  if (session.acknowledgedPerSecond > 0) return 'unsubscribe';
  return isHung(session) && endsSession !== true ? 'disconnect' : undefined;
};

/** Words for problems of one session, besides title and next step. */
const ofSession: Pick<ProblemWords<SlowSession>, 'evidence' | 'magnitude' | 'details' | 'jump'> = {
  evidence: (session) => sessionFacts(session),
  magnitude: sessionMagnitude,
  details: (session) => sessionDetails(session),
  jump: ({ clientId }) => ({ screen: 'client', clientId }),
};

export const slow = defineCheck({
  id: 'slow',
  title: 'Slow consumers',
  noun: 'sessions',
  finds: 'sessions whose queue grows or is full, that lose messages, or whose inflight window stays full',
  needs: ({ areReadingsFew, isUrgent, isShort, isOften, pace }) =>
    (['sessions', 'clients'] as const).filter(isShort).map((list) => ({
      watched: list === 'sessions' ? sessionScan : clientScan,
      everySeconds: areReadingsFew
        ? pace.first
        : isUrgent && isOften(list)
          ? pace.urgent
          : list === 'sessions' && isOften(list)
            ? Math.min(pace.sessions, pace.lists)
            : pace.lists,
    })),
  judge: judgeSlow,
  jump: theseSessions(),
  passed: ({ sessions }) => say`${pluralize(sessions, 'session')}, no growing queue, no losses`,
  unchecked: {
    'sessions-incomplete': { text: () => say`session list incomplete` },
    'sessions-aborted': { text: () => say`last session scan incomplete` },
    'sessions-uncompared': {
      text: ({ readings }) => (readings === 0 ? say`sessions` : say`sessions read once, rates need two reads`),
    },
    'counters-unrefreshed': {
      text: ({ stepSeconds }) => say`session rates (this broker updates its counters every ${stepSeconds} s)`,
    },
    'sessions-outdated': {
      text: ({ nodes }) => say`sessions not read since ${names(nodes, nodes.length)} restarted`,
    },
    'sessions-unread': { text: ({ nodes }) => say`sessions of ${names(nodes)} not read` },
    'queues-unknown': {
      text: ({ count, total }) => say`queue unknown for ${withThousands(count)} of ${pluralize(total, 'session')}`,
    },
    'sessions-elsewhere': {
      text: ({ count, total, nodes }) =>
        say`${withThousands(count)} of ${pluralize(total, 'session')} (on ${names(nodes)}): counters not visible from here`,
      isOutOfReach: true,
    },
    'counters-frozen': {
      text: ({ clientIds }) =>
        say`${pluralize(clientIds.length, 'offline session')}: counters may be out of date (${names(clientIds)})`,
      isNote: true,
    },
    'clients-unread': {
      text: ({ sessions }) => say`${pluralize(sessions, 'persistent session')} may be offline, clients not read`,
    },
  },
  problems: {
    'slow-consumer': {
      ...ofSession,
      title: slowTitle,
      next: (session, can, attempt) =>
        attempt === undefined
          ? `${emptyQueue(session, can)}${session.isLosing ? ' A longer queue only delays the loss.' : ''}`
          : stepAfter(attempt, session, can),
      advisedAction,
    },
    'queue-full': {
      ...ofSession,
      title: ({ clientId }) => say`Queue of ${untrusted(clientId)} is full`,
      next: (session, can) => `${emptyQueue(session, can)} New messages replace queued ones.`,
      advisedAction,
    },
    'offline-queue': {
      ...ofSession,
      title: offlineTitle,
      next: (_, { canAct, endsSession }, attempt) =>
        attempt?.way === 'disconnect' && attempt.seconds < averageSeconds
          ? `You ${attemptText(attempt)}. Wait for it to reconnect.`
          : `\`Enter\` opens the client. Its queue empties when it reconnects. If it is gone for good, ${canAct && endsSession === true ? '`K` ends its session' : 'end its session on the broker'}.`,
    },
    'messages-lost': {
      title: ({ clientId, isAsOfDisconnect, dropped }) =>
        say`${untrusted(clientId)}${isAsOfDisconnect ? ' (offline)' : ''} lost ${pluralize(dropped, 'message')}`,
      evidence: (session) => [say`${session.lostWithin === undefined ? 'counted ' : ''}${pastLossText(session)}`],
      magnitude: ({ dropped }) => dropped,
      next: ({ isLossOver }, _, attempt) =>
        `\`Enter\` opens the client. ${isLossOver === true ? 'No messages are lost now' : 'It is not known whether it still loses messages'}: \`z\` acknowledges it.${attempt === undefined ? '' : ` You ${attemptText(attempt, 'the client')}.`} Check the consumer before it happens again.`,
      jump: ({ clientId }) => ({ screen: 'client', clientId }),
    },
    'more-sessions': {
      title: ({ clientIds }) => say`${pluralize(clientIds.length, 'more consumer')} losing messages`,
      magnitude: ({ clientIds }) => clientIds.length,
      evidence: ({ clientIds }, maxNames = 1) => [names(clientIds, maxNames)],
      next: () => '`Enter` lists them, worst first; there, `o` groups them by node or ID prefix.',
      jump: ({ clientIds }) => theseSessions(clientIds),
    },
    'slow-sessions': {
      title: ({ clientIds, isMore }) =>
        say`${pluralize(clientIds.length, isMore ? 'more slow consumer' : 'slow consumer')}`,
      magnitude: ({ clientIds }) => clientIds.length,
      evidence: ({ clientIds, isNoneFullSoon }, maxNames = 1) => [
        ...(isNoneFullSoon ? [say`no queue will fill within 5 min`] : []),
        names(clientIds, maxNames),
      ],
      next: () => '`Enter` lists them, worst first. Check whether they keep up with their subscriptions.',
      jump: ({ clientIds }) => theseSessions(clientIds),
    },
  },
  rows: slowRows,
  waitFor: (reason, { state, nowMs, reading: read }) => {
    if (read?.isWatched !== true) return undefined;
    if (reason.code === 'sessions-uncompared') {
      const { phase, error, nextScanAtMs } = reading(state, sessionScan);
      if (phase === 'aborted' || error !== undefined) return undefined;
      return {
        wait: nextScanAtMs === undefined ? undefined : Math.max(1, Math.ceil((nextScanAtMs - nowMs) / 1_000)),
      };
    }
    if (reason.code !== 'counters-unrefreshed') return undefined;
    const { stepSeconds, seconds } = reason;
    return { wait: Math.max(1, Math.ceil(stepSeconds - seconds - (nowMs - (read.atMs ?? nowMs)) / 1_000)) };
  },
  isUrgent: (findings, { hasQueues }) => hasQueues || findings.some(({ code }) => code !== 'messages-lost'),
  // A session that is slow again so soon has not recovered.
  settleMs: 20_000,
});
