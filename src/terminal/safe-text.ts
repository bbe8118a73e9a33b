/**
 * Text from the broker is hostile until it has passed `escapeText`: clients choose their ids, and Ink passes OSC and
 * SGR through to the terminal. Escaping is visible and reversible, so two different ids never look the same.
 * Escaped to `\xNN`, `\uNNNN` or `\u{N…}`, and the backslash to `\\`, are:
 * - controls, bidi marks, invisible characters, spaces at the ends or other than U+0020, private use, unassigned, lone surrogates;
 * - emoji, jamo, most combining marks, whose width differs; right-to-left letters, which may reorder the whole line;
 * - text that Unicode normalisation would change, because it looks the same as the result;
 * - look-alikes of other characters (look-alikes.ts), such as a Cyrillic letter in a Latin id;
 * - marks of the program: `…` for a cut and, as whole texts, `–` and `···`.
 */

import { lookAlikesOf } from './look-alikes.ts';

declare const safeTextBrand: unique symbol;

/** Text whose only effect on a terminal is to fill `widthOf` columns. */
export type SafeText = string & { readonly [safeTextBrand]: true };

/**
 * The characters that the terminal shows. With `ascii` all others are escaped, and so is `~`, which then marks a cut.
 */
export type Charset = 'unicode' | 'ascii';

// The only place where plain text becomes SafeText.
const brand = (text: string): SafeText => text as SafeText;

const plainUnicode = /^(?! )[ -[\]-~]+(?<! )$/;
const plainAscii = /^(?! )[ -[\]-}]+(?<! )$/;

/** Texts that mean "empty", "unknown" and "loading" (format.ts), so an id must not look like them. */
const reservedTexts: { readonly [Name in Charset]: ReadonlySet<string> } = {
  unicode: new Set(['""', '–', '···']),
  ascii: new Set(['""', '-', '...']),
};

const unescaped = new RegExp(
  [
    '^(?:[[\\p{L}\\p{N}\\p{P}\\p{S}]',
    '--[\\u{10000}-\\u{10FFFF}]',
    '--[\\p{Default_Ignorable_Code_Point}\\p{Emoji_Presentation}]',
    // Right to left: Hebrew to Arabic Extended-A, presentation forms.
    '--[\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFF]',
    // Conjoining jamo.
    '--[\\u1100-\\u11FF\\uA960-\\uA97F\\uD7B0-\\uD7FF]',
    // Letters that join the grapheme before or after them; terminals count them separately.
    '--[\\u0D4E\\u0E33\\u0EB3\\uFF9E\\uFF9F]',
    // Widths that changed between Unicode versions or depend on the font.
    '--[\\u2630-\\u2637\\u268A-\\u268F\\u3248-\\u324F]',
    // Blank braille, object replacement, replacement, the mark of a cut.
    '--[\\u2800\\uFFFC\\uFFFD\\u2026\\\\]]',
    '|[\\p{Script=Han}&&[\\u{20000}-\\u{3FFFF}]])$',
  ].join(''),
  'v',
);

// In every terminal's table of widths: diacritics of Latin, Greek and Cyrillic, and Thai.
const knownMark = /^[\u0300-\u034E\u0350-\u036F\u0E31\u0E34-\u0E3A\u0E47-\u0E4E]$/u;
const maxMarks = 2;

const beyondAscii = /[^\0-\x7F]/;
const never = (): boolean => false;

const escapeCodePoint = (codePoint: number): string => {
  const hex = codePoint.toString(16);
  if (codePoint < 0x100) {
    return `\\x${hex.padStart(2, '0')}`;
  }
  return codePoint < 0x10000 ? `\\u${hex.padStart(4, '0')}` : `\\u{${hex}}`;
};

/** Escapes visibly and reversibly. The empty text becomes `""`. In a table use `escapeForWidth`. */
export const escapeText = (raw: string, charset: Charset = 'unicode'): SafeText => {
  if (raw === '') {
    return brand('""');
  }
  if ((charset === 'ascii' ? plainAscii : plainUnicode).test(raw) && !reservedTexts[charset].has(raw)) {
    return brand(raw);
  }
  return escapeSlowly(raw, charset);
};

