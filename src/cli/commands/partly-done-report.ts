import type { PartlyDone } from '../../actions/partly-done.ts';
import { escapeText } from '../../terminal/safe-text.ts';

/** More lines than this push what stands above them out of sight. */
const longList = 10;

/** The exit code of a program in whose run something was only partly done, or of which that is not known. */
export const partlyDoneCode = 3;

/**
 * What is said at the end of a program for each bulk, and each action on several nodes, that did not
 * come about in all its parts, with the parts that failed; and for each action of which it is not known.
 * What came of it as a whole stands below a long list once more. `undefined` when there is nothing to say.
 */
export function partlyDoneReport(all: readonly PartlyDone[]): string | undefined {
  if (all.length === 0) return undefined;
  return all.map(({ text, failures, moreFailures }) => {
    const listed = failures.map((failure) => `  ${escapeText(failure)}`);
    const more = moreFailures === 0 ? [] : [`  and ${moreFailures} more`];
    const head = `brokertop: ${escapeText(text)}`;
    return [head, ...listed, ...more, ...(listed.length > longList ? [head] : []), ''].join('\n');
  }).join('');
}
