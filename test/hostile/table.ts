import type { Cell } from '../support/terminal-screen.ts';
import type { Judged } from './judged.tsx';
import { atAGlance, unescape } from './texts.ts';

/** A row of the terminal, one text per column. The right half of a wide character is U+0000. */
type Columns = readonly string[];

const columnsOf = (cells: readonly Cell[]): Columns => cells.map(({ char, width }) => (width === 0 ? '\0' : char));
const textOf = (columns: Columns): string => columns.join('').replaceAll('\0', '');
const isBlank = (columns: Columns, from: number, to: number): boolean => columns.slice(Math.max(0, from), to).every((char) => char === ' ');

/** Positions of the headers. Two blanks separate columns, one separates words. The marker for more columns is not a header. */
function spansOf(header: Columns): readonly (readonly [start: number, end: number])[] {
  const spans: [number, number][] = [];
  const more = / \+\d+→\s*$/u.exec(header.join(''));
  for (const [at, char] of header.slice(0, more?.index).entries()) {
    const last = spans.at(-1);
    if (char === ' ') continue;
    if (last !== undefined && at - last[1] < 2) last[1] = at + 1;
    else spans.push([at, at + 1]);
  }
  return spans;
}

export interface ShownTable {
  readonly header: Columns;
  readonly rows: readonly Columns[];
  /** Screen row of the table's first row. */
  readonly top: number;
}

/** Returns the lines below the header that begins with this, down to the first empty line, and the screen row of the first. */
export function rowsBelow(judged: Judged, firstHeader: string): { readonly lines: readonly string[]; readonly top: number } {
  const all = judged.lines();
  const top = all.findIndex((line) => line.startsWith(` ${firstHeader}`)) + 1;
  const end = all.findIndex((line, row) => row >= top && line === '');
  return { lines: top === 0 ? [] : all.slice(top, end === -1 ? all.length : end), top };
}

/** Returns the table whose first column has this header. No rows if it is not shown. */
export function tableOf(judged: Judged, firstHeader: string): ShownTable {
  const { lines, top } = rowsBelow(judged, firstHeader);
  return { header: top === 0 ? [] : columnsOf(judged.cells(top - 1)), rows: lines.map((_, index) => columnsOf(judged.cells(top + index))), top };
}

/** Returns columns with cells that are not aligned with the header. */
export function shiftedColumns({ header, rows }: ShownTable): readonly string[] {
  return spansOf(header).flatMap(([start, end]) => {
    const isEmpty = (row: Columns): boolean => isBlank(row, start - 1, end + 1);
    const beginsThere = (row: Columns): boolean => row[start] !== ' ' && row[start] !== '\0' && (start < 2 || isBlank(row, start - 2, start));
    const endsThere = (row: Columns): boolean => row[end - 1] !== ' ' && isBlank(row, end, end + 2);
    if ([beginsThere, endsThere].some((isInPlace) => rows.every((row) => isEmpty(row) || isInPlace(row)))) return [];
    const odd = rows.find((row) => !isEmpty(row) && !beginsThere(row) && !endsThere(row)) ?? [];
    return [`${textOf(header.slice(start, end))} is shifted: ${JSON.stringify(textOf(odd))}`];
  });
}

/** Returns the faults of the first column: names that are missing, repeated, or look like another. */
export function nameFaults({ header, rows }: ShownTable, names: readonly string[]): readonly string[] {
  const end = spansOf(header)[1]?.[0] ?? header.length;
  const shown = rows.map((row) => textOf(row.slice(1, end)).trimEnd());
  const whole = shown.filter((name) => !name.includes('…'));
  const cut = shown.filter((name) => name.includes('…'));
  // Node names differ at their start, host names at their end.
  const hasEnds = !textOf(header).startsWith(' NODE');
  const missing = names.filter((name) => !whole.some((each) => unescape(each) === name) && !cut.some((each) => isCutOf(name, each, hasEnds)));
  const doubled = whole.filter((name, at) => whole.indexOf(name) !== at);
  // A name wholly of another script may look like a Latin one (README, Limits).
  const mixable = whole.filter((name) => /[A-Za-z]/u.test(unescape(name)));
  const alike = mixable.filter((name, at) => mixable.findIndex((other) => atAGlance(other) === atAGlance(name)) !== at);
  const invented = whole.filter((name) => !names.includes(unescape(name)));
  return [
    ...(rows.length === names.length ? [] : [`${rows.length} rows for ${names.length}`]),
    ...alike.map((name) => `looks like another: ${JSON.stringify(name)}`),
    ...missing.map((name) => `not shown: ${JSON.stringify(name)}`), ...doubled.map((name) => `twice: ${name}`), ...invented.map((name) => `is none: ${name}`),
  ];
}

/** Both ends must be the name's. Only a long escape may be too wide to be shown as its end. */
const isCutOf = (name: string, shown: string, hasEnds: boolean): boolean => {
  const [head = '', tail = ''] = shown.split('…');
  return hasEnds
    ? name.startsWith(unescape(head)) && name.endsWith(unescape(tail)) && (tail !== '' || /[\u{10000}-\u{10FFFF}]$/u.test(name))
    : startsLike(name, head);
};

/** A cut at the end may be in the middle of an escape. */
const startsLike = (name: string, cut: string): boolean =>
  Array.from({ length: Math.min(10, cut.length + 1) }, (_, less) => unescape(cut.slice(0, cut.length - less))).some((start) => name.startsWith(start));

/** The cursor must be exactly one whole row. */
export function cursorFaults(judged: Judged, { rows, top }: ShownTable): readonly string[] {
  const marked = rows.flatMap((row, at) => (row[0] === '▸' ? [at] : []));
  const inverse = rows.flatMap((_, at) => {
    const count = judged.cells(top + at).filter((cell) => cell.inverse).length;
    return count === 0 ? [] : [`${at}: ${count === rows[at]?.length ? 'all' : count}`];
  });
  const expected = [`${marked[0]}: all`];
  return marked.length === 1 && JSON.stringify(inverse) === JSON.stringify(expected) ? [] : [`cursor at ${JSON.stringify(marked)}, inverse ${JSON.stringify(inverse)}`];
}

/** Header, tabs, rule and hints must be in their place: an extra line would move them. */
export function frameFaults(judged: Judged): readonly string[] {
  const lines = judged.lines();
  const isRule = (line: string): boolean => line !== '' && /^(?:─+|-+)$/u.test(line);
  return [
    ...(/nodes (?:···|–|\d+\/\d+)/u.test(lines[0] ?? '') ? [] : ['no place in row 0']),
    ...(lines[1]?.startsWith(' clients ') === true ? [] : ['no figures in row 1']),
    ...(/^ 1.*Over.*9/u.test(lines[2] ?? '') ? [] : ['no tabs in row 2']),
    ...(isRule(lines[3] ?? '') ? [] : ['no rule in row 3']),
    ...(/ requests?\/min$/u.test(lines.at(-2) ?? '') ? [] : ['no message line']),
    ...(/\S/u.test(lines.at(-1) ?? '') ? [] : ['no hints']),
  ];
}
