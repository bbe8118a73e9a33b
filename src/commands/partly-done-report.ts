import type { PartlyDone } from '../store/actions/partly-done.ts';
import { escapeText } from '../ui/safe-text.ts';

/** The exit code of a program in whose run something was only partly done. */
export const partlyDoneCode = 3;

/**
 * What is said at the end of a program for each bulk, and each action on several nodes, that did not
 * come about in all its parts; with the parts that failed. `undefined` when there is nothing to say.
 */
export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all.map(({ text, failures, moreFailures }) => {
    const listed = failures.map((failure) => `  ${escapeText(failure)}`);
    const more = moreFailures === 0 ? [] : [`  and ${moreFailures} more`];
    return [`brokertop: ${escapeText(text)}`, ...listed, ...more, ''].join('\n');
  }).join('');
}
