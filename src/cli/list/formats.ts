import { escapeText } from '../../terminal/safe-text.ts';
import type { RawValue, Selection } from './listing.ts';
import type { ListFormat } from './resources.ts';

/** The pieces of the output, each ending with a line feed except inside a JSON array. @param isTerminal text of the broker is escaped in CSV too */
export function outputOf(format: ListFormat, selection: Selection, isTerminal: boolean): Iterable<string> {
  switch (format) {
    case 'table': return lines(selection.tableLines());
    case 'csv': return csv(selection, isTerminal);
    case 'json': return jsonArray(selection);
    case 'ndjson': return ndjson(selection);
  }
}

function* lines(all: Iterable<string>): Iterable<string> {
  for (const line of all) yield `${line}\n`;
}

/** RFC 4180. Cells are not changed for spreadsheets, which take a text that starts with `=` for a formula. */
function* csv({ columns, count, rawOf }: Selection, isTerminal: boolean): Iterable<string> {
  yield csvLine(columns.map(({ id }) => id), isTerminal);
  for (let row = 0; row < count; row += 1) yield csvLine(rawOf(row), isTerminal);
}

const csvLine = (values: readonly RawValue[], isTerminal: boolean): string => `${values.map((value) => csvCell(value, isTerminal)).join(',')}\r\n`;

function csvCell(value: RawValue, isTerminal: boolean): string {
  if (value === null) return '';
  const text = typeof value === 'string' && isTerminal ? escapeText(value) : String(value);
  // An empty text is not an unknown value.
  return value === '' || /[",\r\n]|^\s|\s$/u.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}

function* ndjson({ columns, count, rawOf }: Selection): Iterable<string> {
  for (let row = 0; row < count; row += 1) yield `${objectText(columns, rawOf(row))}\n`;
}

function* jsonArray({ columns, count, rawOf }: Selection): Iterable<string> {
  yield '[';
  for (let row = 0; row < count; row += 1) yield `${row === 0 ? '\n' : ',\n'}${objectText(columns, rawOf(row))}`;
  yield count === 0 ? ']\n' : '\n]\n';
}

const objectText = (columns: Selection['columns'], values: readonly RawValue[]): string =>
  asciiJson(`{${columns.map(({ id }, at) => `${JSON.stringify(id)}:${JSON.stringify(values[at] ?? null)}`).join(',')}}`);

/** ASCII, so that the broker's text cannot affect a terminal it is printed on. */
export const asciiJson = (json: string): string => json.replaceAll(/[^ -~]/gu, escapeUnits);

function escapeUnits(character: string): string {
  return Array.from({ length: character.length }, (_, index) => `\\u${character.charCodeAt(index).toString(16).padStart(4, '0')}`).join('');
}
