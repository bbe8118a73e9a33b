import { expect, test } from 'vitest';
import { isSameRow, textLengthOf } from '../../src/domain/row.ts';

const row = { id: 'a', count: 3, isOn: true, node: undefined, traffic: { in: 1, out: undefined }, unparsed: {} };

test('rows with equal properties are the same', () => {
  expect(isSameRow(row, structuredClone(row))).toBe(true);
});

test.each<[string, object]>([
  ['another text', { id: 'b' }],
  ['another number', { count: 4 }],
  ['another flag', { isOn: false }],
  ['a value where there was none', { node: 'n' }],
  ['no value where there was one', { count: undefined }],
  ['another value in an object', { traffic: { in: 2, out: undefined } }],
  ['an object where there was another', { traffic: { in: 1 } }],
  ['no object', { traffic: undefined }],
  ['a text that could not be decoded', { unparsed: { count: 'lots' } }],
  ['a new property', { mountpoint: 'a/' }],
])('a row with %s is another', (_, change) => {
  expect([isSameRow(row, { ...row, ...change }), isSameRow({ ...row, ...change }, row)]).toEqual([false, false]);
});

test('the length of a row is that of its texts, at every depth', () => {
  expect(textLengthOf({ id: 'abc', count: 5, unparsed: { port: '1883x', node: '' } })).toBe(8);
});
