import { inBatches, type SlicedTask } from './sliced-task.ts';

const digitZero = 0x30;
const digitNine = 0x39;

const isDigit = (code: number): boolean => code >= digitZero && code <= digitNine;

/** Natural order, ignoring case: `a2` before `a10`. Ties are ordered by code unit, so 0 means equal. */
export function compareNatural(a: string, b: string): number {
  if (a === b) return 0;
  const folded = compareFolded(a.toLowerCase(), b.toLowerCase());
  if (folded !== 0) return folded;
  return a < b ? -1 : 1;
}

function compareFolded(a: string, b: string): number {
  let i = 0;
  let j = 0;
  while (i < a.length && j < b.length) {
    const left = a.charCodeAt(i);
    const right = b.charCodeAt(j);
    if (isDigit(left) && isDigit(right)) {
      const leftEnd = endOfDigits(a, i);
      const rightEnd = endOfDigits(b, j);
      const order = compareDigits(a, skipZeros(a, i, leftEnd), leftEnd, b, skipZeros(b, j, rightEnd), rightEnd);
      if (order !== 0) return order;
      i = leftEnd;
      j = rightEnd;
      continue;
    }
    if (left !== right) return left - right;
    i += 1;
    j += 1;
  }
  return a.length - i - (b.length - j);
}

function compareDigits(a: string, aStart: number, aEnd: number, b: string, bStart: number, bEnd: number): number {
  const byLength = aEnd - aStart - (bEnd - bStart);
  if (byLength !== 0) return byLength;
  for (let offset = 0; aStart + offset < aEnd; offset += 1) {
    const order = a.charCodeAt(aStart + offset) - b.charCodeAt(bStart + offset);
    if (order !== 0) return order;
  }
  return 0;
}

function endOfDigits(text: string, start: number): number {
  let end = start;
  while (end < text.length && isDigit(text.charCodeAt(end))) end += 1;
  return end;
}

function skipZeros(text: string, start: number, end: number): number {
  let at = start;
  while (at < end && text.charCodeAt(at) === digitZero) at += 1;
  return at;
}

/** Stands for any code unit after ASCII. Packed texts compare as equal from there on. */
const wideByte = 0xff;
/** Stands for the lowest code units, which would look like the end of the text. */
const lowByte = 1;
const maxShortRun = 8;

/** Packs a text so that comparing bytes agrees with `compareNatural`; different texts may come out equal. */
export function packNatural(text: string, from: number, bytes: Uint8Array, at: number, room: number): void {
  const end = at + room;
  let out = at;
  let index = from;
  while (out < end && index < text.length) {
    let code = text.charCodeAt(index);
    if (isDigit(code)) {
      const runEnd = endOfDigits(text, index);
      let digit = skipZeros(text, index, runEnd);
      const length = runEnd - digit;
      if (length <= maxShortRun) {
        bytes[out++] = digitZero + length;
      } else {
        bytes[out++] = digitNine;
        if (out < end) bytes[out++] = Math.min(0xff, length - maxShortRun);
        if (length - maxShortRun >= 0xff) return;
      }
      while (digit < runEnd && out < end) bytes[out++] = text.charCodeAt(digit++);
      index = runEnd;
      continue;
    }
    if (code <= lowByte) {
      bytes[out] = lowByte;
      return;
    }
    if (code >= 0x80) {
      bytes[out] = wideByte;
      return;
    }
    if (code >= 0x41 && code <= 0x5a) code |= 0x20;
    bytes[out++] = code;
    index += 1;
  }
}

export interface Texts {
  readonly length: number;
  at(index: number): string;
}

/** Measures the longest text and the common prefix, which does not end inside a number. */
export function* measureTexts(texts: Texts): SlicedTask<{ readonly shared: number; readonly longest: number }> {
  const first = texts.length === 0 ? '' : texts.at(0);
  let shared = first.length;
  let longest = 0;
  // One pass, because reading 100,000 texts takes longer than measuring them.
  yield* inBatches(texts.length, (start, end) => {
    for (let index = start; index < end; index += 1) {
      const text = texts.at(index);
      if (text.length > longest) longest = text.length;
      let same = 0;
      while (same < shared && same < text.length && text.charCodeAt(same) === first.charCodeAt(same)) same += 1;
      shared = same;
    }
  });
  while (shared > 0 && isDigit(first.charCodeAt(shared - 1))) shared -= 1;
  return { shared, longest };
}
