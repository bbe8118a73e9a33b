import type { BulkProgress } from '../store/actions/bulk.ts';
import { escapeText } from '../ui/safe-text.ts';

/** The exit code of a program that ends with something only partly done. */
export const partlyDoneCode = 3;

const mostListed = 1000;

/**
 * What is said at the end of a program whose last bulk did not do all that it was to do: four counts
 * that add up, and each that failed. `undefined` when there is nothing to say.
 */
export function bulkReport(bulk: BulkProgress | undefined): string | undefined {
  if (bulk === undefined || bulk.done === bulk.total) return undefined;
  const { title, total, done, notDone, unknown, skipped, changed, failures } = bulk;
  const listed = failures.slice(0, mostListed).map(({ text }) => `  ${escapeText(text)}`);
  const more = failures.length > mostListed ? [`  and ${failures.length - mostListed} more`] : [];
  const counts = `${done} done, ${notDone} not done, ${unknown} unknown, ${skipped} skipped (${changed} changed since listed), ${total} in all.`;
  return [`brokertop: ${escapeText(title)}: ${counts}`, ...listed, ...more, ''].join('\n');
}
