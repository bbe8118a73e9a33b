import { expect, test } from 'vitest';
import { shareEqual } from '../../src/domain/share-equal.ts';

test('what is equal stays the same object, at every depth', () => {
  const before = {
    list: [{ id: 1 }, { id: 2 }],
    byName: new Map([
      ['a', { id: 1 }],
      ['b', { id: 2 }],
    ]),
    ids: new Set([1, 2]),
    none: undefined,
  };
  const make = (id: number) => ({
    list: [{ id: 1 }, { id }],
    byName: new Map([
      ['a', { id: 1 }],
      ['b', { id }],
    ]),
    ids: new Set([1, 2]),
    none: undefined,
  });

  expect(shareEqual(before, make(2))).toBe(before);

  const after = shareEqual(before, make(3));
  expect(after).toEqual(make(3));
  expect(after.list[0]).toBe(before.list[0]);
  expect(after.byName.get('a')).toBe(before.byName.get('a'));
  expect(after.ids).toBe(before.ids);
});

test('an object that changed stays one in two places', () => {
  const make = (count: number) => {
    const finding = { key: 'a', evidence: { count }, jump: { screen: 'client' } };
    return { problems: [finding], rows: new Map([['a', finding]]), kept: { evidence: finding.evidence } };
  };
  const before = make(1);
  const once = shareEqual(before, make(2));
  expect(once.kept.evidence).toBe(once.problems[0]?.evidence);
  expect(once.problems[0]?.jump).toBe(before.problems[0]?.jump);
  const next = make(3);
  const shown = shareEqual(once.problems, next.problems);
  const twice = shareEqual(once, { ...next, problems: shown, rows: new Map([['a', shown[0]]]) });
  expect(twice.rows.get('a')).toBe(twice.problems[0]);
});

test.each([
  ['a shorter list', [1, 2, 3], [1, 2]],
  ['a longer list', [1], [1, 2]],
  ['an empty list', [1], []],
  ['a property less', { a: 1, b: 2 }, { a: 1 }],
  ['a property more', { a: 1 }, { a: 1, b: undefined }],
  ['another property', { a: undefined }, { b: undefined }],
  ['a list in place of an object', { 0: 1 }, [1]],
  ['the name of a prototype', JSON.parse('{"__proto__":{"a":1},"b":1}'), JSON.parse('{"__proto__":{"a":1},"b":2}')],
])('%s is another value', (_, before: unknown, next: unknown) => {
  const shared = shareEqual(before, next);
  expect(shared).not.toBe(before);
  expect(shared).toStrictEqual(next);
});

test.each([
  [
    'an entry less',
    [
      ['a', 1],
      ['b', 2],
    ],
    [['a', 1]],
  ],
  [
    'an entry more',
    [['a', 1]],
    [
      ['a', 1],
      ['b', 2],
    ],
  ],
  [
    'another order',
    [
      ['a', 1],
      ['b', 2],
    ],
    [
      ['b', 2],
      ['a', 1],
    ],
  ],
  ['another key', [['a', undefined]], [['b', undefined]]],
] as const)('a map with %s is another value', (_, before, next) => {
  const [known, wanted] = [new Map<string, unknown>(before), new Map<string, unknown>(next)];
  const shared = shareEqual(known, wanted);
  expect(shared).not.toBe(known);
  expect([...shared]).toEqual([...wanted]);
});
