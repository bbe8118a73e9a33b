/**
 * Text from the broker is hostile until it has passed `escapeText`: Ink hands OSC and SGR through
 * to the terminal, and a client chooses its own id. What is escaped is escaped visibly and
 * reversibly, so two different ids never look the same.
 *
 * What may stand as it is: printable ASCII, and letters, digits, punctuation and symbols of the
 * basic plane (and Han beyond it) whose width all terminals agree on. Everything else becomes
 * `\xNN`, `\uNNNN` or `\u{N…}`, and the backslash itself `\\`. Among what is escaped:
 * - controls, bidi marks, zero-width and invisible characters, every space but U+0020, private use,
 *   unassigned code points, lone surrogates;
 * - spaces at either end, which nobody would see;
 * - emoji, conjoining jamo, most combining marks: terminals disagree about their width;
 * - right-to-left letters: some terminals reorder the whole line around them;
 * - whatever Unicode normalisation would turn into something else, since it looks the same;
 * - what could be taken for another character (look-alikes.ts), such as a Cyrillic letter in a Latin id;
 * - the marks that the program itself prints: `…` for a cut and, standing alone, `–` and `···`.
 */

import { lookAlikesOf } from './look-alikes.ts';

declare const safeTextBrand: unique symbol;

/** Text that does nothing to a terminal but take up the columns that `widthOf` says. */
export type SafeText = string & { readonly [safeTextBrand]: true };

/** Which characters the terminal can show. With `ascii` everything beyond is escaped too, and so is `~`, which then marks a cut. */
export type Charset = 'unicode' | 'ascii';

// The one place where plain text becomes SafeText: callers below vouch for it.
const brand = (text: string): SafeText => text as SafeText;

const plainUnicode = /^(?! )[ -[\]-~]+(?<! )$/;
const plainAscii = /^(?! )[ -[\]-}]+(?<! )$/;

/** Shown alone these mean "unknown", "loading" and "empty" (format.ts); an id that is spelled so must not. */
const reservedWhole: { readonly [Name in Charset]: ReadonlySet<string> } = {
  unicode: new Set(['""', '–', '···']),
  ascii: new Set(['""', '-', '...']),
};

const standsAsItIs = new RegExp(
  [
    '^(?:[[\\p{L}\\p{N}\\p{P}\\p{S}]',
    '--[\\u{10000}-\\u{10FFFF}]',
    '--[\\p{Default_Ignorable_Code_Point}\\p{Emoji_Presentation}]',
    // Right to left: Hebrew to Arabic Extended-A, presentation forms.
    '--[\\u0590-\\u08FF\\uFB1D-\\uFDFF\\uFE70-\\uFEFF]',
    // Conjoining jamo.
    '--[\\u1100-\\u11FF\\uA960-\\uA97F\\uD7B0-\\uD7FF]',
    // Letters that join the grapheme before or after them; terminals count them apart.
    '--[\\u0D4E\\u0E33\\u0EB3\\uFF9E\\uFF9F]',
    // Widths that changed between Unicode versions or depend on the font.
    '--[\\u2630-\\u2637\\u268A-\\u268F\\u3248-\\u324F]',
    // Blank braille, object replacement, replacement, the mark of a cut.
    '--[\\u2800\\uFFFC\\uFFFD\\u2026\\\\]]',
    '|[\\p{Script=Han}&&[\\u{20000}-\\u{3FFFF}]])$',
  ].join(''),
  'v',
);

// Known to every table of widths: diacritics of Latin, Greek and Cyrillic, and Thai.
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

/**
 * Makes any text safe to print, visibly and reversibly. The empty text becomes `""`.
 * The result grows with the input: in a table use `escapeWithin`.
 */
export const escapeText = (raw: string, charset: Charset = 'unicode'): SafeText => {
  if (raw === '') {
    return brand('""');
  }
  if ((charset === 'ascii' ? plainAscii : plainUnicode).test(raw) && !reservedWhole[charset].has(raw)) {
    return brand(raw);
  }
  return escapeSlowly(raw, charset);
};

const escapeSlowly = (raw: string, charset: Charset): SafeText => {
  const escapeAll = reservedWhole[charset].has(raw);
  const lastVisible = raw.length - (/ +$/.exec(raw)?.[0].length ?? 0);
  const firstVisible = /^ */.exec(raw)?.[0].length ?? 0;
  const isLookAlike = charset === 'unicode' && beyondAscii.test(raw) ? lookAlikesOf(raw) : never;
  let escaped = '';
  // The character that a combining mark would join, with the marks it has already.
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
    } else if (isMark && addsToLook(cluster, character)) {
      escaped += character;
      cluster += character;
      marks += 1;
    } else if (isShownAsItIs(character, codePoint, charset) && !isLookAlike(character)) {
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

// The same mark twice is drawn over itself, and a dot over the one that is there.
const addsToLook = (cluster: string, mark: string): boolean =>
  `${cluster}${mark}`.normalize('NFC') === `${cluster}${mark}` && !cluster.normalize('NFD').includes(mark) && !(mark === '\u0307' && /[ij\u0131\u0237]/u.test(cluster));

const isShownAsItIs = (character: string, codePoint: number, charset: Charset): boolean => {
  if (codePoint > 0x20 && codePoint < 0x7f) {
    return charset === 'unicode' || character !== '~';
  }
  return charset === 'unicode' && standsAsItIs.test(character) && character.normalize('NFC') === character;
};

// Two marks on a base and two code units a code point: below that many units a column is certain.
const unitsPerColumn = 2 * (1 + maxMarks);

/** Code units that are more than any place `width` columns wide can show. */
export const unitsWithin = (width: number): number => (Math.max(0, width) + 2) * unitsPerColumn;

/** Stands where a text was cut. No escaped text holds it by itself; on an ASCII terminal it becomes `~`. */
export const cutMark = '…';

/**
 * Like `escapeText`, for a place `width` columns wide: reads no more of the text than can be seen
 * there, so an id of 65,000 characters costs no more than a short one, and ends what it left unread
 * with the mark of a cut. The result may still be wider than the place and has to be fitted.
 */
export const escapeWithin = (raw: string, width: number, charset: Charset = 'unicode'): SafeText => {
  const enough = unitsWithin(width);
  // Not in the middle of a pair: half of it would be shown as if it stood there.
  return raw.length <= enough ? escapeText(raw, charset) : brand(escapeText(raw.slice(0, enough).replace(/[\uD800-\uDBFF]$/, ''), charset) + cutMark);
};

/** Text of the program itself: ``safe`clients ${formatCount(n)}` ``. What is filled in is SafeText or a number. */
export const safe = (literals: TemplateStringsArray, ...values: readonly (SafeText | number)[]): SafeText => {
  // A loop: a screen is made of thousands of these.
  let text = literals[0] ?? '';
  for (let index = 0; index < values.length; index += 1) {
    text += `${values[index] ?? ''}${literals[index + 1] ?? ''}`;
  }
  return brand(text);
};

/** So many columns of nothing; none when there are fewer than one. */
export const spaces = (count: number): SafeText => brand(' '.repeat(Math.max(0, count)));

/** Joins texts with a separator of the program's own. */
export const joinSafe = (texts: readonly SafeText[], separator: SafeText = brand('')): SafeText =>
  brand(texts.join(separator));

/**
 * A text that the program made out of parts it knows, such as digits or its own labels.
 * Never for anything that came from outside: throws when it holds a control character.
 */
export const trusted = (text: string): SafeText => {
  if (/\p{C}/u.test(text)) {
    throw new TypeError('a trusted text holds a control character');
  }
  return brand(text);
};
