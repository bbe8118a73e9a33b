import type { Line } from './line.ts';
import { trusted } from './safe-text.ts';
import { widthOf } from './text-width.ts';

export interface LineDifference {
  /** Where to write it, from 0. */
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

/** Start of the style code around `index`; -1 when there is none. */
const codeAround = (line: string, index: number): number => {
  const start = line.lastIndexOf(escape, index - 1);
  return start === -1 || index === 0 || line.indexOf('m', start) < index ? -1 : start;
};

/** The style code in effect before `index`; empty for plain text. A line resets every style before the next one. */
const styleBefore = (line: string, index: number): string => {
  const start = index === 0 ? -1 : line.lastIndexOf(escape, index - 1);
  const code = start === -1 ? '' : line.slice(start, line.indexOf('m', start) + 1);
  return code === reset ? '' : code;
};

const escapeCode = 0x1b;
/** A fast path for characters of one column that do not combine: ASCII, and the signs in nearly every line. */
const isNarrow = (code: number): boolean =>
  (code >= 0x20 && code <= 0x7e) || (code >= 0x2500 && code <= 0x25fc) || code === 0xb7 || code === 0x2013 || code === 0x2026 || (code >= 0x2190 && code <= 0x2193);

/** Columns of a part of a line, which contains only whole style codes. */
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

/** Length in code units of the common start, without splitting characters or style codes. */
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

/** Length in code units of the common end with the same style, without splitting characters or style codes. */
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

/** Returns the part of `next` to write over `previous`; `undefined` when their widths differ and all of it has to be written. */
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
