import { afterEach, describe, expect, it } from 'vitest';
import { isObject } from '../../../../../src/api/json.ts';
import { createManualClock } from '../../../../support/manual-clock.ts';
import { type Reply, startV5World, type V5World } from './world.ts';

let world: V5World;
afterEach(() => world.close());

const clock = createManualClock();
const start = async (profile: 'emqx-5.0' | 'emqx-5.8'): Promise<void> => {
  world = await startV5World({ profile, clock });
};
const rowsOf = ({ json }: Reply): readonly Readonly<Record<string, unknown>>[] =>
  (isObject(json) ? json['data'] : json) as readonly Readonly<Record<string, unknown>>[];
const read = async (path: string): Promise<Readonly<Record<string, unknown>>> =>
  (await world.send('GET', path)).json as Readonly<Record<string, unknown>>;
const releases = ['emqx-5.0', 'emqx-5.8'] as const;

describe('emqx-5.0', () => {
  it('ignores queries that are younger, and answers the first rows', async () => {
    await start('emqx-5.0');
    for (const id of ['a', 'b', 'c']) await world.connect(id);
    expect(
      rowsOf(await world.send('GET', '/clients?clientid=c&fields=clientid')).map(({ clientid }) => clientid),
    ).toEqual(['a', 'b', 'c']);
    expect(rowsOf(await world.send('GET', '/clients?limit=1&fields=clientid'))[0]).toHaveProperty('recv_msg');
    expect(rowsOf(await world.send('GET', '/clients?like_clientid=c'))).toHaveLength(1);
    await world.send('POST', '/publish', { topic: 'kept/1', payload: 'x', retain: true });
    expect(rowsOf(await world.send('GET', '/mqtt/retainer/messages?topic=other'))).toHaveLength(1);
  });

  it('gives at most 1,000 rows', async () => {
    await start('emqx-5.0');
    expect((await world.send('GET', '/clients?limit=1000')).status).toBe(200);
    expect((await world.send('GET', '/clients?limit=1001')).status).toBe(400);
  });

  it('lacks younger endpoints, with JSON for an unknown path', async () => {
    await start('emqx-5.0');
    await world.connect('a');
    for (const [method, path] of [
      ['POST', '/clients/kickout/bulk'],
      ['GET', '/clients_v2'],
      ['GET', '/clients/a/mqueue_messages'],
      ['GET', '/clients/a/inflight_messages'],
    ] as const) {
      expect(await world.send(method, path, method === 'POST' ? ['a'] : undefined)).toMatchObject({
        status: 404,
        json: { code: 'API_NOT_EXIST' },
      });
    }
  });

  it('counts sessions only, and says its release', async () => {
    await start('emqx-5.0');
    await world.connect('a');
    const [node] = rowsOf(await world.send('GET', '/nodes'));
    expect(node).toMatchObject({ version: '5.0.26', connections: 1 });
    expect(node).not.toHaveProperty('live_connections');
    expect(node).not.toHaveProperty('cluster_sessions');
    const stats = await read('/nodes/broker1@127.0.0.1/stats');
    expect(stats).toMatchObject({ 'live_connections.count': 1, 'connections.count': 1 });
    expect(stats).not.toHaveProperty(['cluster_sessions.count']);
    expect(Object.keys(await read('/monitor_current')).toSorted()).toEqual([
      'connections',
      'dropped_msg_rate',
      'received_msg_rate',
      'sent_msg_rate',
      'subscriptions',
      'topics',
    ]);
    expect(await read('/clients/a')).toMatchObject({ zone: 'default' });
    expect(await read('/clients/a')).not.toHaveProperty('durable');
  });

  it('refuses users to an API key as it refuses a wrong key', async () => {
    await start('emqx-5.0');
    expect(await world.send('GET', '/users')).toMatchObject({ status: 401, json: { code: 'BAD_API_KEY_OR_SECRET' } });
  });

  it('bans for a year', async () => {
    await start('emqx-5.0');
    const { json } = await world.send('POST', '/banned', { as: 'username', who: 'ann' });
    const { at, until } = json as { readonly at: string; readonly until: string };
    expect((Date.parse(until) - Date.parse(at)) / 86_400_000).toBeCloseTo(365, 0);
  });
});

it('emqx-5.8 says its release, in nodes, status and login', async () => {
  await start('emqx-5.8');
  expect(rowsOf(await world.send('GET', '/nodes'))[0]).toMatchObject({ version: '5.8.9', live_connections: 0 });
  expect(await read('/status?format=json')).toMatchObject({ rel_vsn: 'v5.8.9' });
});

