import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { allNouns } from '../../src/resources/nouns.ts';

/** Nouns whose words mean something else in any terminal UI, too. */
const ambiguous: ReadonlySet<string> = new Set(['nodes', 'listeners', 'users', 'settings', 'statistics']);

test('the library names no noun', () => {
  const words = allNouns
    .flatMap(([id]) => (ambiguous.has(id) ? [] : [id.replaceAll('-', '[- ]').replace(/s$/u, 's?')]))
    .join('|');
  const named = new RegExp(String.raw`\b(?:${words})\b`, 'giu');
  const root = path.join(import.meta.dirname, '..', '..', 'src', 'tui');
  const found = globSync('**/*.{ts,tsx}', { cwd: root }).flatMap((file) =>
    [...readFileSync(path.join(root, file), 'utf8').matchAll(named)].map(([word]) => `${file}: ${word}`),
  );
  expect(found).toEqual([]);
});
