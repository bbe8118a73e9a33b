import { formatCount, formatDuration } from '../../terminal/format.ts';
import { joinSafe, safe, type SafeText } from '../../terminal/safe-text.ts';

export const queuedMessages = (queued: number): SafeText =>
  safe`${formatCount(queued)} queued ${queued === 1 ? safe`message` : safe`messages`}`;

/** @param queued `undefined` if it is not known */
export const lostMessages = (queued: number | undefined): SafeText =>
  queued === undefined
    ? safe`an unknown number of queued messages will be lost`
    : safe`${queued === 0 ? safe`no queued messages` : queuedMessages(queued)} ${queued === 1 ? safe`is` : safe`are`} lost`;

/** Says how old the count is: some brokers count the messages of a queue only now and then. */
export const counted = (queued: number | undefined, countersSeconds: number | undefined): SafeText =>
  queued === undefined || countersSeconds === undefined
    ? safe``
    : safe` (counted up to ${formatCount(countersSeconds)} s earlier)`;

/** Writes what `counted` does, for sentences of the log. */
export const countedText = (countersSeconds: number | undefined): string =>
  countersSeconds === undefined ? '' : ` (counted up to ${countersSeconds} s earlier)`;

export const sessionsTexts = {
  old: (seconds: number) => safe`${formatDuration(seconds)} old`,
  countersUnknown: (count: number, total: number, nodes: readonly SafeText[]) =>
    safe`no counters of ${formatCount(count)} of ${formatCount(total)} sessions (${joinSafe(nodes, safe`, `)}): only their own node has them (--url)`,
};

/** The panel with the sessions that get most messages. */
export const busiestTexts = {
  columns: { client: safe`CLIENT ID`, node: safe`NODE`, rate: safe`DELIVER/S`, queue: safe`QUEUE` },
  noRates: safe`no rates yet: sessions are read twice first`,
  noDeliveries: safe`no session gets messages`,
};

/** A sign of a session, for the help. */
export const disconnectedSymbol = [safe`0/32 ?`, safe`from before the disconnect, may be out of date`] as const;

/** Filters of one column, for the help. */
export const filterExamples = [
  [safe`node:text`, safe`one column only; also with !, /regex/ and ~`],
  [safe`queue:>0`, safe`compare numbers: > >= < <= = or none (in Sessions)`],
  [safe`drop/s:>1k`, safe`column header, - for spaces; units 1k 5MB 2h`],
] as const;