it('emqx-5.8 cuts a page of messages at its bytes, and goes on after those it walked', async () => {
  await start('emqx-5.8');
  const client = await world.connect('away', { clean: false });
  await client.subscribeAsync('t', { qos: 1 });
  await client.endAsync();
  for (let number = 1; number <= 9; number += 1)
    await world.send('POST', '/publish', { topic: 't', qos: 1, payload: String(number).repeat(100) });
  const readPages = async (query: string): Promise<readonly string[]> => {
    const pages: string[] = [];
    for (let position = 'none'; ;) {
      const { data, meta } = (await read(`/clients/away/mqueue_messages?limit=3&${query}&position=${position}`)) as {
        readonly data: readonly { readonly payload?: string }[];
        readonly meta: { readonly position: string };
      };
      if (data.length === 0) return pages;
      pages.push(data.map(({ payload }) => payload?.slice(0, 1) ?? '-').join(' '));
      position = meta.position;
    }
  };
  // As a real 5.8.9 did: whole payloads, as they are encoded, up to the bytes, and at least one.
  expect(await readPages('payload=plain&max_payload_bytes=199')).toEqual(['1', '4', '7']);
  expect(await readPages('payload=plain&max_payload_bytes=200')).toEqual(['1 2', '4 5', '7 8']);
  expect((await readPages('payload=base64&max_payload_bytes=271')).map((page) => page.length)).toEqual([1, 1, 1]);
  expect((await readPages('payload=base64&max_payload_bytes=272')).map((page) => page.length)).toEqual([3, 3, 3]);
  expect(await readPages('payload=none&max_payload_bytes=1')).toEqual(['- - -', '- - -', '- - -']);
});

it.each(releases)('%s moves the figures of a client every 15 s', async (profile) => {
  await start(profile);
  const client = await world.connect('sensor');
  await client.subscribeAsync('t', { qos: 0 });
  const seen: unknown[] = [];
  for (let second = 0; second < 45; second += 1) {
    await client.publishAsync('t', 'x', { qos: 1 });
    clock.advanceSecond();
    seen.push((await read('/clients/sensor'))['recv_msg']);
  }
  const moves = seen.flatMap((value, second) => (second > 0 && value !== seen[second - 1] ? [second] : []));
  expect(moves).toEqual([14, 29, 44]);
  expect(new Set(seen)).toEqual(new Set([0, 15, 30, 45]));
});

it.each(releases)('%s ends a client and its session by a ban of its ID, not of its name', async (profile) => {
  await start(profile);
  const client = await world.connect('sensor', { clean: false, username: 'ann' });
  const closed = new Promise<void>((resolve) => {
    client.once('close', () => resolve());
  });
  await world.send('POST', '/banned', { as: 'username', who: 'ann' });
  expect((await world.send('GET', '/clients/sensor')).status).toBe(200);
  await world.send('POST', '/banned', { as: 'clientid', who: 'sensor' });
  await closed;
  expect((await world.send('GET', '/clients/sensor')).status).toBe(404);
});

it('without a profile a ban leaves the client connected', async () => {
  world = await startV5World();
  await world.connect('sensor');
  await world.send('POST', '/banned', { as: 'clientid', who: 'sensor' });
  expect((await world.send('GET', '/clients/sensor')).status).toBe(200);
});

it.each(releases)('%s says that a listener runs on one node only', async (profile) => {
  await start(profile);
  await world.broker.cluster.nodes[1]?.stopListener('mqtt:ws');
  const ws = rowsOf(await world.send('GET', '/listeners')).find(({ id }) => id === 'ws:default');
  expect(ws).toMatchObject({
    enable: true,
    status: { running: 'inconsistent' },
    node_status: [
      { node: 'broker1@127.0.0.1', status: { running: true } },
      { node: 'broker2@127.0.0.1', status: { running: false } },
    ],
  });
});

it.each(releases)('%s has no alarm about a full queue', async (profile) => {
  await start(profile);
  for (const node of world.broker.cluster.nodes) node.settings.maxQueueLength = 2;
  const client = await world.connect('away', { clean: false });
  await client.subscribeAsync('t', { qos: 1 });
  await client.endAsync();
  for (let number = 0; number < 5; number += 1)
    await world.send('POST', '/publish', { topic: 't', qos: 1, payload: 'x' });
  expect(world.broker.cluster.session('away')?.outbox.dropped).toBe(3);
  expect(rowsOf(await world.send('GET', '/alarms'))).toEqual([]);
});

