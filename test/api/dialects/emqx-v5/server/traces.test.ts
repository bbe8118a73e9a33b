import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { isObject } from '../../../../../src/api/json.ts';
import { startV5World, type V5World } from './world.ts';

let world: V5World;
beforeEach(async () => {
  world = await startV5World();
});
afterEach(() => world.close());

const logOf = async (name: string, from = 0): Promise<string> => {
  const node = world.broker.cluster.nodes[0]?.name ?? '';
  const { json } = await world.send('GET', `/trace/${name}/log?node=${node}&bytes=10000&position=${from}`);
  return isObject(json) ? String(json['items']) : '';
};

test('a trace has what the broker does for its client, and for no other', async () => {
  const started = await world.send('POST', '/trace', { name: 't1', type: 'clientid', clientid: 'door-7' });
  expect(started).toMatchObject({
    status: 200,
    json: { name: 't1', type: 'clientid', clientid: 'door-7', status: 'running', formatter: 'text' },
  });
  const client = await world.connect('door-7');
  const other = await world.connect('door-8');
  await client.subscribeAsync('doors/+');
  await client.publishAsync('doors/7', 'open', { qos: 1 });
  await other.publishAsync('doors/8', 'open', { qos: 1 });
  await client.endAsync();
  await vi.waitFor(async () => {
    expect(await logOf('t1')).toContain('disconnected, reason: client-disconnect');
  });
  const lines = (await logOf('t1')).trim().split('\n');
  expect(lines.map((line) => line.replace(/^\S+ \[(\w+)\] "door-7"@127\.0\.0\.1:\d+ msg: /u, '$1 '))).toEqual([
    'info connected, clean session: true',
    'debug subscribed, topic: "doors/+", qos: 0',
    'debug published, topic: "doors/7", qos: 1, payload: 4 bytes',
    'info disconnected, reason: client-disconnect',
  ]);
});

test('a trace says why a client is refused', async () => {
  await world.broker.api.addBan?.({ kind: 'username', value: 'eve' });
  await world.send('POST', '/trace', { name: 't2', type: 'ip_address', ip_address: '127.0.0.1' });
  await expect(world.connect('door-9', { username: 'eve' })).rejects.toThrow('Not authorized');
  await vi.waitFor(async () => {
    expect(await logOf('t2')).toMatch(
      /\[warning\] "door-9"@127\.0\.0\.1:\d+ msg: connection refused, reason: refused, CONNACK: 5/u,
    );
  });
});

test('a trace stops, and is deleted with its log', async () => {
  await world.send('POST', '/trace', { name: 't3', type: 'topic', topic: 'a/#' });
  expect(await world.send('POST', '/trace', { name: 't3', type: 'topic', topic: 'b' })).toMatchObject({
    status: 409,
    json: { code: 'ALREADY_EXISTS' },
  });
  expect(await world.send('PUT', '/trace/t3/stop')).toMatchObject({ status: 200, json: { enable: false, name: 't3' } });
  const client = await world.connect('x');
  await client.publishAsync('a/1', '1', { qos: 1 });
  expect(await logOf('t3')).toBe('');
  expect(await world.send('GET', '/trace')).toMatchObject({ json: [{ name: 't3', status: 'stopped' }] });
  expect((await world.send('DELETE', '/trace/t3')).status).toBe(204);
  expect(await world.send('GET', '/trace/t3/log')).toMatchObject({ status: 404, json: { code: 'NOT_FOUND' } });
});

test.each([
  [{ name: 't4', type: 'clientid' }, 'required clientid field'],
  [{ name: '4', type: 'clientid', clientid: 'x' }, 'invalid name format 4'],
  [{ name: 't4', type: 'clientid', clientid: 'x', end_at: '2020-01-01T00:00:00Z' }, 'end_at time has already passed'],
])('%j is refused', async (body, message) => {
  expect(await world.send('POST', '/trace', body)).toMatchObject({
    status: 400,
    json: { code: 'INVALID_PARAMS', message },
  });
});
