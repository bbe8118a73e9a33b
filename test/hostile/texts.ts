import fc from 'fast-check';

const repeated = (part: string, count: number): string => part.repeat(count);

/** Texts that attack a terminal, a line or a reader. */
export const hostileTexts: Readonly<Record<string, string>> = {
  escape: '\u001B',
  'clear screen': '\u001B[2J\u001B[H',
  colour: '\u001B[31;7mred',
  'far away': '\u001B[999;999Hx',
  'scroll region': '\u001B[1;2r\u001B[5S',
  title: '\u001B]0;owned\u0007',
  'icon and title by ST': '\u001B]2;owned\u001B\\',
  link: '\u001B]8;;http://x\u001B\\y\u001B]8;;\u001B\\',
  clipboard: '\u001B]52;c;aGk=\u0007',
  'clipboard query': '\u001B]52;c;?\u0007',
  palette: '\u001B]4;1;?\u0007\u001B]104\u0007',
  DCS: '\u001BP$q"p\u001B\\',
  'APC, PM and SOS': '\u001B_x\u001B\\\u001B^x\u001B\\\u001BXx\u001B\\',
  questions: '\u001B[c\u001B[>c\u001B[5n\u001B[6n\u001B[?1;2c',
  modes:
    '\u001B[?1049l\u001B[?25h\u001B[?1000h\u001B[?1003h\u001B[?1004h\u001B[?2004h\u001B[?2026h\u001B[4h\u001B[?6h\u001B[?7h\u001B[?1h',
  reset: '\u001Bc\u001B[!p',
  'other character set': '\u001B(0qqq\u000E\u000F',
  'C1 CSI': '\u009B2J',
  'C1 OSC': '\u009D0;owned\u009C',
  'C1 DCS': '\u0090$q"p\u009C',
  'C1 others': '\u0080\u0084\u0085\u008D\u0098\u009E\u009F',
  'C1 as UTF-8 read as Latin-1': '\u00C2\u009B2J',
  'open CSI': 'x\u001B[',
  'rest of a CSI': '2J',
  'open OSC': 'x\u001B]0;',
  'rest of an OSC': 'owned\u0007',
  'open string': '\u001BP',
  'carriage return': 'a\rb',
  'line feed': 'a\nb',
  both: 'a\r\nb\r\n',
  backspace: 'abc\b\b\bx',
  tab: 'a\tb',
  'vertical tab and form feed': '\u000B\u000C',
  NUL: '\u0000',
  DEL: 'a\u007F',
  bell: '\u0007',
  'bidi overrides': '\u202Eevil\u202C\u202D',
  'bidi isolates': '\u2066a\u2067b\u2068c\u2069',
  'bidi marks': '\u200E\u200F\u061C',
  'right to left': 'שלום مرحبا',
  'zero width': 'a\u200Bb\u200Cc\u200Dd\u2060e\uFEFF',
  'soft hyphen': 'a\u00ADb\u034Fc',
  'invisible fillers': '\u3164\u115F\u1160\u2800\uFFA0\u17B4\u180E',
  tags: 'a\u{E0001}\u{E0041}\u{E007F}',
  'variation selectors': 'a\uFE0F\uFE00\u{E0100}',
  'spaces of other kinds': '\u00A0\u2003\u3000\u205F',
  separators: 'a\u2028b\u2029c',
  'only blanks': '   ',
  long: `gateway-${repeated('0', 150)}1`,
  'long, with another end': `gateway-${repeated('0', 150)}2`,
  'blanks at the ends': ' a ',
  'a thousand marks': `a${repeated('\u0301', 1_000)}`,
  'a thousand marks of many kinds': `Z${Array.from({ length: 1_000 }, (_, at) => String.fromCharCode(0x300 + (at % 0x6f))).join('')}`,
  'marks alone': '\u0301\u20DD\u0489',
  'wide emoji': '💩🚀',
  'joined emoji': '👩‍👩‍👧‍👦🏳️‍🌈👍🏿',
  keycap: '1️⃣#️⃣',
  'regional indicators': '🇩🇪🇫🇷🇩',
  'wide letters': '世界ハンドル',
  'narrow and wide': 'ｱｲｳ＃Ａ',
  jamo: '\u1100\u1161\u11A8각',
  'scripts that join': 'க்ஷி กำ',
  composed: 'é',
  decomposed: 'e\u0301',
  'half of a pair': '\uD83D',
  'other half': '\uDCA9x',
  'pair the wrong way round': '\uDCA9\uD83D',
  replacement: '\uFFFD\uFFFC',
  noncharacters: '\uFDD0\uFFFE\uFFFF\u{10FFFF}',
  'private use': '\uE000\u{F0000}',
  prototype: '__proto__',
  constructor: 'constructor',
  method: 'toString',
  'another method': 'hasOwnProperty',
  empty: '',
  unknown: '–',
  'unknown in ASCII': '-',
  loading: '···',
  cut: 'abc…',
  'what empty looks like': '""',
  'what an escape looks like': '\\x1b',
  'what a name in quotes looks like': '"a", "b"',
  'the cursor': '▸a',
  box: '│─┌┐',
  Latin: 'sensor-a1',
  'Latin with a Cyrillic letter': 'sensor-\u04301',
  'Latin with a Cyrillic word': '\u0455\u0435nsor-a1',
  'Latin with a Greek letter': 's\u03BFnsor-a1',
  'Latin with an Armenian letter': 'sen\u0455\u0585r-a1',
  'Latin with a phonetic letter': 'sensor-\u02511',
  'Latin with another hyphen': 'sensor\u2010a1',
  'Latin with a minus': 'sensor\u2212a1',
  slashes: 'a/b|c:d',
  'slashes of other kinds': 'a\u2215b\u01C0c\uA789d',
  'a question mark of another kind': 'why\u0294',
  'a question mark': 'why?',
  'a dot twice': 'i\u0307sensor',
  'a Roman numeral': 'unit-\u2163',
  Cyrillic: 'Датчик-1',
  Greek: 'Αισθητήρας',
};

