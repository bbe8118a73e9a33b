import fc from 'fast-check';
import { expect, test } from 'vitest';
import { NestingGuard, nestsDeeper } from '../../../src/api/transport/nesting-guard.ts';

/** Depth by walking the parsed value: another way to the same number. */
function depthOf(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return 1 + Math.max(0, ...Object.values(value).map(depthOf));
}

const tricky = fc.string({ unit: fc.constantFrom('[', ']', '{', '}', '"', '\\', 'é', '😀', '\n', 'a'), maxLength: 12 });
const json = fc.letrec((tie) => ({
  value: fc.oneof(
    { maxDepth: 6 },
    tricky,
    fc.integer(),
    fc.array(tie('value'), { maxLength: 3 }),
    fc.dictionary(tricky, tie('value'), { maxKeys: 3 }),
  ),
})).value;

test('any JSON in pieces of any size: exactly its depth is allowed, and it ends closed', () => {
  fc.assert(
    fc.property(json, fc.integer({ min: 1, max: 7 }), (value, size) => {
      const bytes = Buffer.from(JSON.stringify(value));
      const depth = depthOf(value);
      const isAllowed = (maxDepth: number): boolean => {
        const guard = new NestingGuard(maxDepth);
        for (let start = 0; start < bytes.length; start += size)
          if (!guard.push(bytes.subarray(start, start + size))) return false;
        return !guard.isOpen;
      };
      expect([isAllowed(depth), depth > 0 && isAllowed(depth - 1)]).toEqual([true, false]);
    }),
    { numRuns: 2000 },
  );
});

test('a parsed text: exactly its depth is allowed', () => {
  fc.assert(
    fc.property(json, (value) => {
      const depth = depthOf(value);
      expect([nestsDeeper(value, depth), depth === 0 || nestsDeeper(value, depth - 1)]).toEqual([false, true]);
    }),
  );
});

test.each(['[', '{"a', '{"a\\"', '[[]', '"'])('%j is not finished', (text) => {
  const guard = new NestingGuard(9);
  expect(guard.push(Buffer.from(text))).toBe(true);
  expect(guard.isOpen).toBe(true);
});
