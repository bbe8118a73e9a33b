import mqtt from 'mqtt';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { emqV2Server } from '../../src/api/dialects/emq-v2/server/server.ts';
import { emqxV4Server } from '../../src/api/dialects/emqx-v4/server/server.ts';
import { emqxV5Server } from '../../src/api/dialects/emqx-v5/server/server.ts';
import { type HttpApi, openHttpApi } from '../../src/api/dialects/index.ts';
import { type EmbeddedBroker, startEmbeddedBroker } from '../../src/broker/embedded-broker.ts';
import { nodeNames, password } from './support.ts';

const [one, two, three] = nodeNames;

describe.each([
  ['v2', { dialect: emqV2Server, variant: 'b', profile: 'emq-2.3' }],
  ['v4', { dialect: emqxV4Server, profile: 'emqx-4.4' }],
  ['v5', { dialect: emqxV5Server, profile: 'emqx-5.8' }],
] as const)('a cluster whose last node has lost touch, over API %s', (speaker, served) => {
  let broker: EmbeddedBroker;
  let api: HttpApi;

  beforeAll(async () => {
    broker = await startEmbeddedBroker({
      version: '1.2.3',
      nodes: 3,
      host: '127.0.0.1',
      port: 0,
      mqttPort: 0,
      wsPort: 0,
      user: 'admin',
      password,
      ...served,
    });
    const [url = '', ...otherUrls] = broker.servers.map((server) => server.url);
    api = openHttpApi({ url, otherUrls, user: 'admin', password });
    // Detects the API.
    await api.listNodes();
    broker.cluster.cutOff = new Set([three]);
  });
  afterAll(async () => {
    await api.close();
    await broker.close();
  });

  const viewAt = (index: number) => api.at(broker.servers[index]?.url ?? '').getClusterView?.();

  test('each address tells the nodes that its node sees, and v5 which node that is', async () => {
    const views = await Promise.all([0, 1, 2].map(viewAt));
    const selves = speaker === 'v5' ? nodeNames : [undefined, undefined, undefined];
    expect(views).toEqual([
      { self: selves[0], nodes: [one, two] },
      { self: selves[1], nodes: [one, two] },
      { self: selves[2], nodes: [three] },
    ]);
  });

  test('the others count the node as stopped', async () => {
    const statusesAt = async (index: number) =>
      (await api.at(broker.servers[index]?.url ?? '').listNodeStats()).map(({ name, status }) => [name, status]);
    expect(await statusesAt(0)).toEqual([
      [one, 'running'],
      [two, 'running'],
      // v4 lists running nodes only.
      ...(speaker === 'v4' ? [] : [[three, 'stopped']]),
    ]);
  });

  test('messages do not cross', async () => {
    const connect = (index: number) =>
      mqtt.connectAsync(`mqtt://127.0.0.1:${broker.cluster.nodes[index]?.ports.tcp}`, { reconnectPeriod: 0 }, false);
    const [near, far] = [await connect(1), await connect(2)];
    const got: string[] = [];
    const whole = new Promise<void>((resolve) => {
      for (const [name, client] of Object.entries({ near, far }))
        client.on('message', (topic) => {
          got.push(`${name} ${topic}`);
          if (topic === 'end') resolve();
        });
    });
    await near.subscribeAsync(['news', 'end']);
    await far.subscribeAsync(['news', 'end']);
    const publisher = await connect(0);
    await publisher.publishAsync('news', 'x', { qos: 1 });
    broker.cluster.cutOff = new Set();
    await publisher.publishAsync('end', 'x', { qos: 1 });
    await whole;
    broker.cluster.cutOff = new Set([three]);
    expect(got.filter((text) => text.endsWith('news'))).toEqual(['near news']);
    await Promise.all([near, far, publisher].map((client) => client.endAsync()));
  });
});
