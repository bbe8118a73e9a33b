import type { BrokerSeconds } from '../domain/node.ts';
import { capitalized, pluralize, withThousands } from '../domain/text.ts';
import type { ActionWords, Outcome } from './action.ts';

const plain = /^[^\s"'(),;]*[^\s"'(),;.:!?]$/u;

/** Quotes a name within a sentence if it is empty, has spaces or ends like a sentence. Raw. */
export const quoteIfNeeded = (raw: string): string =>
  plain.test(raw) ? raw : `"${raw.replaceAll('"', String.raw`\"`)}"`;

export const listNodes = (nodes: readonly string[]): string => nodes.join(', ');

/** The words of an action in the form `disconnect client a`. */
export const words = (verb: string, pastVerb: string, subject: string, rest = ''): ActionWords => ({
  title: `${verb} ${subject}${rest}`,
  past: `${pastVerb} ${subject}${rest}`,
  subject,
});

/** Writes `2026-03-01 14:03:09`, on the broker's clock. */
export const brokerTimeText = (seconds: BrokerSeconds): string => {
  const date = new Date(seconds * 1_000);
  return Number.isNaN(date.getTime())
    ? String(seconds)
    : date
        .toISOString()
        .replace('T', ' ')
        .replace(/\.\d+Z$/u, '');
};

/** Names nodes that an action on all of them is about. */
export const allNodesText = (nodes: readonly string[], isSomeStopped: boolean): string =>
  `all ${isSomeStopped ? 'running ' : ''}nodes (${listNodes(nodes)})`;

export const outcomeTexts = {
  words: { done: 'Done', accepted: 'Accepted', 'not-done': 'Not done', unknown: 'Unknown' } satisfies Record<
    Outcome,
    string
  >,
  unchanged: 'Unchanged',
  done: ({ past }: ActionWords): string => `${past}.`,
  accepted: ({ title, accepted }: ActionWords): string => accepted ?? `Accepted: ${title}.`,
  'not-done': ({ title }: ActionWords): string => `Failed to ${title}.`,
  unknown: ({ title }: ActionWords): string => `Outcome unknown: ${title}.`,
  notSent: ({ title }: ActionWords): string => `Not sent: ${title}.`,
  nothingToDo: ({ title }: ActionWords): string => `Nothing to do: ${title}.`,
  skipped: ({ subject }: Pick<ActionWords, 'subject'>, why: string): string => `Skipped ${subject}: ${why}`,
  skippedThere: (why: string): string => `Skipped: ${why}`,
  nodes: (count: number, done: number, unchanged: readonly string[], unknown: number): string =>
    `${done} of ${count} nodes done${unchanged.length > 0 ? `, ${listNodes(unchanged)} unchanged` : ''}${unknown > 0 ? `, ${unknown} unknown` : ''}.`,
  urls: (count: number, byWord: readonly (readonly [string, number])[]): string =>
    `${count} URLs: ${byWord
      .filter(([, each]) => each > 0)
      .map(([word, each]) => `${each} ${word.toLowerCase()}`)
      .join(', ')}.`,
  url: (url: string, word: string, text: string | undefined): string =>
    `${url}: ${word}.${text === undefined ? '' : ` ${text}`}`,
  notSentThere: (why: string): string => `Nothing was sent. ${why}`,
  node: (node: string, outcome: Outcome, text: string | undefined): string =>
    `${node}: ${outcome === 'unknown' ? 'unknown' : 'not done'}${text === undefined ? '' : `. ${text}`}`,
  brokerSays: (message: string): string => `The broker says: ${message}`,
  notRecorded: (error: string): string => `The outcome was not written to the audit log: ${error}`,
};

/** The reasons why an action is not taken back. */
export const undoTexts = {
  never: 'This cannot be undone.',
  unreadable: 'This version of brokertop cannot read what it changed.',
  secretNotKept: (what: string): string =>
    `Values of ${what} are secret, so only the run of brokertop that changed them can undo this.`,
  notAll: (nodes: readonly string[]): string => `It changed only ${listNodes(nodes)}.`,
  moreNodes: (nodes: readonly string[]): string => `It would also act on ${listNodes(nodes)}.`,
  otherApi: 'The broker has another API now.',
  differed: 'The nodes differed before. Change them one by one.',
  changedSince: (now: string): string => `It was changed since: ${now}`,
  ended: (until: string): string => `It would have ended at ${until} (broker time).`,
};

export const skipTexts = {
  readOnly: 'brokertop runs in read-only mode.',
  alreadyRun: 'It has already run.',
  alreadyRunning: 'Already running.',
  aborted: 'Stopped before it was sent.',
  notRecorded: (error: string): string => `Cannot write the audit log: ${error}`,
  unreadable: (error: string): string => `The target could not be checked. ${error}`,
  refused: (why: string): string => `${capitalized(why)}.`,
  noUrls: 'there is only one URL',

  runningAgain: (nodes: readonly string[]): string =>
    `${listNodes(nodes)} ${nodes.length === 1 ? 'is' : 'are'} running again.`,
  nodesUnread: (nodes: readonly string[], error?: string): string =>
    `it would change all nodes, and ${listNodes(nodes)} could not be checked.${error === undefined ? '' : ` ${error}`}`,
  noClock: 'no node reports its clock, so the expiry time cannot be set.',
};

export const invalidTexts = {
  qos: 'QoS must be 0, 1 or 2.',
  empty: (what: string): string => `The ${what} is empty.`,
  nul: (what: string): string => `The ${what} contains U+0000, which MQTT does not allow.`,
  unicode: (what: string): string => `The ${what} is not valid Unicode.`,
  tooLong: (what: string, maxBytes: number): string =>
    `The ${what} is too long (max ${withThousands(maxBytes)} bytes).`,
  noChange: 'Nothing to change.',
};

export const verificationTexts = {
  stoppedNode: 'Not running, not changed.',
  nodeUnread: 'Not sent: the node could not be checked.',
  lostAnswer: (error: string): string => `It took effect, although the broker did not confirm it. ${error}`,
  acceptedUnread: 'The broker accepted it. The effect could not be verified.',
  acceptedNotYet: 'The broker accepted it. It has not taken effect yet.',
  acceptedUnchanged: 'The broker accepted it, but nothing changed.',
  lostUnread: (error: string): string => `${error} The effect could not be verified.`,
  lostNotYet: (error: string): string => `${error} It has not taken effect yet, but still may.`,
  lostUnchanged: (error: string): string => `${error} Nothing changed.`,
};

/** Says what a done action led to. */
export const followUpTexts = {
  unread: 'Could not check what happened next.',
  logged: ({ subject }: Pick<ActionWords, 'subject'>, text: string): string =>
    `${capitalized(subject)}: ${text.replace(/^(?:Now|Unchanged|Reconnected|It|The|Its)\b/u, (word) => word.toLowerCase())}`,
  unreadSince: (text: string): string => `${text} The last attempt to read it failed.`,
};

export const bulkTexts = {
  /** @param group what the clients have in common; otherwise they were marked */
  title: (count: number, group?: string): string =>
    group === undefined
      ? `Disconnect ${pluralize(count, 'marked client')}`
      : `Disconnect ${pluralize(count, 'client')} ${group}`,
  skips: {
    changed: 'reconnected or gone',
    absent: 'not connected',
    unreadable: 'could not be read',
    unsent: 'not sent',
  },
  notReached: (title: string): string => `Not reached: ${title}.`,
  failing: (count: number): string => `${count} requests in a row had no valid response.`,
  stopped: 'Stopped by the operator.',
  notRecorded: 'Cannot write the audit log.',
  counts: (done: string, notDone: string, unknown: string, skipped: string, left: string, total: string): string =>
    [
      `${done} of ${total} disconnected`,
      ...[`${notDone} not done`, `${unknown} unknown`, skipped, `${left} left`].filter(
        (part) => !part.startsWith('0 '),
      ),
    ].join(', '),
  /** @param why reasons with their counts, which are shown if there are several */
  skipped: (count: string, why: readonly (readonly [count: string, words: string])[]): string =>
    `${count} skipped${why.length === 0 ? '' : ` (${why.map(([each, words]) => (why.length === 1 ? words : `${each} ${words}`)).join(', ')})`}`,
  reconnectSlots: {
    away: 'not yet',
    unreadable: 'could not be read',
    unchecked: 'not checked',
    pending: 'not checked yet',
  },
  reconnects: (reconnected: string, total: string, others: readonly string[]): string =>
    `${others.length > 0 ? `${reconnected} of ${total}` : total === '1' ? 'The client' : `All ${total}`} reconnected${others.map((other) => `, ${other}`).join('')}.`,
  /** Says what became of those that were disconnected, which may be fewer. */
  reconnectsAfter: (title: string, text: string): string =>
    bulkTexts.result(title.replace(/^(Disconnect )(?!1 )[\d,]+ /u, '$1'), text),
  /** Says what became of a bulk. */
  result: (title: string, text: string): string =>
    `${title.replace(/^Disconnect /u, 'Disconnecting ')}: ${text.charAt(0).toLowerCase()}${text.slice(1)}`,
  ended: (isAborted: boolean, text: string): string => `${isAborted ? 'Stopped' : 'Finished'}: ${text}`,
};

export const auditTexts = {
  cut: (length: number): string => `(truncated, ${withThousands(length)} characters)`,
  noUrl: '(not a URL)',
  tooSlow: (seconds: number): string => `Writing took longer than ${seconds} s.`,
};
