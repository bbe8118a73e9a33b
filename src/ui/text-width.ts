import stringWidth from 'string-width';
import { type SafeText, cutMark, safe, spaces, trusted } from './safe-text.ts';

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
