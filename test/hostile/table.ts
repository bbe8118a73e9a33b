import { tableWidthOf } from '../../src/tui/list/detail.tsx';
import { safe } from '../../src/terminal/safe-text.ts';
import type { Cell } from '../support/terminal-screen.ts';
import type { CheckedProgram } from './checked-program.tsx';
import { atAGlance, unescape } from './texts.ts';
import { tableTexts } from '../../src/tui/components/texts.ts';

/** A row of the terminal, one text per column. The right half of a wide character is U+0000. */
type Columns = readonly string[];

const columnsOf = (cells: readonly Cell[]): Columns => cells.map(({ char, width }) => (width === 0 ? '\0' : char));
const textOf = (columns: Columns): string => columns.join('').replaceAll('\0', '');
const isBlank = (columns: Columns, from: number, to: number): boolean =>
  columns.slice(Math.max(0, from), to).every((char) => char === ' ');

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
  /** 1 within the border of a panel. */
  readonly left: number;
}

/** Columns of the list whose header is in this screen row, without the panel beside it. */
function listWidth(program: CheckedProgram, header: number): number {
  const row = columnsOf(program.cells(header));
  const width = tableWidthOf(row.length);
  return /^ [╭+│|] /u.test(row.slice(width, width + 3).join('')) ? width : row.length;
}

/** Returns the lines below the header that begins with this, down to the first empty line or the footer above a panel, and the screen row of the first. */
export function rowsBelow(
  program: CheckedProgram,
  firstHeader: string,
): { readonly lines: readonly string[]; readonly top: number; readonly left: number; readonly width: number } {
  // A list that is sorted by trouble names its first column before that, where there is room.
  const header = new RegExp(`^[│|]? (?:[A-Z ]+, )?${firstHeader}`, 'u');
  const top = program.lines().findIndex((line) => header.test(line)) + 1;
  if (top === 0) return { lines: [], top, left: 0, width: 0 };
  const outer = listWidth(program, top - 1);
  const border = /^[│|]/u.exec(program.lines()[top - 1] ?? '')?.[0];
  const left = border === undefined ? 0 : 1;
  const width = outer - 2 * left;
  const all = program.lines().map((_, row) => {
    const cells = columnsOf(program.cells(row));
    return border !== undefined && cells[0] !== border ? '' : textOf(cells.slice(left, left + width)).trimEnd();
  });
  const end = all.findIndex(
    (line, row) =>
      row >= top &&
      (line === '' || (line.startsWith(` ${tableTexts.showing(safe``)}`) && all[row + 1]?.startsWith(' ╭') === true)),
  );
  return { lines: all.slice(top, end === -1 ? all.length : end), top, left, width };
}

/** Returns the table whose first column has this header. No rows if it is not shown. */
export function tableOf(program: CheckedProgram, firstHeader: string): ShownTable {
  const { lines, top, left, width } = rowsBelow(program, firstHeader);
  const rowAt = (row: number): Columns => columnsOf(program.cells(row)).slice(left, left + width);
  return { header: top === 0 ? [] : rowAt(top - 1), rows: lines.map((_, index) => rowAt(top + index)), top, left };
}

/** The borders of a panel beside the list must be in their columns: a wider row would move them. */
export function panelFaults(program: CheckedProgram, { header, rows, top, left }: ShownTable): readonly string[] {
  const width = header.length + 2 * left;
  return rows.flatMap((_, at) => {
    const row = columnsOf(program.cells(top + at));
    const panel = textOf(row.slice(width));
    // Below its last row a panel is blank.
    const isInPlace =
      row.length === width ||
      panel.trim() === '' ||
      (row[width + 1] === '│' && row.at(-1) === '│') ||
      /^ ╰─+╯$/u.test(panel);
    return isInPlace ? [] : [`panel of row ${at} is shifted: ${JSON.stringify(panel)}`];
  });
}

