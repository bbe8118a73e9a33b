import mqtt, { type IClientOptions, type MqttClient } from 'mqtt';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { emqV2Server } from '../../../../../src/api/dialects/emq-v2/server/server.ts';
import { isObject } from '../../../../../src/api/json.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../../../../src/broker/embedded-broker.ts';
import { createManualClock, type ManualClock } from '../../../../support/manual-clock.ts';

type Fields = Readonly<Record<string, unknown>>;

let broker: EmbeddedBroker;
let clock: ManualClock;
let clients: MqttClient[];
const [one, two] = ['broker1@127.0.0.1', 'broker2@127.0.0.1'];

const start = async (nodes: number): Promise<void> => {
  clock = createManualClock();
  clients = [];
  broker = await startEmbeddedBroker({
    version: '1.2.3',
    nodes,
    host: '127.0.0.1',
    port: 0,
    mqttPort: 0,
    wsPort: 0,
    dialect: emqV2Server,
    variant: 'b',
    user: 'admin',
    password: 'secret',
    profile: 'emq-2.3',
    clock,
  });
};
beforeEach(() => start(2));
afterEach(async () => {
  for (const client of clients) client.end(true);
  await broker.close();
});

const connect = async (clientId: string, node = 0, options: IClientOptions = {}): Promise<MqttClient> => {
  const client = await mqtt.connectAsync(
    `mqtt://127.0.0.1:${broker.cluster.nodes[node]?.ports.tcp}`,
    { clientId, reconnectPeriod: 0, ...options },
    false,
  );
  clients.push(client);
  return client;
};
/** A persistent session that is subscribed to its own name, and offline. */
const leave = async (clientId: string, node = 0): Promise<void> => {
  const client = await connect(clientId, node, { clean: false });
  await client.subscribeAsync(clientId, { qos: 1 });
  await client.endAsync();
};
/** Asks the node with this index. `path` is below `/api/v2/`. */
const send = async (
  path: string,
  at = 0,
  method = 'GET',
  body?: unknown,
): Promise<{ readonly status: number; readonly json: Fields }> => {
  const response = await fetch(`${broker.servers[at]?.url}/api/v2/${path}`, {
    method,
    headers: { authorization: `Basic ${Buffer.from('admin:secret').toString('base64')}` },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await response.text();
  return { status: response.status, json: (text === '' ? {} : JSON.parse(text)) as Fields };
};
const result = async (path: string, at = 0): Promise<unknown> => (await send(path, at)).json['result'];
const objects = async (path: string, at = 0): Promise<readonly Fields[]> => {
  const found = await result(path, at);
  return (isObject(found) ? found['objects'] : []) as readonly Fields[];
};
const publish = (topic: string, count = 1): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, () => broker.api.publish?.({ topic, payload: 'x', qos: 1 })));

it('a node knows the counters of its own sessions only', async () => {
  await connect('here');
  await connect('there', 1);
  const counters = [
    'subscriptions',
    'max_inflight',
    'inflight_len',
    'mqueue_len',
    'mqueue_dropped',
    'awaiting_rel_len',
    'deliver_msg',
    'enqueue_msg',
  ];
  for (const [at, own, other] of [
    [0, 'here', 'there'],
    [1, 'there', 'here'],
  ] as const) {
    const [[known], [unknown]] = [await objects(`sessions/${own}`, at), await objects(`sessions/${other}`, at)];
    expect(counters.map((name) => typeof known?.[name])).toEqual(counters.map(() => 'number'));
    expect(counters.map((name) => unknown?.[name])).toEqual(counters.map(() => 'undefined'));
  }
  expect((await objects(`nodes/${two}/sessions`))[0]).toMatchObject({ client_id: 'there', mqueue_len: 'undefined' });
});

it('a node has its own alarms, whichever node the path names', async () => {
  await leave('here');
  await leave('there', 1);
  await publish('here', 601);
  await publish('there', 600);
  clock.advanceSecond();
  const here = [
    {
      id: 'queue_high_watermark.here',
      severity: 'warning',
      title: 'Queue here high-water mark',
      summary: 'queue len 601 > high_watermark 600',
    },
  ];
  expect(await result(`nodes/${one}/alarms`)).toMatchObject(here);
  expect(await result(`nodes/${two}/alarms`)).toMatchObject(here);
  expect(await result(`nodes/${one}/alarms`, 1)).toEqual([]);
  await publish('there');
  clock.advanceSecond();
  expect(await result(`nodes/${one}/alarms`, 1)).toMatchObject([{ id: 'queue_high_watermark.there' }]);
});

it('an alarm outlives its session, and ends when the queue of that session is nearly empty', async () => {
  for (const id of ['ended', 'read']) {
    await leave(id);
    await publish(id, 601);
  }
  clock.advanceSecond();
  await connect('ended', 0, { clean: true });
  const reader = await connect('read', 0, { clean: false });
  await expect.poll(() => broker.cluster.session('read')?.outbox.queueLength).toBe(0);
  clock.advanceSecond();
  expect(await result(`nodes/${one}/alarms`)).toMatchObject([{ id: 'queue_high_watermark.ended' }]);
  expect(reader.connected).toBe(true);
});

it('counters of a connected session move every 20 s', async () => {
  const client = await connect('sensor');
  await client.subscribeAsync('t', { qos: 1 });
  const seen: unknown[] = [];
  for (let second = 0; second < 40; second += 1) {
    await client.publishAsync('t', 'x', { qos: 1 });
    clock.advanceSecond();
    seen.push((await objects('sessions/sensor'))[0]?.['deliver_msg']);
  }
  const moves = seen.flatMap((value, second) => (second > 0 && value !== seen[second - 1] ? [second] : []));
  expect(moves).toEqual([19, 39]);
});

