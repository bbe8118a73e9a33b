import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { isObject } from '../../src/api/json.ts';

const folder = join(import.meta.dirname, '../../src/resources');

test('no two parts of the state have one name, because they would overwrite each other', async () => {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.ts'));
  const parts = new Set<unknown>();
  for (const file of files)
    for (const value of Object.values((await import(join(folder, file))) as object))
      if (isObject(value) && typeof value['name'] === 'string' && typeof value['textOf'] === 'function')
        parts.add(value);
  const names = [...parts].map((part) => isObject(part) && part['name']);
  expect(names.length).toBeGreaterThan(20);
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});
