import { expect, test } from 'vitest';
import { named } from '../../src/actions/describe.ts';

test('a name is marked where it could be taken for something else', () => {
  const plain = ['sensor-000017', 'a/b/#', '$SYS/+', 'broker1@127.0.0.1', 'ü', '\u{1F600}', 'a.b'];
  expect(plain.map(named)).toEqual(plain);
  expect(['', ' ', 'x y', '..', 'a.', 'a,b', 'x ', 'a"b', 'to'].map(named)).toEqual(['""', '" "', '"x y"', '".."', '"a."', '"a,b"', '"x "', String.raw`"a\"b"`, 'to']);
});