it('each node serves the API for itself, until it stops', async () => {
  await start('emqx-5.8');
  const [first, second] = world.broker.servers.map(({ url }) => url);
  expect(await (await fetch(`${first}/status`)).text()).toContain('broker1@');
  expect(await (await fetch(`${second}/status`)).text()).toContain('broker2@');
  await world.broker.cluster.stopNode('broker2@127.0.0.1');
  await expect(fetch(`${second}/status`)).rejects.toThrow('fetch failed');
  expect(rowsOf(await world.send('GET', '/nodes')).map(({ node_status }) => node_status)).toEqual([
    'running',
    'stopped',
  ]);
});

it('answers 503 now and then', async () => {
  await start('emqx-5.8');
  world.broker.faults.busyEvery = 3;
  const statuses: number[] = [];
  for (let count = 0; count < 6; count += 1) statuses.push((await world.send('GET', '/cluster')).status);
  expect(statuses).toEqual([200, 200, 503, 200, 200, 503]);
});

describe('while a node is frozen', () => {
  const frozen = 'broker2@127.0.0.1';
  /** Resolves with the seconds that it waited, and the answer; `undefined` when the connection was cut. */
  const ask = async (path: string): Promise<{ readonly seconds: number; readonly reply: Reply | undefined }> => {
    clock.slept.length = 0;
    const reply = await world.send('GET', path).catch(() => undefined);
    return { seconds: clock.slept.reduce((sum, ms) => sum + ms, 0) / 1000, reply };
  };

  it.each([
    ['emqx-5.0', '/metrics', 42, 200],
    ['emqx-5.8', '/metrics', 9, 200],
    ['emqx-5.8', '/metrics?aggregate=true', 5, 500],
    ['emqx-5.8', '/monitor_current', 5, 500],
    ['emqx-5.8', '/plugins', 15, 500],
    ['emqx-5.8', '/nodes', 30, 200],
    ['emqx-5.8', `/nodes/${frozen}`, 30, 500],
    ['emqx-5.8', '/clients', 50, 500],
    ['emqx-5.8', `/clients?node=${frozen}`, 50, 500],
    ['emqx-5.8', '/clients?node=broker1@127.0.0.1', 0, 200],
    ['emqx-5.8', '/alarms', 50, 500],
    ['emqx-5.8', '/stats', 60, undefined],
    ['emqx-5.8', '/listeners', 60, undefined],
    ['emqx-5.8', '/slow_subscriptions', 60, undefined],
    ['emqx-5.8', '/clients/there', 60, undefined],
    ['emqx-5.8', '/clients/here', 0, 200],
    ['emqx-5.8', '/clients/nobody', 0, 404],
    ['emqx-5.8', '/cluster', 0, 200],
    ['emqx-5.8', '/topics', 0, 200],
    ['emqx-5.8', '/banned', 0, 200],
    ['emqx-5.8', '/nodes/broker1@127.0.0.1/stats', 0, 200],
  ] as const)('%s answers %s after %d s with %s', async (profile, path, seconds, status) => {
    await start(profile);
    await world.connect('here');
    await world.connect('there', {}, 1);
    world.broker.faults.frozen = frozen;
    clock.isSleepless = true;
    const { seconds: waited, reply } = await ask(path);
    expect([waited, reply?.status]).toEqual([seconds, status]);
  });

  it.each(['/nodes', '/metrics'])('its row is missing from %s', async (path) => {
    await start('emqx-5.8');
    world.broker.faults.frozen = frozen;
    clock.isSleepless = true;
    expect(rowsOf(await world.send('GET', path)).map(({ node }) => node)).toEqual(['broker1@127.0.0.1']);
  });
});

it.each(releases)('%s tells deliveries apart by QoS', async (profile) => {
  await start(profile);
  const client = await world.connect('sensor');
  await client.subscribeAsync('t', { qos: 2 });
  for (const qos of [0, 0, 0, 1, 1, 2] as const) await client.publishAsync('t', 'x', { qos });
  for (let second = 0; second < 15; second += 1) clock.advanceSecond();
  expect(await read('/clients/sensor')).toMatchObject({
    send_msg: 6,
    'send_msg.qos0': 3,
    'send_msg.qos1': 2,
    'send_msg.qos2': 1,
  });
});
