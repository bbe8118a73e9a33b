import type { ActionWords } from '../../actions/action.ts';
import { quoteIfNeeded, words } from '../../actions/texts.ts';
import { pluralize, withThousands } from '../../domain/text.ts';
import { formatCount, formatDuration, formatElapsed, unknownText } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';
import { counted, countedText, lostMessages, queuedMessages } from '../sessions/texts.ts';

export const clientWords = {
  disconnect: (clientId: string) => words('disconnect', 'Disconnected', `client ${quoteIfNeeded(clientId)}`),
  endSession: (clientId: string) => words('end', 'Ended', `the session of client ${quoteIfNeeded(clientId)}`),
  clearAclCache: (clientId: string, topic: string | undefined): ActionWords => {
    const subject = `client ${quoteIfNeeded(clientId)}`;
    const what = `the ACL cache of ${subject}${topic === undefined ? '' : ` for topic ${quoteIfNeeded(topic)}`}`;
    return { title: `clear ${what}`, past: `Cleared ${what}`, subject };
  },
};

/** Sentences about why a client is left alone, and what became of it. */
export const clientSentences = {
  reconnected: 'it reconnected after you selected it.',
  notConnected: 'it is no longer connected.',
  notConnectedTo: (node: string): string => `it is no longer connected to ${node}.`,
  twoConnections: (count = 2): string =>
    `${count === 2 ? 'two' : count} connections have this client ID (takeover in progress).`,
  cannotIdentify: 'its port and connection time are unknown, so a reconnect could not be detected.',
  nothingToDisconnect: 'it is not connected.',
  connectedNow: 'its client is connected now.',
  aclCacheEmpty: 'Its cache is empty.',
  sessionGone: (node: string | undefined): string =>
    `the session no longer exists${node === undefined ? '' : ` on ${node}`}.`,
  sessionReplaced: 'another session has this client ID now.',
  noSession: 'no session has this client ID.',
  aclSlash: 'The broker would cut the client ID at the first "/" and act on another client.',
  emptyTopic: 'The topic is empty.',
  hasReconnected: 'It has reconnected.',
  nodeDown: (node: string): string => `Its node ${node} is down. The client may still be connected there.`,
  nodeUnknown: (stopped: string): string => `Its node is unknown. ${stopped}`,
  leftBefore: 'It had already disconnected.',
  sessionRemains: 'The session is still listed.',
  sessionEndedBefore: 'The session had already ended.',
  /** @param queued as read before */
  sessionEnded: (queued: number | undefined, countersSeconds?: number): string | undefined =>
    queued === undefined
      ? undefined
      : `It had ${queued === 0 ? 'no messages' : pluralize(queued, 'message')} queued${countedText(countersSeconds)}.`,
  aclCache: 'The API cannot show whether the cache is clear.',
  aclCacheHad: (count: number): string => `It had ${pluralize(count, 'decision')}.`,
  aclCacheRemains: (count: number): string =>
    `${pluralize(count, 'decision')} ${count === 1 ? 'is' : 'are'} still cached.`,
};

/** Rounds up: `within` must be true. */
const atMostSeconds = (ms: number): string =>
  ms > 9_900 ? `${Math.ceil(ms / 1_000)} s` : `${(Math.max(1, Math.ceil(ms / 100)) / 10).toFixed(1)} s`;

/** The consequence of a disconnect. */
export const reconnectTexts = {
  reconnected: (withinMs: number, node: string | undefined, from: string | undefined, session: string): string =>
    `Reconnected within ${atMostSeconds(withinMs)}${node === undefined ? '' : ` on ${node}`}${from === undefined ? '' : ` from ${from}`}; ${session}.`,
  notReconnected: (watchedMs: number, session: string): string =>
    `It has not reconnected${watchedMs < 1_000 ? ' yet' : ` (watched for ${Math.floor(watchedMs / 1_000)} s)`}; ${session}.`,
  stillLosing: (perSecond: number): string => `still losing ${withThousands(perSecond)} msg/s`,
  sessionKept: (queued: number | undefined): string =>
    `session kept, ${queued === undefined ? 'queue unknown' : queued === 0 ? 'its queue is empty' : `${withThousands(queued)} queued`}`,
  /** @param queued as read before; 0 if unknown */
  sessionEnded: (queued = 0): string =>
    queued === 0 ? 'session ended' : `session ended with ${pluralize(queued, 'message')} queued`,
  noSession: 'no session',
  sessionUnknown: 'session unknown',
};

