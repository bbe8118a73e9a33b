import type { Action, ActionResult } from './action.ts';
import type { BulkProgress } from './bulk.ts';
import { describeResult } from './describe.ts';

/** Something with many parts that did not come about in all of them. */
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
export function describeBulk({ title, total, done, notDone, unknown, skipped, changed, endedBecause }: BulkProgress): string {
  const why = endedBecause === undefined ? '' : ` ${endedBecause}`;
  return `${title}: ${done} done, ${notDone} not done, ${unknown} unknown, ${skipped} skipped (${changed} changed since listed), ${total} in all.${why}`;
}

/** `undefined` when all of it is done. */
export function partlyDoneBulk(progress: BulkProgress): PartlyDone | undefined {
  return progress.done === progress.total ? undefined : partlyDone(describeBulk(progress), progress.failures.map(({ text }) => text));
}

/** `undefined` when all nodes took it, and for what concerns no more than one node: that is done or not. */
export function partlyDoneAction(action: Pick<Action, 'title'>, result: ActionResult): PartlyDone | undefined {
  const nodes = result.parts.filter(({ node }) => node !== undefined);
  const failed = nodes.filter(({ outcome }) => outcome !== 'done' && outcome !== 'accepted');
  if (nodes.length < 2 || failed.length === 0) return undefined;
  return partlyDone(describeResult(action, result), failed.map(({ node, outcome, text, error }) => [`${node}: ${outcome === 'unknown' ? 'unknown' : 'not done'}`, text ?? error?.message].filter((part) => part !== undefined).join('. ')));
}
