import { joinLines, type Line } from './line.ts';
import { trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** A row of the screen: one line, or several side by side. */
export type PaintedRow = Line | readonly Line[];

export type PaintedRows = readonly (PaintedRow | undefined)[];

interface Scroll {
  /** Counts rows; negative is down. */
  readonly up: number;
  readonly top: number;
  readonly bottom: number;
}

/** Moves the cursor to a row and column, both counted from 0. */
export const moveTo = (row: number, column: number): string => `\u001B[${row + 1};${column + 1}H`;
const eraseLine = '\u001B[2K';
const wholeScreen = '\u001B[r';
// Index and reverse index, which every terminal with scroll regions understands.
const lineFeed = '\n';
const reverseLineFeed = '\u001BM';

const minScrollLength = 40;

/**
 * Rewrites changed rows, after scrolling a region if that is shorter. With `painted` undefined all rows are written.
 */
export const frameDifference = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  if (painted === undefined) {
    return rewrite(undefined, frame);
  }
  const rewritten = rewrite(painted, frame);
  const scroll =
    rewritten.length < minScrollLength || painted.length !== frame.length ? undefined : findScroll(painted, frame);
  if (scroll === undefined) {
    return rewritten;
  }
  const scrolled = scrollOutput(scroll) + rewrite(afterScroll(painted, scroll), frame);
  return scrolled.length < rewritten.length ? scrolled : rewritten;
};

const partsOf = (row: PaintedRow): readonly Line[] => (typeof row === 'string' ? [row] : row);

const isSameRow = (one: PaintedRow | undefined, other: PaintedRow | undefined): boolean => {
  if (one === other) {
    return true;
  }
  if (typeof one !== 'object' || typeof other !== 'object') {
    return false;
  }
  return one.length === other.length && one.every((part, at) => part === other[at]);
};

const rewrite = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  let output = '';
  for (const [row, line] of frame.entries()) {
    const before = painted?.[row];
    if (painted !== undefined && isSameRow(line, before)) {
      continue;
    }
    const change =
      line === undefined || before === undefined ? undefined : rowDifference(row, partsOf(before), partsOf(line));
    output += change ?? `${moveTo(row, 0)}${eraseLine}${line === undefined ? '' : partsOf(line).join('')}`;
  }
  return output;
};

/** Rewrites the changed part of each line; `undefined` when the whole row has to be written. */
const rowDifference = (row: number, previous: readonly Line[], next: readonly Line[]): string | undefined => {
  if (previous.length !== next.length) {
    // A dialog over it makes one line of them.
    const change = lineDifference(joinLines(...previous), joinLines(...next));
    return change && changeOutput(row, change);
  }
  let output = '';
  for (const [index, part] of next.entries()) {
    const before = previous[index];
    if (before === part) {
      continue;
    }
    const change = before === undefined ? undefined : lineDifference(before, part);
    if (change === undefined) {
      return undefined;
    }
    const left = next
      .slice(0, index)
      .reduce((columns, each) => columns + (cellsOf(each)?.text.length ?? columnsOf(each)), 0);
    output += changeOutput(row, { ...change, column: left + change.column });
  }
  return output;
};

const changeOutput = (row: number, { column, text }: LineDifference): string =>
  text === '' ? '' : moveTo(row, column) + text;

/** Returns the leftmost line, by which a scrolled row is found. */
const keyOf = (row: PaintedRow | undefined): Line | undefined => (typeof row === 'object' ? row[0] : row);

/** Whether one of three changed lines is on the screen already. Most frames end here. */
const mayScroll = (painted: readonly (Line | undefined)[], frame: readonly (Line | undefined)[]): boolean => {
  const changed = frame.filter((line, row) => line !== undefined && line !== painted[row]);
  return [0.25, 0.5, 0.75].some((part) => painted.includes(changed[Math.floor(part * changed.length)]));
};

const findScroll = (paintedRows: PaintedRows, frameRows: PaintedRows): Scroll | undefined => {
  const [painted, frame] = [paintedRows.map(keyOf), frameRows.map(keyOf)];
  if (!mayScroll(painted, frame)) {
    return undefined;
  }
  const rowOf = new Map<Line, number>();
  for (const [row, line] of painted.entries()) {
    if (line !== undefined) {
      rowOf.set(line, row);
    }
  }
  const candidates = new Map<number, { count: number; first: number; last: number }>();
  for (const [row, line] of frame.entries()) {
    const from = line === undefined || line === painted[row] ? undefined : rowOf.get(line);
    if (from === undefined) {
      continue;
    }
    const candidate = candidates.get(from - row);
    if (candidate === undefined) {
      candidates.set(from - row, { count: 1, first: row, last: row });
    } else {
      candidate.count += 1;
      candidate.last = row;
    }
  }
  const [best] = [...candidates].toSorted(([, one], [, other]) => other.count - one.count);
  if (best === undefined) {
    return undefined;
  }
  const [up, { first, last }] = best;
  return { up, top: Math.min(first, first + up), bottom: Math.max(last, last + up) + 1 };
};

