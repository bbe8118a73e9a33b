import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

export const compareTexts = {
  title: safe`Compare`,
  now: safe`now`,
  /** @param took the time between the two */
  moments: (first: SafeText, second: SafeText, took: SafeText) => safe`${first} → ${second}, ${took}`,
  noMark: safe`Nothing to compare yet. Look back (h) and press = to compare a moment with now, or type :compare 14:02.`,
  noMarkInFile: safe`Nothing to compare yet. Press = to mark this moment, move, and press = again, or type :compare 14:02.`,
  oneMoment: safe`This is the marked moment. Move to another one with ← → ( ).`,
  none: safe`No difference.`,
  noneHere: safe`Nothing differs here any more.`,
  marked: (moment: SafeText) => safe`Marked ${moment}. Move to another moment and press = to compare.`,
  markedNow: (moment: SafeText) => safe`Marked ${moment}. Press = later, or in the past, to compare with it.`,
  alreadyMarked: (moment: SafeText) => safe`Comparing with ${moment}. Close this screen to mark another moment.`,
  goTo: (moments: SafeText) => safe`Compare ${moments}`,
  withNow: (moment: SafeText) => safe`${moment} with now`,
  withShown: (moment: SafeText) => safe`${moment} with the moment shown`,
  two: (first: SafeText, second: SafeText) => safe`${first} with ${second}`,
  noSample: (wanted: SafeText, found: SafeText) =>
    safe`Nothing was recorded at ${wanted}. The nearest sample is of ${found}.`,
  more: (count: number) => safe`and ${formatCount(count)} more lines: make the terminal taller`,
  groupMenu: safe`Group the differences`,
  groups: (count: SafeText, isOne: boolean) => safe`${count} ${isOne ? safe`group` : safe`groups`}`,
  nothingToGroup: safe`Nothing to group`,
  by: (grouping: SafeText) => safe`by ${grouping}`,
  /** Name clients that only one of the moments has. */
  goneBy: (second: string) => `gone by ${second}`,
  cameAfter: (first: string) => `came after ${first}`,
  groupNoun: safe`group`,
  noun: safe`difference`,
  unknown: safe`none`,
};

/** The properties that differences are grouped by. */
export const groupingTexts = {
  what: safe`list and change`,
  list: safe`list`,
  change: safe`change`,
  node: safe`node`,
  field: safe`field`,
} as const;
