import { recordsText } from '../../table/records.ts';
import { escapeText } from '../../terminal/safe-text.ts';
import type { ListedRows } from './listing.ts';
import type { ListFormat } from './resources.ts';

/**
 * Yields the output in pieces, each ending with a line feed except inside a JSON array. @param isTerminal text of the
 * broker is escaped in CSV too
 */
export function outputOf(format: ListFormat, selection: ListedRows, isTerminal: boolean): Iterable<string> {
  return format === 'table'
    ? lines(selection.tableLines())
    : recordsText(format, selection, isTerminal ? escapeText : undefined);
}

function* lines(all: Iterable<string>): Iterable<string> {
  for (const line of all) yield `${line}\n`;
}
