import { joinLines, type Line } from './line.ts';
import { trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** A line, or several side by side. */
export type PaintedRow = Line | readonly Line[];

export type PaintedRows = readonly (PaintedRow | undefined)[];

interface Scroll {
  /** Rows; negative: down. */
  readonly up: number;
  readonly top: number;
  readonly bottom: number;
}

const moveTo = (row: number, column: number): string => `\u001B[${row + 1};${column + 1}H`;
const eraseLine = '\u001B[2K';
const wholeScreen = '\u001B[r';
// Index and reverse index, which every terminal with scroll regions understands.
const lineFeed = '\n';
const reverseLineFeed = '\u001BM';

const minScrollLength = 40;

/** Rewrites changed rows, after scrolling a region if that is shorter. With `painted` undefined all rows are written. */
export const frameDifference = (painted: PaintedRows | undefined, frame: PaintedRows): string => {
  if (painted === undefined) {
    return rewrite(undefined, frame);
  }
  const rewritten = rewrite(painted, frame);
  const scroll = rewritten.length < minScrollLength || painted.length !== frame.length ? undefined : findScroll(painted, frame);
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
    const change = line === undefined || before === undefined ? undefined : rowDifference(row, partsOf(before), partsOf(line));
    output += change ?? `${moveTo(row, 0)}${eraseLine}${line === undefined ? '' : partsOf(line).join('')}`;
  }
  return output;
};

/** The changed part of each line; `undefined` when all of the row has to be written. */
const rowDifference = (row: number, previous: readonly Line[], next: readonly Line[]): string | undefined => {
  if (previous.length !== next.length) {
    // A dialog over it makes one line of them.
    const change = lineDifference(joinLines(...previous), joinLines(...next));
    return change === undefined ? undefined : moveTo(row, change.column) + change.text;
  }
  let output = '';
  let left = 0;
  for (const [index, part] of next.entries()) {
    const before = previous[index];
    const change = before === undefined || before === part ? undefined : lineDifference(before, part);
    if (before !== part && change === undefined) {
      return undefined;
    }
    output += change === undefined ? '' : moveTo(row, left + change.column) + change.text;
    left += index === next.length - 1 ? 0 : columnsOf(part);
  }
  return output;
};

/** What a scrolled row is found by: the line at its left. */
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
  return region + (up > 0 ? moveTo(bottom - 1, 0) + lineFeed.repeat(up) : moveTo(top, 0) + reverseLineFeed.repeat(-up)) + wholeScreen;
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
  /** With style codes; leaves the terminal unstyled. */
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

/** Empty for plain text. A line resets every style before the next one. */
const styleBefore = (line: string, index: number): string => {
  const start = index === 0 ? -1 : line.lastIndexOf(escape, index - 1);
  const code = start === -1 ? '' : line.slice(start, line.indexOf('m', start) + 1);
  return code === reset ? '' : code;
};

const escapeCode = 0x1b;
/** A fast path: ASCII, and the signs in nearly every line. */
const isNarrow = (code: number): boolean =>
  (code >= 0x20 && code <= 0x7e) || (code >= 0x2500 && code <= 0x25fc) || (code >= 0x2800 && code <= 0x28ff) || code === 0xb7 || code === 0x2013 || code === 0x2212 || code === 0x2026 || (code >= 0x2190 && code <= 0x2193);

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

/** Length in code units, without splitting characters or style codes. */
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
  while (length < max && previous.charCodeAt(previous.length - length - 1) === next.charCodeAt(next.length - length - 1)) {
    length += 1;
  }
  const splits = (line: string): boolean => joinsBefore(line, line.length - length) || codeAround(line, line.length - length) !== -1;
  while (length > 0 && (splits(previous) || splits(next))) {
    length -= 1;
  }
  if (styleBefore(previous, previous.length - length) === styleBefore(next, next.length - length)) {
    return length;
  }
  const code = next.indexOf(escape, next.length - length);
  return code === -1 ? 0 : next.length - code;
};

/** The part of `next` to write over `previous`; `undefined` when their widths differ and all of it has to be written. */
export const lineDifference = (previous: Line, next: Line): LineDifference | undefined => {
  const start = commonStart(previous, next);
  const end = commonEnd(previous, next, start);
  const changed = next.slice(start, next.length - end);
  if (columnsOf(changed) !== columnsOf(previous.slice(start, previous.length - end))) {
    return undefined;
  }
  const style = styleBefore(next, start);
  const closing = styleBefore(next, next.length - end) === '' ? '' : reset;
  const parts = changed.length < minSplitLength ? undefined : changedParts(cellsOf(previous.slice(start, previous.length - end), styleBefore(previous, start)), cellsOf(changed, style));
  return { column: columnsOf(next.slice(0, start)), text: parts ?? style + changed + closing };
};

/** Shorter changes are not worth a look. */
const minSplitLength = 24;
/** Bytes of a jump over unchanged cells. */
const jumpBytes = 6;

interface StyledCell {
  readonly char: string;
  readonly style: string;
}

const blank = 0x20;
/** Its numbers are no codes. */
const otherForeground = /38;(?:5;\d+|2;\d+;\d+;\d+)/u;
/** Underlined, inverse or with a background. */
const showsOnBlank = /[[;](?:4|7|48;5;\d+|4\d|10\d)[;m]/u;

/** What a blank shows of a style: nothing of its colour. */
const onBlank = (style: string): string => (showsOnBlank.test(style.replace(otherForeground, '')) ? style : '');

/** One cell for each character; `undefined` if one of them may not be one column wide. */
const cellsOf = (part: string, styleAtStart: string): readonly StyledCell[] | undefined => {
  const cells: StyledCell[] = [];
  let style = styleAtStart;
  let blankStyle = onBlank(style);
  for (let index = 0; index < part.length; index += 1) {
    const code = part.charCodeAt(index);
    if (code === escapeCode) {
      const end = part.indexOf('m', index);
      const styleCode = part.slice(index, end + 1);
      style = styleCode === reset ? '' : styleCode;
      blankStyle = onBlank(style);
      index = end;
    } else if (isNarrow(code)) {
      cells.push({ char: part.charAt(index), style: code === blank ? blankStyle : style });
    } else {
      return undefined;
    }
  }
  return cells;
};

const bytesOf = ({ char }: StyledCell): number => (char.charCodeAt(0) < 0x80 ? 1 : 3);

/** Only the cells that differ, with jumps over longer parts that do not; leaves the terminal unstyled. */
const changedParts = (previous: readonly StyledCell[] | undefined, next: readonly StyledCell[] | undefined): string | undefined => {
  if (previous === undefined || next === undefined || previous.length !== next.length) return undefined;
  let [text, style, written] = ['', '', 0];
  const write = (to: number): void => {
    for (const cell of next.slice(written, to)) {
      const next = cell.char === ' ' && cell.style === '' ? onBlank(style) === '' ? style : '' : cell.style;
      if (next !== style) text += `${style === '' ? '' : reset}${next}`;
      text += cell.char;
      style = next;
    }
    written = to;
  };
  for (const [column, cell] of next.entries()) {
    const before = previous[column];
    if (before?.char === cell.char && before.style === cell.style) continue;
    const gap = next.slice(written, column);
    if (gap.reduce((sum, each) => sum + bytesOf(each), 0) > jumpBytes) {
      text += `\u001B[${gap.length}C`;
      written = column;
    }
    write(column + 1);
  }
  return style === '' ? text : text + reset;
};
