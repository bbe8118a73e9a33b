import stringWidth from 'string-width';
import { type Charset, cutMark, escapeText, maxUnitsIn, safe, type SafeText, spaces, trusted } from './safe-text.ts';

export type Align = 'left' | 'right';

/** Matches text whose characters are each one code unit and one column. */
const narrow = /^[ -~·×–…‹›←-↓−≥─-▟▰▱▲▶▸▼◆○●⠀-⣿]*$/u;
const widths = new Map<string, number>();
const maxCachedWidths = 10_000;

/** Returns the width of one character. In safe text the width of a sequence is the sum of its parts. */
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

export const takeColumns = (text: string, width: number): string => {
  // One more, because a mark there belongs to the character before it.
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

export const cutText = (text: SafeText, width: number): SafeText => {
  if (narrow.test(text) ? text.length <= width : widthOf(text) <= width) {
    return text;
  }
  return trusted(width <= 0 ? '' : takeColumns(text, width - 1) + cutMark);
};

const unit = /\\(?:\\|x[\da-f]{2}|u[\da-f]{4}|u\{[\da-f]+\})|.\p{M}*/gsu;

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

/** Cuts in the middle. The last third stays, and escapes stay whole. */
const cutMiddle = (text: SafeText, width: number): SafeText => {
  if (width <= 0 || (narrow.test(text) ? text.length <= width : widthOf(text) <= width)) {
    return cutText(text, width);
  }
  const units = text.match(unit) ?? [];
  const tail = takeUnits(units.toReversed(), Math.min(width - 1, Math.ceil(width / 3)))
    .toReversed()
    .join('');
  return trusted(takeUnits(units, width - 1 - widthOf(trusted(tail))).join('') + cutMark + tail);
};

/**
 * Escapes a text: whole if it fits, else both ends, because ids mostly differ at the end. Reads only what can be shown.
 */
export const escapeEnds = (raw: string, width: number, charset?: Charset): SafeText => {
  const enough = maxUnitsIn(width);
  // Escaped as one text, because look-alikes depend on both ends. The joint is cut out.
  return cutMiddle(
    escapeText(raw.length <= 2 * enough ? raw : raw.slice(0, enough) + raw.slice(-enough), charset),
    width,
  );
};

export const widestFitting = (forms: readonly SafeText[], room: number): SafeText | undefined =>
  forms.find((form) => widthOf(form) <= room);

export const padText = (text: SafeText, width: number, align: Align = 'left'): SafeText => {
  const missing = width - widthOf(text);
  if (missing <= 0) {
    return text;
  }
  return align === 'left' ? safe`${text}${spaces(missing)}` : safe`${spaces(missing)}${text}`;
};

export const fit = (text: SafeText, width: number, align: Align = 'left'): SafeText =>
  padText(cutText(text, width), width, align);
