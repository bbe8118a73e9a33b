import { counted, lostMessages } from '../../sessions/texts.ts';
import { formatCount } from '../../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../../terminal/safe-text.ts';
import { askTexts } from '../../../actions/asking.ts';

/** Messages in so many queues, some of which may be unknown. */
export interface Queued {
  readonly messages: number;
  readonly unknown: number;
  readonly queues: number;
}

const lostFrom = ({ messages: count, unknown, queues }: Queued): SafeText => {
  if (unknown === 0) return lostMessages(count);
  if (unknown === queues) return lostMessages(undefined);
  if (count > 0)
    return safe`at least ${lostMessages(count)} (${formatCount(unknown)} ${unknown === 1 ? safe`queue` : safe`queues`} unknown)`;
  return safe`${formatCount(unknown)} of their queues ${unknown === 1 ? safe`is` : safe`are`} unknown, the rest are empty`;
};

export const bulkDialogTexts = {
  /** @param chosen with those that are skipped; `hidden`: of the marked ones, those that the list does not show */
  question: (count: number, chosen: number, group: SafeText | undefined, hidden = 0) => {
    const of = count === chosen ? formatCount(count) : safe`${formatCount(count)} of ${formatCount(chosen)}`;
    if (group === undefined)
      return safe`Disconnect ${of} marked ${chosen === 1 ? safe`client` : safe`clients`}${hidden === 0 ? safe`` : safe` (${formatCount(hidden)} not shown)`}?`;
    // Not all: others may come after those that are listed now.
    return safe`Disconnect ${of} ${chosen === 1 ? safe`client` : safe`clients`} ${group}?`;
  },
  verb: safe`disconnect`,
  columns: { client: safe`CLIENT ID`, node: safe`NODE`, user: safe`USERNAME` },
  usersLoading: (loading: SafeText) => safe`${loading} client list`,
  rest: (count: number, sum: number) => safe`${formatCount(count)} others ${formatCount(sum)}`,
  none: safe`No clients left to disconnect.`,
  /** @param isKeptRate chosen for the last bulk */
  head: (perSecond: number, duration: SafeText, isKeptRate = false, areBanned = false) =>
    safe`${perSecond} per second${isKeptRate ? safe`, as last time` : safe``} (+ -), about ${duration}. ${areBanned ? safe`The ban keeps them from reconnecting.` : safe`Clients may reconnect right away.`}`,
  byNode: (counts: SafeText) => safe`by node: ${counts}`,
  /** Says what all clients have in common, if it is not in the question. */
  shared: (node: SafeText | undefined, user: SafeText | undefined) =>
    safe`all ${joinSafe([...(node === undefined ? [] : [askTexts.on(node)]), ...(user === undefined ? [] : [user === bulkDialogTexts.noUser ? safe`without a username` : safe`with username ${user}`])], safe`, `)}`,
  byUser: (counts: SafeText) => safe`by username: ${counts}`,
  noUser: safe`(none)`,
  changed: (count: number, sign: SafeText) =>
    safe`! ${formatCount(count)} will be skipped: gone or reconnected since you marked ${count === 1 ? safe`it` : safe`them`} (${sign})`,
  changedSince: (count: number, sign: SafeText) =>
    safe`! ${formatCount(count)} will be skipped: gone or reconnected since this dialog opened (marked ${sign})`,
  /** Says what the sessions keep or lose. @param queued of those that end */
  sessions: (ending: number, others: number, queued: Queued) => {
    if (ending === 0)
      return others === 1
        ? safe`Its session and queued messages are kept.`
        : safe`Their sessions and queued messages are kept.`;
    if (others === 0)
      return safe`${ending === 1 ? safe`Its session ends` : safe`Their sessions end`}; ${lostFrom(queued)}.`;
    return safe`${formatCount(others)} ${others === 1 ? safe`session` : safe`sessions`} will be kept, ${formatCount(ending)} will end; ${lostFrom(queued)}.`;
  },
  endsSessions: (queued: Queued, countersSeconds?: number) =>
    safe`! This also ends their sessions and subscriptions; ${lostFrom(queued)}${counted(queued.unknown === queued.queues ? undefined : queued.messages, countersSeconds)}.`,
  absent: (count: number, sign: SafeText) => safe`! ${formatCount(count)} will be skipped: not connected (${sign})`,
  finished: (title: SafeText) => safe`${title}: finished`,
  aborted: (title: SafeText) => safe`${title}: stopped`,
  more: (count: number) => safe`and ${formatCount(count)} more in the timeline (L)`,
  progress: (sent: number, checking: number, waiting: number, rest: SafeText) =>
    joinSafe(
      [
        ...(sent === 0 ? [] : [safe`${formatCount(sent)} sent`]),
        ...(checking === 0 ? [] : [safe`${formatCount(checking)} checking`]),
        safe`${formatCount(waiting)} waiting; ${rest}`,
      ],
      safe` · `,
    ),
  reconnectsLater: safe`reconnects are counted in 5 s`,
  ending: safe`stopping`,
  remaining: (perSecond: number, duration: SafeText) => safe`${perSecond} per second, about ${duration} left`,
  leave: safe`Run in background`,
  abort: safe`Stop sending`,
  /** Counts clients that were not sent, or without a valid response. */
  marked: (count: number) => safe`${formatCount(count)} marked to try again`,
};

/** Said where a bulk disconnect is asked for. */
export const bulkTold = {
  running: safe`Another bulk disconnect is still running: press B to see it`,
  none: safe`No bulk disconnect yet`,
};
