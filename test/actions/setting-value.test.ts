import { expect, test } from 'vitest';
import { settingTypeOf } from '../../src/actions/settings.ts';

test('a long row of digits from a broker is compared at once', () => {
  const digits = '1'.repeat(50_000);
  const duration = settingTypeOf('duration', ['20000']);
  expect(duration.isSame(`${digits}!`, '20000')).toBe(false);
  expect(duration.isSame('20s', '20000')).toBe(true);
  expect(duration.isSame('1h30m', '5400000')).toBe(true);
  expect(duration.isSame('20q', '20')).toBe(false);
});
