import { expect, test } from 'vitest';
import { shortNodeName } from '../../src/domain/node.ts';

test.each<readonly [readonly string[], readonly string[]]>([
  [['broker1@127.0.0.1', 'broker2@127.0.0.1'], ['broker1', 'broker2']],
  // The usual names of EMQ differ in the host.
  [['emq@10.0.0.1', 'emq@10.0.0.2'], ['10.0.0.1', '10.0.0.2']],
  [['a@x', 'a@y', 'b@y'], ['x', 'a@y', 'b']],
  [['a@x', 'a@y', 'b@x', 'b@y'], ['a@x', 'a@y', 'b@x', 'b@y']],
  [['one', 'two'], ['one', 'two']],
  [['@x', '@y', 'a@'], ['x', 'y', 'a']],
  // The host of one is the name of another.
  [['b@a', 'b@c', 'a@y'], ['b@a', 'c', 'y']],
])('shortens %j to %j', (nodes, short) => {
  expect(nodes.map((node) => shortNodeName(node, nodes))).toEqual(short);
});

test('keeps the name of a node that is not listed, which may be another one of that name', () => {
  expect(shortNodeName('broker1@10.0.0.9', ['broker1@10.0.0.1', 'broker2@10.0.0.1'])).toBe('broker1@10.0.0.9');
  expect(shortNodeName('broker1@10.0.0.9', [])).toBe('broker1@10.0.0.9');
});
