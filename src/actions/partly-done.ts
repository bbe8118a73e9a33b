import type { Action, ActionResult } from './action.ts';
import { type BulkProgress, skippedBy } from './bulk.ts';
import { describeResult } from './describe.ts';

/** Something that did not come about in all its parts, or of which that is not known. */
export interface PartlyDone {
  /** What came of it, in sentences; raw. */
  readonly text: string;
  /** Each part that is not done, a line each, at most `mostListed`; raw. */
  readonly failures: readonly string[];
  /** Failures that are not listed. */
  readonly moreFailures: number;
}

/** More lines than this nobody reads at the end of a program; the audit has them all. */
const mostListed = 1_000;

const partlyDone = (text: string, failures: readonly string[]): PartlyDone =>
  ({ text, failures: failures.slice(0, mostListed), moreFailures: Math.max(0, failures.length - mostListed) });

/** What came of a bulk, in sentences; raw. */
export function describeBulk(progress: BulkProgress): string {
  const { title, total, done, notDone, unknown, skipped, endedBecause } = progress;
  const why = endedBecause === undefined ? '' : ` ${endedBecause}`;
  const skips = skippedBy(progress).map(([count, words]) => `${count} ${words}`);
  return `${title}: ${done} done, ${notDone} not done, ${unknown} unknown, ${skipped} skipped${skips.length === 0 ? '' : ` (${skips.join(', ')})`}, ${total} in all.${why}`;
}

/** `undefined` when all of it is done. What was not reached is counted, not listed. */
export function partlyDoneBulk(progress: BulkProgress): PartlyDone | undefined {
  if (progress.done === progress.total) return undefined;
  return partlyDone(describeBulk(progress), progress.failures.filter(({ skip }) => skip !== 'notReached').map(({ text }) => text));
}

/**
 * What is unknown, what was ended before it was sent, and what not all nodes took. `undefined` for the rest:
 * what concerns no more than one node is done or not.
 */
export function partlyDoneAction(action: Pick<Action, 'title'>, result: ActionResult): PartlyDone | undefined {
  const nodes = result.parts.filter(({ node }) => node !== undefined);
  const failed = nodes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'accepted');
  const isOpen = result.outcome === 'unknown' || result.reason === 'aborted';
  if (nodes.length < 2 || failed.length === 0) return isOpen ? partlyDone(describeResult(action, result), []) : undefined;
  return partlyDone(describeResult(action, result), failed.map(({ node, outcome, text, error }) => [`${node}: ${outcome === 'unknown' ? 'unknown' : 'not done'}`, text ?? error?.message].filter((part) => part !== undefined).join('. ')));
}