const escapeSlowly = (raw: string, charset: Charset): SafeText => {
  const escapeAll = reservedTexts[charset].has(raw);
  const lastVisible = raw.length - (/ +$/.exec(raw)?.[0].length ?? 0);
  const firstVisible = /^ */.exec(raw)?.[0].length ?? 0;
  const isLookAlike = charset === 'unicode' && beyondAscii.test(raw) ? lookAlikesOf(raw) : never;
  let escaped = '';
  let cluster = '';
  let marks = 0;
  let index = 0;
  for (const character of raw) {
    const codePoint = character.codePointAt(0) ?? 0;
    const isMark = cluster !== '' && marks < maxMarks && charset === 'unicode' && knownMark.test(character);
    if (escapeAll) {
      escaped += escapeCodePoint(codePoint);
    } else if (character === '\\') {
      escaped += '\\\\';
      cluster = '';
    } else if (character === ' ' && index >= firstVisible && index < lastVisible) {
      escaped += ' ';
      cluster = '';
    } else if (isMark && isVisibleMark(cluster, character)) {
      escaped += character;
      cluster += character;
      marks += 1;
    } else if (isUnescaped(character, codePoint, charset) && !isLookAlike(character)) {
      escaped += character;
      cluster = character;
      marks = 0;
    } else {
      escaped += escapeCodePoint(codePoint);
      cluster = '';
    }
    index += character.length;
  }
  return brand(escaped);
};

// Invisible are the same mark twice, and a dot above a letter that has one.
const isVisibleMark = (cluster: string, mark: string): boolean =>
  `${cluster}${mark}`.normalize('NFC') === `${cluster}${mark}` &&
  !cluster.normalize('NFD').includes(mark) &&
  !(mark === '\u0307' && /[ij\u0131\u0237]/u.test(cluster));

const isUnescaped = (character: string, codePoint: number, charset: Charset): boolean => {
  if (codePoint > 0x20 && codePoint < 0x7f) {
    return charset === 'unicode' || character !== '~';
  }
  return charset === 'unicode' && unescaped.test(character) && character.normalize('NFC') === character;
};

// A base and two marks, of two code units each.
const maxUnitsPerColumn = 2 * (1 + maxMarks);

export const maxUnitsIn = (width: number): number => (Math.max(0, width) + 2) * maxUnitsPerColumn;

/** Marks a cut. No escaped text contains it; on an ASCII terminal it becomes `~`. */
export const cutMark = '…';

/**
 * Escapes as `escapeText` does, but costs the same for an id of 65,000 characters, and marks the cut. The result may
 * still be wider.
 */
export const escapeForWidth = (raw: string, width: number, charset: Charset = 'unicode'): SafeText => {
  const enough = maxUnitsIn(width);
  // Half a surrogate pair would be shown as if it were in the text.
  return raw.length <= enough
    ? escapeText(raw, charset)
    : brand(escapeText(raw.slice(0, enough).replace(/[\uD800-\uDBFF]$/, ''), charset) + cutMark);
};

/** Builds safe text: ``safe`clients ${formatCount(n)}` ``. Only SafeText and numbers can be filled in. */
export const safe = (literals: TemplateStringsArray, ...values: readonly (SafeText | number)[]): SafeText => {
  let text = literals[0] ?? '';
  for (let index = 0; index < values.length; index += 1) {
    text += `${values[index] ?? ''}${literals[index + 1] ?? ''}`;
  }
  return brand(text);
};

export const spaces = (count: number): SafeText => brand(' '.repeat(Math.max(0, count)));

export const joinSafe = (texts: readonly SafeText[], separator: SafeText = brand('')): SafeText =>
  brand(texts.join(separator));

/**
 * Marks text that the program made itself as safe; never for anything from outside. @throws TypeError for control and
 * format characters
 */
export const trusted = (text: string): SafeText => {
  if (/\p{C}/u.test(text)) {
    throw new TypeError('a trusted text holds a control character');
  }
  return brand(text);
};