const scrollOutput = ({ up, top, bottom }: Scroll): string => {
  const region = `\u001B[${top + 1};${bottom}r`;
  return (
    region +
    (up > 0 ? moveTo(bottom - 1, 0) + lineFeed.repeat(up) : moveTo(top, 0) + reverseLineFeed.repeat(-up)) +
    wholeScreen
  );
};

const afterScroll = (painted: PaintedRows, { up, top, bottom }: Scroll): PaintedRows =>
  painted.map((line, row) => {
    if (row < top || row >= bottom) {
      return line;
    }
    const from = row + up;
    return from >= top && from < bottom ? painted[from] : undefined;
  });

interface LineDifference {
  readonly column: number;
  /** Has style codes; leaves the terminal unstyled. */
  readonly text: string;
}

const reset = '\u001B[0m';
const escape = '\u001B';
const styleCodes = /\u001B\[[\d;]*m/gu;
/** A code unit that belongs to the character before it: a combining mark or a low surrogate. */
const joins = /[\p{M}\u{DC00}-\u{DFFF}]/u;

const joinsBefore = (line: string, index: number): boolean => joins.test(line.charAt(index));

const codeAround = (line: string, index: number): number => {
  const start = line.lastIndexOf(escape, index - 1);
  return start === -1 || index === 0 || line.indexOf('m', start) < index ? -1 : start;
};

/**
 * Returns the style code that applies at an index; empty for plain text. A line resets every style before the next one.
 */
const styleBefore = (line: string, index: number): string => {
  const start = index === 0 ? -1 : line.lastIndexOf(escape, index - 1);
  const code = start === -1 ? '' : line.slice(start, line.indexOf('m', start) + 1);
  return code === reset ? '' : code;
};

const escapeCode = 0x1b;
/** A fast path: ASCII, and the signs in nearly every line. */
const isNarrow = (code: number): boolean =>
  (code >= 0x20 && code <= 0x7e) ||
  (code >= 0x2500 && code <= 0x25fc) ||
  (code >= 0x2800 && code <= 0x28ff) ||
  code === 0xb7 ||
  code === 0x2013 ||
  code === 0x2212 ||
  code === 0x2026 ||
  (code >= 0x2190 && code <= 0x2193);

const columnsOf = (part: string): number => {
  let columns = 0;
  for (let index = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index);
    if (code === escapeCode) {
      index = part.indexOf('m', index);
    }
    if (isNarrow(code)) {
      columns += 1;
    } else if (index === -1 || code !== escapeCode) {
      return widthOf(trusted(part.replaceAll(styleCodes, '')));
    }
  }
  return columns;
};

/** Counts the code units that two lines begin with alike, without splitting characters or style codes. */
const commonStart = (previous: string, next: string): number => {
  const shorter = Math.min(previous.length, next.length);
  let length = 0;
  while (length < shorter && previous.charCodeAt(length) === next.charCodeAt(length)) {
    length += 1;
  }
  while (length > 0 && (joinsBefore(previous, length) || joinsBefore(next, length))) {
    length -= 1;
  }
  const code = codeAround(next, length);
  return code === -1 ? length : code;
};

const commonEnd = (previous: string, next: string, start: number): number => {
  const max = Math.min(previous.length, next.length) - start;
  let length = 0;
  while (
    length < max &&
    previous.charCodeAt(previous.length - length - 1) === next.charCodeAt(next.length - length - 1)
  ) {
    length += 1;
  }
  const splits = (line: string): boolean =>
    joinsBefore(line, line.length - length) || codeAround(line, line.length - length) !== -1;
  while (length > 0 && (splits(previous) || splits(next))) {
    length -= 1;
  }
  if (styleBefore(previous, previous.length - length) === styleBefore(next, next.length - length)) {
    return length;
  }
  const code = next.indexOf(escape, next.length - length);
  return code === -1 ? 0 : next.length - code;
};

/**
 * Returns what to write over `previous` to get `next`; `undefined` when their widths differ and all of it has to be
 * written.
 */
