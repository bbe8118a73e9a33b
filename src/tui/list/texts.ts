/** Texts of lists: loading, failed, stale, filtered and grouped rows. Names of columns are in their definitions. */
import { formatCount } from '../../terminal/format.ts';
import { safe, type SafeText } from '../../terminal/safe-text.ts';

/** Lists and figures that one request reads. `what`: `the users`; `error` is escaped. */
export const listTexts = {
  loading: (what: SafeText) => safe`··· loading ${what}`,
  failed: (what: SafeText, retry: SafeText, error: SafeText) => safe`! Cannot load ${what}, ${retry}. ${error}`,
  forbidden: (what: SafeText) => safe`This login may not read ${what}: the broker refuses it.`,
  noRetry: safe`no retry`,
  noRetryFrozen: safe`no retry while paused`,
  retrying: safe`retrying`,
  retryIn: (wait: SafeText) => safe`retry in ${wait}`,
  loginRejected: safe`Not loaded: login rejected.`,
  frozen: safe`Not loaded: paused. Press p to resume.`,
  notRecorded: safe`Not recorded: this was not being read at the time.`,
  inLog: (text: SafeText) => safe`${text} (L: log)`,
  unusable: (what: SafeText, rows: SafeText) => safe`! ${what}: ${rows}, not listed (L: log)`,
  stale: (what: SafeText, age: SafeText) => safe`${what}: last read ${age}`,
  staleFrozen: (what: SafeText, age: SafeText) => safe`${what}: last read ${age}, paused`,
  staleFailed: (what: SafeText, age: SafeText, retry: SafeText, error: SafeText) =>
    safe`! ${what}: last read ${age}, ${retry}: ${error}`,
  none: safe`none reported by the broker`,
  unread: safe`The list has not loaded yet`,
  noMatch: (one: SafeText) => safe`No ${one} matches.`,
  /** @param does what Enter does with a typed id that no row has */
  enter: (does: SafeText) => safe`Press Enter to ${does}.`,
  enterTwice: (does: SafeText) => safe`Press Enter twice to ${does}.`,
  back: safe`Esc back`,
  noRow: safe`no row selected`,
  moreLines: (lines: number) => safe`and ${formatCount(lines)} more lines`,
  changedHere: safe`Changed here`,
  newestFirst: safe`newest first`,
  running: safe`running`,
};

export const filterTexts = {
  syntax: safe`text  /regex/  !not  ~fuzzy  column:text  column:>0`,
  clear: safe`Esc clears`,
  notApplied: safe`The filter cannot be applied, so no rows are shown.`,
  matches: (matching: SafeText, total: SafeText) => safe`${matching} of ${total}`,
};

/** The column chooser. */
export const columnTexts = {
  title: safe`Columns`,
  shown: (shown: number, all: number) => safe`${shown} of ${all} shown`,
  width: (width: SafeText) => safe`${width} wide`,
  set: safe`, fixed`,
  sticky: safe`always first`,
  hidden: safe`hidden`,
  scrolledOut: (arrow: SafeText) => safe`no room: scroll with ${arrow}`,
  noRoom: safe`no room: Space shows it`,
  cannotMove: (column: SafeText) => safe`${column} is always shown first`,
  cannotSort: safe`This list cannot be sorted`,
  reset: safe`Columns reset`,
  sortBy: (column: SafeText) => safe`Sort by ${column}`,
  sortByTrouble: safe`Sort worst first`,
};

export const exportTexts = {
  rows: (count: number) => (count === 1 ? safe`1 row` : safe`${formatCount(count)} rows`),
  columnCount: (count: number) => (count === 1 ? safe`1 column` : safe`${formatCount(count)} columns`),
  title: (rows: SafeText) => safe`Save ${rows} to a file`,
  verb: safe`save`,
  format: safe`Format`,
  formatHelp: safe`raw values, with times in UTC (← → or Space)`,
  columns: safe`Columns`,
  columnsHelp: (shown: number, all: number) => safe`shown: ${formatCount(shown)}, all: ${formatCount(all)}`,
  file: safe`File`,
  fileHelp: (file: SafeText) => safe`${file} in the working folder, or a path; ~/ is the home folder`,
  replace: safe`Replace`,
  replaceHelp: safe`yes replaces an existing file`,
  noName: safe`Type a file name.`,
  saved: safe`Saved`,
  incomplete: safe`The list is incomplete.`,
  old: safe`The rows are old.`,
} as const;
