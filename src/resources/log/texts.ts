import { pluralize } from '../../domain/text.ts';
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const logTexts = {
  /** The panel with the last events. */
  recentEvents: safe`Recent events`,
  newestFirst: safe`newest first (L)`,
  empty: safe`No actions, problems or errors yet.`,
  problemBegan: (title: string) => `Problem: ${title}`,
  /** Logs a problem whose entry did not yet say who has it. */
  problemNamed: (title: string) => `Now known: ${title}`,
  /** Logs a problem that cannot be read any more. */
  problemUnknown: (title: string) => `Unknown: ${title}`,
  problemKnown: (title: string) => `Known again: ${title}`,
  /** Logs a problem that was a warning. */
  problemCritical: (title: string) => `Now critical: ${title}`,
  problemEased: (title: string) => `No longer critical: ${title}`,
  /** @param note `undefined`: no longer acknowledged */
  problemAcknowledged: (title: string, note: string | undefined) =>
    note === undefined
      ? `No longer acknowledged: ${title}`
      : `Acknowledged: ${title}${note === '' ? '' : ` (${note})`}`,
  /** Counts problems besides those with an entry each. */
  moreProblems: {
    began: (count: number) => `${pluralize(count, 'more problem')} began`,
    worsened: (count: number) => `${pluralize(count, 'more problem')} became critical`,
    eased: (count: number) => `${pluralize(count, 'more problem')} no longer critical`,
    ended: (count: number) => `${pluralize(count, 'more problem')} resolved`,
    joined: (count: number) => `${pluralize(count, 'more problem')} now known`,
    acknowledged: (count: number) => `The same for ${pluralize(count, 'more problem')}`,
  },
  /** @param worst the title at its worst moment, if that is another one */
  problemEnded: (title: string, lasted: string | undefined, worst?: string) =>
    `Resolved${lasted === undefined ? '' : ` after ${lasted}`}: "${title}"${worst === undefined ? '' : `, at worst "${worst}"`}`,
  /** Logs the end of a problem by the title at its worst moment. */
  worstProblemEnded: (worst: string, lasted: string | undefined) =>
    `Resolved${lasted === undefined ? '' : ` after ${lasted}`}, at worst: "${worst}"`,
  /** Logs the end of a problem that an earlier run of the program has seen. */
  problemEndedMeanwhile: (title: string) => `Resolved while not watched: "${title}"`,
  alarmClearedMeanwhile: (title: string) => `Cleared while not watched: ${title}`,
  isNew: (what: string) => `New: ${what}`,
  isGone: (what: string) => `Gone: ${what}`,
  isChanged: (what: string, how: string) => `Changed: ${what}: ${how}`,
  notRunning: 'while brokertop was not running',
  changedBetween: (from: string, to: string) => `(between ${from} and ${to})`,
  /** Leaves out when it was changed: other programs read at other times. */
  withoutBetween: (text: string) =>
    text.replace(/(?: while brokertop was not running)?(?: \(between [\w: -]+ and [\d:]+\))?$/u, ''),
  moreChanges: (count: string, many: string) => `${count} of ${many}`,
  /** Returns what a problem was called in an event: the text without what became of it. */
  titleIn: (text: string) =>
    text.replace(/^(?:Problem|Now critical|No longer critical|Now known|Unknown|Known again): /u, ''),
  severities: { critical: safe`CRITICAL`, warning: safe`WARNING`, info: safe`info` },
  noObject: safe`This event is about nothing that has a page`,
  notUndoable: safe`This action cannot be undone`,
  cut: (characters: number) => safe`(${formatCount(characters)} characters, cut here)`,
  repeated: (times: number, since: SafeText) => safe`(${formatCount(times)} times since ${since})`,
};
