import { readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { endpoints } from '../../../../src/api/dialects/emqx-v4/paths.ts';

test('the README names every endpoint, and no other', () => {
  const readme = readFileSync(new URL('../../../../src/api/dialects/emqx-v4/README.md', import.meta.url), 'utf8');
  const table = /## Endpoints\n(.*?)\n## /su.exec(readme)?.[1] ?? '';
  const named = [...table.matchAll(/`((?:GET|POST|PUT|DELETE) [^`]+)`/gu)].map(([, line = '']) => line);
  expect(named.toSorted()).toEqual(
    Object.values(endpoints)
      .map(({ method, pattern }) => `${method} ${pattern}`)
      .toSorted(),
  );
});
