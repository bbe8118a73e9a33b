import { safe, type SafeText } from '../../terminal/safe-text.ts';

/** Questions and texts that scroll. */
export const scrollableTexts = {
  close: safe`Close`,
  cancel: safe`Cancel`,
  readOn: safe`Read the rest first`,
  position: (from: SafeText, to: SafeText, count: SafeText) => safe`lines ${from}–${to} of ${count}`,
  scrollKeys: (position: SafeText) => safe`${position} (↑ ↓ PgUp PgDn)`,
};

/** The footer of a table and its column for changes. */
export const tableTexts = {
  new: safe`NEW`,
  gone: safe`GONE`,
  old: safe`OLD`,
  wide: safe`WIDE`,
  count: (shown: SafeText, total: SafeText) => safe`${shown} of ${total}`,
  showing: (count: SafeText) => safe`showing ${count}`,
  row: (position: SafeText) => safe`row ${position}`,
  rowOf: (position: SafeText, count: SafeText) => safe`row ${position} of ${count}`,
  hidden: (count: number) => safe`${count} ${count === 1 ? safe`column` : safe`columns`} hidden`,
  by: (column: SafeText) => safe`by ${column}`,
  sorted: (order: SafeText) => safe`sorted ${order}`,
  byTrouble: (isWorstFirst: boolean) => (isWorstFirst ? safe`worst first` : safe`worst last`),
  fromEnd: (order: SafeText) => safe`${order}, descending`,
  largestFirst: (order: SafeText, largest: SafeText | undefined) => safe`${order}, ${largest ?? safe`largest`} first`,
  more: (count: number, arrows: SafeText) =>
    safe`${count} more ${count === 1 ? safe`column` : safe`columns`} ${arrows}`,
};
