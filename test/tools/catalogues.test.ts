import { globSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';

test('no two catalogues of texts export the same name', () => {
  const files = globSync('src/**/{texts,*-texts}.{ts,tsx}');
  const names = files.flatMap((file) =>
    [...readFileSync(file, 'utf8').matchAll(/^export const (?<name>\w+)/gmu)].map(
      ({ groups }) => groups?.['name'] ?? '',
    ),
  );
  expect(files.length).toBeGreaterThan(8);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
