/**
 * Look-alikes are escaped, because two ids must never look the same. This follows UTS 39, but by script, with the few
 * hundred other look-alikes as ranges.
 */

/** Scripts two columns wide, which are not confused with Latin. */
const wideScripts = ['Han', 'Hiragana', 'Katakana', 'Hangul', 'Bopomofo'];

/** Left-to-right scripts in common use (UAX 31). Others are always escaped. */
const narrowScripts = [
  'Cyrillic',
  'Greek',
  'Armenian',
  'Georgian',
  'Thai',
  'Lao',
  'Devanagari',
  'Bengali',
  'Gurmukhi',
  'Gujarati',
  'Oriya',
  'Tamil',
  'Telugu',
  'Kannada',
  'Malayalam',
  'Sinhala',
  'Tibetan',
  'Myanmar',
  'Ethiopic',
  'Khmer',
];

/** Look-alikes of ASCII, of each other or of the program's frames, in one script or in none. */
const confusable = [
  '^[',
  // Acute, micro, cedilla, eth as against D with stroke, times.
  '\\u00B4\\u00B5\\u00B8\\u00D0\\u00D7',
  // Latin: long s, tone letters, ezh, yogh, ou, glottal stop, wynn, clicks, turned e, small capitals, phonetic letters that are in no alphabet.
  '\\u017F\\u0184\\u0185\\u0189\\u0196\\u01A6-\\u01A8\\u01B7\\u01BB-\\u01C3\\u01DD\\u021C\\u0222\\u0223\\u0241',
  '[[\\u0250-\\u02AF]--[\\u0253\\u0254\\u0256\\u0257\\u0259\\u025B\\u0263\\u0268\\u0272\\u0283\\u0289-\\u028B\\u0292]]',
  '\\u02B0-\\u02FF\\u0384\\u1D00-\\u1DBF\\u2C60-\\u2C7F\\uA700-\\uA7FF\\uAB30-\\uAB6F\\uFB00-\\uFB06',
  // Dashes, quotes, leaders, primes, slashes, bullets; points of runes and Mongolian.
  '\\u16EB-\\u16ED\\u1800-\\u180A\\u2010-\\u2015\\u2018-\\u201F\\u2024\\u2025\\u2027\\u2032-\\u203A\\u2041\\u2043\\u2044\\u204E-\\u2053\\u2E00-\\u2E7F',
  // Letters and digits as symbols: Roman numerals, script, turned and double-struck letters, radicals.
  '[[\\u2100-\\u214F]&&\\p{L}]\\u212E\\u2160-\\u2188\\u2E80-\\u2FDF\\u3007',
  // Operators drawn like letters, slashes, bars, colons, tildes; technical signs and APL.
  '\\u2206\\u220F\\u2211\\u2212\\u2215-\\u2219\\u2223\\u2227-\\u222A\\u2236\\u223C\\u22A4\\u22C0-\\u22C5\\u22EE\\u22EF\\u2300-\\u23FF',
  // Frames and bars; ornaments and brackets; more operators.
  '\\u2500-\\u259F\\u2758-\\u2775\\u27C0-\\u27EF\\u292B\\u292C\\u2980-\\u29FF\\u2A00-\\u2AFF',
  // Half-width forms: full stop, comma, dash, stroke, jamo, bars.
  '\\uFF61-\\uFF65\\uFF70\\uFF89\\uFFA0-\\uFFDC\\uFFE8-\\uFFEE',
  ']$',
].join('');

const classOf = (scripts: readonly string[]): string => scripts.map((script) => `\\p{Script=${script}}`).join('');
const narrow = `[[\\p{L}\\p{N}\\p{P}\\p{S}]--[\\p{Script=Latin}\\p{Script=Common}${classOf(wideScripts)}]]`;
const scripts = narrowScripts.map((script) => ({
  inScript: `\\p{Script=${script}}`,
  ofOthers: `[[\\p{L}${narrow}]--[\\p{Script=Common}\\p{Script=${script}}]]`,
}));

// Created on first use: all of them take 7 ms, and most ids are ASCII.
const patterns = new Map<string, RegExp>();
const pattern = (source: string): RegExp => {
  let known = patterns.get(source);
  if (known === undefined) {
    known = new RegExp(source, 'v');
    patterns.set(source, known);
  }
  return known;
};

/**
 * Returns what tells look-alikes in `raw`. A letter of a narrow script other than Latin is one unless all letters of
 * the text are of that script.
 */
export const lookAlikesOf = (raw: string): ((character: string) => boolean) => {
  const isConfusable = pattern(confusable);
  const isNarrow = pattern(narrow);
  const first = isNarrow.exec(raw)?.[0];
  const script = first === undefined ? undefined : scripts.find(({ inScript }) => pattern(inScript).test(first));
  const isMixed = first !== undefined && (script === undefined || pattern(script.ofOthers).test(raw));
  return (character) => isConfusable.test(character) || (isMixed && isNarrow.test(character));
};
