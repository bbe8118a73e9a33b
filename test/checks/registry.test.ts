import { expect, test } from 'vitest';
import { checks } from '../../src/checks/registry.ts';
import { indexChecks } from '../../src/checks/words.ts';
import { versions } from '../../src/checks/versions/check.ts';
import type { Check } from '../../src/triage/check.ts';

test('two checks with one id, problem code or reason code end the program at its start', () => {
  const own: Check = { ...versions, id: 'own', problems: {}, unchecked: {} };
  expect(indexChecks([...checks, own]).byId.get('own')).toBe(own);
  expect(() => indexChecks([...checks, { ...own, id: 'versions' }])).toThrow('two checks have the id versions');
  const { title, next, jump } = versions.problems['mixed-versions'];
  expect(() => indexChecks([...checks, { ...own, problems: { 'mixed-versions': { title, next, jump } } }])).toThrow(
    'two checks have the problem code mixed-versions',
  );
  expect(() => indexChecks([...checks, { ...own, unchecked: { 'version-unknown': { text: () => [] } } }])).toThrow(
    'two checks have the reason code version-unknown',
  );
});