it('counters of an offline session stand still under traffic, and jump in the first second without', async () => {
  await leave('away');
  const seen: unknown[] = [];
  for (let second = 0; second < 5; second += 1) {
    await publish('away', 4);
    clock.advanceSecond();
    seen.push((await objects('sessions/away'))[0]?.['mqueue_len']);
  }
  expect(seen).toEqual([0, 0, 0, 0, 0]);
  clock.advanceSecond();
  expect((await objects('sessions/away'))[0]).toMatchObject({ mqueue_len: 20 });
});

it('metrics, statistics and listeners are a list with one object by node', async () => {
  for (const path of ['monitoring/metrics', 'monitoring/stats', 'monitoring/listeners']) {
    const list = (await result(path)) as readonly Fields[];
    expect(list.map((item) => Object.keys(item))).toEqual([[one, two]]);
  }
});

it('has no path for settings on a cluster, though it takes them', async () => {
  expect([await send('configs'), await send(`nodes/${one}/configs`)]).toMatchObject([{ status: 404 }, { status: 404 }]);
  expect(await send('configs/broker', 0, 'PUT', { key: 'mqtt.session.max_inflight', value: '7' })).toMatchObject({
    json: { code: 0 },
  });
  expect(broker.cluster.nodes.map(({ settings }) => settings.maxInflight)).toEqual([7, 7]);
});

it('takes two settings that it never reads back', async () => {
  await broker.close();
  await start(1);
  expect(await send('configs/broker', 0, 'PUT', { key: 'mqtt.client.idle_timeout', value: '21s' })).toMatchObject({
    json: { code: 0 },
  });
  const settings = (await result(`nodes/${one}/configs`)) as readonly Fields[];
  expect(settings.filter(({ value }) => value === 'undefined').map(({ key }) => key)).toEqual([
    'mqtt.client.enable_stats',
    'mqtt.client.idle_timeout',
  ]);
});

it('loses the instances of template keys with any change of the plugin', async () => {
  const path = `nodes/${one}/plugin_configs/broker_dashboard`;
  expect(((await result(path)) as readonly Fields[]).map(({ key, value }) => [key, value])).toEqual([
    ['dashboard.listener.http.access.$id', ''],
    ['dashboard.listener.http.acceptors', '4'],
  ]);
  expect(await send(path, 0, 'PUT', { 'dashboard.listener.http.acceptors': '8' })).toMatchObject({ json: { code: 0 } });
  expect(((await result(path)) as readonly Fields[])[1]).toMatchObject({ value: '8' });
  expect(broker.faults.lostSettings).toEqual([`${one} broker_dashboard dashboard.listener.http.access.1`]);
  const kept = `nodes/${two}/plugin_configs/broker_dashboard`;
  await send(kept, 0, 'PUT', {
    'dashboard.listener.http.acceptors': '8',
    'dashboard.listener.http.access.1': 'allow all',
  });
  expect(broker.faults.lostSettings).toHaveLength(1);
});

it('refuses to subscribe a client to a wildcard', async () => {
  await connect('sensor');
  expect(await send('mqtt/subscribe', 0, 'POST', { topic: 'q/#', qos: 1, client_id: 'sensor' })).toMatchObject({
    json: { code: 102, message: 'validate topic: q/# fail' },
  });
});

it('ends the connection for an unknown node', async () => {
  for (const path of ['nodes', 'stats', 'metrics', 'listeners'])
    await expect(send(`monitoring/${path}/nope@x`)).rejects.toThrow('fetch failed');
  expect(await send('management/nodes/nope@x')).toMatchObject({ status: 404 });
});

describe('while a node is frozen', () => {
  it.each([
    ['management/nodes', 60],
    ['monitoring/nodes', 60],
    ['monitoring/metrics', 60],
    ['clients/here', 60],
    ['sessions/here', 60],
    [`nodes/${two}/clients`, 60],
    [`nodes/${one}/clients`, 0],
    [`monitoring/nodes/${one}`, 0],
    [`nodes/${one}/sessions/here`, 0],
    ['routes', 0],
    ['users', 0],
    [`nodes/${two}/alarms`, 0],
  ])('%s waits %d s', async (path, seconds) => {
    await connect('here');
    broker.faults.frozen = two;
    clock.isSleepless = true;
    expect((await send(path)).status).toBe(200);
    expect(clock.slept.reduce((sum, ms) => sum + ms, 0)).toBe(seconds * 1000);
  });

  it('is still listed as running', async () => {
    broker.faults.frozen = two;
    clock.isSleepless = true;
    expect(((await result('management/nodes')) as readonly Fields[]).map(({ node_status }) => node_status)).toEqual([
      'Running',
      'Running',
    ]);
  });

  it('answers nothing itself', async () => {
    broker.faults.frozen = two;
    const request = fetch(`${broker.servers[1]?.url}/api/v2/management/nodes`);
    await expect.poll(() => clock.slept.length).toBe(1);
    await broker.servers[1]?.close();
    await expect(request).rejects.toThrow('fetch failed');
  });
});

it('answers 503 now and then', async () => {
  broker.faults.busyEvery = 2;
  expect([(await send('users')).status, (await send('users')).status]).toEqual([200, 503]);
});
