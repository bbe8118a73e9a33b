import { expect, test } from 'vitest';
import { quoteIfNeeded } from '../../src/actions/describe.ts';

test('a name is marked where it could be taken for something else', () => {
  const plain = ['sensor-000017', 'a/b/#', '$SYS/+', 'broker1@127.0.0.1', 'ü', '\u{1F600}', 'a.b'];
  expect(plain.map(quoteIfNeeded)).toEqual(plain);
  expect(['', ' ', 'x y', '..', 'a.', 'a,b', 'x ', 'a"b', 'to'].map(quoteIfNeeded)).toEqual(['""', '" "', '"x y"', '".."', '"a."', '"a,b"', '"x "', String.raw`"a\"b"`, 'to']);
});
