import { describe, expect, test } from 'vitest';
import type { Client } from '../../src/domain/client.ts';
import { clientGroupings } from '../../src/resources/clients/fields.ts';
import { subscriptionGroupings } from '../../src/resources/subscriptions/fields.ts';
import { groupRows, networkOf, prefixOf, topicPrefixOf } from '../../src/table/grouping.ts';
import { client } from '../monitor/fake-api.ts';

const groupsBy = (rows: readonly Client[], id: string): ReturnType<typeof groupRows> => {
  const grouping = clientGroupings.find((each) => each.id === id);
  if (grouping === undefined) throw new Error(`no grouping ${id}`);
  return groupRows(rows, grouping);
};

test('counts and shares add up to all rows, unknown values included', () => {
  const rows = [
    client('a', 'n1'),
    { ...client('b', 'n1'), username: 'u' },
    { ...client('c', 'n2'), username: 'U' },
    { ...client('d', 'n2'), username: 'u' },
  ];
  expect(groupsBy(rows, 'username')).toEqual([
    { value: undefined, count: 1, share: 0.25 },
    { value: 'u', count: 2, share: 0.5 },
    { value: 'U', count: 1, share: 0.25 },
  ]);
  expect(groupsBy(rows, 'node').map(({ value, count }) => [value, count])).toEqual([
    ['n1', 2],
    ['n2', 2],
  ]);
  expect(groupsBy(rows, 'proto')).toEqual([{ value: '4', count: 4, share: 1 }]);
  expect(groupsBy([], 'node')).toEqual([]);
});

test('names of object properties are values like others', () => {
  const rows = ['__proto__', 'constructor', '__proto__'].map((username) => ({ ...client('a', 'n'), username }));
  expect(groupsBy(rows, 'username').map(({ value, count }) => [value, count])).toEqual([
    ['__proto__', 2],
    ['constructor', 1],
  ]);
});

test.each([
  ['10.2.4.17', '10.2.4.0/24'],
  ['::ffff:10.2.4.17', '10.2.4.0/24'],
  ['2001:DB8:0:00a1::1', '2001:db8:0:a1::/64'],
  ['::1', '0:0:0:0::/64'],
  ['fe80::', 'fe80:0:0:0::/64'],
  ['1:2:3:4:5:6:7:8', '1:2:3:4::/64'],
  ['1:2:3', '1:2:3'],
  ['a::b::c', 'a::b::c'],
  ['::xyz', '::xyz'],
  ['not an address', 'not an address'],
  ['', ''],
])('network of %j', (address, network) => {
  expect(networkOf(address)).toBe(network);
});

test.each([
  ['sensor-0017', 'sensor-'],
  ['plant-a-sensor-1', 'plant-a-sensor-'],
  ['backend-main', 'backend-'],
  ['backend', 'backend'],
  ['0017-a', '0017-'],
  ['0017', '0017'],
  ['', ''],
  ['a\n1', 'a\n'],
  ['-', '-'],
])('prefix of %j', (id, prefix) => {
  expect(prefixOf(id)).toBe(prefix);
});

test.each([
  ['a/b/c', 'a'],
  ['a', 'a'],
  ['a/', 'a'],
  ['/a/b', '/a'],
  ['/', '/'],
  ['#', '#'],
  ['+/b', '+'],
  ['$SYS/x', '$SYS'],
  ['$share/g/a/b', '$share/g/a'],
  ['$share/g//a/b', '$share/g//a'],
  ['$queue/a/b', '$queue/a'],
  ['$share/g', '$share'],
  ['', ''],
])('topic prefix of %j', (topic, prefix) => {
  expect(topicPrefixOf(topic)).toBe(prefix);
});

describe('subscriptions', () => {
  const rows = [
    { clientId: 'c', topic: 'a/b', qos: 1, node: 'n' },
    { clientId: 'c', topic: 'a/#', qos: undefined, node: undefined },
    { clientId: 'd', topic: 'b', qos: 1, node: 'n' },
  ];
  test.each([
    [
      'filter',
      [
        ['a/b', 1],
        ['a/#', 1],
        ['b', 1],
      ],
    ],
    [
      'topic',
      [
        ['a', 2],
        ['b', 1],
      ],
    ],
    [
      'client',
      [
        ['c', 2],
        ['d', 1],
      ],
    ],
    [
      'qos',
      [
        ['1', 2],
        [undefined, 1],
      ],
    ],
    [
      'node',
      [
        ['n', 2],
        [undefined, 1],
      ],
    ],
  ])('by %s', (id, expected) => {
    const grouping = subscriptionGroupings.find((each) => each.id === id);
    expect(grouping && groupRows(rows, grouping).map(({ value, count }) => [value, count])).toEqual(expected);
  });
});

test('groups 100,000 rows', () => {
  const rows = Array.from({ length: 100_000 }, (_, index) => ({
    ...client(`sensor-${index}`, `n${index % 3}`),
    ipAddress: `10.0.${index % 200}.${index % 250}`,
  }));
  expect(groupsBy(rows, 'prefix')).toEqual([{ value: 'sensor-', count: 100_000, share: 1 }]);
  const networks = groupsBy(rows, 'network');
  expect(networks).toHaveLength(200);
  expect(networks.reduce((sum, { count }) => sum + count, 0)).toBe(100_000);
});
