import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import {
  type Charset,
  cutMark,
  escapeForWidth,
  escapeText,
  joinSafe,
  safe,
  type SafeText,
  spaces,
  trusted,
} from '../../src/terminal/safe-text.ts';
import { cutText, escapeEnds, fit, padText, widthOf } from '../../src/terminal/text-width.ts';

const unescape = (text: string): string =>
  text === '""'
    ? ''
    : text.replaceAll(
        /\\(?:\\|x([0-9a-f]{2})|u([0-9a-f]{4})|u\{([0-9a-f]+)\})/g,
        (_whole, x?: string, u?: string, long?: string) => {
          const hex = x ?? u ?? long;
          return hex === undefined ? '\\' : String.fromCodePoint(Number.parseInt(hex, 16));
        },
      );

const nasty = fc.constantFrom(
  '\u001B]0;t\u0007',
  '\u001B[2J',
  '\\',
  '\\x1b',
  '\\u202e',
  '\u202E',
  '\u200B',
  '\u200D',
  '\uFE0F',
  '👩‍👩‍👧',
  '🇩🇪',
  '1️⃣',
  '\u0301',
  'e\u0301',
  'é',
  '\u1161',
  '\u1100',
  '\u3164',
  '\uD800',
  '\uDC00',
  ' ',
  '  ',
  '\u00A0',
  '\u3000',
  '世',
  '…',
  '–',
  '"',
  '""',
  '~',
  '-',
  '...',
  '···',
  '\u2028',
  '\u{E0041}',
  'ั',
);
const rawText = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
  fc.array(fc.oneof(nasty, fc.string({ maxLength: 3 })), { maxLength: 8 }).map((parts) => parts.join('')),
  fc.array(fc.integer({ min: 0, max: 0xffff }), { maxLength: 6 }).map((units) => String.fromCharCode(...units)),
);
const charset = fc.constantFrom<Charset>('unicode', 'ascii');
const sampleRuns = { numRuns: 3000 };

describe('escapeText', () => {
  test.each([
    ['sensor-000017', 'sensor-000017'],
    ['', '""'],
    ['""', String.raw`\x22\x22`],
    [' a', String.raw`\x20a`],
    ['a b ', String.raw`a b\x20`],
    ['   ', String.raw`\x20\x20\x20`],
    ['a\\b', String.raw`a\\b`],
    ['\u001B[2J', String.raw`\x1b[2J`],
    ['\u009B', String.raw`\x9b`],
    ['\u202Eabc', String.raw`\u202eabc`],
    ['a\u200Bb', String.raw`a\u200bb`],
    ['\u{1F600}', String.raw`\u{1f600}`],
    ['\uD800x', String.raw`\ud800x`],
    ['–', String.raw`\u2013`],
    ['a–b', String.raw`a\u2013b`],
    ['Датчик-1', 'Датчик-1'],
    ['Датчик-A', String.raw`\u0414\u0430\u0442\u0447\u0438\u043a-A`],
    ['sensor-а', String.raw`sensor-\u0430`],
    ['Αα-1', 'Αα-1'],
    ['Αа', String.raw`\u0391\u0430`],
    ['温度а', String.raw`温度\u0430`],
    ['温度-A', '温度-A'],
    ['ᎠᎡ', String.raw`\u13a0\u13a1`],
    ['a∕b', String.raw`a\u2215b`],
    ['ǀ', String.raw`\u01c0`],
    ['Ⅳ', String.raw`\u2163`],
    ['i\u0307', String.raw`i\u0307`],
    ['x\u0301\u0301', 'x\u0301' + String.raw`\u0301`],
    ['more…', String.raw`more\u2026`],
    ['Größe 世界', 'Größe 世界'],
    ['e\u0301', String.raw`e\u0301`],
    ['x\u0301', 'x\u0301'],
    ['x\u0301\u0308\u0304', String.raw`x` + '\u0301\u0308' + String.raw`\u0304`],
    ['\u0301x', String.raw`\u0301x`],
    ['שלום', String.raw`\u05e9\u05dc\u05d5\u05dd`],
  ])('%j becomes %j', (raw, escaped) => {
    expect(escapeText(raw)).toBe(escaped);
  });

  test('is reversible, so no two texts look the same', () => {
    fc.assert(
      fc.property(rawText, charset, (raw, set) => {
        expect(unescape(escapeText(raw, set))).toBe(raw);
      }),
      sampleRuns,
    );
  });

  test('never returns what the program prints for unknown, loading or a cut', () => {
    for (const raw of ['–', '···', '…', 'a…']) {
      expect(escapeText(raw)).not.toMatch(/^(?:–|···)$|…/);
    }
    for (const raw of ['-', '...', '~', 'a~']) {
      expect(escapeText(raw, 'ascii')).not.toMatch(/^(?:-|\.\.\.)$|~/);
    }
  });

  test('is stable under Unicode normalisation', () => {
    fc.assert(
      fc.property(rawText, (raw) => {
        const escaped = escapeText(raw);
        expect(escaped.normalize('NFC')).toBe(escaped);
      }),
      sampleRuns,
    );
  });

  test('is ASCII for an ASCII terminal', () => {
    fc.assert(
      fc.property(rawText, (raw) => {
        expect(escapeText(raw, 'ascii')).toMatch(/^[ -}]+$/);
      }),
      sampleRuns,
    );
  });
});

