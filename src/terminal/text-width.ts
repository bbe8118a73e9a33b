import stringWidth from 'string-width';
import { type Charset, cutMark, escapeText, safe, type SafeText, spaces, trusted, unitsWithin } from './safe-text.ts';

/** Where a text stands in its place. */
export type Align = 'left' | 'right';

/** Printable ASCII and the program's own signs: rules, bars, blocks, arrows. One code unit, one column each. */
const narrow = /^[ -~·×–…›←-↓─-▟▲▶▸▼◆○●]*$/u;
const widths = new Map<string, number>();
// Far more than any screen shows; only a flood of odd ids reaches it.
const maxCachedWidths = 10_000;

/** Columns of one code point. Safe text holds no sequence that is wider or narrower than its parts. */
const widthOfCharacter = (character: string): number => {
  let width = widths.get(character);
  if (width === undefined) {
    if (widths.size >= maxCachedWidths) {
      widths.clear();
    }
    width = stringWidth(character);
    widths.set(character, width);
  }
  return width;
};

/** Columns that the text takes up on a terminal. */
export const widthOf = (text: SafeText): number => {
  if (narrow.test(text)) {
    return text.length;
  }
  let width = 0;
  for (const character of text) {
    width += widthOfCharacter(character);
  }
  return width;
};

/** The longest start of a safe text that fits, combining marks kept with their base. */
export const takeColumns = (text: string, width: number): string => {
  // One more: a mark there belongs to the character before it.
  if (narrow.test(text.slice(0, width + 1))) {
    return text.slice(0, width);
  }
  let taken = '';
  let used = 0;
  for (const character of text) {
    used += widthOfCharacter(character);
    if (used > width) {
      break;
    }
    taken += character;
  }
  return taken;
};

/** Cuts to at most `width` columns, the last of them the mark; a text that fits comes back unchanged. */
export const cutText = (text: SafeText, width: number): SafeText => {
  if (narrow.test(text) ? text.length <= width : widthOf(text) <= width) {
    return text;
  }
  return trusted(width <= 0 ? '' : takeColumns(text, width - 1) + cutMark);
};

/** An escape, or a character with its marks. */
const unit = /\\(?:\\|x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\})|.\p{M}*/gsu;

/** As many of these from the first on as have room. */
const takeUnits = (units: readonly string[], room: number): readonly string[] => {
  let used = 0;
  const end = units.findIndex((each) => {
    for (const character of each) {
      used += widthOfCharacter(character);
    }
    return used > room;
  });
  return end === -1 ? units : units.slice(0, end);
};

/** Cuts to at most `width` columns in the middle: the mark, and behind it the last third. No escape is cut in two. */
const cutMiddle = (text: SafeText, width: number): SafeText => {
  if (width <= 0 || (narrow.test(text) ? text.length <= width : widthOf(text) <= width)) {
    return cutText(text, width);
  }
  const units = text.match(unit) ?? [];
  const tail = takeUnits(units.toReversed(), Math.min(width - 1, Math.ceil(width / 3))).toReversed().join('');
  return trusted(takeUnits(units, width - 1 - widthOf(trusted(tail))).join('') + cutMark + tail);
};

/**
 * Makes the text of an identifier safe for a place `width` columns wide: whole where it fits, else both its ends, since
 * ids mostly differ at the end. However long it is, only as much of it is read as can be seen.
 */
export const escapeEnds = (raw: string, width: number, charset?: Charset): SafeText => {
  const enough = unitsWithin(width);
  // Escaped as one text, since what is a look-alike depends on both ends; the joint falls into what is cut out.
  return cutMiddle(escapeText(raw.length <= 2 * enough ? raw : raw.slice(0, enough) + raw.slice(-enough), charset), width);
};

/** The roomiest form that fits, the roomiest being the first; `undefined` when none does. */
export const roomiest = (forms: readonly SafeText[], room: number): SafeText | undefined => forms.find((form) => widthOf(form) <= room);

/** Fills up to `width` columns with spaces; a wider text comes back unchanged. */
export const padText = (text: SafeText, width: number, align: Align = 'left'): SafeText => {
  const missing = width - widthOf(text);
  if (missing <= 0) {
    return text;
  }
  return align === 'left' ? safe`${text}${spaces(missing)}` : safe`${spaces(missing)}${text}`;
};

/** Exactly `width` columns: cut with a mark, or filled up. */
export const fit = (text: SafeText, width: number, align: Align = 'left'): SafeText =>
  padText(cutText(text, width), width, align);
