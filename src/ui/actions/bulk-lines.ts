import type { BulkPreview, BulkProgress } from '../../store/actions/bulk.ts';
import { formatCount, formatDuration, loadingText, unknownText } from '../format.ts';
import { type SafeText, joinSafe, safe } from '../safe-text.ts';
import type { Theme } from '../theme.ts';
import { gaugeSpans } from '../widgets/gauge.tsx';
import { type Line, type Span, composeLine } from '../widgets/line.ts';
import { titleLine } from '../widgets/panel.tsx';
import { wrapWords } from '../wrap-words.ts';

const longestName = 40;

const countsText = (theme: Theme, counts: BulkPreview['byUser'], most: number): SafeText => {
  if (counts === undefined) {
    return safe`${loadingText} only the list of clients tells`;
  }
  const shown = counts.slice(0, most).map(([name, count]) => safe`${name === undefined ? unknownText : theme.escape(name.slice(0, longestName))} ${formatCount(count)}`);
  const rest = counts.slice(most);
  const restCount = rest.reduce((sum, [, count]) => sum + count, 0);
  return joinSafe([...shown, ...(rest.length === 0 ? [] : [safe`${formatCount(rest.length)} others ${formatCount(restCount)}`])], safe` · `);
};

/** What a bulk would do. */
export interface BulkPlan {
  readonly preview: BulkPreview;
  /** How many begin in a second at most. */
  readonly perSecond: number;
  /** How many are not listed any more as they were marked. */
  readonly changedCount: number;
}

/** The time that a number takes at a pace; at least, because slow answers hold it up. */
const leastTime = (count: number, perSecond: number): SafeText => formatDuration(Math.ceil(count / perSecond));

/** What disconnecting many will hit, in finished lines, at most `height`, the `answer` lines last. */
export const bulkPreviewLines = (theme: Theme, width: number, height: number, { preview, perSecond, changedCount }: BulkPlan, answer: readonly Line[]): readonly Line[] => {
  const { total, byNode, byUser } = preview;
  const write = (text: SafeText, role?: Span['role']): readonly Line[] =>
    wrapWords(text, Math.max(2, width - 4)).map((line) => composeLine(theme, width, [{ text: safe`  ` }, { text: line, role }]));
  const body = [
    ...write(safe`${formatCount(total)} marked: ${perSecond} a second (+ - change it), at least ${leastTime(total, perSecond)}`, 'title'),
    ...write(safe`by node: ${countsText(theme, byNode, 6)}`),
    ...write(safe`by user: ${countsText(theme, byUser, 6)}`),
    ...(changedCount === 0 ? [] : write(safe`! ${formatCount(changedCount)} of them are not listed any more as they were marked; these are left alone`, 'warning')),
  ];
  const room = Math.max(1, height - 1 - answer.length);
  return [titleLine(theme, width, safe`Disconnect the marked clients?`), ...body.slice(0, room), ...answer].slice(-Math.max(1, height));
};

/** The four counts, which add up to the total once it is over. */
export const bulkCounts = ({ done, notDone, unknown, skipped, changed, total }: BulkProgress): SafeText =>
  safe`${formatCount(done)} done · ${formatCount(notDone)} not done · ${formatCount(unknown)} unknown · ${formatCount(skipped)} skipped${
    changed > 0 ? safe` (${formatCount(changed)} changed)` : safe``} · ${formatCount(total)} in all`;

/** A running or finished bulk in finished lines, at most `height`: counts first, the last failures below, keys last. */
export const bulkProgressLines = (theme: Theme, width: number, height: number, progress: BulkProgress): readonly Line[] => {
  const { phase, total, perSecond, running, waiting, failures, endedBecause } = progress;
  const isFinished = phase === 'finished';
  const head = [
    titleLine(theme, width, isFinished ? safe`Finished: ${theme.escape(progress.title)}` : theme.escape(progress.title)),
    composeLine(theme, width, [{ text: safe`  ` }, ...gaugeSpans(Math.max(10, width - 4), total - waiting - running, total, { warning: 2, error: 2 })]),
    ...wrapWords(bulkCounts(progress), Math.max(2, width - 4)).map((text) => composeLine(theme, width, [{ text: safe`  ` }, { text, role: 'title' }])),
    ...(isFinished ? [] : [composeLine(theme, width, [{ text: safe`  ${formatCount(running)} on their way, ${formatCount(waiting)} waiting${phase === 'ending' ? safe`; no more are begun` : safe`; ${perSecond} a second, at least ${leastTime(waiting, perSecond)} more`}`, role: 'dim' }])]),
    ...(endedBecause === undefined ? [] : [composeLine(theme, width, [{ text: safe`  ! ${theme.escape(endedBecause, width)}`, role: 'warning' }])]),
  ];
  const keys = composeLine(theme, width, [
    { text: safe`  ` },
    { text: isFinished ? safe`Enter Esc` : safe`Esc`, role: 'key' },
    { text: isFinished ? safe` close` : safe` abort: begin no more` },
    ...(isFinished ? [] : [{ text: safe`  b`, role: 'key' }, { text: safe` leave it running` }] as const),
    ...(failures.length === 0 ? [] : [{ text: safe`   every failure stands in the log (L)`, role: 'dim' } as const]),
  ]);
  const room = Math.max(0, height - head.length - 1);
  const shown = room === 0 ? [] : failures.slice(-room).map(({ text }) => composeLine(theme, width, [{ text: safe`  ` }, { text: theme.escape(text, width), role: 'warning' }]));
  return [...head, ...shown, keys].slice(0, Math.max(1, height));
};
