import type { Line } from './line.ts';
import { trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

/** What turns a line on the screen into another. */
export interface LineDifference {
  /** Where it begins, from 0. */
  readonly column: number;
  /** Text with its style codes, plain at its end; it ends where the lines are alike again. */
  readonly text: string;
}

const reset = '\u001B[0m';
const escape = '\u001B';
const styleCodes = /\u001B\[[\d;]*m/gu;
/** A code unit that belongs to the character before it. */
const joins = /[\p{M}\u{DC00}-\u{DFFF}]/u;

const joinsBefore = (line: string, index: number): boolean => joins.test(line.charAt(index));

/** Where the style code begins that `index` is within; -1 when it is in none. */
const codeAround = (line: string, index: number): number => {
  const start = line.lastIndexOf(escape, index - 1);
  return start === -1 || index === 0 || line.indexOf('m', start) < index ? -1 : start;
};

/** The code that is in force before `index`; empty for plain text. A line closes every style before it opens the next. */
const styleBefore = (line: string, index: number): string => {
  const start = index === 0 ? -1 : line.lastIndexOf(escape, index - 1);
  const code = start === -1 ? '' : line.slice(start, line.indexOf('m', start) + 1);
  return code === reset ? '' : code;
};

const escapeCode = 0x1b;
/** Characters of one column each that join nothing: ASCII, and of the others those that stand in nearly every line. */
const isNarrow = (code: number): boolean =>
  (code >= 0x20 && code <= 0x7e) || (code >= 0x2500 && code <= 0x25fc) || code === 0xb7 || code === 0x2013 || code === 0x2026 || (code >= 0x2190 && code <= 0x2193);

/** Columns of a part of a line; style codes, which are whole in it, take none. */
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

/** How many code units both begin with, whole characters and codes only. */
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

/** How many code units both end with, looking the same: whole characters and codes only, in the same style. */
const commonEnd = (previous: string, next: string, start: number): number => {
  const most = Math.min(previous.length, next.length) - start;
  let length = 0;
  while (length < most && previous.charCodeAt(previous.length - length - 1) === next.charCodeAt(next.length - length - 1)) {
    length += 1;
  }
  const isWithin = (line: string): boolean => joinsBefore(line, line.length - length) || codeAround(line, line.length - length) !== -1;
  while (length > 0 && (isWithin(previous) || isWithin(next))) {
    length -= 1;
  }
  if (styleBefore(previous, previous.length - length) === styleBefore(next, next.length - length)) {
    return length;
  }
  const code = next.indexOf(escape, next.length - length);
  return code === -1 ? 0 : next.length - code;
};

/**
 * The part of `next` that has to be written over `previous`; `undefined` when the whole line has to, because
 * what follows would not be in its place.
 */
export const lineDifference = (previous: Line, next: Line): LineDifference | undefined => {
  const start = commonStart(previous, next);
  const end = commonEnd(previous, next, start);
  const changed = next.slice(start, next.length - end);
  if (columnsOf(changed) !== columnsOf(previous.slice(start, previous.length - end))) {
    return undefined;
  }
  const closing = styleBefore(next, next.length - end) === '' ? '' : reset;
  return { column: columnsOf(next.slice(0, start)), text: styleBefore(next, start) + changed + closing };
};
