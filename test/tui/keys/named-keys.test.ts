import { globSync, readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { formatKey } from '../../../src/tui/keys/keymap.ts';
import { allBindings } from '../../../src/screens/keys.ts';

const known = new Set(allBindings.flatMap(({ keys }) => keys.flatMap((key) => [key, formatKey(key)])));

/** How sentences name keys: `press T`, `(L: log)`, "`Enter` opens", `Esc closes`. */
const patterns = [
  /\b[Pp]ress (?:\\?`)?(?<key>[^\s`$.)]+)/gu,
  /\((?<key>[^\s(]{1,3}): log\)/gu,
  /(?<!\w)\\?`(?<key>Enter|Esc|Ctrl-\w|\S)\\?`(?= [a-z]|[).,;])/gu,
  /\b(?<key>Ctrl-[A-Z]|Esc|Enter|Tab|PgUp|PgDn)\b/gu,
];

describe('a key that a sentence names exists, so the help has it', () => {
  test.each(globSync('src/{monitor,actions,tui,screens,resources}/**/{texts,*-texts}.ts'))('in %s', (file) => {
    // Without comments, imports and identifiers.
    const text = readFileSync(file, 'utf8').replaceAll(/\/\*\*.*?\*\/|^\s*\/\/.*$/gmsu, '');
    const named = patterns.flatMap((pattern) => [...text.matchAll(pattern)].map(({ groups }) => groups?.['key'] ?? ''));
    expect(named.filter((key) => !known.has(key) && !/^[$‹{]/u.test(key))).toEqual([]);
  });

  test('and the patterns find keys', () => {
    const all = globSync('src/{tui,screens,resources}/**/{texts,*-texts}.ts')
      .map((file) => readFileSync(file, 'utf8'))
      .join('\n');
    for (const pattern of patterns.slice(0, 3)) expect([...all.matchAll(pattern)].length).toBeGreaterThan(0);
  });
});
