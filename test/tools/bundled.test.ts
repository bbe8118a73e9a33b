import { createRequire } from 'node:module';
import path from 'node:path';
import stringWidth from 'string-width';
import { expect, test } from 'vitest';
import { LazySegmenter } from '../../.tools/bundled/lazy-segmenter.ts';

const width: (text: string, options?: object) => number = createRequire(import.meta.url)(
  path.join(import.meta.dirname, '../../.tools/bundled/string-width.cjs'),
);

test('the bundle measures every character of the first plane as string-width does, alone and styled', () => {
  const wrong: string[] = [];
  for (let code = 0; code <= 0xffff; code += 1) {
    const character = String.fromCharCode(code);
    for (const text of [character, `a${character}\u001B[31mb\u001B[39m`]) {
      if (width(text) !== stringWidth(text)) wrong.push(`U+${code.toString(16)}`);
    }
  }
  expect(wrong).toEqual([]);
});

test('the bundle measures clusters and options as string-width does', () => {
  for (const text of ['👨‍👩‍👧', '🇩🇪', 'é', '한', 'e\u0301', '\u001B]8;;http://a\u0007link\u001B]8;;\u0007', '\t']) {
    expect(width(text)).toBe(stringWidth(text));
    expect(width(`${text}±`, { ambiguousIsNarrow: false })).toBe(stringWidth(`${text}±`, { ambiguousIsNarrow: false }));
  }
});

test('the segmenter of the bundle cuts as Intl.Segmenter does', () => {
  const text = 'a👨‍👩‍👧e\u0301🇩🇪한';
  const cut = (segmenter: Pick<Intl.Segmenter, 'segment'>): readonly string[] =>
    Array.from(segmenter.segment(text), ({ segment }) => segment);
  expect(cut(new LazySegmenter())).toEqual(cut(new Intl.Segmenter()));
  expect(cut(new LazySegmenter('en', { granularity: 'word' }))).toEqual(
    cut(new Intl.Segmenter('en', { granularity: 'word' })),
  );
});
