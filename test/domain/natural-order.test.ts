import fc from 'fast-check';
import { expect, test } from 'vitest';
import { compareNatural } from '../../src/domain/natural-order.ts';

test('compareNatural is transitive and antisymmetric', () => {
  const text = fc.oneof(fc.stringMatching(/^[aAb0-2]{0,6}$/), fc.string());
  fc.assert(
    fc.property(text, text, text, (a, b, c) => {
      expect(Math.sign(compareNatural(a, b))).toBe(-Math.sign(compareNatural(b, a)) + 0);
      const breaks = compareNatural(a, b) <= 0 && compareNatural(b, c) <= 0 && compareNatural(a, c) > 0;
      expect(breaks).toBe(false);
    }),
    { numRuns: 2_000 },
  );
});
