import fc from 'fast-check';
import { expect, test } from 'vitest';
import { withThousands } from '../../src/domain/text.ts';

test('numbers are grouped as the English of Intl groups them', () => {
  const whole = fc.oneof(fc.integer({ min: -10_000, max: 10_000 }), fc.maxSafeInteger());
  fc.assert(fc.property(whole, (value) => { expect(withThousands(value)).toBe(value.toLocaleString('en')); }));
  expect(withThousands(1_234_567)).toBe('1,234,567');
});

test('a fraction is rounded, and what is no number is named', () => {
  expect([1234.5, -0.4, Number.POSITIVE_INFINITY, Number.NaN].map(withThousands)).toEqual(['1,235', '0', 'Infinity', 'NaN']);
});
