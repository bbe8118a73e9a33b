import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wrapWords } from '../../src/terminal/line.ts';
import { escapeText, trusted } from '../../src/terminal/safe-text.ts';
import { widthOf } from '../../src/terminal/text-width.ts';
import { readWrapped } from '../support/wrapped-text.ts';

/** What can be seen of lines on a screen: not the spaces at their ends. */
const seen = (lines: readonly string[]): string => lines.map((line) => line.trimEnd()).join('\n');

describe('wrapWords', () => {
  test('breaks at spaces, and a word that is too long within it', () => {
    expect(wrapWords(trusted('to be or not to be'), 8)).toEqual(['to be', 'or not', 'to be']);
    expect(wrapWords(trusted('disconnect abcdefghijkl now'), 10)).toEqual(['disconnect', ' abcdefghi', 'jkl now']);
    expect(wrapWords(trusted('whole'), 5)).toEqual(['whole']);
  });

  test('never breaks two texts into what looks the same', () => {
    const long = 'x'.repeat(36);
    const texts = [`${long} y`, `${long}  y`, `${long}y`, `${'x'.repeat(35)} y`, `${'x'.repeat(35)}界`, `${'x'.repeat(35)} 界`, `${'x'.repeat(34)} 界`, `${'x'.repeat(34)}  界`, `x${' '.repeat(36)}y`, `x${' '.repeat(37)}y`, `x${' '.repeat(72)}y`];
    expect(new Set(texts.map((text) => seen(wrapWords(trusted(text), 36)))).size).toBe(texts.length);
  });

  test('can be read back, whatever the text and the width', () => {
    const raw = fc.oneof(
      fc.array(fc.constantFrom('x', ' ', '界', '\\', 'e\u0331'), { maxLength: 60 }).map((parts) => parts.join('')),
      fc.array(fc.constantFrom('word', ' ', '  ', '界界'), { maxLength: 30 }).map((parts) => parts.join('')),
      fc.string({ unit: 'binary', maxLength: 60 }),
    );
    fc.assert(
      fc.property(raw, fc.integer({ min: 2, max: 14 }), (text, width) => {
        const escaped = escapeText(text);
        const lines = wrapWords(escaped, width);
        expect(lines.every((line) => widthOf(line) <= width)).toBe(true);
        expect(`${readWrapped(lines.slice(0, -1), width)}${lines.at(-1) ?? ''}`).toBe(escaped);
      }),
      { numRuns: 500 },
    );
  });
});