describe('widths', () => {
  test('are the same as of string-width', () => {
    fc.assert(
      fc.property(rawText, (raw) => {
        const escaped = escapeText(raw);
        expect(widthOf(escaped)).toBe(stringWidth(escaped));
      }),
      sampleRuns,
    );
  });

  test('fit is exact', () => {
    fc.assert(
      fc.property(rawText, fc.nat(30), fc.constantFrom<'left' | 'right'>('left', 'right'), (raw, width, align) => {
        expect(stringWidth(fit(escapeText(raw), width, align))).toBe(width);
      }),
      sampleRuns,
    );
  });

  test('cutText cuts with the mark or not at all', () => {
    fc.assert(
      fc.property(rawText, fc.integer({ min: 1, max: 30 }), (raw, width) => {
        const whole = escapeText(raw);
        const cut = cutText(whole, width);
        expect(cut === whole || cut.endsWith(cutMark)).toBe(true);
        expect(widthOf(cut)).toBeLessThanOrEqual(width);
      }),
      sampleRuns,
    );
  });

  test('escapeForWidth shows the same as escapeText at that width', () => {
    fc.assert(
      fc.property(rawText, fc.integer({ min: 1, max: 12 }), charset, (raw, width, set) => {
        const long = raw.repeat(9);
        expect(cutText(escapeForWidth(long, width, set), width)).toBe(cutText(escapeText(long, set), width));
      }),
      sampleRuns,
    );
  });

  test('escapeForWidth marks the cut, and splits no surrogate pair', () => {
    fc.assert(
      fc.property(rawText, fc.nat(4), charset, (raw, width, set) => {
        const shown = escapeForWidth(raw, width, set);
        expect(
          shown === escapeText(raw, set) || (shown.endsWith(cutMark) && raw.startsWith(unescape(shown.slice(0, -1)))),
        ).toBe(true);
      }),
      sampleRuns,
    );
    expect(escapeForWidth('\u{20000}'.repeat(100), 1)).toBe(`${'\u{20000}'.repeat(9)}…`);
  });

  test('escapeForWidth reads only as much as can be shown', () => {
    expect(escapeForWidth('\u200B'.repeat(65_000), 20).length).toBeLessThan(1000);
    expect(escapeForWidth('x'.repeat(65_000), 20).length).toBeLessThan(200);
  });

  test.each([
    ['sensor-000017', 13, 'sensor-000017'],
    ['sensor-000017', 12, 'sensor-…0017'],
    ['sensor-000017', 4, 's…17'],
    ['sensor-000017', 1, '…'],
    ['sensor-000017', 0, ''],
    [`long-${'x'.repeat(65_000)}1`, 16, 'long-xxxx…xxxxx1'],
    [`long-${'x'.repeat(65_000)}2`, 16, 'long-xxxx…xxxxx2'],
    ['abcdefgh\u001Bijklmnopqrstuvwxyz', 16, 'abcdefgh…uvwxyz'],
    ['abcdefghijklmnopqrst\u202Exyz', 24, 'abcdefghijklmnopqrst…xyz'],
    ['abcdefghijklmnopqrst\u202E', 18, 'abcdefghijk…\\u202e'],
    ['abcdefghijklmnop\\\\\\', 9, 'abcdef…\\\\'],
    ['x\u0301'.repeat(20), 9, `${'x\u0301'.repeat(5)}…${'x\u0301'.repeat(3)}`],
    ['世界'.repeat(20), 10, '世界…世界'],
    // Look-alikes depend on both ends.
    [`sensor-${'1'.repeat(65_000)}\u0430`, 18, 'sensor-1111…\\u0430'],
  ])('escapeEnds of %j in %i columns is %s', (raw, width, shown) => {
    expect(escapeEnds(raw, width)).toBe(shown);
  });

  test('escapeEnds shows a text whole, or whole characters and escapes of both ends', () => {
    fc.assert(
      fc.property(
        rawText,
        fc.constantFrom(1, 1, 9),
        fc.integer({ min: 1, max: 24 }),
        charset,
        (part, times, width, set) => {
          const raw = part.repeat(times);
          const whole = escapeText(raw, set);
          const shown = escapeEnds(raw, width, set);
          expect(widthOf(shown)).toBeLessThanOrEqual(width);
          expect(stringWidth(shown)).toBe(widthOf(shown));
          expect(shown === whole).toBe(widthOf(whole) <= width);
          const ends = shown.split(cutMark);
          expect(ends).toHaveLength(shown === whole ? 1 : 2);
          const [head = '', tail = ''] = ends.map(unescape);
          expect(raw.startsWith(head) && raw.endsWith(tail)).toBe(true);
          // No part of an escape, and no mark without its character.
          expect(ends.join('').replaceAll(/\\(?:\\|x[0-9a-f]{2}|u[0-9a-f]{4}|u\{[0-9a-f]+\})/g, '')).not.toContain(
            '\\',
          );
          expect(ends.some((end) => /^\p{M}/u.test(end))).toBe(false);
        },
      ),
      sampleRuns,
    );
  });

  test('padText pads on the other side', () => {
    expect(padText(safe`世`, 4)).toBe('世  ');
    expect(padText(safe`世`, 4, 'right')).toBe('  世');
  });
});

describe('program text', () => {
  test('safe interpolates safe texts and numbers', () => {
    const id: SafeText = escapeText('a\u001Bb');
    expect(safe`client ${id} of ${3}`).toBe(String.raw`client a\x1bb of 3`);
    expect(joinSafe([safe`a`, safe`b`], safe` · `)).toBe('a · b');
  });

  test('safe works without literals, and spaces with negative counts', () => {
    expect(safe`${safe``}${0}`).toBe('0');
    expect(safe``).toBe('');
    expect([spaces(3), spaces(0), spaces(-2)]).toEqual(['   ', '', '']);
  });

  test('trusted rejects control and format characters', () => {
    expect(() => trusted('a\u001B')).toThrow(TypeError);
    expect(() => trusted('a\u202E')).toThrow(TypeError);
  });
});
