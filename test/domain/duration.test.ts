import { expect, test } from 'vitest';
import { parseDuration } from '../../src/domain/text.ts';

test.each<[string, number | undefined]>([
  ['90s', 90],
  ['30m', 1_800],
  ['1h', 3_600],
  ['7d', 604_800],
  ['2w', 1_209_600],
  ['1d12h', 129_600],
  [' 1D 12H ', 129_600],
  ['', undefined],
  ['1', undefined],
  ['h', undefined],
  ['0s', undefined],
  ['-1h', undefined],
  ['1.5h', undefined],
  ['never', undefined],
  ['99999999d', undefined],
])('%j is %o seconds', (typed, seconds) => {
  expect(parseDuration(typed)).toBe(seconds);
});