/** Texts as long as MQTT allows, and hostile at both ends. */
export const giantTexts: readonly string[] = [
  `\u001B[2J${repeated('x', 65_000)}\u001B]0;end\u0007`,
  repeated('世', 21_000),
  repeated('\u200B', 21_000),
  `a${repeated('\u0301', 32_000)}`,
];

/** All hostile texts. */
export const allHostileTexts: readonly string[] = Object.values(hostileTexts);

const piece = fc.oneof(
  fc.constantFrom(...allHostileTexts.filter((text) => text.length < 40)),
  fc.string({ maxLength: 4 }),
  fc.string({ unit: 'binary', maxLength: 3 }),
);

/** Any text, mostly composed of hostile pieces. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.array(piece, { minLength: 1, maxLength: 4 }).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.constantFrom(...allHostileTexts) },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 12 }) },
  {
    weight: 1,
    arbitrary: fc
      .array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 })
      .map((units) => String.fromCharCode(...units)),
  },
);

/** Time limit of tests that draw whole screens for each case. */
export const longAttackMs = 180_000;

/** Characters that terminal fonts draw alike. Independent of the list in the program. */
const drawnAs: ReadonlyMap<string, string> = new Map(
  [
    ['a', '\u0430\u0251\u03B1'],
    ['e', '\u0435\u212E'],
    ['o', '\u043E\u03BF\u0585'],
    ['c', '\u0441\u03F2'],
    ['p', '\u0440\u03C1'],
    ['s', '\u0455\uA731'],
    ['i', '\u0456\u0269'],
    ['x', '\u0445\u00D7'],
    ['n', '\u0578'],
    ['K', '\u039A\u041A\u212A'],
    ['A', '\u0391\u0410'],
    ['-', '\u2010\u2011\u2012\u2013\u2014\u2015\u2212\u02D7\u2500\uFF70'],
    ['/', '\u2215\u2044\u2571\u29F8'],
    ['|', '\u01C0\u2223\u2502\u2758\uFFE8'],
    [':', '\uA789\u2236\u0589'],
    ['.', '\u2024'],
    ["'", '\u2018\u2019\u02BC\u00B4\u2032'],
    ['"', '\u201C\u201D\u2033'],
    [',', '\u201A\u00B8'],
    ['~', '\u223C'],
    ['*', '\u2217\u204E'],
    ['<', '\u2039'],
    ['>', '\u203A'],
    ['_', '\u2581'],
    ['?', '\u0294\u0241'],
    ['3', '\u01B7\u021C'],
    ['\u00B7', '\u2027\u2219\u22C5\u16EB'],
  ].flatMap(([as = '', all = '']) => [...all].map((one): [string, string] => [one, as])),
);

/** A printed text as a tired reader sees it: different names must have different results. */
export const atAGlance = (shown: string): string =>
  Array.from(shown.replaceAll(/(?<=[ij])\u0307/gu, ''), (one) => drawnAs.get(one) ?? one).join('');

/** Undoes `escapeText`. Independent of the program's own code. */
export const unescape = (shown: string): string =>
  shown === '""'
    ? ''
    : shown.replaceAll(
        /\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/gu,
        (_, x?: string, u?: string, long?: string) => {
          const hex = x ?? u ?? long;
          return hex === undefined ? '\\' : String.fromCodePoint(Number.parseInt(hex, 16));
        },
      );