/** Returns columns with cells that are not aligned with the header. */
export function shiftedColumns({ header, rows }: ShownTable): readonly string[] {
  // The chosen column is in brackets, which stand in the gaps around it.
  const withoutBrackets = header.map((char) => (char === '[' || char === ']' ? ' ' : char));
  return spansOf(withoutBrackets).flatMap(([start, end]) => {
    const isEmpty = (row: Columns): boolean => isBlank(row, start - 1, end + 1);
    const beginsThere = (row: Columns): boolean =>
      row[start] !== ' ' &&
      row[start] !== '\0' &&
      (start < 2 ||
        isBlank(row, start - 2, start) ||
        (header[start - 1] === '[' && row[start - 1] === '[' && row[start - 2] === ' '));
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
  const missing = names.filter(
    (name) => !whole.some((each) => unescape(each) === name) && !cut.some((each) => isCutOf(name, each, hasEnds)),
  );
  const doubled = whole.filter((name, at) => whole.indexOf(name) !== at);
  // A name in another script may look like a Latin one (src/screens/README.md, Limits).
  const mixable = whole.filter((name) => /[A-Za-z]/u.test(unescape(name)));
  const alike = mixable.filter((name, at) => mixable.findIndex((other) => atAGlance(other) === atAGlance(name)) !== at);
  const invented = whole.filter((name) => !names.includes(unescape(name)));
  return [
    ...(rows.length === names.length ? [] : [`${rows.length} rows for ${names.length}`]),
    ...alike.map((name) => `looks like another: ${JSON.stringify(name)}`),
    ...missing.map((name) => `not shown: ${JSON.stringify(name)}`),
    ...doubled.map((name) => `twice: ${name}`),
    ...invented.map((name) => `is none: ${name}`),
  ];
}

/** Whether a cell shows both ends of a name. Only a long escape may be too wide to be shown as its end. */
const isCutOf = (name: string, shown: string, hasEnds: boolean): boolean => {
  const [head = '', tail = ''] = shown.split('…');
  return hasEnds
    ? name.startsWith(unescape(head)) &&
        name.endsWith(unescape(tail)) &&
        (tail !== '' || /[\u{10000}-\u{10FFFF}]$/u.test(name))
    : startsLike(name, head);
};

/** A cut at the end may be in the middle of an escape. */
const startsLike = (name: string, cut: string): boolean =>
  Array.from({ length: Math.min(10, cut.length + 1) }, (_, less) => unescape(cut.slice(0, cut.length - less))).some(
    (start) => name.startsWith(start),
  );

/** The cursor must be exactly one whole row. */
export function cursorFaults(program: CheckedProgram, { rows, top, left }: ShownTable): readonly string[] {
  const marked = rows.flatMap((row, at) => (row[0] === '▸' ? [at] : []));
  const inverse = rows.flatMap((_, at) => {
    const count = program
      .cells(top + at)
      .slice(left, left + (rows[at]?.length ?? 0))
      .filter((cell) => cell.inverse).length;
    return count === 0 ? [] : [`${at}: ${count === rows[at]?.length ? 'all' : count}`];
  });
  const expected = [`${marked[0]}: all`];
  return marked.length === 1 && JSON.stringify(inverse) === JSON.stringify(expected)
    ? []
    : [`cursor at ${JSON.stringify(marked)}, inverse ${JSON.stringify(inverse)}`];
}

/** Header, tabs and hints must be in their place: an extra line would move them. */
export function frameFaults(program: CheckedProgram): readonly string[] {
  const lines = program.lines();
  return [
    ...(/(?:···|–|\d+\/\d+) nodes/u.test(lines[0] ?? '') ? [] : ['no status in row 0']),
    ...(/^ 1.*[ │|]2.*3.*9/u.test(lines[1] ?? '') ? [] : ['no tabs in row 1']),
    // A dialog says its keys itself.
    ...(/\S/u.test(lines.at(-1) ?? '') ||
    lines.some((line) => / (?:n\/|Enter\/)?Esc (?:Cancel|Close|Leave|Later)/u.test(line))
      ? []
      : ['no hints']),
  ];
}