export const lineDifference = (previous: Line, next: Line): LineDifference | undefined => {
  const [cellsBefore, cells] = [cellsOf(previous), cellsOf(next)];
  if (cellsBefore !== undefined && cells !== undefined) {
    return cellsBefore.text.length === cells.text.length ? changedCells(cellsBefore, cells) : undefined;
  }
  const start = commonStart(previous, next);
  const end = commonEnd(previous, next, start);
  const changed = next.slice(start, next.length - end);
  if (columnsOf(changed) !== columnsOf(previous.slice(start, previous.length - end))) {
    return undefined;
  }
  const closing = styleBefore(next, next.length - end) === '' ? '' : reset;
  return { column: columnsOf(next.slice(0, start)), text: styleBefore(next, start) + changed + closing };
};

interface Style {
  readonly codes: string;
  /** What the style shows on a blank; `undefined` for nothing, as for a foreground colour. */
  readonly onBlank: Style | undefined;
}

const blank = 0x20;
/** Must be removed first: its numbers would be taken for codes. */
const otherForeground = /38;(?:5;\d+|2;\d+;\d+;\d+)/u;
/** Matches underline, inverse and background colours. */
const showsOnBlank = /[[;](?:4|7|48;5;\d+|4\d|10\d)[;m]/u;

/** One object per style, so that styles compare fast. A theme has few. */
const knownStyles = new Map<string, Style | undefined>([[reset, undefined]]);

/** Returns `undefined` for plain text. */
const styleOf = (codes: string): Style | undefined => {
  const known = knownStyles.get(codes);
  if (known !== undefined || codes === reset) {
    return known;
  }
  const style: { codes: string; onBlank: Style | undefined } = { codes, onBlank: undefined };
  if (showsOnBlank.test(codes.replace(otherForeground, ''))) {
    style.onBlank = style;
  }
  knownStyles.set(codes, style);
  return style;
};

/** A line as one character and one style for each column. */
interface Cells {
  readonly text: string;
  readonly styles: readonly (Style | undefined)[];
}

const maxKnownCells = 500;
/** Caches the cells of recent lines: what one frame writes, the next one writes over. */
let [knownCells, olderCells] = [new Map<Line, Cells | undefined>(), new Map<Line, Cells | undefined>()];

/** Returns `undefined` if a character may not be one column wide. */
const cellsOf = (line: Line): Cells | undefined => {
  if (knownCells.has(line)) {
    return knownCells.get(line);
  }
  const cells = olderCells.has(line) ? olderCells.get(line) : readCells(line);
  if (knownCells.size === maxKnownCells) {
    [knownCells, olderCells] = [new Map(), knownCells];
  }
  knownCells.set(line, cells);
  return cells;
};

const readCells = (line: Line): Cells | undefined => {
  let [text, from] = ['', 0];
  const styles: (Style | undefined)[] = [];
  let style: Style | undefined;
  for (let index = 0; index < line.length; index += 1) {
    const code = line.charCodeAt(index);
    if (code === escapeCode) {
      const end = line.indexOf('m', index);
      text += line.slice(from, index);
      style = styleOf(line.slice(index, end + 1));
      index = end;
      from = end + 1;
    } else if (isNarrow(code)) {
      styles.push(code === blank ? style?.onBlank : style);
    } else {
      return undefined;
    }
  }
  return { text: text + line.slice(from), styles };
};

/** Bytes that a jump over unchanged cells costs. */
const jumpBytes = 6;

/** Writes only the cells that differ, with jumps over longer parts that do not. */
const changedCells = (previous: Cells, next: Cells): LineDifference => {
  let text = '';
  let style: Style | undefined;
  let start: number | undefined;
  let [written, gapBytes] = [0, 0];
  const write = (to: number): void => {
    for (let column = written; column < to; column += 1) {
      const wanted = next.styles[column];
      const shown =
        wanted === undefined && style?.onBlank === undefined && next.text.charCodeAt(column) === blank ? style : wanted;
      if (shown !== style) text += `${style === undefined ? '' : reset}${shown?.codes ?? ''}`;
      text += next.text.charAt(column);
      style = shown;
    }
    [written, gapBytes] = [to, 0];
  };
  for (let column = 0; column < next.text.length; column += 1) {
    const code = next.text.charCodeAt(column);
    if (code === previous.text.charCodeAt(column) && next.styles[column] === previous.styles[column]) {
      gapBytes += code < 0x80 ? 1 : 3;
      continue;
    }
    if (start === undefined) {
      start = column;
      written = column;
    } else if (gapBytes > jumpBytes) {
      text += `\u001B[${column - written}C`;
      written = column;
    }
    write(column + 1);
  }
  return { column: start ?? 0, text: style === undefined ? text : text + reset };
};