export const clientDialogTexts = {
  disconnect: {
    question: safe`Disconnect this client?`,
    verb: safe`disconnect`,
    title: (id: SafeText) => safe`Disconnect ${id}`,
    notConnected: safe`Not connected: nothing to disconnect`,
  },
  /** @param queued `undefined` if it is not known */
  keepsSession: (queued: number | undefined) =>
    safe`It may reconnect right away. Its session ${queued === undefined ? safe`and queue are` : queued === 0 ? safe`is` : safe`and ${queuedMessages(queued)} are`} kept.`,
  endsSession: (queued: number | undefined, countersSeconds?: number) =>
    safe`Its session ends; ${lostMessages(queued)}${counted(queued, countersSeconds)}.`,
  mayReconnect: safe`It may reconnect right away.`,
  reconnectNote: safe`If it reconnects before you confirm, nothing is sent.`,
  changed: {
    reconnected: (key: SafeText) => safe`It has reconnected since. Esc, then ${key} again for the new connection.`,
    gone: () => safe`It has disconnected since.`,
  },
  connection: (node: SafeText, address: SafeText, user: SafeText) =>
    safe`on ${node} from ${address}, ${user === unknownText ? safe`no username` : safe`user ${user}`}`,
  connectedSince: (time: SafeText) => safe`connected since ${time}`,
  endSession: {
    question: safe`End the session of this client?`,
    verb: safe`end session`,
    session: (node: SafeText, created: SafeText) => safe`not connected; its session on ${node} began ${created}`,
    effect: (subscriptions: number | undefined, queued: number | undefined, countersSeconds?: number) =>
      safe`It loses its ${subscriptions === undefined ? safe`subscriptions` : subscriptions === 1 ? safe`subscription` : safe`${formatCount(subscriptions)} subscriptions`}; ${lostMessages(queued)}${counted(queued, countersSeconds)}.`,
  },
  twoConnections: (count: number) => safe`${formatCount(count)} connections have this client ID (takeover in progress)`,
  clearAcl: {
    question: safe`Clear this client's ACL cache for the topic?`,
    wholeQuestion: safe`Clear this client's ACL cache?`,
    effect: safe`The broker checks its next publishes and subscriptions again.`,
    verb: safe`clear`,
    title: (id: SafeText) => safe`Clear the ACL cache of ${id}`,
    notConnected: safe`Not connected: no cache to clear`,
    topic: (topic: SafeText) => safe`topic ${topic}`,
    topicLabel: safe`Topic`,
    topicHelp: safe`the topic whose cached decision is cleared`,
  },
  menu: {
    title: (id: SafeText) => safe`Client ${id}`,
    suggested: safe`suggested`,
    disconnectMarked: (count: number) =>
      safe`Disconnect ${formatCount(count)} marked ${count === 1 ? safe`client` : safe`clients`}`,
  },
  marked: (count: number) => safe`${formatCount(count)} marked`,
  markedChanged: (changed: number, count: number) =>
    safe`! ${formatCount(changed)} of ${formatCount(count)} marked rows changed and will be skipped`,
};

export const clientTexts = {
  /** Opens the page of a client that no list has. */
  openTyped: (id: SafeText) => safe`open client "${id}"`,
  /** Counts messages and bytes that the client sent or got. */
  traffic: (messages: SafeText, bytes: SafeText) => safe`${messages} msg, ${bytes}`,
  connection: safe`Connection`,
  session: safe`Session`,
  subscriptions: safe`Subscriptions`,
  id: safe`Client ID`,
  idLength: (characters: number) => safe`${formatCount(characters)} characters`,
  idCut: (characters: number) => safe`(${formatCount(characters)} characters, shown in full at the end)`,
  loading: safe`··· loading`,
  failed: (reason: SafeText) => safe`! not read: ${reason}`,
  unknown: safe`No client, session or subscription with this ID.`,
  /** Describes a client that reconnects again and again, or that the list still has. */
  away: safe`Not connected now, and it has no session. This was its last connection:`,
  lastConnection: safe`Last connection`,
  notConnected: safe`not connected`,
  noSession: safe`no session`,
  noSubscriptions: safe`no subscriptions`,
  connected: (connections: number) =>
    connections === 1 ? safe`connected` : safe`${connections} connections (takeover)`,
  connectionUnknown: safe`connection unknown`,
  sessionRemains: safe`not connected, session stored`,
  nodeDown: safe`node not running`,
  maybeConnected: (node: SafeText) =>
    safe`Last seen on ${node}, which is not running. It may still be connected there.`,
  countersAsOfDisconnect: (seconds: number | undefined) =>
    seconds === undefined || seconds < 1
      ? safe`counters as of disconnect`
      : safe`counters as of disconnect, at least ${formatDuration(seconds)} ago`,
  countersUnknown: safe`Counters unknown: only the session's own node reports them. Connect to that node with --url.`,
  readIn: (milliseconds: number) => safe`read in ${formatElapsed(milliseconds)}`,
  live: safe`live`,
  frozen: safe`paused`,
  notRead: safe`not read`,
  notRecorded: safe`not recorded`,
  /** Of a moment of a recording. */
  recorded: safe`recorded`,
  old: (seconds: number) => safe`${formatDuration(seconds)} old`,
  noLongerConnected: safe`no longer connected`,
  persistent: safe`persistent`,
  clean: safe`clean`,
  more: (count: number) => safe`and ${formatCount(count)} more (Enter)`,
  trends: safe`Trends`,
  queue: safe`queue`,
  delivered: safe`delivered`,
  dropped: safe`dropped`,
  peak: safe`peak`,
  ofMax: (max: SafeText) => safe`of ${max}`,
};

export const clientSearchTexts = {
  searching: safe`asking the broker`,
  failed: safe`! the broker cannot search (L: log)`,
  found: (count: number, hasMore: boolean) =>
    safe`found by the broker: ${formatCount(count)}${hasMore ? safe`+` : safe``} connected`,
};
