import fc from 'fast-check';
import { expect, test } from 'vitest';
import { hostPort, withThousands } from '../../src/domain/text.ts';

test('groups digits as Intl does for English', () => {
  const whole = fc.oneof(fc.integer({ min: -10_000, max: 10_000 }), fc.maxSafeInteger());
  fc.assert(
    fc.property(whole, (value) => {
      expect(withThousands(value)).toBe(value.toLocaleString('en'));
    }),
  );
  expect(withThousands(1_234_567)).toBe('1,234,567');
});

test('rounds fractions, and names what is not finite', () => {
  expect([1234.5, -0.4, Number.POSITIVE_INFINITY, Number.NaN].map(withThousands)).toEqual([
    '1,235',
    '0',
    'Infinity',
    'NaN',
  ]);
});

test.each([
  ['10.2.4.17', 51_220, '10.2.4.17:51220'],
  ['localhost', 0, 'localhost:0'],
  ['::1', 1883, '[::1]:1883'],
  ['fe80::1', undefined, '[fe80::1]'],
  ['10.2.4.17', undefined, '10.2.4.17'],
])('%s and port %s are written as %s', (host, port, text) => {
  expect(hostPort(host, port)).toBe(text);
});
