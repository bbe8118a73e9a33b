import { expect, test } from 'vitest';
import { shortNodeName } from '../../src/domain/node.ts';

test.each<readonly [readonly string[], readonly string[]]>([
  [
    ['broker1@127.0.0.1', 'broker2@127.0.0.1'],
    ['broker1', 'broker2'],
  ],
  // The usual names of EMQ differ in the host.
  [
    ['emq@10.0.0.1', 'emq@10.0.0.2'],
    ['10.0.0.1', '10.0.0.2'],
  ],
  [
    ['a@x', 'a@y', 'b@y'],
    ['x', 'a@y', 'b'],
  ],
  [
    ['a@x', 'a@y', 'b@x', 'b@y'],
    ['a@x', 'a@y', 'b@x', 'b@y'],
  ],
  [
    ['one', 'two'],
    ['one', 'two'],
  ],
  [
    ['@x', '@y', 'a@'],
    ['x', 'y', 'a'],
  ],
  // The host of one is the name of another.
  [
    ['b@a', 'b@c', 'a@y'],
    ['b@a', 'c', 'y'],
  ],
  // The names that the Kubernetes operator gives: they differ at the end of the host's first word.
  [
    [0, 1, 2].map((pod) => `emqx@emqx-core-557c8b7684-${pod}.emqx-headless.default.svc.cluster.local`),
    ['557c8b7684-0', '557c8b7684-1', '557c8b7684-2'],
  ],
  [
    [
      'emqx@emqx-core-557c8b7684-0.emqx-headless.default.svc.cluster.local',
      'emqx@emqx-replicant-6c9f-x2x4z.emqx-headless.default.svc.cluster.local',
    ],
    ['core-557c8b7684-0', 'replicant-6c9f-x2x4z'],
  ],
  [
    ['emqx@emqx-0.emqx.svc', 'emqx@emqx-1.emqx.svc', 'emqx@emqx-10.emqx.svc'],
    ['emqx-0', 'emqx-1', 'emqx-10'],
  ],
  [
    ['emqx@ip-10-0-1-11.eu-west-1.compute.internal', 'emqx@ip-10-0-1-12.eu-west-1.compute.internal'],
    ['ip-10-0-1-11', 'ip-10-0-1-12'],
  ],
  [
    ['mqtt@eu-1.example.com', 'mqtt@us-1.example.com'],
    ['eu', 'us'],
  ],
  [
    ['a@h.x', 'a@h_x'],
    ['h.x', 'h_x'],
  ],
  [
    ['a@h', 'a@h-1'],
    ['h', 'h-1'],
  ],
  // Once the rest is gone, letters of another alphabet could look like the others.
  [
    ['n@core-com.svc', 'n@core-\u0441\u043E\u043C.svc'],
    ['core-com.svc', 'core-\u0441\u043E\u043C.svc'],
  ],
])('shortens %j to %j', (nodes, short) => {
  expect(nodes.map((node) => shortNodeName(node, nodes))).toEqual(short);
});

test('keeps the name of a node that is not listed, which may be another one of that name', () => {
  expect(shortNodeName('broker1@10.0.0.9', ['broker1@10.0.0.1', 'broker2@10.0.0.1'])).toBe('broker1@10.0.0.9');
  expect(shortNodeName('broker1@10.0.0.9', [])).toBe('broker1@10.0.0.9');
});
